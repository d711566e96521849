# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The edges that CAs take in one pass: by the gate before use, or by usage."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import GATES, Gates
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.update import advance_states
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition, Violation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import TrustState
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Pod, Snapshot

from ....tools.support.intents import changed_intent
from .. import linked
from .. import unlinked as stage
from ..authorities import EXPIRED, NEW, OLD, RENEWED, THIRD, name_of
from ..builders import changed, cluster, others, secrets
from ..ledgers import ALL, ANY, PHASE_OUT, UNTRUSTED, UNUSED, a_journal, entry, ledger
from ..nodes import PODS, a_leaf, a_pod, leaves, pods, uids_of

RECONCILE = Intent(Goal.RECONCILE)
TWINS = ledger(entry(OLD, generations={0}), entry(RENEWED, UNTRUSTED, awaited_pods=None))


def moved(snapshot: Snapshot, intent: Intent = RECONCILE, gates: Gates = GATES) -> dict[str, TrustState]:
    """The states after this pass of those that were taken further."""
    before = snapshot.ledger_or_empty
    after = advance_states(snapshot, intent, before, gates)
    assert [one.fingerprint for one in after.entries] == [one.fingerprint for one in before.entries]
    return {new.fingerprint: new.state for old, new in zip(before.entries, after.entries, strict=True) if old != new}


def states(**named: TrustState) -> dict[str, TrustState]:
    """By the names of the two CAs."""
    return {name_of({"old": OLD, "new": NEW}[name]): state for name, state in named.items()}


@pytest.mark.parametrize(
    ("snapshot", "expected"),
    [
        pytest.param(stage.READ_BACK, {}, id="not linked: no pod has restarted"),
        pytest.param(stage.HALF_RESTARTED, {}, id="not linked: not all have restarted"),
        pytest.param(stage.RESTARTED, states(new=UNUSED), id="not linked: all have restarted"),
        pytest.param(changed(stage.RESTARTED, pods=()), {}, id="no pod runs: it is unknown which pods will trust it"),
        pytest.param(
            replace(linked.TRUSTED, ledger=linked.TRUSTED.ledger_or_empty.with_entry(entry(NEW, UNTRUSTED, awaited_pods=linked.uids()))),
            states(new=UNUSED), id="linked: every verifier validates it at once",
        ),
        pytest.param(linked.IN_BUNDLE, {}, id="linked, and not read back"),
        pytest.param(stage.ISSUED, {}, id="no node presents it yet"),
        pytest.param(stage.HALF_USED, states(old=ANY, new=ANY), id="the first presents it"),
        pytest.param(stage.SHARED, {}, id="some present it"),
        pytest.param(stage.USED, states(old=PHASE_OUT, new=ALL), id="all present it"),
        pytest.param(
            changed(stage.PHASED_OUT, pods=pods(0, start=3), leaves=leaves(OLD, 0)), states(old=ALL, new=PHASE_OUT),
            id="one on its way out is in use again",
        ),
        pytest.param(changed(stage.USED, pods=()), {}, id="no pod runs: states are kept"),
    ],
)  # fmt: skip
def test_through_the_replacement_of_a_key(snapshot: Snapshot, expected: dict[str, TrustState]) -> None:
    assert moved(snapshot) == expected


@pytest.mark.parametrize(
    ("awaiting", "expected"), [(None, {}), (uids_of(), {name_of(RENEWED): UNUSED})], ids=["not read back", "read back"]
)
def test_a_renewed_ca_is_trusted_only_once_it_was_read_back(
    awaiting: frozenset[str] | None, expected: dict[str, TrustState]
) -> None:
    """A process that starts when the old certificate has left would not trust the renewed CA before that."""
    books = TWINS.with_entry(entry(RENEWED, UNTRUSTED, awaited_pods=awaiting))
    assert moved(cluster(ca=secrets(other_entries=others(RENEWED)), ledger=books)) == expected


@pytest.mark.parametrize(
    "pod",
    [
        pytest.param(a_pod(generation=1, start=1), id="some present it"),
        pytest.param(a_pod(generation=None, start=1), id="what one presents is unknown"),
    ],
)
def test_a_presented_ca_becomes_trusted(pod: Pod) -> None:
    """Only that every verifier accepts it counts, not whether a pod uses it."""
    started = changed(
        stage.RESTARTED,
        pods=(pod, *stage.RESTARTED.nodes.pods[1:]),
        leaves=(a_leaf(issuer=NEW, generation=1), *stage.RESTARTED.leaves.stored[1:]),
    )
    assert moved(started)[name_of(NEW)] is UNUSED


def test_an_expired_ca_never_becomes_trusted() -> None:
    books = ledger(entry(OLD, generations={0}), entry(EXPIRED, UNTRUSTED))
    assert moved(cluster(ca=secrets(other_entries=others(EXPIRED)), ledger=books)) == {}


@pytest.mark.parametrize("gate", ["trust", "alone"])
def test_nothing_becomes_trusted_past_a_closed_gate(gate: str) -> None:
    closed = (Violation(Condition.TRUST, "a client", "refuses it.", ""),)
    assert moved(stage.RESTARTED, gates=replace(GATES, **{gate: lambda *_about: closed})) == {}


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"pods": (a_pod(generation=None, start=2), *pods(1, start=2, names=PODS[1:]))}, id="annotation"),
        pytest.param({"leaves": (a_leaf(chain=None), *leaves(NEW, 1, names=PODS[1:]))}, id="unreadable leaf"),
        pytest.param({"leaves": (a_leaf(issuer=THIRD), *leaves(NEW, 1, names=PODS[1:]))}, id="a stranger's leaf"),
        pytest.param({"listeners": ()}, id="no listener answers"),
    ],
)
def test_unknown_evidence_keeps_every_state(fields: dict[str, Any]) -> None:
    assert moved(changed(stage.USED, **fields)) == {}


def test_an_adopted_ca_makes_one_transition_in_a_pass() -> None:
    """The cluster is adopted in this pass: that its CA is used by all is written down in the next."""
    adopted = entry(OLD, UNUSED, {0})
    assert advance_states(cluster(ledger=None), RECONCILE, ledger(adopted), GATES) == ledger(adopted)
    assert moved(cluster(ledger=ledger(adopted))) == states(old=ALL)


def test_a_transition_forgets_the_pods_that_are_gone() -> None:
    here = uids_of(PODS[1], start=2)
    waiting = replace(
        stage.USED, ledger=stage.USED.ledger_or_empty.with_entry(entry(OLD, ANY, {0}, awaited_pods={"gone", *here}))
    )
    after = advance_states(waiting, RECONCILE, waiting.ledger_or_empty, GATES).find(name_of(OLD))
    assert after == entry(OLD, PHASE_OUT, {0}, awaited_pods=here)


LEAVING = changed_intent(RECONCILE, leaving_ca=name_of(NEW))


@pytest.mark.parametrize(
    ("snapshot", "intent", "expected"),
    [
        pytest.param(stage.TRUSTED, RECONCILE, {}, id="the intent does not ask for it"),
        pytest.param(stage.TRUSTED, LEAVING, states(new=PHASE_OUT), id="it was never used"),
        pytest.param(stage.TRUSTED, changed_intent(LEAVING, leaving_ca=name_of(OLD)), {}, id="the CA in use"),
        pytest.param(stage.HALF_USED, LEAVING, states(old=ANY, new=ANY), id="it is used by now"),
        pytest.param(stage.READ_BACK, LEAVING, states(new=PHASE_OUT), id="it is not trusted yet"),
        pytest.param(stage.RESTARTED, LEAVING, states(new=PHASE_OUT), id="it would become trusted in this pass"),
        pytest.param(changed(stage.TRUSTED, pods=()), LEAVING, {}, id="no pod runs"),
        pytest.param(changed(stage.TRUSTED, listeners=()), LEAVING, {}, id="it is unknown whether it is used"),
    ],
)
def test_a_ca_that_was_never_used_leaves_where_the_intent_names_it(
    snapshot: Snapshot, intent: Intent, expected: dict[str, TrustState]
) -> None:
    assert moved(snapshot, intent) == expected


def undoing(snapshot: Snapshot) -> Snapshot:
    """The flow from OLD to NEW is undone."""
    journal = a_journal(old=NEW, new=OLD, is_abort=True)
    return replace(snapshot, ledger=replace(snapshot.ledger_or_empty, journal=journal))


@pytest.mark.parametrize("snapshot", [stage.READ_BACK, stage.TRUSTED], ids=["not trusted yet", "trusted"])
def test_a_ca_that_an_abort_gets_rid_of_leaves_without_being_asked(snapshot: Snapshot) -> None:
    assert moved(undoing(snapshot), RECONCILE) == states(new=PHASE_OUT)


def test_a_ca_does_not_leave_in_the_pass_in_which_it_enters() -> None:
    fresh = replace(stage.TRUSTED, ledger=ledger(entry(OLD, ALL, {0})))
    books = fresh.ledger_or_empty.with_entry(entry(NEW, UNTRUSTED, awaited_pods=None))
    found = advance_states(fresh, LEAVING, books, GATES).find(name_of(NEW))
    assert found is not None
    assert found.state is UNTRUSTED

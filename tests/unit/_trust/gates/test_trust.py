# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Before a CA is used (I3): path validation for every process, with what it trusts; and every gate holds something back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import Engine, decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import (
    GATES,
    Gates,
    Violations,
    alone_gate,
    refusals,
    removal_gate,
    trust_gate,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import select_refusals as refused_of
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.verifiers import verifying_parties
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import OutsideClient
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition, Decision
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    Ledger,
    LedgerEntry,
    TrustState,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Pod, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import IssueLeaves
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import Withdraw

from ....tools.support.certificates import Entity, key, make
from ....tools.support.golden import GoldenFiles
from .. import linked, unlinked
from ..authorities import (
    EARLY,
    EXPIRED,
    IMPOSTOR,
    INTERMEDIATE,
    NEW,
    OLD,
    RENEWED,
    ROOT,
    THIRD,
    chain_of,
    linked_form,
    names_of,
)
from ..builders import changed, cluster, secrets
from ..ledgers import UNTRUSTED, UNUSED, entry, ledger
from ..nodes import PODS, a_leaf, a_pod, hashes_of, pods, uids_of

CORPORATE = chain_of(INTERMEDIATE, ROOT)
OPERATOR = "the Cluster Operator"
VERIFIERS = (*(f"pod {name}" for name in PODS), OPERATOR)
REMEDIES = {
    "pod": "It has to restart with the trust bundle that contains this CA; run the flow again to continue.",
    "the": "It trusts the CAs in Secret kafka/demo-cluster-ca-cert; run the flow again.",
}


def projecting(books: Ledger, **fields: Any) -> Snapshot:
    """The certificate Secret contains what the ledger says."""
    chains = {f"{one.fingerprint}.crt": one.chain for one in books.entries}
    return cluster(ca=secrets(OLD, other_entries=chains), ledger=books, **fields)


def refused(who: Iterable[str], authority: Entity) -> list[str]:
    """The violations, as people read them."""
    of = f"the CA {authority.certificate.subject} ({authority.certificate.sha256[:12]})"
    return [f"{one}: cannot validate certificates of {of}. {REMEDIES[one.split()[0]]}" for one in who]


def asked(
    gate: Callable[[Snapshot, Ledger, Chain], Violations], form: Chain, books: Ledger, **fields: Any
) -> list[str]:
    found = gate(projecting(books, **fields), books, form)
    assert {violation.condition for violation in found} <= {Condition.TRUST}
    return [str(violation) for violation in found]


@pytest.mark.parametrize(
    ("authority", "form", "books", "who"),
    [
        pytest.param(NEW, chain_of(NEW), ledger(), VERIFIERS, id="independent root, no verifier trusts it"),
        pytest.param(NEW, chain_of(NEW), ledger(entry(OLD), entry(NEW)), (), id="independent root, all trust it"),
        pytest.param(
            NEW, chain_of(NEW), ledger(entry(OLD), entry(NEW, awaited_pods=None)), VERIFIERS[:-1],
            id="in the ledger, not read back",
        ),
        pytest.param(
            NEW, chain_of(NEW), ledger(entry(OLD), entry(NEW, awaited_pods=uids_of(PODS[1]))), VERIFIERS[1:2],
            id="one pod started before the read-back",
        ),
        pytest.param(
            NEW, chain_of(NEW), ledger(entry(NEW, awaited_pods={"long gone"})), (), id="those that were awaited are gone"
        ),
        pytest.param(
            RENEWED, chain_of(RENEWED), ledger(entry(OLD), entry(RENEWED, awaited_pods=None)), (),
            id="renewed with the same key: no trust roll",
        ),
        pytest.param(
            RENEWED, chain_of(RENEWED), ledger(entry(OLD, awaited_pods=None), entry(RENEWED, awaited_pods=None)), VERIFIERS[:-1],
            id="renewed, and neither was read back: told by its own certificate",
        ),
        pytest.param(IMPOSTOR, chain_of(IMPOSTOR), ledger(entry(OLD)), VERIFIERS, id="the same name with another key"),
        pytest.param(INTERMEDIATE, CORPORATE, ledger(entry(CORPORATE)), (), id="intermediate that is an anchor"),
        pytest.param(INTERMEDIATE, CORPORATE, ledger(entry(ROOT)), (), id="intermediate below a trusted root"),
        pytest.param(NEW, linked_form(NEW, OLD), ledger(entry(OLD)), (), id="linked to a CA that all trust"),
        pytest.param(
            NEW, linked_form(NEW, OLD), ledger(entry(THIRD), entry(NEW, awaited_pods=None)), VERIFIERS[:-1],
            id="linked to a CA that no verifier trusts: judged by the CA, not by its link",
        ),
        pytest.param(
            NEW, linked_form(NEW, IMPOSTOR), ledger(entry(OLD), entry(NEW, awaited_pods=None)), VERIFIERS[:-1],
            id="linked to one of the same name",
        ),
        pytest.param(EXPIRED, chain_of(EXPIRED), ledger(entry(EXPIRED)), VERIFIERS, id="trusted but expired"),
        pytest.param(EARLY, chain_of(EARLY), ledger(entry(EARLY)), VERIFIERS, id="trusted but not yet valid"),
    ],
)  # fmt: skip
def test_the_trust_gate_names_the_verifiers_that_refuse_a_leaf_with_its_chain(
    authority: Entity, form: Chain, books: Ledger, who: tuple[str, ...]
) -> None:
    assert asked(trust_gate, form, books) == refused(who, authority)


@pytest.mark.parametrize(
    ("authority", "chain", "books", "who"),
    [
        pytest.param(NEW, chain_of(NEW), ledger(entry(OLD), entry(NEW)), (), id="a root that all trust"),
        pytest.param(NEW, chain_of(NEW), ledger(entry(OLD)), VERIFIERS, id="a root that no verifier trusts"),
        # The leaf is sent without what stands between it and the anchor: that the anchor is trusted does not help.
        pytest.param(INTERMEDIATE, CORPORATE, ledger(entry(ROOT)), VERIFIERS, id="intermediate below a trusted root"),
        pytest.param(INTERMEDIATE, CORPORATE, ledger(entry(CORPORATE)), (), id="intermediate that is an anchor"),
        pytest.param(
            NEW, chain_of(NEW), ledger(entry(OLD), entry(NEW, awaited_pods=uids_of(PODS[1]))), VERIFIERS[1:2],
            id="one pod knows the CA by its link only",
        ),
    ],
)  # fmt: skip
def test_leaves_that_are_presented_alone(authority: Entity, chain: Chain, books: Ledger, who: tuple[str, ...]) -> None:
    assert asked(alone_gate, chain, books) == refused(who, authority)


@pytest.mark.parametrize(
    ("running", "who"),
    [
        (pods(), VERIFIERS[:-1]),
        ((a_pod(start=1), *pods(names=PODS[1:])), VERIFIERS[1:-1]),
        (pods(start=1), ()),
        # They verify all the same.
        ((a_pod(ready=False), a_pod(PODS[1], terminating=True)), VERIFIERS[:2]),
        ((), ()),
    ],
    ids=["before the restarts", "after the first", "after all", "not ready, or about to end", "no pod runs"],
)
def test_a_pod_that_started_after_the_read_back_accepts_leaves_of_the_ca(
    running: tuple[Pod, ...], who: tuple[str, ...]
) -> None:
    books = ledger(entry(OLD), entry(NEW, TrustState.UNTRUSTED, awaited_pods=uids_of()))
    assert asked(trust_gate, chain_of(NEW), books, pods=running) == refused(who, NEW)


@pytest.mark.parametrize("path_length", [0, 1, None])
@pytest.mark.parametrize("component", Component)
def test_only_a_go_program_applies_the_path_length_of_the_ca_that_it_trusts(
    component: Component, path_length: int | None
) -> None:
    """The link certificate is one CA below."""
    old = make("cluster-ca v0", key(0), path_length=path_length)
    seen = cluster(ca=secrets(old), pods=(a_pod(component=component),))
    refuses = component is Component.KAFKA_EXPORTER and path_length == 0
    found = [(party.name, why) for party, why in refusals(seen, ledger(entry(old)), linked_form(NEW, old))]
    why = f"{old.certificate.subject} allows 0 CAs below it (path length constraint), and there are 1"
    assert found == ([(f"pod {PODS[0]}", why)] if refuses else [])


_ENTRIES = st.builds(
    entry,
    st.sampled_from([OLD, NEW, RENEWED, THIRD, IMPOSTOR, EXPIRED, ROOT, CORPORATE]),
    awaited_pods=st.none() | st.sets(st.sampled_from(sorted(uids_of()))),
)
_BOOKS = st.lists(_ENTRIES, max_size=4, unique_by=lambda one: one.fingerprint).map(lambda found: Ledger(tuple(found)))
_FORMS = st.sampled_from(
    [chain_of(one) for one in (OLD, NEW, RENEWED, IMPOSTOR, EXPIRED)] + [CORPORATE, linked_form(NEW, OLD)]
)
_PODS = st.sampled_from([pods(), (a_pod(component=Component.KAFKA_EXPORTER), *pods(names=PODS[1:]))])


@given(_BOOKS, _ENTRIES, _FORMS, _PODS)
def test_more_trust_never_closes_a_gate(
    books: Ledger, more: LedgerEntry, form: Chain, running: tuple[Pod, ...]
) -> None:
    known = books.find(more.fingerprint)
    if known is not None and known.awaited_pods is not None:
        more = replace(more, awaited_pods=known.awaited_pods & (more.awaited_pods or frozenset()))
    after, before = books.with_entry(more), projecting(books, pods=running)
    # A process whose CAs have all ended accepts no certificate, and is no party to a gate until it trusts another CA.
    joining = {party.name for party in verifying_parties(before, books) if party.has_only_ended(before)}
    for gate in (trust_gate, alone_gate):
        closed = {one.subject for one in gate(projecting(after, pods=running), after, form)}
        event("still closed" if closed else "open")
        assert closed <= {one.subject for one in gate(before, books, form)} | joining


@given(_BOOKS, _FORMS, _PODS)
def test_a_ca_that_was_not_read_back_opens_no_gate(books: Ledger, form: Chain, running: tuple[Pod, ...]) -> None:
    """Unknown trust is no trust: every pod refuses everything."""
    unknown = Ledger(tuple(replace(one, awaited_pods=None) for one in books.entries))
    for gate in (trust_gate, alone_gate):
        found = gate(projecting(unknown, pods=running), unknown, form)
        assert {one.subject for one in found} >= set(VERIFIERS[:-1])


def test_a_process_that_has_not_answered_closes_the_gate_and_refuses_nothing() -> None:
    """It is one that was started with this CA; of another one it is known that it refuses it, whatever it would say."""
    books = ledger(entry(OLD), entry(NEW, awaited_pods=uids_of()))
    silent = projecting(books, listeners=())
    for gate in (trust_gate, alone_gate):
        closed = gate(silent, books, chain_of(OLD))
        assert [(one.condition, one.subject) for one in closed] == [
            (Condition.EVIDENCE, f"pod {name}") for name in PODS
        ]
        assert refused_of(closed) == ()
        assert refused_of(gate(silent, books, chain_of(NEW))) == gate(silent, books, chain_of(NEW))
    assert list(refusals(silent, books, chain_of(OLD))) == []


@pytest.mark.parametrize("gate", [trust_gate, alone_gate])
def test_a_pod_that_has_only_the_labels_may_trust_anything(
    gate: Callable[[Snapshot, Ledger, Chain], Violations], golden: GoldenFiles
) -> None:
    """Nothing is known of it: that keeps the gate closed, and is no reason to restart anything."""
    books = ledger(entry(OLD, generations={0}))
    (found,) = gate(projecting(books, foreign_pods={"db-0": Component.KAFKA}), books, chain_of(OLD))
    assert (found.condition, found.subject) == (Condition.EVIDENCE, "pod db-0")
    golden.compare_said("stops_in_rules", found)
    assert refused_of([found]) == ()


# Each gate holds something back that would break an invariant at once, and nothing else does.


def _outside() -> Snapshot:
    """A client of the listeners trusts another CA, and would refuse what nodes are to present (I3)."""
    client = OutsideClient("Secret kafka/app", (THIRD.certificate,), declared=True)
    return changed(linked.TRUSTED, outside_clients=(client,))


def _intermediate() -> Snapshot:
    """Every pod trusts the root above a CA, which does not help a verifier that gets a leaf alone, as the operator sends it (I3)."""
    return replace(
        unlinked.SETTLED,
        ca=secrets(other_entries={"root.crt": chain_of(ROOT), "issuing.crt": CORPORATE}),
        bundle=names_of(OLD, ROOT, INTERMEDIATE),
        ledger=ledger(
            entry(OLD, generations={0}, leaf_hashes=hashes_of(OLD)),
            entry(ROOT, UNUSED),
            entry(CORPORATE, UNTRUSTED, awaited_pods=uids_of()),
        ),
    )


def _unreadable() -> Snapshot:
    """The issuer of one stored leaf is unknown: it may be the CA that is to leave (I2)."""
    return changed(
        unlinked.RETIRING, leaves=(*unlinked.RETIRING.leaves.stored, a_leaf("late", chain=None, generation=1))
    )


def issues(found: Decision) -> bool:
    return any(isinstance(step, IssueLeaves) for step in found.steps)


def calls_trusted(found: Decision) -> bool:
    return any(taken.after is UNUSED for taken in found.transitions)


def withdraws(found: Decision) -> bool:
    return any(isinstance(step, Withdraw) for step in found.steps)


@pytest.mark.parametrize(
    ("gate", "snapshot", "happens"),
    [("trust", _outside(), issues), ("alone", _intermediate(), calls_trusted), ("removal", _unreadable(), withdraws)],
)
def test_a_flow_without_the_gate_takes_the_step(
    gate: str, snapshot: Snapshot, happens: Callable[[Decision], bool]
) -> None:
    opened = Engine(gates=replace(GATES, **{gate: lambda *_about: ()}))
    assert not happens(decide(snapshot, Intent(Goal.REPLACE_KEY)))
    assert happens(decide(snapshot, Intent(Goal.REPLACE_KEY), opened))


def test_every_decision_uses_all_three_gates_by_default() -> None:
    assert Gates() == GATES == Gates(trust=trust_gate, alone=alone_gate, removal=removal_gate)

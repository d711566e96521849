# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Chapter "Publish": CAs come to where processes and clients read them, and nothing else does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Steps
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import LedgerEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import (
    AwaitBundle,
    Project,
    Publish,
    WriteBundle,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.switch import (
    await_bundle,
    is_published,
    project,
    publish,
    write_bundle,
)

from ....tools.support.certificates import Entity
from ....tools.support.intents import changed_intent
from .. import linked, unlinked
from ..authorities import INTERMEDIATE, NEW, OLD, ROOT, THIRD, chain_of, names_of
from ..builders import PAUSED, RUNS, changed, cluster, others, secrets
from ..ledgers import PHASE_OUT, UNTRUSTED, UNUSED, entry, ledger
from ..nodes import a_leaf, leaves
from .asking import RECONCILE, REPLACE_KEY, pause_for, situation, turns

BOTH = names_of(OLD, NEW)
PUBLISHING = changed_intent(REPLACE_KEY, publishes_bundle=True)


def put(*authorities: Entity, beside: frozenset[str] = names_of(OLD)) -> Steps:
    chains = tuple(map(chain_of, authorities))
    return (Project(chains=chains), AwaitBundle(present=beside | names_of(*authorities), phase=Phase.PREPARE))


def test_a_ca_is_put_into_the_secret_and_awaited_in_the_bundle_after_its_enrolment() -> None:
    """The link certificate is put nowhere."""
    assert turns(project) == {"linked ENROLLED": put(NEW), "unlinked ENROLLED": put(NEW)}
    waited = (AwaitBundle(present=BOTH, phase=Phase.PREPARE),)
    assert turns(await_bundle) == {"linked PROJECTED": waited, "unlinked PROJECTED": waited}
    assert turns(publish) == {}


def taken_out(new: LedgerEntry) -> Snapshot:
    """The next CA was taken out of the Secret."""
    before = unlinked.TRUSTED
    return replace(
        before, ca=replace(before.ca, other_entries={}), bundle=names_of(OLD), ledger=ledger(entry(OLD), new)
    )


@pytest.mark.parametrize(
    ("snapshot", "intent", "expected"),
    [
        pytest.param(taken_out(entry(NEW, UNUSED)), RECONCILE, put(NEW), id="a trusted CA is put back"),
        pytest.param(taken_out(entry(NEW, PHASE_OUT)), RECONCILE, (), id="one on its way out is not"),
        pytest.param(
            changed(unlinked.OUT_OF_BUNDLE, leaves=(*leaves(NEW, 1), a_leaf("late"))), RECONCILE,
            put(OLD, beside=names_of(NEW)), id="one on its way out that is needed after all",
        ),
        pytest.param(
            cluster(), changed_intent(RECONCILE, additional_cas=(chain_of(INTERMEDIATE, ROOT),)),
            (
                Project(chains=(chain_of(INTERMEDIATE, ROOT),)),
                AwaitBundle(present=names_of(OLD, INTERMEDIATE), phase=Phase.PREPARE),
            ), id="one that the caller trusts",
        ),
        pytest.param(
            cluster(ca=secrets(other_entries=others(ROOT))), changed_intent(RECONCILE, additional_cas=(chain_of(INTERMEDIATE, ROOT),)),
            (
                Project(chains=(chain_of(INTERMEDIATE, ROOT),)),
                AwaitBundle(present=names_of(OLD, ROOT, INTERMEDIATE), phase=Phase.PREPARE),
            ), id="one that the caller trusts, below a root that is there",
        ),
        pytest.param(cluster(), changed_intent(RECONCILE, additional_cas=(chain_of(OLD),)), (), id="one that is there already"),
        pytest.param(
            linked.REMOVED, changed_intent(RECONCILE, additional_cas=(chain_of(OLD),)), (), id="one that processes have yet to forget"
        ),
        pytest.param(
            linked.FINISHED, changed_intent(RECONCILE, additional_cas=(chain_of(OLD),)), put(OLD, beside=names_of(NEW)),
            id="one that no listener knows any more",
        ),
        pytest.param(
            linked.REMOVED.with_ca(other_entries=others(OLD)), changed_intent(RECONCILE, additional_cas=(chain_of(OLD),)), (),
            id="one that was put back while processes forget it",
        ),
        pytest.param(cluster(ca=secrets(None)), RECONCILE, (), id="no CA in use"),
    ],
)  # fmt: skip
def test_these_cas_are_projected(snapshot: Snapshot, intent: Intent, expected: Steps) -> None:
    assert project(situation(snapshot, intent)) == expected


@pytest.mark.parametrize(
    ("snapshot", "expected"),
    [
        pytest.param(
            replace(unlinked.WITHDRAWN, reconciliation=RUNS),
            (AwaitBundle(present=names_of(NEW), absent=(OLD.certificate,), phase=Phase.RETIRE),), id="it has to shrink",
        ),
        pytest.param(replace(unlinked.WITHDRAWN, bundle=None), (), id="no bundle"),
        pytest.param(cluster(bundle=names_of(OLD, THIRD)), (), id="holds what was never ours"),
    ],
)  # fmt: skip
def test_the_operators_bundle_is_waited_for(snapshot: Snapshot, expected: Steps) -> None:
    assert await_bundle(situation(snapshot)) == expected


@pytest.mark.parametrize(
    ("snapshot", "expected"),
    [
        pytest.param(linked.SWITCHED, (WriteBundle(phase=Phase.RETIRE),), id="it shrinks"),
        pytest.param(replace(linked.PROJECTED, reconciliation=PAUSED), (WriteBundle(phase=Phase.USE),), id="it grows"),
        pytest.param(linked.PROJECTED, pause_for(WriteBundle(phase=Phase.USE)), id="never beside a working operator"),
        pytest.param(linked.OUT_OF_BUNDLE, (), id="in step"),
        pytest.param(replace(linked.SWITCHED, bundle=None), (), id="no bundle"),
    ],
)
def test_paused_the_bundle_is_written_here(snapshot: Snapshot, expected: Steps) -> None:
    assert write_bundle(situation(snapshot)) == expected


def given(snapshot: Snapshot, published: frozenset[str] | None) -> Snapshot:
    return changed(snapshot, published=published)


@pytest.mark.parametrize(
    ("snapshot", "intent", "expected"),
    [
        pytest.param(cluster(), REPLACE_KEY, (), id="not asked for"),
        pytest.param(cluster(), PUBLISHING, (Publish(chains=(chain_of(OLD),), phase=Phase.PREPARE),), id="asked for"),
        pytest.param(
            given(linked.TRUSTED, names_of(OLD)), REPLACE_KEY,
            (Publish(chains=(chain_of(OLD), chain_of(NEW)), phase=Phase.PREPARE),), id="kept once it is there: it grows",
        ),
        pytest.param(
            given(linked.REMOVED, BOTH), RECONCILE, (Publish(chains=(chain_of(NEW),), phase=Phase.RETIRE),), id="it shrinks"
        ),
        pytest.param(given(linked.TRUSTED, BOTH), PUBLISHING, (), id="in step"),
        pytest.param(given(linked.PROJECTED, names_of(OLD)), PUBLISHING, (), id="processes read it first"),
        pytest.param(
            cluster(ca=secrets(chain_of(INTERMEDIATE, ROOT)), ledger=ledger(entry(chain_of(INTERMEDIATE, ROOT)))),
            PUBLISHING, (Publish(chains=(chain_of(INTERMEDIATE, ROOT),), phase=Phase.PREPARE),), id="with its root",
        ),
        pytest.param(cluster(ca=secrets(None), ledger=ledger(entry(OLD, UNTRUSTED))), PUBLISHING, (), id="no CA in use"),
    ],
)  # fmt: skip
def test_the_bundle_for_clients(snapshot: Snapshot, intent: Intent, expected: Steps) -> None:
    assert publish(situation(snapshot, intent)) == expected


@pytest.mark.parametrize(
    ("snapshot", "intent", "found"),
    [
        (linked.PROJECTED, REPLACE_KEY, False),
        (linked.TRUSTED, REPLACE_KEY, True),
        (linked.TRUSTED, PUBLISHING, False),
        (given(linked.TRUSTED, names_of(OLD)), REPLACE_KEY, False),
        (given(linked.TRUSTED, BOTH), PUBLISHING, True),
    ],
)
def test_a_ca_is_published_when_every_client_could_have_read_it(
    snapshot: Snapshot, intent: Intent, found: bool
) -> None:
    at = situation(snapshot, intent)
    assert at.successor is not None
    assert is_published(at, at.successor.entry) is found

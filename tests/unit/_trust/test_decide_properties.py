# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Laws of every decision, in any cluster and for any intent (I2, I3, I5, I10)."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace

from hypothesis import event, given

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decision import Decision
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates import removal_gate, trust_gate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.journal import in_flight
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal, Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.outside import within_cluster
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Reconciliation, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.states import TRUSTED_STATES, TrustState
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import (
    IssueLeaves,
    Pause,
    PrepareAuthority,
    Promote,
    Resume,
    TrueKeyGeneration,
    Withdraw,
    WriteLedger,
)

from . import rotation as stage
from .worlds import SETTINGS, intents, reconciliations, snapshots

STATES = reconciliations()
PROMOTING = snapshots(stage.TRUSTED, stage.RESTARTED, stage.READ_BACK)
ISSUING = snapshots(stage.PROMOTED, stage.LEARNED, stage.TIDIED)
RETIRING = snapshots(stage.PHASED_OUT, stage.USED)


def books(snapshot: Snapshot) -> Ledger:
    assert snapshot.ledger is not None
    return snapshot.ledger


def with_books_kept(snapshot: Snapshot, intent: Intent) -> tuple[Snapshot, Decision]:
    """The first decision that is not about the books, and the cluster with the books that led to it."""
    for _step in range(8):
        found = decide(snapshot, intent)
        written = [step.ledger for step in found.steps if isinstance(step, WriteLedger)]
        if not written or written[0] == snapshot.ledger:
            break
        snapshot = replace(snapshot, ledger=written[0])
    return snapshot, found


@SETTINGS
@given(snapshots(), STATES, intents())
def test_the_same_cluster_gives_the_same_decision(snapshot: Snapshot, state: Reconciliation, intent: Intent) -> None:
    """Also for an equal one, with its pods and leaves in another order: lists of Kubernetes have none."""
    snapshot = replace(snapshot, reconciliation=state)
    before = deepcopy(snapshot)
    found = decide(snapshot, intent)
    assert decide(before, intent) == found
    assert snapshot == before
    turned = decide(replace(snapshot, pods=snapshot.pods[::-1], leaves=snapshot.leaves[::-1]), intent)
    assert (turned.steps, turned.transitions, turned.done) == (found.steps, found.transitions, found.done)
    assert set(turned.violations) == set(found.violations)


@SETTINGS
@given(PROMOTING, STATES, intents())
def test_no_ca_is_promoted_while_its_trust_gate_does_not_hold(
    snapshot: Snapshot, state: Reconciliation, intent: Intent
) -> None:
    snapshot, found = with_books_kept(replace(snapshot, reconciliation=state), intent)
    for step in found.steps:
        if isinstance(step, Promote):
            event("promoted")
            entry = books(snapshot).find(step.fingerprint)
            assert entry is not None
            assert trust_gate(snapshot, books(snapshot), entry.chain) == ()
            assert entry.state in TRUSTED_STATES
            assert step.fingerprint in snapshot.ca.projected
            assert snapshot.bundle is None or step.fingerprint in snapshot.bundle


@SETTINGS
@given(ISSUING, intents())
def test_no_leaf_is_issued_while_the_trust_gate_of_its_ca_does_not_hold(snapshot: Snapshot, intent: Intent) -> None:
    paused = Reconciliation(paused=True, paused_by_us=True, pause_effective=True)
    snapshot, found = with_books_kept(replace(snapshot, reconciliation=paused), replace(intent, way=Way.TAKEOVER))
    for step in found.steps:
        if isinstance(step, IssueLeaves):
            event("issued")
            # The promotion asked clients outside as well; who comes later does not keep the operator paused.
            assert trust_gate(within_cluster(snapshot), books(snapshot), snapshot.ca.current) == ()


@SETTINGS
@given(RETIRING, intents())
def test_no_ca_is_withdrawn_while_its_removal_gate_does_not_hold(snapshot: Snapshot, intent: Intent) -> None:
    snapshot, found = with_books_kept(snapshot, intent)
    for step in found.steps:
        if isinstance(step, Withdraw):
            event("withdrawn")
            entry = books(snapshot).find(step.fingerprint)
            assert entry is not None
            assert entry.state is TrustState.PHASE_OUT
            assert removal_gate(snapshot, books(snapshot), step.fingerprint) == ()
            assert entry.chain != snapshot.ca.current


@SETTINGS
@given(snapshots(), STATES, intents())
def test_whatever_holds_nothing_is_written_but_the_end_of_our_pause(
    snapshot: Snapshot, state: Reconciliation, intent: Intent
) -> None:
    snapshot = replace(snapshot, reconciliation=state)
    found = decide(snapshot, intent)
    assert not (found.violations and found.done)
    if found.violations:
        event("held")
        assert found.steps in ((), (Resume(),))
        assert found.transitions == ()
    if found.done:
        assert found.steps == ()


@SETTINGS
@given(snapshots(), STATES, intents())
def test_the_books_are_written_alone_and_come_first(snapshot: Snapshot, state: Reconciliation, intent: Intent) -> None:
    """Everything else rests on what the Secret says and not on what it should say."""
    found = decide(replace(snapshot, reconciliation=state), intent)
    written = [step for step in found.steps if isinstance(step, WriteLedger)]
    assert not written or len(found.steps) == 1
    assert written or not found.transitions


@SETTINGS
@given(snapshots(), STATES, intents())
def test_pauses_are_ended_by_us_only_where_they_are_ours(
    snapshot: Snapshot, state: Reconciliation, intent: Intent
) -> None:
    snapshot, found = with_books_kept(replace(snapshot, reconciliation=state), intent)
    ours = snapshot.reconciliation.paused_by_us
    for step in found.steps:
        event(type(step).__name__)
        if isinstance(step, Resume):
            assert ours
        if isinstance(step, Pause):
            assert not (ours and snapshot.reconciliation.pause_effective)
        if isinstance(step, TrueKeyGeneration):
            assert snapshot.reconciliation.pause_effective
        if isinstance(step, IssueLeaves):
            assert ours
    assert not (found.done and ours)


@SETTINGS
@given(snapshots(), intents())
def test_no_second_rotation_starts_while_one_is_in_flight(snapshot: Snapshot, intent: Intent) -> None:
    snapshot, found = with_books_kept(snapshot, intent)
    if in_flight(snapshot.ledger) or snapshot.ca.prepared:
        event("in flight")
        assert not any(isinstance(step, PrepareAuthority) for step in found.steps)


@SETTINGS
@given(snapshots(), intents())
def test_no_step_of_a_later_phase_than_asked_for(snapshot: Snapshot, intent: Intent) -> None:
    for step in with_books_kept(snapshot, intent)[1].steps:
        assert isinstance(step, WriteLedger) or intent.allows(step.phase)


@SETTINGS
@given(PROMOTING)
def test_taking_over_nothing_is_promoted_beside_a_working_operator(snapshot: Snapshot) -> None:
    found = with_books_kept(snapshot, Intent(Goal.REPLACE_KEY, Way.TAKEOVER))[1]
    assert not any(isinstance(step, Promote) for step in found.steps) or not snapshot.pods

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which step comes next when a key is replaced by a bridge."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier
from ansible_collections.trustops.strimzi.plugins.module_utils._trust import rules
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.bookkeeping import remove
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates import removal_gate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Bridge, Intent, Phase, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.outside import OutsideClient
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import (
    Component,
    Reconciliation,
    Snapshot,
    StoredLeaf,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import (
    AwaitBundle,
    IssueLeaves,
    KeepLeaves,
    Pause,
    Promote,
    Resume,
    Roll,
    RollReason,
    Step,
    Withdraw,
)

from .._pki.hierarchy import key, make
from . import crossing as stage
from .builders import (
    IMPOSTOR,
    NEW,
    OLD,
    PODS,
    a_journal,
    a_leaf,
    a_pod,
    bridged,
    entry,
    ledger,
    name_of,
    names_of,
    others,
    secrets,
    stored_chain,
    uid_of,
)
from .crossing import BRIDGE, OWN, TOPICS, UIDS
from .rotation import ALL, PHASE_OUT, UNTRUSTED, UNUSED, books_of

X = BRIDGE[0].fingerprint
REPLACE_KEY, NEVER = Intent(Goal.REPLACE_KEY), Intent(Goal.REPLACE_KEY, bridge=Bridge.NEVER)
RUNS = Reconciliation()
PAUSED = Reconciliation(paused=True, paused_by_us=True, pause_effective=True)
USE_ROLL = Roll(RollReason.USE, UIDS[0], X, Phase.USE)


def steps(snapshot: Snapshot, state: Reconciliation, intent: Intent = REPLACE_KEY) -> tuple[Step, ...]:
    found = decide(replace(snapshot, reconciliation=state), intent)
    assert found.violations == ()
    return found.steps


NEXT: list[tuple[str, Reconciliation, tuple[Step, ...]]] = [
    ("READY", RUNS, (Pause(),)),
    # Before the promotion: from then on whoever ends the pause finds it done.
    ("READY", PAUSED, (KeepLeaves((OWN,), 1),)),
    ("KEPT", RUNS, (Pause(),)),
    ("KEPT", PAUSED, (Promote(name_of(NEW), 1, bridged=True),)),
    ("ISSUING", PAUSED, (IssueLeaves((TOPICS,), 1),)),
    ("ISSUED", PAUSED, (Resume(),)),
    ("ISSUED", RUNS, (AwaitBundle(names_of(OLD, NEW) | {X}, frozenset(), Phase.PREPARE),)),
    ("IN_BUNDLE", RUNS, (USE_ROLL,)),
    ("HALF", RUNS, (replace(USE_ROLL, uids=UIDS[0] - {uid_of(PODS[0])}),)),
    ("CROSSED", RUNS, (Pause(Phase.RETIRE),)),
    ("CROSSED", PAUSED, (IssueLeaves((OWN,), 1, Phase.RETIRE),)),
    ("RENEWED", PAUSED, (Resume(),)),
    (
        "RENEWED", RUNS,
        (Withdraw(name_of(OLD)), AwaitBundle(names_of(NEW) | {X}, names_of(OLD), Phase.RETIRE)),
    ),
    ("WITHDRAWN", RUNS, (Promote(name_of(NEW), 2, phase=Phase.RETIRE),)),
    ("ALONE", RUNS, (Roll(RollReason.USE, UIDS[1], name_of(NEW), Phase.RETIRE),)),
]  # fmt: skip


@pytest.mark.parametrize(("step", "state", "expected"), NEXT)
def test_the_next_step(step: str, state: Reconciliation, expected: tuple[Step, ...]) -> None:
    assert steps(stage.STAGES[step], state) == expected


def test_every_stage_is_told() -> None:
    assert {step for step, _state, _expected in NEXT} == set(stage.STAGES)


def test_in_a_takeover_all_leaves_but_the_operators_are_issued() -> None:
    takeover = Intent(Goal.REPLACE_KEY, Way.TAKEOVER)
    assert steps(stage.READY, PAUSED, takeover) == (KeepLeaves((OWN,), 1),)
    assert steps(stage.KEPT, PAUSED, takeover) == (Promote(name_of(NEW), 1, bridged=True),)
    assert steps(stage.ISSUING, PAUSED, takeover) == (IssueLeaves(tuple(sorted((*PODS, TOPICS))), 1),)


def test_one_that_is_forbidden_after_all_is_not_used() -> None:
    assert steps(stage.READY, RUNS, NEVER) == (Roll(RollReason.TRUST, UIDS[0], name_of(NEW), Phase.TRUST),)


@pytest.mark.parametrize("bridge", Bridge)
@pytest.mark.parametrize("step", ["IN_BUNDLE", "HALF", "CROSSED", "RENEWED", "WITHDRAWN", "ALONE"])
def test_one_that_issues_is_gone_through_with_by_whoever_goes_on(step: str, bridge: Bridge) -> None:
    (expected,) = [steps for name, state, steps in NEXT if (name, state) == (step, RUNS)]
    for goal in (Goal.REPLACE_KEY, Goal.RENEW, Goal.RECONCILE):
        assert steps(stage.STAGES[step], RUNS, Intent(goal, bridge=bridge)) == expected


def _with_exporter(path_length: int) -> Snapshot:
    """A Go program, and an old CA with this path length."""
    old = make("cluster-ca v0", key(0), path_length=path_length)
    waits = replace(stage.READY.ca.prepared[0], bridge=bridged(NEW, old))
    exporter = a_pod("exporter", component=Component.KAFKA_EXPORTER, leaves=(PODS[0],))
    return replace(
        stage.READY,
        ca=replace(secrets(old, others=others(NEW)), prepared=(waits,)),
        bundle=names_of(old, NEW),
        pods=(*stage.READY.pods, exporter),
        leaves=tuple(replace(leaf, chain=stored_chain(old)) for leaf in stage.READY.leaves),
        ledger=ledger(
            entry(old, generations={0}),
            entry(NEW, UNTRUSTED, awaiting=UIDS[0] | {exporter.uid}),
            journal=a_journal(old=old),
        ),
    )


@pytest.mark.parametrize("bridge", [Bridge.AUTO, Bridge.ALWAYS])
def test_a_go_program_that_would_refuse_it_restarts_first_and_alone(bridge: Bridge) -> None:
    intent = Intent(Goal.REPLACE_KEY, bridge=bridge)
    assert steps(_with_exporter(1), RUNS, intent) == (Pause(),)
    before = _with_exporter(0)
    alone = frozenset({uid_of("exporter")})
    assert steps(before, RUNS, intent) == (Roll(RollReason.TRUST, alone, name_of(NEW), Phase.TRUST),)
    learned = replace(before, ledger=books_of(before).with_entry(entry(NEW, UNTRUSTED, awaiting=UIDS[0])))
    assert steps(learned, RUNS, intent) == (Pause(),)


def _beside_an_outsider() -> Snapshot:
    """Of OpenSSL, which trusts an old CA that allows none below it."""
    before = _with_exporter(0)
    trusts = OutsideClient("Secret kafka/app", before.ca.current, None, Verifier.OPENSSL)
    return replace(before, outside=(trusts,))


def test_where_somebody_outside_would_refuse_it_everybody_trusts_the_new_ca_first() -> None:
    (roll,) = steps(_beside_an_outsider(), RUNS)
    assert isinstance(roll, Roll)
    assert (roll.reason, roll.uids) == (RollReason.TRUST, UIDS[0] | {uid_of("exporter")})


def test_where_it_has_to_be_used_who_would_refuse_it_is_named() -> None:
    before = _beside_an_outsider()
    learned = replace(before, ledger=books_of(before).with_entry(entry(NEW, UNTRUSTED, awaiting=UIDS[0])))
    found = decide(learned, Intent(Goal.REPLACE_KEY, bridge=Bridge.ALWAYS))
    assert (found.steps, found.done) == ((), False)
    assert [(one.gate, one.subject) for one in found.violations] == [("trust", "Secret kafka/app")]


def test_the_operators_leaf_is_not_kept_where_everybody_validates_the_next() -> None:
    """The plain way: after a trust roll it may issue its own, and does (strimzi.md 4.1)."""
    trusted = replace(stage.READY, ledger=books_of(stage.READY).with_entry(entry(NEW, UNUSED)))
    assert steps(trusted, PAUSED, NEVER) == (Promote(name_of(NEW), 1),)
    issuing = replace(stage.ISSUING, ledger=books_of(stage.ISSUING).with_entry(entry(NEW, UNUSED)))
    assert rules.issue_leaves(replace(issuing, reconciliation=PAUSED), REPLACE_KEY, books_of(issuing)) == ()


def test_a_kept_leaf_stays_while_a_process_could_not_validate_the_next() -> None:
    waiting = entry(NEW, UNTRUSTED, awaiting={uid_of(PODS[1], start=1)})
    bridge = entry(BRIDGE, ALL, {1}, awaiting={uid_of(PODS[1], start=1)})
    books = books_of(stage.CROSSED).with_entry(waiting).with_entry(bridge)
    assert rules.renew_kept_leaves(stage.CROSSED, REPLACE_KEY, books) == ()
    assert rules.renew_kept_leaves(stage.CROSSED, REPLACE_KEY, books_of(stage.CROSSED)) == (Pause(Phase.RETIRE),)


@pytest.mark.parametrize(
    "stray",
    [
        pytest.param(a_leaf(OWN, IMPOSTOR, 1, component=Component.CLUSTER_OPERATOR), id="of a stranger"),
        pytest.param(a_leaf(PODS[0], OLD, 1), id="of a node"),
    ],
)
def test_what_somebody_else_stored_is_not_taken_for_a_kept_leaf(stray: StoredLeaf) -> None:
    snapshot = replace(stage.RENEWED, leaves=(*stage.RENEWED.leaves[:-1], stray))
    assert rules.renew_kept_leaves(snapshot, REPLACE_KEY, books_of(snapshot)) == ()
    assert rules.retire(snapshot, REPLACE_KEY, books_of(snapshot)) == ()


def test_the_old_ca_stays_while_a_kept_leaf_is_of_it() -> None:
    assert rules.retire(stage.CROSSED, REPLACE_KEY, books_of(stage.CROSSED)) == ()
    assert removal_gate(stage.CROSSED, books_of(stage.CROSSED), name_of(OLD)) != ()


@pytest.mark.parametrize("step", ["CROSSED", "RENEWED", "WITHDRAWN", "ALONE"])
def test_all_that_comes_after_the_first_roll_is_of_the_last_phase(step: str) -> None:
    found = decide(stage.STAGES[step], replace(REPLACE_KEY, until=Phase.USE))
    assert (found.steps, found.done) == ((), True)
    assert found.pending


@pytest.mark.parametrize("step", ["READY", "ISSUING", "KEPT", "IN_BUNDLE", "CROSSED", "WITHDRAWN", "ALONE"])
def test_what_clients_are_given_is_roots(step: str) -> None:
    snapshot = stage.STAGES[step]
    found = rules.publish(snapshot, replace(REPLACE_KEY, publish=True), books_of(snapshot))
    published = {chain[0].fingerprint for publish in found for chain in getattr(publish, "chains", ())}
    assert published == (snapshot.bundle or set()) - {X}


def test_a_bridge_that_left_is_remembered_by_nobody() -> None:
    """It validates nothing that its root does not."""
    alone = replace(stage.ALONE.ca, others={})
    gone = replace(stage.ALONE, ca=alone, bundle=names_of(NEW), pods=stage.processes(2, 2))
    gone = replace(gone, leaves=tuple(replace(one, generation=2) for one in stage.RENEWED.leaves))
    books = ledger(entry(NEW, ALL, {2}), entry(BRIDGE, PHASE_OUT, {1}), journal=a_journal())
    after = remove(replace(gone, ledger=books), books)
    assert [one.fingerprint for one in after.entries] == [name_of(NEW)]
    assert after.removed == ()


def test_a_leaf_that_was_kept_for_a_promotion_that_does_not_come_is_issued_anew() -> None:
    """By the operator, from the CA that still issues: it finds the leaf of another generation."""
    assert steps(stage.KEPT, RUNS, NEVER) == (Roll(RollReason.TRUST, UIDS[0], name_of(NEW), Phase.TRUST),)
    alone = replace(stage.KEPT, ca=replace(stage.KEPT.ca, prepared=(), others={}), bundle=names_of(OLD))
    alone = replace(alone, ledger=ledger(entry(OLD, generations={0})))
    assert steps(alone, RUNS, Intent(Goal.RECONCILE)) == (Roll(RollReason.USE, frozenset(), name_of(OLD), Phase.USE),)

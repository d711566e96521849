# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The outcome of a decision as a whole: where it stops, what it leaves, what holds it, and without pods."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import ENGINE, Engine, decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import GATES
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.journal import in_flight
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.update import update_ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import OutsideClient
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import (
    Condition,
    Decision,
    Step,
    Violation,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase, Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent, Selection, Spread
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import FlowOptions, Stop, Usage
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    InPlaceObstacles,
    PreparedAuthority,
    Reconciliation,
    Snapshot,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import SetGenerated
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import IssueLeaves
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import (
    AwaitAnswers,
    Pause,
    Resume,
    Roll,
    RollReason,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import (
    AwaitBundle,
    DeleteLedger,
    RemoveMarks,
    Withdraw,
    WriteLedger,
)

from ...tools.support.certificates import HOUR, NOW
from ...tools.support.engines import leaving_open
from ...tools.support.golden import GoldenFiles
from ...tools.support.intents import changed_intent
from . import linked, of_users, patient, unlinked
from .authorities import INTERMEDIATE, NEW, OLD, RENEWED, ROOT, THIRD, chain_of, name_of, names_of
from .builders import PAUSED, answering, changed, cluster, others, secrets
from .ledgers import ALL, ANY, PHASE_OUT, UNUSED, a_journal, entry, ledger
from .nodes import PODS, a_leaf, a_pod, leaves, pods, uids_of
from .rules.asking import FLOWS, RECONCILE, REPLACE_KEY

ORDER = (Phase.PREPARE, Phase.TRUST, Phase.USE, Phase.RETIRE)


#: The phase of what comes next; where a pause of ours holds there is no choice.
PHASES = {
    "linked SETTLED": Phase.PREPARE,
    "linked ENROLLED": Phase.PREPARE,
    "linked PROJECTED": Phase.PREPARE,
    "linked TRUSTED": Phase.USE,
    "linked SHARED": Phase.USE,
    "linked PHASED_OUT": Phase.USE,
    "linked ALONE": Phase.RETIRE,
    "linked RESUMED": Phase.RETIRE,
    "linked REMOVED": Phase.RETIRE,
    "unlinked READ_BACK": Phase.TRUST,
    "unlinked PUBLISHED_NOW": Phase.TRUST,
    "unlinked TRUSTED": Phase.USE,
    "unlinked TIDIED": Phase.USE,
    "unlinked PHASED_OUT": Phase.RETIRE,
    "patient AGREED": Phase.USE,
    "patient RESUMED": Phase.USE,
    "renewal TRUSTED": Phase.USE,
}


@pytest.mark.parametrize(("stage", "phase"), PHASES.items())
@pytest.mark.parametrize("until", Phase)
def test_a_flow_stops_after_the_phase_that_was_asked_for(stage: str, phase: Phase, until: Phase) -> None:
    snapshot, intent = FLOWS[stage]
    whole, found = decide(snapshot, intent), decide(snapshot, changed_intent(intent, last_phase=until))
    if ORDER.index(phase) <= ORDER.index(until):
        assert found == whole
    else:
        assert found == Decision(done=True, pending=tuple(step.describe_as_left() for step in whole.steps))


def test_pending_work_names_the_purpose_of_a_pause(golden: GoldenFiles) -> None:
    found = decide(linked.ALONE, changed_intent(REPLACE_KEY, last_phase=Phase.USE))
    (left,) = found.pending
    golden.compare_said("steps", left)


#: The stages in which a pause was made for the use of a CA, and no more.
UNTOUCHED = {"linked HALTED", "unlinked HALTED", "renewal HALTED", "patient HALTED", "patient NOTED"}


@pytest.mark.parametrize(
    "stage", [name for name, (snapshot, _intent) in FLOWS.items() if snapshot.reconciliation.pause.is_ours]
)
def test_a_pause_of_ours_is_brought_to_its_end_wherever_the_caller_stops(stage: str) -> None:
    """It only ends, where a CA would come into use or leave in it, and nothing of that is done."""
    snapshot, intent = FLOWS[stage]
    found, whole = decide(snapshot, changed_intent(intent, last_phase=Phase.PREPARE)), decide(snapshot, intent)
    if stage in UNTOUCHED or any(isinstance(step, Withdraw) for step in whole.steps):
        assert [type(step) for step in found.steps] == [Resume]
    else:
        assert found == whole


#: The phase that a change of the books is shown under.
WRITTEN = {
    "linked PREPARED": Phase.PREPARE,
    "unlinked IN_BUNDLE": Phase.PREPARE,
    "linked IN_BUNDLE": Phase.TRUST,
    "unlinked RESTARTED": Phase.TRUST,
    "linked HALF_USED": Phase.USE,
    "linked USED": Phase.USE,
    "linked OUT_OF_BUNDLE": Phase.RETIRE,
    "linked SWITCHED": Phase.USE,
    "linked READ_AGAIN": Phase.RETIRE,
    "patient RESTARTED": Phase.USE,
}


@pytest.mark.parametrize(("stage", "phase"), WRITTEN.items())
def test_the_books_are_kept_wherever_a_flow_stops(stage: str, phase: Phase) -> None:
    """The change has happened; a ledger that lags behind would be a wrong record."""
    snapshot, intent = FLOWS[stage]
    found = decide(snapshot, changed_intent(intent, last_phase=Phase.PREPARE))
    assert found == decide(snapshot, intent)
    assert [(type(one), one.phase) for one in found.steps] == [(WriteLedger, phase)]


def test_transitions_come_with_the_write_that_records_them() -> None:
    found = decide(linked.USED, REPLACE_KEY)
    taken = {(one.fingerprint, one.before, one.after, one.usage) for one in found.transitions}
    assert taken == {(name_of(OLD), ANY, PHASE_OUT, Usage.NONE), (name_of(NEW), ANY, ALL, Usage.ALL)}
    assert decide(linked.PHASED_OUT, REPLACE_KEY).transitions == ()


@pytest.mark.parametrize("finished", [linked.FINISHED, unlinked.FINISHED])
def test_a_second_run_of_what_has_finished_does_nothing(finished: Snapshot) -> None:
    for goal in (Goal.REPLACE_KEY, Goal.RECONCILE, Goal.UPGRADE, Goal.CREATE, Goal.RENEW_LEAVES):
        assert decide(finished, Intent(goal)) == Decision(done=True)
    later = changed_intent(REPLACE_KEY, replaces=OLD.certificate.sha256, fresh_for=timedelta(0))
    assert decide(finished, later) == Decision(done=True)


def test_a_patient_flow_is_done_and_names_the_nodes_whose_restarts_it_waits_for() -> None:
    found = decide(patient.WAITING, RECONCILE)
    assert (found.steps, found.violations, found.done) == ((), (), True)
    (told,) = found.waiting
    assert told.endswith(", ".join(PODS))


# A flow that has stopped.


def stopped(stage: str, after: Phase, *, is_abort: bool = False, **fields: Any) -> Snapshot:
    """A flow that is to stop there; a Secret of a node is missing, unless it is said otherwise."""
    snapshot, _intent = FLOWS[stage]
    books = snapshot.ledger_or_empty
    assert books.journal is not None
    journal = replace(books.journal, options=FlowOptions(stop=Stop(after, NOW - HOUR)), is_abort=is_abort)
    made = {"missing": {"demo-nodes-9": Component.KAFKA}, **fields}
    return changed(snapshot, ledger=replace(books, journal=journal), **made)


@pytest.mark.parametrize(
    ("snapshot", "spread", "expected"),
    [
        pytest.param(stopped("linked TRUSTED", Phase.TRUST), Spread.AUTO, IssueLeaves, id="the flow has stopped"),
        pytest.param(stopped("linked PROJECTED", Phase.TRUST), Spread.AUTO, AwaitBundle, id="the flow comes first up to there"),
        pytest.param(
            stopped("unlinked READ_BACK", Phase.TRUST, in_place_obstacles=InPlaceObstacles(reload="no.")), Spread.RELOAD,
            Condition.IN_PLACE, id="the flow is held before it",
        ),
        pytest.param(stopped("linked TRUSTED", Phase.TRUST, is_abort=True), Spread.AUTO, Phase.TRUST, id="an abort"),
        pytest.param(
            stopped("linked TRUSTED", Phase.TRUST, missing={}, pods=linked.ISSUED.nodes.pods), Spread.AUTO, Phase.TRUST,
            id="restarts that the operator makes for reasons of its own are not waited for",
        ),
    ],
)  # fmt: skip
def test_the_ca_in_use_is_kept_going_while_a_flow_stops(
    snapshot: Snapshot, spread: Spread, expected: type[Step] | Condition | Phase
) -> None:
    """The missing certificate is issued by the CA in use, unless the flow has more to do, or leads back."""
    found = decide(snapshot, changed_intent(RECONCILE, missing_leaves=Selection(), spread=spread))
    told = [*map(type, found.steps), *(one.condition for one in found.violations if found.stop)]
    assert (told or [found.stop and found.stop.after]) == [expected]


# Adopting and handing back.

GENERATED = Reconciliation(generated=True)
UPGRADE, DOWNGRADE = Intent(Goal.UPGRADE), Intent(Goal.DOWNGRADE)


def test_adopting_stops_the_operator_from_managing_the_ca_first() -> None:
    generated = cluster(ledger=None, reconciliation=GENERATED)
    assert decide(generated, UPGRADE).steps == (SetGenerated(generated=False, ca="cluster CA", phase=Phase.PREPARE),)


def test_adopting_then_writes_the_first_ledger_and_is_done() -> None:
    before = cluster(ledger=None)
    for state in (UNUSED, ALL):
        (written,) = decide(before, UPGRADE).steps
        assert isinstance(written, WriteLedger)
        assert written.ledger == ledger(entry(OLD, state, {0}))
        before = replace(before, ledger=written.ledger)
    assert decide(before, UPGRADE) == Decision(done=True)


def test_an_adoption_with_unknown_evidence_is_held_before_its_first_write() -> None:
    """The operator goes on managing a CA where it is unknown which pods present its leaves."""
    adopted = cluster(ledger=ledger(entry(OLD, UNUSED, {0})), pods=(a_pod(generation=None), *pods(names=PODS[1:])))
    held = decide(adopted, UPGRADE).violations
    assert [one.condition for one in held] == [Condition.EVIDENCE]
    assert decide(replace(adopted, ledger=None, reconciliation=GENERATED), UPGRADE) == Decision(violations=held)


def test_handed_back_the_books_are_not_kept_any_more() -> None:
    """They go; what the operator does with its CA is no transition of ours."""
    given = cluster(ledger=ledger(entry(OLD, UNUSED)), reconciliation=GENERATED)
    assert decide(given, DOWNGRADE) == Decision(steps=(DeleteLedger(),))
    assert decide(replace(given, ledger=None), DOWNGRADE) == Decision(done=True)


def test_handed_back_the_operator_is_not_left_paused_by_us() -> None:
    paused = cluster(ledger=None, reconciliation=replace(PAUSED, generated=True))
    assert decide(paused, DOWNGRADE).steps == (Resume(phase=Phase.USE),)


@pytest.mark.parametrize("goal", sorted(set(Goal) - {Goal.UPGRADE, Goal.DOWNGRADE, Goal.RECOVER}))
def test_only_handing_back_gives_up_the_books(goal: Goal) -> None:
    """Also where no precondition holds the other goals before."""
    given = cluster(ledger=ledger(entry(OLD, UNUSED)), reconciliation=GENERATED)
    found = decide(given, Intent(goal), replace(ENGINE, preconditions=()))
    assert [type(step) for step in found.steps] == [WriteLedger]


def test_records_about_a_ca_that_stays_with_its_user_are_complete_before_they_go() -> None:
    keeping = changed_intent(DOWNGRADE, keeps_authority=True)
    kept = linked.SETTLED
    assert [type(step) for step in decide(kept, keeping).steps] == [RemoveMarks, DeleteLedger]
    behind = replace(kept, ledger=ledger(entry(OLD, ALL, {0})))
    assert [type(step) for step in decide(behind, keeping).steps] == [WriteLedger]
    assert decide(replace(kept, ledger=None), keeping) == Decision(done=True)


@pytest.mark.parametrize("snapshot", [cluster(), cluster(reconciliation=GENERATED)], ids=["managed", "generated"])
def test_handing_back_can_be_left_half_way(snapshot: Snapshot, golden: GoldenFiles) -> None:
    decision = decide(snapshot, changed_intent(DOWNGRADE, last_phase=Phase.USE))
    (left,) = decision.pending
    assert decision == Decision(done=True, pending=(left,))
    golden.compare_said("steps", left, golden.row)


# Restarts that a reload would spare.

BLOCKED = InPlaceObstacles(reload="a permission is missing.")
NOT_PATIENT = "Remove this obstacle, or have the nodes restarted: spread=auto, with retire=now or when_needed."
OLD_NAME, NEW_NAME = named(OLD.certificate), named(NEW.certificate)
AVOIDABLE = {
    "linked ALONE": f"Nodes are restarted when the operator is switched to {NEW_NAME}: {BLOCKED.reload}",
    "linked REMOVED": f"Nodes are restarted to forget {OLD_NAME}: {BLOCKED.reload}",
    "renewal TRUSTED": f"Nodes are restarted when the operator is switched to {named(RENEWED.certificate)}: {BLOCKED.reload}",
    "renewal RESUMED": f"Nodes are restarted with their renewed certificates: {BLOCKED.reload}",
}


def refused(asked: str, why: str) -> tuple[Violation, ...]:
    return (Violation(Condition.IN_PLACE, "Kafka kafka/demo", f"{asked} forbids this. {why}", NOT_PATIENT),)


@pytest.mark.parametrize(("stage", "why"), AVOIDABLE.items())
def test_spread_reload_holds_the_flow_where_nodes_cannot_reload(stage: str, why: str) -> None:
    """Before the pause that the restarts would begin with."""
    snapshot, intent = FLOWS[stage]
    blocked = changed(snapshot, in_place_obstacles=BLOCKED)
    assert decide(blocked, changed_intent(intent, spread=Spread.RELOAD)) == Decision(
        violations=refused("spread=reload", why)
    )
    for spread in (Spread.AUTO, Spread.RESTART):
        assert decide(blocked, changed_intent(intent, spread=spread)).steps


@pytest.mark.parametrize("stage", AVOIDABLE)
def test_a_run_that_has_not_looked_is_not_held(stage: str) -> None:
    """Otherwise no run would ever look."""
    snapshot, intent = FLOWS[stage]
    for seen in (InPlaceObstacles(), None):
        assert decide(changed(snapshot, in_place_obstacles=seen), changed_intent(intent, spread=Spread.RELOAD)).steps


@pytest.mark.parametrize(
    ("in_place", "spread", "why"),
    [
        pytest.param(BLOCKED, Spread.AUTO, BLOCKED.reload, id="they cannot"),
        pytest.param(None, Spread.RESTART, "spread=restart asks for it.", id="they shall not: the run need not look"),
        pytest.param(None, Spread.AUTO, "", id="the run has not looked"),
    ],
)
def test_a_flow_that_is_to_wait_for_restarts_is_held_where_nodes_would_restart(
    in_place: InPlaceObstacles | None, spread: Spread, why: str
) -> None:
    found = decide(changed(patient.AGREED, in_place_obstacles=in_place), changed_intent(REPLACE_KEY, spread=spread))
    told = f"Nodes are restarted to take up {NEW_NAME}: {why}"
    assert found.violations == (refused(f"retire={patient.RETIRE_BY:%Y-%m-%dT%H:%M:%SZ}", told) if why else ())
    assert bool(found.steps) is not bool(why)


def retiring(retire: Retire, snapshot: Snapshot) -> Snapshot:
    books = snapshot.ledger_or_empty
    assert books.journal is not None
    return replace(snapshot, ledger=replace(books, journal=replace(books.journal, retire=retire)))


#: The stages at which a call does more than record what it sees.
ACTING = [
    name
    for name, snapshot in patient.STAGES.items()
    if not any(isinstance(step, WriteLedger) for step in decide(snapshot, REPLACE_KEY).steps)
]


@pytest.mark.parametrize("stage", sorted({*ACTING} - {"HALTED"}))
@pytest.mark.parametrize("in_place", [None, InPlaceObstacles()])
def test_nodes_that_restart_when_needed_wait_as_long_as_they_can_reload(
    stage: str, in_place: InPlaceObstacles | None
) -> None:
    """A run that has not looked knows of no obstacle."""
    seen = changed(patient.STAGES[stage], in_place_obstacles=in_place)
    found = [decide(retiring(retire, seen), REPLACE_KEY) for retire in (Retire.WHEN_NEEDED, Retire.WHEN_RESTARTED)]
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("stage", "goes_on"), [("AGREED", False), ("IN_USE", True), ("WAITING", True), ("HALF_WAITING", True)]
)
@pytest.mark.parametrize(
    ("obstacles", "spread"),
    [
        (BLOCKED, Spread.AUTO),
        (InPlaceObstacles(stamps="they differ."), Spread.AUTO),
        (InPlaceObstacles(), Spread.RESTART),
        (None, Spread.RESTART),
    ],
)
def test_nodes_that_cannot_reload_restart_until_they_have_taken_the_next_ca_up(
    stage: str, goes_on: bool, obstacles: InPlaceObstacles | None, spread: Spread
) -> None:
    """Then they go on as if they were to wait."""
    seen, intent = (
        changed(patient.STAGES[stage], in_place_obstacles=obstacles),
        changed_intent(REPLACE_KEY, spread=spread),
    )
    needed, now, later = (
        decide(retiring(retire, seen), intent) for retire in (Retire.WHEN_NEEDED, Retire.NOW, Retire.WHEN_RESTARTED)
    )
    assert needed == (later if goes_on else now)
    assert not needed.violations


@pytest.mark.parametrize(
    ("intent", "retire", "asked"),
    [
        (REPLACE_KEY, Retire.WHEN_RESTARTED, "retire=when_restarted"),
        (REPLACE_KEY, Retire.NOW, ""),
        (REPLACE_KEY, Retire.WHEN_NEEDED, ""),
        (Intent(Goal.RENEW), Retire.WHEN_RESTARTED, ""),
    ],
)
def test_the_renewal_before_a_patient_replacement_restarts_no_node_either(
    intent: Intent, retire: Retire, asked: str
) -> None:
    snapshot, _intent = FLOWS["renewal TRUSTED"]
    books = snapshot.ledger_or_empty
    assert books.journal is not None
    journal = replace(books.journal, retire=retire, options=FlowOptions(precedes_replacement=intent is REPLACE_KEY))
    begun = replace(snapshot, ledger=replace(books, journal=journal))
    found = decide(changed(begun, in_place_obstacles=BLOCKED), intent)
    assert found.violations == (refused(asked, AVOIDABLE["renewal TRUSTED"]) if asked else ())
    assert bool(found.steps) is not bool(asked)


def test_a_pause_ends_where_its_work_is_held() -> None:
    paused, asked = (
        changed(linked.HALTED, in_place_obstacles=BLOCKED),
        changed_intent(REPLACE_KEY, spread=Spread.RELOAD),
    )
    ended = decide(paused, asked)
    assert (ended.steps, ended.violations) == ((Resume(phase=Phase.USE),), ())
    held = decide(replace(paused, reconciliation=Reconciliation()), asked)
    assert (held.steps, held.violations) == ((), refused("spread=reload", AVOIDABLE["linked ALONE"]))


# The engine.

#: Every pod trusts the root; an intermediate CA validates with its chain, and not alone.
BELOW = chain_of(INTERMEDIATE, ROOT)
BELOW_ROOT = cluster(
    ca=secrets(ROOT, prepared=(PreparedAuthority(BELOW, INTERMEDIATE.certificate.public_key_sha256),), other_entries=others(INTERMEDIATE)),
    ledger=ledger(
        entry(ROOT, PHASE_OUT, {0}), entry(BELOW, ALL, awaited_pods=uids_of(), published_at=NOW - HOUR),
        journal=a_journal(old=ROOT, new=INTERMEDIATE),
    ),
    leaves=(*leaves(INTERMEDIATE), a_leaf(linked.OWN, ROOT, component=Component.CLUSTER_OPERATOR)),
)  # fmt: skip
STRANGER = OutsideClient("Secret kafka/app", chain_of(OLD))


@pytest.mark.parametrize(
    ("gate", "snapshot", "done_instead"),
    [
        ("trust", changed(unlinked.TRUSTED, outside_clients=(STRANGER,)), Pause),
        ("alone", BELOW_ROOT, IssueLeaves),
        ("removal", changed(unlinked.PHASED_OUT, leaves=(*leaves(NEW, 1), a_leaf("late", generation=1))), Pause),
    ],
)
def test_a_gate_that_is_left_open_lets_through_what_it_holds(
    gate: str, snapshot: Snapshot, done_instead: type[Step]
) -> None:
    assert not any(isinstance(step, done_instead) for step in decide(snapshot, REPLACE_KEY).steps)
    assert [type(step) for step in decide(snapshot, REPLACE_KEY, leaving_open(gate)).steps] == [done_instead]


def test_without_preconditions_nothing_is_asked_first() -> None:
    ill = cluster(pods=(a_pod(ready=False),))
    assert decide(ill, REPLACE_KEY).violations
    assert decide(ill, REPLACE_KEY, replace(ENGINE, preconditions=())).violations == ()


# A cluster without pods shows nothing: a flow that was begun is not at its end (I5, I10).

ABORT = Intent(Goal.ABORT)
BEGUN = {
    **{stage: snapshot for stage, (snapshot, _intent) in FLOWS.items() if in_flight(snapshot.ledger)},
    **{f"users {stage}": snapshot for stage, snapshot in of_users.STAGES.items()},
}


def books_kept(snapshot: Snapshot, intent: Intent) -> Snapshot:
    while (kept := update_ledger(snapshot, intent, GATES)[0]) != snapshot.ledger:
        snapshot = replace(snapshot, ledger=kept)
    return snapshot


def decided(stage: str, intent: Intent) -> Decision:
    return decide(books_kept(changed(BEGUN[stage], pods=()), intent), intent)


@pytest.mark.parametrize("intent", [RECONCILE, REPLACE_KEY, ABORT], ids=lambda one: one.goal.value)
@pytest.mark.parametrize("stage", BEGUN)
def test_a_flow_that_was_begun_is_never_done(stage: str, intent: Intent) -> None:
    decision = decided(stage, intent)
    assert not decision.done
    assert decision.steps or decision.violations


@pytest.mark.parametrize("stage", ["users published", "users switched", "users issued"])
def test_a_flow_without_verifying_pods_is_held_with_a_sentence(stage: str, golden: GoldenFiles) -> None:
    (violation,) = decided(stage, RECONCILE).violations
    golden.compare_said("stops_in_rules", violation)


def test_a_flow_that_only_prepares_a_ca_needs_no_verifying_pods() -> None:
    decision = decided("users published", changed_intent(RECONCILE, last_phase=Phase.PREPARE))
    assert (decision.done, decision.violations) == (True, ())


@pytest.mark.parametrize("stage", ["linked FINISHED", "unlinked FINISHED", "renewal FINISHED"])
def test_a_finished_flow_stays_done_without_pods(stage: str) -> None:
    finished, _intent = FLOWS[stage]
    decision = decide(books_kept(changed(finished, pods=(), leaves=()), RECONCILE), RECONCILE)
    assert (decision.done, decision.violations) == (True, ())


def restarting(*pods_: str) -> Engine:
    """Nothing but the restart of these pods comes next."""
    roll = Roll(reason=RollReason.TRUST, uids=uids_of(*pods_), authority=None, phase=Phase.TRUST)
    return replace(ENGINE, preconditions=(), rules=(lambda at: (roll,),))


def test_no_pod_restarts_with_a_leaf_that_it_could_not_use() -> None:
    """Whichever rule asks for the restart."""
    spoilt = changed(cluster(), leaves=(a_leaf(PODS[0], THIRD), *map(a_leaf, PODS[1:])))
    ledger_, _taken = update_ledger(spoilt, RECONCILE, GATES)
    seen = replace(spoilt, ledger=ledger_)
    held = decide(seen, RECONCILE, restarting(PODS[0]))
    assert [step for step in held.steps if isinstance(step, Roll)] == []
    assert [(one.condition, one.subject) for one in held.violations] == [
        (Condition.LEAVES_ARE_OURS, f"Secret kafka/{PODS[0]}")
    ]
    (other,) = decide(seen, RECONCILE, restarting(PODS[1])).steps
    assert isinstance(other, Roll)


def test_no_pod_restarts_for_what_a_silent_node_may_answer() -> None:
    """Whichever rule asks for the restart: the call asks the node again, and then its silence holds the flow."""
    heard = answering(cluster(), accepting=names_of(OLD))
    first, *others_ = heard.nodes.listeners or ()
    silent = heard.with_nodes(
        listeners=(replace(first, presents=None, accepts=frozenset(), failure="timed out"), *others_)
    )
    engine = restarting(PODS[1])
    (roll,) = decide(heard, RECONCILE, engine).steps
    assert isinstance(roll, Roll)
    (wait,) = decide(silent, RECONCILE, engine).steps
    assert isinstance(wait, AwaitAnswers)
    assert wait.uids == {first.uid}
    waited = changed_intent(RECONCILE, silent_nodes=frozenset({first.uid}))
    held = decide(silent, waited, engine)
    assert (held.steps, {one.condition for one in held.violations}) == ((), {Condition.EVIDENCE})

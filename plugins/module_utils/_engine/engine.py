# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The engine: observe, decide, carry out, and see what follows (docs/design.md, "One pass").

A table gives the function that carries out each type of step. A call that fails ends its pauses where the operators
would see nothing half-way, and says which pauses stay.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial

from .._errors import (
    AlreadyExists,
    Conflict,
    KubeError,
    LeaseHeld,
    LinkUnavailable,
    NodesSilent,
    NotFound,
    ReloadImpossible,
    RestartsNotDue,
    StampsRefused,
    StepError,
)
from .._strimzi.apply.work import Work
from .._strimzi.cluster.observe import Observation
from .._strimzi.names import ClusterNames
from .._trust.decide import ENGINE, Engine, decide, decide_at_the_end
from .._trust.model.clients import UserName
from .._trust.model.decision import Decision, Step, Steps, Transition, Violation
from .._trust.model.goals import Goal, Phase
from .._trust.model.intent import Intent, Spread
from .._trust.model.ledger import Ledger
from .._trust.model.names import label_command
from .._trust.model.snapshot import Snapshot
from .._trust.model.steps.leaves import PauseReissue, ResumeReissue
from .._trust.model.steps.nodes import Pause, Resume
from .._trust.plan import Reached, respect_windows, to_the_end
from .._trust.rules.pause import resume_operators
from .course import Course, warn_of_owners
from .looking import decide_with_a_look, observe_cluster, remember_answers
from .outcome import AT_FIRST, IN_A_FLOW, IN_A_PAUSE, LateStandIns, Outcome, Patience, look


def carry_out(step: Step, observation: Observation, work: Work) -> None:
    """Carry out the step; in a dry run only record its actions. Raises StepError, KubeError."""
    # Imported with the first step: a call with nothing to do needs nothing that writes, issues or restarts.
    from .._issuing.issue import CARRY_OUT as LEAVES
    from .._rollout.roll import CARRY_OUT as UPTAKE
    from .._strimzi.apply.carry_out import CARRY_OUT as CLUSTER

    {**CLUSTER, **LEAVES, **UPTAKE}[type(step)](step, observation, work)


def limit(outcome: Outcome) -> timedelta:
    """How long failures of the API server are put up with at this point."""
    return IN_A_PAUSE if outcome.is_in_a_pause else IN_A_FLOW


def end_pauses(work: Work, intent: Intent, outcome: Outcome, engine: Engine, patience: Patience) -> None:
    """End the pauses that this run made before it fails, as long as it holds the Lease; say which of them stay."""
    stays, users, known = outcome.is_in_a_pause, _users_in_a_pause(outcome), False
    if outcome.has_begun:
        # The caller raises what came first, and a pause that is not known to be ended may be there.
        with suppress(Exception):
            try:
                ended = partial(_end_pauses, work, intent, engine, outcome.last_look)
                stays, users = patience.through_conflicts(ended, limit(outcome))
                known = True
            except LeaseHeld:
                # The pauses belong to the run which has taken the Lease over.
                stays, users = False, frozenset[UserName]()
    _report_pauses(work, stays, users, known)


def report_pauses(work: Work, outcome: Outcome) -> None:
    """Say which pauses a call leaves that ends without an error. Users that wait for their turn are none, unless something holds the flow."""
    held = bool(outcome.decision.violations)
    _report_pauses(work, outcome.is_in_a_pause, _paused_users(outcome.observation.snapshot) if held else frozenset())


def _report_pauses(work: Work, stays: bool, users: frozenset[UserName], known: bool = True) -> None:
    if not (stays or users):
        return
    # Imported only where a call leaves a pause.
    from .._strimzi.cluster.operator import describe_left_pause
    from .._strimzi.users.pausing import users_left_paused

    told = (describe_left_pause(work, known) if stays else "", users_left_paused(users, known))
    work.pause_left = " ".join(filter(None, told))


def _users_in_a_pause(outcome: Outcome) -> frozenset[UserName]:
    """The users that this collection has paused, as far as is known; and the users that it was about to pause when
    the call failed.
    """
    snapshot = outcome.observation.snapshot
    begun = (step.names for step in outcome.decision.steps if isinstance(step, PauseReissue))
    return _paused_users(snapshot).union(*map(snapshot.users_among, begun))


def _paused_users(snapshot: Snapshot) -> frozenset[UserName]:
    return frozenset(presenter.user for presenter in snapshot.presenters if presenter.user and presenter.pause.is_ours)


def _end_pauses(
    work: Work, intent: Intent, engine: Engine, earlier: Observation | None
) -> tuple[bool, frozenset[UserName]]:
    """Whether the operator stays paused, because it would find something half-way; and which users do. The next call continues unfinished
    steps. earlier: the last observation with answers of the nodes. Nodes that can read again without a restart are not left to the operator.
    """
    work.renew_lease()
    observation = remember_answers(observe_cluster(work), earlier)
    snapshot = observation.snapshot
    steps = resume_operators(snapshot)
    if snapshot.reconciliation.paused_by_us and not any(isinstance(step, Resume) for step in steps):
        # A flow may leave it to the operator to restart nodes.
        decided = decide(snapshot, intent, engine).steps
        steps = (*decided, *steps) if all(isinstance(step, Resume) for step in decided) else steps
    for step in steps:
        carry_out(step, observation, work)
    let_go = (step.names for step in steps if isinstance(step, ResumeReissue))
    stays = snapshot.reconciliation.paused_by_us and not any(isinstance(step, Resume) for step in steps)
    return stays, _paused_users(snapshot).difference(*map(snapshot.users_among, let_go))


def run(
    work: Work,
    intent: Intent,
    before_write: Callable[[], None],
    reached: Reached = to_the_end,
    engine: Engine = ENGINE,
) -> Outcome:
    """Carry out what leads to the goal, until it is reached or something holds it. ``before_write`` takes the Lease.

    A conflict means that what the decision was based on has changed: look again, decide again (I6). So does a failure of the API server that may
    pass. A call that fails ends its pauses where the operators find nothing half-way; else ``work.pause_left`` says that they stay paused.
    """
    patience = Patience(work)
    outcome = patience.through(lambda: look(work, intent, engine), AT_FIRST)
    patience.renew()
    work.first = outcome.before
    if outcome.replaces is not None:
        # The run is about this CA from here on, and ends when it is replaced.
        intent = intent.about(outcome.replaces)
    if work.dry_run:
        if steps := _choose_steps(work, intent, reached, outcome, engine):
            warn_of_owners(outcome, work)
            _record_decision(outcome, work, intent.goal)
            _carry_out_all(steps, outcome, work)
        return outcome
    try:
        _pass_until_done(work, intent, before_write, reached, outcome, engine, patience)
        _record_end(outcome, work, patience)
    except LeaseHeld:
        # A pause belongs to the run that holds the Lease.
        raise
    except BaseException:
        end_pauses(work, intent, outcome, engine, patience)
        raise
    report_pauses(work, outcome)
    return outcome


def _record_end(outcome: Outcome, work: Work, patience: Patience) -> None:
    """Back up the CA Secrets as the flow leaves them, and record its end in the audit trail."""
    if not outcome.has_begun:
        return
    # Another run has gone on, or a person has deleted the backup: the next run makes a backup of its own.
    with suppress(AlreadyExists, Conflict, NotFound):
        patience.through(partial(_keep_backup, outcome, work, Phase.RETIRE), limit(outcome))
    if work.trail is not None:
        patience.through(partial(work.trail.record_end, outcome.decision), limit(outcome))


def _pass_until_done(
    work: Work,
    intent: Intent,
    before_write: Callable[[], None],
    reached: Reached,
    outcome: Outcome,
    engine: Engine,
    patience: Patience,
) -> None:
    taken: set[str] = set()
    course = Course(work, intent, outcome, reached)
    warn_of_owners(outcome, work)
    while True:
        patience.through(partial(course.find_losses, outcome.observation), limit(outcome))
        steps = _choose_steps(work, intent, reached, outcome, engine)
        if not steps:
            return
        intent = _with_restarts_where_they_began(steps, work, intent)
        if obstacles := course.obstacles(outcome.observation, intent, steps):
            _end_call(obstacles, work, intent, outcome, engine, patience)
            return
        in_doubt: tuple[Transition, ...] = ()
        done = len(work.actions)
        try:
            _hold_the_lease(steps, outcome, work, before_write)
            intent = _carry_out_until_interrupted(steps, outcome, work, intent, taken, course)
            patience.renew()
        except KubeError as error:
            # The state may have changed since the decision, also by the write that has failed.
            in_doubt = outcome.decision.transitions
            course.failed()
            if len(work.actions) > done:
                patience.renew()
            patience.wait(error, limit(outcome))
        except StepError as error:
            # A wait is in vain where another writer has taken away what it waits for the effect of.
            lost = course.failure(error) if outcome.has_begun else None
            if lost is None:
                raise
            _end_call((lost,), work, intent, outcome, engine, patience)
            return
        earlier = None if any(step.changes_what_nodes_say for step in steps) else outcome.last_look
        outcome.go_on(*patience.through(partial(_look_again, work, intent, engine, earlier), limit(outcome)))
        outcome.transitions += [
            transition for transition in in_doubt if _is_taken(transition, outcome.observation.snapshot)
        ]


def _choose_steps(work: Work, intent: Intent, reached: Reached, outcome: Outcome, engine: Engine) -> Steps:
    """The steps that come next in this call, of the decision as the outcome has it after this. None where pods would restart outside a window; and where the
    call has reached its aim, none but the operator's verdict.
    """
    snapshot, stand_ins = outcome.observation.snapshot, LateStandIns(outcome.observation, work)
    outcome.decision = respect_windows(outcome.decision, snapshot, intent, stand_ins, engine)
    if not (outcome.decision.steps and reached(snapshot)) or snapshot.reconciliation.paused_by_us:
        return outcome.decision.steps
    last = decide_at_the_end(snapshot, intent, engine)
    if last.steps:
        outcome.decision = last
    else:
        outcome.decision = replace(outcome.decision, violations=(*outcome.decision.violations, *last.violations))
    return last.steps


def _end_call(
    obstacles: tuple[Violation, ...], work: Work, intent: Intent, outcome: Outcome, engine: Engine, patience: Patience
) -> None:
    """End the call here, and its pause as after a failure: nothing else is begun."""
    left = tuple(step.describe_as_left() for step in outcome.decision.steps)
    end_pauses(work, intent, outcome, engine, patience)
    seen = patience.through(partial(observe_cluster, work), limit(outcome))
    outcome.go_on(seen, Decision(violations=obstacles, pending=left))


def _is_taken(transition: Transition, snapshot: Snapshot) -> bool:
    """Whether the ledger holds it: it was written, and the answer was lost."""
    entry = (snapshot.ledger or Ledger()).find(transition.fingerprint)
    return (entry.state if entry else None) is transition.after


def _look_again(
    work: Work, intent: Intent, engine: Engine, earlier: Observation | None
) -> tuple[Observation, Decision]:
    return decide_with_a_look(work, intent, observe_cluster(work), engine, earlier)


def _hold_the_lease(steps: Steps, outcome: Outcome, work: Work, before_write: Callable[[], None]) -> None:
    if all(step.releases_lease for step in steps):
        # From here on this run has no Lease: if it fails, it must not end a pause, which may be of another run.
        outcome.has_begun = False
        work.written.forget()
        work.release_lease()
    else:
        before_write()
        outcome.has_begun = True


def _record_decision(outcome: Outcome, work: Work, goal: Goal) -> None:
    """Record the decision, and back up what its steps may change, before they do. A call that only waits changes nothing."""
    steps = outcome.decision.steps
    if all(step.only_waits or step.releases_lease for step in steps):
        return
    if work.settings.audits and not work.dry_run:
        # Imported with the first write: a call with nothing to do needs nothing that writes.
        from .._strimzi.apply.audit import trail_of

        trail_of(work).record_decision(outcome.decision, goal, outcome.observation)
    _keep_backup(outcome, work, steps[0].phase)


def _keep_backup(outcome: Outcome, work: Work, phase: Phase) -> None:
    if work.settings.backs_up:
        # Imported with the first write: a call with nothing to do needs nothing that writes.
        from .._strimzi.apply.backup import keep_backup

        keep_backup(outcome.observation, work, phase.value)


def _carry_out_until_interrupted(
    steps: Steps, outcome: Outcome, work: Work, intent: Intent, taken: set[str], course: Course
) -> Intent:
    """Carry out the steps until something comes in between. The intent for the rest of the call, without what has turned out to be
    impossible. taken: errors about objects that were there already; the call adds this error.
    """
    try:
        _record_decision(outcome, work, intent.goal)
        _carry_out_all(steps, outcome, work)
    except AlreadyExists as error:
        # Of another run it would have been seen by now.
        if str(error) in taken:
            intent = _without_user(error, outcome.observation.snapshot, intent, work.scope)
        taken.add(str(error))
        course.note_conflict()
        work.renew_lease()
    except (Conflict, NotFound, RestartsNotDue):
        # The state has changed since the decision; nothing was overwritten.
        course.note_conflict()
        work.renew_lease()
    except LinkUnavailable as error:
        # Nothing was written yet, and the way without it is always there.
        course.note_conflict()
        work.warnings.append(
            f"{error} The CA is replaced without a link certificate, with one restart more of each node. For the next time: "
            f"{error.remedy}"
        )
        return replace(intent, issuing=replace(intent.issuing, link_issuer=None))
    except NodesSilent as error:
        return replace(
            intent, obstacles=replace(intent.obstacles, silent_nodes=intent.obstacles.silent_nodes | error.uids)
        )
    except ReloadImpossible as error:
        if intent.pace.spread is Spread.RELOAD:
            raise
        course.note_conflict()
        work.warnings.append(f"{error} They are restarted instead.")
        unstamped = intent.obstacles.annotation_refused or isinstance(error, StampsRefused)
        return replace(_with_restarts(intent), obstacles=replace(intent.obstacles, annotation_refused=unstamped))
    return intent


def _without_user(error: AlreadyExists, snapshot: Snapshot, intent: Intent, scope: ClusterNames) -> Intent:
    """The intent for the rest of the call, which serves all users except the user whose Secret cannot be created.
    Raises StepError where the Secret belongs to no user.
    """
    name = error.attempt.name
    if name is None or name not in snapshot.user_leaves.keys() - intent.obstacles.taken_names:
        labels = [f"{label}={value}" for label, value in scope.labels.items()]
        command = label_command(error.attempt.kind.lower(), str(name), str(error.attempt.namespace), labels)
        raise StepError(
            error.object,
            error.cause,
            "An object of this name is there, without the labels or the annotation of what this collection has made; nothing of it was read or changed. "
            f"Where it was made here and has lost its labels, put them back: {command}; else move it out of the way.",
        ) from None
    return replace(intent, obstacles=replace(intent.obstacles, taken_names=intent.obstacles.taken_names | {name}))


def _with_restarts_where_they_began(steps: Steps, work: Work, intent: Intent) -> Intent:
    """The intent for the rest of the call. A call that has restarted nodes instead of reloading them stays with
    restarts, and warns why.
    """
    why = next((step.avoidable_restart for step in steps if step.avoidable_restart), "")
    if not why or intent.pace.spread is not Spread.AUTO:
        return intent
    work.warnings.append(why)
    return _with_restarts(intent)


def _with_restarts(intent: Intent) -> Intent:
    return replace(intent, pace=replace(intent.pace, spread=Spread.RESTART))


def _carry_out_all(steps: Steps, outcome: Outcome, work: Work) -> None:
    if not work.dry_run:
        outcome.pauses = any(isinstance(step, Pause) for step in steps)
    for step in steps:
        sentence = step.sentence()
        work.begin(sentence)
        if step.is_announced and not work.dry_run:
            work.tell(sentence)
        carry_out(step, outcome.observation, work)
    outcome.transitions += outcome.decision.transitions

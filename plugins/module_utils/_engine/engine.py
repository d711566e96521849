# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The engine: observe, decide, carry out, and see what follows (docs/calls.md, "One pass").

A table gives the function that carries out each type of step. A call that fails ends its pauses if the operators
would see nothing half-way, and says which pauses stay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from typing import TypeVar

from .._errors import (
    AlreadyExists,
    Attempted,
    Conflict,
    KubeError,
    LeaseTaken,
    LinkUnavailable,
    NodesSilent,
    NotFound,
    ReloadImpossible,
    RestartsNotDue,
    StampsRefused,
    StepError,
)
from .._kube.resources import SECRETS
from .._strimzi.apply.work import Action, Target, Work
from .._strimzi.cluster.observe import Observation
from .._strimzi.names import ClusterNames
from .._trust.decide import ENGINE, Engine, decide, decide_at_the_end
from .._trust.model.clients import UserName
from .._trust.model.decision import Decision, Step, Steps, Transition, Violation
from .._trust.model.goals import Phase
from .._trust.model.intent import Intent, Spread
from .._trust.model.names import label_command
from .._trust.model.snapshot import NodeAnswers, Snapshot
from .._trust.model.steps.leaves import PauseReissue, ResumeReissue
from .._trust.model.steps.nodes import Pause, Resume
from .._trust.plan import Reached, respect_windows, to_the_end
from .._trust.preconditions.absence import name_is_taken
from .._trust.preconditions.deeds import issues
from .._trust.rules.pause import resume_operators
from .course import Course, warn_of_owners
from .looking import LateStandIns, await_operator, decide_with_a_look, observe_cluster, remember_answers
from .outcome import AT_FIRST, IN_A_FLOW, IN_A_PAUSE, CallOutcome, Patience, look

T = TypeVar("T")


def carry_out(step: Step, observation: Observation, work: Work) -> None:
    """Carry out the step; in a dry run only record its actions. Raises StepError, KubeError."""
    # Imported with the first step: a call with nothing to do needs nothing that writes, issues or restarts.
    from .._issuing.issue import CARRY_OUT as LEAVES
    from .._rollout.roll import CARRY_OUT as UPTAKE
    from .._strimzi.apply.carry_out import CARRY_OUT as CLUSTER

    {**CLUSTER, **LEAVES, **UPTAKE}[type(step)](step, observation, work)


def run(
    work: Work,
    intent: Intent,
    before_write: Callable[[], None],
    reached: Reached = to_the_end,
    engine: Engine = ENGINE,
) -> CallOutcome:
    """Carry out what leads to the goal, until it is reached or something holds it. ``before_write`` takes the Lease.

    A conflict means that what the decision was based on has changed: look again, decide again (I6). So does a failure
    of the API server that may pass. A call that fails ends its pauses if the operators find nothing half-way; else
    ``work.left_behind`` says that they stay paused.
    """
    patience = Patience(work)
    outcome = await_operator(
        lambda: patience.through(lambda: look(work, intent, engine), AT_FIRST),
        lambda seen: seen.decision.violations,
        work,
    )
    patience.renew()
    work.first = outcome.before
    _warn_of_unsearched(outcome.before.snapshot, intent, work)
    if outcome.replaces is not None:
        # The run is about this CA from here on, and ends when it is replaced.
        intent = intent.about(outcome.replaces)
    started = _Run(work, intent, engine, before_write, reached, patience, outcome)
    if work.dry_run:
        started.predict_steps()
    else:
        started.take_all_passes()
    return outcome


def _warn_of_unsearched(snapshot: Snapshot, intent: Intent, work: Work) -> None:
    """Warn of users that the call cannot look for, if it begins a flow in which each user gets another certificate."""
    if snapshot.users is not None and snapshot.users.unsearched and issues(snapshot, intent):
        work.warnings.append(snapshot.users.unsearched)


@dataclass(repr=False)
class _Run:
    """A run of a call from its first look on."""

    #: The clients, settings and records with which the run carries out steps.
    work: Work
    #: The intent of the call, without the ways that this run has found to be impossible.
    intent: Intent
    #: The preconditions, gates and rules by which the run decides.
    engine: Engine
    #: Takes the Lease.
    before_write: Callable[[], None]
    #: Whether the cluster is in the state that the task names.
    reached: Reached
    #: How long failures of the API server are put up with.
    patience: Patience
    #: The observations, decisions and actions of the run so far.
    outcome: CallOutcome
    #: The attempts to create objects that exist already. If the same attempt fails a second time, another program owns
    #: the object.
    conflicts_seen: set[Attempted] = field(default_factory=set)
    #: Whether the run has looked for objects of other owners under the names that it may give.
    has_looked_for_names: bool = False

    @property
    def _time_to_retry(self) -> timedelta:
        """How long failures of the API server are put up with at this point."""
        return IN_A_PAUSE if self.outcome.is_in_a_pause else IN_A_FLOW

    def _try(self, act: Callable[[], T]) -> T:
        return self.patience.through(act, self._time_to_retry)

    def predict_steps(self) -> None:
        if steps := self._choose_steps():
            if taken := self._find_taken_names(steps):
                left = tuple(step.describe_as_left() for step in self.outcome.decision.steps)
                self.outcome.decision = Decision(violations=taken, pending=left)
                return
            warn_of_owners(self.outcome, self.work)
            self._record_decision()
            self._carry_out_all(steps)

    def take_all_passes(self) -> None:
        try:
            self._take_passes()
            self._record_end()
        except LeaseTaken:
            # A pause belongs to the run that owns the Lease.
            raise
        except BaseException as error:
            if not (isinstance(error, KubeError) and error.is_transient):
                # The API server is there: the end of the pauses has a patience of its own.
                self.patience.renew()
            self._end_pauses()
            raise
        # A user that waits for its turn is not reported, unless something holds the flow.
        users = _paused_users(self.outcome.observation.snapshot) if self.outcome.decision.violations else frozenset()
        self._report_pauses(self.outcome.is_in_a_pause, users)

    def _take_passes(self) -> None:
        outcome = self.outcome
        course = Course(self.work, self.intent, outcome, self.reached)
        warn_of_owners(outcome, self.work)
        try:
            self._take_each_pass(course)
        except StepError as error:
            # A wait is in vain if another writer has undone the change whose effect it waits for. So is a step that
            # needs what is gone.
            lost = course.failure(error) if outcome.has_begun else None
            if lost is None:
                raise
            self._end_early((lost,))
        outcome.shared_count = course.shared_count

    def _take_each_pass(self, course: Course) -> None:
        outcome, work = self.outcome, self.work
        while True:
            self._try(partial(course.find_losses, outcome.observation))
            steps = self._choose_steps()
            if not steps:
                outcome.decision = course.explain(outcome.decision)
                return
            self._stay_with_restarts(steps)
            if obstacles := course.obstacles(outcome.observation, self.intent, steps) or self._find_taken_names(steps):
                self._end_early(obstacles)
                return
            in_doubt: tuple[Transition, ...] = ()
            done = len(work.actions)
            try:
                self._take_or_release_lease(steps)
                self._carry_out_until_interrupted(steps, course)
                self.patience.renew()
            except KubeError as error:
                # The state may have changed since the decision, also by the write that has failed.
                in_doubt = outcome.decision.transitions
                course.failed()
                if _has_new_actions(work.actions, done):
                    self.patience.renew()
                self.patience.wait(error, self._time_to_retry)
            earlier = None if any(step.changes_what_nodes_say for step in steps) else outcome.last_answers
            outcome.go_on(*self._try(partial(self._look_again, earlier)))
            outcome.note_refusing_clients(self.intent)
            outcome.transitions += [
                transition for transition in in_doubt if _is_taken(transition, outcome.observation.snapshot)
            ]

    def _find_taken_names(self, steps: Steps) -> tuple[Violation, ...]:
        """The names of objects that this run may create and that objects of other owners have; looked for once, before
        the first write. A pause comes to its end first.
        """
        observation = self.outcome.observation
        only_waits = all(step.only_waits or step.releases_lease for step in steps)
        if self.has_looked_for_names or only_waits or observation.snapshot.reconciliation.pause.is_ours:
            return ()
        self.has_looked_for_names = True
        # Imported with the first write: a call with nothing to do needs nothing that writes.
        from .._strimzi.apply.free_names import find_taken_names

        return tuple(map(name_is_taken, self._try(partial(find_taken_names, observation, self.intent, self.work))))

    def _look_again(self, earlier: NodeAnswers | None) -> tuple[Observation, Decision]:
        return await_operator(
            lambda: decide_with_a_look(self.work, self.intent, observe_cluster(self.work), self.engine, earlier),
            lambda look_and_decision: look_and_decision[1].violations,
            self.work,
        )

    def _choose_steps(self) -> Steps:
        """Choose the next steps of this call, and set the outcome's decision to the decision that they belong to.
        Outside a maintenance window no step restarts pods. If the cluster is in the state that the task names, the
        steps of ``decide_at_the_end`` alone are left.
        """
        outcome, snapshot = self.outcome, self.outcome.observation.snapshot
        stand_ins = LateStandIns(outcome.observation, self.work)
        outcome.decision = respect_windows(outcome.decision, snapshot, self.intent, stand_ins, self.engine)
        if not (outcome.decision.steps and self.reached(snapshot)) or snapshot.reconciliation.pause.is_ours:
            return outcome.decision.steps
        last = decide_at_the_end(snapshot, self.intent, self.engine)
        if last.steps:
            outcome.decision = last
        else:
            outcome.decision = replace(outcome.decision, violations=(*outcome.decision.violations, *last.violations))
        return last.steps

    def _take_or_release_lease(self, steps: Steps) -> None:
        if all(step.releases_lease for step in steps):
            # From here on this run has no Lease: if it fails, it must not end a pause, which may be of another run.
            self.outcome.has_begun = False
            self.work.written.forget()
            self.work.release_lease()
        else:
            self.before_write()
            self.outcome.has_begun = True

    def _carry_out_until_interrupted(self, steps: Steps, course: Course) -> None:
        """Carry out the steps until something comes in between, and give up the ways that turn out to be impossible."""
        intent, work = self.intent, self.work
        try:
            self._record_decision()
            self._carry_out_all(steps)
        except AlreadyExists as error:
            owner = _refuse_taken(error, self.outcome.observation, work)
            # An object of another run would have been seen by now.
            if error.attempt in self.conflicts_seen:
                self.intent = _without_user(error, owner, self.outcome.observation.snapshot, intent, work.scope)
            self.conflicts_seen.add(error.attempt)
            course.note_conflict()
            work.renew_lease()
        except (Conflict, NotFound, RestartsNotDue):
            # The state has changed since the decision; nothing was overwritten.
            course.note_conflict()
            work.renew_lease()
        except LinkUnavailable as error:
            # Nothing was written yet, and the way without a link certificate is always there.
            course.note_conflict()
            work.warnings.append(
                f"{error} The CA is replaced without a link certificate, with one restart more of each node. For the "
                f"next time: {error.remedy}"
            )
            self.intent = replace(intent, issuing=replace(intent.issuing, link_issuer=None))
        except NodesSilent as error:
            self.intent = replace(
                intent, obstacles=replace(intent.obstacles, silent_nodes=intent.obstacles.silent_nodes | error.uids)
            )
        except ReloadImpossible as error:
            if intent.pace.spread is Spread.RELOAD:
                raise
            course.note_conflict()
            work.warnings.append(f"{error} They are restarted instead.")
            unstamped = intent.obstacles.annotation_refused or isinstance(error, StampsRefused)
            self.intent = replace(
                _with_restarts(intent), obstacles=replace(intent.obstacles, annotation_refused=unstamped)
            )

    def _carry_out_all(self, steps: Steps) -> None:
        outcome, work = self.outcome, self.work
        if not work.dry_run:
            outcome.pauses = any(isinstance(step, Pause) for step in steps)
        for step in steps:
            sentence = step.sentence()
            is_shown = step.is_announced and not work.dry_run
            work.display.begin(sentence, step.awaited, is_shown)
            if is_shown:
                work.tell(sentence)
            carry_out(step, outcome.observation, work)
        outcome.transitions += outcome.decision.transitions

    def _stay_with_restarts(self, steps: Steps) -> None:
        """A call that has restarted nodes instead of reloading them stays with restarts, and warns why."""
        why = next((step.avoidable_restart for step in steps if step.avoidable_restart), "")
        if why and self.intent.pace.spread is Spread.AUTO:
            self.work.warnings.append(why)
            self.intent = _with_restarts(self.intent)

    def _record_decision(self) -> None:
        """Record the decision, and back up what its steps may change, before they do. A call that only waits changes
        nothing.
        """
        steps = self.outcome.decision.steps
        if all(step.only_waits or step.releases_lease for step in steps):
            return
        if self.work.wishes.records.audits and not self.work.dry_run:
            # Imported with the first write: a call with nothing to do needs nothing that writes.
            from .._strimzi.apply.audit import AuditTrail

            trail = AuditTrail(self.work)
            trail.record_decision(self.outcome.decision, self.intent.goal, self.outcome.observation)
        self._keep_backup(steps[0].phase)

    def _record_end(self) -> None:
        """Back up the CA Secrets as the flow leaves them, and record its end in the audit trail."""
        if not self.outcome.has_begun:
            return
        # Another run has gone on, or a person has deleted the backup: the next run makes a backup of its own.
        with suppress(AlreadyExists, Conflict, NotFound):
            self._try(partial(self._keep_backup, Phase.RETIRE))
        if self.work.trail is not None:
            from .._strimzi.apply.audit import AuditTrail

            self._try(partial(AuditTrail(self.work).record_end, self.outcome.decision))

    def _keep_backup(self, phase: Phase) -> None:
        if self.work.wishes.records.backs_up:
            # Imported with the first write: a call with nothing to do needs nothing that writes.
            from .._strimzi.apply.backup import keep_backup

            keep_backup(self.outcome.observation, self.work, phase.value)

    def _end_early(self, obstacles: tuple[Violation, ...]) -> None:
        """End the call here, and its pause as after a failure: nothing else is begun."""
        left = tuple(step.describe_as_left() for step in self.outcome.decision.steps)
        self.patience.renew()
        self._end_pauses()
        seen = self._try(partial(observe_cluster, self.work))
        self.outcome.go_on(seen, Decision(violations=obstacles, pending=left))

    def _end_pauses(self) -> None:
        """End the pauses that this run made before it fails, as long as it owns the Lease; say which of them stay."""
        stays, users, is_seen = self.outcome.is_in_a_pause, _users_in_a_pause(self.outcome), False
        if self.outcome.has_begun:
            # The caller raises the first error, and a pause that is not known to have ended may still be there.
            with suppress(Exception):
                try:
                    stays, users = self.patience.through_conflicts(self._resume_where_complete, self._time_to_retry)
                    is_seen = True
                except LeaseTaken:
                    # The pauses belong to the run which has taken the Lease over.
                    stays, users = False, frozenset[UserName]()
        self._report_pauses(stays, users, is_seen)

    def _resume_where_complete(self) -> tuple[bool, frozenset[UserName]]:
        """End the pauses after which the operators find nothing half-way. Return whether the Cluster Operator stays
        paused, and which users do. The next call continues unfinished steps. Nodes that can read again without a
        restart are not left to the operator.
        """
        self.work.renew_lease()
        observation = remember_answers(observe_cluster(self.work), self.outcome.last_answers)
        snapshot = observation.snapshot

        def stays(steps: Steps) -> bool:
            return snapshot.reconciliation.pause.is_ours and not any(isinstance(step, Resume) for step in steps)

        steps = resume_operators(snapshot)
        if stays(steps):
            # A flow may leave it to the operator to restart nodes.
            decided = decide(snapshot, self.intent, self.engine).steps
            steps = (*decided, *steps) if all(isinstance(step, Resume) for step in decided) else steps
        for step in steps:
            carry_out(step, observation, self.work)
        let_go = (step.names for step in steps if isinstance(step, ResumeReissue))
        return stays(steps), _paused_users(snapshot).difference(*map(snapshot.users_among, let_go))

    def _report_pauses(self, stays: bool, users: frozenset[UserName], is_seen: bool = True) -> None:
        """Report the pauses that the call leaves. ``is_seen`` says whether the call has seen that they stay."""
        if not (stays or users):
            return
        # Imported only if a call leaves a pause.
        from .._strimzi.apply.operator import describe_left_pause
        from .._strimzi.apply.user_pausing import users_left_paused

        pauses = (describe_left_pause(self.work, is_seen) if stays else "", users_left_paused(users, is_seen))
        self.work.left_behind = replace(self.work.left_behind, pauses=" ".join(filter(None, pauses)))


def _users_in_a_pause(outcome: CallOutcome) -> frozenset[UserName]:
    """The users that this collection has paused, as far as is known; and the users that it was about to pause when
    the call failed.
    """
    snapshot = outcome.observation.snapshot
    begun = (step.names for step in outcome.decision.steps if isinstance(step, PauseReissue))
    return _paused_users(snapshot).union(*map(snapshot.users_among, begun))


def _paused_users(snapshot: Snapshot) -> frozenset[UserName]:
    return frozenset(presenter.user for presenter in snapshot.presenters if presenter.user and presenter.pause.is_ours)


def _has_new_actions(actions: Sequence[Action], done: int) -> bool:
    """Whether this pass has recorded an action that no earlier pass has. A pass that fails at the same point each time
    repeats its actions: if these renewed the patience, the call would never give up. Before this pass, so many actions
    were ``done``.
    """

    def kinds(part: Sequence[Action]) -> set[tuple[str, Target, str]]:
        return {(action.verb, action.target, action.what) for action in part}

    return not kinds(actions[done:]) <= kinds(actions[:done])


def _is_taken(transition: Transition, snapshot: Snapshot) -> bool:
    """Whether the ledger contains the transition: it was written, and the answer to the write was lost."""
    entry = snapshot.ledger_or_empty.find(transition.fingerprint)
    return (entry.state if entry else None) is transition.after


def _refuse_taken(error: AlreadyExists, observation: Observation, work: Work) -> str:
    """Refuse to go on if another owner has an object of the name that this run gives; else describe the owner of the
    object, with a space before it; empty if it cannot be read. Raises StepError.
    """
    attempt = error.attempt
    # Imported only if the name is taken.
    from .._strimzi.apply.free_names import entry_of
    from .._strimzi.cluster.taken_names import describe_owner, why_taken

    secret = None
    if attempt.kind == SECRETS.kind and attempt.name is not None:
        with suppress(KubeError):
            secret = work.client.get_or_none(SECRETS, attempt.namespace or work.scope.namespace, attempt.name)
    if secret is None:
        return ""
    if (refusal := why_taken(observation.scope, secret, leaf=entry_of(str(attempt.name), observation))) is not None:
        raise refusal from None
    return f" ({describe_owner(secret)})"


def _without_user(error: AlreadyExists, owner: str, snapshot: Snapshot, intent: Intent, scope: ClusterNames) -> Intent:
    """The intent for the rest of the call, which serves all users except the user whose Secret cannot be created.
    Raises StepError if the Secret belongs to no user.
    """
    name = error.attempt.name
    if name is None or name not in snapshot.user_leaves.keys() - intent.obstacles.taken_names:
        labels = [f"{label}={value}" for label, value in scope.labels.items()]
        command = label_command(error.attempt.kind.lower(), str(name), str(error.attempt.namespace), labels)
        raise StepError(
            error.object,
            error.cause,
            f"An object of this name is there{owner}, without the labels or the annotation of an object of this "
            "collection; nothing of it was used or changed. If it was made here and has lost its labels, put them "
            f"back: {command}; else move it out of the way.",
        ) from None
    return replace(intent, obstacles=replace(intent.obstacles, taken_names=intent.obstacles.taken_names | {name}))


def _with_restarts(intent: Intent) -> Intent:
    return replace(intent, pace=replace(intent.pace, spread=Spread.RESTART))

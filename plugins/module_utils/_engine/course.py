# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Whether a call may go on: what it has written is still there, the state is new, and no pod restarts more often than
the plan said.

The states decide, and not a count of passes: a call ends when a state comes again. The plan limits the restarts. If a
new fact explains more of them, the call warns, and the limit rises.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from .._errors import KubeError, StepError
from .._kube.resources import PODS, SECRETS
from .._kube.response_time import OBSERVATION
from .._strimzi import names
from .._strimzi.apply.restarts import SharedCount
from .._strimzi.apply.work import Work
from .._strimzi.apply.written import (
    Loss,
    Writer,
    fields_such_as_flows_write,
    fields_that_flows_write,
    find_other_writers,
    owners_of,
    remedy_for,
    writers_of,
)
from .._strimzi.cluster.observe import Observation
from .._strimzi.names import STRIMZI_POD_SETS
from .._strimzi.secret_data import entries
from .._trust.evidence.parties import hearing_of, present_pods
from .._trust.evidence.stored import restarted_by_operator
from .._trust.ledger.enrolment import as_seen
from .._trust.model.components import Component
from .._trust.model.decision import Condition, Decision, Step, Steps, Violation
from .._trust.model.intent import Intent
from .._trust.model.names import counted, first_told, listed
from .._trust.model.snapshot import InPlaceObstacles, Snapshot
from .._trust.model.steps.nodes import TAKING_UP, Pause, Resume, Roll
from .._trust.plan import Reached, assume_ready, forecast, likeness_of, state_of, to_the_end
from .counting import Restarts, count_restarts, party_of, pods_by_party, restarts_of
from .looking import LateStandIns
from .outcome import CallOutcome

#: Something that a plan rests on: its kind, and what it says.
Fact: TypeAlias = tuple[str, Any]

#: Kinds of facts that change a plan, with the reason for people.
_REASONS = {
    "node": "{} came while this call was at work",
    "answers": "the listeners of {} have answered every question for the first time in this call",
    "put_back": "the Cluster Operator has put back what it had read of {}",
    "issued": "the issuer has issued {} while this call was at work",
    "in_place": "this call has checked whether nodes can take a change up without a restart",
}


class Budget:
    """The restarts that a call plans. The plan is made when the call needs it for the first time, from the first
    observation. It is made again if a fact that it rests on has changed. The budget numbers the restarts that people
    see: by the plan of the play if an earlier call has handed it over, else by the plan of the call.
    """

    def __init__(self, work: Work, intent: Intent, first: Observation, reached: Reached) -> None:
        self._work, self._reached = work, reached
        self._shared = work.shared_count
        #: The restarts by party of the plan that people see; None before it is needed.
        self._shown_plan: Counter[str] | None = None
        #: The obstacles to a change without a restart that the shown plan rests on; None if it was made without a look
        #: for them.
        self._shown_in_place: InPlaceObstacles | None = None
        #: The restarts of that plan that this call has seen and not waited for, by party.
        self._seen: Counter[str] = Counter()
        if self._shared is not None:
            work.restarts.done = sum(self._shared.done.values())
            self._show_plan(Counter(self._shared.planned), self._shared.in_place_obstacles)
        self._first, self._intent = first, intent
        self._planned: Restarts | None = None
        self._facts_of_plan = _facts_of_plan(first.snapshot) | _find_issued(first.snapshot, Counter())
        self._parties: dict[str, str] = {}
        self._in_place: InPlaceObstacles | None = None
        #: The last question to the forecast, and the restarts that it named.
        self._last: tuple[tuple[Snapshot, Intent, Reached], Restarts] | None = None
        #: The restarts of the plan since the last warning that explained more of them; empty before a warning.
        self._explained: Restarts = Counter()

    def exceeded_by(
        self, observation: Observation, intent: Intent, steps: Steps, losses: Sequence[Loss], *, is_doubtful: bool
    ) -> Counter[str]:
        """The restarts that these steps need beyond the plan; none if the plan has them, or if a warning of this
        call gives the reason for more. The losses are what other programs have undone in this call. With
        ``is_doubtful``, another program has undone a write: all restarts of the rest of the flow count then, and not
        only the restarts of these steps. Raises StepError.
        """
        snapshot = observation.snapshot
        self._note_answers(observation, intent)
        pods = snapshot.nodes.pods
        self._parties.update({pod.name: party_of(pod) for pod in pods})
        rolls = [step for step in steps if isinstance(step, Roll)]
        due = Counter((roll.reason.value, party_of(pod)) for roll in rolls for pod in pods if pod.uid in roll.uids)
        if not due and not is_doubtful:
            return Counter()
        planned = self._plan()
        if _changeable_parts(intent) != _changeable_parts(self._intent):
            # The call has said why it goes another way. From here its plan is the plan of that way.
            self._intent, self._planned = intent, planned | self._needed_restarts(self._first, intent)
            planned = self._planned
            self._show_what_is_left(observation)
        if not is_doubtful and not self.spent + due - planned:
            return Counter()
        # A restart for another reason than planned may take the place of a restart that is not needed any more.
        more = self.spent + (self._needed_restarts(observation, intent) | due)
        over = count_restarts(more) - count_restarts(planned)
        beyond = more - planned
        facts = _facts_of_plan(snapshot) | _find_put_back(losses, beyond) | _find_issued(snapshot, beyond)
        new = facts - self._facts_of_plan
        if over and new:
            self._facts_of_plan |= new
            self._warn_of_restarts(new, over)
            self._planned, self._explained, over = more, more, Counter()
            self._show_what_is_left(observation)
        return over

    def _plan(self) -> Restarts:
        """The restarts of the plan of this call. Raises StepError."""
        if self._planned is None:
            self._planned = self._needed_restarts(self._first, self._intent) | self._explained
            if self._shown_plan is None:
                self._show_plan(count_restarts(self._planned), self._in_place)
        return self._planned

    def _show_plan(self, planned: Counter[str], in_place: InPlaceObstacles | None) -> None:
        """Number the restarts by this plan, which rests on these obstacles, from here on, and say so if earlier
        restarts had another plan.
        """
        total, restarts = sum(planned.values()), self._work.restarts
        if restarts.shown and total != restarts.planned:
            self._work.tell(f"the plan has {counted(total, 'restart')} now, {restarts.done} of which are done")
        self._shown_plan, self._shown_in_place, restarts.planned = planned, in_place, total

    def _show_what_is_left(self, observation: Observation) -> None:
        """Show the plan from here on, by what this call knows by now. Raises StepError."""
        in_place = observation.snapshot.nodes.in_place_obstacles or self._in_place or self._shown_in_place
        planned = self._done + self._left(observation, in_place)
        # No forecast contains a party whose pod is away: the earlier plan knows how often it restarts.
        known, present = self._shown_plan or Counter[str](), pods_by_party(observation.snapshot)
        away = Counter({party: count for party, count in known.items() if party not in present})
        self._show_plan(planned | away, in_place)

    @property
    def _done(self) -> Counter[str]:
        """The restarts so far of the plan that people see."""
        earlier = self._shared.done if self._shared is not None else {}
        return Counter(earlier) + self._seen + count_restarts(self.spent)

    def _left(self, observation: Observation, in_place: InPlaceObstacles | None) -> Counter[str]:
        """The restarts that are left from here with these obstacles, up to the end of the plan that people see. Raises
        StepError.
        """
        seen = replace(observation, snapshot=observation.snapshot.with_nodes(in_place_obstacles=in_place))
        if self._shared is None:
            return count_restarts(self._needed_restarts(seen, self._intent))
        # The play goes on after this call.
        extent = replace(self._intent.extent, last_phase=self._intent.extent.stop_after)
        return count_restarts(self._needed_restarts(seen, replace(self._intent, extent=extent), to_the_end))

    def take_in(self, replaced: Sequence[Replaced], observation: Observation) -> None:
        """Show restarts that the call has not waited for, which the operator or another program has made. A restart
        belongs to the plan if fewer restarts are left after it. The forecast of these uses the obstacles of the plan:
        with the present obstacles, a node that is just restarting would seem to need one restart more.
        """
        if not replaced:
            return
        spare: Counter[str] = Counter()
        with suppress(StepError):
            self._plan()
            spare = (self._shown_plan or Counter()) - self._done - self._left(observation, self._shown_in_place)
        for one in replaced:
            if spare[one.party] > 0:
                spare[one.party] -= 1
                self._seen[one.party] += 1
                shown = self._work.restarts.count(one.pod, None, successor=one.successor)
            else:
                shown = self._work.restarts.note_unplanned(one.pod, one.successor)
            self._work.tell(shown.sentence())

    def shared_count(self, observation: Observation) -> SharedCount | None:
        """The count for the next call of the play; None if no earlier call has handed one over."""
        if self._shared is None:
            return None
        pods = pods_by_party(observation.snapshot)
        return SharedCount(self._shown_plan or {}, self._done, pods, self._shown_in_place)

    def _note_answers(self, observation: Observation, intent: Intent) -> None:
        """Plan with the first answers of the nodes, as check mode does, which asks the nodes before it plans: a plan
        without their answers may have restarts in the place of reloads. If the first answers add no restart to the rest
        of the flow, they explain no restart later.
        """
        nodes = observation.snapshot.nodes
        if self._in_place is not None or nodes.in_place_obstacles is None:
            return
        self._in_place, self._planned = nodes.in_place_obstacles, None
        planned_from = self._first.snapshot.with_nodes(in_place_obstacles=self._in_place)
        self._facts_of_plan |= _facts_of_plan(planned_from)
        if nodes.listeners is not None:
            unasked = replace(observation, snapshot=observation.snapshot.with_nodes(listeners=None))
            without, with_ = (self._needed_restarts(seen, intent) for seen in (unasked, observation))
            if not count_restarts(with_) - count_restarts(without):
                self._facts_of_plan |= _find_answers(observation.snapshot)
        if self._shared is None:
            self._show_what_is_left(observation)

    @property
    def spent(self) -> Restarts:
        """The restarts of this call so far, as far as it has waited for them."""
        done = ((action.reason, action.target.name) for action in self._work.actions)
        return Counter((reason.value, self._parties.get(name, name)) for reason, name in done if reason is not None)

    def _needed_restarts(self, observation: Observation, intent: Intent, reached: Reached | None = None) -> Restarts:
        snapshot = assume_ready(observation.snapshot).with_nodes(
            in_place_obstacles=observation.snapshot.nodes.in_place_obstacles or self._in_place
        )
        question = snapshot, intent, reached or self._reached
        if self._last is None or self._last[0] != question:
            planned = forecast(*question[:2], LateStandIns(observation, self._work), question[2])
            self._last = question, restarts_of(planned, snapshot)
        return self._last[1].copy()

    def _warn_of_restarts(self, new: frozenset[Fact], more: Counter[str]) -> None:
        """Warn of more restarts than planned, with the new facts that explain them."""
        reasons = [
            reason.format(listed(sorted(str(what) for kind, what in new if kind == change)))
            for change, reason in _REASONS.items()
            if any(kind == change for kind, _what in new)
        ]
        self._work.warnings.append(
            f"More is restarted than planned at first ({count_by_pod(more)} more), because {' and '.join(reasons)}."
        )


def count_by_pod(restarts: Counter[str]) -> str:
    """For people."""
    return ", ".join(f"{name} {count} time{'' if count == 1 else 's'}" for name, count in sorted(restarts.items()))


def _changeable_parts(intent: Intent) -> tuple[Any, ...]:
    """The parts of an intent that a call changes itself, when a cluster, an issuer or the API server does not let it go
    as planned.
    """
    return intent.pace.spread, intent.issuing.link_issuer, intent.obstacles.taken_names


def _facts_of_plan(snapshot: Snapshot) -> frozenset[Fact]:
    nodes = (("node", pod.name) for pod in snapshot.nodes.pods if pod.component is Component.KAFKA)
    looked = (("in_place", snapshot.nodes.in_place_obstacles),) if snapshot.nodes.in_place_obstacles else ()
    return frozenset((*nodes, *looked)) | _find_answers(snapshot)


def _find_answers(snapshot: Snapshot) -> frozenset[Fact]:
    """The nodes that have answered every question. A plan without their answers counts no restart that follows from
    the answers.
    """
    return frozenset(("answers", node) for node in hearing_of(snapshot).heard)


def _find_put_back(losses: Sequence[Loss], restarts: Restarts) -> frozenset[Fact]:
    """The objects that the operator alone has put back, each as often as it has; they explain restarts of pods that
    take certificates up, and no other. A pod that has restarted with one of its new leaves restarts once more with the
    other leaf.
    """
    if not all(loss.by_operator for loss in losses) or not _take_up_alone(restarts):
        return frozenset()
    times = Counter[str]()
    facts = set()
    for loss in losses:
        times[loss.object] += 1
        facts.add(("put_back", f"{loss.object}{f' ({times[loss.object]} times)' * (times[loss.object] > 1)}"))
    return frozenset(facts)


def _find_issued(snapshot: Snapshot, restarts: Restarts) -> frozenset[Fact]:
    """The certificates that an issuer which renews by itself has now; they explain restarts of pods that take
    certificates up, and no other. A flow that replaces the CA has planned its certificates itself.
    """
    if snapshot.ca.prepared or not _take_up_alone(restarts):
        return frozenset()
    standing = snapshot.leaves.standing.items()
    return frozenset(
        ("issued", f"{name} (SHA-256 {order.latest[0].sha256[:16]})") for name, order in standing if order.latest
    )


def _take_up_alone(restarts: Restarts) -> bool:
    """Whether these are restarts by which pods take certificates up, and no other."""
    return {reason for reason, _party in restarts} <= {reason.value for reason in TAKING_UP}


@dataclass(frozen=True)
class Replaced:
    """A pod that has taken the place of another pod."""

    #: The node by its name, or the component.
    party: str
    #: The name of the pod that is gone.
    pod: str
    #: The name of the pod in its place.
    successor: str


class Restarted:
    """Compares the pods of each observation with the pods of the observation before. The pods of the first observation
    are compared with the pods that the call before has handed over, if it has.
    """

    def __init__(self, work: Work, first: Observation) -> None:
        self._work = work
        pods_by_name = work.shared_count.pods if work.shared_count is not None else pods_by_party(first.snapshot)
        #: Names by UID, of each party.
        self._known: dict[str, dict[str, str]] = {party: dict(pods) for party, pods in pods_by_name.items()}
        self._looked_at = 0
        self._waited_for: list[str] = []

    def find(self, observation: Observation) -> tuple[Replaced, ...]:
        """Each pod that has taken the place of another pod since the last observation, if the call has not waited
        for that. A pod whose successor is still missing is found in a later observation.
        """
        done = self._work.actions[self._looked_at :]
        self._looked_at = len(self._work.actions)
        self._waited_for += [action.target.name for action in done if action.verb == "restart"]
        return tuple(one for one in self._compare(observation) if not self._was_awaited(one.pod))

    def _compare(self, observation: Observation) -> Iterator[Replaced]:
        for party, pods in pods_by_party(observation.snapshot).items():
            earlier = self._known.setdefault(party, {})
            gone = [uid for uid in earlier if uid not in pods]
            for old, new in zip(gone, [uid for uid in pods if uid not in earlier], strict=False):
                yield Replaced(party, earlier.pop(old), pods[new])
            earlier.update(pods)

    def _was_awaited(self, pod: str) -> bool:
        if pod not in self._waited_for:
            return False
        self._waited_for.remove(pod)
        return True


#: Seconds before the call looks again at a state that a wait or another writer has left unchanged; doubled each time,
#: up to the longest.
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 15.0


@dataclass(frozen=True)
class _Visit:
    """A state that a call has been in."""

    #: The time of the visit by the monotonic clock, in seconds.
    at: float
    #: How many actions the call had recorded by then.
    actions: int


class Course:
    """Sees every pass of a call before it is carried out, and finds what stops the call."""

    def __init__(self, work: Work, intent: Intent, outcome: CallOutcome, reached: Reached) -> None:
        self._work, self._outcome, self._first = work, outcome, outcome.observation
        self._budget = Budget(work, intent, outcome.observation, reached)
        self._restarted = Restarted(work, outcome.observation)
        self._visits: dict[Any, _Visit] = {}
        self._state: Any = None
        #: The writes that other programs have undone in this call.
        self._losses: list[Loss] = []
        self._repeated: Loss | None = None
        #: Steps that were carried out and do more than wait, by their likeness; and the steps of the last pass.
        self._taken: set[Any] = set()
        self._last: set[Any] = set()
        self._crossed = False
        self._pause = _FIRST_PAUSE

    @property
    def shared_count(self) -> SharedCount | None:
        """The count of restarts for the next call of the play; None if the calls of a play share none."""
        return self._budget.shared_count(self._outcome.observation)

    def note_conflict(self) -> None:
        """Another writer was first in this pass, so nothing of it counts."""
        self._crossed, self._last = True, set()

    def failed(self) -> None:
        """The API server has failed in this pass: the call takes the pass again, for as long as its patience lasts."""
        self._visits.pop(self._state, None)
        self.note_conflict()

    def find_losses(self, observation: Observation) -> tuple[Loss, ...]:
        """Look whether the written content is still there, and return the missing part; and show restarts. Raises
        KubeError.
        """
        self._budget.take_in(self._restarted.find(observation), observation)
        lost = self._work.written.take_losses(observation, self._work.client)
        self._losses += lost
        self._repeated = next((loss for loss in lost if loss.is_repeated), None)
        sentences = (
            f"{loss.object}: {loss.describe()} {loss.remedy}"
            for loss in lost
            if not loss.by_operator and not loss.is_repeated
        )
        self._work.warnings += first_told(sentences, "object", "other programs have changed them as well")
        return lost

    def failure(self, error: StepError) -> Violation | None:
        """The violation about the loss because of which a step has failed; None if nothing that this collection wrote
        was written back meanwhile.
        """
        with suppress(KubeError):
            observation = self._work.observe()
            self.find_losses(observation)
            lost = next(self._lasting_losses(), None)
            return _written_back(lost, observation.snapshot, f"{error} ") if lost else None
        return None

    def explain(self, decision: Decision) -> Decision:
        """The decision of a call that is held, with what other programs have undone and this call has not written
        again.
        """
        if not decision.violations:
            return decision
        snapshot = self._outcome.observation.snapshot
        lost = {loss.object: _written_back(loss, snapshot) for loss in self._lasting_losses()}
        return replace(decision, violations=(*lost.values(), *decision.violations))

    def _lasting_losses(self) -> Iterator[Loss]:
        """The losses to other programs that this call has not made good, the last first."""
        written = self._work.written
        return (loss for loss in reversed(self._losses) if not loss.by_operator and written.is_lost(loss))

    def obstacles(self, observation: Observation, intent: Intent, steps: Steps) -> tuple[Violation, ...]:
        """Why these steps must not be carried out; nothing if they may. Raises StepError."""
        waits = self._crossed or all(step.only_waits for step in steps)
        self._crossed = False
        self._taken |= self._last
        self._last = {likeness_of((step,), observation.snapshot) for step in steps if _counts_as_repeated(step)}
        if self._repeated is not None:
            return (_written_back(self._repeated, observation.snapshot),)
        cycle = self._find_cycle(observation, steps, may_repeat=waits)
        undone = bool(self._last & self._taken) or any(not loss.by_operator for loss in self._losses)
        # The steps that end a pause come first: a call that ends in the middle of a switch leaves the operator paused.
        is_doubtful = undone and not observation.snapshot.reconciliation.pause.is_ours
        return cycle or self._check_planned_restarts(observation, intent, steps, is_doubtful=is_doubtful)

    def _find_cycle(self, observation: Observation, steps: Steps, *, may_repeat: bool) -> tuple[Violation, ...]:
        """The violation if this state was there before. A state that ``may_repeat`` may stay for as long as a
        reaction of the operator may take.
        """
        now = self._work.clock.monotonic()
        # The same writes after a loss are another state than the writes before it.
        state = state_of(observation.snapshot, steps), len(self._losses)
        self._state, before = state, self._visits.get(state)
        if before is None:
            self._visits[state] = _Visit(now, len(self._work.actions))
            self._pause = _FIRST_PAUSE
            return ()
        # A pass looks before and after it has asked the nodes.
        limit = self._work.client.response_time.within(
            self._work.settings.operator_timeout.total_seconds(), 2 * OBSERVATION
        )
        if may_repeat and (now - before.at < limit or all(step.releases_lease for step in steps)):
            self._work.clock.sleep(self._pause)
            self._pause = min(2 * self._pause, _LONGEST_PAUSE)
            return ()
        return (self._no_advance(observation, steps[0], before),)

    def _no_advance(self, observation: Observation, step: Step, before: _Visit) -> Violation:
        done = self._work.actions[before.actions :]
        written = dict.fromkeys(action.object for action in done if action.verb in ("create", "update", "wait"))
        return Violation(
            Condition.FLOW_ADVANCES,
            next(iter(written), observation.snapshot.names.kafka),
            f"The cluster is as it was before this step, which has been taken already: {step.sentence()}. What this "
            f"call has written or waited for since then ({', '.join(written) or 'nothing'}) has led to nothing that "
            f"lasts.{self._describe_other_writes(observation)}",
            self._remedy(observation),
        )

    def _check_planned_restarts(
        self, observation: Observation, intent: Intent, steps: Steps, *, is_doubtful: bool
    ) -> tuple[Violation, ...]:
        over = self._budget.exceeded_by(observation, intent, steps, self._losses, is_doubtful=is_doubtful)
        if not over:
            return ()
        beyond = Violation(
            Condition.RESTARTS_ARE_PLANNED,
            observation.snapshot.names.kafka,
            f"To go on ({steps[0].sentence()}) takes more restarts than were planned: {count_by_pod(over)} beyond the "
            f"plan.{self._describe_other_writes(observation)}",
            self._remedy(observation),
        )
        return (*_violations_of_unknown_pods(observation.snapshot), beyond)

    def _describe_other_writes(self, observation: Observation) -> str:
        """Sentences about what others have written since this call began; empty if nothing is known of any."""
        back = [f"{loss.object}: {loss.describe()}" for loss in self._losses[-3:]]
        others = [f"{name} was written by {writer}." for name, writer in self._writes_of_others(observation)]
        return "".join(
            f" {sentence}" for sentence in back or others[:3] or self._describe_changed_secrets(observation)[:3]
        )

    def _describe_changed_secrets(self, observation: Observation) -> list[str]:
        """Sentences about Secrets that have changed since the first observation, and that neither this call nor the
        operator has written.
        """
        changed = []
        for key, now in observation.by_key.items():
            before = self._first.by_key.get(key)
            if key[0] != SECRETS.kind or before is None or key in self._work.written.objects:
                continue
            was, is_ = entries(before), entries(now)
            fields = sorted(name for name in {*was, *is_} if was.get(name) != is_.get(name))
            writers = writers_of(now, [("data", name) for name in fields])
            if fields and not (writers and writers[0].is_operator):
                by = f" Its fields are written by {writers[0]}." if writers else ""
                changed.append(
                    f"{key[0]} {key[1]}/{key[2]} has changed without this call: entries {', '.join(fields)}.{by}"
                )
        return changed

    def _remedy(self, observation: Observation) -> str:
        writers = [
            *(loss.writers[0] for loss in self._losses if loss.writers),
            *(writer for _name, writer in self._writes_of_others(observation)),
        ]
        if not writers and not self._losses:
            doubt = observation.snapshot.reconciliation.operator.doubt_about_spec
            look = (
                "See what has changed with strimzi_ca_info, and look at the plan of the next run in check mode before "
                "it."
            )
            return f"{look}{doubt}"
        return remedy_for(writers)

    def _writes_of_others(self, observation: Observation) -> list[tuple[str, Writer]]:
        """Objects that programs without a part in the cluster have written since the first observation, and these
        programs.
        """
        objects = dict(observation.by_key)
        # The operator decides about restarts by the StrimziPodSets, which the observation does not contain.
        with suppress(KubeError):
            objects |= {
                (STRIMZI_POD_SETS.kind, observation.scope.namespace, pod_set["metadata"]["name"]): pod_set
                for pod_set in observation.owners.read_pod_sets(self._work.client)
            }
        others = []
        for key, now in objects.items():
            before = {str(writer) for writer in find_other_writers(self._first.by_key.get(key))}
            new = (writer for writer in find_other_writers(now) if writer.returns and str(writer) not in before)
            others += [(f"{key[0]} {key[1]}/{key[2]}", writer) for writer in new]
        return others


def _violations_of_unknown_pods(snapshot: Snapshot) -> tuple[Violation, ...]:
    """The pods without evidence; other pods may have to restart because of them."""
    return tuple(
        Violation(
            Condition.EVIDENCE,
            snapshot.names.pod(seen.party),
            f"the call cannot tell which certificate it presents: {seen.evidence}.",
            "Find out why, then run the flow again.",
        )
        for seen in present_pods(snapshot, as_seen(snapshot))
        if seen.authorities is None
    )


def _counts_as_repeated(step: Step) -> bool:
    """Whether taking it a second time shows that something was undone. A flow may pause the operator several times."""
    return not step.only_waits and not isinstance(step, (Pause, Resume))


_ANNOTATIONS = ("metadata", "annotations")
#: The annotations by which a flow knows its pause.
_MARKS = (names.PAUSED_BY, names.PAUSED_FOR_CLIENTS_CA)


def _written_back(loss: Loss, snapshot: Snapshot, failure: str = "") -> Violation:
    """The violation about a write that another program has undone, with a sentence about the step that has failed
    meanwhile; empty if none has.
    """
    remedy = loss.remedy
    if loss.by_operator:
        doubt = snapshot.reconciliation.operator.doubt_about_spec
        look = (
            "Look at the operator's log and at the status of the Kafka resource for why it writes this again; then run "
            "again."
        )
        remedy = f"{look}{doubt}"
    is_unpaused = (*_ANNOTATIONS, names.PAUSE_RECONCILIATION) in loss.fields
    mark = next((field[-1] for field in loss.fields if field[:-1] == _ANNOTATIONS and field[-1] in _MARKS), "")
    if mark and snapshot.reconciliation.pause.is_set and not snapshot.reconciliation.pause.is_ours:
        remedy = (
            f"The Cluster Operator stays paused, and no run ends a pause without its mark. {remedy} Put the mark back "
            f"first, then run again, which ends the pause: kubectl annotate kafka {snapshot.names.cluster} --namespace "
            f"{snapshot.names.namespace} {mark}=put-back"
        )
    again = f" for the {_nth(loss.times)} time" if loss.is_repeated else ""
    return Violation(
        Condition.WRITES_LAST,
        loss.object,
        f"{failure}{loss.describe(again)}{f' {_describe_half_switch(snapshot)}' if is_unpaused else ''} Nothing more "
        "is written.",
        remedy,
    )


def _nth(times: int) -> str:
    return {2: "second", 3: "third"}.get(times, f"{times}th")


def _describe_half_switch(snapshot: Snapshot) -> str:
    """The part of a switch that the operator may have seen although it was to be paused, as a sentence."""
    ca = snapshot.ca
    if ca.current and ca.key not in (None, ca.current[0].public_key_sha256):
        return (
            "The operator may have seen the key of the next CA beside the certificate of this CA: it issues nothing "
            "and restarts nothing until both match again, which the next run sees to."
        )
    if restarted := restarted_by_operator(snapshot):
        pods = listed(sorted(pod.name for pod in snapshot.nodes.pods if pod.uid in restarted))
        return (
            f"The operator may have seen generation {ca.certificate_generation} of the CA before the call told it what "
            f"running pods had read, and may restart {pods} once; every certificate is accepted meanwhile."
        )
    return (
        "The operator has seen nothing half-way: no key, no certificate and no generation had been changed without the "
        "others."
    )


def warn_of_owners(outcome: CallOutcome, work: Work) -> None:
    """Warn, before anything is written, of programs that own fields of what a flow writes: they may write them back."""
    if not outcome.decision.steps:
        return
    observation = outcome.observation
    objects: dict[str, list[str]] = {}
    writers: dict[str, Writer] = {}
    for key, places in fields_that_flows_write(observation).items():
        written = observation.by_key[key]
        # Many programs annotate pods.
        for writer in owners_of(written, fields_such_as_flows_write(written, places)):
            if writer.returns and key[0] != PODS.kind:
                objects.setdefault(writer.manager, []).append(f"{key[0]} {key[1]}/{key[2]}")
                writers[writer.manager] = writer
    work.warnings += [
        f"{listed(objects[name])}: {writer} owns fields of what this call writes to, and may write back what it knows. "
        f"{remedy_for((writer,))}"
        for name, writer in writers.items()
    ]

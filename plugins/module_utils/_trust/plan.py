# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The whole plan of a flow: ``decide`` for each state after the steps before.

If a flow comes back to the same state, it goes round in a circle (I11). The comparison of states leaves out all that
changes each time: a restarted pod has another UID, and a renewed leaf another serial number, key and dates.

If a step restarts a pod, it does not begin outside the maintenance windows of the Kafka resource (docs/calls.md,
"Maintenance windows").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, fields, is_dataclass, replace
from datetime import datetime, timedelta
from enum import Enum
from functools import cache
from typing import Any, TypeAlias

from .._pki.certificates import Certificate
from .decide import ENGINE, Engine, decide
from .duration import NO_COSTS, NO_TIME, VERDICT, Costs, Span, span_of
from .evidence.parties import NO_HEARING, Hearing, hearing_of, presenting_ended, unanswered
from .evidence.stored import restarted_by_operator, waiver_of
from .ledger.target import resolve
from .model.clients import LONGEST_WAIVER, Waiver
from .model.components import Component
from .model.decision import Condition, Decision, StandIn, Step, Steps, Violation
from .model.goals import Goal, Phase
from .model.intent import ONE_BY_ONE, BatchLimit, Intent
from .model.ledger import Ledger, LedgerEntry, RememberedCertificate
from .model.listeners import ObservedListener
from .model.rounds import Round, Rounds, no_rounds
from .model.snapshot import InPlaceObstacles, Pod, Snapshot, StoredLeaf
from .model.steps.authority import PrepareAuthority
from .model.steps.leaves import AskForLeaves, IssueLeaves
from .model.steps.nodes import PauseAndReload, Reload, Roll, RollReason, with_listeners_read
from .model.steps.trust import AwaitClients, AwaitOutside, Project
from .preconditions.cluster import describe_security
from .preconditions.leaves import chosen_life
from .rules.expiring import describe_late_window
from .rules.pause import nodes_of, waits_for_window

#: Fields that only identify a leaf or a pod, or say how long an answer has taken or how an earlier state was.
_CHANGING = {
    (Pod, "leaf_hash"), (Pod, "uid"), (Pod, "started_in"), (Pod, "restarts"),
    (StoredLeaf, "key_beside"), (LedgerEntry, "leaf_hashes"), (Snapshot, "clock"),
    (Snapshot, "backups"),
}  # fmt: skip


def state_of(snapshot: Snapshot, steps: Steps) -> int:
    """A digest of the snapshot and of the decision: the same for the same state."""
    return hash((_Likeness(snapshot).of(snapshot), likeness_of(steps, snapshot)))


def likeness_of(steps: Steps, snapshot: Snapshot) -> Any:
    """A value that is the same for the same steps on the same pods, also if these have restarted. Hashable."""
    return _Likeness(snapshot).of(steps)


class _Likeness:
    def __init__(self, snapshot: Snapshot) -> None:
        self._names = {pod.uid: pod.name for pod in snapshot.nodes.pods}

    def of(self, value: Any) -> Any:
        if value is None or isinstance(value, (int, timedelta)):
            return value
        if isinstance(value, Certificate):
            # A due leaf differs from the leaf in its place: that leaf ends on another day.
            leaf = value.subject, value.issuer, value.subject_alternative_names, value.not_after.date()
            return value.fingerprint if value.is_ca else leaf
        if isinstance(value, str):
            return self._names.get(value, value)
        if isinstance(value, datetime):
            return "a time"
        if isinstance(value, (LedgerEntry, RememberedCertificate)):
            value = self._without_past(value)
        if isinstance(value, tuple):
            return tuple(map(self.of, value))
        kind: Any = type(value)
        if (names := _fields_of(kind)) is not None:
            return (kind.__name__, *[self.of(getattr(value, name)) for name in names])
        if isinstance(value, Mapping):
            return frozenset((key, self.of(item)) for key, item in value.items())
        if isinstance(value, Set):
            return frozenset(map(self.of, value))
        return value

    def _without_past(self, entry: LedgerEntry | RememberedCertificate) -> LedgerEntry | RememberedCertificate:
        """Without the UIDs of pods that do not run any more."""
        if entry.awaited_pods is not None:
            entry = replace(entry, awaited_pods=entry.awaited_pods & self._names.keys())
        if isinstance(entry, LedgerEntry) and entry.knowing_pods is not None:
            entry = replace(entry, knowing_pods=entry.knowing_pods & self._names.keys())
        return (
            replace(entry, lingering_pods=entry.lingering_pods & self._names.keys())
            if isinstance(entry, RememberedCertificate)
            else entry
        )


@cache
def _fields_of(kind: type[Any]) -> tuple[str, ...] | None:
    """The names of the compared fields of a dataclass; None if it is no dataclass."""
    if not is_dataclass(kind):
        return None
    return tuple(field.name for field in fields(kind) if (kind, field.name) not in _CHANGING)


def respect_windows(
    decision: Decision, snapshot: Snapshot, intent: Intent, stand_in: StandIn, engine: Engine = ENGINE
) -> Decision:
    """The decision. If its steps lead to restarts and no window is open, it is a decision without steps: it waits for
    the next window, or is held if that comes too late.
    """
    if not decision.steps or not waits_for_window(snapshot, intent) or snapshot.reconciliation.pause.is_ours:
        # A pause is brought to its end, whatever the time is.
        return decision
    uids = _restarted(decision.steps, snapshot, intent, stand_in, engine) - restarted_by_operator(snapshot)
    if not uids:
        return decision
    left = tuple(step.describe_as_left() for step in decision.steps)
    pods = tuple(pod.name for pod in snapshot.nodes.pods if pod.uid in uids)
    waiting = Decision(pending=left, issue_reasons=decision.issue_reasons)
    if late := describe_late_window(snapshot):
        return replace(waiting, violations=(_has_no_window(snapshot, pods, late),))
    return replace(waiting, waiting=(_describe_windows(snapshot, pods),))


def describe_next_window(snapshot: Snapshot, goal: Goal) -> str:
    """The rest of a sentence about the Kafka resource, for a plan whose restarts have to wait for a window."""
    windows, late = snapshot.reconciliation.windows, describe_late_window(snapshot)
    opens = f", which opens on {windows.opens_at:%Y-%m-%d at %H:%M} UTC" if windows and windows.opens_at else ""
    then = f"fails there, because {late}" if late else f"waits for the next window{opens}"
    first = "brings back what has ended, then goes" if goal is Goal.RECOVER else "goes"
    return (
        f"is outside its maintenance windows: a run {first} as far as no pod restarts, and {then}. "
        "ignore_maintenance_windows (strimzi_ignore_maintenance_windows) goes on without "
        f"that.{_describe_problem(snapshot)}"
    )


def _restarted(steps: Steps, snapshot: Snapshot, intent: Intent, stand_in: StandIn, engine: Engine) -> frozenset[str]:
    """UIDs of the pods that these steps restart, or that the operator restarts because of them. If they begin a pause,
    the steps in it count: the operator sees all of that at once when it ends.
    """
    uids: frozenset[str] = frozenset()
    while steps:
        for step in steps:
            uids |= _restarted_in_windows(step)
            snapshot = step.effect(snapshot, stand_in)
        if not snapshot.reconciliation.pause.is_ours:
            break
        steps = decide(snapshot, intent, engine).steps
    return uids | restarted_by_operator(snapshot)


def _restarted_in_windows(step: Step) -> frozenset[str]:
    """UIDs of the pods that this step restarts and that could wait for a window. Nodes with ended certificates cannot:
    they serve no client meanwhile.
    """
    ended = isinstance(step, Roll) and step.reason is RollReason.ENDED
    return frozenset() if ended else step.restarts


def _describe_windows(snapshot: Snapshot, pods: tuple[str, ...]) -> str:
    windows = snapshot.reconciliation.windows
    when = f"The next window opens on {windows.opens_at:%Y-%m-%d at %H:%M} UTC" if windows and windows.opens_at else ""
    return (
        f"{_describe_restarts_outside(pods)}. {when}; the same call goes on then, or now with "
        f"ignore_maintenance_windows (strimzi_ignore_maintenance_windows).{_describe_problem(snapshot)}"
    )


def _has_no_window(snapshot: Snapshot, pods: tuple[str, ...], late: str) -> Violation:
    return Violation(
        Condition.RENEWAL_COMES_IN_TIME, snapshot.names.kafka,
        f"{_describe_restarts_outside(pods)}: {late}.{_describe_problem(snapshot)}",
        "Run with ignore_maintenance_windows (strimzi_ignore_maintenance_windows); or correct "
        "spec.maintenanceTimeWindows, and have a run begin in each.",
    )  # fmt: skip


def _describe_restarts_outside(pods: tuple[str, ...]) -> str:
    return f"is outside its maintenance windows, and the next step restarts {', '.join(pods) or 'pods'}"


def _describe_problem(snapshot: Snapshot) -> str:
    windows = snapshot.reconciliation.windows
    return f" In spec.maintenanceTimeWindows, {windows.problem}." if windows and windows.problem else ""


#: Whether the cluster is in the state that a caller wants; the flow may have more to do then.
Reached: TypeAlias = Callable[[Snapshot], bool]


def to_the_end(snapshot: Snapshot) -> bool:
    """Never reached early: the caller wants the whole flow."""
    return False


class ActionKind(str, Enum):
    """The kind of a step of a plan, for people who look for its restarts."""

    WRITE = "write"
    RESTART = "restart"
    RELOAD = "reload"
    WAIT = "wait"
    #: A party outside the cluster holds the flow.
    HOLD = "hold"


@dataclass(frozen=True)
class PlannedStep:
    """A step of a plan."""

    #: The phase of the flow.
    phase: Phase
    #: The step, as a sentence.
    what: str
    #: The name of the step's class; for a hold, the party that holds the flow.
    kind: str
    #: Names of the restarting Kafka nodes.
    nodes: tuple[str, ...] = ()
    #: Names of the other restarting pods.
    others: tuple[str, ...] = ()
    #: The reason of the restarts.
    reason: RollReason | None = None
    #: The rounds of the restarting Kafka nodes. Nodes that are in no round restart one after the other.
    rounds: tuple[Round, ...] = ()
    #: Whether the step does more than wait.
    is_change: bool = True
    #: How long the step takes; None if no pod shows how long a start takes.
    span: Span | None = NO_TIME
    #: Whether the step writes, restarts, reloads, waits, or shows a hold.
    does: ActionKind = ActionKind.WRITE
    #: The parties outside the cluster that have to read something before the flow goes on.
    outside_parties: tuple[str, ...] = ()
    #: SHA-256 of each existing CA that the step has nodes trust, and the reference of each issuer that signs for the
    #: step.
    approved_inputs: tuple[str, ...] = ()

    @property
    def round_count(self) -> int:
        """In how many rounds the Kafka nodes restart, as far as is known: a node that is in no round counts as one."""
        if self.reason is RollReason.ENDED:
            return min(len(self.nodes), 1)
        return len(self.rounds) + len(self.nodes) - sum(len(one.nodes) for one in self.rounds)


@dataclass(frozen=True)
class Forecast:
    """The plan of a call."""

    #: The steps of the call, in order.
    steps: tuple[PlannedStep, ...]
    #: The violations that hold the flow after these steps; empty if they lead to its end.
    violations: tuple[Violation, ...] = ()
    #: The reasons for this way if there is another, as sentences.
    choices: tuple[str, ...] = ()
    #: Certificates that running processes still present or trust at the end, as sentences.
    waiting: tuple[str, ...] = ()
    #: The cluster as these steps would leave it.
    end: Snapshot | None = field(default=None, compare=False)
    #: The steps after a hold by parties outside the cluster, or after a wait because no maintenance window opens in
    #: time; empty if another reason holds the flow.
    after: tuple[PlannedStep, ...] = ()
    #: The nodes whose answers are in the plan, and the nodes that the call has yet to hear. The plan takes the stored
    #: evidence for the answers of the latter, and assumes the answers that the flow awaits. Their real answers may lead
    #: to more restarts.
    hearing: Hearing = NO_HEARING
    #: How many Kafka nodes the caller lets restart at a time, if the plan restarts any.
    batch: BatchLimit = ONE_BY_ONE

    @property
    def whole(self) -> tuple[PlannedStep, ...]:
        """The steps to the end of the flow, with the steps after a hold."""
        return (*self.steps, *self.after)

    @property
    def span(self) -> Span | None:
        """How long all of these steps take, with the operator's verdict on their changes; None if no pod shows how long
        a start takes.
        """
        spans = [step.span for step in self.whole]
        verdict = NO_TIME if all(step.does in _ONLY_WAITING for step in self.whole) else VERDICT
        return None if None in spans else sum((span for span in spans if span is not None), verdict)


#: The kinds of steps that change nothing.
_ONLY_WAITING = (ActionKind.WAIT, ActionKind.HOLD)


def forecast(
    snapshot: Snapshot,
    intent: Intent,
    stand_in: StandIn,
    reached: Reached = to_the_end,
    costs: Costs = NO_COSTS,
    rounds: Rounds = no_rounds,
) -> Forecast:
    """Every step from here to the end of the flow, or to the state that a caller wants, if nothing else happens and no
    restart fails.
    """
    return _forecast(snapshot, intent, stand_in, foreseeing(stand_in), reached, costs, rounds)


def foreseeing(stand_in: StandIn, engine: Engine = ENGINE) -> Engine:
    """The engine of a call: it asks the forecast whether the work of the call restarts Kafka nodes. The given engine
    makes that forecast, and does not ask.
    """
    return replace(engine, restarts_nodes=_Foresight(stand_in, engine))


class _Foresight:
    """Answers whether the work of a call restarts Kafka nodes, by one forecast for each state. All phases of a flow
    count, also if the call ends before the last of them: a flow in flight goes on in every state of the cluster.
    """

    def __init__(self, stand_in: StandIn, engine: Engine) -> None:
        self._stand_in, self._engine = stand_in, engine
        self._state: tuple[Snapshot, Intent] | None = None
        self._answer = False

    def __call__(self, snapshot: Snapshot, intent: Intent) -> bool:
        if self._state != (snapshot, intent):
            self._state, self._answer = (snapshot, intent), self._foresee(_at_best(snapshot), intent.to_the_end())
        return self._answer

    def _foresee(self, snapshot: Snapshot, intent: Intent) -> bool:
        """If the flow is held on its way, the rest is unknown and counts as a restart, unless the caller forbids the
        restart itself. If the operator has the CA back, it restarts pods that are behind.
        """
        planned = _forecast(snapshot, intent, self._stand_in, self._engine, to_the_end, NO_COSTS, no_rounds)
        left = planned.end if planned.end is not None else snapshot
        unknown = any(why.holds and why.condition is not Condition.IN_PLACE for why in planned.violations)
        is_cut_short = unknown and bool(planned.steps) and not planned.after
        restarted = any(step.nodes for step in planned.whole) or nodes_of(left, restarted_by_operator(left))
        return bool(nodes_of(snapshot, snapshot.uids)) and (is_cut_short or bool(restarted))


def _at_best(snapshot: Snapshot) -> Snapshot:
    """The snapshot in which no pod is away, or about to be restarted: the question is about restarts by the flow
    itself. If this call has not asked the nodes yet, they count as able to read again without a restart: the call asks
    them before it begins anything in a rebalance.
    """
    pods = (replace(pod, awaits_restart=False) for pod in assume_ready(snapshot).nodes.pods)
    obstacles = snapshot.nodes.in_place_obstacles or InPlaceObstacles()
    return snapshot.with_nodes(pods=tuple(pods), in_place_obstacles=obstacles)


def assume_ready(snapshot: Snapshot) -> Snapshot:
    """The snapshot in which every pod is ready: a forecast takes pods that are down now to be back for its later
    steps.
    """
    return snapshot.with_nodes(pods=tuple(replace(pod, ready=True, terminating=False) for pod in snapshot.nodes.pods))


def _forecast(
    snapshot: Snapshot,
    intent: Intent,
    stand_in: StandIn,
    engine: Engine,
    reached: Reached,
    costs: Costs,
    rounds: Rounds,
) -> Forecast:
    about = resolve(snapshot, intent, snapshot.ledger_or_empty).replaces
    intent = intent.about(about or intent.parameters.replaces)
    start, hearing = snapshot, hearing_of(snapshot)
    unheard = frozenset(node.uid for node in hearing.unheard)
    started = _started_with(unheard, start.ledger_or_empty)
    snapshot = _assume_awaited_answers(snapshot, unheard)
    planned: list[PlannedStep] = []
    choices = {describe_security(start): None}
    states = set[int]()
    held: _Held | None = None
    awaits_window = False
    while True:
        decision = decide(snapshot, intent, engine)
        circle = _find_cycle(snapshot, decision.steps, states)
        if not decision.steps and (parties := _parties_outside(snapshot, decision.violations)):
            held = held or _Held(len(planned), decision.violations, snapshot)
            snapshot = _without_parties(snapshot, parties)
            before = next((step.phase for step in decide(snapshot, intent, engine).steps), Phase.RETIRE)
            planned += (_as_held_step(party, decision.violations, before) for party in sorted(parties))
            continue
        if not decision.steps or circle or (reached(snapshot) and not snapshot.reconciliation.pause.is_ours):
            held = held or _Held(len(planned), (*decision.violations, *circle), snapshot)
            done, after = tuple(planned[: held.steps]), tuple(planned[held.steps :])
            batch = intent.pace.batch if any(step.nodes for step in planned) else ONE_BY_ONE
            whole_forecast = Forecast(done, held.violations, end=held.end, after=after, hearing=hearing, batch=batch)
            if awaits_window:
                choices[f"{start.names.kafka} {describe_next_window(start, intent.goal)}"] = None
            return replace(whole_forecast, choices=tuple(filter(None, choices)), waiting=decision.waiting)
        within_windows = respect_windows(decision, snapshot, intent, stand_in, engine)
        awaits_window = awaits_window or within_windows is not decision
        if held is None and within_windows.violations:
            held = _Held(len(planned), within_windows.violations, snapshot)
        beside = costs.of_pass()
        for step in decision.steps:
            life = chosen_life(snapshot, intent) if isinstance(step, (PrepareAuthority, IssueLeaves)) else ""
            choices.update(dict.fromkeys((step.because, step.avoidable_restart, life)))
            if all(earlier.phase is not step.phase for earlier in planned):
                beside += costs.of_call()
            planned.append(_as_planned_step(step, snapshot, costs, beside, rounds))
            beside = NO_TIME
            snapshot = _assume_unread(unheard, started, _extend_answers(step.effect(snapshot, stand_in)))


@dataclass(frozen=True)
class _Held:
    """The end of the work that a call could do by itself."""

    #: How many of the planned steps lead there.
    steps: int
    #: The violations that hold the call there; empty if the flow has reached its end.
    violations: tuple[Violation, ...]
    #: The cluster at that point, as the forecast has it.
    end: Snapshot


def _parties_outside(snapshot: Snapshot, violations: Sequence[Violation]) -> frozenset[str]:
    """The parties outside the cluster that hold the flow at a gate; empty if anything else holds it too."""
    outside = {
        *(client.name for client in snapshot.outside_clients.clients),
        *(presenter.name for presenter in snapshot.presenters),
    }
    at_gates = all(violation.condition in (Condition.TRUST, Condition.REMOVAL) for violation in violations)
    parties = frozenset(violation.subject for violation in violations)
    return (
        parties
        if at_gates and parties <= {party for party in outside if waiver_of(party, snapshot) is None}
        else frozenset()
    )


def _as_held_step(party: str, violations: Sequence[Violation], before: Phase) -> PlannedStep:
    """A step that holds the plan for this party, before the phase of the next step."""
    messages = " ".join(violation.message for violation in violations if violation.subject == party)
    return PlannedStep(
        before, f"the flow is held here by {party}: {messages}", kind=f"held by {party}", is_change=False,
        span=Span(timedelta(0), None), does=ActionKind.HOLD, outside_parties=(party,),
    )  # fmt: skip


def _without_parties(snapshot: Snapshot, parties: frozenset[str]) -> Snapshot:
    """The snapshot in which these parties are not in the way any more."""
    waivers = tuple(Waiver(party, snapshot.now + LONGEST_WAIVER, "as planned") for party in sorted(parties))
    outside = snapshot.outside_clients
    return replace(snapshot, outside_clients=replace(outside, waivers=(*outside.waivers, *waivers)))


def _find_cycle(snapshot: Snapshot, steps: Steps, states: set[int]) -> tuple[Violation, ...]:
    """The violation if these steps would be taken a second time in the same state. This function adds the state to the
    states so far.
    """
    state = state_of(snapshot, steps)
    if state not in states:
        states.add(state)
        return ()
    return (
        Violation(
            Condition.FLOW_ADVANCES,
            snapshot.names.kafka,
            f"The plan comes back to where it was before: {steps[0].sentence()}.",
            "Nothing is written. Report this with the output of strimzi_ca_info.",
        ),
    )


def _assume_awaited_answers(snapshot: Snapshot, uids: frozenset[str]) -> Snapshot:
    """The snapshot in which these nodes have read the stored objects again, as far as a reload reaches, and otherwise
    know what the ledger says of them. A missing answer is no refusal, and half an answer beside the stored evidence
    could be taken for one (I5). For a node without any answer the flow itself waits. If a node presents an ended leaf,
    its answer counts, however much of it is missing: the node restarts for that leaf.
    """
    if not uids:
        return snapshot
    whole, partly = snapshot.reached_whole, uids - {node.uid for node in unanswered(snapshot)}
    if snapshot.ledger is not None:
        ledger = with_listeners_read(snapshot.ledger, uids, whole)
        for entry in ledger.entries:
            awaited = None if entry.awaited_pods is None else entry.awaited_pods - (uids & whole)
            ledger = ledger.with_entry(replace(entry, awaited_pods=awaited))
        snapshot = replace(snapshot, ledger=ledger)
    return snapshot.assuming_as_started(partly - presenting_ended(snapshot).keys())


def _started_with(uids: frozenset[str], ledger: Ledger) -> Mapping[str, frozenset[str]]:
    """By the fingerprint of a CA, the UIDs of the pods among these that have started with it."""
    entries = (entry for entry in ledger.entries if entry.awaited_pods is not None)
    return {entry.fingerprint: uids - (entry.awaited_pods or frozenset()) for entry in entries}


def _assume_unread(uids: frozenset[str], started: Mapping[str, frozenset[str]], snapshot: Snapshot) -> Snapshot:
    """The snapshot in which these nodes know no CA that has left the ledger, unless they have started with it. The
    answer of a node shows that it did not read that CA, and no restart is planned because an answer is missing.
    """
    if not uids or snapshot.ledger is None:
        return snapshot
    left = tuple(
        replace(removed, awaited_pods=removed.awaited_pods - (uids - started.get(removed.fingerprint, frozenset())))
        for removed in snapshot.ledger.removed_cas
    )
    return replace(snapshot, ledger=replace(snapshot.ledger, removed_cas=left))


def _extend_answers(snapshot: Snapshot) -> Snapshot:
    """The answers of nodes that have answered in full, extended to later CAs: they would answer as for another CA of
    that name and key.
    """
    ledger = snapshot.ledger_or_empty
    authorities = [
        *(entry.certificate for entry in ledger.entries),
        *(removed.certificate for removed in ledger.removed_cas),
    ]
    extended = (
        None
        if snapshot.nodes.listeners is None
        else tuple(_with_answers(listener, authorities) for listener in snapshot.nodes.listeners)
    )
    return snapshot if extended == snapshot.nodes.listeners else snapshot.with_nodes(listeners=extended)


def _with_answers(listener: ObservedListener, authorities: Sequence[Certificate]) -> ObservedListener:
    judged = {*listener.accepts, *listener.refuses, *listener.doubts}
    new = [certificate for certificate in authorities if certificate.fingerprint not in judged]
    if listener.is_silent or not listener.verifies or not new:
        return listener
    accepted = [certificate for certificate in authorities if certificate.fingerprint in listener.accepts]
    trusted = frozenset(certificate.fingerprint for certificate in new if any(map(certificate.is_twin_of, accepted)))
    refused = frozenset(certificate.fingerprint for certificate in new) - trusted
    return replace(listener, accepts=listener.accepts | trusted, refuses=listener.refuses | refused)


def _as_planned_step(step: Step, snapshot: Snapshot, costs: Costs, beside: Span, rounds: Rounds) -> PlannedStep:
    """The step with the time of calls ``beside`` its own."""
    restarted = [pod for pod in snapshot.nodes.pods if pod.uid in step.restarts]
    nodes = tuple(pod.name for pod in restarted if pod.component is Component.KAFKA)
    of_step = rounds(step.reason, nodes) if isinstance(step, Roll) else ()
    span = span_of(step, snapshot, costs, of_step)
    return PlannedStep(
        phase=step.phase,
        what=step.sentence(),
        kind=type(step).__name__,
        nodes=nodes,
        others=tuple(pod.name for pod in restarted if pod.component is not Component.KAFKA),
        reason=step.reason if isinstance(step, Roll) else None,
        rounds=of_step,
        is_change=not step.releases_lease,
        span=span and span + beside,
        does=_kind_of_action(step),
        outside_parties=_name_awaited_clients(step, snapshot),
        approved_inputs=tuple(_list_approved_inputs(step, snapshot)),
    )


def _list_approved_inputs(step: Step, snapshot: Snapshot) -> Iterator[str]:
    if isinstance(step, PrepareAuthority):
        yield from (authority.sha256 for authority in step.supplied)
        if step.links is not None:
            yield from filter(None, (step.links.issuer, step.links.back_issuer))
    if isinstance(step, Project):
        yield from sorted(chain[0].sha256 for chain in step.chains if chain[0].is_real)
    if isinstance(step, AskForLeaves):
        yield step.external_issuer
    if isinstance(step, IssueLeaves):
        yield from sorted(_issuers_of(step, snapshot))


def _issuers_of(step: IssueLeaves, snapshot: Snapshot) -> Set[str]:
    """The references of the issuers that sign leaves of this step; empty if the key of their CA is kept here."""
    requests = snapshot.leaves.requests
    return {
        requests[name].issuer
        for name in step.secrets
        if name in requests and requests[name].authority == step.issuer[0].fingerprint
    }


def _kind_of_action(step: Step) -> ActionKind:
    if isinstance(step, Roll):
        return ActionKind.RESTART
    if isinstance(step, (PauseAndReload, Reload)):
        return ActionKind.RELOAD
    return ActionKind.WAIT if step.only_waits else ActionKind.WRITE


def _name_awaited_clients(step: Step, snapshot: Snapshot) -> tuple[str, ...]:
    if isinstance(step, AwaitClients):
        return (f"clients that read {snapshot.names.certificate_secret}",)
    return step.clients if isinstance(step, AwaitOutside) else ()

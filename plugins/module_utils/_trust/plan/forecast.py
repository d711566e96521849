# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The whole plan of a flow: ``decide`` is asked again and again about the state that its steps would lead to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from ..._pki.certificates import Certificate
from ..decide import decide
from ..evidence.clients import waiver_of
from ..ledger.target import resolve
from ..model.clients import LONGEST_WAIVER, Waiver
from ..model.goals import Phase
from ..model.intent import Intent
from ..model.ledger import Ledger
from ..model.listeners import ObservedListener
from ..model.snapshot import Component, Snapshot
from ..model.steps.authority import PrepareAuthority
from ..model.steps.base import StandIn, Step, Steps
from ..model.steps.leaves import IssueLeaves
from ..model.steps.nodes import Roll, RollReason
from ..model.violations import Condition, Violation
from ..preconditions.lives import chosen_life
from .likeness import state_of
from .windows import describe_next_window, waits_for_window

#: Whether the state that a caller asked for is reached; the flow may have more to do then.
Reached: TypeAlias = Callable[[Snapshot], bool]


def to_the_end(snapshot: Snapshot) -> bool:
    """Never reached early: the caller asked for the whole flow."""
    return False


@dataclass(frozen=True)
class PlannedStep:
    """A step of a plan."""

    phase: Phase
    #: The step, as a sentence.
    what: str
    #: Names of the Kafka nodes that restart.
    nodes: tuple[str, ...] = ()
    #: Names of the other pods that restart.
    others: tuple[str, ...] = ()
    #: The reason of the restarts.
    reason: RollReason | None = None
    #: Whether the step does more than wait.
    is_change: bool = True


@dataclass(frozen=True)
class Forecast:
    """The plan of a call."""

    steps: tuple[PlannedStep, ...]
    #: The reasons that would hold the flow after these steps; empty when they lead to its end.
    violations: tuple[Violation, ...] = ()
    #: The reasons for this way where there is another, as sentences.
    choices: tuple[str, ...] = ()
    #: Certificates that running processes still hold at the end, as sentences.
    waiting: tuple[str, ...] = ()
    #: The cluster as these steps would leave it.
    end: Snapshot | None = field(default=None, compare=False)
    #: The steps that follow once the parties outside the cluster no longer hold the flow; empty where another reason holds it.
    after: tuple[PlannedStep, ...] = ()

    @property
    def whole(self) -> tuple[PlannedStep, ...]:
        """The steps to the end of the flow, with those that follow where it is held."""
        return (*self.steps, *self.after)


def forecast(snapshot: Snapshot, intent: Intent, stand_in: StandIn, reached: Reached = to_the_end) -> Forecast:
    """Every step from here to the end of the flow, or to where a caller has what it asks for, if nothing else happens and no restart fails."""
    about = resolve(snapshot, intent, snapshot.ledger or Ledger()).replaces
    intent = replace(intent, replaces=about or intent.replaces)
    start = snapshot
    planned: list[PlannedStep] = []
    choices: dict[str, None] = {}
    seen, states = _prepared(start), set[int]()
    held: _Held | None = None
    while True:
        decision = decide(snapshot, intent)
        circle = _circle(snapshot, decision.steps, states)
        if not decision.steps and (parties := _outside(snapshot, decision.violations)):
            held = held or _Held(len(planned), decision.violations, snapshot)
            snapshot = _without_parties(snapshot, parties)
            before = next((step.phase for step in decide(snapshot, intent).steps), Phase.RETIRE)
            planned += (_hold(one, decision.violations, before) for one in sorted(parties))
            continue
        if not decision.steps or circle or (reached(snapshot) and not snapshot.reconciliation.paused_by_us):
            found = _found(planned, held or _Held(len(planned), (*decision.violations, *circle), snapshot))
            if waits_for_window(start, intent) and any(one.nodes or one.others for one in found.whole):
                choices[f"{start.names.kafka} {describe_next_window(start)}"] = None
            found = replace(found, choices=tuple(filter(None, choices)), waiting=decision.waiting)
            return _without(seen - _prepared(start) - _brought(start, intent), found)
        for step in decision.steps:
            life = chosen_life(snapshot, intent) if isinstance(step, (PrepareAuthority, IssueLeaves)) else ""
            choices.update(dict.fromkeys((step.because, step.avoidable, life)))
            planned.append(_planned(step, snapshot))
            snapshot = _asked_anew(step.effect(snapshot, stand_in))
            seen |= _prepared(snapshot)


@dataclass(frozen=True)
class _Held:
    """The end of what a call could do by itself. steps: how many lead there. end: the cluster then."""

    steps: int
    violations: tuple[Violation, ...]
    end: Snapshot


def _found(planned: Sequence[PlannedStep], held: _Held) -> Forecast:
    return Forecast(tuple(planned[: held.steps]), held.violations, end=held.end, after=tuple(planned[held.steps :]))


def _outside(snapshot: Snapshot, violations: Sequence[Violation]) -> frozenset[str]:
    """The parties outside the cluster that hold the flow at a gate; empty where anything else holds it too."""
    known = {*(one.name for one in snapshot.outside.clients), *(one.name for one in snapshot.users.presenters)}
    at_gates = all(one.condition in (Condition.TRUST, Condition.REMOVAL) for one in violations)
    parties = frozenset(one.subject for one in violations)
    return (
        parties if at_gates and parties <= {one for one in known if waiver_of(one, snapshot) is None} else frozenset()
    )


def _hold(party: str, violations: Sequence[Violation], before: Phase) -> PlannedStep:
    """before: the phase of what would come next."""
    messages = " ".join(one.message for one in violations if one.subject == party)
    return PlannedStep(before, f"the flow is held here by {party}: {messages}", is_change=False)


def _without_parties(snapshot: Snapshot, parties: frozenset[str]) -> Snapshot:
    """The snapshot in which these are not in the way any more."""
    waivers = tuple(Waiver(one, snapshot.now + LONGEST_WAIVER, "as planned") for one in sorted(parties))
    outside = snapshot.outside
    return replace(snapshot, outside=replace(outside, waivers=(*outside.waivers, *waivers)))


def _circle(snapshot: Snapshot, steps: Steps, states: set[int]) -> tuple[Violation, ...]:
    """The violation where these steps would be taken a second time in the same state. states: those so far; this one is added."""
    state, count = state_of(snapshot, steps), len(states)
    states.add(state)
    if not steps or len(states) > count:
        return ()
    return (
        Violation(
            Condition.FLOW_ADVANCES,
            snapshot.names.kafka,
            f"The plan comes back to where it was before: {steps[0].sentence()}.",
            "Nothing is written. Report this with the output of strimzi_ca_info.",
        ),
    )


def _asked_anew(snapshot: Snapshot) -> Snapshot:
    """The answers of nodes with what they would say of CAs that have come since: the same as of another one with that name and key."""
    ledger = snapshot.ledger or Ledger()
    known = [*(entry.certificate for entry in ledger.entries), *(removed.certificate for removed in ledger.removed)]
    said = (
        None
        if snapshot.nodes.listeners is None
        else tuple(_with_answers(one, known) for one in snapshot.nodes.listeners)
    )
    return snapshot if said == snapshot.nodes.listeners else snapshot.with_nodes(listeners=said)


def _with_answers(listener: ObservedListener, known: Sequence[Certificate]) -> ObservedListener:
    asked = {*listener.accepts, *listener.refuses, *listener.doubts}
    new = [one for one in known if one.fingerprint not in asked]
    if listener.is_silent or not new:
        return listener
    accepted = [one for one in known if one.fingerprint in listener.accepts]
    found = frozenset(one.fingerprint for one in new if any(map(one.is_twin_of, accepted)))
    refused = frozenset(one.fingerprint for one in new) - found
    return replace(listener, accepts=listener.accepts | found, refuses=listener.refuses | refused)


def _prepared(snapshot: Snapshot) -> frozenset[Certificate]:
    """Of a CA that is switched to as well: it was prepared before."""
    return frozenset((*snapshot.ca.in_use, *(one.chain[0] for one in snapshot.ca.prepared)))


def _brought(snapshot: Snapshot, intent: Intent) -> frozenset[Certificate]:
    supplied = intent.supplied.chain[:1] if intent.supplied else ()
    return frozenset((*supplied, *(snapshot.source.certificates if snapshot.source else ())))


def _without(stand_ins: frozenset[Certificate], found: Forecast) -> Forecast:
    """Sentences name a CA that is yet to be made by its subject alone: its digest is unknown."""

    def told(text: str) -> str:
        for certificate in stand_ins:
            # As plans name a CA, and as messages of gates do.
            for digits in (12, 16):
                text = text.replace(f" ({certificate.sha256[:digits]})", "")
        return text

    return Forecast(
        tuple(replace(step, what=told(step.what)) for step in found.steps),
        tuple(replace(one, message=told(one.message)) for one in found.violations),
        tuple(map(told, found.choices)),
        tuple(map(told, found.waiting)),
        found.end,
        tuple(replace(step, what=told(step.what)) for step in found.after),
    )


def _planned(step: Step, snapshot: Snapshot) -> PlannedStep:
    restarted = [pod for pod in snapshot.nodes.pods if pod.uid in step.restarts]
    return PlannedStep(
        phase=step.phase,
        what=step.sentence(),
        nodes=tuple(pod.name for pod in restarted if pod.component is Component.KAFKA),
        others=tuple(pod.name for pod in restarted if pod.component is not Component.KAFKA),
        reason=step.reason if isinstance(step, Roll) else None,
        is_change=not step.holds_nothing,
    )

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The engine as a module runs it: observe, decide, carry out its part, and see what follows (DESIGN section 4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.errors import AlreadyExists, Conflict, NotFound
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.actions import Action
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.errors import ReloadImpossible, StepError
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.observe import Observation, observe
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.reload_permissions import why_not_permitted
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.stamping import unstampable
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decision import Decision, Transition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.guarded import (
    needs_a_fresh_look,
    needs_a_look,
    rests_on_a_reload,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent, Spread
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.observed import of_running
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.reloading import why_restarted
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.restarted_instead import why_restarted_instead
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import (
    SHARED,
    Face,
    Reload,
    Step,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.target import resolve

#: Far more passes than any flow needs in a row; reaching it means that the decisions go in a circle.
MAXIMUM_PASSES = 40
#: How often to look anew when pods were replaced while they were asked.
_LOOKS = 3

#: Carries out one step of a face, by the layer that knows how; raises TypeError for one of another face. A module brings
#: that of its own face, so that a call loads nothing of the other modules' work.
CarryOut: TypeAlias = Callable[[Step, Observation, Work], list[Action]]


class NoProgress(StepError):
    """The same module was asked again and again without an end."""

    def __init__(self, face: Face) -> None:
        super().__init__(
            f"No end after {MAXIMUM_PASSES} passes of {face.value}.", "Please report it; the flow can be run again."
        )


@dataclass
class Outcome:
    """What a module call did. decision: what follows now; replaces: the CA that the flow is about.

    spread: as asked for, or RESTART from the moment at which nodes had to be restarted instead.
    looked: the last observation with what the nodes said themselves; None when nobody was asked.
    """

    observation: Observation
    decision: Decision
    replaces: str | None
    before: Observation
    spread: Spread
    actions: list[Action] = field(default_factory=list)
    transitions: list[Transition] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    looked: Observation | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.go_on(self.observation, self.decision)

    def fall_back(self, why: str) -> None:
        """The flow stays with restarts: a plan that changes its mind with every call is none."""
        self.warnings.append(why)
        self.spread = Spread.RESTART

    def go_on(self, observation: Observation, decision: Decision) -> None:
        self.observation, self.decision = observation, decision
        # What was said before and is only used again was not seen now.
        said, before = observation.snapshot.listeners, self.looked
        if said is not None and (before is None or said is not before.snapshot.listeners):
            self.looked = observation

    @property
    def changed(self) -> bool:
        return any(action.is_change for action in self.actions)


def run(work: Work, intent: Intent, face: Face, carry_out: CarryOut, before_write: Callable[[], None]) -> Outcome:
    """Carry out the steps of one face until it is another's turn. ``before_write`` takes the Lease.

    Once at work, it carries out the steps that all share as well; it is at work where its turn came, or seemed to have
    come before the nodes were asked. A conflict means that somebody changed what the decision was based on: look again,
    decide again (I6).
    """
    seen, hoped = _at_first_sight(work, intent)
    outcome = _outcome(*_with_a_look(work, intent, seen, hoped), intent)
    at_work = face in (hoped.next_face, outcome.decision.next_face)
    about = outcome.replaces
    if about is not None:
        # From here on this run is about this CA: when it is replaced, the run is at its end.
        intent = replace(intent, replaces=about)
    passes = 0
    while at_work and (steps := own_steps(outcome.decision, face)):
        passes += 1
        if passes > MAXIMUM_PASSES:
            raise NoProgress(face)
        if why := _why_restarted_instead(steps, outcome, intent):
            outcome.fall_back(why)
        if work.dry_run:
            _carry_out_all(steps, carry_out, outcome, work)
            return outcome
        before_write()
        try:
            _carry_out_all(steps, carry_out, outcome, work)
        except (Conflict, AlreadyExists, NotFound):
            # Decided on a state that is no longer so; nothing was overwritten.
            work.alive()
        except ReloadImpossible as error:
            if intent.spread is Spread.RELOAD:
                raise
            outcome.fall_back(f"{error} They are restarted instead.")
        intent = replace(intent, spread=outcome.spread)
        seen, hoped = _at_first_sight(work, intent)
        # If it is another's turn, that one asks the nodes for itself.
        if own_steps(hoped, face):
            earlier = None if any(isinstance(step, Reload) for step in steps) else outcome.looked
            seen, hoped = _with_a_look(work, intent, seen, hoped, earlier)
        outcome.go_on(seen, hoped)
    return outcome


def own_steps(decision: Decision, face: Face) -> tuple[Step, ...]:
    """The leading steps that belong to this face, while it is at work."""
    found = []
    for step in decision.steps:
        if step.face is not face and not isinstance(step, SHARED):
            break
        found.append(step)
    return tuple(found)


def _why_restarted_instead(steps: tuple[Step, ...], outcome: Outcome, intent: Intent) -> str:
    """Only where the choice was ours."""
    if intent.spread is not Spread.AUTO:
        return ""
    snapshot = outcome.observation.snapshot
    return next(filter(None, (why_restarted_instead(step, snapshot, intent) for step in steps)), "")


def _carry_out_all(steps: tuple[Step, ...], carry_out: CarryOut, outcome: Outcome, work: Work) -> None:
    for step in steps:
        outcome.actions += carry_out(step, outcome.observation, work)
    outcome.transitions += outcome.decision.transitions


def look(work: Work, intent: Intent) -> Outcome:
    """Observe and decide, and do nothing."""
    return _outcome(*_with_a_look(work, intent, *_at_first_sight(work, intent)), intent)


def _outcome(observation: Observation, decision: Decision, intent: Intent) -> Outcome:
    about = resolve(observation.snapshot, intent, observation.snapshot.ledger or Ledger()).replaces
    return Outcome(observation, decision, about, observation, intent.spread)


def _at_first_sight(work: Work, intent: Intent) -> tuple[Observation, Decision]:
    """What to do next by all that is stored."""
    observation = observe(work.client, work.scope, work.clock.now(), work.settings.outside)
    return observation, decide(observation.snapshot, intent)


def _with_a_look(
    work: Work, intent: Intent, observation: Observation, decision: Decision, earlier: Observation | None = None
) -> tuple[Observation, Decision]:
    """Where a gate stands before these steps, the running nodes are asked first, and it is decided again.

    earlier: what they have said in this call already.
    """
    if not any(needs_a_look(step, observation.snapshot) for step in decision.steps):
        return observation, decision
    if earlier and (known := _as_seen_before(observation, decision, intent, earlier)):
        return known
    observation = look_closely(work, observation, intent)
    hoped = decide(replace(observation.snapshot, unpredicted=()), intent)
    if any(rests_on_a_reload(step, intent) for step in hoped.steps):
        observation = with_obstacles(work, observation, intent)
    return observation, decide(observation.snapshot, intent)


def _as_seen_before(
    observation: Observation, decision: Decision, intent: Intent, earlier: Observation
) -> tuple[Observation, Decision] | None:
    """With what the same processes have said; None where they have to be asked again."""
    snapshot, before = observation.snapshot, earlier.snapshot
    if before.uids != snapshot.uids or any(needs_a_fresh_look(step, snapshot) for step in decision.steps):
        return None
    known = replace(
        snapshot, listeners=before.listeners, asked=True, unreloadable=before.unreloadable,
        unpredicted=before.unpredicted,
    )  # fmt: skip
    again = decide(known, intent)
    if any(needs_a_fresh_look(step, known) for step in again.steps):
        return None
    return replace(observation, snapshot=known), again


def look_closely(work: Work, observation: Observation, intent: Intent) -> Observation:
    """The cluster with what its nodes say themselves; where nobody can be asked, with that instead."""
    for _attempt in range(_LOOKS):
        listeners = work.look_live(observation) if work.look_live else None
        if listeners is None:
            # Without an answer, that is what keeps nodes from being reloaded.
            unasked = replace(observation.snapshot, unreloadable=why_restarted(observation.snapshot, intent))
            return replace(observation, snapshot=unasked)
        # Listed again: a pod that was replaced meanwhile may have answered for its predecessor.
        observation = observe(work.client, work.scope, work.clock.now(), work.settings.outside)
        known = of_running(listeners, observation.snapshot.uids)
        if len(known) == len(listeners):
            break
    return replace(observation, snapshot=replace(observation.snapshot, listeners=known, asked=True))


def with_obstacles(work: Work, observation: Observation, intent: Intent) -> Observation:
    """With what is in the way of a reload, if anything: known before one is begun, or relied on."""
    snapshot = observation.snapshot
    known = bool(snapshot.unreloadable) or snapshot.unpredicted is not None
    if intent.spread is Spread.RESTART or known or not snapshot.pods:
        return observation
    why = work.unreloadable() or why_not_permitted(work.client, work.scope.namespace)
    unpredicted = None if why else unstampable(observation, work)
    return replace(observation, snapshot=replace(snapshot, unreloadable=why, unpredicted=unpredicted))

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The engine as a module runs it: observe, decide, carry out its part, and see what follows (DESIGN section 4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issue import carry_out_issue
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.stand_ins import StandIns
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.errors import AlreadyExists, Conflict, NotFound
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.roll import carry_out_roll
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi import apply
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.actions import Action
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.observe import Observation, observe
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decision import Decision, Transition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.forecast import Forecast, forecast
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.guarded import needs_a_look
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.observed import of_running
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import Face, IssueLeaves, Resume, Roll, Step
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.target import resolve

#: Far more passes than any flow needs in a row; reaching it means that the decisions go in a circle.
MAXIMUM_PASSES = 40
#: How often to look anew when pods were replaced while they were asked.
_LOOKS = 3


class NoProgress(Exception):
    """The same module was asked again and again without an end."""


@dataclass
class Outcome:
    """What a module call did. decision: what follows now; replaces: the CA that the flow is about."""

    observation: Observation
    decision: Decision
    replaces: str | None
    before: Observation
    actions: list[Action] = field(default_factory=list)
    transitions: list[Transition] = field(default_factory=list)

    @property
    def changed(self) -> bool:
        return any(action.is_change for action in self.actions)


def run(work: Work, intent: Intent, face: Face, before_write: Callable[[], None]) -> Outcome:
    """Carry out the steps of one face until it is another's turn. ``before_write`` takes the Lease.

    A conflict means that somebody changed what the decision was based on: look again, decide again (I6).
    """
    outcome = look(work, intent)
    about = outcome.replaces
    if about is not None:
        # From here on this run is about this CA: when it is replaced, the run is at its end.
        intent = replace(intent, replaces=about)
    passes = 0
    while steps := own_steps(outcome.decision, face):
        passes += 1
        if passes > MAXIMUM_PASSES:
            raise NoProgress(f"No end after {MAXIMUM_PASSES} passes of {face.value}.")
        if work.dry_run:
            _carry_out(steps, outcome, work)
            return outcome
        before_write()
        try:
            _carry_out(steps, outcome, work)
        except (Conflict, AlreadyExists, NotFound):
            # Decided on a state that is no longer so; nothing was overwritten.
            work.alive()
        outcome.observation, outcome.decision = _observe_and_decide(work, intent)
    return outcome


def own_steps(decision: Decision, face: Face) -> tuple[Step, ...]:
    """The leading steps that belong to this face."""
    found = []
    for step in decision.steps:
        if step.face is not face:
            break
        found.append(step)
    return tuple(found)


def _carry_out(steps: tuple[Step, ...], outcome: Outcome, work: Work) -> None:
    for step in steps:
        outcome.actions += carry_out(step, outcome.observation, work)
    outcome.transitions += outcome.decision.transitions


def carry_out(step: Step, observation: Observation, work: Work) -> list[Action]:
    """One step, by the layer that knows how."""
    if isinstance(step, Roll):
        return carry_out_roll(step, observation, work)
    if isinstance(step, IssueLeaves):
        return carry_out_issue(step, observation, work)
    return apply.carry_out(step, observation, work)


def look(work: Work, intent: Intent) -> Outcome:
    """Observe and decide, and do nothing."""
    observation, decision = _observe_and_decide(work, intent)
    about = resolve(observation.snapshot, intent, observation.snapshot.ledger or Ledger()).replaces
    return Outcome(observation, decision, about, observation)


def _observe_and_decide(work: Work, intent: Intent) -> tuple[Observation, Decision]:
    """What to do next; where a gate stands before it, the running nodes are asked first, and it is decided again."""
    observation = observe(work.client, work.scope, work.clock.now())
    decision = decide(observation.snapshot, intent)
    if any(needs_a_look(step, observation.snapshot) for step in decision.steps):
        seen = look_closely(work, observation)
        if seen is not None:
            return seen, decide(seen.snapshot, intent)
    return observation, decision


def look_closely(work: Work, observation: Observation) -> Observation | None:
    """The cluster with what its nodes say themselves. None where nobody is to be asked, or can be."""
    for _attempt in range(_LOOKS):
        listeners = work.look_live(observation) if work.look_live else None
        if listeners is None:
            return None
        # Listed again: a pod that was replaced meanwhile may have answered for its predecessor.
        observation = observe(work.client, work.scope, work.clock.now())
        known = of_running(listeners, observation.snapshot.uids)
        observation = replace(observation, snapshot=replace(observation.snapshot, listeners=known))
        if len(known) == len(listeners):
            break
    return observation


def inspect(work: Work, intent: Intent) -> Outcome:
    """Like ``look``, with what the nodes say themselves wherever they can be asked."""
    outcome = look(work, intent)
    if outcome.observation.snapshot.listeners is None:
        seen = look_closely(work, outcome.observation)
        if seen is not None:
            outcome.observation, outcome.decision = seen, decide(seen.snapshot, intent)
    return outcome


def resume_ours(work: Work, intent: Intent) -> Outcome:
    """End a pause of ours, if there is one, whatever the flow is at."""
    outcome = look(work, intent)
    if outcome.observation.snapshot.reconciliation.paused_by_us:
        outcome.actions += carry_out(Resume(), outcome.observation, work)
    return outcome


def plan(work: Work, outcome: Outcome, intent: Intent) -> Forecast:
    """Every step from here to the end of the flow. Raises StepError when a step could not be taken at all."""
    return forecast(outcome.observation.snapshot, intent, StandIns(outcome.observation, work))

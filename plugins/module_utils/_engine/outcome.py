# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The outcome of a call: what was seen and decided last, and what led there."""

from __future__ import annotations

from dataclasses import dataclass, field

from .._strimzi.observe import Observation
from .._strimzi.work import Work
from .._trust.decide import ENGINE, Engine
from .._trust.ledger.target import resolve
from .._trust.model.decision import Decision, Transition
from .._trust.model.intent import Intent
from .._trust.model.ledger import Ledger
from .looking import decide_with_a_look, observe_cluster


@dataclass
class Outcome:
    """The outcome of a call."""

    #: The last observation of the call.
    observation: Observation
    #: The last decision, about the work that is left.
    decision: Decision
    #: The CA that the flow replaces or renews.
    replaces: str | None
    #: The first observation of the call.
    before: Observation
    #: The transitions of CAs in this call, in order.
    transitions: list[Transition] = field(default_factory=list)
    #: The last observation with answers of the nodes; None where this call asked none.
    looked: Observation | None = field(default=None, init=False)
    #: Whether this call holds the Lease. Without the Lease a pause may belong to another run.
    has_begun: bool = field(default=False, init=False)
    #: Whether the last steps that this call began pause the operator.
    pauses: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.go_on(self.observation, self.decision)

    @property
    def is_in_a_pause(self) -> bool:
        """Whether the operator is paused by this collection, as far as is known."""
        return self.pauses or self.observation.snapshot.reconciliation.paused_by_us

    def go_on(self, observation: Observation, decision: Decision) -> None:
        self.observation, self.decision, self.pauses = observation, decision, False
        # Answers of an earlier look that are only used again are no new look.
        said, before = observation.snapshot.nodes.listeners, self.looked
        if said is not None and (before is None or said is not before.snapshot.nodes.listeners):
            self.looked = observation


def look(work: Work, intent: Intent, engine: Engine = ENGINE) -> Outcome:
    """Observe and decide, and do nothing."""
    seen, decision = decide_with_a_look(work, intent, observe_cluster(work), engine)
    about = resolve(seen.snapshot, intent, seen.snapshot.ledger or Ledger()).replaces
    return Outcome(seen, decision, about, seen)

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Looking at a cluster without changing it: its state, and every step that a flow would take from here."""

from __future__ import annotations

from .._issuing.stand_ins import StandIns
from .._strimzi.work import Work
from .._trust.decide import decide
from .._trust.model.intent import Intent
from .._trust.plan.forecast import Forecast, Reached, forecast, to_the_end
from .looking import look_closely
from .outcome import Outcome, look


def inspect(work: Work, intent: Intent) -> Outcome:
    """Like ``look``, but the nodes are always asked where they can be: the plan is about the whole flow and not only
    the next step.
    """
    outcome = look(work, intent)
    if outcome.observation.snapshot.nodes.in_place is None and outcome.observation.snapshot.nodes.pods:
        seen = look_closely(work, outcome.observation)
        outcome.go_on(seen, decide(seen.snapshot, intent))
    return outcome


def plan(work: Work, outcome: Outcome, intent: Intent, reached: Reached = to_the_end) -> Forecast:
    """Every step from here to the end of the flow, or to where the caller has what it asks for. Raises StepError when a step could not be
    taken at all.
    """
    return forecast(outcome.observation.snapshot, intent, StandIns(outcome.observation, work), reached)

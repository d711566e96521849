# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Looking without touching: what is so, and every step that a flow would take from here."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.engine import (
    Outcome,
    look,
    look_closely,
    with_obstacles,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.stand_ins import StandIns
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.forecast import Forecast, forecast
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent


def inspect(work: Work, intent: Intent) -> Outcome:
    """Like ``look``, with what the nodes say themselves wherever they can be asked."""
    outcome = look(work, intent)
    seen = outcome.observation
    if seen.snapshot.listeners is None:
        seen = look_closely(work, seen, intent)
    # Whatever comes next: the plan is about all that follows.
    seen = with_obstacles(work, seen, intent)
    outcome.go_on(seen, decide(seen.snapshot, intent))
    return outcome


def plan(work: Work, outcome: Outcome, intent: Intent) -> Forecast:
    """Every step from here to the end of the flow. Raises StepError when a step could not be taken at all."""
    return forecast(outcome.observation.snapshot, intent, StandIns(outcome.observation, work))

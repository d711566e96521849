# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A module call that shows the trust of a cluster and the plan of a flow, and changes nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from .._engine.inspection import inspect, plan
from .._engine.patience import AT_FIRST, Patience
from .._trust.ledger.target import why_answered
from .._trust.model.goals import Goal
from .._trust.model.ledger import Ledger
from .._trust.model.violations import Condition
from .plan_lines import plan_lines
from .results import describe_forecast, describe_violations
from .trust_module import TrustModule


class LookingModule(TrustModule):
    """A call that shows and plans."""

    def show(self, goal: Goal) -> dict[str, Any]:
        """The whole picture and the plan of a flow. Violations are part of the result and no failure, but for a cluster that does not exist."""
        work = self.work()
        # A plan makes nothing, and this goal is that of a cluster that is yet to come.
        intent = replace(self.intent(work, goal, key_type=self.key_type), before_kafka=goal is Goal.CREATE)
        outcome = Patience(work).through(lambda: inspect(work, intent), AT_FIRST)
        self.warn_of_unfinished(outcome.before, goal)
        planned = plan(work, outcome, intent)
        found = outcome.decision.violations or planned.violations
        result = {**self.result(outcome), **describe_forecast(planned), "violations": describe_violations(found)}
        seen = outcome.observation.snapshot
        answered = why_answered(seen, intent, seen.ledger or Ledger())
        for line in plan_lines(result, goal.value, self.check_mode, answered):
            work.tell(line)
        if all(one.condition is not Condition.CLUSTER_EXISTS for one in found):
            result.pop("failed_message", None)
        return result

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A plan as lines for a person who watches.

A module call that shows the trust of a cluster and the plan of a flow, and changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .._engine.outcome import inspect, plan
from .._engine.patience import AT_FIRST, Patience
from .._trust.ledger.target import why_answered
from .._trust.model.decision import Condition
from .._trust.model.goals import Goal
from .._trust.model.ledger import Ledger
from .._trust.model.names import counted
from .results import describe_forecast, describe_violations
from .trust_module import TrustModule


def plan_lines(planned: Mapping[str, Any], goal: str, check_mode: bool, answered: str = "") -> list[str]:
    """planned: a result with a plan. check_mode: all of it is shown; else each step is told when it is carried out, and what is
    waited for at the end, or here where no call follows: there is neither a step nor anything in the way. answered: why the flow that is asked for is
    not begun; empty where nothing is told.
    """
    waiting = () if planned["plan"] or planned["violations"] else planned["waiting"]
    return [f"{goal}: {_summary(planned, answered)}", *(_details(planned) if check_mode else waiting)]


def _summary(planned: Mapping[str, Any], answered: str) -> str:
    steps, rolls, restarts = planned["plan"], planned["planned_rolls"], planned["planned_restarts"]
    if not steps:
        return "something is in the way" if planned["violations"] else _idle(planned["pending"], answered)
    return (
        f"{counted(len(steps), 'step')} ({', '.join(planned['planned_phases'])}), "
        f"{counted(rolls, 'roll')} of the Kafka nodes, {counted(restarts, 'restart')} in all"
    )


def _idle(left: Sequence[str], answered: str) -> str:
    """left: the steps of phases that this run does not enter."""
    if left:
        return f"nothing to do in the phases that were asked for. Left: {'; '.join(left)}"
    return f"nothing to do: {answered}" if answered else "nothing to do"


def _details(planned: Mapping[str, Any]) -> Iterator[str]:
    yield from planned["choices"]
    yield from (f"{step['phase']}: {step['what']}{_restarted(step['restarts'])}" for step in planned["plan"])
    yield from (f"{one['subject']}: {one['message']} {one['remedy']}" for one in planned["violations"])
    yield from planned["waiting"]


def _restarted(pods: Sequence[str]) -> str:
    return f" (restarts {', '.join(pods)})" if pods else ""


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

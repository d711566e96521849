# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the plan says is what the flow then does, step by step, and planning itself changes nothing."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible import engine
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.engine import look, plan
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.forecast import Forecast
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent, Phase, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal

from ...fakes.flows import run_flow, work_on
from ...fakes.world import World
from ...faults.flows import ROLLS, Case, finish, start
from ...faults.killing import KillingTransport

CASES = [Case(goal, way) for goal in ROLLS for way in Way]


def forecast_of(world: World, intent: Intent) -> Forecast:
    transport = KillingTransport(world.api)
    work = work_on(world, transport)
    planned = plan(work, look(work, intent), intent)
    assert transport.writes == 0
    return planned


def taken(world: World, intent: Intent, patch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Phase and module of every step that the flow really takes."""
    steps: list[tuple[str, str]] = []
    carry_out = engine.carry_out

    def recording(step: Any, *arguments: Any) -> Any:
        steps.append((step.phase.value, step.face.value))
        return carry_out(step, *arguments)

    patch.setattr(engine, "carry_out", recording)
    result = run_flow(work_on(world), intent)
    assert result.outcome.decision.done
    return steps


def in_order(steps: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """A step that is taken in two halves, because the operator was slow, is one."""
    return [step for step, _group in groupby(steps)]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_plan_is_what_happens(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    world, _checker = start(case)
    planned = forecast_of(world, case.intent)
    before = world.restarts()
    steps = taken(world, case.intent, monkeypatch)
    restarts = {name: count - before.get(name, 0) for name, count in world.restarts().items()}
    assert planned.violations == ()
    assert in_order([(step.phase.value, step.face.value) for step in planned.steps]) == in_order(steps)
    assert Counter(name for step in planned.steps for name in step.nodes) == +Counter(restarts)
    assert sum(1 for step in planned.steps if step.nodes) <= ROLLS[case.goal]


def test_where_nothing_is_to_be_done_the_plan_is_empty() -> None:
    world, _checker = start(Case(Goal.REPLACE_KEY, Way.COOPERATE))
    finish(world, Intent(Goal.REPLACE_KEY))
    assert forecast_of(world, Intent(Goal.REPLACE_KEY)) == Forecast(())


@pytest.mark.parametrize("phase", Phase)
def test_the_plan_ends_with_the_phase_to_stop_after(phase: Phase) -> None:
    world, _checker = start(Case(Goal.REPLACE_KEY, Way.COOPERATE))
    planned = forecast_of(world, Intent(Goal.REPLACE_KEY, until=phase))
    assert planned.steps
    assert max(step.phase.position for step in planned.steps) == phase.position


def test_a_flow_that_is_held_has_no_plan_but_a_reason() -> None:
    world, _checker = start(Case(Goal.REPLACE_KEY, Way.COOPERATE))
    path = "/apis/kafka.strimzi.io/v1/namespaces/kafka/kafkas/demo"
    paused = {"metadata": {"annotations": {"strimzi.io/pause-reconciliation": "true"}}}
    world.api.request("PATCH", path, body=paused, content_type="application/merge-patch+json")
    planned = forecast_of(world, Intent(Goal.REPLACE_KEY))
    assert planned.steps == ()
    assert [violation.gate for violation in planned.violations] == ["operator"]


def test_the_plan_of_a_flow_half_way_is_what_is_left() -> None:
    world, _checker = start(Case(Goal.REPLACE_KEY, Way.COOPERATE))
    finish_until = Intent(Goal.REPLACE_KEY, until=Phase.TRUST)
    whole = forecast_of(world, Intent(Goal.REPLACE_KEY))
    run_flow(work_on(world), finish_until)
    left = forecast_of(world, Intent(Goal.REPLACE_KEY))
    assert {step.phase for step in left.steps if step.nodes} == {Phase.USE, Phase.RETIRE}
    assert sum(1 for step in left.steps if step.nodes) == sum(1 for step in whole.steps if step.nodes) - 1

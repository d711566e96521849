# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the plan says is what the flow then does, step by step, and planning itself changes nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import groupby
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.engine import CarryOut, look
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.inspection import inspect, plan
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.forecast import Forecast
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Bridge, Intent, Phase, Spread, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import Face

from ...fakes.flows import CARRY_OUT, run_flow, work_on
from ...fakes.permissions import Restricted
from ...fakes.reloads import ReloadingNodes
from ...fakes.world import World
from ...faults.flows import CASES, Case, finish, start
from ...faults.killing import KillingTransport
from ...operator import double
from ...operator.authority import ReconcileFailed

PLAIN = Case(Goal.REPLACE_KEY, Way.COOPERATE, Bridge.NEVER)
BRIDGED = Case(Goal.REPLACE_KEY, Way.COOPERATE, Bridge.AUTO)
#: The phases of each: trust comes with the bridge, and has no phase of its own.
PHASES = [(PLAIN, phase) for phase in Phase] + [(BRIDGED, phase) for phase in Phase if phase is not Phase.TRUST]


def forecast_of(world: World, intent: Intent) -> Forecast:
    transport = KillingTransport(world.api)
    work = work_on(world, transport)
    planned = plan(work, look(work, intent), intent)
    assert transport.writes == 0
    return planned


def taken(
    world: World, intent: Intent, patch: pytest.MonkeyPatch, nodes: ReloadingNodes | None = None
) -> list[tuple[str, str]]:
    """Phase and module of every step that the flow really takes."""
    steps: list[tuple[str, str]] = []

    def recording(face: Face, carry_out: CarryOut) -> CarryOut:
        def noted(step: Any, *arguments: Any) -> Any:
            steps.append((step.phase.value, face.value))
            return carry_out(step, *arguments)

        return noted

    for face, carry_out in CARRY_OUT.items():
        patch.setitem(CARRY_OUT, face, recording(face, carry_out))
    work = work_on(world)
    result = run_flow(nodes.attach(work) if nodes else work, intent)
    assert result.outcome.decision.done
    return steps


def slow_operator(world: World, patch: pytest.MonkeyPatch) -> None:
    """A reconcile that changes the trust bundle ends there: who waits for the bundle is told before anything restarts."""
    write = double.write_trust_bundle

    def bundle() -> Any:
        found = world.api.find("secrets", world.namespace, f"{world.cluster}-trustbundle")
        return (found or {}).get("data")

    def write_and_end(*arguments: Any) -> None:
        before = bundle()
        write(*arguments)
        if before is not None and before != bundle():
            raise ReconcileFailed("Interrupted", "the operator was restarted")

    patch.setattr(double, "write_trust_bundle", write_and_end)


def in_order(steps: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """A step that is taken in two halves, because the operator was slow, is one."""
    return [step for step, _group in groupby(steps)]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_plan_is_what_happens(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    world, _checker = start(case)
    planned = forecast_of(world, case.intent)
    before = world.restarts()
    slow_operator(world, monkeypatch)
    steps = taken(world, case.intent, monkeypatch)
    restarts = {name: count - before.get(name, 0) for name, count in world.restarts().items()}
    assert planned.violations == ()
    assert in_order([(step.phase.value, step.face.value) for step in planned.steps]) == in_order(steps)
    assert Counter(name for step in planned.steps for name in step.nodes) == +Counter(restarts)
    assert sum(1 for step in planned.steps if step.nodes) <= case.rolls


@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize("bridge", [Bridge.AUTO, Bridge.NEVER])
def test_the_plan_is_what_happens_where_nodes_read_again(
    bridge: Bridge, way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = Case(Goal.REPLACE_KEY, way, bridge)
    world, _checker = start(case)
    nodes = ReloadingNodes(world)
    nodes.replace_requests(monkeypatch)
    work = nodes.attach(work_on(world))
    planned = plan(work, inspect(work, case.intent), case.intent)
    before = world.restarts()
    slow_operator(world, monkeypatch)
    steps = taken(world, case.intent, monkeypatch, nodes)
    restarts = {name: count - before.get(name, 0) for name, count in world.restarts().items()}
    assert in_order([(step.phase.value, step.face.value) for step in planned.steps]) == in_order(steps)
    assert Counter(name for step in planned.steps for name in step.nodes) == +Counter(restarts)
    assert any("read their trust again" in choice for choice in planned.choices)
    assert not any("restarted to forget" in choice for choice in planned.choices)


@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize("bridge", [Bridge.AUTO, Bridge.NEVER])
def test_the_plan_says_which_permission_is_missing_for_a_reload(bridge: Bridge, way: Way) -> None:
    case = Case(Goal.REPLACE_KEY, way, bridge)
    world, _checker = start(case)
    nodes = ReloadingNodes(world)
    work = nodes.attach(work_on(world, Restricted(world.api, frozenset({"patch strimzipodsets"}))))
    planned = plan(work, inspect(work, case.intent), case.intent)
    said = [choice for choice in planned.choices if "may not patch strimzipodsets in namespace kafka." in choice]
    assert [choice.startswith("Nodes are restarted ") for choice in said] == [True]
    assert sum(1 for step in planned.steps if step.nodes) == case.rolls
    forced = replace(case.intent, spread=Spread.RELOAD)
    held = plan(work, inspect(work, forced), forced)
    assert [violation.gate for violation in held.violations] == ["reload"]
    assert sum(1 for step in held.steps if step.nodes) == case.rolls - 1


def test_where_nothing_is_to_be_done_the_plan_is_empty() -> None:
    world, _checker = start(Case(Goal.REPLACE_KEY, Way.COOPERATE))
    finish(world, Intent(Goal.REPLACE_KEY))
    assert forecast_of(world, Intent(Goal.REPLACE_KEY)) == Forecast(())


@pytest.mark.parametrize(("case", "phase"), PHASES, ids=str)
def test_the_plan_ends_with_the_phase_to_stop_after(case: Case, phase: Phase) -> None:
    world, _checker = start(case)
    planned = forecast_of(world, replace(case.intent, until=phase))
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


@pytest.mark.parametrize(
    ("case", "until", "left_over"),
    [
        (PLAIN, Phase.TRUST, (Phase.USE, Phase.RETIRE)),
        (BRIDGED, Phase.PREPARE, (Phase.USE, Phase.RETIRE)),
        (BRIDGED, Phase.USE, (Phase.RETIRE,)),
    ],
    ids=str,
)
def test_the_plan_of_a_flow_half_way_is_what_is_left(case: Case, until: Phase, left_over: tuple[Phase, ...]) -> None:
    world, _checker = start(case)
    whole = forecast_of(world, case.intent)
    run_flow(work_on(world), replace(case.intent, until=until))
    left = forecast_of(world, case.intent)
    assert {step.phase for step in left.steps if step.nodes} == set(left_over)
    assert sum(1 for step in left.steps if step.nodes) == len(left_over)
    assert sum(1 for step in whole.steps if step.nodes) == case.rolls

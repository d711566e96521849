# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The console counts what the plan counts: each restart has one line, the numbers run to the number of the plan, and a restart that the plan does not
have is named as such.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine import engine
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.counting import begin_shared_count
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect, plan
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.restarts import CountedRestart
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase

from ..tools.support.flows import FlowResult, run_flow
from ..tools.support.memory_api import Change
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.watched_cluster import NAMESPACE, WatchedCluster
from .cases import CASES, ENDED, PATIENT_REPLACEMENTS, Case, Flow, mostly_long

FLOWS = [*CASES, *ENDED, Case(Goal.DOWNGRADE, "after a renewal")]


class Starts:
    """The pods that have been made since."""

    def __init__(self, cluster: WatchedCluster) -> None:
        self.pods: list[str] = []
        cluster.memory.api.listeners.append(self._note)

    def _note(self, change: Change) -> None:
        if change.plural == "pods" and change.old is None:
            self.pods.append(change.name)


def play(
    flow: Flow, *, in_one_call: bool = False, between: Callable[[], object] = lambda: None
) -> tuple[int, FlowResult]:
    """The number of planned restarts, and a run of the flow as a role makes it: a plan, then calls that share its count.
    A call by itself counts its own plan.
    """
    cluster = flow.cluster
    work, asked = cluster.work(flow.supplied), flow.asked()
    outcome = inspect(work, asked)
    planned = plan(work, outcome, asked)
    work.shared_count = None if in_one_call else begin_shared_count(planned, outcome.observation.snapshot)
    cluster.said.clear()
    result = run_flow(work, asked, in_one_call=in_one_call, between=between)
    return sum(len((*step.nodes, *step.others)) for step in planned.whole), result


def assert_counted(restarts: list[CountedRestart], planned: int, cluster: WatchedCluster) -> None:
    """Each restart once, in order, to the number of the plan."""
    assert [one.number for one in restarts] == list(range(1, planned + 1))
    assert all(one.is_planned for one in restarts)
    assert [one.planned for one in restarts[-1:]] == [planned] * bool(restarts)
    shown = list(cluster.said)
    assert [line for line in shown if line.startswith("restart ") and ":" in line] == [
        one.sentence() for one in restarts
    ]
    assert not any("another program" in line or "than planned" in line for line in shown)


@pytest.mark.usefixtures("uptake")
@pytest.mark.parametrize("case", mostly_long(FLOWS))
@pytest.mark.parametrize("in_one_call", [False, True])
@pytest.mark.each_once
def test_every_restart_has_its_line(cluster: WatchedCluster, case: Case, in_one_call: bool) -> None:
    flow = case.begin(cluster)
    starts = Starts(cluster)
    planned, result = play(flow, in_one_call=in_one_call)
    cluster.memory.settle()
    assert result.outcome.decision.done
    assert planned == len(starts.pods)
    assert_counted(result.restarts, planned, cluster)
    # A call by itself learns in its course what nodes can read again; the calls of a play know it from the plan.
    assert in_one_call or {one.planned for one in result.restarts} <= {planned}


@pytest.mark.parametrize("case", PATIENT_REPLACEMENTS, ids=str)
def test_every_restart_of_a_patient_flow_has_its_line(
    cluster: WatchedCluster, nodes: ReloadingNodes, case: Case
) -> None:
    flow = case.begin(cluster)
    starts = Starts(cluster)
    planned, result = play(flow)
    cluster.memory.settle()
    assert planned == len(starts.pods)
    assert_counted(result.restarts, planned, cluster)


def after_each_step(patch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Have this happen in the cluster after each step of a call."""
    carry_out = engine.carry_out

    def carried_out(*about: Any) -> None:
        carry_out(*about)
        act()

    patch.setattr(engine, "carry_out", carried_out)


@pytest.mark.usefixtures("uptake")
@pytest.mark.parametrize("case", mostly_long(FLOWS))
@pytest.mark.parametrize("is_gone", [False, True], ids=["not ready", "gone"])
def test_a_node_that_is_away_between_two_steps_restarts_by_the_plan(
    cluster: WatchedCluster, case: Case, is_gone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operator has begun with the restarts: it waits for a node, which comes while the next step is at work."""
    flow = case.begin(cluster)
    starts, kubelet = Starts(cluster), cluster.memory.kubelet

    def begin_restarts() -> None:
        before = len(starts.pods)
        kubelet.broken |= kubelet.nodes
        cluster.memory.step()
        kubelet.broken.clear()
        for node in set(starts.pods[before:]) & kubelet.nodes if is_gone else ():
            cluster.memory.api.request("DELETE", f"/api/v1/namespaces/{NAMESPACE}/pods/{node}")
            starts.pods.remove(node)

    after_each_step(monkeypatch, begin_restarts)
    planned, result = play(flow)
    monkeypatch.undo()
    cluster.memory.settle()
    assert result.outcome.decision.done
    assert planned == len(starts.pods)
    assert_counted(result.restarts, planned, cluster)


@pytest.mark.usefixtures("uptake")
@pytest.mark.parametrize("case", mostly_long(FLOWS))
def test_restarts_of_a_quick_operator_are_those_of_the_plan(
    cluster: WatchedCluster, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has restarted pods by itself before the call, or the next call of the play, comes to the restart."""
    flow = case.begin(cluster)
    starts = Starts(cluster)
    after_each_step(monkeypatch, lambda: cluster.memory.settle(3))
    planned, result = play(flow)
    assert result.outcome.decision.done
    assert planned == len(starts.pods)
    assert_counted(result.restarts, planned, cluster)
    assert case.goal is Goal.DOWNGRADE or planned == 0 or any(one.seconds is None for one in result.restarts), (
        "the call has waited for all"
    )


@pytest.mark.usefixtures("uptake")
def test_a_restart_that_changes_nothing_of_the_plan_is_beyond_it(cluster: WatchedCluster) -> None:
    """A person restarts a node before there is anything to take up."""
    flow = Case(Goal.REPLACE_KEY).begin(cluster)
    restarted: list[str] = []

    def restart_once() -> None:
        if not restarted:
            restarted.append(min(cluster.memory.kubelet.nodes))
            cluster.restart(*restarted)

    planned, result = play(flow, between=restart_once)
    beyond = [one for one in result.restarts if not one.is_planned]
    assert [(one.pod, one.number) for one in beyond] == [(restarted[0], None)]
    assert "another program" in beyond[0].sentence()
    assert [one.number for one in result.restarts if one.is_planned] == list(range(1, planned + 1))


@pytest.mark.usefixtures("uptake")
@pytest.mark.parametrize("until", [Phase.PREPARE, Phase.USE])
def test_a_play_that_goes_on_with_a_flow_counts_its_own_plan(cluster: WatchedCluster, until: Phase) -> None:
    flow = Case(Goal.REPLACE_KEY).begin(cluster)
    starts = Starts(cluster)
    flow.run(last_phase=until)
    before = len(starts.pods)
    planned, result = play(flow)
    assert result.outcome.decision.done
    assert (bool(before), planned) == (until is Phase.USE, len(starts.pods) - before)
    assert planned > 0
    assert_counted(result.restarts, planned, cluster)

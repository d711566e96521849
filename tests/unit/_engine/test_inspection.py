# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole picture: from every node that can be asked, and with every step that would follow."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect, plan
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent

from ...tools.support.authorities import below, root
from ...tools.support.flows import work_on
from ...tools.support.intents import an_intent
from ...tools.support.memory_cluster import MemoryCluster
from ...tools.support.reloads import ReloadingNodes
from ...tools.support.restarts import cost_of
from ...tools.support.watched_cluster import WatchedCluster

REPLACE, RECONCILE = Intent(Goal.REPLACE_KEY), Intent(Goal.RECONCILE)


@pytest.fixture
def nodes(cluster: WatchedCluster) -> ReloadingNodes:
    cluster.nodes = ReloadingNodes(cluster.memory)
    return cluster.nodes


@pytest.mark.parametrize("intent", [RECONCILE, REPLACE], ids=["nothing to do", "something to do"])
def test_nodes_are_asked_although_no_gate_stands_before_what_comes_next(
    intent: Intent, nodes: ReloadingNodes, cluster: WatchedCluster
) -> None:
    work, before = cluster.work(), len(cluster.memory.api.writes)
    outcome = inspect(work, intent)
    assert nodes.answers.asked == 1
    assert outcome.last_look is outcome.observation
    assert outcome.observation.snapshot.nodes.listeners
    assert len(cluster.memory.api.writes) == before


def test_nodes_that_were_asked_for_the_next_step_are_not_asked_twice(
    nodes: ReloadingNodes, cluster: WatchedCluster
) -> None:
    cluster.run(Goal.REPLACE_KEY, last_phase=Phase.TRUST)
    asked = nodes.answers.asked
    inspect(cluster.work(), REPLACE)
    assert nodes.answers.asked == asked + 1


def test_where_no_node_can_be_asked_stored_evidence_has_to_do(cluster: WatchedCluster) -> None:
    snapshot = inspect(cluster.work(), RECONCILE).observation.snapshot
    assert snapshot.nodes.listeners is None
    assert snapshot.nodes.in_place_obstacles is not None
    assert "cannot ask" in snapshot.nodes.in_place_obstacles.reload


def test_where_no_node_runs_the_inspection_asks_none() -> None:
    outcome = inspect(work_on(MemoryCluster()), an_intent(Goal.CREATE, before_kafka=True))
    assert outcome.observation.snapshot.nodes.in_place_obstacles is None


@pytest.mark.parametrize("reload", [True, False], ids=["reload", "restart"])
def test_the_plan_costs_what_the_flow_will(
    reload: bool, cluster: WatchedCluster, request: pytest.FixtureRequest
) -> None:
    if reload:
        request.getfixturevalue("nodes")
    work = cluster.work()
    before = len(cluster.memory.api.writes)
    planned = plan(work, inspect(work, REPLACE), REPLACE)
    nodes = [name for step in planned.steps for name in step.nodes]
    expected = cost_of(Goal.REPLACE_KEY, reload=reload)
    assert {nodes.count(name) for name in cluster.memory.kubelet.nodes} == {expected.restarts}
    assert planned.violations == ()
    assert len(cluster.memory.api.writes) == before


def test_a_plan_for_what_could_not_be_made_says_why(fast_operator: None) -> None:
    cluster = WatchedCluster()
    cluster.create(below(root()))
    work, renew = cluster.work(), Intent(Goal.RENEW)
    (held,) = plan(work, inspect(work, renew), renew).violations
    assert held.condition is Condition.SUPPLIED_FITS_THE_GOAL

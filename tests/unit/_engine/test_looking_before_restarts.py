# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A call that restarts nodes itself looks beforehand whether the operator would restart them again after its pause."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.looking import ask_nodes, observe_cluster
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply import stamping
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Strategy

from ...tools.support.reloads import ReloadingNodes
from ...tools.support.watched_cluster import WatchedCluster


def again(cluster: WatchedCluster) -> str:
    work = cluster.work()
    found = ask_nodes(work, observe_cluster(work)).snapshot.nodes.in_place_obstacles
    assert found is not None
    return found.again


@pytest.mark.parametrize("strategy", Strategy)
@pytest.mark.parametrize("can_ask", [True, False], ids=["nodes answer", "nodes cannot be asked"])
def test_revisions_of_another_rule_are_seen(
    cluster: WatchedCluster, strategy: Strategy, can_ask: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.nodes = ReloadingNodes(cluster.memory) if can_ask else None
    cluster.strategy = strategy
    assert again(cluster) == ""
    monkeypatch.setattr(stamping, "revision", lambda _pod: "00000000")
    assert all((node in again(cluster)) is (strategy is Strategy.DIRECT) for node in cluster.memory.kubelet.nodes)


def count_lists(cluster: WatchedCluster) -> int:
    """How often the StrimziPodSets have been listed so far."""
    return sum(method == "GET" and path.endswith("/strimzipodsets") for method, path in cluster.memory.api.requests)


@pytest.mark.parametrize(("strategy", "lists"), [(Strategy.DIRECT, 1), (Strategy.OPERATOR, 0)])
def test_a_look_that_cannot_ask_nodes_lists_the_pod_sets_for_restarts_alone(
    cluster: WatchedCluster, strategy: Strategy, lists: int
) -> None:
    cluster.nodes, cluster.strategy = None, strategy
    work = cluster.work()
    seen = observe_cluster(work)
    before = count_lists(cluster)
    ask_nodes(work, seen)
    assert count_lists(cluster) - before == lists


@pytest.mark.parametrize("strategy", Strategy)
def test_a_look_lists_the_pod_sets_once_for_reloads_and_restarts(cluster: WatchedCluster, strategy: Strategy) -> None:
    """Beside the observation of the pods after the questions."""
    cluster.nodes, cluster.strategy = ReloadingNodes(cluster.memory), strategy
    work = cluster.work()
    begun = count_lists(cluster)
    seen = observe_cluster(work)
    observed = count_lists(cluster)
    ask_nodes(work, seen)
    assert count_lists(cluster) - observed == observed - begun + 1


def test_a_pod_that_waits_for_a_restart_is_no_obstacle(cluster: WatchedCluster) -> None:
    """It comes back with what its StrimziPodSet says."""
    cluster.strategy = Strategy.DIRECT
    cluster.change("pods", "demo-kafka-0", {"metadata": {"annotations": {"strimzi.io/revision": "00000000"}}})
    assert again(cluster) == ""

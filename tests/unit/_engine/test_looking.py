# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asking the running nodes: until those that answered are those that run, and with what keeps a change from them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.looking import look_closely, see, see_existing
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.errors import StepError
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import InPlace, Snapshot
from ansible_collections.trustops.strimzi.tests.support.reloads import ReloadingNodes
from ansible_collections.trustops.strimzi.tests.support.watched_cluster import WatchedCluster


@pytest.fixture
def nodes(cluster: WatchedCluster) -> ReloadingNodes:
    cluster.nodes = ReloadingNodes(cluster.memory)
    return cluster.nodes


def looked(cluster: WatchedCluster, work: Work | None = None) -> Snapshot:
    work = work or cluster.work()
    return look_closely(work, see(work)).snapshot


def test_everybody_who_runs_answers(nodes: ReloadingNodes, cluster: WatchedCluster) -> None:
    snapshot = looked(cluster)
    assert {one.uid for one in snapshot.listeners or ()} == cluster.node_uids
    assert snapshot.in_place == InPlace()


@pytest.mark.parametrize(("replaced", "looks"), [(1, 2), (2, 3), (9, 3)])
def test_who_was_replaced_meanwhile_is_asked_anew_a_few_times(
    replaced: int, looks: int, nodes: ReloadingNodes, cluster: WatchedCluster
) -> None:
    """What its predecessor said is nobody's answer."""
    left = [None] * replaced
    answer = nodes.answers

    def answer_and_go(observation: Observation) -> tuple[ObservedListener, ...]:
        said = answer(observation)
        if left:
            left.pop()
            cluster.memory.api.request("DELETE", "/api/v1/namespaces/kafka/pods/demo-kafka-0", body={})
            cluster.memory.step()
        return said

    work = cluster.work()
    work.look_live = answer_and_go
    snapshot = looked(cluster, work)
    assert answer.asked == looks
    assert {one.uid for one in snapshot.listeners or ()} <= cluster.node_uids
    assert bool(left) or {one.uid for one in snapshot.listeners or ()} == cluster.node_uids


def test_without_eyes_it_is_said_that_nobody_was_asked(cluster: WatchedCluster) -> None:
    snapshot = looked(cluster)
    assert (snapshot.listeners, snapshot.in_place) == (
        None, InPlace(reload="the running nodes cannot be asked what they trust."),
    )  # fmt: skip


def test_a_library_that_is_missing_is_found_out_beforehand(nodes: ReloadingNodes, cluster: WatchedCluster) -> None:
    work = cluster.work()
    work.unreloadable = lambda: "kafka-python is missing."
    assert looked(cluster, work).in_place == InPlace(reload="kafka-python is missing.")


def test_and_so_is_a_permission(nodes: ReloadingNodes, cluster: WatchedCluster) -> None:
    cluster.permitted.denied = frozenset({"get configmaps"})
    found = looked(cluster).in_place
    assert found is not None
    assert "configmaps" in found.reload


def test_and_a_restart_that_the_operator_will_make_anyway(nodes: ReloadingNodes, cluster: WatchedCluster) -> None:
    """Its revision is not what we would compute: it is told, and nodes can still read their trust again."""
    revised = {"metadata": {"annotations": {"strimzi.io/revision": "00000000"}}}
    cluster.change("pods", "demo-kafka-0", revised)
    assert looked(cluster).in_place == InPlace(
        stamps="the Cluster Operator would restart demo-kafka-0 whatever it is told."
    )


def test_a_cluster_that_does_not_exist_is_told_with_those_that_do(cluster: WatchedCluster) -> None:
    assert see_existing(cluster.work()).snapshot.reconciliation.exists
    elsewhere = replace(cluster.work(), scope=ClusterNames("kafka", "dmeo"))
    with pytest.raises(StepError, match="Kafka kafka/dmeo does not exist") as caught:
        see_existing(elsewhere)
    assert "demo" in caught.value.remedy

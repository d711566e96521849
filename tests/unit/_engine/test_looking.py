# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asking the running nodes: until those that answered are those that run, with what keeps a change from them, and what is stored where they cannot be asked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.looking import (
    ask_nodes,
    decide_with_a_look,
    observe_cluster,
    observe_existing,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import StepError
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import ENGINE
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Steps
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    InPlaceObstacles,
    Rebalance,
    Snapshot,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Pause, StampPods
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.order import Rule
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.situation import Situation

from ...tools.support.golden import GoldenFiles
from ...tools.support.reloads import ReloadingNodes
from ...tools.support.watched_cluster import WatchedCluster


@pytest.fixture
def nodes(cluster: WatchedCluster) -> ReloadingNodes:
    cluster.nodes = ReloadingNodes(cluster.memory)
    return cluster.nodes


def looked(cluster: WatchedCluster, work: Work | None = None) -> Snapshot:
    work = work or cluster.work()
    return ask_nodes(work, observe_cluster(work)).snapshot


def test_every_running_node_answers(nodes: ReloadingNodes, cluster: WatchedCluster) -> None:
    snapshot = looked(cluster)
    assert {one.uid for one in snapshot.nodes.listeners or ()} == cluster.node_uids
    assert snapshot.nodes.in_place_obstacles == InPlaceObstacles()


@pytest.mark.parametrize(("replaced", "looks"), [(1, 2), (2, 3), (9, 3)])
def test_a_node_that_was_replaced_meanwhile_is_asked_again_a_few_times(
    replaced: int, looks: int, nodes: ReloadingNodes, cluster: WatchedCluster
) -> None:
    """The answer of a pod that is gone does not count for its successor."""
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
    work.nodes = replace(work.nodes, look_live=answer_and_go)
    snapshot = looked(cluster, work)
    assert answer.asked == looks
    assert {one.uid for one in snapshot.nodes.listeners or ()} <= cluster.node_uids
    assert bool(left) or {one.uid for one in snapshot.nodes.listeners or ()} == cluster.node_uids


def test_a_node_that_has_crashed_meanwhile_is_asked_again(nodes: ReloadingNodes, cluster: WatchedCluster) -> None:
    """Its container has started again in place, and the pod is the same: what it said before says nothing of the new process."""
    answer, left = nodes.answers, [None]

    def answer_and_crash(observation: Observation) -> tuple[ObservedListener, ...]:
        said = answer(observation)
        if left:
            left.pop()
            cluster.memory.kubelet.restart_in_place("demo-kafka-0")
            cluster.memory.step()
        return said

    work = cluster.work()
    work.nodes = replace(work.nodes, look_live=answer_and_crash)
    snapshot = looked(cluster, work)
    assert answer.asked == 2
    assert {one.uid for one in snapshot.nodes.listeners or ()} == cluster.node_uids


def test_a_call_without_eyes_says_that_it_cannot_ask_nodes(cluster: WatchedCluster, golden: GoldenFiles) -> None:
    nodes = looked(cluster).nodes
    assert nodes.listeners is None
    assert nodes.in_place_obstacles is not None
    assert not nodes.in_place_obstacles.stamps
    golden.compare_said("engine", nodes.in_place_obstacles.reload)


def test_nodes_that_are_away_are_asked_at_a_later_look(nodes: ReloadingNodes, cluster: WatchedCluster) -> None:
    """Their absence is no obstacle to telling them later to read again."""
    work = cluster.work()
    away = observe_cluster(work).with_only(frozenset())
    work.observe = lambda: away
    assert looked(cluster, work).nodes.listeners == ()
    assert (looked(cluster, work).nodes.in_place_obstacles, nodes.answers.asked) == (InPlaceObstacles(), 0)


def test_a_library_that_is_missing_is_found_out_beforehand(nodes: ReloadingNodes, cluster: WatchedCluster) -> None:
    work = cluster.work()
    work.nodes = replace(work.nodes, reload_obstacle=lambda: "kafka-python is missing.")
    assert looked(cluster, work).nodes.in_place_obstacles == InPlaceObstacles(reload="kafka-python is missing.")


def test_a_missing_permission_to_reload_is_seen(nodes: ReloadingNodes, cluster: WatchedCluster) -> None:
    cluster.permitted.denied = frozenset({"get configmaps"})
    found = looked(cluster).nodes.in_place_obstacles
    assert found is not None
    assert "configmaps" in found.reload


def test_a_restart_that_the_operator_will_make_anyway_is_seen(
    nodes: ReloadingNodes, cluster: WatchedCluster, golden: GoldenFiles
) -> None:
    """Its revision is not what we would compute: it is told, and nodes can still read their trust again."""
    revised = {"metadata": {"annotations": {"strimzi.io/revision": "00000000"}}}
    cluster.change("pods", "demo-kafka-0", revised)
    obstacles = looked(cluster).nodes.in_place_obstacles
    assert obstacles is not None
    assert not obstacles.reload
    golden.compare_said("engine", obstacles.stamps)


def test_a_cluster_that_does_not_exist_is_told_with_those_that_do(cluster: WatchedCluster, golden: GoldenFiles) -> None:
    assert observe_existing(cluster.work()).snapshot.reconciliation.exists
    elsewhere = replace(cluster.work(), scope=ClusterNames("kafka", "dmeo"))
    with pytest.raises(StepError) as caught:
        observe_existing(elsewhere)
    golden.compare_said("engine", caught.value)


# Earlier answers of nodes count only for steps that write nothing behind a gate.

#: Before a pause nodes are asked, and an earlier answer of this call will do; before pods are stamped it will not.
PAUSE, STAMP = (
    Pause(phase=Phase.USE, purpose="try something"),
    StampPods(generation=None, key_generation=7, phase=Phase.USE),
)


def decided(
    cluster: WatchedCluster, rule: Rule, earlier: Observation, *, dry_run: bool = False
) -> tuple[Observation, Steps]:
    work, engine, answers = cluster.work(), replace(ENGINE, rules=(rule,)), earlier.snapshot.answers
    work.dry_run = dry_run
    observation, decision = decide_with_a_look(work, Intent(Goal.RECONCILE), observe_cluster(work), engine, answers)
    return observation, decision.steps


@pytest.fixture
def earlier(nodes: ReloadingNodes, cluster: WatchedCluster) -> Observation:
    """They were asked once in this call."""
    work = cluster.work()
    return ask_nodes(work, observe_cluster(work))


def test_an_earlier_look_will_do_before_a_pause(
    earlier: Observation, nodes: ReloadingNodes, cluster: WatchedCluster
) -> None:
    observation, steps = decided(cluster, lambda at: (PAUSE,), earlier)
    assert (steps, nodes.answers.asked) == ((PAUSE,), 1)
    assert observation.snapshot.nodes.listeners is earlier.snapshot.nodes.listeners
    assert observation.snapshot.nodes.in_place_obstacles == earlier.snapshot.nodes.in_place_obstacles


def test_an_earlier_look_does_not_open_a_gate(
    earlier: Observation, nodes: ReloadingNodes, cluster: WatchedCluster
) -> None:
    """By the stored objects there is nothing to do, and with the earlier answers of nodes a gate opens: they are asked again."""

    def rule(at: Situation) -> Steps:
        return (PAUSE,) if at.snapshot.nodes.listeners is None else (STAMP,)

    observation, steps = decided(cluster, rule, earlier)
    assert (steps, nodes.answers.asked) == ((STAMP,), 2)
    assert observation.snapshot.nodes.listeners is not earlier.snapshot.nodes.listeners


def test_check_mode_goes_by_an_earlier_look_everywhere(
    earlier: Observation, nodes: ReloadingNodes, cluster: WatchedCluster
) -> None:
    """It writes nothing behind a gate; and of other processes it asks as well."""
    assert decided(cluster, lambda at: (STAMP,), earlier, dry_run=True)[1] == (STAMP,)
    assert nodes.answers.asked == 1
    cluster.restart("demo-kafka-0")
    assert decided(cluster, lambda at: (STAMP,), earlier, dry_run=True)[1] == (STAMP,)
    assert nodes.answers.asked == 2


def test_an_earlier_look_does_not_keep_one_closed(
    earlier: Observation, nodes: ReloadingNodes, cluster: WatchedCluster
) -> None:
    """A node that was in the way when it was asked may not be any more."""

    def rule(at: Situation) -> Steps:
        return () if at.snapshot.nodes.listeners is earlier.snapshot.nodes.listeners else (STAMP,)

    assert decided(cluster, rule, earlier)[1] == (STAMP,)
    assert nodes.answers.asked == 2


def test_an_earlier_look_is_of_the_pods_that_ran_then(
    earlier: Observation, nodes: ReloadingNodes, cluster: WatchedCluster
) -> None:
    """The run has not asked the successor of a pod."""
    cluster.memory.api.request("DELETE", "/api/v1/namespaces/kafka/pods/demo-kafka-0", body={})
    cluster.memory.step()
    observation, _steps = decided(cluster, lambda at: (PAUSE,), earlier)
    assert nodes.answers.asked == 2
    assert {one.uid for one in observation.snapshot.nodes.listeners or ()} == cluster.node_uids


def test_an_earlier_look_is_of_the_processes_that_ran_then(
    earlier: Observation, nodes: ReloadingNodes, cluster: WatchedCluster
) -> None:
    """A container that has crashed starts again in the same pod, with what is stored by then."""
    cluster.memory.kubelet.restart_in_place("demo-kafka-0")
    cluster.memory.step()
    decided(cluster, lambda at: (PAUSE,), earlier)
    assert nodes.answers.asked == 2


@pytest.mark.parametrize(("rebalances", "asked"), [((), 0), ((Rebalance("moving", "KafkaRebalance kafka/moving"),), 1)])
def test_nodes_are_asked_before_a_flow_begins_in_a_rebalance(
    rebalances: tuple[Rebalance, ...], asked: int, nodes: ReloadingNodes, cluster: WatchedCluster
) -> None:
    """Whether they can reload decides whether it may begin."""
    work = cluster.work()
    seen = observe_cluster(work)
    state = replace(seen.snapshot.reconciliation, rebalances=rebalances)
    moving = replace(seen, snapshot=replace(seen.snapshot, reconciliation=state))
    decide_with_a_look(work, Intent(Goal.RENEW), moving, ENGINE)
    assert nodes.answers.asked == asked

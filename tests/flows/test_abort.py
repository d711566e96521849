# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rotation is undone at any phase: every process uses the CA again that was to be replaced, and the other CA is gone."""

from __future__ import annotations

from collections import Counter

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase

from ..tools.support.clients_cluster import ClientsCluster
from ..tools.support.golden import GoldenFiles
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.watched_cluster import IN_USE, KEYS, WatchedCluster
from .cases import PATIENT_REPLACEMENTS, REPLACEMENTS, Case, mostly_long

RENEWAL = Case(Goal.RENEW)


def assert_undone(cluster: WatchedCluster, old: str) -> None:
    cluster.memory.settle(2)
    assert cluster.current == old
    assert cluster.states == {old: IN_USE}
    assert set(cluster.secret(f"demo-{cluster.ca.value}-ca")) == {"ca.key"}
    assert not cluster.paused


def _is_renewed_by_then(case: Case) -> bool:
    """Whether the flow renews the CA in use first: that is over when it comes to the next one, and stays."""
    return case.circumstance.endswith("renewed first")


#: The most that a node restarts on the way back, by whether certificates of the new CA are in use: where nodes can be told to read again, and
#: where not (docs/reference.md, "Playbooks"). A component restarts as often as the latter.
MOST = {False: (0, 1), True: (1, 2)}


def component_starts(cluster: WatchedCluster) -> Counter[str]:
    """How many pods each Deployment has had."""
    started = cluster.memory.kubelet.started.keys() - cluster.memory.kubelet.nodes
    return Counter(name.rsplit("-", 2)[0] for name in started)


@pytest.mark.parametrize("until", [Phase.PREPARE, Phase.TRUST, Phase.USE])
@pytest.mark.parametrize("case", mostly_long([*REPLACEMENTS, RENEWAL]))
@pytest.mark.each_once
def test_undone_after_each_phase(cluster: WatchedCluster, uptake: bool, case: Case, until: Phase) -> None:
    """For no more restarts than that."""
    flow = case.begin(cluster)
    old = cluster.current
    flow.run(last_phase=until)
    assert cluster.states != {old: IN_USE}
    wanted = cluster.current if _is_renewed_by_then(case) else old
    cluster.look_away()
    before = component_starts(cluster)
    cluster.finish(Goal.ABORT)
    told, restarted = MOST[until is Phase.USE]
    most = told if cluster.nodes else restarted
    assert max(cluster.rolls) <= most
    assert str(case) != "replace_key" or cluster.rolls == {most}
    if case.is_hasty and until is Phase.TRUST:
        # It has restarted to know the new CA, whose certificates it may have got as well.
        before["demo-kafka-exporter"] += 1
    paid = component_starts(cluster) - before
    assert max(paid.values(), default=0) == restarted - (case == RENEWAL)
    assert_undone(cluster, wanted)


@pytest.mark.parametrize("case", PATIENT_REPLACEMENTS, ids=str)
def test_undone_while_nodes_wait_for_their_restart(cluster: WatchedCluster, nodes: ReloadingNodes, case: Case) -> None:
    flow = case.begin(cluster)
    old = cluster.current
    flow.run()
    old = cluster.current if _is_renewed_by_then(case) else old
    cluster.run(Goal.ABORT)
    for node in cluster.memory.kubelet.nodes:
        cluster.restart(node)
    cluster.memory.settle(2)
    cluster.finish(Goal.RECONCILE)
    assert_undone(cluster, old)


@pytest.mark.parametrize("goal", [Goal.REPLACE_KEY, Goal.RENEW])
@pytest.mark.parametrize("until", [Phase.PREPARE, Phase.TRUST, Phase.USE])
@pytest.mark.each_once
def test_undone_for_users(
    clients_cluster: ClientsCluster, monkeypatch: pytest.MonkeyPatch, goal: Goal, until: Phase
) -> None:
    cluster = clients_cluster
    cluster.nodes = ReloadingNodes(cluster.memory)
    cluster.nodes.replace_requests(monkeypatch)
    cluster.begin()
    old, before = cluster.current, cluster.issuers()
    cluster.run(goal, last_phase=until)
    cluster.finish(Goal.ABORT)
    assert_undone(cluster, old)
    assert (cluster.issuers(), cluster.accepted, cluster.rolls) == (before, {old}, {0})


def test_an_abort_goes_on_without_being_asked_for_again(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    """A reconcile that runs from a schedule finishes it."""
    cluster.create()
    old = cluster.current
    cluster.run(Goal.REPLACE_KEY, last_phase=Phase.USE)
    cluster.run(Goal.ABORT, last_phase=Phase.PREPARE)
    cluster.finish(Goal.RECONCILE)
    assert_undone(cluster, old)


def test_the_next_rotation_is_not_taken_for_the_one_that_was_undone(
    cluster: WatchedCluster, nodes: ReloadingNodes
) -> None:
    cluster.create()
    old = cluster.current
    cluster.run(Goal.REPLACE_KEY, last_phase=Phase.TRUST)
    cluster.finish(Goal.ABORT)
    cluster.finish(Goal.REPLACE_KEY)
    assert cluster.current != old


def test_without_a_flow_there_is_nothing_to_undo(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    cluster.create()
    cluster.finish(Goal.REPLACE_KEY)
    new = cluster.current
    cluster.finish(Goal.ABORT)
    assert (cluster.current, cluster.writes) == (new, 0)


def test_a_ca_that_processes_are_about_to_forget_does_not_come_back(
    cluster: WatchedCluster, nodes: ReloadingNodes, golden: GoldenFiles
) -> None:
    cluster.create()
    cluster.run(Goal.REPLACE_KEY, last_phase=Phase.USE)
    nodes.deaf = set(cluster.memory.kubelet.nodes)
    with pytest.raises(Exception, match="still accept"):
        cluster.run(Goal.REPLACE_KEY)
    nodes.deaf = set()
    (violation,) = cluster.run(Goal.ABORT).refusals.values()
    assert violation.condition is Condition.FLOW_CAN_BE_UNDONE
    golden.compare_stop("flow_can_be_undone, processes are about to forget the CA", violation)
    cluster.finish(Goal.RECONCILE)


def test_without_the_old_key_there_is_no_way_back(cluster: WatchedCluster, golden: GoldenFiles) -> None:
    flow = Case(Goal.REPLACE_KEY, "unlinked").begin(cluster)
    old = cluster.current
    flow.run(last_phase=Phase.USE)
    assert cluster.current != old
    cluster.change("secrets", KEYS, {"data": {f"{old}.key": None}})
    (violation,) = cluster.run(Goal.ABORT).refusals.values()
    assert (violation.condition, f"{old}.key" in violation.remedy) == (Condition.FLOW_CAN_BE_UNDONE, True)
    golden.compare_stop("flow_can_be_undone, the key is lost", violation)

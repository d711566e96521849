# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reload: nodes read again what else would take a restart (docs/operator.md, "Reload")."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import KubeError
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase, Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Spread
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules import pause

from ..tools.support.authorities import root
from ..tools.support.faults import Fault, FaultyApi
from ..tools.support.intents import an_intent
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.restarts import cost_of
from ..tools.support.watched_cluster import IN_USE, WatchedCluster
from .cases import PATIENT_REPLACEMENTS, Case


def assert_presented(cluster: WatchedCluster) -> None:
    """Every listener presents what is stored."""
    for process in cluster.memory.kubelet.processes.values():
        if process.component == "kafka":
            assert process.presented[0][1] == cluster.secret(process.pod)[f"{process.pod}.crt"]


@pytest.mark.parametrize("case", [Case(Goal.RENEW), Case(Goal.RENEW_LEAVES), *PATIENT_REPLACEMENTS], ids=str)
def test_a_flow_that_stops_after_use_has_them_in_use(
    cluster: WatchedCluster, nodes: ReloadingNodes, case: Case
) -> None:
    flow = case.begin(cluster)
    before = {node: cluster.secret(node) for node in cluster.memory.kubelet.nodes}
    assert flow.run(last_phase=Phase.USE).outcome.decision.done
    assert all(cluster.secret(node) != stored for node, stored in before.items())
    assert_presented(cluster)


def test_where_restarts_are_asked_for_nothing_is_read_again(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    flow = Case(Goal.REPLACE_KEY).begin(cluster)
    flow.finish(spread=Spread.RESTART)
    assert cluster.paid == cost_of(Goal.REPLACE_KEY, reload=False)
    assert cluster.remembered("removed") == {}


def seen(cluster: WatchedCluster) -> Snapshot:
    return inspect(cluster.work(), an_intent(Goal.RECONCILE)).observation.snapshot


def leave_no_room(cluster: WatchedCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Secret of the ledger has room for the entries of a flow, and for none of the leaves of the nodes."""
    monkeypatch.setattr(pause, "SECRET_LIMIT", max(seen(cluster).objects.sizes.values()) + 500)


@pytest.mark.parametrize("case", [Case(Goal.RENEW), Case(Goal.RENEW_LEAVES)], ids=str)
def test_nodes_restart_if_the_ledger_has_no_room_for_the_leaves_of_their_start(
    cluster: WatchedCluster, nodes: ReloadingNodes, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    flow = case.begin(cluster)
    leave_no_room(cluster, monkeypatch)
    done = flow.finish()
    assert all(restart.is_planned for restart in done.restarts)
    assert cluster.remembered("leaf") == {}
    assert {cluster.counts()[node] for node in cluster.memory.kubelet.nodes} == {1}


def test_a_flow_without_restarts_does_not_begin_if_the_ledger_has_no_room(
    cluster: WatchedCluster, nodes: ReloadingNodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    flow = Case(Goal.RENEW_LEAVES).begin(cluster)
    leave_no_room(cluster, monkeypatch)
    held = flow.run(spread=Spread.RELOAD).outcome.decision
    assert [violation.condition for violation in held.violations] == [Condition.IN_PLACE]
    assert (cluster.paused, set(cluster.counts().values())) == (False, {0})


def test_a_replacement_without_restarts_holds_before_the_first_if_the_ledger_has_no_room(
    cluster: WatchedCluster, nodes: ReloadingNodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    flow = Case(Goal.REPLACE_KEY).begin(cluster)
    leave_no_room(cluster, monkeypatch)
    held = flow.run(retire=Retire.WHEN_RESTARTED).outcome.decision
    assert [violation.condition for violation in held.violations] == [Condition.IN_PLACE]
    assert (cluster.paused, set(cluster.counts().values())) == (False, {0})


def test_the_switch_after_a_restart_needs_no_room_for_leaves(
    cluster: WatchedCluster, nodes: ReloadingNodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The leaves that nodes have restarted with stay, so the ledger has none to note."""
    flow = Case(Goal.REPLACE_KEY).begin(cluster)
    leave_no_room(cluster, monkeypatch)
    flow.finish(spread=Spread.RELOAD)
    assert cluster.paid == cost_of(Goal.REPLACE_KEY, reload=True)


def test_the_ledger_takes_no_more_for_the_leaves_of_a_start_than_a_flow_reckons(
    cluster: WatchedCluster, nodes: ReloadingNodes
) -> None:
    flow = Case(Goal.RENEW_LEAVES).begin(cluster)
    before = seen(cluster)
    leaves = [leaf for leaf in before.leaves.stored if leaf.component is Component.KAFKA and leaf.chain]
    flow.run(last_phase=Phase.USE)
    assert len(cluster.remembered("leaf")) == len(leaves)
    grown = sum(seen(cluster).objects.sizes.values()) - sum(before.objects.sizes.values())
    assert 0 < grown < sum(len(leaf.chain[0].pem) + pause._BESIDE_LEAF for leaf in leaves if leaf.chain)


def test_a_removed_ca_is_forgotten_with_the_last_process_that_knows_it(
    cluster: WatchedCluster, nodes: ReloadingNodes
) -> None:
    cluster.create()
    old = cluster.current
    cluster.finish(Goal.REPLACE_KEY)
    left = cluster.node_uids
    for number in range(2):
        assert cluster.remembered("removed") == {old: left}
        cluster.restart(f"demo-kafka-{number}")
        cluster.run(Goal.RECONCILE)
        left &= cluster.node_uids
    assert cluster.remembered("removed") == {}
    cluster.finish(Goal.RECONCILE)


def test_a_ca_that_comes_back_while_processes_still_know_it(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    """Its listeners have forgotten it: it is trusted when they have been restarted, as any other."""
    first, second = root("First"), root("Second")
    cluster.create(first)
    cluster.finish(Goal.REPLACE_KEY, second)
    assert set(cluster.remembered("removed")) == {first.fingerprint}
    cluster.look_away()
    cluster.finish(Goal.REPLACE_KEY, first, replaces=second.fingerprint)
    assert cluster.states == {first.fingerprint: IN_USE}
    assert set(cluster.remembered("removed")) <= {second.fingerprint}


def test_a_call_that_fails_leaves_nodes_that_can_read_again_to_the_next_call(
    cluster: WatchedCluster, nodes: ReloadingNodes
) -> None:
    """Patches of pods alone fail, so the call could end its pause, and the operator would restart each node."""
    cluster.create()
    usual = cluster.permitted

    def refuse(_number: int, method: str, path: str) -> Fault | None:
        return Fault.UNAVAILABLE if method == "PATCH" and "/pods/" in path else None

    cluster.permitted = FaultyApi(usual, refuse)
    with pytest.raises(KubeError):
        cluster.run(Goal.RENEW)
    assert cluster.paused
    assert cluster.pause_left
    cluster.memory.settle(3)
    cluster.permitted = usual
    cluster.finish(Goal.RENEW)
    assert set(cluster.counts().values()) == {0}

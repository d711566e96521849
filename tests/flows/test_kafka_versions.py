# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flows on nodes of versions of Kafka in which a reload reaches more than listeners (docs/operator.md, "Where the
reload ends").
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model import channels
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.channels import REACHES, Channel, Reach
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..tools.operator import clusters
from ..tools.support.breaches import InvariantBroken
from ..tools.support.watched_cluster import CLUSTER, NAMESPACE, Object, WatchedCluster, assert_only
from .cases import CASES, PATIENT, PATIENT_REPLACEMENTS, Case, mostly_long
from .test_forecasts_come_true import forecast_of

pytestmark = pytest.mark.usefixtures("nodes")

RAFT_FOLLOWS, ALL_FOLLOW = "4.5.0", "9.0.0"


def nodes_of(version: str) -> Callable[..., list[Object]]:
    """A layout of nodes of this version."""
    return partial(clusters.dual_role, CLUSTER, NAMESPACE, replicas=2, version=version)


def count_on_all(monkeypatch: pytest.MonkeyPatch, since: tuple[int, int]) -> None:
    """From now on calls count on a reload of the whole process from this version on."""
    monkeypatch.setattr(channels, "REACHES", (REACHES[0], Reach(since, frozenset(Channel), is_seen=True)))


@pytest.mark.parametrize("case", mostly_long([*CASES, *PATIENT_REPLACEMENTS, Case(Goal.DOWNGRADE, "after a renewal")]))
def test_flows_cost_the_same_where_the_raft_client_reads_again(cluster: WatchedCluster, case: Case) -> None:
    """The agent does not: each flow restarts the nodes that it restarts on other versions, and remembers the others."""
    flow = case.begin(cluster, nodes_of(RAFT_FOLLOWS))
    old = cluster.current
    flow.finish()
    assert cluster.paid == flow.cost
    if case.goal is Goal.REPLACE_KEY and case not in PATIENT_REPLACEMENTS:
        assert cluster.remembered("removed")[old] == cluster.node_uids


def test_the_restart_that_a_replacement_waits_for_is_an_upgrade_of_kafka(cluster: WatchedCluster) -> None:
    """The nodes have both versions in the meantime, and the operator restarts them one by one."""
    cluster.create(manifests=nodes_of("4.4.0")())
    old = cluster.current
    cluster.finish(Goal.REPLACE_KEY, **PATIENT)
    cluster.change("kafkas", CLUSTER, {"spec": {"kafka": {"version": RAFT_FOLLOWS}}})
    cluster.memory.settle(3)
    cluster.look_away()
    cluster.finish(Goal.RECONCILE)
    assert cluster.paid == cluster.cost(Goal.RECONCILE, "all have restarted")
    assert old not in cluster.trusted
    assert_only(cluster, cluster.current)


@pytest.mark.parametrize(
    "case",
    mostly_long([one for one in CASES if one.goal is not Goal.DOWNGRADE] + [Case(Goal.DOWNGRADE, "after a renewal")]),
)
def test_nothing_restarts_where_a_reload_reaches_all_channels(
    cluster: WatchedCluster, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each rule asks what a reload reaches, and so does the plan."""
    count_on_all(monkeypatch, (9, 0))
    flow = case.begin(cluster, nodes_of(ALL_FOLLOW))
    planned = forecast_of(flow)
    flow.finish()
    assert [step.what for step in planned.steps if step.nodes] == []
    assert cluster.paid.restarts == 0
    assert [*cluster.remembered("removed"), *cluster.remembered("leaf")] == []


def test_an_agent_that_does_not_follow_refuses_the_operator(
    cluster: WatchedCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So a Raft client that reads again spares no restart: a replaced key leaves the agent behind."""
    count_on_all(monkeypatch, (4, 5))
    flow = Case(Goal.REPLACE_KEY).begin(cluster, nodes_of(RAFT_FOLLOWS))
    with pytest.raises(InvariantBroken) as broken:
        flow.finish()
    assert broken.value.breach.rule == "I1"
    assert any(party.endswith("agent of demo-kafka-0") for party in broken.value.breach.parties)


def test_a_node_without_the_annotation_counts_as_the_least(
    cluster: WatchedCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    count_on_all(monkeypatch, (9, 0))
    flow = Case(Goal.REPLACE_KEY).begin(cluster, nodes_of(ALL_FOLLOW))
    cluster.change("pods", "demo-kafka-1", {"metadata": {"annotations": {"strimzi.io/kafka-version": None}}})
    flow.finish()
    assert cluster.paid == flow.cost

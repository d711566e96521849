# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flows while no Cluster Operator runs: none writes anything, and each goes on once the operator is back."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import OperatorSilent
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.cluster import operator_is_there

from ..tools.support.clients_cluster import ClientsCluster
from ..tools.support.engines import without
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.watched_cluster import IN_USE

LEASES = "/apis/coordination.k8s.io/v1/namespaces/kafka/leases"
LONG_AGO, ALWAYS = "2025-01-01T00:00:00.000000Z", "2099-01-01T00:00:00.000000Z"


@pytest.fixture
def cluster(clients_cluster: ClientsCluster) -> ClientsCluster:
    return clients_cluster


def stop(cluster: ClientsCluster) -> None:
    """The operator is scaled to zero: everything else is as it was."""
    _renew(cluster, LONG_AGO)
    cluster.memory.operator_runs = False


def start(cluster: ClientsCluster) -> None:
    _renew(cluster, ALWAYS)
    cluster.memory.operator_runs = True


def _renew(cluster: ClientsCluster, at: str) -> None:
    """The Lease of the operator."""
    name = "strimzi-cluster-operator"
    cluster.memory.api.request("DELETE", f"{LEASES}/{name}")
    body = {"metadata": {"name": name}, "spec": {"leaseDurationSeconds": 15, "renewTime": at}}
    assert cluster.memory.api.request("POST", LEASES, body=body).status == 201


def refused(cluster: ClientsCluster, goal: Goal) -> None:
    result = cluster.run(goal, in_one_call=True)
    assert [one.condition for one in result.outcome.decision.violations] == [Condition.OPERATOR_IS_THERE]
    assert (cluster.writes, result.changes) == (0, [])


@pytest.mark.parametrize("goal", Goal)
@pytest.mark.parametrize("ca", CaKind)
def test_no_goal_writes_anything(cluster: ClientsCluster, nodes: ReloadingNodes, ca: CaKind, goal: Goal) -> None:
    cluster.begin()
    cluster.ca = ca
    stop(cluster)
    refused(cluster, goal)


@pytest.mark.parametrize("phase", [Phase.PREPARE, Phase.TRUST, Phase.USE])
@pytest.mark.parametrize("ca", CaKind)
def test_a_flow_in_flight_goes_on_when_the_operator_is_back(
    cluster: ClientsCluster, nodes: ReloadingNodes, ca: CaKind, phase: Phase
) -> None:
    cluster.begin()
    cluster.ca = ca
    cluster.run(Goal.REPLACE_KEY, last_phase=phase)
    stop(cluster)
    for goal in (Goal.REPLACE_KEY, Goal.RECONCILE, Goal.ABORT, Goal.RECOVER):
        refused(cluster, goal)
    start(cluster)
    cluster.finish(Goal.REPLACE_KEY)
    assert set(cluster.states.values()) == {IN_USE}


def test_without_the_rule_a_new_ca_is_made(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    cluster.begin()
    cluster.ca = CaKind.CLUSTER
    stop(cluster)
    cluster.engine = without(operator_is_there)
    with pytest.raises(OperatorSilent) as silent:
        cluster.run(Goal.REPLACE_KEY)
    assert silent.value.object == "The Cluster Operator"
    assert cluster.prepared

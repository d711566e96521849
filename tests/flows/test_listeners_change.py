# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flows on the clients CA of a cluster whose last listener that verifies users goes, or that has none."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase

from ..tools.operator import clusters
from ..tools.support.clients_cluster import CERTIFICATES, KEYS, ClientsCluster
from ..tools.support.golden import GoldenFiles
from ..tools.support.killing import Killed, KillingTransport
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.watched_cluster import CLUSTER, IN_USE
from .test_clients_ca import assert_only, held, start, stop

PLAIN, MTLS, EXTERNAL = clusters.LISTENERS


@pytest.fixture
def cluster(clients_cluster: ClientsCluster) -> ClientsCluster:
    return clients_cluster


def with_authentication(cluster: ClientsCluster, kind: str) -> None:
    """The one listener that verifies users gets this authentication; the operator has not looked yet."""
    asks: Any = {"listenerConfig": {"ssl.client.auth": "required"}} if kind == "custom" else {}
    changed: Any = [PLAIN, {**MTLS, "authentication": {"type": kind, **asks}}, EXTERNAL]
    cluster.change("kafkas", CLUSTER, {"spec": {"kafka": {"listeners": changed}}})


def acted_upon(cluster: ClientsCluster) -> None:
    """The operator restarts each node for its other listeners."""
    for node in sorted(cluster.memory.kubelet.nodes):
        cluster.restart(node)
    cluster.memory.settle(2)
    cluster.look_away()


def trusted(cluster: ClientsCluster) -> set[str]:
    return {entry for entry in cluster.secret(CERTIFICATES) if entry.endswith(".crt")}


def assert_replaced(cluster: ClientsCluster, old: str) -> None:
    """Users have certificates of the next CA, and the old one is gone from everywhere."""
    assert old != cluster.current
    assert cluster.states == {cluster.current: IN_USE}
    assert set(cluster.secret(KEYS)) == {"ca.key"}
    assert trusted(cluster) == {"ca.crt"}
    assert len(cluster.issuers()) == 1
    assert cluster.secret("orders")["ca.crt"] == cluster.secret(CERTIFICATES)["ca.crt"]


@pytest.mark.parametrize("goal", [Goal.REPLACE_KEY, Goal.RENEW])
def test_without_a_verifying_listener_from_the_beginning_no_node_restarts(
    cluster: ClientsCluster, nodes: ReloadingNodes, goal: Goal
) -> None:
    cluster.begin()
    with_authentication(cluster, "scram-sha-512")
    acted_upon(cluster)
    old = cluster.current
    cluster.finish(goal)
    assert_replaced(cluster, old)
    assert (cluster.rolls, nodes.told) == ({0}, [])


@pytest.mark.parametrize("until", [Phase.PREPARE, Phase.TRUST, Phase.USE])
@pytest.mark.parametrize("goal", [Goal.REPLACE_KEY, Goal.RENEW])
@pytest.mark.each_once
def test_the_last_listener_goes_in_each_phase(
    cluster: ClientsCluster, nodes: ReloadingNodes, goal: Goal, until: Phase
) -> None:
    cluster.begin()
    old = cluster.current
    cluster.run(goal, last_phase=until)
    with_authentication(cluster, "scram-sha-512")
    acted_upon(cluster)
    cluster.finish(Goal.RECONCILE)
    assert_replaced(cluster, old)


#: The violation if brokers may still run with a listener that is gone from the Kafka resource.
BROKERS = Condition.VERIFIERS_ARE_KNOWN, "Kafka kafka/demo"
#: The write before which only the key of the next CA is in its place.
_KEY_WRITTEN = 10


@pytest.mark.parametrize("kills", range(1, 24, 3))
def test_the_last_listener_goes_while_a_run_is_killed(
    cluster: ClientsCluster, nodes: ReloadingNodes, kills: int
) -> None:
    """Where the operator was left paused it could not look: the next run lets it on, and does no more. Where the key of the next CA is written and its
    certificate is not, the operator could issue nothing: it stays paused until a person ends the pause, as the run says.
    """
    cluster.begin()
    old = cluster.current
    cluster.permitted = KillingTransport(cluster.memory.api, kills, after=True)
    with pytest.raises(Killed):
        cluster.run(Goal.REPLACE_KEY)
    cluster.permitted, paused = cluster.memory.api, cluster.paused
    with_authentication(cluster, "scram-sha-512")
    if paused:
        cluster.memory.settle(1)
        assert held(cluster.run(Goal.REPLACE_KEY)).keys() == {BROKERS}
        assert cluster.paused is bool(cluster.pause_left) is (kills == _KEY_WRITTEN)
        marks = {"strimzi.io/pause-reconciliation": None, "trustops.strimzi/paused-for-clients-ca-by": None}
        cluster.change("kafkas", CLUSTER, {"metadata": {"annotations": marks}})
    acted_upon(cluster)
    cluster.finish(Goal.REPLACE_KEY)
    assert_replaced(cluster, old)


@pytest.mark.parametrize("until", [Phase.PREPARE, Phase.TRUST, Phase.USE])
def test_an_abort_comes_to_its_end_as_well(cluster: ClientsCluster, nodes: ReloadingNodes, until: Phase) -> None:
    cluster.begin()
    old = cluster.current
    cluster.run(Goal.REPLACE_KEY, last_phase=until)
    with_authentication(cluster, "scram-sha-512")
    acted_upon(cluster)
    cluster.finish(Goal.ABORT)
    assert (cluster.current, cluster.states) == (old, {old: IN_USE})


def test_programs_are_waited_for_all_the_same(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    """The certificates that they present are of the CA that would leave, and a listener may come back."""
    cluster.begin()
    old = cluster.current
    with_authentication(cluster, "scram-sha-512")
    acted_upon(cluster)
    start(cluster, "billing", "payments")
    assert (Condition.REMOVAL, "Pod kafka/billing") in held(cluster.run(Goal.REPLACE_KEY))
    assert len(trusted(cluster)) == 2
    stop(cluster, "billing")
    start(cluster, "billing", "payments")
    cluster.finish(Goal.RECONCILE)
    assert_replaced(cluster, old)


@pytest.mark.parametrize("until", [Phase.PREPARE, Phase.TRUST, Phase.USE])
def test_nothing_is_done_before_the_operator_has_looked(
    cluster: ClientsCluster, nodes: ReloadingNodes, until: Phase, golden: GoldenFiles
) -> None:
    cluster.begin()
    cluster.run(Goal.REPLACE_KEY, last_phase=until)
    with_authentication(cluster, "scram-sha-512")
    refused = held(cluster.run(Goal.RECONCILE))
    assert refused.keys() == {BROKERS}
    golden.compare_stop("verifiers_are_known, the operator has yet to look", refused[BROKERS])
    assert cluster.writes == 0
    with_authentication(cluster, "tls")
    cluster.memory.settle(2)
    cluster.finish(Goal.RECONCILE)
    assert_only(cluster, cluster.current)


def test_nothing_is_done_where_others_may_verify(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    cluster.begin()
    with_authentication(cluster, "custom")
    cluster.memory.settle(2)
    (violation,) = held(cluster.run(Goal.REPLACE_KEY)).values()
    assert (violation.condition, "tls (9093, " in violation.message) == (Condition.VERIFIERS_ARE_KNOWN, True)
    assert cluster.writes == 0


@pytest.mark.parametrize("until", [Phase.PREPARE, Phase.TRUST, Phase.USE])
def test_a_listener_that_comes_back_verifies_by_the_cas_of_that_time(
    cluster: ClientsCluster, nodes: ReloadingNodes, until: Phase
) -> None:
    cluster.begin()
    with_authentication(cluster, "scram-sha-512")
    acted_upon(cluster)
    cluster.run(Goal.REPLACE_KEY, last_phase=until)
    with_authentication(cluster, "tls")
    acted_upon(cluster)
    cluster.finish(Goal.RECONCILE)
    assert_only(cluster, cluster.current)

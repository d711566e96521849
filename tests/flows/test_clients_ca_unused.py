# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clients CA of a cluster without a User Operator, and of one whose users have certificates that nothing here sees: adopted, rotated where
that needs nobody, and handed back.
"""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.tests.support.reloads import ReloadingNodes

from ..support.clients_cluster import CERTIFICATES, KEYS, ClientsCluster
from ..support.watched_cluster import CLUSTER, IN_USE, UNUSED
from .test_clients_ca import held
from .test_listeners_change import acted_upon, trusted, with_authentication


@pytest.fixture
def cluster(clients_cluster: ClientsCluster) -> ClientsCluster:
    return clients_cluster


def without_users(cluster: ClientsCluster) -> None:
    """No User Operator, no user, and no listener that verifies by the CA, which the operator generates."""
    cluster.begin("orders", generated=True)
    cluster.users_run = False
    for path in (
        "/apis/kafka.strimzi.io/v1/namespaces/kafka/kafkausers/orders",
        "/api/v1/namespaces/kafka/secrets/orders",
    ):
        assert cluster.memory.api.request("DELETE", path).status < 300
    cluster.change("kafkas", CLUSTER, {"spec": {"entityOperator": None}})
    with_authentication(cluster, "scram-sha-512")
    acted_upon(cluster)


def test_without_a_user_operator_it_is_adopted_renewed_replaced_and_handed_back(
    cluster: ClientsCluster, nodes: ReloadingNodes
) -> None:
    without_users(cluster)
    cluster.finish(Goal.UPGRADE)
    for goal in (Goal.RENEW, Goal.REPLACE_KEY):
        old = cluster.current
        cluster.finish(goal)
        assert cluster.current != old
        assert cluster.states == {cluster.current: IN_USE}
        assert (trusted(cluster), set(cluster.secret(KEYS))) == ({"ca.crt"}, {"ca.key"})
    cluster.finish(Goal.DOWNGRADE)
    assert cluster.kafka["spec"]["clientsCa"]["generateCertificateAuthority"] is True
    assert cluster.rolls == {0}


def test_a_hand_back_needs_no_user_operator(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    """Listeners verify by it, and users have certificates of it: all of that stays."""
    cluster.begin(generated=True)
    cluster.finish(Goal.UPGRADE)
    cluster.users_run = False
    cluster.change("kafkas", CLUSTER, {"spec": {"entityOperator": None}})
    cluster.memory.settle(2)
    cluster.look_away()
    assert "has no User Operator" in held(cluster.run(Goal.REPLACE_KEY))
    before = cluster.secret(CERTIFICATES)
    cluster.finish(Goal.DOWNGRADE)
    assert (cluster.secret(CERTIFICATES), cluster.rolls) == (before, {0})


@pytest.mark.parametrize("kind", ["superuser", "tls-external"])
def test_users_whose_certificates_are_not_known_are_in_the_way_of_a_rotation_alone(
    cluster: ClientsCluster, nodes: ReloadingNodes, kind: str
) -> None:
    cluster.begin(generated=True)
    if kind == "tls-external":
        cluster.add("partner", kind=kind)
        name = "KafkaUser kafka/partner"
    else:
        authorization = {"type": "simple", "superUsers": ["CN=partner"]}
        cluster.change("kafkas", CLUSTER, {"spec": {"kafka": {"authorization": authorization}}})
        cluster.memory.settle(3)
        cluster.look_away()
        name = "superuser CN=partner"
    for goal in (Goal.UPGRADE, Goal.RECONCILE):
        cluster.finish(goal)
        assert cluster.states == {cluster.current: UNUSED}
    for goal in (Goal.RENEW, Goal.REPLACE_KEY):
        assert f"{name}: it cannot be told of which CA the certificate is" in held(cluster.run(goal))
        assert cluster.writes == 0
    cluster.finish(Goal.DOWNGRADE)
    assert (cluster.ledgers, cluster.rolls) == (set(), {0})

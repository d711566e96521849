# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clients CA of a cluster without a User Operator, with users at which that does not look, and with users whose certificates nothing here sees:
adopted, rotated where that cuts none of them off, and handed back.
"""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..tools.operator.user_operator import UserOperatorDouble
from ..tools.support.clients_cluster import CERTIFICATES, KEYS, ClientsCluster
from ..tools.support.golden import GoldenFiles
from ..tools.support.memory_api import Response
from ..tools.support.permissions import Restricted, forbidden
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.users import kafka_user
from ..tools.support.watched_cluster import CLUSTER, IN_USE, UNUSED
from .test_clients_ca import held
from .test_listeners_change import acted_upon, trusted, with_authentication

CERTIFICATE_OF_PAYMENTS = "Secret apps/payments entry user.crt"


@pytest.fixture
def cluster(clients_cluster: ClientsCluster) -> ClientsCluster:
    return clients_cluster


def delete(cluster: ClientsCluster, plural: str, name: str, namespace: str = "kafka") -> None:
    root = "/apis/kafka.strimzi.io/v1" if plural == "kafkausers" else "/api/v1"
    assert cluster.memory.api.request("DELETE", f"{root}/namespaces/{namespace}/{plural}/{name}").status < 300


def without_users(cluster: ClientsCluster) -> None:
    """No User Operator, no user, and no listener that verifies by the CA, which the operator generates."""
    cluster.begin("orders", generated=True)
    cluster.users_run = False
    for plural in ("kafkausers", "secrets"):
        delete(cluster, plural, "orders")
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
    assert (Condition.USERS_HAVE_AN_ISSUER, "Kafka kafka/demo") in held(cluster.run(Goal.REPLACE_KEY))
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
        assert (Condition.PRESENTERS_ARE_KNOWN, name) in held(cluster.run(goal))
        assert cluster.writes == 0
    cluster.finish(Goal.DOWNGRADE)
    assert (cluster.ledgers, cluster.rolls) == (set(), {0})


def test_users_at_which_the_user_operator_does_not_look_are_not_cut_off(
    cluster: ClientsCluster, nodes: ReloadingNodes, golden: GoldenFiles
) -> None:
    """It was told to watch another namespace when these had their certificates already; of the second only the Secret is left."""
    cluster.begin("orders", "payments")
    there = {"spec": {"entityOperator": {"userOperator": {"watchedNamespace": "apps"}}}}
    cluster.change("kafkas", CLUSTER, there)
    cluster.users = UserOperatorDouble(cluster.memory.api, "apps", CLUSTER, ca_namespace="kafka")
    cluster.memory.settle(2)
    cluster.look_away()
    delete(cluster, "kafkausers", "payments")
    violation = held(cluster.run(Goal.REPLACE_KEY))[Condition.PRESENTERS_ARE_SERVED, "KafkaUser kafka/orders"]
    golden.compare_stop("presenters_are_served, no User Operator looks there", violation)
    assert cluster.writes == 0
    delete(cluster, "kafkausers", "orders")
    cluster.programs.started = {user: cluster.secret(user)["user.crt"] for user in ("orders", "payments")}
    violation = held(cluster.run(Goal.REPLACE_KEY))[Condition.REMOVAL, "Secret kafka/orders entry user.crt"]
    golden.compare_stop("removal, the Secret of a user that is gone", violation)
    cluster.programs.started.clear()
    for user in ("orders", "payments"):
        delete(cluster, "secrets", user)
    cluster.finish(Goal.REPLACE_KEY)
    assert cluster.states == {cluster.current: IN_USE}


@pytest.mark.parametrize("is_remembered", [True, False], ids=["the ledger remembers it", "its certificates show it"])
def test_users_of_a_namespace_that_is_no_longer_watched_are_not_cut_off(
    cluster: ClientsCluster, nodes: ReloadingNodes, is_remembered: bool
) -> None:
    """A broker that had given up the CA of their certificates would refuse their programs."""
    cluster.begin("orders")
    old = cluster.current
    _watch(cluster, "apps")
    path = "/apis/kafka.strimzi.io/v1/namespaces/apps/kafkausers"
    assert cluster.memory.api.request("POST", path, body=kafka_user("payments", "apps")).status == 201
    cluster.memory.settle(1)
    if is_remembered:
        cluster.run(Goal.RECONCILE)
        # From here on no call may look for users in all namespaces.
        cluster.permitted = _Namespaced(cluster.memory.api)
    _watch(cluster, None)
    cluster.look_away()
    for goal in (Goal.RENEW, Goal.REPLACE_KEY):
        assert (Condition.PRESENTERS_ARE_SERVED, "KafkaUser apps/payments") in held(cluster.run(goal))
        assert (cluster.writes, cluster.accepted) == (0, {old})
    # The ledger remembers the namespace as soon as a call may write.
    cluster.run(Goal.RECONCILE)
    delete(cluster, "kafkausers", "payments", "apps")
    refused = held(cluster.run(Goal.REPLACE_KEY))
    assert (Condition.REMOVAL, CERTIFICATE_OF_PAYMENTS) in refused
    assert old in cluster.accepted
    delete(cluster, "secrets", "payments", "apps")
    cluster.finish(Goal.REPLACE_KEY)
    assert cluster.accepted == {cluster.current} != {old}


class _Namespaced(Restricted):
    """The identity of the runs has Roles alone."""

    def request(self, method: str, path: str, **arguments: Any) -> Response:
        if path.endswith("/v1/kafkausers"):
            return forbidden("kafkausers")
        return super().request(method, path, **arguments)


def _watch(cluster: ClientsCluster, namespace: str | None) -> None:
    there = {"spec": {"entityOperator": {"userOperator": {"watchedNamespace": namespace}}}}
    cluster.change("kafkas", CLUSTER, there)
    cluster.users = UserOperatorDouble(cluster.memory.api, namespace or "kafka", CLUSTER, ca_namespace="kafka")
    cluster.memory.settle(2)

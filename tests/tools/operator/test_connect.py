# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A KafkaConnect restarts for what it logs in with, and for nothing else (docs/operator.md, "Users")."""

from __future__ import annotations

import pytest

from .connect import ConnectDouble, logging_in
from .operated_cluster import CLUSTER, NAMESPACE, OperatedCluster
from .test_user_operator import add_user
from .user_operator import UserOperatorDouble


@pytest.fixture
def users(generated: OperatedCluster) -> UserOperatorDouble:
    add_user(generated, "orders")
    return UserOperatorDouble(generated.api, NAMESPACE, CLUSTER)


@pytest.fixture
def connect(generated: OperatedCluster) -> ConnectDouble:
    generated.memory.apply(logging_in("pipeline", NAMESPACE, "orders", "demo-kafka-bootstrap:9093"))
    return ConnectDouble(generated.api, NAMESPACE, CLUSTER)


def looked_at_twice(connect: ConnectDouble) -> str:
    """Its pod goes at the first look and comes at the second. The UID of the pod."""
    connect.reconcile()
    connect.reconcile()
    (pod,) = connect.api.list("pods", "strimzi.io/kind=KafkaConnect")
    return str(pod["metadata"]["uid"])


def test_it_waits_for_its_user(connect: ConnectDouble) -> None:
    connect.reconcile()
    assert connect.api.list("pods", "strimzi.io/kind=KafkaConnect") == []


def test_it_is_replaced_when_its_user_is_issued_again(
    connect: ConnectDouble, users: UserOperatorDouble, generated: OperatedCluster
) -> None:
    users.reconcile()
    first = looked_at_twice(connect)
    assert (looked_at_twice(connect), connect.restarts) == (first, 0)
    generated.annotate("secrets", "orders", force_renew="true")
    users.reconcile()
    assert looked_at_twice(connect) != first
    assert connect.restarts == 1


def test_other_changes_of_the_secret_do_not_matter(
    connect: ConnectDouble, users: UserOperatorDouble, generated: OperatedCluster
) -> None:
    users.reconcile()
    first = looked_at_twice(connect)
    generated.change("secrets", "orders", {"data": {"user.password": "eA=="}})
    assert looked_at_twice(connect) == first


def test_its_pod_reads_the_certificate_and_the_key_of_the_user(
    connect: ConnectDouble, users: UserOperatorDouble
) -> None:
    users.reconcile()
    connect.reconcile()
    (pod,) = connect.api.list("pods", "strimzi.io/kind=KafkaConnect")
    assert pod["metadata"]["labels"]["strimzi.io/cluster"] == "pipeline"
    leaf, trust, _memory = pod["spec"]["volumes"]
    assert leaf["secret"]["secretName"] == "orders"
    assert [item["key"] for item in leaf["secret"]["items"]] == ["user.crt", "user.key"]
    assert trust["secret"]["secretName"] == "demo-cluster-ca-cert"

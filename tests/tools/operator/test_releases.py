# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The double of each release does what docs/operator.md says of it ("Releases", "The API before v1")."""

from __future__ import annotations

import hashlib
import json

import pytest

from ..support.memory_cluster import MemoryCluster
from ..support.users import kafka_user
from . import certs, clusters
from .operated_cluster import CLUSTER, NAMESPACE, OperatedCluster, encode
from .releases import RELEASES, STRIMZI_0_51, STRIMZI_1_0, STRIMZI_1_2, Release
from .user_operator import UserOperatorDouble

REVISION, RESOURCES = "strimzi.io/revision", "strimzi.io/resource-revision"


@pytest.fixture(params=RELEASES.values(), ids=RELEASES)
def release(request: pytest.FixtureRequest) -> Release:
    found: Release = request.param
    return found


def started(release: Release) -> OperatedCluster:
    """A cluster under an operator of this release, as people wrote it for that."""
    cluster = OperatedCluster(certs.now)
    cluster.memory = MemoryCluster(CLUSTER, NAMESPACE, release)
    cluster.api = cluster.memory.api
    manifests = clusters.dual_role(CLUSTER, NAMESPACE, generated=True)
    cluster.memory.apply(*(clusters.before_v1(manifests) if release is STRIMZI_0_51 else manifests))
    cluster.step(2)
    assert cluster.is_ready()
    return cluster


def test_the_status_names_the_release(release: Release) -> None:
    assert started(release).existing("kafkas", CLUSTER)["status"]["operatorLastSuccessfulVersion"] == release.version


def test_up_to_0_51_the_revision_is_of_the_whole_pod_and_the_only_one() -> None:
    (pod, *_others) = started(STRIMZI_0_51).existing("strimzipodsets", f"{CLUSTER}-kafka")["spec"]["pods"]
    found = pod["metadata"]["annotations"].pop(REVISION)
    assert pod["spec"]["containers"][0]["resources"]
    text = json.dumps(pod, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert found == hashlib.sha1(text.encode()).hexdigest()[:8]
    assert RESOURCES not in pod["metadata"]["annotations"]
    (later, *_others) = started(STRIMZI_1_0).existing("strimzipodsets", f"{CLUSTER}-kafka")["spec"]["pods"]
    assert {REVISION, RESOURCES} <= later["metadata"]["annotations"].keys()


@pytest.mark.parametrize(("release", "by_labels"), [(STRIMZI_0_51, False), (STRIMZI_1_0, False), (STRIMZI_1_2, True)])
def test_how_the_operator_finds_its_own_certificate(release: Release, by_labels: bool) -> None:
    cluster, name = started(release), f"{CLUSTER}-cluster-operator-certs"
    before = cluster.entries(name)
    cluster.change("secrets", name, {"metadata": {"labels": dict.fromkeys(("strimzi.io/kind", "strimzi.io/cluster"))}})
    cluster.step()
    assert (cluster.entries(name) != before) is by_labels


@pytest.mark.parametrize(("release", "renewed"), [(STRIMZI_0_51, False), (STRIMZI_1_0, True), (STRIMZI_1_2, True)])
def test_a_user_is_issued_a_certificate_on_request_since_1_0(release: Release, renewed: bool) -> None:
    cluster = started(release)
    cluster.memory.apply(kafka_user("orders"))
    operator = UserOperatorDouble(cluster.api, NAMESPACE, CLUSTER, release=release)
    operator.reconcile()
    cluster.annotate("secrets", "orders", force_renew="true")
    operator.reconcile()
    assert operator.issued == ["orders"] * (1 + renewed)
    cluster.change("secrets", "orders", {"data": {"user.crt": None}})
    operator.reconcile()
    assert operator.issued == ["orders"] * (2 + renewed), "without its certificate a user gets another in each release"


@pytest.mark.parametrize(("release", "ready"), [(STRIMZI_0_51, True), (STRIMZI_1_0, False), (STRIMZI_1_2, False)])
def test_a_certificate_of_a_user_that_cannot_be_read_fails_its_reconcile_since_1_0(
    release: Release, ready: bool
) -> None:
    cluster = started(release)
    cluster.memory.apply(kafka_user("orders"))
    operator = UserOperatorDouble(cluster.api, NAMESPACE, CLUSTER, release=release)
    operator.reconcile()
    cluster.change("secrets", "orders", {"data": encode({"user.crt": b"x"})})
    operator.reconcile()
    (condition,) = cluster.existing("kafkausers", "orders")["status"]["conditions"]
    assert (condition["type"] == "Ready") is ready
    assert (operator.issued, cluster.entries("orders")["user.crt"]) == (["orders"], b"x")


def test_an_upgrade_from_0_51_rolls_each_node_once_and_leaves_certificates_alone() -> None:
    cluster = started(STRIMZI_0_51)
    nodes = [pod["metadata"]["name"] for pod in cluster.pods()]
    leaves = {name: cluster.entries(name) for name in nodes}
    cluster.memory.upgrade(STRIMZI_1_0)
    cluster.step(3)
    assert cluster.rolls() == [1, 1, 1]
    assert {name: cluster.entries(name) for name in nodes} == leaves


def test_a_write_through_v1_deletes_fields_that_v1_does_not_have() -> None:
    cluster = started(STRIMZI_0_51)
    older = {"replicas", "storage", "resources"}
    before = cluster.existing("kafkas", CLUSTER)
    assert older <= before["spec"]["kafka"].keys()
    cluster.annotate("kafkas", CLUSTER, pause_reconciliation="true")
    after = cluster.existing("kafkas", CLUSTER)
    assert not older & after["spec"]["kafka"].keys()
    assert after["metadata"]["generation"] == before["metadata"]["generation"]

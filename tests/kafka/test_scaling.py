"""Brokers are added to a cluster of real nodes whose CA key is kept elsewhere, and removed again: no other node restarts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, NamedTuple

import pytest

from ..api.running import Runner
from ..tools.cluster.bed_cluster import BedCluster
from ..tools.cluster.kube import Kube, wait_for
from ..tools.operator import clusters
from ..tools.support.authorities import Authority, root
from ..tools.support.signing_office import SigningOffice
from .tier import PATIENCE, Tier, bed_cluster_of_nodes

#: Scaling is tested on simulated nodes in every run.
pytestmark = pytest.mark.long

FIRST, SECOND, THIRD = "demo-broker-0", "demo-broker-2", "demo-broker-3"
NODES = {FIRST, "demo-controller-1"}
POOL = {"strimzi_node_pool": "broker"}


@dataclass(frozen=True)
class Namespace:
    """Where a person signs requests on the bed."""

    cluster: BedCluster
    #: Seconds since the beginning of the look.
    seconds: float = 0.0

    @property
    def namespace(self) -> str:
        return self.cluster.namespace

    @property
    def api(self) -> Kube:
        return self.cluster.kube


class Small(NamedTuple):
    """A broker and a controller with certificates of a CA whose key never was in the cluster."""

    tier: Tier
    runner: Runner
    ca: Authority
    #: The UIDs of their pods.
    before: dict[str, str]

    def conditions(self) -> list[str]:
        kafka = self.tier.cluster.get("kafkas", "demo")
        return [one["type"] for one in (kafka.get("status") or {}).get("conditions") or []]

    def nodes(self) -> set[str]:
        return set(self.tier.cluster.node_uids("demo"))

    def presents_a_leaf_of_the_ca(self, node: str) -> None:
        for port in (9091, 9094):
            chain = self.tier.shake_hands(node, port).chain
            assert chain == self.tier.node_chain(node)
            assert chain[0].issuer.public_bytes() == self.ca.chain[0].subject_der

    def assert_earlier_nodes_did_not_restart(self) -> None:
        assert self.runner.restarts_since(self.before) == 0
        for node in self.before:
            (container,) = self.tier.cluster.get("pods", node)["status"]["containerStatuses"]
            assert container["restartCount"] == 0


@pytest.fixture(scope="module")
def small() -> Iterator[Small]:
    ca = root("Corporate Root")
    with bed_cluster_of_nodes("kafka-scaling") as cluster:
        runner = Runner(cluster, variables={"strimzi_spare_leaves": "2"}, patience=PATIENCE)
        _create(runner, ca)
        cluster.kube.apply(
            clusters.separate_roles("demo", cluster.namespace, replicas=1, persistent=True, components=False)
        )
        _create(runner, ca)
        SigningOffice(Namespace(cluster), ca, datetime.now(timezone.utc)).work()
        _create(runner, ca)
        cluster.wait_until_ready("demo", 400)
        yield Small(Tier(cluster, "demo"), runner, ca, cluster.node_uids("demo"))


def _create(runner: Runner, ca: Authority) -> None:
    made = runner.module("strimzi_ca", state="present", certificate=ca.pem.decode(), spare_leaves=2)
    assert not made.get("failed"), made["msg"]


def test_a_broker_is_added_with_the_certificate_that_waits(small: Small) -> None:
    assert small.nodes() == NODES
    small.runner.flow("scale", strimzi_replicas=2, **POOL).check()
    small.tier.cluster.wait_until_ready("demo", 300)
    assert small.nodes() == {*NODES, SECOND}
    small.presents_a_leaf_of_the_ca(SECOND)
    small.assert_earlier_nodes_did_not_restart()


def test_a_broker_that_is_added_by_hand_starts_after_a_run(small: Small) -> None:
    cluster, before = small.tier.cluster, small.nodes()
    path = f"/apis/kafka.strimzi.io/v1/namespaces/{cluster.namespace}/kafkanodepools/broker"
    patch: dict[str, Any] = {"spec": {"replicas": len(before)}}
    assert cluster.kube.request("PATCH", path, body=patch, content_type="application/merge-patch+json").status == 200
    wait_for(lambda: "NotReady" in small.conditions(), "the operator standing still", 60)
    assert small.nodes() == before
    small.assert_earlier_nodes_did_not_restart()
    small.runner.flow("reconcile").check()
    cluster.wait_until_ready("demo", 300)
    assert small.nodes() == {*before, THIRD}
    small.presents_a_leaf_of_the_ca(THIRD)
    small.assert_earlier_nodes_did_not_restart()
    # Both have joined: each tells it of the others.
    nodes = small.tier.quorum(SECOND, "--bootstrap-server", f"{small.tier.host(THIRD)}:9091")
    assert nodes == {"0": "observer", "1": "voter", "2": "observer", "3": "observer"}


def test_the_operator_removes_brokers_with_their_secrets(small: Small) -> None:
    told = small.runner.flow("scale", strimzi_replicas=1, **POOL).check().output
    assert f"removes {SECOND}, {THIRD} and" in told
    wait_for(lambda: small.nodes() == NODES, "the end of the brokers", 180)
    small.tier.cluster.wait_until_ready("demo", 60)
    for node in (SECOND, THIRD):
        path = f"/api/v1/namespaces/{small.tier.cluster.namespace}/secrets/{node}"
        assert small.tier.cluster.kube.request("GET", path).status == 404
    small.assert_earlier_nodes_did_not_restart()

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The double's profile for pods that run Kafka: what it adds, and that it takes nothing away (docs/operator.md,
"Kafka image").
"""

from __future__ import annotations

import copy
from typing import Any

import pytest

from ..support.memory_cluster import MemoryCluster
from . import clusters
from .podsets import revision
from .real_pods import RealPods, cluster_id


def read(memory: MemoryCluster, plural: str, name: str) -> dict[str, Any]:
    found = memory.operator.api.get(plural, name)
    assert found is not None, f"{plural}/{name}"
    return found


@pytest.fixture
def memory() -> MemoryCluster:
    """Dual-role nodes with persistent storage."""
    cluster = MemoryCluster("demo", "kafka")
    cluster.operator.real_pods = RealPods()
    for manifest in clusters.dual_role("demo", "kafka", generated=True, persistent=True, components=False):
        cluster.operator.api.create(f"{manifest['kind'].lower()}s", manifest)
    cluster.operator.reconcile("demo")
    return cluster


def pod(memory: MemoryCluster, number: int = 0) -> dict[str, Any]:
    return copy.deepcopy(read(memory, "strimzipodsets", "demo-kafka")["spec"]["pods"][number])


@pytest.mark.parametrize(("version", "metadata"), [("4.3.1", "4.3-IV0"), ("4.4.0", "4.4-IV0")])
def test_nodes_run_the_kafka_that_the_resource_names(version: str, metadata: str) -> None:
    cluster = MemoryCluster("demo", "kafka")
    cluster.operator.real_pods = RealPods()
    for manifest in clusters.dual_role("demo", "kafka", generated=True, components=False, version=version):
        cluster.operator.api.create(f"{manifest['kind'].lower()}s", manifest)
    cluster.operator.reconcile("demo")
    assert pod(cluster)["spec"]["containers"][0]["image"] == f"kafka:{version}"
    assert read(cluster, "configmaps", "demo-kafka-0")["data"]["metadata.version"] == metadata


def test_a_container_has_the_variables_of_its_pool() -> None:
    cluster = MemoryCluster("demo", "kafka")
    cluster.operator.real_pods = RealPods()
    pools = clusters.in_racks(("a", "b"), 1)
    for manifest in clusters.of_pools("demo", "kafka", pools, generated=True, components=False):
        cluster.operator.api.create(f"{manifest['kind'].lower()}s", manifest)
    cluster.operator.reconcile("demo")
    found = {}
    for one in pools:
        (made, *_others) = read(cluster, "strimzipodsets", f"demo-{one.name}")["spec"]["pods"]
        variables = {entry["name"]: entry["value"] for entry in made["spec"]["containers"][0]["env"]}
        found[one.name] = variables.get(clusters.RACK)
        assert "KAFKA_HEAP_OPTS" in variables
        assert made["metadata"]["annotations"]["strimzi.io/revision"] == revision(made)
    assert found == {"broker-a": "a", "broker-b": "b", "controller": None}


def test_brokers_may_read_their_secrets_and_no_others(memory: MemoryCluster) -> None:
    (rule,) = read(memory, "roles", "demo-kafka")["rules"]
    bundle, nodes = ["demo-trustbundle"], [f"demo-kafka-{number}" for number in range(3)]
    assert sorted(rule["resourceNames"]) == sorted([*bundle, *nodes, "demo-cluster-ca-cert", "demo-clients-ca-cert"])
    assert (rule["resources"], rule["verbs"]) == (["secrets"], ["get"])


def test_the_role_is_bound_to_the_account_of_the_pods(memory: MemoryCluster) -> None:
    (subject,) = read(memory, "rolebindings", "demo-kafka")["subjects"]
    assert subject["name"] == pod(memory)["spec"]["serviceAccountName"]
    assert read(memory, "serviceaccounts", subject["name"])


def test_each_node_has_a_configuration_of_its_own(memory: MemoryCluster) -> None:
    for number in range(3):
        mounted = pod(memory, number)["spec"]["volumes"][1]["configMap"]["name"]
        assert f"node.id={number}\n" in read(memory, "configmaps", mounted)["data"]["server.config"]


@pytest.mark.parametrize(
    ("service", "ports"),
    [
        ("demo-kafka-brokers", {9090, 9091, 8443, 9092, 9093}),
        ("demo-kafka-bootstrap", {9091, 9092, 9093}),
        ("demo-kafka-external-bootstrap", {9094}),
        ("demo-kafka-1", {9094}),
    ],
)
def test_services_and_their_ports(memory: MemoryCluster, service: str, ports: set[int]) -> None:
    assert {port["port"] for port in read(memory, "services", service)["spec"]["ports"]} == ports


def test_nodes_are_found_by_name_before_they_are_ready(memory: MemoryCluster) -> None:
    spec = read(memory, "services", "demo-kafka-brokers")["spec"]
    assert (spec["clusterIP"], spec["publishNotReadyAddresses"]) == ("None", True)


def probes(memory: MemoryCluster) -> dict[str, Any]:
    found = pod(memory)["spec"]["containers"][0]
    return {name: found[name] for name in ("startupProbe", "readinessProbe", "livenessProbe") if name in found}


def test_nodes_are_found_ready_as_soon_as_they_are(memory: MemoryCluster) -> None:
    assert probes(memory)["startupProbe"]["periodSeconds"] < probes(memory)["readinessProbe"]["periodSeconds"]


def test_a_resource_that_says_when_nodes_are_ready_is_obeyed(memory: MemoryCluster) -> None:
    kafka = read(memory, "kafkas", "demo")
    kafka["spec"]["kafka"]["readinessProbe"] = {"initialDelaySeconds": 15, "periodSeconds": 10}
    memory.operator.api.apply("kafkas", kafka)
    memory.operator.reconcile("demo")
    found = probes(memory)
    assert "startupProbe" not in found
    assert found["readinessProbe"] == {
        "exec": {"command": ["/opt/kafka/kafka_readiness.sh"]},
        "initialDelaySeconds": 15,
        "periodSeconds": 10,
        "timeoutSeconds": 5,
    }


def test_the_revision_covers_what_was_added(memory: MemoryCluster) -> None:
    node = pod(memory)
    assert node["metadata"]["annotations"]["strimzi.io/revision"] == revision(node)
    del node["spec"]["volumes"]
    assert node["metadata"]["annotations"]["strimzi.io/revision"] != revision(node)


def test_a_changed_configuration_rolls_every_node(memory: MemoryCluster) -> None:
    memory.operator.reconcile("demo")
    assert memory.operator.roller.log == []
    memory.operator.api.patch("kafkas", "demo", {"spec": {"kafka": {"config": {"min.insync.replicas": 2}}}})
    memory.operator.reconcile("demo")
    assert sorted(name for name, _reason in memory.operator.roller.log) == [f"demo-kafka-{n}" for n in range(3)]


@pytest.mark.parametrize(("kind", "volume"), [("persistent-claim", "hostPath"), ("ephemeral", "emptyDir")])
def test_data_outlives_the_pod_where_the_pool_says_so(memory: MemoryCluster, kind: str, volume: str) -> None:
    storage = {"type": kind, "size": "1Gi" if kind == "persistent-claim" else None}
    memory.operator.api.patch("kafkanodepools", "kafka", {"spec": {"storage": storage}})
    memory.operator.reconcile("demo")
    (data,) = [volume for volume in pod(memory)["spec"]["volumes"] if volume["name"] == "data"]
    assert set(data) == {"name", volume}


@pytest.mark.parametrize("name", ["demo", "other", "a", "z-9"])
def test_a_cluster_id_is_a_uuid_as_kafka_writes_it(name: str) -> None:
    kafka = clusters.kafka(name, "ns")
    assert len(cluster_id(kafka)) == 22
    assert cluster_id(kafka) == cluster_id(copy.deepcopy(kafka)) != cluster_id(clusters.kafka(name, "other"))

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets of end-entity certificates: entries, subjects, marks, and the deletion trap (docs/operator.md, "Leaves")."""

from __future__ import annotations

import itertools

import pytest

from . import certs
from .operated_cluster import CERTIFICATE, CLUSTER, OperatedCluster, certificates, common_name, encode, issued_by

# Secret -> name of its entries, subject, whether it has alternative names.
LEAVES = {
    "demo-kafka-0": ("demo-kafka-0", "O=io.strimzi,CN=demo-kafka", True),
    "demo-kafka-2": ("demo-kafka-2", "O=io.strimzi,CN=demo-kafka", True),
    "demo-cluster-operator-certs": ("cluster-operator", "O=io.strimzi,CN=cluster-operator", False),
    "demo-entity-topic-operator-certs": ("entity-operator", "O=io.strimzi,CN=demo-entity-topic-operator", False),
    "demo-entity-user-operator-certs": ("entity-operator", "O=io.strimzi,CN=demo-entity-user-operator", False),
    "demo-cruise-control-certs": ("cruise-control", "O=io.strimzi,CN=demo-cruise-control", True),
    "demo-kafka-exporter-certs": ("kafka-exporter", "O=io.strimzi,CN=demo-kafka-exporter", False),
}
LABELS = {
    "strimzi.io/cluster": "demo",
    "strimzi.io/kind": "Kafka",
    "strimzi.io/name": "demo-kafka",
    "strimzi.io/component-type": "kafka",
}


@pytest.mark.parametrize(("secret", "expected"), LEAVES.items(), ids=LEAVES)
def test_entries_subject_and_names(secret: str, expected: tuple[str, str, bool], generated: OperatedCluster) -> None:
    """docs/operator.md, "Leaves"."""
    entry, subject, named = expected
    found = generated.entries(secret)
    assert set(found) == {f"{entry}.crt", f"{entry}.key"}
    assert found[f"{entry}.key"].startswith(b"-----BEGIN PRIVATE KEY-----")
    leaf = certificates(found[f"{entry}.crt"])[0]
    assert common_name(leaf) == subject
    assert bool(certs.names_of(leaf)) is named
    assert issued_by(found[f"{entry}.crt"], generated.entries("demo-cluster-ca-cert")["ca.crt"])
    assert certs.load_key(found[f"{entry}.key"]).public_key() == leaf.public_key()


@pytest.mark.parametrize("secret", LEAVES)
def test_one_annotation_and_the_owner(secret: str, generated: OperatedCluster) -> None:
    """docs/operator.md, "Leaves": the generation of the CA that signed the certificate inside."""
    metadata = generated.existing("secrets", secret)["metadata"]
    assert metadata["annotations"] == {CERTIFICATE: "0"}
    kafka = generated.existing("kafkas", CLUSTER)
    assert [owner["uid"] for owner in metadata["ownerReferences"]] == [kafka["metadata"]["uid"]]


def test_node_secrets_have_labels_of_the_cluster_and_not_of_the_pool(generated: OperatedCluster) -> None:
    """docs/operator.md, "Leaves"."""
    assert generated.existing("secrets", "demo-kafka-1")["metadata"]["labels"] == LABELS


def test_each_node_has_a_key_of_its_own(generated: OperatedCluster) -> None:
    """docs/operator.md, "Leaves": one Secret per node since 0.46."""
    keys = {generated.entries(f"demo-kafka-{i}")[f"demo-kafka-{i}.key"] for i in range(3)}
    assert len(keys) == 3


def plant(cluster: OperatedCluster, name: str, labels: dict[str, str]) -> None:
    cluster.memory.apply({"kind": "Secret", "metadata": {"name": name, "labels": labels}, "data": encode({"a": b"1"})})


def test_all_four_labels_on_a_foreign_secret_are_a_trap(generated: OperatedCluster) -> None:
    """docs/operator.md, "Leaves", "Tried by hand", 8: deleted; the JMX Secret is not."""
    plant(generated, "mine", LABELS)
    plant(generated, "demo-kafka-jmx", LABELS)
    generated.step()
    assert generated.get("secrets", "mine") is None
    assert generated.get("secrets", "demo-kafka-jmx")
    assert generated.get("secrets", "demo-kafka-0")


@pytest.mark.parametrize("labels", list(itertools.combinations(LABELS, 3)), ids="+".join)
def test_three_of_the_labels_are_none(labels: tuple[str, ...], generated: OperatedCluster) -> None:
    """docs/operator.md, "Leaves", "Tried by hand", 7."""
    plant(generated, "mine", {key: LABELS[key] for key in labels})
    generated.step(3)
    assert generated.entries("mine") == {"a": b"1"}


def test_a_foreign_secret_that_the_kafka_resource_owns_stays(generated: OperatedCluster) -> None:
    """docs/operator.md, "Tried by hand", 7: with the labels cluster and kind, and an ownerReference."""
    plant(generated, "mine", {key: LABELS[key] for key in ("strimzi.io/cluster", "strimzi.io/kind")})
    kafka = generated.existing("kafkas", "demo")
    owner = {"kind": "Kafka", "name": "demo", "uid": kafka["metadata"]["uid"]}
    generated.change("secrets", "mine", {"metadata": {"ownerReferences": [owner]}})
    before = generated.existing("secrets", "mine")
    generated.step(40)
    assert generated.existing("secrets", "mine") == before


def test_the_secret_of_a_node_that_is_gone_is_deleted(generated: OperatedCluster) -> None:
    """docs/operator.md, "Leaves": not a desired node Secret."""
    generated.change("kafkanodepools", "kafka", {"spec": {"replicas": 2}})
    generated.step(2)
    assert generated.get("secrets", "demo-kafka-2") is None
    assert [pod["metadata"]["name"] for pod in generated.pods()] == ["demo-kafka-0", "demo-kafka-1"]


def test_scaling_up_signs_with_the_ca_key(managed: OperatedCluster) -> None:
    """docs/operator.md, "Re-issue": because of rule (a); the nodes that are there stay as they are."""
    pods = managed.uids()
    managed.change("kafkanodepools", "kafka", {"spec": {"replicas": 4}})
    managed.step(2)
    assert issued_by(
        managed.entries("demo-kafka-3")["demo-kafka-3.crt"], managed.entries("demo-cluster-ca-cert")["ca.crt"]
    )
    assert {name: uid for name, uid in managed.uids().items() if name in pods} == pods
    assert managed.is_ready()

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets without Strimzi's labels, as they are after ``kubectl create secret`` or after a copy was put back: they are found, and it is said."""

from __future__ import annotations

import base64
from collections.abc import Callable

import pytest

from ...support.certificates import key, make
from ...support.memory_cluster import MemoryCluster
from . import stages
from .mistakes import CERTIFICATES, KEYS, LEDGER, put, refused, told
from .running import call

KIND, CLUSTER = "strimzi.io/kind=Kafka", "strimzi.io/cluster=demo"
NODE, OPERATOR = "demo-kafka-1", "demo-cluster-operator-certs"
WHY = {
    CERTIFICATES: "by which the Cluster Operator finds it",
    KEYS: "by which the Cluster Operator finds it",
    LEDGER: "by which this collection knows what it has made",
    NODE: "without which the Cluster Operator issues another certificate in its place",
    OPERATOR: "without which the Cluster Operator issues another certificate in its place",
}


def strip(memory: MemoryCluster, secret: str, *lost: str) -> None:
    put(memory, "secrets", secret, labels={label.partition("=")[0]: None for label in lost})


def label(memory: MemoryCluster, secret: str, *lost: str) -> None:
    put(memory, "secrets", secret, labels=dict(one.split("=") for one in lost))


def lacks(secret: str, *lost: str) -> tuple[str, str]:
    """The cause and the remedy."""
    labels = f"{'label' if len(lost) == 1 else 'labels'} {' and '.join(lost)}"
    return (
        f"lacks the {labels}, {WHY[secret]}.",
        "Where it is the Secret of this cluster, put back what it had, then run the flow again: "
        f"kubectl label secret {secret} --namespace kafka --overwrite {' '.join(lost)}",
    )


@pytest.mark.parametrize(
    ("start", "secret"),
    [*((stages.managed, secret) for secret in WHY), (stages.issued, NODE), (stages.issued, LEDGER)],
)
def test_every_module_holds_and_names_the_command(start: Callable[[], MemoryCluster], secret: str) -> None:
    memory = start()
    strip(memory, secret, KIND, CLUSTER)
    cause, remedy = lacks(secret, KIND, CLUSTER)
    refused(memory, f"Kafka cluster kafka/demo: Secret kafka/{secret}: {cause} {remedy}")
    told(memory, cause, remedy)
    label(memory, secret, KIND, CLUSTER)
    assert not call("strimzi_ca_info", memory).result["violations"]


@pytest.mark.parametrize("lost", [KIND, CLUSTER])
def test_one_label_alone(lost: str) -> None:
    memory = stages.managed()
    strip(memory, KEYS, lost)
    told(memory, *lacks(KEYS, lost))


def test_a_cluster_that_nobody_has_adopted() -> None:
    memory = stages.managed()
    memory.api.request("DELETE", f"/api/v1/namespaces/kafka/secrets/{LEDGER}")
    for secret in (CERTIFICATES, KEYS):
        strip(memory, secret, KIND, CLUSTER)
    for state in ("present", "adopted"):
        ended = call("strimzi_ca", memory, state=state)
        assert (ended.failed, ended.writes) == (True, [])
        assert [one["gate"] for one in ended.result["violations"]] == ["secrets_are_labelled"] * 2


def test_secrets_that_were_made_before_the_kafka_resource() -> None:
    memory = MemoryCluster()
    own = make("Own CA", key(2), begin=stages.NOW - stages.DAY, end=stages.NOW + 365 * stages.DAY)
    for name, entry, content in (
        (CERTIFICATES, "ca.crt", own.certificate.pem), (KEYS, "ca.key", own.key.reveal())
    ):  # fmt: skip
        data = {entry: base64.b64encode(content).decode()}
        memory.apply({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}, "data": data})
    ended = call("strimzi_ca", memory, before_kafka=True)
    assert (ended.failed, ended.writes) == (True, [])
    gates = [one["gate"] for one in ended.result["violations"]]
    assert gates == ["secrets_are_labelled"] * 2 + ["generations_are_told"] * 2


def test_a_bundle_without_labels_is_read_and_told_of() -> None:
    """The operator reads it by its name, and gives it its labels again."""
    memory = stages.managed()
    strip(memory, "demo-trustbundle", KIND, CLUSTER)
    said = (
        f"Secret kafka/demo-trustbundle lacks the labels {KIND} and {CLUSTER}, which the Cluster Operator puts back with its next reconcile. It was "
        f"read all the same. To put back what it had: kubectl label secret demo-trustbundle --namespace kafka --overwrite {KIND} {CLUSTER}"
    )
    looked = stages.done(memory, "strimzi_ca_info")
    assert (looked.result["violations"], said in looked.warnings) == ([], True)
    stages.done(memory, "strimzi_ca", **stages.PREPARED)
    assert stages.done(memory, "strimzi_ca_info").warnings == []


def test_pods_are_not_restarted_either() -> None:
    memory = stages.managed()
    strip(memory, NODE, KIND, CLUSTER)
    ended = call("strimzi_roll", memory, components=["kafka"], reason="a new kernel")
    assert (ended.failed, ended.writes) == (True, [])
    assert lacks(NODE, KIND, CLUSTER)[0] in ended.result["msg"]

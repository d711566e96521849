# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets without Strimzi's labels are found all the same, and a pod of another application that has them is no process of the cluster."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import pytest

from ...tools.support.certificates import key, make
from ...tools.support.memory_cluster import MemoryCluster
from ...tools.support.strangers import NAME, label_stranger, labels_of, run_stranger, stranger, unlabel_stranger
from . import stages
from .mistakes import CERTIFICATES, KEYS, LEDGER, found, held_and_shown, put
from .running import call

KIND, CLUSTER = "strimzi.io/kind=Kafka", "strimzi.io/cluster=demo"
NODE, OPERATOR = "demo-kafka-1", "demo-cluster-operator-certs"
SECRETS = (CERTIFICATES, KEYS, LEDGER, NODE, OPERATOR)


def strip(memory: MemoryCluster, secret: str, *lost: str) -> None:
    put(memory, "secrets", secret, labels={label.partition("=")[0]: None for label in lost})


def label(memory: MemoryCluster, secret: str, *lost: str) -> None:
    put(memory, "secrets", secret, labels=dict(one.split("=") for one in lost))


@pytest.mark.parametrize(
    ("start", "secret"),
    [*((stages.managed, secret) for secret in SECRETS), (stages.issued, NODE), (stages.issued, LEDGER)],
)
def test_every_module_holds_and_names_the_command(start: Callable[[], MemoryCluster], secret: str) -> None:
    memory = start()
    strip(memory, secret, KIND, CLUSTER)
    held_and_shown(memory, ("secrets_are_labelled", f"Secret kafka/{secret}"))
    (violation,) = call("strimzi_ca_info", memory).result["violations"]
    assert f" --overwrite {KIND} {CLUSTER}" in violation["command"]
    label(memory, secret, KIND, CLUSTER)
    assert not call("strimzi_ca_info", memory).result["violations"]


@pytest.mark.parametrize("lost", [KIND, CLUSTER])
def test_a_secret_that_has_lost_a_label_is_reported(lost: str) -> None:
    memory = stages.managed()
    strip(memory, KEYS, lost)
    (violation,) = call("strimzi_ca_info", memory).result["violations"]
    assert (violation["gate"], violation["subject"]) == ("secrets_are_labelled", f"Secret kafka/{KEYS}")
    assert violation["command"].endswith(f" --overwrite {lost}")


def test_a_cluster_that_was_not_adopted() -> None:
    memory = stages.managed()
    memory.api.request("DELETE", f"/api/v1/namespaces/kafka/secrets/{LEDGER}")
    for secret in (CERTIFICATES, KEYS):
        strip(memory, secret, KIND, CLUSTER)
    for state in ("present", "adopted"):
        ended = call("strimzi_ca", memory, state=state)
        assert (ended.failed, ended.writes) == (True, [])
        assert [gate for gate, _where in found(ended)] == ["secrets_are_labelled"] * 2


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
    assert [gate for gate, _where in found(ended)] == ["secrets_are_labelled"] * 2 + ["generations_are_told"] * 2


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
    assert ended.result["msg"].startswith(f"Secret kafka/{NODE}: lacks the labels {KIND} and {CLUSTER}, ")


# A pod of another application is labelled as a process of the cluster: by mistake, or because a user may do no more than label.

FINDING = f"Pod kafka/{NAME}: has the labels or the name of a pod of the component"
QUICK = {"pod_timeout": 3, "operator_timeout": 3}


@pytest.mark.parametrize("component", ["kafka", "entity-operator", "kafka-exporter"])
@pytest.mark.parametrize(
    ("stage", "module", "options"),
    [
        (stages.managed, "strimzi_ee_cert", QUICK),
        (stages.managed, "strimzi_ca", stages.PREPARED),
        (stages.unlinked, "strimzi_trusted_certs", QUICK),
        (stages.issued, "strimzi_roll", QUICK),
    ],
)
def test_nothing_is_signed_for_it_and_it_is_left_alone(
    stage: Callable[[], MemoryCluster], module: str, options: dict[str, Any], component: str
) -> None:
    memory = stage()
    run_stranger(memory.api)
    label_stranger(memory.api, labels_of(component))
    before = stranger(memory.api)
    ended = call(module, memory, **options)
    assert f"{FINDING} {component}" in ended.result["msg"]
    assert ended.writes_but_lease == []
    assert stranger(memory.api) == before
    assert memory.api.find("secrets", "kafka", NAME) is None
    unlabel_stranger(memory.api)
    assert not call(module, memory, **options).failed


def test_a_foreign_pod_is_shown() -> None:
    memory = stages.managed()
    run_stranger(memory.api)
    label_stranger(memory.api, labels_of("kafka"))
    shown = call("strimzi_ca_info", memory)
    assert found(shown) == [("pods_are_owned", f"Pod kafka/{NAME}")]
    assert NAME not in {one["name"] for one in shown.result["pods"]}


def test_a_secret_that_has_only_the_labels_of_a_leaf_gets_none() -> None:
    memory = stages.managed()
    metadata = {"name": NAME, "labels": {**labels_of("kafka")}}
    memory.apply({"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": {f"{NAME}.crt": ""}})
    stages.done(memory, "strimzi_ee_cert")
    found = memory.api.find("secrets", "kafka", NAME)
    assert found is not None
    assert found["data"] == {f"{NAME}.crt": ""}

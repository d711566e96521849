# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The wrong cluster, and a cluster that is not in a state to begin."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from ...operator import clusters
from ...support.memory_api import Response
from ...support.memory_cluster import MemoryCluster
from . import stages
from .mistakes import CERTIFICATES, KEYS, LEDGER, put, refused, told
from .running import call

WHICH = (
    "Check the names of cluster and namespace. Before the Kafka resource exists there is only a first CA to be made, by the create playbook or "
    "strimzi_ca with before_kafka=true."
)
#: Every module, in every state that means something else.
EVERY: list[tuple[str, dict[str, Any]]] = [
    *(
        ("strimzi_ca", {"state": one})
        for one in ("present", "renewed", "replaced", "promoted", "aborted", "adopted", "handed_back")
    ),
    ("strimzi_ca", {"state": "absent", "fingerprint": "00" * 20}),
    *(
        ("strimzi_ca_info", {"goal": one})
        for one in ("reconcile", "renew", "replace_key", "renew_leaves", "upgrade", "abort")
    ),
    *(("strimzi_ee_cert", {"state": one}) for one in ("issued", "renewed", "tidied")),
    ("strimzi_ee_cert", {"secret": "tools-tls", "common_name": "tools"}),
    *(("strimzi_trusted_certs", {"state": one}) for one in ("trusted", "retired")),
    ("strimzi_trusted_certs", {"state": "converted", "layout": "single"}),
    ("strimzi_roll", {}),
    ("strimzi_roll", {"reason": "a try"}),
    ("strimzi_node_pool", {"pool": "kafka", "replicas": 3}),
    *(("strimzi_reconciliation", {"state": one}) for one in ("paused", "resumed")),
    ("strimzi_csr", {}),
    ("strimzi_user", {"user": "orders", "authentication": "tls"}),
    ("strimzi_user_info", {}),
]


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize(("module", "options"), EVERY)
def test_an_unknown_cluster_fails_in_every_module(module: str, options: dict[str, Any], check: bool) -> None:
    """With those that there are, whatever lies there beside it."""
    memory = stages.managed()
    memory.apply(*clusters.dual_role("other", "kafka")[1:])
    memory.cluster = "dmeo"
    ended = call(module, memory, check=check, **options)
    assert (ended.failed, ended.writes, ended.result["changed"]) == (True, [], False)
    assert re.search(
        r"^Kafka kafka/dmeo:? does not exist; the Kafka clusters in this namespace are: demo, other[.] ",
        ended.result["msg"],
    )


def test_the_first_ca_of_a_cluster_that_is_yet_to_come() -> None:
    memory = MemoryCluster()
    for more in ({}, {"check": True}):
        ended = call("strimzi_ca", memory, **more, **stages.FAST)
        assert (ended.failed, ended.writes) == (True, [])
        assert ended.result["violations"][0]["gate"] == "cluster_exists"
    assert stages.done(memory, "strimzi_ca_info", goal="create").result["plan"]
    assert stages.done(memory, "strimzi_ca", before_kafka=True, **stages.FAST).result["changed"]


def test_an_unknown_namespace() -> None:
    memory = MemoryCluster(namespace="nowhere")
    refused(
        memory, f"Kafka nowhere/demo: does not exist, and no other Kafka cluster is seen in this namespace. {WHICH}"
    )


def test_another_namespace_than_that_of_the_cluster() -> None:
    """The clusters of others are named, where they may be listed."""
    memory = stages.managed()
    memory.namespace = "wrong"
    text = "does not exist; this namespace has none, and those that are seen in others are: kafka/demo."
    refused(memory, f"Kafka wrong/demo: {text} {WHICH}")


def _without_namespace(method: str, path: str) -> Response | None:
    """As the API server answers; the API in memory knows no namespaces."""
    details = {"name": "nowhere", "kind": "namespaces"}
    body = {"reason": "NotFound", "message": 'namespaces "nowhere" not found', "details": details}
    return Response(404, body) if method == "POST" else None


def test_creating_in_an_unknown_namespace() -> None:
    ended = call(
        "strimzi_ca", MemoryCluster(namespace="nowhere"), answer=_without_namespace, before_kafka=True, **stages.FAST
    )
    assert ended.result["msg"] == (
        'Failed to create Lease nowhere/demo-trust: namespaces "nowhere" not found. '
        "Create the namespace nowhere, or correct the option namespace."
    )
    assert ended.writes == []


def test_absent_crds() -> None:
    def unknown(method: str, path: str) -> Response | None:
        return Response(404, {"raw": "404 page not found"}) if "kafka.strimzi.io" in path else None

    message = (
        "Failed to read Kafka kafka/demo: the API server does not know Kafka in kafka.strimzi.io/v1. "
        "Install the CustomResourceDefinition kafkas.kafka.strimzi.io with version v1 (Strimzi 1.0 or later), "
        "or check that this is the right Kubernetes cluster."
    )
    refused(stages.managed(), message, answer=unknown)
    refused(MemoryCluster(), message, "present", answer=unknown)
    assert call("strimzi_ca_info", MemoryCluster(), answer=unknown).result["msg"] == message


def test_operator_that_does_not_observe() -> None:
    memory = stages.managed()
    put(memory, "kafkas", "demo", spec={"kafka": {"version": "4.3.2"}})
    text = "has not been reconciled by a Cluster Operator in its present form."
    remedy = "Check that the operator runs, watches this namespace and reports no error in the resource's status."
    refused(memory, f"Kafka kafka/demo: {text} {remedy}")
    told(memory, text, remedy)


def test_absent_operator() -> None:
    memory = MemoryCluster()
    memory.apply(*clusters.dual_role("demo", "kafka", generated=True))
    ended = call("strimzi_ca", memory, state="adopted")
    assert [one["gate"] for one in ended.result["violations"]] == ["operator_is_there"]
    assert ended.writes == []


@pytest.mark.parametrize("state", ["renewed", "replaced", "promoted", "handed_back"])
def test_paused_by_somebody_else(state: str) -> None:
    memory = stages.managed()
    put(memory, "kafkas", "demo", annotations={"strimzi.io/pause-reconciliation": "true"})
    memory.settle()
    text = "is paused (strimzi.io/pause-reconciliation), and not by this collection."
    remedy = "Find out who paused it and why, remove the annotation, then run the flow again."
    refused(memory, f"Kafka kafka/demo: {text} {remedy}", state)
    told(memory, text, remedy)


@pytest.mark.parametrize("state", ["present", "renewed", "replaced", "promoted"])
def test_generated_ca_where_a_user_managed_one_is_needed(state: str) -> None:
    memory = stages.generated()
    text = "has a cluster CA that the operator generates (spec.clusterCa.generateCertificateAuthority)."
    remedy = "Adopt it first with the upgrade playbook; that changes no certificate."
    refused(memory, f"Kafka kafka/demo: {text} {remedy}", state)
    told(memory, text, remedy)


def test_a_ca_that_the_operator_is_replacing_by_itself() -> None:
    """A call that looks tells it, and no call takes the CA over."""
    memory = stages.generated()
    put(memory, "secrets", KEYS, annotations={"strimzi.io/force-replace": "true"})
    set_ = "is set: the Cluster Operator is about to renew or replace its CA by itself."
    wait = "Let it come to its end, or remove this annotation, then run the flow again."
    where = f"Secret {KEYS}, annotation strimzi.io/force-replace"
    refused(memory, f"Kafka cluster kafka/demo: {where}: {set_} {wait}", "adopted", by=["strimzi_ca"])
    memory.step()
    seen = call("strimzi_ca_info", memory).result["violations"]
    assert [one["gate"] for one in seen] == ["authority_is_user_managed", "operator_has_finished"]
    assert seen[1]["message"].startswith(
        "has a CA that the Cluster Operator is renewing or replacing by itself: CN=cluster-ca v0,O=io.strimzi ("
    )
    refused(memory, f"{seen[1]['subject']}: {seen[1]['message']} {seen[1]['remedy']}", "adopted", by=["strimzi_ca"])
    memory.settle(2)
    stages.done(memory, "strimzi_ca", state="adopted")
    assert [ca["state"] for ca in call("strimzi_ca_info", memory).result["cas"]] == ["TRUSTED_IN_USE_ALL"]


@pytest.mark.parametrize(("secret", "trigger"), [(CERTIFICATES, "force-renew"), (KEYS, "force-replace")])
def test_left_over_trigger(secret: str, trigger: str) -> None:
    memory = stages.managed()
    put(memory, "secrets", secret, annotations={f"strimzi.io/{trigger}": "true"})
    text = "is left over: it would start another renewal as soon as the operator manages the CA again."
    remedy = "Remove this annotation, then run the flow again."
    refused(memory, f"Kafka cluster kafka/demo: Secret {secret}, annotation strimzi.io/{trigger}: {text} {remedy}")
    told(memory, text, remedy)


@pytest.mark.parametrize(
    ("label", "value"),
    [("name", "demo-kafka"), ("cluster", "demo"), ("kind", "Kafka")],
    ids=["name", "cluster", "kind"],
)
@pytest.mark.parametrize("stage", [stages.managed, stages.issued, stages.switched])
def test_a_node_that_has_lost_a_label(stage: Callable[[], MemoryCluster], label: str, value: str) -> None:
    """It runs on, and presents and trusts what it did."""
    memory = stage()
    put(memory, "pods", "demo-kafka-1", labels={f"strimzi.io/{label}": None})
    text = f"runs without the label strimzi.io/{label}={value} by which it is found."
    remedy = (
        "Find out who changed this, then put back what it was: "
        f"kubectl label pod demo-kafka-1 --namespace kafka --overwrite strimzi.io/{label}={value}"
    )
    refused(memory, f"Kafka cluster kafka/demo: Pod kafka/demo-kafka-1: {text} {remedy}")
    told(memory, text, remedy)
    assert "demo-kafka-1" in [pod["name"] for pod in call("strimzi_ca_info", memory).result["pods"]]
    put(memory, "pods", "demo-kafka-1", labels={f"strimzi.io/{label}": value})
    assert call("strimzi_ca_info", memory).result["violations"] == []


def test_a_node_without_labels_and_without_a_leaf_is_known_from_its_pod_set() -> None:
    memory = stages.managed()
    lost = {f"strimzi.io/{name}": None for name in ("kind", "cluster", "name")}
    for plural in ("pods", "secrets"):
        put(memory, plural, "demo-kafka-1", labels=lost)
    found = call("strimzi_ca_info", memory).result["violations"]
    assert ("pods_are_labelled", "Pod kafka/demo-kafka-1") in [(one["gate"], one["subject"]) for one in found]


def test_a_node_that_has_lost_a_label_is_not_passed_over_by_a_restart() -> None:
    memory = stages.managed()
    put(memory, "pods", "demo-kafka-1", labels={"strimzi.io/name": None})
    refused(
        memory,
        "Pod kafka/demo-kafka-1: runs without the label strimzi.io/name=demo-kafka by which it is found. "
        "Find out who changed this, then put back what it was: "
        "kubectl label pod demo-kafka-1 --namespace kafka --overwrite strimzi.io/name=demo-kafka",
        by=["strimzi_roll"], components=["kafka"], reason="a new kernel",
    )  # fmt: skip


def test_unready_pod() -> None:
    memory = stages.managed()
    put(memory, "pods", "demo-kafka-1", status={"conditions": [{"type": "Ready", "status": "False"}]})
    refused(
        memory,
        "Kafka cluster kafka/demo: Pod kafka/demo-kafka-1: is not ready. "
        "Bring the cluster to health first; a flow in progress would go on, a new one does not start.",
        by=["strimzi_ca"],
    )


def test_several_things_at_once_are_all_named() -> None:
    memory = stages.managed()
    put(memory, "kafkas", "demo", annotations={"strimzi.io/pause-reconciliation": "true"})
    put(memory, "secrets", CERTIFICATES, annotations={"strimzi.io/force-renew": "true"})
    refused(
        memory,
        "Kafka cluster kafka/demo: 2 things are in the way. "
        "1. Kafka kafka/demo: is paused (strimzi.io/pause-reconciliation), and not by this collection. "
        "Find out who paused it and why, remove the annotation, then run the flow again. "
        f"2. Secret {CERTIFICATES}, annotation strimzi.io/force-renew: is left over: it would start another renewal as "
        "soon as the operator manages the CA again. Remove this annotation, then run the flow again.",
    )


@pytest.mark.parametrize("secret", [CERTIFICATES, KEYS, LEDGER, "demo-kafka-1"])
def test_an_immutable_secret_is_told_before_the_first_write(secret: str) -> None:
    memory = stages.managed()
    put(memory, "secrets", secret, immutable=True)
    refused(
        memory,
        f"Kafka cluster kafka/demo: Secret kafka/{secret}: is immutable: its data cannot be changed, and the field cannot be taken back. Put it anew in "
        f"one go, without the field, as who has set it agrees to, then run the flow again: kubectl get secret {secret} --namespace kafka --output yaml "
        "| sed '/^immutable: true$/d' | kubectl replace --force --filename -",
        by=["strimzi_ca"],
    )
    assert not stages.done(memory, "strimzi_ca", **stages.FAST).result["changed"]

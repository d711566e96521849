# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a node is restarted, and the event that says so (docs/operator.md, "Restart reasons")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from ..cluster.versions import KAFKA
from .conftest import Clock
from .operated_cluster import CLUSTER, OperatedCluster
from .podsets import KAFKA_VERSION, revision


def events(cluster: OperatedCluster) -> list[dict[str, Any]]:
    return cluster.api.all("events", "kafka")


def test_no_restart_no_event(generated: OperatedCluster) -> None:
    """docs/operator.md, "Restart reasons": creating a pod is none."""
    generated.step(2)
    assert events(generated) == []


def test_one_event_per_restart(generated: OperatedCluster, clock: Clock) -> None:
    """docs/operator.md, "Restart reasons": StrimziInitiatedPodRestart, reason in PascalCase; of Kafka nodes."""
    clock.pass_days(1)
    generated.annotate("secrets", "demo-cluster-ca", force_replace="true")
    generated.step(3)
    found = events(generated)
    assert Counter((e["involvedObject"]["name"], e["reason"]) for e in found) == Counter(
        (f"demo-kafka-{i}", reason)
        for i in range(3)
        for reason in ("ClusterCaCertKeyReplaced", "PodHasOldRevision", "CaCertRemoved")
    )
    assert {(e["action"], e["type"], e["involvedObject"]["kind"]) for e in found} == {
        ("StrimziInitiatedPodRestart", "Normal", "Pod")
    }
    assert {e["reportingComponent"] for e in found} == {"strimzi.io/cluster-operator"}


def test_the_event_comes_before_the_pod_goes(generated: OperatedCluster) -> None:
    """docs/operator.md, "Restart reasons": who watches events knows the reason for each deletion."""
    order: list[str] = []

    def note(change: Any) -> None:
        if change.plural == "events" or (change.plural, change.verb) == ("pods", "delete"):
            order.append(change.plural)

    generated.api.listeners.append(note)
    generated.annotate("strimzipodsets", "demo-kafka", manual_rolling_update="true")
    generated.step()
    assert order == ["events", "pods"] * 3


def mark(name: str, value: str | None) -> Callable[[OperatedCluster], None]:
    def change(cluster: OperatedCluster) -> None:
        cluster.change("pods", "demo-kafka-0", {"metadata": {"annotations": {f"strimzi.io/{name}": value}}})

    return change


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (mark("revision", "00000000"), "PodHasOldRevision"),
        (mark("resource-revision", "00000000"), "PodHasOldResourceRevision"),
        (mark("cluster-ca-cert-generation", "9"), "CaCertHasOldGeneration"),
        (mark("clients-ca-cert-generation", "9"), "CaCertHasOldGeneration"),
        (mark("server-cert-hash", "0" * 40), "KafkaCertificatesChanged"),
        (mark("cluster-ca-key-generation", "9"), "ClusterCaCertKeyReplaced"),
        (mark("manual-rolling-update", "true"), "ManualRollingUpdate"),
    ],
)
def test_a_pod_that_differs_is_restarted_alone(
    change: Callable[[OperatedCluster], None], reason: str, generated: OperatedCluster
) -> None:
    """docs/operator.md, "CA reconcile", step 5, "Restart reasons": reasonsToRestartPod, for that pod."""
    change(generated)
    generated.log()
    generated.step(2)
    assert [entry for entry in generated.log() if entry[0] in generated.memory.kubelet.nodes] == [
        ("demo-kafka-0", reason)
    ]
    assert generated.rolls() == [1, 0, 0]


@pytest.mark.parametrize("name", ["configuration-hash", "kafka-version", "mine"])
def test_other_marks_on_a_live_pod_are_no_reason(name: str, generated: OperatedCluster) -> None:
    """docs/operator.md, "Restart reasons", "Pause": what is compared is the revision, not each annotation."""
    mark(name, "other")(generated)
    generated.step(2)
    assert generated.rolls() == [0, 0, 0]


def test_another_version_of_kafka_restarts_the_nodes_one_by_one(generated: OperatedCluster) -> None:
    """docs/operator.md, "Pod annotations": until its restart a pod has the version that it was made with."""
    kafka = generated.existing("kafkas", CLUSTER)
    assert (versions_of(generated), kafka["status"]["kafkaVersion"]) == ([KAFKA] * 3, KAFKA)
    generated.change("kafkas", CLUSTER, {"spec": {"kafka": {"version": "4.4.0"}}})
    generated.memory.kubelet.broken.add("demo-kafka-0")
    generated.step(2)
    assert sorted(versions_of(generated)) == [KAFKA, KAFKA, "4.4.0"]
    assert generated.existing("kafkas", CLUSTER)["status"].get("kafkaVersion") in (None, KAFKA)
    generated.memory.kubelet.broken.clear()
    generated.step(4)
    assert versions_of(generated) == ["4.4.0"] * 3
    assert generated.existing("kafkas", CLUSTER)["status"]["kafkaVersion"] == "4.4.0"
    assert generated.rolls() == [1, 1, 1]


def versions_of(cluster: OperatedCluster) -> list[str]:
    return [pod["metadata"]["annotations"][KAFKA_VERSION] for pod in cluster.pods()]


def test_a_renewed_ca_restarts_all_nodes_in_that_reconcile(generated: OperatedCluster) -> None:
    """docs/operator.md, "Restart reasons": CA_CERT_RENEWED holds for this reconcile only."""
    generated.annotate("secrets", "demo-cluster-ca-cert", force_renew="true")
    generated.step(4)
    assert generated.rolls() == [1, 1, 1]


@pytest.mark.parametrize(("secret", "trigger"), [("ca-cert", "force_renew"), ("ca", "force_replace")])
def test_a_renewed_ca_restarts_nodes_that_look_current_too(
    secret: str, trigger: str, generated: OperatedCluster
) -> None:
    """docs/operator.md, "Restart reasons": CA_CERT_RENEWED is renewed or replaced in this reconcile, whatever the pod
    says of itself.
    """
    for template in generated.existing("strimzipodsets", "demo-kafka")["spec"]["pods"]:
        template["metadata"]["annotations"]["strimzi.io/clients-ca-cert-generation"] = "1"
        marks = template["metadata"]["annotations"] | {"strimzi.io/revision": revision(template)}
        generated.change("pods", template["metadata"]["name"], {"metadata": {"annotations": marks}})
    generated.annotate("secrets", f"demo-clients-{secret}", **{trigger: "true"})
    generated.step(2)
    assert [reason for _pod, reason in generated.log()] == ["CaCertRenewed"] * 3


@pytest.mark.parametrize(("secret", "mark"), [("ca-cert", "force_renew"), ("ca", "force_replace")])
def test_the_clients_ca_has_no_trust_phase(secret: str, mark: str, generated: OperatedCluster) -> None:
    """docs/operator.md, "Sequences": one roll of the Kafka nodes, no component, no leaf."""
    before, leaf = generated.uids(), generated.entries("demo-kafka-0")
    generated.annotate("secrets", f"demo-clients-{secret}", **{mark: "true"})
    generated.step(3)
    assert generated.rolls() == [1, 1, 1]
    assert {name for name, uid in generated.uids().items() if before[name] != uid} == generated.memory.kubelet.nodes
    assert generated.entries("demo-kafka-0") == leaf


def test_an_old_clients_ca_stays_until_it_expires(generated: OperatedCluster, clock: Clock) -> None:
    """docs/operator.md, "Sequences": only expired entries are removed."""
    clock.pass_days(300)
    generated.annotate("secrets", "demo-clients-ca", force_replace="true")
    old = "ca-2027-06-01T12-00-00Z.crt"
    generated.step(5)
    assert old in generated.entries("demo-clients-ca-cert")
    assert generated.entries("demo-trustbundle")["clients-ca.crt"].count(b"BEGIN") == 2
    clock.pass_days(66)
    generated.memory.operator.reconcile(CLUSTER)
    assert old not in generated.entries("demo-clients-ca-cert")
    assert generated.entries("demo-trustbundle")["clients-ca.crt"].count(b"BEGIN") == 1

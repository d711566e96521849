# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``strimzi.io/pause-reconciliation`` (docs/operator.md, "Pause", "Pod sets")."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .operated_cluster import CLUSTER, KEY, OperatedCluster, encode

CHANGES: dict[str, Callable[[OperatedCluster], None]] = {
    "bundle": lambda cluster: cluster.change(
        "secrets", "demo-trustbundle", {"data": encode({"cluster-ca.crt": b"mine"})}
    ),
    "renewal": lambda cluster: cluster.annotate("secrets", "demo-cluster-ca-cert", force_renew="true"),
    "replacement": lambda cluster: cluster.annotate("secrets", "demo-cluster-ca", force_replace="true"),
    "leaf": lambda cluster: cluster.delete("secrets", "demo-kafka-0"),
    "generation": lambda cluster: cluster.annotate("secrets", "demo-cluster-ca-cert", ca_cert_generation="7"),
    "pod set": lambda cluster: cluster.annotate("strimzipodsets", "demo-kafka", mine="1"),
    "pool": lambda cluster: cluster.change("kafkanodepools", "kafka", {"spec": {"replicas": 4}}),
    "deployment": lambda cluster: cluster.change(
        "deployments", "demo-kafka-exporter", {"spec": {"template": {"metadata": {"annotations": {KEY: None}}}}}
    ),
    "kafka": lambda cluster: cluster.change("kafkas", CLUSTER, {"spec": {"clientsCa": {"validityDays": 5}}}),
}


@pytest.fixture
def paused(generated: OperatedCluster) -> OperatedCluster:
    generated.pause()
    generated.step()
    return generated


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_nothing_is_reconciled(change: Callable[[OperatedCluster], None], paused: OperatedCluster) -> None:
    """docs/operator.md, "Pause": and it is taken up when the pause ends."""
    plurals = ("secrets", "strimzipodsets", "deployments", "kafkanodepools")
    change(paused)
    before = {plural: paused.versions(plural) for plural in plurals}
    rolls = paused.rolls()
    paused.step(3)
    assert {plural: paused.versions(plural) for plural in plurals} == before
    assert paused.rolls() == rolls
    paused.pause(False)
    paused.step()
    assert paused.is_ready()


def test_status_shrinks(generated: OperatedCluster) -> None:
    """docs/operator.md, "Pause": rebuilt from scratch; listeners and versions disappear; observedGeneration keeps its
    value.
    """
    kafka = generated.existing("kafkas", CLUSTER)
    assert kafka["status"]["listeners"]
    generated.pause()
    generated.change("kafkas", CLUSTER, {"spec": {"clientsCa": {"validityDays": 5}}})
    generated.step()
    found = generated.existing("kafkas", CLUSTER)
    assert found["metadata"]["generation"] == kafka["metadata"]["generation"] + 1
    assert set(found["status"]) == {"clusterId", "clusterSecurity", "conditions", "observedGeneration"}
    assert found["status"]["observedGeneration"] == kafka["status"]["observedGeneration"]
    assert found["status"]["clusterId"] == kafka["status"]["clusterId"]
    assert found["status"]["clusterSecurity"] == kafka["status"]["clusterSecurity"]
    condition = generated.condition()
    assert (condition["type"], condition["status"]) == ("ReconciliationPaused", "True")


def test_status_comes_back(paused: OperatedCluster) -> None:
    """docs/operator.md, "Pause"."""
    paused.change("kafkas", CLUSTER, {"spec": {"clientsCa": {"validityDays": 5}}})
    paused.pause(False)
    paused.step()
    kafka = paused.existing("kafkas", CLUSTER)
    assert paused.is_ready()
    assert kafka["status"]["listeners"]
    assert kafka["status"]["observedGeneration"] == kafka["metadata"]["generation"]


@pytest.mark.parametrize("value", ["false", "True", "", "yes"])
def test_only_true_pauses(value: str, generated: OperatedCluster) -> None:
    """docs/operator.md, "Pause"."""
    generated.annotate("kafkas", CLUSTER, pause_reconciliation=value)
    generated.delete("secrets", "demo-trustbundle")
    generated.step()
    assert generated.get("secrets", "demo-trustbundle")


@pytest.mark.parametrize(("plural", "name"), [("strimzipodsets", "demo-kafka"), ("kafkanodepools", "kafka")])
def test_on_pod_sets_and_pools_it_means_nothing(plural: str, name: str, generated: OperatedCluster) -> None:
    """docs/operator.md, "Pause"."""
    generated.annotate(plural, name, pause_reconciliation="true")
    generated.delete("secrets", "demo-kafka-0")
    generated.delete("pods", "demo-kafka-1")
    generated.step()
    assert generated.get("secrets", "demo-kafka-0")
    assert generated.rolls() == [1, 1, 0]


def test_a_pause_also_holds_a_cluster_that_is_not_there_yet(cluster: OperatedCluster) -> None:
    """docs/operator.md, "Pause": nothing means nothing."""
    about = {"apiVersion": "kafka.strimzi.io/v1", "kind": "Kafka"}
    cluster.memory.apply({**about, "metadata": {"name": CLUSTER}, "spec": {"kafka": {}}})
    cluster.pause()
    cluster.step(2)
    assert cluster.api.all("secrets", "kafka") == []
    assert cluster.existing("kafkas", CLUSTER)["status"].keys() == {"conditions"}


def test_the_pod_set_controller_goes_on(paused: OperatedCluster) -> None:
    """docs/operator.md, "Pause": deleted pods come back from spec.pods; an annotation added there with them."""
    pods = paused.existing("strimzipodsets", "demo-kafka")["spec"]["pods"]
    pods[0]["metadata"]["annotations"]["mine"] = "1"
    paused.change("strimzipodsets", "demo-kafka", {"spec": {"pods": pods}})
    paused.delete("pods", "demo-kafka-0")
    paused.step()
    assert paused.rolls() == [1, 0, 0]
    assert paused.marks("pods", "demo-kafka-0")["mine"] == "1"


def test_a_foreign_annotation_is_no_reason_to_roll(paused: OperatedCluster) -> None:
    """docs/operator.md, "Pause": the set is rewritten, the pod keeps it, the model is what counts."""
    test_the_pod_set_controller_goes_on(paused)
    paused.pause(False)
    paused.step(2)
    assert paused.rolls() == [1, 0, 0]
    assert paused.marks("pods", "demo-kafka-0")["mine"] == "1"
    templates = paused.existing("strimzipodsets", "demo-kafka")["spec"]["pods"]
    assert all("mine" not in template["metadata"]["annotations"] for template in templates)


def test_a_model_that_changed_meanwhile_rolls_what_lacks_it_and_then_all(managed: OperatedCluster) -> None:
    """docs/operator.md, "Pause": key generation raised, one pod already recreated with it."""
    managed.pause()
    managed.step()
    managed.annotate("secrets", "demo-cluster-ca", ca_key_generation="1")
    pods = managed.existing("strimzipodsets", "demo-kafka")["spec"]["pods"]
    pods[0]["metadata"]["annotations"][KEY] = "1"
    managed.change("strimzipodsets", "demo-kafka", {"spec": {"pods": pods}})
    managed.delete("pods", "demo-kafka-0")
    managed.step()
    managed.log()
    managed.pause(False)
    managed.step()
    nodes = [(pod, reason) for pod, reason in managed.log() if pod in managed.memory.kubelet.nodes]
    assert sorted(nodes[:2]) == [(f"demo-kafka-{i}", "ClusterCaCertKeyReplaced") for i in (1, 2)]
    assert sorted(nodes[2:]) == [(f"demo-kafka-{i}", "PodHasOldRevision") for i in (0, 1, 2)]

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""StrimziPodSets and their controller (docs/operator.md, "Pause", "Pod sets")."""

from __future__ import annotations

import copy

import pytest

from .operated_cluster import CLUSTER, OperatedCluster
from .podsets import control_pod_sets

SET = "demo-kafka"


def test_shape(generated: OperatedCluster) -> None:
    """docs/operator.md, "Pod sets": one a pool, named after it, with complete manifests."""
    found = generated.existing("strimzipodsets", SET)
    assert found["spec"]["selector"]["matchLabels"] == {
        "strimzi.io/cluster": "demo",
        "strimzi.io/kind": "Kafka",
        "strimzi.io/name": "demo-kafka",
        "strimzi.io/pool-name": "kafka",
    }
    assert [pod["metadata"]["name"] for pod in found["spec"]["pods"]] == [f"demo-kafka-{i}" for i in range(3)]
    for pod in generated.pods():
        (owner,) = pod["metadata"]["ownerReferences"]
        assert (owner["kind"], owner["uid"], owner["controller"]) == ("StrimziPodSet", found["metadata"]["uid"], True)


def test_one_for_each_pool(cluster: OperatedCluster) -> None:
    """docs/operator.md, "Pod sets", "Kafka resource": node ids are cluster-wide; labels say which role a pod has."""
    cluster.start(generated=True, separate=True)
    labels = {
        pod["metadata"]["name"]: (
            pod["metadata"]["labels"]["strimzi.io/controller-name"],
            pod["metadata"]["labels"]["strimzi.io/broker-role"],
            pod["metadata"]["labels"]["strimzi.io/controller-role"],
        )
        for pod in cluster.pods()
    }
    assert labels == {
        **{f"demo-broker-{i}": ("demo-broker", "true", "false") for i in (0, 1, 2)},
        **{f"demo-controller-{i}": ("demo-controller", "false", "true") for i in (3, 4, 5)},
    }
    assert cluster.existing("kafkanodepools", "controller")["status"]["nodeIds"] == [3, 4, 5]


@pytest.mark.parametrize("phase", ["Failed", "Succeeded"])
def test_terminal_pods_are_replaced(phase: str, generated: OperatedCluster) -> None:
    """docs/operator.md, "Pause", "Pod sets"."""
    uid = generated.uids()["demo-kafka-1"]
    path = "/api/v1/namespaces/kafka/pods/demo-kafka-1/status"
    body = {"status": {"phase": phase}}
    generated.api.request("PATCH", path, body=body, content_type="application/merge-patch+json")
    assert control_pod_sets(generated.memory.operator.api)
    generated.step()
    assert generated.uids()["demo-kafka-1"] != uid


def test_surplus_pods_are_deleted(generated: OperatedCluster) -> None:
    """docs/operator.md, "Pod sets"."""
    pods = generated.existing("strimzipodsets", SET)["spec"]["pods"]
    generated.change("strimzipodsets", SET, {"spec": {"pods": pods[:2]}})
    assert control_pod_sets(generated.memory.operator.api)
    assert [pod["metadata"]["name"] for pod in generated.pods()] == ["demo-kafka-0", "demo-kafka-1"]


def test_pods_that_exist_are_never_updated(generated: OperatedCluster) -> None:
    """docs/operator.md, "Pod sets": neither labels nor annotations."""
    before = generated.versions("pods")
    pods = copy.deepcopy(generated.existing("strimzipodsets", SET)["spec"]["pods"])
    for pod in pods:
        pod["metadata"]["annotations"]["mine"] = "1"
        pod["metadata"]["labels"]["mine"] = "1"
    generated.change("strimzipodsets", SET, {"spec": {"pods": pods}})
    assert not control_pod_sets(generated.memory.operator.api)
    assert generated.versions("pods") == before


def test_a_pod_comes_back_as_the_set_has_it(generated: OperatedCluster) -> None:
    """docs/operator.md, "Pod sets": created as given."""
    generated.memory.operator_runs = False
    pods = generated.existing("strimzipodsets", SET)["spec"]["pods"]
    pods[1]["metadata"]["annotations"]["mine"] = "1"
    generated.change("strimzipodsets", SET, {"spec": {"pods": pods}})
    generated.delete("pods", "demo-kafka-1")
    generated.step()
    assert {name: generated.marks("pods", name).get("mine") for name in generated.memory.kubelet.nodes} == {
        "demo-kafka-0": None,
        "demo-kafka-1": "1",
        "demo-kafka-2": None,
    }


def test_foreign_fields_of_the_set_vanish(generated: OperatedCluster) -> None:
    """docs/operator.md, "Pod sets": replaced when it differs from the model."""
    before = generated.existing("strimzipodsets", SET)
    pods = copy.deepcopy(before["spec"]["pods"])
    pods[0]["metadata"]["annotations"]["mine"] = "1"
    generated.change("strimzipodsets", SET, {"spec": {"pods": pods}, "metadata": {"annotations": {"mine": "1"}}})
    generated.memory.operator.reconcile(CLUSTER)
    after = generated.existing("strimzipodsets", SET)
    assert after["spec"] == before["spec"]
    assert after["metadata"]["annotations"] == before["metadata"]["annotations"]
    assert generated.rolls() == [0, 0, 0]

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster that is being deleted, one that was restored from a backup while no operator runs, and one under an operator of
too old a release: no module writes anything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ...tools.support.memory_cluster import MemoryCluster
from . import stages
from .mistakes import CERTIFICATES, KEYS, is_paused, put
from .running import call
from .uses import USES, Use

DELETED = {"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["foregroundDeletion"]}}
AFTER = (
    "A deletion cannot be taken back: let it come to its end. If the cluster is to live on, create the Kafka resource again after that, with the CA "
    "Secrets and volumes that were kept, then run the flow again."
)
GOES = f"is being deleted (metadata.deletionTimestamp), and its deletion waits for the finalizers foregroundDeletion. {AFTER}"
START = "Start the Cluster Operator, have it watch the namespace kafka, wait until the resource has a status of its own, then run the flow again."
NO_STATUS = "its status has no condition, which an operator sets as soon as it sees the resource"
#: The uses that write where there is a Kafka resource. A certificate for names of the caller's own needs no operator.
WRITERS = [use for use in USES if use.what not in ("makes a first one", "exports requests", "issues one of its own")]
ROOTS = {"kafkas": "/apis/kafka.strimzi.io/v1", "strimzipodsets": "/apis/core.strimzi.io/v1", "secrets": "/api/v1"}


def delete(memory: MemoryCluster, plural: str, name: str) -> None:
    """Its deletion was asked for, and waits for a finalizer."""
    root = ROOTS.get(plural, "/apis/kafka.strimzi.io/v1")
    path = f"{root}/namespaces/{memory.namespace}/{plural}/{name}"
    answer = memory.api.request("PATCH", path, body=DELETED, content_type="application/merge-patch+json")
    assert answer.status == 200, answer.body


def restore(memory: MemoryCluster, status: Callable[[dict[str, Any]], dict[str, Any]] | None = None) -> None:
    """As a backup has it: every object is made again, without its status and without pods. status: what it has of the old one."""
    memory.operator_runs = False
    for plural in ("pods", "deployments"):
        for one in memory.api.all(plural, memory.namespace):
            memory.api.request("DELETE", f"/api/v1/namespaces/{memory.namespace}/{plural}/{one['metadata']['name']}")
    for plural, root in ROOTS.items():
        for one in memory.api.all(plural, memory.namespace):
            path, name = f"{root}/namespaces/{memory.namespace}/{plural}", one["metadata"]["name"]
            kept = one.pop("status", {})
            memory.api.request("DELETE", f"{path}/{name}")
            memory.api.request("POST", path, body=one)
            if status is not None and plural == "kafkas":
                body = {"status": status(kept)}
                memory.api.request(
                    "PATCH", f"{path}/{name}/status", body=body, content_type="application/merge-patch+json"
                )


def refused(use: Use, memory: MemoryCluster, told: str) -> None:
    paused = is_paused(memory)
    before = memory.api.but_events()
    ended = use.take(memory)
    assert (ended.failed, ended.writes) == (True, [])
    said = ended.result["msg"].replace("Kafka kafka/demo: ", "Kafka kafka/demo ")
    # A pause that stays is named before that.
    assert (said == f"Kafka kafka/demo {told}") is not paused
    assert said.endswith(f"Kafka kafka/demo {told}")
    assert memory.api.but_events() == before
    assert is_paused(memory) is paused


@pytest.mark.parametrize("use", WRITERS, ids=str)
def test_nothing_is_written_into_a_cluster_that_is_being_deleted(use: Use) -> None:
    memory = use.start()
    delete(memory, "kafkas", "demo")
    refused(use, memory, GOES)


@pytest.mark.parametrize("use", WRITERS, ids=str)
def test_nothing_is_written_into_a_restored_cluster_without_an_operator(use: Use) -> None:
    """From every stage of a flow, by one sentence."""
    memory = use.start()
    restore(memory)
    refused(use, memory, f"is reconciled by no Cluster Operator: {NO_STATUS}. {START}")


@pytest.mark.parametrize("use", WRITERS, ids=str)
def test_nothing_is_written_under_an_operator_before_0_51(use: Use) -> None:
    memory = use.start()
    path = f"{ROOTS['kafkas']}/namespaces/{memory.namespace}/kafkas/demo/status"
    status = {"status": {"operatorLastSuccessfulVersion": "0.50.1"}}
    memory.api.request("PATCH", path, body=status, content_type="application/merge-patch+json")
    ended = use.take(memory)
    assert (ended.failed, ended.writes) == (True, [])
    assert "is run by Strimzi 0.50.1. " in ended.result["msg"]


@pytest.mark.parametrize(
    ("status", "why"),
    [
        (
            lambda old: {**old, "observedGeneration": 7},
            "its status is about generation 7 of a resource that has come to generation 1",
        ),
        (
            lambda old: {**old, "observedGeneration": 1},
            "none of its 3 nodes has a pod, and its status says nothing of that",
        ),
    ],
    ids=["of a later generation", "of the same generation"],
)
@pytest.mark.parametrize("start", [stages.managed, stages.taken_up, stages.switched], ids=lambda one: one.__name__)
def test_a_status_that_was_restored_too(
    start: Callable[[], MemoryCluster], status: Callable[[dict[str, Any]], dict[str, Any]], why: str
) -> None:
    memory = start()
    restore(memory, status)
    for state in ("present", "renewed", "replaced", "promoted", "aborted", "adopted", "handed_back", "recovered"):
        ended = call("strimzi_ca", memory, state=state)
        assert (ended.failed, ended.writes) == (True, [])
        assert ended.result["msg"] == f"Kafka kafka/demo: is reconciled by no Cluster Operator: {why}. {START}"
    found = call("strimzi_ca_info", memory).result["violations"]
    assert [one["gate"] for one in found] == ["operator_is_there"]


def test_when_the_operator_is_back_the_flow_goes_on() -> None:
    memory = stages.taken_up()
    restore(memory)
    assert call("strimzi_ca", memory, state="promoted").failed
    memory.operator_runs = True
    memory.settle(4)
    stages.done(memory, "strimzi_ca", state="promoted")
    stages.done(memory, "strimzi_trusted_certs", state="retired")
    assert call("strimzi_trusted_certs", memory, state="retired").writes == []


def test_a_pause_of_ours_that_was_restored_stays_until_the_operator_is_back() -> None:
    """Were it ended now, an operator that is started later would see a switch half-way."""
    memory = stages.taken_up()
    put(
        memory,
        "kafkas",
        "demo",
        annotations={"strimzi.io/pause-reconciliation": "true", "trustops.strimzi/paused-by": "killed"},
    )
    restore(memory)
    ended = call("strimzi_trusted_certs", memory, state="retired")
    assert (ended.failed, ended.writes, is_paused(memory)) == (True, [], True)
    memory.operator_runs = True
    memory.settle(2)
    stages.done(memory, "strimzi_trusted_certs", state="retired")
    assert not is_paused(memory)


@pytest.mark.parametrize("secret", [CERTIFICATES, KEYS, "demo-cluster-ca-trusted-certs", "demo-kafka-1"])
def test_a_secret_that_is_being_deleted(secret: str) -> None:
    memory = stages.prepared()
    delete(memory, "secrets", secret)
    for module in ("strimzi_ee_cert", "strimzi_trusted_certs", "strimzi_ca"):
        ended = call(module, memory)
        assert (ended.failed, ended.writes) == (True, [])
        (found,) = ended.result["violations"]
        assert (found["gate"], found["subject"]) == ("nothing_is_in_deletion", f"Secret kafka/{secret}")


def test_a_node_pool_that_is_being_deleted_is_not_scaled() -> None:
    memory = stages.managed()
    delete(memory, "kafkanodepools", "kafka")
    ended = call("strimzi_node_pool", memory, pool="kafka", replicas=4)
    assert (ended.failed, ended.writes) == (True, [])
    assert [(one["gate"], one["subject"]) for one in ended.result["violations"]] == [
        ("nothing_is_in_deletion", "KafkaNodePool kafka/kafka")
    ]
    assert not call("strimzi_trusted_certs", memory).failed

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster that is being deleted, one that was restored from a backup while no operator runs, and one under an operator of
too old a release: no module writes anything.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from ...tools.operator import clusters
from ...tools.support.memory_cluster import MemoryCluster
from . import stages
from .fast_clock import FastClock
from .mistakes import CERTIFICATES, KEYS, is_paused, put
from .running import call, refusing
from .test_clients_ca import adopted_with
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
PREPARES = next(use.writes for use in USES if use.what == "prepares a replacement")
ROOTS = {"kafkas": "/apis/kafka.strimzi.io/v1", "strimzipodsets": "/apis/core.strimzi.io/v1", "secrets": "/api/v1"}


def delete(memory: MemoryCluster, plural: str, name: str) -> None:
    """Its deletion was asked for, and waits for a finalizer."""
    root = ROOTS.get(plural, "/apis/kafka.strimzi.io/v1")
    path = f"{root}/namespaces/{memory.namespace}/{plural}/{name}"
    answer = memory.api.request("PATCH", path, body=DELETED, content_type="application/merge-patch+json")
    assert answer.status == 200, answer.body


Status = Callable[[dict[str, Any]], dict[str, Any]]
NODE_POOLS = {"kafkanodepools": "/apis/kafka.strimzi.io/v1"}


def restore(memory: MemoryCluster, status: Status | None = None, *, owned: bool = True, pods: str = "") -> None:
    """As a backup has it: every object is made again, without its status and without pods.

    status: what it has of the old one. owned: whether objects come back whose owner is another resource by now; Kubernetes deletes them. pods: the
    component whose pods are back, because their Deployment is.
    """
    memory.operator_runs = False
    clock, memory.api.clock = memory.api.clock, lambda: f"{FastClock().now():%Y-%m-%dT%H:%M:%SZ}"
    back = [one for one in memory.api.all("pods", memory.namespace) if pods and pods in one["metadata"]["name"]]
    for plural in ("pods", "deployments"):
        for one in memory.api.all(plural, memory.namespace):
            memory.api.request("DELETE", f"/api/v1/namespaces/{memory.namespace}/{plural}/{one['metadata']['name']}")
    for plural, root in (ROOTS | ({} if owned else NODE_POOLS)).items():
        for one in memory.api.all(plural, memory.namespace):
            path, name = f"{root}/namespaces/{memory.namespace}/{plural}", one["metadata"]["name"]
            kept = one.pop("status", {})
            memory.api.request("DELETE", f"{path}/{name}")
            if one["metadata"].get("ownerReferences") and not owned:
                continue
            memory.api.request("POST", path, body=one)
            if status is not None and plural == "kafkas":
                body = {"status": status(kept)}
                memory.api.request(
                    "PATCH", f"{path}/{name}/status", body=body, content_type="application/merge-patch+json"
                )
    for one in back:
        memory.api.request("POST", f"/api/v1/namespaces/{memory.namespace}/pods", body=one)
    memory.api.clock = clock


def refused(use: Use, memory: MemoryCluster, told: str) -> None:
    paused = is_paused(memory)
    before = memory.api.but_events()
    ended = use.take(memory, **({} if use.module == "strimzi_csr" else SHORT))
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
    assert "Strimzi 0.50.1" in ended.result["msg"]


#: How long an operator gets to show itself, in tests that do not wait for one.
SHORT = {"operator_timeout": 1}


def _same(old: dict[str, Any]) -> dict[str, Any]:
    said = [{**one, "lastTransitionTime": "2025-12-24T00:00:00Z"} for one in old["conditions"]]
    return {**old, "conditions": said, "observedGeneration": 1}


def _later(old: dict[str, Any]) -> dict[str, Any]:
    return {**old, "observedGeneration": 7}


def _failed(_old: dict[str, Any]) -> dict[str, Any]:
    """Of a failure before the backup."""
    said = {"type": "NotReady", "status": "True", "reason": "UnforceableProblem", "message": "it was so"}
    return {"conditions": [{**said, "lastTransitionTime": "2025-12-24T00:00:00Z"}], "observedGeneration": 1}


def _paused(_old: dict[str, Any]) -> dict[str, Any]:
    said = {"type": "ReconciliationPaused", "status": "True", "lastTransitionTime": "2025-12-24T00:00:00Z"}
    return {"conditions": [said], "observedGeneration": 1}


STATES = ("present", "renewed", "replaced", "promoted", "aborted", "adopted", "handed_back", "recovered")


@pytest.mark.parametrize(
    "status", [None, _same, _later, _failed, _paused], ids=lambda one: getattr(one, "__name__", "_none")
)
@pytest.mark.parametrize(
    "left",
    [{}, {"pods": "entity-operator"}, {"owned": False}],
    ids=["no pod", "pods of a Deployment", "no object of another owner"],
)
@pytest.mark.parametrize("start", [stages.managed, stages.taken_up, stages.switched], ids=lambda one: one.__name__)
def test_whatever_came_back_with_the_cluster(
    start: Callable[[], MemoryCluster], left: dict[str, Any], status: Status | None
) -> None:
    """Neither a status that was restored nor what other controllers make again stands for an operator."""
    memory = start()
    restore(memory, status, **left)
    for state in STATES:
        ended = call("strimzi_ca", memory, state=state, **SHORT)
        assert (ended.failed, ended.writes) == (True, []), state
        assert [one["gate"] for one in ended.result["violations"]] == ["operator_is_there"], state
    found = call("strimzi_ca_info", memory).result["violations"]
    assert [one["gate"] for one in found] == ["operator_is_there"]


@pytest.mark.parametrize(
    "left", [{"pods": "entity-operator"}, {"owned": False}], ids=["pods of a Deployment", "no object of another owner"]
)
def test_whatever_came_back_with_the_clients_ca(left: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as moving:
        memory = adopted_with(moving, "orders")
    restore(memory, _same, **left)
    for state in STATES:
        ended = call("strimzi_ca", memory, ca="clients", state=state, **SHORT)
        assert ([one["gate"] for one in ended.result["violations"]], ended.writes) == (["operator_is_there"], []), state


def beat(memory: MemoryCluster, ago: timedelta, **spec: Any) -> None:
    """The Lease of the operator, renewed so long ago by the clock of the API server."""
    renewed = FastClock().now() - ago
    spec = {"leaseDurationSeconds": 15, "renewTime": renewed.strftime("%Y-%m-%dT%H:%M:%S.%fZ"), **spec}
    path = f"/apis/coordination.k8s.io/v1/namespaces/{memory.namespace}/leases"
    memory.api.request("DELETE", f"{path}/strimzi-cluster-operator")
    answer = memory.api.request("POST", path, body={"metadata": {"name": "strimzi-cluster-operator"}, "spec": spec})
    assert answer.status == 201, answer.body


HOUR, SECOND = timedelta(hours=1), timedelta(seconds=1)


@pytest.mark.parametrize("use", WRITERS, ids=str)
def test_nothing_is_written_where_only_the_lease_shows_that_the_operator_is_gone(use: Use) -> None:
    """Every object is as the operator has left it, and its pods run."""
    memory = use.start()
    memory.operator_runs = False
    beat(memory, HOUR)
    paused, before = is_paused(memory), memory.api.but_events()
    ended = use.take(memory, **({} if use.module == "strimzi_csr" else SHORT))
    assert (ended.failed, ended.writes) == (True, [])
    assert ended.result["msg"].count("Lease kafka/strimzi-cluster-operator") == 1
    assert (memory.api.but_events(), is_paused(memory)) == (before, paused)


@pytest.mark.parametrize("state", STATES)
def test_the_lease_is_one_violation_of_every_goal(state: str) -> None:
    memory = stages.taken_up()
    memory.operator_runs = False
    beat(memory, HOUR)
    ended = call("strimzi_ca", memory, state=state, **SHORT)
    assert ([one["gate"] for one in ended.result["violations"]], ended.writes) == (["operator_is_there"], [])


@pytest.mark.parametrize("ago", [SECOND, 70 * SECOND])
def test_an_operator_that_renews_its_lease_late_is_there(ago: timedelta) -> None:
    memory = stages.managed()
    beat(memory, ago)
    assert call("strimzi_ca", memory, **stages.PREPARED).writes_but_lease == PREPARES


@pytest.mark.parametrize("ahead", [-120 * SECOND, 120 * SECOND])
def test_the_lease_is_read_by_the_clock_of_the_api_server(ahead: timedelta) -> None:
    memory = stages.managed()
    beat(memory, SECOND + ahead)
    assert call("strimzi_ca_info", memory, ahead=ahead).result["violations"] == []
    beat(memory, 5 * 60 * SECOND + ahead)
    found = call("strimzi_ca_info", memory, ahead=ahead).result["violations"]
    assert [one["gate"] for one in found] == ["operator_is_there"]


def test_an_operator_with_a_wrong_clock_renews_its_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its times are of the past, and change."""
    memory, sleep, ago = stages.managed(), FastClock.sleep, [HOUR]
    beat(memory, ago[0])

    def go_on(clock: FastClock, seconds: float) -> None:
        sleep(clock, seconds)
        ago[0] -= SECOND
        beat(memory, ago[0])

    monkeypatch.setattr(FastClock, "sleep", go_on)
    assert call("strimzi_ca_info", memory).result["violations"] == []
    assert call("strimzi_ca", memory, **stages.PREPARED).writes_but_lease == PREPARES


def test_a_lease_that_may_not_be_read_or_was_never_held_shows_nothing() -> None:
    memory = stages.managed()
    beat(memory, HOUR)
    lease = refusing("GET", "/leases/strimzi-cluster-operator")
    assert call("strimzi_ca", memory, answer=lease, **stages.PREPARED).writes_but_lease == PREPARES
    memory = stages.managed()
    beat(memory, HOUR, renewTime=None)
    assert call("strimzi_ca", memory, **stages.PREPARED).writes_but_lease == PREPARES


def test_an_operator_that_has_just_been_started_gets_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes minutes to see a resource under load; the call waits for it, and only then gives up."""
    memory, sleep = stages.managed(), FastClock.sleep
    restore(memory)
    asleep: list[float] = []

    def go_on(clock: FastClock, seconds: float) -> None:
        asleep.append(seconds)
        memory.operator_runs = sum(asleep) >= 250
        memory.step()
        sleep(clock, seconds)

    monkeypatch.setattr(FastClock, "sleep", go_on)
    assert not call("strimzi_ca", memory, **stages.PREPARED).failed
    assert 250 <= sum(asleep) < 300


def test_a_plan_and_status_wait_for_no_operator(monkeypatch: pytest.MonkeyPatch) -> None:
    memory = stages.managed()
    restore(memory)
    asleep: list[float] = []
    monkeypatch.setattr(FastClock, "sleep", lambda _clock, seconds: asleep.append(seconds))
    planned = call("strimzi_ca", memory, check=True, state="replaced")
    assert [one["gate"] for one in planned.result["violations"]] == ["operator_is_there"]
    call("strimzi_ca_info", memory)
    assert asleep == []


@pytest.mark.parametrize("status", [None, _same, _failed], ids=lambda one: getattr(one, "__name__", "_none"))
def test_the_first_ca_needs_no_operator(status: Status | None) -> None:
    """Before the Kafka resource, and after it while no operator has said anything; a cluster that was restored has a CA that processes have used."""
    memory = MemoryCluster()
    memory.operator_runs = False
    stages.done(memory, "strimzi_ca", before_kafka=True, **stages.FAST)
    memory.apply(*clusters.dual_role(memory.cluster, memory.namespace))
    assert not call("strimzi_ca", memory, **stages.FAST).failed
    memory = stages.managed()
    restore(memory, status, owned=False)
    ended = call("strimzi_ca", memory, **stages.FAST, **SHORT)
    assert ([one["gate"] for one in ended.result["violations"]], ended.writes) == (["operator_is_there"], [])


@pytest.mark.parametrize("status", [None, _same, _later, _failed], ids=lambda one: getattr(one, "__name__", "_none"))
def test_when_the_operator_is_back_the_flow_goes_on(status: Status | None) -> None:
    memory = stages.taken_up()
    restore(memory, status, pods="entity-operator")
    assert call("strimzi_ca", memory, state="promoted", **SHORT).failed
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
    ended = call("strimzi_trusted_certs", memory, state="retired", **SHORT)
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

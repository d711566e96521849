# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two runs at once, and an operator or a pod that does not come: what was waited for is named."""

from __future__ import annotations

from ...tools.support.memory_cluster import MemoryCluster
from . import stages
from .fast_clock import FastClock
from .mistakes import is_paused
from .running import call

#: Of the Lease as a call makes it.
LABELS = {"strimzi.io/kind": "Kafka", "strimzi.io/cluster": "demo"}


def held(memory: MemoryCluster) -> None:
    """The Lease as another run has it, which renews it while it is watched."""

    def time_of_renewal() -> str:
        return FastClock().now().strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    spec = {
        "holderIdentity": "run-other", "leaseDurationSeconds": 30, "acquireTime": "2026-01-01T08:00:00Z",
        "renewTime": time_of_renewal(), "leaseTransitions": 0,
    }  # fmt: skip
    path = f"/apis/coordination.k8s.io/v1/namespaces/{memory.namespace}/leases"
    memory.api.request("DELETE", f"{path}/demo-trust")
    memory.api.request("POST", path, body={"metadata": {"name": "demo-trust", "labels": LABELS}, "spec": spec})

    def renew() -> None:
        change = {"spec": {"renewTime": time_of_renewal()}}
        memory.api.request("PATCH", f"{path}/demo-trust", body=change, content_type="application/merge-patch+json")

    memory.step = renew  # type: ignore[method-assign]


def test_lease_held_by_another_run() -> None:
    memory = stages.managed()
    held(memory)
    ended = call("strimzi_ca", memory, **stages.PREPARED)
    assert ended.result["msg"] == (
        "Another run (holder run-other, since 2026-01-01T08:00:00Z, renewed 0 s ago) is working on Kafka cluster "
        "kafka/demo. Let it finish, or stop it, then run again: a flow continues where it stopped. If it was killed, "
        "its Lease runs out by itself 30 s after its last renewal."
    )
    assert (ended.failed, ended.writes) == (True, [])


def test_nothing_to_write_needs_no_lease() -> None:
    memory = stages.managed()
    held(memory)
    for module, options in (("strimzi_ca_info", {}), ("strimzi_ca", {"state": "promoted"})):
        ended = call(module, memory, **options)
        assert (ended.failed, ended.result["changed"], ended.writes) == (False, False, [])


def test_check_mode_needs_no_lease() -> None:
    memory = stages.managed()
    held(memory)
    ended = call("strimzi_ca", memory, state="replaced", fresh_for_hours=0, check=True)
    assert (ended.failed, ended.result["changed"], ended.writes) == (False, True, [])


REMEDY = (
    "Check that the Cluster Operator runs, watches this namespace and reports no error in the Kafka resource's status; "
    "then run the flow again, it continues where it stopped."
)


def test_operator_that_does_not_confirm_a_pause() -> None:
    memory = stages.managed()
    memory.operator_runs = False
    ended = call("strimzi_reconciliation", memory, state="paused", operator_timeout=1)
    assert ended.result["msg"].startswith(
        "The Cluster Operator is left paused for Kafka kafka/demo, in the name of ansible. "
    )
    assert ended.result["msg"].endswith(
        f"The Cluster Operator has not confirmed the pause of Kafka kafka/demo within 1 s. {REMEDY}"
    )
    assert ended.writes_but_lease == ["PATCH kafkas/demo"]
    assert ended.result["changed"] is True
    # The cluster itself says what was begun, so the same holder ends it.
    memory.operator_runs = True
    resumed = call("strimzi_reconciliation", memory, state="resumed")
    assert (resumed.result["changed"], is_paused(memory)) == (True, False)


def test_a_switch_whose_pause_is_not_confirmed_takes_it_back() -> None:
    memory = stages.taken_up()
    memory.operator_runs = False
    ended = call("strimzi_ca", memory, state="promoted", operator_timeout=1)
    assert f"has not confirmed the pause of Kafka kafka/demo within 1 s. {REMEDY}" in ended.result["msg"]
    assert ended.writes_but_lease == ["PATCH kafkas/demo"] * 2
    assert not is_paused(memory)


def test_operator_that_does_not_update_the_trust_bundle() -> None:
    memory = stages.managed()
    memory.operator_runs = False
    ended = call("strimzi_ca", memory, **stages.PREPARED, operator_timeout=1)
    assert ended.result["msg"] == (
        f"The Cluster Operator has not updated Secret kafka/demo-trustbundle within 1 s. {REMEDY}"
    )
    # The Lease is given back.
    lease = memory.api.find("leases", "kafka", "demo-trust") or {}
    assert (ended.writes[-1], lease["spec"]["holderIdentity"]) == ("PATCH leases/demo-trust", "")


ROLL_REMEDY = (
    "Look at the pods named here and at the operator's log; when they are healthy, run the flow again: pods that were "
    "restarted already are not restarted again."
)


def stuck(memory: MemoryCluster) -> list[str]:
    """The words of a roll about each node when nothing moves any more; pods of Deployments, with random names, are left out."""
    ended = call("strimzi_trusted_certs", memory, pod_timeout=1)
    assert (ended.code, ended.failed) == (1, True)
    message = ended.result["msg"]
    opening = "The trust roll has stopped: for 1 s no pod came back. "
    assert message.startswith(opening)
    assert message.endswith(f". {ROLL_REMEDY}")
    count, _stop, pods = message[len(opening) : -len(f". {ROLL_REMEDY}")].partition(". ")
    return [
        count,
        *(pod for pod in sorted(pods.split("; ")) if pod.startswith("demo-kafka-") and "exporter" not in pod),
    ]


def test_pod_that_does_not_come_back() -> None:
    memory = stages.unlinked()
    memory.kubelet.broken.add("demo-kafka-0")
    assert stuck(memory) == [
        "2 of 3 restarted",
        "demo-kafka-0: Unknown, not Ready",
        "demo-kafka-1: Running, Ready",
        "demo-kafka-2: Running, Ready",
    ]


def test_roll_without_an_operator() -> None:
    memory = stages.unlinked()
    memory.operator_runs = False
    assert stuck(memory) == [
        "0 of 3 restarted",
        *(f"demo-kafka-{number}: Running, Ready, to be restarted" for number in range(3)),
    ]

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two runs at once, and an operator or a pod that does not come: what was waited for is named."""

from __future__ import annotations

from ...tools.support.golden import GoldenFiles
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


def test_lease_held_by_another_run(golden: GoldenFiles) -> None:
    memory = stages.managed()
    held(memory)
    ended = call("strimzi_ca", memory, **stages.PREPARED)
    golden.compare_said("calls", ended.result["msg"])
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


def test_operator_that_does_not_confirm_a_pause(golden: GoldenFiles) -> None:
    memory = stages.managed()
    memory.operator_runs = False
    ended = call("strimzi_reconciliation", memory, state="paused", operator_timeout=1)
    golden.compare_said("calls", ended.result["msg"])
    assert ended.writes_but_lease == ["PATCH kafkas/demo"]
    assert ended.result["changed"] is True
    # The cluster itself says what was begun, so the same holder ends it.
    memory.operator_runs = True
    resumed = call("strimzi_reconciliation", memory, state="resumed")
    assert (resumed.result["changed"], is_paused(memory)) == (True, False)


def test_a_switch_whose_pause_is_not_confirmed_takes_it_back(golden: GoldenFiles) -> None:
    memory = stages.taken_up()
    memory.operator_runs = False
    ended = call("strimzi_ca", memory, state="promoted", operator_timeout=1)
    golden.compare_said("calls", ended.result["msg"])
    assert ended.writes_but_lease == ["PATCH kafkas/demo"] * 2
    assert not is_paused(memory)


def test_operator_that_does_not_update_the_trust_bundle(golden: GoldenFiles) -> None:
    memory = stages.managed()
    memory.operator_runs = False
    ended = call("strimzi_ca", memory, **stages.PREPARED, operator_timeout=1)
    golden.compare_said("calls", ended.result["msg"])
    # The Lease is given back.
    lease = memory.api.find("leases", "kafka", "demo-trust") or {}
    assert (ended.writes[-1], lease["spec"]["holderIdentity"]) == ("PATCH leases/demo-trust", "")


def stuck(memory: MemoryCluster) -> str:
    """The failure of a roll in which nothing moves any more."""
    ended = call("strimzi_trusted_certs", memory, pod_timeout=1)
    assert (ended.code, ended.failed) == (1, True)
    return str(ended.result["msg"])


def test_pod_that_does_not_come_back(golden: GoldenFiles) -> None:
    memory = stages.unlinked()
    memory.kubelet.broken.add("demo-kafka-0")
    golden.compare_said("calls", stuck(memory))


def test_roll_without_an_operator(golden: GoldenFiles) -> None:
    memory = stages.unlinked()
    memory.operator_runs = False
    golden.compare_said("calls", stuck(memory))

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each call takes the Lease before it writes and gives it back, whatever its end; the Lease of another holder stays."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.lease import TrustLease

from ...tools.support.golden import GoldenFiles
from ...tools.support.memory_api import Response
from ...tools.support.memory_cluster import MemoryCluster
from . import stages
from .fast_clock import FastClock
from .running import call, shown_lines


def holder_of(memory: MemoryCluster) -> Any:
    return (memory.api.find("leases", "kafka", "demo-trust") or {})["spec"]["holderIdentity"]


def left_behind(memory: MemoryCluster) -> None:
    """The Lease of a run that was killed."""
    spec = {
        "holderIdentity": "call-dead@far-away",
        "leaseDurationSeconds": 3,
        "acquireTime": "2026-01-01T00:00:00.000000Z",
    }
    labels = {"strimzi.io/kind": "Kafka", "strimzi.io/cluster": "demo"}
    metadata = {"name": "demo-trust", "namespace": "kafka", "labels": labels}
    path = "/apis/coordination.k8s.io/v1/namespaces/kafka/leases"
    memory.api.request("DELETE", f"{path}/demo-trust")
    answer = memory.api.request("POST", path, body={"metadata": metadata, "spec": spec})
    assert answer.status == 201, answer.body


WAITING = (
    "another run (holder call-dead@far-away, since 2026-01-01T00:00:00.000000Z, renewed 0 s ago) has the Lease of Kafka cluster "
    "kafka/demo; it is watched for up to 3 s: a run that does not renew it in that time is dead, and this run takes over."
)


def test_waiting_for_a_dead_run_is_told_while_it_lasts(tmp_path: Path) -> None:
    memory, progress = stages.managed(), tmp_path / "progress"
    left_behind(memory)
    ended = stages.done(memory, "strimzi_ca", **stages.PREPARED, progress_file=str(progress))
    assert shown_lines(progress)[0] == WAITING
    assert ended.warnings == []


def test_without_a_progress_file_the_wait_is_a_warning_at_the_end() -> None:
    memory = stages.managed()
    left_behind(memory)
    assert stages.done(memory, "strimzi_reconciliation", state="paused").warnings == [WAITING]


def test_a_holder_says_where_it_runs() -> None:
    memory = stages.managed()
    holders: list[str] = []

    def note(method: str, path: str) -> None:
        if method == "PATCH" and "/secrets/" in path:
            holders.append(holder_of(memory))

    assert not call("strimzi_ca", memory, answer=note, **stages.PREPARED).failed
    assert {holder.partition("@")[2] for holder in holders} == {platform.node()}


def test_the_lease_of_a_run_that_took_it_over_stays(monkeypatch: pytest.MonkeyPatch, golden: GoldenFiles) -> None:
    """A call that hung for longer than its Lease finds another run at work, and stops before it writes again."""
    memory = stages.unlinked()

    def taken_over(lease: TrustLease) -> None:
        path = "/apis/coordination.k8s.io/v1/namespaces/kafka/leases/demo-trust"
        spec = {"spec": {"holderIdentity": "run-other"}}
        memory.api.request("PATCH", path, body=spec, content_type="application/merge-patch+json")
        lease.acquire_at_once()

    monkeypatch.setattr(TrustLease, "renew_if_due", taken_over)
    ended = call("strimzi_trusted_certs", memory, client_grace=1_000_000)
    assert ended.failed
    # The end says how long the Lease lasts, which depends on how fast the API server answers.
    golden.compare_said("calls", ended.result["msg"].partition(" If it was killed")[0])
    assert holder_of(memory) == "run-other"


def test_a_call_whose_machine_has_slept_finds_the_run_that_took_its_lease(golden: GoldenFiles) -> None:
    """A laptop that was closed: its clock for waits has stood still."""
    memory = stages.managed()

    def sleep_during_the_first_write(method: str, path: str) -> None:
        if method == "PATCH" and "/secrets/" in path and not FastClock.asleep:
            FastClock.asleep = 60.0
            lease = "/apis/coordination.k8s.io/v1/namespaces/kafka/leases/demo-trust"
            spec = {"spec": {"holderIdentity": "run-other"}}
            memory.api.request("PATCH", lease, body=spec, content_type="application/merge-patch+json")

    ended = call("strimzi_ca", memory, answer=sleep_during_the_first_write, **stages.PREPARED)
    golden.compare_said("calls", ended.result["msg"])
    assert (len(ended.writes_but_lease), holder_of(memory)) == (1, "run-other")


def test_a_lease_that_cannot_be_given_back_is_a_warning(golden: GoldenFiles) -> None:
    memory, writes = stages.managed(), 0

    def answer(method: str, path: str) -> Response | None:
        nonlocal writes
        writes += method == "PATCH" and path.endswith("/leases/demo-trust")
        return Response(403, {"reason": "Forbidden", "message": "no more"}) if writes > 1 else None

    ended = call("strimzi_ca", memory, answer=answer, **stages.PREPARED)
    assert not ended.failed
    (told,) = ended.warnings
    golden.compare_said("calls", told)

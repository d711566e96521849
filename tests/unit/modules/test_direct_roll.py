# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""strimzi_roll with strategy=direct, as Ansible calls it."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._rollout import admin

from ...support.kafka import FakeKafka, FakeTopic
from ...support.memory_cluster import MemoryCluster
from . import stages
from .running import Ended, call

NODES = ("demo-kafka-0", "demo-kafka-1", "demo-kafka-2")
DELETED = [f"DELETE pods/{name}" for name in ("demo-kafka-0", "demo-kafka-2", "demo-kafka-1")]


@pytest.fixture
def memory() -> MemoryCluster:
    return stages.managed()


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library is there, whether it is or not: none of these tests gets as far as using it."""
    monkeypatch.setattr(admin.metadata, "version", lambda name: "3.0.0")


@pytest.fixture
def kafka(memory: MemoryCluster, monkeypatch: pytest.MonkeyPatch, installed: None) -> FakeKafka:
    fake = FakeKafka(
        memory.api, lambda: memory.seconds, dict.fromkeys(range(3), "cb"), [FakeTopic("orders", (0, 1, 2))], active=1
    )
    monkeypatch.setattr(admin, "connect_to", lambda given: lambda observation: fake)
    return fake


def roll(memory: MemoryCluster, **options: Any) -> Ended:
    since = "2026-01-01T00:00:30Z"
    memory.seconds = max(memory.seconds, 60.0)
    return call("strimzi_roll", memory, reason="a new kernel", since=since, strategy="direct", **options)


def test_the_module_deletes_the_nodes_itself_and_reports_them(memory: MemoryCluster, kafka: FakeKafka) -> None:
    ended = roll(memory)
    assert not ended.failed, ended.result["msg"]
    assert ended.writes_but_lease == DELETED
    assert [(one["verb"], one["away"]) for one in ended.result["actions"]] == 3 * [("delete", None), ("restart", 1)]
    assert kafka.harm == []


def test_a_second_run_has_nothing_to_do(memory: MemoryCluster, kafka: FakeKafka) -> None:
    roll(memory)
    again = roll(memory)
    assert (again.failed, again.result["changed"], again.writes) == (False, False, [])


def test_what_stops_it_is_told_with_a_remedy_and_what_has_changed(memory: MemoryCluster, kafka: FakeKafka) -> None:
    memory.kubelet.broken = {"demo-kafka-0"}
    ended = roll(memory, pod_timeout=1)
    assert ended.failed
    assert "pod demo-kafka-0: it is not Ready." in ended.result["msg"]
    assert "run the flow again" in ended.result["msg"]
    assert ended.result["changed"] is True
    assert [(one["verb"], one["object"]) for one in ended.result["actions"]] == [("delete", "Pod kafka/demo-kafka-0")]


def test_without_the_library_it_says_so_at_once(memory: MemoryCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> str:
        raise admin.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(admin.metadata, "version", absent)
    ended = roll(memory)
    assert ended.failed
    assert "strategy=direct needs the Python library kafka-python >= 3" in ended.result["msg"]
    assert ended.writes == []
    asked = call("strimzi_roll", memory, reason="a new kernel")
    assert not asked.failed, "who does not use it needs no library"


@pytest.mark.parametrize("key", ["cluster-operator.key", "cluster-operator.crt"])
def test_a_damaged_identity_is_refused_before_anything_is_deleted(
    memory: MemoryCluster, installed: None, key: str
) -> None:
    path = "/api/v1/namespaces/kafka/secrets/demo-cluster-operator-certs"
    body = {"data": {key: "bm9uc2Vuc2U="}}
    memory.api.request("PATCH", path, body=body, content_type="application/merge-patch+json")
    ended = roll(memory)
    assert ended.failed
    assert "Secret kafka/demo-cluster-operator-certs are no usable pair" in ended.result["msg"]
    assert ended.writes_but_lease == []

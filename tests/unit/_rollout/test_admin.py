# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kafka's answers as values: what is missing or denied is never taken for "nothing"; and what there is to connect."""

from __future__ import annotations

from importlib import metadata
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import KafkaUnavailable, StepError
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.admin import (
    Broker,
    Partition,
    Quorum,
    Topic,
    Voter,
    bootstrap_servers,
    connect_to,
    missing_library,
    read_brokers,
    read_quorum,
    read_topics,
)

from .._strimzi.bench import Bench, kafka


def quorum(leader: int = 1, error: str | None = None, **last: int) -> dict[str, Any]:
    voters = [{"replica_id": int(name[1:]), "last_caught_up_timestamp": time} for name, time in last.items()]
    partition = {"error": error, "leader_id": leader, "current_voters": voters, "observers": [{"replica_id": 9}]}
    return {"topics": [{"topic_name": "__cluster_metadata", "partitions": [partition]}]}


def test_quorum_with_what_the_leader_does_not_know() -> None:
    assert read_quorum(quorum(1, v1=500, v2=-1)) == Quorum(1, (Voter(1, 500), Voter(2, None)))
    assert read_quorum(quorum(-1, v1=-1)) == Quorum(None, (Voter(1, None),))


def test_a_quorum_that_is_not_described() -> None:
    with pytest.raises(KafkaUnavailable, match="metadata quorum: NotLeaderForPartitionError") as caught:
        read_quorum(quorum(error="NotLeaderForPartitionError", v1=500))
    assert "NetworkPolicy" in caught.value.remedy


def test_a_broker_that_is_not_said_to_serve_counts_as_fenced() -> None:
    answer = {"brokers": [{"broker_id": 0, "is_fenced": False}, {"broker_id": 1, "is_fenced": True}, {"broker_id": 2}]}
    assert read_brokers(answer) == (Broker(0, False), Broker(1, True), Broker(2, True))


def described(error: int = 0) -> dict[str, Any]:
    partition = {"error_code": 5, "partition_index": 3, "replica_nodes": [2, 0], "isr_nodes": [2], "leader_id": -1}
    return {"name": "orders", "error_code": error, "partitions": [partition]}


CONFIGURED = {"orders": {"min.insync.replicas": {"value": "2"}}}


def test_a_topic_with_its_minimum() -> None:
    partition = Partition("orders", 3, frozenset({0, 2}), frozenset({2}))
    assert read_topics([described()], CONFIGURED) == (Topic("orders", 2, (partition,)),)


@pytest.mark.parametrize(
    ("topic", "configured"),
    [
        pytest.param(described(error=29), CONFIGURED, id="denied"),
        pytest.param(described(), {}, id="gone meanwhile"),
        pytest.param(described(), {"orders": {}}, id="its configuration denied"),
    ],
)
def test_a_topic_of_which_not_all_is_known_is_no_answer(topic: dict[str, Any], configured: dict[str, Any]) -> None:
    with pytest.raises(KafkaUnavailable, match="does not describe topic orders"):
        read_topics([topic], configured)


@pytest.mark.parametrize(("version", "words"), [(None, "has none"), ("2.3.3", "has 2.3.3"), ("", "has none")])
def test_a_library_that_is_missing_or_too_old(version: str | None, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def installed(name: str) -> str:
        assert name == "kafka-python"
        if version is None:
            raise metadata.PackageNotFoundError(name)
        return version

    monkeypatch.setattr(metadata, "version", installed)
    problem = missing_library()
    assert problem is not None
    assert "strategy=direct needs the Python library kafka-python >= 3" in str(problem)
    assert words in str(problem)
    assert "strategy=operator" in problem.remedy
    with pytest.raises(StepError, match="needs the Python library kafka-python"):
        connect_to(())(Bench().observe())


@pytest.mark.parametrize("version", ["3.0.0", "3.0.12", "10.1"])
def test_a_library_that_will_do(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "version", lambda name: version)
    assert missing_library() is None


def test_where_to_ask_first() -> None:
    bench = Bench()
    bench.create("kafkas", kafka({}))
    assert bootstrap_servers(bench.observe(), []) == ["demo-kafka-bootstrap.kafka.svc:9091"]
    assert bootstrap_servers(bench.observe(), ["a:1", "b:2"]) == ["a:1", "b:2"]

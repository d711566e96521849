# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The double asks any broker that is ready; when none answers, no node may be restarted."""

from __future__ import annotations

from typing import Any

import pytest

from . import live
from .api import Api
from .live import Live
from .operated_cluster import NAMESPACE, OperatedCluster
from .safety import Partition, State

TWO_OF_THREE = (Partition("orders-0", frozenset({0, 1, 2}), frozenset({0, 1})),)
STATE = State(1, {0: 9000, 1: 9000, 2: 9000}, TWO_OF_THREE)


@pytest.fixture
def asked(cluster: OperatedCluster, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The brokers that the double asked; only the last of three answers."""
    cluster.start(generated=True, components=False)
    for number in range(3):
        pod = cluster.get("pods", f"demo-kafka-{number}")
        assert pod
        pod["status"]["podIP"] = f"192.0.2.{number}"
        cluster.api.request("PUT", f"/api/v1/namespaces/{NAMESPACE}/pods/demo-kafka-{number}/status", body=pod)
    hosts: list[str] = []

    def ask(address: str, port: int, host: str, _context: Any) -> State:
        hosts.append(host)
        if (address, port) != ("192.0.2.2", 9091):
            raise TimeoutError("timed out")
        return STATE

    monkeypatch.setattr(live, "ask", ask)
    return hosts


def running(cluster: OperatedCluster, **config: Any) -> Live:
    kafka = cluster.get("kafkas", "demo")
    assert kafka
    kafka["spec"]["kafka"]["config"] = {name.replace("_", "."): value for name, value in config.items()}
    return Live(Api(cluster.api, NAMESPACE), kafka)


def test_every_broker_is_asked_until_one_answers(cluster: OperatedCluster, asked: list[str]) -> None:
    assert running(cluster).active_controller() == 1
    assert asked == [f"demo-kafka-{number}.demo-kafka-brokers.kafka.svc" for number in range(3)]


@pytest.mark.parametrize(("needed", "refuses"), [({"min_insync_replicas": 2}, True), ({}, False)])
def test_the_minimum_is_the_clusters(
    cluster: OperatedCluster, asked: list[str], needed: dict[str, int], refuses: bool
) -> None:
    assert bool(running(cluster, **needed).refusals(0)) is refuses
    assert asked


def test_silence_refuses(cluster: OperatedCluster, asked: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def silent(*_arguments: Any) -> State:
        raise ConnectionRefusedError

    monkeypatch.setattr(live, "ask", silent)
    assert running(cluster).refusals(0) == ["no broker answers"]
    assert running(cluster).active_controller() is None

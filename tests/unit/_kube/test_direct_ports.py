# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports of pods by the pods' own addresses, over real sockets."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import Unreachable
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.ports import DirectPorts

from ...support.memory_api import MemoryApi

ADDRESSES = {"demo-kafka-0": "127.0.0.1", "demo-kafka-1": None}


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(5)
        yield server


@pytest.fixture
def ports() -> DirectPorts:
    """Of two pods of the cluster; the second has no address yet, a third is of another cluster."""
    api = MemoryApi()
    for name, address in {**ADDRESSES, "other": "127.0.0.1"}.items():
        cluster = "demo" if name.startswith("demo") else "other"
        body = {
            "apiVersion": "v1", "kind": "Pod", "status": {"podIP": address} if address else {},
            "metadata": {"name": name, "labels": {"strimzi.io/cluster": cluster}},
        }  # fmt: skip
        api.request("POST", "/api/v1/namespaces/kafka/pods", body=body)
    return DirectPorts(KubeClient(api), "kafka", "strimzi.io/cluster=demo")


def port_of(server: socket.socket) -> int:
    return int(server.getsockname()[1])


def test_bytes_go_both_ways(listening: socket.socket, ports: DirectPorts) -> None:
    with ports("demo-kafka-0", port_of(listening), timeout=5) as stream:
        peer, _address = listening.accept()
        with peer:
            stream.send(b"question", 5)
            assert peer.recv(100) == b"question"
            peer.sendall(b"answer")
            assert stream.recv(5) == b"answer"
        assert stream.recv(5) == b""


def test_silence_is_a_timeout(listening: socket.socket, ports: DirectPorts) -> None:
    with ports("demo-kafka-0", port_of(listening), timeout=5) as stream, pytest.raises(TimeoutError):
        stream.recv(0.05)


def test_a_broken_connection_names_the_pod(listening: socket.socket, ports: DirectPorts) -> None:
    with ports("demo-kafka-0", port_of(listening), timeout=5) as stream:
        peer, _address = listening.accept()
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        peer.close()
        with pytest.raises(Unreachable, match="kafka/demo-kafka-0 by its address: the connection broke off"):
            stream.recv(5)


def test_nobody_listens(listening: socket.socket, ports: DirectPorts) -> None:
    port = port_of(listening)
    listening.close()
    with pytest.raises(Unreachable, match=r"127\.0\.0\.1 does not answer") as refused:
        ports("demo-kafka-0", port, timeout=5).__enter__()
    assert "pod_access=port_forward" in refused.value.remedy


@pytest.mark.parametrize("pod", ["demo-kafka-1", "demo-kafka-2", "other"])
def test_a_pod_without_an_address_of_this_cluster(ports: DirectPorts, pod: str) -> None:
    with pytest.raises(Unreachable, match=f"kafka/{pod} by its address: it has no address"):
        ports(pod, 9091, timeout=5).__enter__()

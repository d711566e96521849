# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kafka nodes of which no real one could be had: they say what they are told to, over real TLS."""

from __future__ import annotations

import socket
import ssl
import struct
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.pod_access import PortOpener
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.admin import context_for
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.kafka_pods import Node

from ...broker.certificates import Issued, authority, leaf
from .._handshake.listeners import SocketStream, serving

DOMAIN = "demo-kafka-brokers.kafka.svc"
_CONTROLLERS = 2
OFFERED = {44: (0, 1), 60: (0, 2)}


@cache
def ca() -> Issued:
    return authority()


@cache
def operator_context() -> ssl.SSLContext:
    own = leaf("cluster-operator", ca())
    entries = {"cluster-operator.crt": own.certificate_pem, "cluster-operator.key": own.key_pem}
    anchors = {"entry ca.crt": parse_certificates(ca().certificate_pem)[0]}
    return context_for(entries, anchors, "Secret kafka/demo-cluster-operator-certs")


@cache
def server_context(pod: str) -> ssl.SSLContext:
    own = leaf("demo-kafka", ca(), f"{pod}.{DOMAIN}")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.NamedTemporaryFile() as file:
        file.write(own.key_pem + own.certificate_pem)
        file.flush()
        context.load_cert_chain(file.name)
    context.load_verify_locations(cadata=ca().certificate_pem.decode())
    context.verify_mode = ssl.CERT_REQUIRED
    return context


def node_of(number: int, *, controller: bool = False) -> Node:
    return Node(
        f"demo-kafka-{number}", f"uid-{number}", number, controller=controller, broker=not controller, ready=True
    )


@dataclass
class KafkaDouble:
    """A Kafka node that answers requests for its configuration."""

    #: The error code of its answer.
    code: int = 0
    #: The message of its answer.
    message: str | None = None
    #: The id of the node that it names as the active controller.
    active: int = 0
    #: The versions of each request that it offers.
    offered: Mapping[int, tuple[int, int]] = field(default_factory=lambda: OFFERED)
    #: The bytes that it answers to everything; empty: it answers nothing.
    raw: bytes | None = None
    #: The number of resources that it answers about.
    resources: int = 1
    #: Whether it closes the connection after the first request.
    hangs_up: bool = False
    #: Whether it closes the connection with an alert.
    politely: bool = False
    #: The settings that it got requests for.
    asked: list[Any] = field(default_factory=list)

    def handle(self, connection: socket.socket) -> None:
        while size := connection.recv(4):
            request = connection.recv(struct.unpack(">i", size)[0])
            key, version, correlation = struct.unpack(">hhi", request[:8])
            if self.hangs_up:
                if self.politely and isinstance(connection, ssl.SSLSocket):
                    connection.unwrap()
                return
            if self.raw is not None:
                connection.sendall(self.raw)
                continue
            answer = self._answer(key, version, request)
            answer.API_VERSION = version
            answer.with_header(correlation_id=correlation)
            connection.sendall(answer.encode(header=True, framed=True))

    def _answer(self, key: int, version: int, request: bytes) -> Any:
        # When it is loaded it warns of itself: in a test that can be kept silent, while they are collected it cannot.
        from kafka.protocol import admin
        from kafka.protocol.metadata import ApiVersionsRequest, ApiVersionsResponse

        if key == ApiVersionsRequest.API_KEY:
            ranges = [
                ApiVersionsResponse.ApiVersion(api_key=one, min_version=least, max_version=most)
                for one, (least, most) in self.offered.items()
            ]
            return ApiVersionsResponse(error_code=0, api_keys=ranges)
        if key == admin.DescribeClusterRequest.API_KEY:
            wanted = admin.DescribeClusterRequest.decode(request, version=version, header=True).endpoint_type
            # As a controller: about brokers it says nothing (KIP-919).
            active = self.active if wanted == _CONTROLLERS else -1
            return admin.DescribeClusterResponse(controller_id=active, endpoint_type=wanted, cluster_id="x", brokers=[])
        self.asked.append(admin.IncrementalAlterConfigsRequest.decode(request, version=version, header=True))
        one = admin.IncrementalAlterConfigsResponse.AlterConfigsResourceResponse(
            error_code=self.code, error_message=self.message, resource_type=4, resource_name="0"
        )
        return admin.IncrementalAlterConfigsResponse(responses=[one] * self.resources)


Ports = Mapping[tuple[str, int], int]


@contextmanager
def listening(nodes: Mapping[tuple[str, int], KafkaDouble], *, has_tls: bool = True) -> Iterator[Ports]:
    """The local port of each, by pod and port.

    The library and the keys are there before a node is asked: on a busy machine they take longer than a node may.
    """
    import_module("kafka.protocol.admin")
    with ExitStack() as stack:
        handlers = {where: _over_tls(one, where[0]) if has_tls else one.handle for where, one in nodes.items()}
        yield {where: stack.enter_context(serving(handler)) for where, handler in handlers.items()}


def doors(ports: Ports) -> PortOpener:
    """Nothing listens on any other."""

    @contextmanager
    def open_port(pod: str, port: int, *, timeout: float) -> Iterator[SocketStream]:
        if (pod, port) not in ports:
            raise ConnectionRefusedError(111, "Connection refused")
        with socket.create_connection(("127.0.0.1", ports[pod, port]), timeout) as connection:
            yield SocketStream(connection)

    return open_port


def _over_tls(double: KafkaDouble, pod: str) -> Callable[[socket.socket], None]:
    context = server_context(pod)

    def handle(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as tls:
            double.handle(tls)

    return handle

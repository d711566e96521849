# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A byte stream to a port of a pod by the pod's own address, where there is a route to it."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NoReturn

from .._errors import Unreachable
from .client import KubeClient
from .resources import PODS, Attempt

_RECEIVED = 65536


@dataclass(frozen=True)
class _Reaching(Attempt):
    port: int = 0

    def __str__(self) -> str:
        return f"reach port {self.port} of {self.resource.kind} {self.namespace}/{self.name} by its address"


class SocketStream:
    """Bytes to and from a socket. Timeouts in seconds; TimeoutError when one has passed, KubeError else."""

    def __init__(self, connection: socket.socket, attempt: Attempt) -> None:
        self._connection = connection
        self._attempt = attempt

    def send(self, data: bytes, timeout: float) -> None:
        self._connection.settimeout(max(timeout, 0.001))
        try:
            self._connection.sendall(data)
        except OSError as error:
            self._fail(error)

    def recv(self, timeout: float) -> bytes:
        """The bytes that came, at least one; empty when the pod has closed the connection."""
        self._connection.settimeout(max(timeout, 0.001))
        try:
            return self._connection.recv(_RECEIVED)
        except OSError as error:
            self._fail(error)

    def _fail(self, error: OSError) -> NoReturn:
        if isinstance(error, TimeoutError):
            raise TimeoutError("no answer in time") from None
        raise Unreachable(
            self._attempt, f"the connection broke off ({type(error).__name__})", "Run again; check the network."
        ) from None


class DirectPorts:
    """Implements ``_strimzi.work.PortOpener`` for the pods that exist when it is made.

    Another pod may get the address of one that has ended meanwhile; its UID or its certificate shows that.
    """

    def __init__(self, client: KubeClient, namespace: str, selector: str) -> None:
        """selector: labels of the pods. Raises KubeError."""
        self._namespace = namespace
        pods = client.list(PODS, namespace, label_selector=selector).items
        self._addresses: Mapping[str, str] = {
            pod["metadata"]["name"]: (pod.get("status") or {}).get("podIP") or "" for pod in pods
        }

    @contextmanager
    def __call__(self, pod: str, port: int, *, timeout: float) -> Iterator[SocketStream]:
        """timeout: seconds to get a connection. Raises KubeError."""
        attempt = _Reaching("get", PODS, self._namespace, pod, port=port)
        address = self._addresses.get(pod)
        if not address:
            raise Unreachable(attempt, "it has no address", "Run again when the pod runs.")
        try:
            connection = socket.create_connection((address, port), timeout)
        except OSError as error:
            raise Unreachable(
                attempt, f"{address} does not answer ({error.strerror or type(error).__name__})",
                "Where there is no route to pods from here, use pod_access=port_forward.",
            ) from None  # fmt: skip
        with connection:
            yield SocketStream(connection, attempt)

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A byte stream to a port of a pod, through the port-forward subresource, or by the pod's own address if there is a
route to it; and a command in a container of a pod, through the exec subresource.

Both subresources speak the websocket protocol v4.channel.k8s.io. A port has two channels: data (0) and errors (1). The
first message of each is the port, as two bytes. A command has two channels for what it writes (1, 2), and one for how
it ended (3).
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol
from urllib.parse import urlencode

from .._errors import KubeError, TransportError, Unauthorized, Unavailable, Unreachable
from ._kubernetes import websocket
from .client import KubeClient
from .failures import error_from
from .network import Route, describe_failure, dial
from .resources import PODS, Attempt, read_json

_PROTOCOL = "v4.channel.k8s.io"
_DATA, _ERRORS = 0, 1
_ENDED = 3
_PORT_BYTES = 2
#: The first words of the API server's answer if the Node of a pod has no address (NoMatchError of its package
#: util/node).
_NO_ADDRESS = "no preferred addresses found"


class Routed(Protocol):
    """A transport that can say how it reaches the API server, and log in again."""

    def route(self) -> Route: ...

    def log_in_again(self, refused: Sequence[tuple[str, str]]) -> bool: ...


@dataclass(frozen=True)
class _Forwarding(Attempt):
    """An attempt to reach a port. Until Kubernetes 1.34 a websocket needs the verb get here; since 1.35 it needs create
    (KEP-4006).
    """

    #: The port of the pod.
    port: int = 0

    @property
    def is_write(self) -> bool:
        return False

    def __str__(self) -> str:
        return f"reach port {self.port} of {self.resource.kind} {self.namespace}/{self.name}"


@dataclass(frozen=True)
class _Running(Attempt):
    """An attempt to run a command. The verbs are as for ports."""

    #: The container of the pod for the command.
    container: str = ""

    def __str__(self) -> str:
        return f"run a command in container {self.container} of {self.resource.kind} {self.namespace}/{self.name}"


class PodStream:
    """Bytes to and from a port of a pod. Timeouts are in seconds; raises TimeoutError if one has passed, KubeError
    else.
    """

    def __init__(self, connection: Any, attempt: Attempt) -> None:
        self._connection = connection
        self._attempt = attempt
        self._announced: set[int] = set()

    def send(self, data: bytes, timeout: float) -> None:
        self._connection.settimeout(max(timeout, 0.001))
        try:
            self._connection.send_binary(bytes([_DATA]) + data)
        except (websocket.WebSocketException, OSError) as error:
            self._fail(error)

    def recv(self, timeout: float) -> bytes:
        """The arrived bytes, at least one; empty if the pod has closed the connection."""
        end = time.monotonic() + timeout
        while True:
            # Pings and announcements of the port are no answer, so they do not prolong the wait.
            self._connection.settimeout(max(end - time.monotonic(), 0.001))
            try:
                opcode, frame = self._connection.recv_data_frame(True)
            except websocket.WebSocketConnectionClosedException:
                return b""
            except (websocket.WebSocketException, OSError) as error:
                self._fail(error)
            if opcode == websocket.ABNF.OPCODE_CLOSE:
                return b""
            if opcode in (websocket.ABNF.OPCODE_BINARY, websocket.ABNF.OPCODE_TEXT) and frame.data:
                data = self._content(frame.data[0], bytes(frame.data[1:]))
                if data:
                    return data
            if time.monotonic() >= end:
                raise TimeoutError(f"no answer within {round(timeout, 1):g} s")

    def _content(self, channel: int, data: bytes) -> bytes:
        if channel not in self._announced:
            self._announced.add(channel)
            data = data[_PORT_BYTES:]
        if channel == _ERRORS and data:
            raise Unavailable(
                self._attempt,
                f"the node says: {data.decode('utf-8', 'replace').strip()[:300]}",
                "Check that the pod runs and that a container of it listens on this port.",
                is_transient=True,
            )
        return data if channel == _DATA else b""

    def _fail(self, error: Exception) -> NoReturn:
        if isinstance(error, (websocket.WebSocketTimeoutException, TimeoutError)):
            raise TimeoutError("no answer in time") from None
        raise Unreachable(
            self._attempt, f"the connection broke off ({type(error).__name__})", "Run again; check the network."
        ) from None


@contextmanager
def open_port(transport: Routed, namespace: str, pod: str, port: int, *, timeout: float) -> Iterator[PodStream]:
    """A stream to a port, with a timeout in seconds to get through to the API server. Raises KubeError.

    Only reading the stream shows whether a process listens on the port.
    """
    attempt = _Forwarding("create, get", PODS, namespace, pod, "portforward", port)
    with _open(transport, f"{PODS.path(namespace, pod, 'portforward')}?ports={port}", attempt, timeout) as connection:
        yield PodStream(connection, attempt)


def run_command(
    transport: Routed, namespace: str, pod: str, container: str, command: Sequence[str], *, timeout: float
) -> None:
    """Run a command in a container, and wait until it has ended. The timeout is in seconds, to get through to the API
    server, and for the command. Raises KubeError if the command was not started, did not end in time, or failed.
    """
    attempt = _Running("create, get", PODS, namespace, pod, "exec", container)
    parameters = [
        ("container", container),
        *(("command", part) for part in command),
        ("stdout", "true"),
        ("stderr", "true"),
    ]
    path = f"{PODS.path(namespace, pod, 'exec')}?{urlencode(parameters)}"
    with _open(transport, path, attempt, timeout) as connection:
        connection.settimeout(timeout)
        _await_end(connection, attempt)


def _await_end(connection: Any, attempt: Attempt) -> None:
    written = b""
    while True:
        try:
            opcode, frame = connection.recv_data_frame(True)
        except (websocket.WebSocketException, OSError) as error:
            cause = f"it did not show how it ended ({type(error).__name__})"
            raise Unreachable(attempt, cause, "Run again; check the network.", is_transient=True) from None
        if opcode not in (websocket.ABNF.OPCODE_BINARY, websocket.ABNF.OPCODE_TEXT) or not frame.data:
            continue
        channel, data = frame.data[0], bytes(frame.data[1:])
        if channel != _ENDED:
            written += data
            continue
        status = read_json(data)
        if not isinstance(status, dict):
            cause = "it did not show how it ended (no Status object)"
            raise Unreachable(attempt, cause, "Run again; check the network.", is_transient=True)
        if status.get("status") == "Success":
            return
        error_text = written.decode("utf-8", "replace").strip() or str(status.get("message"))
        raise Unavailable(
            attempt, f"it failed: {error_text[:300]}", "Check that this container runs a shell and a Java process."
        )


@contextmanager
def _open(transport: Routed, path: str, attempt: Attempt, timeout: float) -> Iterator[Any]:
    """A websocket to this path."""
    route = transport.route()
    try:
        connection = _connect(route, path, attempt, timeout)
    except Unauthorized:
        if not transport.log_in_again(route.headers):
            raise
        connection = _connect(transport.route(), path, attempt, timeout)
    try:
        yield connection
    finally:
        # A regular close would wait for an answer. The pod may never give it.
        connection.shutdown()


def _connect(route: Route, path: str, attempt: Attempt, timeout: float) -> Any:
    try:
        connection: Any = websocket.WebSocket()
        url = f"{route.host.replace('http', 'ws', 1)}{path}"
        headers = [f"{name}: {value}" for name, value in [*route.headers, ("User-Agent", "trustops.strimzi")]]
        try:
            # Credentials must not follow a redirect to another address.
            connection.connect(
                url, socket=dial(route, timeout), timeout=timeout, header=headers, subprotocols=[_PROTOCOL],
                suppress_origin=True, redirect_limit=0,
            )  # fmt: skip
        except websocket.WebSocketBadStatusException as error:
            raise _refused(attempt, error) from None
        except websocket.WebSocketTimeoutException:
            raise TransportError(f"{route.host} did not answer within {round(timeout, 1):g} s") from None
        except (websocket.WebSocketConnectionClosedException, OSError) as error:
            raise describe_failure(error, route.host, timeout) from None
        except websocket.WebSocketException:
            connection.shutdown()
            raise Unavailable(
                attempt, f"{route.host} does not speak the protocol {_PROTOCOL} for this",
                "Check that no proxy before the API server takes websockets away.",
            ) from None  # fmt: skip
    except TransportError as error:
        raise Unreachable(
            attempt, str(error), error.remedy or "Run again; check the network.", is_transient=error.transient
        ) from None
    if connection.getstatus() != 101:
        # Older releases of the library take a redirect for an answer if they must not follow it.
        connection.shutdown()
        raise Unavailable(attempt, f"HTTP status {connection.getstatus()}", "Check host and proxy.")
    return connection


def _refused(attempt: Attempt, error: Any) -> KubeError:
    data = getattr(error, "resp_body", None) or b""  # older releases of the library do not keep it
    decoded = read_json(data)
    if not isinstance(decoded, dict):
        decoded = {"message": data[:200].decode("utf-8", "replace").strip(), "details": {"name": attempt.name}}
    if _NO_ADDRESS in str(decoded.get("message")):
        # Other answers with this status, 500, are about a failure that may pass.
        return Unavailable(
            attempt, str(decoded["message"]),
            "The worker of this pod has no address, so the API server can connect to nothing on it."
        )  # fmt: skip
    return error_from(attempt, int(error.status_code), decoded)


_RECEIVED = 65536


@dataclass(frozen=True)
class _Reaching(Attempt):
    #: The port of the pod.
    port: int = 0

    def __str__(self) -> str:
        return f"reach port {self.port} of {self.resource.kind} {self.namespace}/{self.name} by its address"


class SocketStream:
    """Bytes to and from a socket. Timeouts are in seconds; raises TimeoutError if one has passed, KubeError else."""

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
        """The arrived bytes, at least one; empty if the pod has closed the connection."""
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


class PortOpener(Protocol):
    """Opens ports of pods of the cluster's namespace."""

    def __call__(self, pod: str, port: int, *, timeout: float) -> AbstractContextManager[Any]:
        """A byte stream, within so many seconds. Raises KubeError, OSError."""


class CommandRunner(Protocol):
    """Runs commands in containers of pods of the cluster's namespace."""

    def __call__(self, pod: str, container: str, command: Sequence[str], *, timeout: float) -> None:
        """Wait until the command has ended, for so many seconds. Raises KubeError, also if it failed."""


class DirectPorts:
    """Implements ``PortOpener`` for the pods that exist at the time when it is made.

    If a pod has ended meanwhile, another pod may get its address; its UID or its certificate shows that.
    """

    def __init__(self, client: KubeClient, namespace: str, selector: str) -> None:
        """Reads the addresses of the pods with the labels of this selector. Raises KubeError."""
        self._namespace = namespace
        pods = client.list(PODS, namespace, label_selector=selector).items
        self._addresses: Mapping[str, str] = {
            pod["metadata"]["name"]: (pod.get("status") or {}).get("podIP") or "" for pod in pods
        }

    @contextmanager
    def __call__(self, pod: str, port: int, *, timeout: float) -> Iterator[SocketStream]:
        """A stream to a port, with a timeout in seconds to get a connection. Raises KubeError."""
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

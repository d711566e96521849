# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for the port-forward subresource: websockets (RFC 6455) on the loopback interface, as the kubelet speaks."""

from __future__ import annotations

import base64
import hashlib
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.connection import connect
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.pod_access import open_port

BINARY, CLOSE, PING, PONG = 2, 8, 9, 10
PORT = 9091
_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


@dataclass
class Upgrade:
    """A request of a client, which its methods answer."""

    connection: socket.socket
    line: str
    headers: list[tuple[str, str]]
    #: The client's answers to pings.
    pongs: list[bytes] = field(default_factory=list)

    def header(self, name: str) -> list[str]:
        return [value for key, value in self.headers if key.lower() == name.lower()]

    def switch(self, protocol: str | None = "v4.channel.k8s.io") -> None:
        key = self.header("Sec-WebSocket-Key")[0].encode()
        accept = base64.b64encode(hashlib.sha1(key + _GUID, usedforsecurity=False).digest()).decode()
        lines = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"]
        lines += [f"Sec-WebSocket-Accept: {accept}"]
        lines += [f"Sec-WebSocket-Protocol: {protocol}"] if protocol else []
        self.connection.sendall("\r\n".join([*lines, "", ""]).encode())

    def announce(self, port: int) -> None:
        for channel in (0, 1):
            self.frame(bytes([channel]) + struct.pack("<H", port))

    def frame(self, payload: bytes, opcode: int = BINARY) -> None:
        size = bytes([len(payload)]) if len(payload) < 126 else b"\x7e" + struct.pack("!H", len(payload))
        self.connection.sendall(bytes([0x80 | opcode]) + size + payload)

    def data(self) -> bytes:
        """The next data of the client; empty at the end."""
        while True:
            head = self._exactly(2)
            if len(head) < 2 or head[0] & 15 == CLOSE:
                return b""
            size = head[1] & 127
            if size > 125:
                size = int.from_bytes(self._exactly(2 if size == 126 else 8), "big")
            mask = self._exactly(4)
            payload = bytes(byte ^ mask[index % 4] for index, byte in enumerate(self._exactly(size)))
            if head[0] & 15 == PONG:
                self.pongs.append(payload)
            elif payload[:1] == b"\0":
                return payload[1:]

    def _exactly(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            piece = self.connection.recv(size - len(data))
            if not piece:
                return b""
            data += piece
        return data

    def relay(self, target: int) -> None:
        """Passes all data on between the client and a port of this machine until one side ends."""
        with socket.create_connection(("127.0.0.1", target)) as pod:

            def back() -> None:
                with suppress(OSError):
                    while data := pod.recv(16384):
                        self.frame(b"\0" + data)
                    self.frame(struct.pack("!H", 1000), CLOSE)

            returning = threading.Thread(target=back)
            returning.start()
            with suppress(OSError):
                while data := self.data():
                    pod.sendall(data)
            with suppress(OSError):
                pod.shutdown(socket.SHUT_RDWR)
            returning.join()


Behaviour = Callable[[Upgrade], None]


class Kubelet:
    """``upgrades``: the requests. ``url``: of the API server before it."""

    def __init__(self, behaviour: Behaviour, context: ssl.SSLContext | None) -> None:
        self.behaviour = behaviour
        self.context = context
        self.upgrades: list[Upgrade] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self.listener.getsockname()[1])
        self.url = f"{'https' if context else 'http'}://127.0.0.1:{self.port}"
        self.threads: list[threading.Thread] = []
        self.connections: list[socket.socket] = []

    def accept(self) -> None:
        with suppress(OSError):
            while True:
                connection = self.listener.accept()[0]
                self.connections.append(connection)
                thread = threading.Thread(target=self.serve, args=(connection,), daemon=True)
                self.threads.append(thread)
                thread.start()

    def serve(self, plain: socket.socket) -> None:
        with suppress(OSError):
            connection = self.context.wrap_socket(plain, server_side=True) if self.context else plain
            with connection:
                head = b""
                while not head.endswith(b"\r\n\r\n"):
                    byte = connection.recv(1)
                    if not byte:
                        return
                    head += byte
                line, *rest = head.decode().strip().split("\r\n")
                headers = [(name, value.strip()) for name, _colon, value in (one.partition(":") for one in rest)]
                upgrade = Upgrade(connection, line, headers)
                self.upgrades.append(upgrade)
                self.behaviour(upgrade)


@contextmanager
def forwarding(behaviour: Behaviour, context: ssl.SSLContext | None = None) -> Iterator[Kubelet]:
    kubelet = Kubelet(behaviour, context)
    accepting = threading.Thread(target=kubelet.accept, daemon=True)
    accepting.start()
    try:
        yield kubelet
    finally:
        with suppress(OSError):
            kubelet.listener.shutdown(socket.SHUT_RDWR)
        kubelet.listener.close()
        for connection in kubelet.connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        accepting.join()
        for thread in kubelet.threads:
            thread.join()


def refuse(status: int, body: bytes) -> Behaviour:
    def answer(upgrade: Upgrade) -> None:
        upgrade.connection.sendall(f"HTTP/1.1 {status} No\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)

    return answer


def tunnel(upgrade: Upgrade) -> None:
    """A proxy: CONNECT, then bytes in both directions."""
    upgrade.connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    host, port = upgrade.line.split()[1].rsplit(":", 1)
    with socket.create_connection((host, int(port))) as behind:
        returning = threading.Thread(target=_copy, args=(behind, upgrade.connection))
        returning.start()
        _copy(upgrade.connection, behind)
        returning.join()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(16384):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)


def echo(upgrade: Upgrade) -> None:
    upgrade.switch()
    upgrade.announce(PORT)
    while data := upgrade.data():
        upgrade.frame(b"\0" + data)


def options(kubelet: Kubelet, **more: Any) -> dict[str, Any]:
    return {"host": kubelet.url, "api_key": "t0ken", **more}


def opened(given: dict[str, Any], timeout: float = 5.0) -> Any:
    return open_port(connect(given, {}), "kafka", "my-0", PORT, timeout=timeout)


def exchange(given: dict[str, Any], data: bytes = b"hello") -> bytes:
    with opened(given) as stream:
        stream.send(data, 5)
        return bytes(stream.recv(5))

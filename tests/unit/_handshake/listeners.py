# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Listeners on the loopback interface: real TLS by the ssl module and by openssl, and some that misbehave."""

from __future__ import annotations

import contextlib
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta, timezone
from pathlib import Path

from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.handshake import Handshake, shake_hands
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.listener import Probe
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.tls import Deadline, Opener
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate, encode_certificates

from ...tools.support.certificates import Entity, key, make

NOW = datetime.now(timezone.utc)
DAY = timedelta(days=1)
TLS12, TLS13 = ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3


def authority(name: str, number: int, issuer: Entity | None = None) -> Entity:
    return make(name, key(number), issuer, begin=NOW - DAY, end=NOW + DAY)


def end_entity(issuer: Entity, name: str = "my-kafka") -> Entity:
    return make(name, key(99), issuer, ca=False, begin=NOW - DAY, end=NOW + DAY)


class SocketStream:
    """A plain socket as a byte stream."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection

    def send(self, data: bytes, timeout: float) -> None:
        self.connection.settimeout(timeout)
        self.connection.sendall(data)

    def recv(self, timeout: float) -> bytes:
        self.connection.settimeout(timeout)
        return self.connection.recv(16384)


def opener(port: int) -> Opener:
    @contextmanager
    def opening(timeout: float) -> Iterator[SocketStream]:
        with socket.create_connection(("127.0.0.1", port), timeout) as connection:
            yield SocketStream(connection)

    return opening


@contextmanager
def serving(handle: Callable[[socket.socket], None]) -> Iterator[int]:
    """The port of a listener that does this with each connection, each in a thread of its own."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    threads: list[threading.Thread] = []
    connections: list[socket.socket] = []

    def one(connection: socket.socket) -> None:
        with suppress(OSError), connection:
            handle(connection)

    def accept() -> None:
        with suppress(OSError):
            while True:
                connections.append(listener.accept()[0])
                threads.append(threading.Thread(target=one, args=(connections[-1],), daemon=True))
                threads[-1].start()

    accepting = threading.Thread(target=accept, daemon=True)
    accepting.start()
    try:
        yield int(listener.getsockname()[1])
    finally:
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        accepting.join()
        for connection in connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join()


def server_context(
    folder: Path,
    chain: Sequence[Certificate],
    trusted: Sequence[Certificate] = (),
    *,
    verify: ssl.VerifyMode = ssl.CERT_REQUIRED,
    version: ssl.TLSVersion | None = None,
    tickets: int = 2,
) -> ssl.SSLContext:
    """Presents ``chain``, whose leaf has key 99. version: the only one, or both."""
    path = folder / "server.pem"
    path.write_bytes(encode_certificates(chain) + key(99).reveal())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    context.verify_mode = verify
    context.num_tickets = tickets
    if trusted:
        context.load_verify_locations(cadata=encode_certificates(trusted).decode())
    if version is not None:
        context.minimum_version = context.maximum_version = version
    return context


@contextmanager
def tls_listener(context: ssl.SSLContext, greeting: bytes = b"", answer: bytes = b"") -> Iterator[int]:
    """greeting: sent at once. answer: sent when something has been read."""

    def handle(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as tls:
            if greeting:
                tls.sendall(greeting)
            while tls.recv(1024):
                if answer:
                    tls.sendall(answer)

    with serving(handle) as port:
        yield port


@contextmanager
def openssl_listener(
    folder: Path, chain: Sequence[Certificate], trusted: Sequence[Certificate], *options: str, strict: bool = True
) -> Iterator[int]:
    """``openssl s_server``: unlike the ssl module it names the CAs that it trusts."""
    (folder / "leaf.pem").write_bytes(chain[0].pem + key(99).reveal())
    (folder / "chain.pem").write_bytes(encode_certificates(chain[1:]))
    (folder / "trusted.pem").write_bytes(encode_certificates(trusted))
    command = ["openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", str(folder / "leaf.pem")]
    command += ["-cert_chain", str(folder / "chain.pem")] if len(chain) > 1 else []
    command += ["-CAfile", str(folder / "trusted.pem"), "-no-CApath", "-no-CAstore", "-Verify", "3"]
    command += [*(["-verify_return_error"] if strict else []), *options]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    # It stops when no thread reads what it writes.
    reading = threading.Thread(target=lambda: [None for _line in process.stdout or ()], daemon=True)
    try:
        line = ""
        while not line.startswith("ACCEPT"):
            line = process.stdout.readline()
            assert line, "openssl ended"
        reading.start()
        yield int(line.rsplit(":", 1)[1])
    finally:
        process.kill()
        process.wait()
        with contextlib.closing(process.stdout):
            if reading.is_alive():
                reading.join()
        process.stdin.close()  # type: ignore[union-attr]


def shake(
    port: int, probe: Probe, version: ssl.TLSVersion = TLS12, *, seconds: float = 60.0, prompt: bytes = b""
) -> Handshake:
    """Makes one handshake over a new connection."""
    context = probe.tls12 if version is TLS12 else probe.tls13
    with opener(port)(60) as stream:
        return shake_hands(stream, context, probe.certificate, deadline=Deadline.after(seconds), prompt=prompt)

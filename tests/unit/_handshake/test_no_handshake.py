# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Listeners that make no handshake: silence, rubbish, floods and connections that break. Each ends in time and is no evidence."""

from __future__ import annotations

import socket
import ssl
import struct
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.handshake import Outcome, shake_hands
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.listener import make_probe
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.tls import Deadline

from .listeners import (
    NOW,
    TLS12,
    TLS13,
    SocketStream,
    authority,
    end_entity,
    server_context,
    serving,
    shake,
    tls_listener,
)

ISSUER = authority("issuer", 4)
LEAF = end_entity(ISSUER)
PROBE = make_probe(ISSUER.certificate, ISSUER.key, now=NOW)
TRUSTED = [ISSUER.certificate]
VERSIONS = pytest.mark.parametrize("version", [TLS12, TLS13], ids=["1.2", "1.3"])


def silent(connection: socket.socket) -> None:
    while connection.recv(1024):
        pass


def closes(connection: socket.socket) -> None:
    connection.recv(1024)


def resets(connection: socket.socket) -> None:
    connection.recv(1024)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def speaks_http(connection: socket.socket) -> None:
    connection.recv(1024)
    connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
    silent(connection)


def never_ends(connection: socket.socket) -> None:
    """Handshake records without an end: one message of 16 MiB, bit by bit."""
    connection.recv(1024)
    connection.sendall(b"\x16\x03\x03\x40\x00" + b"\x0b\xff\xff\xff" + bytes(16380))
    while True:
        connection.sendall(b"\x16\x03\x03\x40\x00" + bytes(16384))


def repeats_itself(connection: socket.socket) -> None:
    """HelloRequests, which a TLS library passes over without counting."""
    connection.recv(1024)
    while True:
        connection.sendall(b"\x16\x03\x03\x40\x00" + bytes(16384))


@VERSIONS
@pytest.mark.parametrize(
    ("behaviour", "outcome"),
    [
        (silent, Outcome.TIMED_OUT),
        (closes, Outcome.CLOSED),
        (resets, Outcome.CLOSED),
        (speaks_http, Outcome.NOT_UNDERSTOOD),
        (never_ends, Outcome.NOT_UNDERSTOOD),
        (repeats_itself, Outcome.NOT_UNDERSTOOD),
    ],
)
def test_what_is_no_handshake(
    behaviour: Callable[[socket.socket], None], outcome: Outcome, version: ssl.TLSVersion
) -> None:
    begin = time.monotonic()
    with serving(behaviour) as port:
        seen = shake(port, PROBE, version, seconds=0.3 if behaviour is silent else 30)
    assert (seen.outcome, seen.presented, seen.offered, seen.alert) == (outcome, None, False, None)
    assert seen.detail
    assert time.monotonic() - begin < 20


def test_a_listener_that_drips_does_not_outlast_the_deadline() -> None:
    def drips(connection: socket.socket) -> None:
        connection.recv(1024)
        for byte in b"\x16\x03\x03\x40\x00" + bytes(1000):
            connection.sendall(bytes([byte]))
            time.sleep(0.02)

    begin = time.monotonic()
    with serving(drips) as port:
        assert shake(port, PROBE, seconds=0.3).outcome is Outcome.TIMED_OUT
        assert time.monotonic() - begin < 20


@VERSIONS
def test_an_alert_is_heard_even_when_nothing_can_be_sent_any_more(version: ssl.TLSVersion) -> None:
    class HalfClosed:
        def send(self, data: bytes, timeout: float) -> None:
            raise BrokenPipeError

        def recv(self, timeout: float) -> bytes:
            return bytes([21, 3, 3, 0, 2, 2, 46])

    context = PROBE.tls12 if version is TLS12 else PROBE.tls13
    seen = shake_hands(HalfClosed(), context, PROBE.certificate, deadline=Deadline.after(5))
    assert str(seen.alert) == "certificate_unknown (46)"


def test_a_certificate_that_cannot_be_read_is_none() -> None:
    """In the clear it comes before the TLS library has refused it."""

    def presents_rubbish(connection: socket.socket) -> None:
        connection.recv(1024)
        hello = b"\x03\x03" + bytes(32) + b"\0" + b"\xc0\x2f" + b"\0"
        body = b"\x02\0\0" + bytes([len(hello)]) + hello + b"\x0b\0\0\x09" + b"\0\0\x06" + b"\0\0\x03abc"
        connection.sendall(b"\x16\x03\x03" + len(body).to_bytes(2, "big") + body)
        silent(connection)

    with serving(presents_rubbish) as port:
        seen = shake(port, PROBE, seconds=1)
    assert (seen.outcome, seen.presented) == (Outcome.NOT_UNDERSTOOD, None)


@VERSIONS
def test_a_chain_that_no_jvm_accepts_is_none(version: ssl.TLSVersion, tmp_path: Path) -> None:
    chain = [LEAF.certificate, *(authority(f"unrelated {number}", 5).certificate for number in range(10))]
    with tls_listener(server_context(tmp_path, chain, TRUSTED, version=version)) as port:
        seen = shake(port, PROBE, version)
    assert (seen.outcome, seen.presented) == (Outcome.ACCEPTED, None)
    assert seen.detail == "it has 11 certificates, and a JVM accepts no chain of more than 10"


def says_goodbye(connection: socket.socket) -> None:
    """A close_notify alert instead of a ServerHello."""
    connection.recv(1024)
    connection.sendall(bytes([21, 3, 3, 0, 2, 1, 0]))
    silent(connection)


def test_an_orderly_end_is_no_answer(tmp_path: Path) -> None:
    context = server_context(tmp_path, [LEAF.certificate], TRUSTED, version=TLS13, tickets=0)

    def ends_after_the_handshake(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as tls:
            tls.unwrap()

    for behaviour in (says_goodbye, ends_after_the_handshake):
        with serving(behaviour) as port:
            seen = shake(port, PROBE, TLS13)
        assert (seen.outcome, seen.alert) == (Outcome.CLOSED, None)
        assert "ended the connection" in seen.detail


def test_a_connection_that_takes_nothing_any_more_ends_in_time(tmp_path: Path) -> None:
    class Stalls(SocketStream):
        sent = 0

        def send(self, data: bytes, timeout: float) -> None:
            self.sent += 1
            if self.sent > 1:
                raise TimeoutError
            super().send(data, timeout)

    with (
        tls_listener(server_context(tmp_path, [LEAF.certificate], TRUSTED, version=TLS13)) as port,
        socket.create_connection(("127.0.0.1", port)) as connection,
    ):
        seen = shake_hands(Stalls(connection), PROBE.tls13, PROBE.certificate, deadline=Deadline.after(5))
    assert seen.outcome is Outcome.TIMED_OUT

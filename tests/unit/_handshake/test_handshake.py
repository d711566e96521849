# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The findings of one handshake, with real servers of either version of TLS, with listeners that make none, and what is read in the clear."""

from __future__ import annotations

import socket
import ssl
import struct
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import MalformedHandshake
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.handshake import (
    MAXIMUM_FLIGHT,
    Flight,
    Handshake,
    HandshakeOutcome,
    read_flight,
    shake_hands,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.listener import make_probe
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.tls import Deadline
from ansible_collections.trustops.strimzi.plugins.module_utils._tls.alerts import Alert

from ...tools.support.golden import GoldenFiles
from .listeners import (
    NOW,
    TLS12,
    TLS13,
    SocketStream,
    authority,
    end_entity,
    openssl_listener,
    server_context,
    serving,
    shake,
    tls_listener,
)

ROOT = authority("root", 1)


# Servers complete a chain with certificates that they trust; so they present leaves of a CA that no client is checked against.
ISSUER = authority("issuer", 4)
MIDDLE = authority("middle", 2, ISSUER)
LEAF = end_entity(ISSUER)
DEEP = end_entity(MIDDLE)
OTHER = authority("other", 3)
PROBE = make_probe(ROOT.certificate, ROOT.key, now=NOW)
OTHER_PROBE = make_probe(OTHER.certificate, OTHER.key, now=NOW)
TRUSTED = [ROOT.certificate]
VERSIONS = pytest.mark.parametrize("version", [TLS12, TLS13], ids=["1.2", "1.3"])


@VERSIONS
def test_a_certificate_of_a_trusted_ca_is_accepted(version: ssl.TLSVersion, tmp_path: Path) -> None:
    with tls_listener(server_context(tmp_path, [LEAF.certificate], TRUSTED, version=version)) as port:
        seen = shake(port, PROBE, version)
    assert (seen.outcome, seen.offered, seen.alert) == (HandshakeOutcome.ACCEPTED, True, None)
    assert seen.version == ("TLSv1.2" if version is TLS12 else "TLSv1.3")


@VERSIONS
def test_a_certificate_of_another_ca_is_refused_by_name(version: ssl.TLSVersion, tmp_path: Path) -> None:
    with tls_listener(server_context(tmp_path, [LEAF.certificate], TRUSTED, version=version)) as port:
        seen = shake(port, OTHER_PROBE, version)
    assert (seen.outcome, seen.offered) == (HandshakeOutcome.REFUSED, True)
    assert str(seen.alert) == "unknown_ca (48)"
    assert seen.presented == (LEAF.certificate,)


@VERSIONS
@pytest.mark.parametrize(
    "chain", [[LEAF.certificate], [DEEP.certificate, MIDDLE.certificate, ISSUER.certificate]], ids=["leaf", "chain"]
)
def test_the_chain_is_seen_as_it_is_sent(version: ssl.TLSVersion, chain: list[object], tmp_path: Path) -> None:
    with tls_listener(server_context(tmp_path, chain, TRUSTED, version=version)) as port:  # type: ignore[arg-type]
        seen = shake(port, PROBE, version)
    assert seen.presented == tuple(chain)


@VERSIONS
def test_without_being_asked_nothing_is_offered(version: ssl.TLSVersion, tmp_path: Path) -> None:
    context = server_context(tmp_path, [LEAF.certificate], verify=ssl.CERT_NONE, version=version)
    with tls_listener(context) as port:
        seen = shake(port, PROBE, version)
    assert (seen.outcome, seen.offered, seen.acceptable) == (HandshakeOutcome.ACCEPTED, False, None)


@VERSIONS
def test_the_names_of_accepted_cas_of_openssl(version: ssl.TLSVersion, tmp_path: Path) -> None:
    trusted = [ROOT.certificate, OTHER.certificate]
    flag = "-tls1_2" if version is TLS12 else "-tls1_3"
    with openssl_listener(tmp_path, [DEEP.certificate, MIDDLE.certificate], trusted, flag) as port:
        seen = shake(port, PROBE, version)
    assert seen.outcome is HandshakeOutcome.ACCEPTED
    assert seen.presented == (DEEP.certificate, MIDDLE.certificate)
    names = {ROOT.certificate.subject_der, OTHER.certificate.subject_der}
    assert (None if seen.acceptable is None else set(seen.acceptable)) == (names if version is TLS12 else None)


def test_a_server_that_names_no_ca_has_an_empty_list(tmp_path: Path) -> None:
    with tls_listener(server_context(tmp_path, [LEAF.certificate], TRUSTED)) as port:
        assert shake(port, PROBE).acceptable == ()


def test_the_refusal_of_openssl_after_tls13_seemed_complete(tmp_path: Path) -> None:
    with openssl_listener(tmp_path, [LEAF.certificate], TRUSTED, "-tls1_3") as port:
        seen = shake(port, OTHER_PROBE, TLS13)
    assert (seen.outcome, seen.offered) == (HandshakeOutcome.REFUSED, True)
    assert seen.alert is not None
    assert seen.alert.name == "unknown_ca"


@pytest.mark.parametrize(("greeting", "prompt", "answer"), [(b"hello", b"", b""), (b"", b"hello?", b"hello")])
def test_tls13_without_tickets_is_accepted_by_data_only(
    greeting: bytes, prompt: bytes, answer: bytes, tmp_path: Path
) -> None:
    context = server_context(tmp_path, [LEAF.certificate], TRUSTED, version=TLS13, tickets=0)
    with tls_listener(context, greeting, answer) as port:
        assert shake(port, PROBE, TLS13, prompt=prompt).outcome is HandshakeOutcome.ACCEPTED


def test_silence_after_a_handshake_of_tls13_is_no_acceptance(tmp_path: Path) -> None:
    context = server_context(tmp_path, [LEAF.certificate], TRUSTED, version=TLS13, tickets=0)
    with tls_listener(context) as port:
        seen = shake(port, PROBE, TLS13, seconds=0.3)
    assert (seen.outcome, seen.presented) == (HandshakeOutcome.TIMED_OUT, (LEAF.certificate,))


@pytest.mark.parametrize(("server", "client"), [(TLS13, TLS12), (TLS12, TLS13)], ids=["old", "new"])
def test_a_version_that_the_server_does_not_speak(
    server: ssl.TLSVersion, client: ssl.TLSVersion, tmp_path: Path
) -> None:
    with tls_listener(server_context(tmp_path, [LEAF.certificate], TRUSTED, version=server)) as port:
        seen = shake(port, PROBE, client)
    assert str(seen.alert) == "protocol_version (70)"
    assert (seen.presented, seen.offered) == (None, False)


def test_a_hello_retry_is_not_taken_for_an_offer(tmp_path: Path) -> None:
    """The second ClientHello of TLS 1.3 is longer than a certificate."""
    context = server_context(tmp_path, [LEAF.certificate], verify=ssl.CERT_NONE, version=TLS13)
    context.set_ecdh_curve("secp521r1")
    with tls_listener(context) as port:
        seen = shake(port, PROBE, TLS13)
    assert (seen.outcome, seen.offered) == (HandshakeOutcome.ACCEPTED, False)


def test_a_handshake_says_how_it_ended(golden: GoldenFiles) -> None:
    ended = (
        Handshake(HandshakeOutcome.TIMED_OUT, detail="no answer in time"),
        Handshake(HandshakeOutcome.REFUSED, Alert(48, "unknown_ca")),
    )
    golden.compare_said("handshakes", "\n".join(map(str, ended)))


# Listeners that make no handshake: silence, rubbish, floods and connections that break. Each ends in time and is no evidence.

OF_ISSUER = make_probe(ISSUER.certificate, ISSUER.key, now=NOW)
OF_THE_ISSUER = [ISSUER.certificate]


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
        (silent, HandshakeOutcome.TIMED_OUT),
        (closes, HandshakeOutcome.CLOSED),
        (resets, HandshakeOutcome.CLOSED),
        (speaks_http, HandshakeOutcome.NOT_UNDERSTOOD),
        (never_ends, HandshakeOutcome.NOT_UNDERSTOOD),
        (repeats_itself, HandshakeOutcome.NOT_UNDERSTOOD),
    ],
)
def test_a_peer_without_tls_ends_the_handshake(
    behaviour: Callable[[socket.socket], None], outcome: HandshakeOutcome, version: ssl.TLSVersion
) -> None:
    begin = time.monotonic()
    with serving(behaviour) as port:
        seen = shake(port, OF_ISSUER, version, seconds=0.3 if behaviour is silent else 60)
    assert (seen.outcome, seen.presented, seen.offered, seen.alert) == (outcome, None, False, None)
    assert seen.detail
    assert time.monotonic() - begin < 55


def test_a_listener_that_drips_does_not_outlast_the_deadline() -> None:
    def drips(connection: socket.socket) -> None:
        connection.recv(1024)
        for byte in b"\x16\x03\x03\x40\x00" + bytes(4000):
            connection.sendall(bytes([byte]))
            time.sleep(0.02)

    begin = time.monotonic()
    with serving(drips) as port:
        assert shake(port, OF_ISSUER, seconds=0.3).outcome is HandshakeOutcome.TIMED_OUT
        assert time.monotonic() - begin < 60


@VERSIONS
def test_an_alert_is_heard_even_when_nothing_can_be_sent_any_more(version: ssl.TLSVersion) -> None:
    class HalfClosed:
        def send(self, data: bytes, timeout: float) -> None:
            raise BrokenPipeError

        def recv(self, timeout: float) -> bytes:
            return bytes([21, 3, 3, 0, 2, 2, 46])

    context = OF_ISSUER.tls12 if version is TLS12 else OF_ISSUER.tls13
    seen = shake_hands(HalfClosed(), context, OF_ISSUER.certificate, deadline=Deadline.after(60))
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
        seen = shake(port, OF_ISSUER, seconds=1)
    assert (seen.outcome, seen.presented) == (HandshakeOutcome.NOT_UNDERSTOOD, None)


@VERSIONS
def test_a_chain_that_no_jvm_accepts_is_none(version: ssl.TLSVersion, tmp_path: Path, golden: GoldenFiles) -> None:
    chain = [LEAF.certificate, *(authority(f"unrelated {number}", 5).certificate for number in range(10))]
    with tls_listener(server_context(tmp_path, chain, OF_THE_ISSUER, version=version)) as port:
        seen = shake(port, OF_ISSUER, version)
    assert (seen.outcome, seen.presented) == (HandshakeOutcome.ACCEPTED, None)
    golden.compare_said("handshakes", seen.detail)


def says_goodbye(connection: socket.socket) -> None:
    """A close_notify alert instead of a ServerHello."""
    connection.recv(1024)
    connection.sendall(bytes([21, 3, 3, 0, 2, 1, 0]))
    silent(connection)


def test_an_orderly_end_is_no_answer(tmp_path: Path) -> None:
    context = server_context(tmp_path, [LEAF.certificate], OF_THE_ISSUER, version=TLS13, tickets=0)

    def ends_after_the_handshake(connection: socket.socket) -> None:
        with context.wrap_socket(connection, server_side=True) as tls:
            tls.unwrap()

    for behaviour in (says_goodbye, ends_after_the_handshake):
        with serving(behaviour) as port:
            seen = shake(port, OF_ISSUER, TLS13)
        assert (seen.outcome, seen.alert) == (HandshakeOutcome.CLOSED, None)
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
        tls_listener(server_context(tmp_path, [LEAF.certificate], OF_THE_ISSUER, version=TLS13)) as port,
        socket.create_connection(("127.0.0.1", port)) as connection,
    ):
        seen = shake_hands(Stalls(connection), OF_ISSUER.tls13, OF_ISSUER.certificate, deadline=Deadline.after(5))
    assert seen.outcome is HandshakeOutcome.TIMED_OUT


# The reader of TLS 1.2 in the clear: what it finds, and that whatever comes it raises nothing but its own error.

HELLO, CERTIFICATE, REQUEST, DONE = 2, 11, 13, 14


def vector(size: int, content: bytes) -> bytes:
    return len(content).to_bytes(size, "big") + content


def message(kind: int, body: bytes) -> bytes:
    return bytes([kind]) + vector(3, body)


def record(content: bytes, kind: int = 22) -> bytes:
    return bytes([kind]) + b"\x03\x03" + vector(2, content)


def certificates(*chain: bytes) -> bytes:
    return message(CERTIFICATE, vector(3, b"".join(vector(3, one) for one in chain)))


def request(*names: bytes, types: bytes = b"\x01\x40", algorithms: bytes = b"\x04\x03") -> bytes:
    listed = vector(2, b"".join(vector(2, name) for name in names))
    return message(REQUEST, vector(1, types) + vector(2, algorithms) + listed)


WHOLE = message(HELLO, bytes(40)) + certificates(b"leaf", b"ca") + request(b"one", b"two") + message(DONE, b"")
CHANGE = record(b"\x01", 20)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 64, 16384])
def test_messages_are_put_together_however_they_are_cut_into_records(size: int) -> None:
    data = b"".join(record(WHOLE[at : at + size]) for at in range(0, len(WHOLE), size))
    assert read_flight(data) == Flight((b"leaf", b"ca"), (b"one", b"two"))


def test_nothing_behind_the_change_to_encryption_is_read() -> None:
    encrypted = record(request(b"forged"))
    assert read_flight(record(certificates(b"leaf")) + CHANGE + encrypted) == Flight((b"leaf",), None)
    assert read_flight(record(certificates(b"leaf")) + CHANGE + b"\xff" * 50) == Flight((b"leaf",), None)


def test_alerts_between_are_no_matter() -> None:
    whole, warning = certificates(b"leaf"), record(b"\x01\x5a", 21)
    assert read_flight(record(whole[:5]) + warning + record(whole[5:]) + warning).certificates == (b"leaf",)


def test_a_flight_that_is_cut_off_holds_only_whole_messages() -> None:
    whole = record(certificates(b"leaf") + request(b"one"))
    found = {read_flight(whole[:size]) for size in range(len(whole))}
    assert found == {Flight()}
    parts = record(certificates(b"leaf")) + record(request(b"one"))
    assert read_flight(parts[:-1]) == Flight((b"leaf",), None)
    assert read_flight(record(certificates(b"leaf") + request(b"one")[:-1])) == Flight((b"leaf",), None)


def test_a_server_without_a_request_differs_from_a_request_without_names() -> None:
    assert read_flight(record(message(DONE, b""))).authorities is None
    assert read_flight(record(request())).authorities == ()
    assert read_flight(record(certificates())).certificates == ()


@pytest.mark.parametrize(
    "data",
    [
        record(b"x", 23),
        record(b"x", 99),
        b"HTTP/1.1 400 Bad Request",
        b"\x16\x02\x00\x00\x01x",
        b"\x16\x03\x03\x40\x01" + bytes(16385),
        record(message(REQUEST, b"")),
        record(message(REQUEST, vector(1, b"\x40") + vector(2, b"\x04\x03") + b"\x00\x05abc")),
        record(message(REQUEST, vector(1, b"\x40") + vector(2, b"\x04\x03") + vector(2, b"\x00\x05abc"))),
        record(message(REQUEST, vector(1, b"\x40") + vector(2, b"") + vector(2, b"") + b"more")),
        record(request(b"")),
        record(certificates(b"")),
        record(message(CERTIFICATE, vector(3, b"\x00\x00\x09abc"))),
        record(message(CERTIFICATE, vector(3, b"") + b"more")),
        record(certificates(b"leaf") * 2),
        record(request(b"one") * 2),
        record(bytes([CERTIFICATE]) + b"\xff\xff\xff"),
        CHANGE + bytes(MAXIMUM_FLIGHT),
    ],
)
def test_a_malformed_flight_is_refused(data: bytes) -> None:
    with pytest.raises(MalformedHandshake):
        read_flight(data)


@given(st.binary(max_size=600))
@example(record(WHOLE))
def test_any_bytes_raise_nothing_else(data: bytes) -> None:
    _read(data)


@given(st.lists(st.tuples(st.sampled_from([0, 1, 2, 11, 13, 14, 16, 255]), st.binary(max_size=80)), max_size=6))
def test_any_messages_raise_nothing_else(messages: list[tuple[int, bytes]]) -> None:
    _read(record(b"".join(message(kind, body) for kind, body in messages)))


@given(st.integers(0, len(record(WHOLE)) - 1), st.integers(0, 255), st.integers(0, len(record(WHOLE))))
def test_a_handshake_with_a_wrong_byte_raises_nothing_else(at: int, byte: int, end: int) -> None:
    data = bytearray(record(WHOLE))
    data[at] = byte
    _read(bytes(data[:end]))


@given(
    st.lists(st.binary(min_size=1, max_size=300), max_size=5),
    st.lists(st.binary(min_size=1, max_size=300), max_size=5),
    st.integers(1, 4000),
)
def test_a_flight_in_any_records_is_read(chain: list[bytes], names: list[bytes], size: int) -> None:
    data = certificates(*chain) + request(*names)
    cut = b"".join(record(data[at : at + size]) for at in range(0, len(data), size))
    assert read_flight(cut) == Flight(tuple(chain), tuple(names))


def _read(data: bytes) -> None:
    """Everything that the reader finds is part of the bytes that it was given."""
    try:
        found = read_flight(data)
    except MalformedHandshake:
        return
    for one in (*(found.certificates or ()), *(found.authorities or ())):
        assert 0 < len(one) <= len(data)


def test_the_bounds_are_those_of_the_protocol() -> None:
    largest = record(certificates(bytes(16000)) + bytes(16384 - 16010))
    assert struct.unpack("!H", largest[3:5])[0] == 16384
    assert read_flight(largest).certificates == (bytes(16000),)

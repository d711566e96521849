# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A conversation inside of TLS over a stream that is no socket, and alerts by number (RFC 8446, section 6)."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cryptography import x509

from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.handshake import (
    Handshake,
    HandshakeOutcome,
    shake_hands,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.listener import make_untrusted_probe
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.tls import Deadline, TlsStream
from ansible_collections.trustops.strimzi.plugins.module_utils._tls.alerts import DISTRUST, VERSION, alert_of

from ...tools.support.certificates import key, make
from .listeners import DAY, NOW, TLS12, TLS13, authority, opener, server_context, serving

ROOT = authority("root", 1)
HOST = "my-kafka-0.my-kafka-brokers.kafka.svc"
NAMES = x509.SubjectAlternativeName([x509.DNSName(HOST)])
LEAF = make("my-kafka", key(99), ROOT, ca=False, begin=NOW - DAY, end=NOW + DAY, extra=[(NAMES, False)])
VERSIONS = pytest.mark.parametrize("version", [TLS12, TLS13], ids=["1.2", "1.3"])


@contextmanager
def served(
    folder: Path, version: ssl.TLSVersion, serve: Callable[[ssl.SSLSocket], None], host: str = HOST
) -> Iterator[TlsStream]:
    server = server_context(folder, [LEAF.certificate], verify=ssl.CERT_NONE, version=version)

    def handle(connection: socket.socket) -> None:
        with server.wrap_socket(connection, server_side=True, suppress_ragged_eofs=False) as tls:
            serve(tls)

    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.load_verify_locations(cadata=ROOT.certificate.pem.decode())
    with serving(handle) as port, opener(port)(5) as stream:
        yield TlsStream(stream, client, host, Deadline.after(60))


def echo(tls: ssl.SSLSocket) -> None:
    while data := tls.recv(16384):
        tls.sendall(data)


@VERSIONS
def test_much_goes_there_and_back(version: ssl.TLSVersion, tmp_path: Path) -> None:
    piece = bytes(range(256)) * 50
    with served(tmp_path, version, echo) as stream:
        for _time in range(10):
            stream.send(piece, 5)
            found = b""
            while len(found) < len(piece):
                found += stream.recv(5)
            assert found == piece


@VERSIONS
def test_the_end_is_told_from_a_connection_that_broke_off(version: ssl.TLSVersion, tmp_path: Path) -> None:
    def goodbye(tls: ssl.SSLSocket) -> None:
        tls.sendall(b"bye")
        tls.unwrap()

    with served(tmp_path, version, goodbye) as stream:
        assert [stream.recv(5), stream.recv(5)] == [b"bye", b""]
    with served(tmp_path, version, lambda tls: tls.sendall(b"b")) as stream:
        assert stream.recv(5) == b"b"
        with pytest.raises(ssl.SSLError, match="EOF"):
            stream.recv(5)


@VERSIONS
def test_another_name_is_another_server(version: ssl.TLSVersion, tmp_path: Path) -> None:
    with (
        pytest.raises(ssl.SSLCertVerificationError, match="Hostname mismatch"),
        served(tmp_path, version, echo, host=HOST.replace("-0", "-1")),
    ):
        pass


@VERSIONS
def test_an_answer_that_does_not_come_is_not_waited_for(version: ssl.TLSVersion, tmp_path: Path) -> None:
    with served(tmp_path, version, echo) as stream, pytest.raises(TimeoutError):
        stream.recv(0.1)


def test_a_server_that_does_not_shake_hands_is_not_waited_for() -> None:
    def silent(connection: socket.socket) -> None:
        connection.recv(1 << 20)
        connection.recv(1)

    with serving(silent) as port, opener(port)(5) as stream, pytest.raises(TimeoutError):
        TlsStream(stream, ssl.create_default_context(), HOST, Deadline.after(0.2))


# Alerts by number, whatever the TLS library calls them: a listener that sends them bare (RFC 8446 section 6).

UNTRUSTED = make_untrusted_probe(now=NOW)


#: RFC 8446 section 6, and of RFC 5246 section 7.2 what an older server may still send.
REGISTERED = {
    10: "unexpected_message",
    20: "bad_record_mac",
    22: "record_overflow",
    40: "handshake_failure",
    42: "bad_certificate",
    43: "unsupported_certificate",
    44: "certificate_revoked",
    45: "certificate_expired",
    46: "certificate_unknown",
    47: "illegal_parameter",
    48: "unknown_ca",
    49: "access_denied",
    50: "decode_error",
    51: "decrypt_error",
    70: "protocol_version",
    71: "insufficient_security",
    80: "internal_error",
    86: "inappropriate_fallback",
    90: "user_canceled",
    109: "missing_extension",
    110: "unsupported_extension",
    112: "unrecognized_name",
    113: "bad_certificate_status_response",
    116: "certificate_required",
}


def answered_with(number: int) -> Handshake:
    def refuse(connection: socket.socket) -> None:
        connection.recv(1024)
        connection.sendall(bytes([21, 3, 3, 0, 2, 2, number]))
        connection.recv(1)

    with serving(refuse) as port, opener(port)(5) as stream:
        return shake_hands(stream, UNTRUSTED.tls12, UNTRUSTED.certificate, deadline=Deadline.after(60))


@pytest.mark.parametrize("number", REGISTERED)
def test_an_alert_is_known_by_number_and_name(number: int) -> None:
    seen = answered_with(number)
    assert seen.outcome is HandshakeOutcome.REFUSED
    assert seen.alert is not None
    assert (seen.alert.number, seen.alert.name) == (number, REGISTERED[number])


def test_an_alert_of_no_meaning_is_not_guessed() -> None:
    seen = answered_with(200)
    assert (seen.outcome, seen.alert) == (HandshakeOutcome.NOT_UNDERSTOOD, None)


@pytest.mark.parametrize("reason", [None, "", "WRONG_VERSION_NUMBER", "TLSV1_ALERT_NEVER_HEARD_OF", "ALERT_UNKNOWN_CA"])
def test_other_errors_are_no_alerts(reason: str | None) -> None:
    error = ssl.SSLError(1, "failed")
    error.reason = reason  # type: ignore[assignment]
    assert alert_of(error) is None


def test_which_alerts_speak_of_trust() -> None:
    """Expiry, revocation and the like are other reasons."""
    assert {number for number, name in REGISTERED.items() if name in DISTRUST} == {42, 46, 48}
    assert {number for number, name in REGISTERED.items() if name in VERSION} == {40, 70, 71}

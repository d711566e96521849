# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Alerts by number, whatever the TLS library calls them: a listener that sends them bare (RFC 8446 section 6)."""

from __future__ import annotations

import socket
import ssl

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.handshake import (
    Handshake,
    Outcome,
    shake_hands,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.listener import make_stranger
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.tls import (
    DISTRUST,
    VERSION,
    Deadline,
    alert_of,
)

from .listeners import NOW, opener, serving

STRANGER = make_stranger(now=NOW)
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
        return shake_hands(stream, STRANGER.tls12, STRANGER.certificate, deadline=Deadline.after(5))


@pytest.mark.parametrize("number", REGISTERED)
def test_an_alert_is_known_by_number_and_name(number: int) -> None:
    seen = answered_with(number)
    assert seen.outcome is Outcome.REFUSED
    assert seen.alert is not None
    assert (seen.alert.number, seen.alert.name) == (number, REGISTERED[number])


def test_an_alert_of_no_meaning_is_not_guessed() -> None:
    seen = answered_with(200)
    assert (seen.outcome, seen.alert) == (Outcome.NOT_UNDERSTOOD, None)


@pytest.mark.parametrize("reason", [None, "", "WRONG_VERSION_NUMBER", "TLSV1_ALERT_NEVER_HEARD_OF", "ALERT_UNKNOWN_CA"])
def test_other_errors_are_no_alerts(reason: str | None) -> None:
    error = ssl.SSLError(1, "failed")
    error.reason = reason  # type: ignore[assignment]
    assert alert_of(error) is None


def test_which_alerts_speak_of_trust() -> None:
    """Expiry, revocation and the like are other reasons."""
    assert {number for number, name in REGISTERED.items() if name in DISTRUST} == {42, 46, 48}
    assert {number for number, name in REGISTERED.items() if name in VERSION} == {40, 70, 71}

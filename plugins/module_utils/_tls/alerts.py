# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""TLS alerts by number and name (RFC 8446 section 6, RFC 5246 section 7.2)."""

from __future__ import annotations

import re
import ssl
from dataclasses import dataclass

#: Alerts about application protocols and pre-shared keys are left out, because neither is used here.
_NUMBERS = {
    "unexpected_message": 10,
    "bad_record_mac": 20,
    "record_overflow": 22,
    "handshake_failure": 40,
    "bad_certificate": 42,
    "unsupported_certificate": 43,
    "certificate_revoked": 44,
    "certificate_expired": 45,
    "certificate_unknown": 46,
    "illegal_parameter": 47,
    "unknown_ca": 48,
    "access_denied": 49,
    "decode_error": 50,
    "decrypt_error": 51,
    "protocol_version": 70,
    "insufficient_security": 71,
    "internal_error": 80,
    "inappropriate_fallback": 86,
    "user_canceled": 90,
    "missing_extension": 109,
    "unsupported_extension": 110,
    "unrecognized_name": 112,
    "bad_certificate_status_response": 113,
    "certificate_required": 116,
}
#: How OpenSSL writes the names.
_PREFIX = re.compile(r"^(?:SSLV3|TLSV1|TLSV13)_(?:ALERT_)?")
_OPENSSL = {"user_cancelled": "user_canceled"}


@dataclass(frozen=True)
class Alert:
    #: The number of the alert on the wire.
    number: int
    #: The name of the alert in RFC 8446 or RFC 5246, such as ``unknown_ca``.
    name: str

    def __str__(self) -> str:
        return f"{self.name} ({self.number})"


#: With these alerts a verifier says that it does not trust the issuer of a certificate.
DISTRUST = frozenset({"bad_certificate", "certificate_unknown", "unknown_ca"})
#: With these alerts a server refuses this version, or every part of it on offer.
VERSION = frozenset({"protocol_version", "handshake_failure", "insufficient_security"})


def alert_of(error: ssl.SSLError) -> Alert | None:
    """The alert from the peer; None if the error is no alert."""
    reason = error.reason or ""
    if not _PREFIX.match(reason):
        return None
    written = _PREFIX.sub("", reason).lower()
    name = _OPENSSL.get(written, written)
    return Alert(_NUMBERS[name], name) if name in _NUMBERS else None

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Truststores that Java reads: PKCS#12, and JKS for programs that read no other form."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping
from datetime import datetime

from ._cryptography import pkcs12, serialization, x509
from .certificates import Certificate

#: Kind of an entry that is a trusted certificate.
_TRUSTED = 2


def pkcs12_truststore(certificates: Mapping[str, Certificate], password: bytes) -> bytes:
    """A truststore with one trusted certificate per alias."""
    entries = [
        pkcs12.PKCS12Certificate(x509.load_der_x509_certificate(certificate.der), alias.encode("utf-8"))
        for alias, certificate in certificates.items()
    ]
    return pkcs12.serialize_java_truststore(entries, serialization.BestAvailableEncryption(password))


def jks_truststore(certificates: Mapping[str, Certificate], password: bytes, created: datetime) -> bytes:
    """The same in Java's own old format (``sun.security.provider.JavaKeyStore``, version 2). password: ASCII.

    Nothing in it is secret; the password only guards its integrity.
    """
    moment = int(created.timestamp() * 1000)
    content = struct.pack(">III", 0xFEEDFEED, 2, len(certificates)) + b"".join(
        struct.pack(">I", _TRUSTED) + _text(alias) + struct.pack(">Q", moment) + _text("X.509")
        + struct.pack(">I", len(certificate.der)) + certificate.der
        for alias, certificate in certificates.items()
    )  # fmt: skip
    # The format prescribes SHA-1 and this salt. They protect nothing, and no secret is in the store.
    guarded = password.decode("ascii").encode("utf-16-be") + b"Mighty Aphrodite" + content
    return content + hashlib.sha1(guarded, usedforsecurity=False).digest()


def _text(value: str) -> bytes:
    encoded = value.encode("ascii")
    return struct.pack(">H", len(encoded)) + encoded

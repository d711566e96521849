# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The one place that imports cryptography. If it is absent, a message says so instead of a traceback."""

from __future__ import annotations

import traceback

#: 45 is the first with a PKCS#12 truststore of trusted certificates for Java; everything else needs 42.
MINIMUM_CRYPTOGRAPHY = "45.0.0"

CRYPTOGRAPHY_IMPORT_ERROR: str | None = None
try:
    import cryptography
    from cryptography import x509
    from cryptography.exceptions import InternalError, InvalidSignature, UnsupportedAlgorithm
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    from cryptography.hazmat.primitives.serialization import pkcs12
    from cryptography.x509.name import _ASN1Type as StringType
    from cryptography.x509.oid import ExtensionOID, NameOID
except ImportError:
    CRYPTOGRAPHY_IMPORT_ERROR = traceback.format_exc()
    # The names must exist. Without them, the import of any module of this package would fail before a message can say
    # why.
    cryptography = x509 = hashes = serialization = ec = padding = rsa = pkcs12 = None  # type: ignore[assignment]
    InternalError = InvalidSignature = UnsupportedAlgorithm = None  # type: ignore[assignment,misc]
    ExtensionOID = NameOID = StringType = None  # type: ignore[assignment,misc]
    Cipher = algorithms = modes = None  # type: ignore[assignment,misc]

__all__ = [
    "CRYPTOGRAPHY_IMPORT_ERROR",
    "MINIMUM_CRYPTOGRAPHY",
    "Cipher",
    "ExtensionOID",
    "InternalError",
    "InvalidSignature",
    "NameOID",
    "StringType",
    "UnsupportedAlgorithm",
    "algorithms",
    "cryptography",
    "ec",
    "hashes",
    "modes",
    "padding",
    "pkcs12",
    "rsa",
    "serialization",
    "x509",
]

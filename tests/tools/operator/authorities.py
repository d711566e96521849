# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CAs as a user brings them, made without the double."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class UserCa:
    """Certificate and key as PEM."""

    certificate: x509.Certificate
    private_key: Any

    @property
    def pem(self) -> bytes:
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    @property
    def key(self) -> bytes:
        return self.private_key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )


def make_ca(
    common_name: str,
    begin: datetime,
    issuer: UserCa | None = None,
    *,
    days: int = 3650,
    ca: bool | None = True,
    key: Any = None,
) -> UserCa:
    """ca: the flag in basicConstraints; None leaves the extension out."""
    own = key or ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.certificate.subject if issuer else subject)
        .public_key(own.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(begin + timedelta(days=days))
    )
    if ca is not None:
        builder = builder.add_extension(x509.BasicConstraints(ca, None), True)
    return UserCa(builder.sign(issuer.private_key if issuer else own, hashes.SHA256()), own)

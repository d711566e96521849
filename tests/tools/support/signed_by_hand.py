# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A person signs a request, well or with one mistake; nothing of the collection's own signing is used."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID

from .certificates import Entity

BOTH = (ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH)


@dataclass(frozen=True)
class Signature:
    """The way in which a person signs a request."""

    issuer: Entity
    begin: datetime
    lasts: timedelta = timedelta(days=90)
    #: The names in the place of the requested names; None: the requested names.
    names: Iterable[str] | None = None
    #: The subject in the place of the requested subject; None: the requested subject.
    subject: x509.Name | None = None
    #: Whether the certificate has the requested names at all.
    copies: bool = True
    ca: bool = False
    usages: tuple[x509.ObjectIdentifier, ...] = BOTH
    #: The serial number; None: another number each time.
    serial: int | None = None

    def sign(self, csr: bytes) -> bytes:
        """The certificate alone, in PEM form."""
        asked = x509.load_pem_x509_csr(csr)
        issuer = x509.load_der_x509_certificate(self.issuer.certificate.der)
        builder = (
            x509.CertificateBuilder()
            .subject_name(self.subject or asked.subject)
            .issuer_name(issuer.subject)
            .public_key(asked.public_key())
            .serial_number(self.serial or x509.random_serial_number())
            .not_valid_before(self.begin)
            .not_valid_after(self.begin + self.lasts)
            .add_extension(x509.BasicConstraints(ca=self.ca, path_length=None), critical=True)
            .add_extension(x509.ExtendedKeyUsage(self.usages), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier(self.issuer.certificate.subject_key_identifier, None, None), critical=False
            )
        )
        if self.names is not None:
            builder = builder.add_extension(x509.SubjectAlternativeName(map(x509.DNSName, self.names)), critical=False)
        elif self.copies:
            for extension in asked.extensions:
                builder = builder.add_extension(extension.value, extension.critical)
        return builder.sign(self.issuer.key.for_signing(), hashes.SHA256()).public_bytes(Encoding.PEM)

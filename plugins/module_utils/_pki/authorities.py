# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Making and renewing CA certificates in the operator's form (strimzi.md 1.2), with room for a bridge."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from ansible_collections.trustops.strimzi.plugins.module_utils._pki._cryptography import (
    NameOID,
    hashes,
    serialization,
    x509,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import (
    Certificate,
    certificate_from_der,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import PrivateKey

if TYPE_CHECKING:
    from cryptography.x509 import CertificateBuilder, KeyUsage, Name

_GENERATION = re.compile(r"(?:^|,)CN=[^,]* v(\d+)(?:,|$)")


@dataclass(frozen=True)
class DistinguishedName:
    """A subject as Strimzi writes it: O before CN in DER (the printed form is reversed)."""

    common_name: str
    organization: str | None = "io.strimzi"

    def as_name(self) -> Name:
        attributes = [x509.NameAttribute(NameOID.COMMON_NAME, self.common_name)]
        if self.organization is not None:
            attributes.insert(0, x509.NameAttribute(NameOID.ORGANIZATION_NAME, self.organization))
        return x509.Name(attributes)

    @property
    def der(self) -> bytes:
        return self.as_name().public_bytes()


def authority_generation(certificate: Certificate) -> int | None:
    """N of a subject ``CN=cluster-ca vN``; None for a name of another form."""
    match = _GENERATION.search(certificate.subject)
    return int(match.group(1)) if match else None


def key_usage(*, signing: bool = False, leaf: bool = False) -> KeyUsage:
    """The two key usages that occur: of a CA, and of a client leaf."""
    return x509.KeyUsage(
        digital_signature=leaf,
        content_commitment=False,
        key_encipherment=leaf,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signing,
        crl_sign=signing,
        encipher_only=False,
        decipher_only=False,
    )


def issue_root(
    subject: DistinguishedName,
    key: PrivateKey,
    *,
    not_before: datetime,
    validity: timedelta,
    path_length: int | None = 1,
) -> Certificate:
    """A self-signed CA certificate.

    The operator's have ``pathlen:0``; 1 leaves room for one CA below, without which OpenSSL and Go clients that trust
    only this CA refuse a bridged chain (operator-facts, "The bridge").
    """
    return _self_sign(subject.as_name(), key, not_before, validity, path_length)


def renew_root(old: Certificate, key: PrivateKey, *, not_before: datetime, validity: timedelta) -> Certificate:
    """The same CA with new dates: same subject bytes, same key, same path length."""
    name = x509.load_der_x509_certificate(old.der).subject
    return _self_sign(name, key, not_before, validity, old.path_length)


def _self_sign(
    name: Name, key: PrivateKey, not_before: datetime, validity: timedelta, path_length: int | None
) -> Certificate:
    signing = key.for_signing()
    identifier = x509.SubjectKeyIdentifier.from_public_key(signing.public_key())
    builder = (
        start_certificate(name, name, signing.public_key(), not_before, validity)
        .add_extension(x509.BasicConstraints(ca=True, path_length=path_length), critical=True)
        .add_extension(key_usage(signing=True), critical=True)
        .add_extension(identifier, critical=False)
    )
    return finish_certificate(builder, key)


def start_certificate(
    subject: Name, issuer: Name, public_key: object, not_before: datetime, validity: timedelta
) -> CertificateBuilder:
    """The fields that every certificate has; seconds are whole (RFC 5280 section 4.1.2.5)."""
    begin = not_before.replace(microsecond=0)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public_key)  # type: ignore[arg-type]
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(begin + validity)
    )


def finish_certificate(builder: CertificateBuilder, key: PrivateKey) -> Certificate:
    """Signed with SHA-512, as the operator does."""
    signed = builder.sign(key.for_signing(), hashes.SHA512())
    return certificate_from_der(signed.public_bytes(serialization.Encoding.DER))

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates of any shape for tests, also of shapes that the collection never makes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import cache

from cryptography import x509
from cryptography.hazmat.primitives import serialization

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import DistinguishedName, key_usage
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import (
    Certificate,
    certificate_from_der,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import (
    KeyAlgorithm,
    KeySpec,
    PrivateKey,
    generate_key,
)

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=timezone.utc)
HOUR, DAY, YEAR = timedelta(hours=1), timedelta(days=1), timedelta(days=365)
EC = KeySpec(KeyAlgorithm.ECDSA, 256)


@cache
def key(number: int) -> PrivateKey:
    """Always the same key for the same number."""
    return generate_key(EC)


@cache
def rsa_key(size: int, number: int = 0) -> PrivateKey:
    """Always the same RSA key for the same size and number: a new one takes long to make."""
    return generate_key(KeySpec(KeyAlgorithm.RSA, size))


@dataclass(frozen=True)
class Entity:
    """A certificate and what it takes to sign with it."""

    certificate: Certificate
    key: PrivateKey


def make(
    name: str,
    own_key: PrivateKey,
    issuer: Entity | None = None,
    *,
    ca: bool | None = True,
    path_length: int | None = None,
    signing: bool | None = True,
    begin: datetime = NOW - YEAR,
    end: datetime = NOW + YEAR,
    subject_identifier: bytes | None = b"",
    authority_identifier: x509.AuthorityKeyIdentifier | bytes | None = b"",
    extra: Sequence[tuple[x509.ExtensionType, bool]] = (),
    issuer_name: str | None = None,
    outlives_rewriting: bool = False,
) -> Entity:
    """Self-signed without an issuer. Identifiers: b"" means "as usual", None means none.

    issuer_name: another name than the one of ``issuer``. outlives_rewriting: of its own name.
    """
    subject = DistinguishedName(name, outlives_rewriting=outlives_rewriting).as_name()
    signer = issuer.key if issuer else own_key
    parent = x509.load_der_x509_certificate(issuer.certificate.der).subject if issuer else subject
    if issuer_name is not None:
        parent = DistinguishedName(issuer_name).as_name()
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(parent)
        .public_key(own_key.public_key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(end)
    )
    if ca is not None:
        length = path_length if ca else None
        builder = builder.add_extension(x509.BasicConstraints(ca=ca, path_length=length), critical=True)
    if signing is not None:
        usage = key_usage(signing=signing and bool(ca), leaf=not ca or not signing)
        builder = builder.add_extension(usage, critical=True)
    if subject_identifier is not None:
        identifier = x509.SubjectKeyIdentifier.from_public_key(own_key.public_key)
        if subject_identifier:
            identifier = x509.SubjectKeyIdentifier(subject_identifier)
        builder = builder.add_extension(identifier, critical=False)
    if issuer and authority_identifier is not None:
        if isinstance(authority_identifier, bytes):
            digest = authority_identifier or issuer.certificate.subject_key_identifier
            authority_identifier = x509.AuthorityKeyIdentifier(digest, None, None) if digest else None
        if authority_identifier is not None:
            builder = builder.add_extension(authority_identifier, critical=False)
    for extension, critical in extra:
        builder = builder.add_extension(extension, critical=critical)
    signed = builder.sign(signer.for_signing(), signer.signature_hash)
    return Entity(certificate_from_der(signed.public_bytes(serialization.Encoding.DER)), own_key)


def leaf(issuer: Entity, name: str = "my-kafka", **options: object) -> Certificate:
    return make(name, key(99), issuer, ca=False, **options).certificate  # type: ignore[arg-type]

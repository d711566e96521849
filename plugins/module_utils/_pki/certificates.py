# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""X.509 certificates as values: identified by their DER bytes, parsed once."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from ansible_collections.trustops.strimzi.plugins.module_utils._pki._cryptography import (
    ExtensionOID,
    InvalidSignature,
    UnsupportedAlgorithm,
    serialization,
    x509,
)

if TYPE_CHECKING:
    from datetime import datetime
    from typing import Any

#: Extensions that path validation here understands; any other critical one makes a certificate unusable.
_UNDERSTOOD = frozenset(
    {
        "2.5.29.15",  # keyUsage
        "2.5.29.19",  # basicConstraints
        "2.5.29.37",  # extendedKeyUsage
        "2.5.29.17",  # subjectAltName
        "2.5.29.14",  # subjectKeyIdentifier
        "2.5.29.35",  # authorityKeyIdentifier
    }
)


class CertificateError(Exception):
    """What was given is no certificate. The text never quotes it."""


class Certificate:
    """One certificate. Equal when the DER bytes are equal. Times are aware UTC; fingerprints lower-case hex."""

    def __init__(self, der: bytes) -> None:
        """Raises CertificateError when ``der`` is not a certificate that can be read."""
        self.der = der
        try:
            self._parsed = x509.load_der_x509_certificate(der)
            self._parsed.extensions  # noqa: B018 - parsed lazily by the library; fail here, not later
            self._parsed.subject.rfc4514_string()
            self._parsed.public_key()
        except (ValueError, UnsupportedAlgorithm, x509.DuplicateExtension, TypeError):
            raise CertificateError("not a readable X.509 certificate") from None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Certificate) and other.der == self.der

    def __hash__(self) -> int:
        return hash(self.der)

    def __repr__(self) -> str:
        return f"<Certificate {self.subject} {self.sha256[:16]}>"

    @cached_property
    def pem(self) -> bytes:
        return self._parsed.public_bytes(serialization.Encoding.PEM)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-1 of the DER form: the name of a CA in Secret keys (spec/1). Not used for security."""
        return hashlib.sha1(self.der, usedforsecurity=False).hexdigest()

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.der).hexdigest()

    @cached_property
    def subject(self) -> str:
        """RFC 4514 text."""
        return self._parsed.subject.rfc4514_string()

    @cached_property
    def issuer(self) -> str:
        """RFC 4514 text."""
        return self._parsed.issuer.rfc4514_string()

    @cached_property
    def subject_der(self) -> bytes:
        return self._parsed.subject.public_bytes()

    @cached_property
    def issuer_der(self) -> bytes:
        return self._parsed.issuer.public_bytes()

    @property
    def serial_number(self) -> int:
        return self._parsed.serial_number

    @cached_property
    def not_before(self) -> datetime:
        return self._parsed.not_valid_before_utc

    @cached_property
    def not_after(self) -> datetime:
        return self._parsed.not_valid_after_utc

    @cached_property
    def public_key_sha256(self) -> str:
        """SHA-256 of the SubjectPublicKeyInfo."""
        spki = self._parsed.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        return hashlib.sha256(spki).hexdigest()

    def _extension(self, oid: Any) -> Any:
        try:
            return self._parsed.extensions.get_extension_for_oid(oid).value
        except x509.ExtensionNotFound:
            return None

    @cached_property
    def is_ca(self) -> bool:
        constraints = self._extension(ExtensionOID.BASIC_CONSTRAINTS)
        return bool(constraints is not None and constraints.ca)

    @cached_property
    def path_length(self) -> int | None:
        constraints = self._extension(ExtensionOID.BASIC_CONSTRAINTS)
        return None if constraints is None else constraints.path_length

    @cached_property
    def key_usage_allows_signing(self) -> bool:
        """Whether the key may sign certificates; an absent keyUsage does not forbid it (RFC 5280 section 4.2.1.3)."""
        usage = self._extension(ExtensionOID.KEY_USAGE)
        return True if usage is None else bool(usage.key_cert_sign)

    @cached_property
    def subject_key_identifier(self) -> bytes | None:
        value = self._extension(ExtensionOID.SUBJECT_KEY_IDENTIFIER)
        return None if value is None else bytes(value.digest)

    @cached_property
    def authority_key_identifier(self) -> bytes | None:
        value = self._extension(ExtensionOID.AUTHORITY_KEY_IDENTIFIER)
        return None if value is None else value.key_identifier

    @cached_property
    def subject_alternative_names(self) -> frozenset[str]:
        """DNS names and IP addresses as text."""
        names = self._extension(ExtensionOID.SUBJECT_ALTERNATIVE_NAME)
        if names is None:
            return frozenset()
        addresses = names.get_values_for_type(x509.IPAddress)
        return frozenset([*names.get_values_for_type(x509.DNSName), *map(str, addresses)])

    @cached_property
    def unknown_critical_extensions(self) -> tuple[str, ...]:
        return tuple(
            extension.oid.dotted_string
            for extension in self._parsed.extensions
            if extension.critical and extension.oid.dotted_string not in _UNDERSTOOD
        )

    def signed_by(self, issuer: Certificate) -> bool:
        """Whether the issuer's name and key made this certificate. Says nothing about validity."""
        return _signed_by(self, issuer)

    def _verify(self, issuer: Certificate) -> bool:
        try:
            self._parsed.verify_directly_issued_by(issuer._parsed)
        except (ValueError, TypeError, InvalidSignature, UnsupportedAlgorithm):
            return False
        return True

    def expired_name(self) -> str:
        """The key of this certificate once it is an old CA: ``ca-<notAfter>.crt`` (strimzi.md 1.1)."""
        return f"ca-{self.not_after:%Y-%m-%dT%H-%M-%SZ}.crt"


@lru_cache(maxsize=65536)
def _signed_by(child: Certificate, issuer: Certificate) -> bool:
    return child._verify(issuer)


@lru_cache(maxsize=4096)
def _from_der(der: bytes) -> Certificate:
    return Certificate(der)


def certificate_from_der(der: bytes) -> Certificate:
    """A certificate; the same bytes give the same object. Raises CertificateError."""
    return _from_der(der)


@lru_cache(maxsize=4096)
def parse_certificates(data: bytes) -> tuple[Certificate, ...]:
    """All certificates of a PEM text, in order. Raises CertificateError when there is none or one is unreadable."""
    try:
        parsed = x509.load_pem_x509_certificates(data)
    except (ValueError, UnsupportedAlgorithm):
        raise CertificateError("no readable certificate in PEM form") from None
    return tuple(certificate_from_der(one.public_bytes(serialization.Encoding.DER)) for one in parsed)


def encode_certificates(chain: Sequence[Certificate]) -> bytes:
    """PEM, in order."""
    return b"".join(certificate.pem for certificate in chain)

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The parts that all certificates made here have in common."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from .._errors import CertificateError
from ._cryptography import serialization, x509
from .certificates import Certificate, certificate_from_der
from .keys import PrivateKey
from .printable import printable

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.types import CertificatePublicKeyTypes
    from cryptography.x509 import AuthorityKeyIdentifier, CertificateBuilder, KeyUsage, Name


#: How long ago a certificate begins that is made now, so that a verifier whose clock is behind does not find it in the future. It is what
#: the signers of the Kubernetes controller manager take (``Backdate`` in pkg/controller/certificates/signer); Strimzi and cert-manager date nothing
#: back (docs/operator.md, "Certificates").
BACKDATED = timedelta(minutes=5)


def start_certificate(
    subject: Name, issuer: Name, public_key: CertificatePublicKeyTypes, not_before: datetime, validity: timedelta
) -> CertificateBuilder:
    """The fields that every certificate has; seconds are whole (RFC 5280 section 4.1.2.5).

    Raises CertificateError when the certificate would end before it begins.
    """
    begin = not_before.replace(microsecond=0)
    if validity < timedelta(seconds=1):
        raise CertificateError(f"a certificate for {printable(subject.rfc4514_string())} would end before it begins")
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public_key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(begin)
        .not_valid_after(begin + validity)
    )


def finish_certificate(builder: CertificateBuilder, key: PrivateKey) -> Certificate:
    """Sign it."""
    signed = builder.sign(key.for_signing(), key.signature_hash)
    return certificate_from_der(signed.public_bytes(serialization.Encoding.DER))


def require_key_of(issuer: Certificate, key: PrivateKey) -> None:
    """Raises CertificateError for a key of another CA: every verifier would refuse certificates that it signs under
    this name.
    """
    if not key.matches(issuer):
        raise CertificateError(f"the private key does not belong to the CA {issuer.subject}")


def authority_identifier(issuer: Certificate) -> AuthorityKeyIdentifier:
    """The issuer's own subjectKeyIdentifier, however it was computed: JVMs and OpenSSL look issuers up by it."""
    return x509.AuthorityKeyIdentifier(issuer.identifier_in_leaves, None, None)


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

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Certificate signing requests (RFC 2986), and signing leaves in the operator's form (docs/operator.md,
"Certificates").

If the key of a CA is not kept here, forecasts use assumed certificates: as the CA would sign them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from .._errors import CertificateError, RequestError
from ._cryptography import (
    UnsupportedAlgorithm,
    ec,
    rsa,
    serialization,
    x509,
)
from .building import (
    DistinguishedName,
    authority_identifier,
    confining_extensions,
    finish_certificate,
    key_usage,
    require_key_of,
    start_certificate,
)
from .certificates import Certificate
from .keys import PrivateKey
from .names import address_of

if TYPE_CHECKING:
    from cryptography.x509 import (
        CertificateBuilder,
        CertificateSigningRequest,
        CertificateSigningRequestBuilder,
        GeneralName,
        Name,
        SubjectAlternativeName,
    )

    from .keys import PublicKey


@dataclass(frozen=True)
class Request:
    """A verified request: the key in it made its signature."""

    #: The requested subject.
    subject: Name
    #: The key for the certificate.
    public_key: PublicKey
    #: The requested DNS names, and IP addresses as text; further kinds of names are left out.
    subject_alternative_names: frozenset[str]

    @property
    def public_key_sha256(self) -> str:
        """SHA-256 of the SubjectPublicKeyInfo, lower-case hex."""
        encoded = self.public_key.public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        return hashlib.sha256(encoded).hexdigest()


def alternative_names(names: Iterable[str]) -> SubjectAlternativeName:
    """The names as an extension. IP literals become addresses, everything else DNS names. They are sorted, so the same
    set gives the same bytes.

    Raises CertificateError if a name is neither (RFC 5280 section 4.2.1.6 wants ASCII).
    """
    return x509.SubjectAlternativeName([_general_name(name) for name in sorted(names)])


def _general_name(name: str) -> GeneralName:
    if address := address_of(name):
        return x509.IPAddress(address)
    try:
        return x509.DNSName(name)
    except ValueError:
        raise CertificateError(f"{name!r} is neither a DNS name in ASCII form nor an IP address") from None


def build_request(subject: DistinguishedName, names: Iterable[str], key: PrivateKey) -> bytes:
    """A request in PEM form. The key signs it and stays in its place."""
    builder = x509.CertificateSigningRequestBuilder().subject_name(subject.as_name())
    wanted = frozenset(names)
    if wanted:
        builder = builder.add_extension(alternative_names(wanted), critical=False)
    return _signed(builder, key)


def request_of(authority: Certificate, key: PrivateKey) -> bytes:
    """A request in PEM form for the name and the key of this CA, with the extensions that confine it. Raises
    CertificateError if ``key`` is another key.
    """
    require_key_of(authority, key)
    parsed = x509.load_der_x509_certificate(authority.der)
    builder = x509.CertificateSigningRequestBuilder().subject_name(parsed.subject)
    for extension in confining_extensions(parsed):
        builder = builder.add_extension(extension.value, extension.critical)
    return _signed(builder, key)


def _signed(builder: CertificateSigningRequestBuilder, key: PrivateKey) -> bytes:
    return builder.sign(key.for_signing(), key.signature_hash).public_bytes(serialization.Encoding.PEM)


def parse_request(pem: bytes) -> Request:
    """A verified request. Raises RequestError if it cannot be read, its signature is wrong, or its key is neither RSA
    nor EC.
    """
    try:
        parsed = x509.load_pem_x509_csr(pem)
        valid, public_key = parsed.is_signature_valid, parsed.public_key()
        names = _requested_names(parsed)
    except (ValueError, TypeError, UnsupportedAlgorithm, x509.DuplicateExtension, x509.UnsupportedGeneralNameType):
        raise RequestError("not a readable certificate signing request") from None
    if not valid:
        raise RequestError("the request is not signed by the key it is for")
    if not isinstance(public_key, (rsa.RSAPublicKey, ec.EllipticCurvePublicKey)):
        raise RequestError("the request is for neither an RSA nor an EC key")
    return Request(parsed.subject, public_key, names)


def request_digest(pem: bytes) -> str:
    """SHA-256 of the requested content (CertificationRequestInfo, RFC 2986 section 4.1), lower-case hex. If the same
    request is made again, it has the same digest, although its signature differs with ECDSA. Raises RequestError if it
    cannot be read.
    """
    try:
        return hashlib.sha256(x509.load_pem_x509_csr(pem).tbs_certrequest_bytes).hexdigest()
    except ValueError:
        raise RequestError("not a readable certificate signing request") from None


def _requested_names(request: CertificateSigningRequest) -> frozenset[str]:
    try:
        names = request.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return frozenset()
    addresses = names.get_values_for_type(x509.IPAddress)
    return frozenset([*names.get_values_for_type(x509.DNSName), *map(str, addresses)])


class CertificateToCome(Certificate):
    """A CA certificate of a plan, in the place of a certificate that the run will make. Its digest is not the digest of
    that certificate, so no sentence shows it.
    """

    is_real = False

    def __init__(self, der: bytes, *, renews: bool) -> None:
        """Give with ``renews`` whether a certificate with its subject and key exists already."""
        super().__init__(der)
        self.__dict__["_mark"] = " (renewed)" if renews else ""

    @property
    def mark(self) -> str:
        mark: str = self.__dict__["_mark"]
        return mark


class AssumedCertificate(Certificate):
    """A certificate with these bytes, but as if ``issuer`` had signed it, or another CA with that name and key."""

    def __init__(self, der: bytes, issuer: Certificate) -> None:
        super().__init__(der)
        self.__dict__["_issuer"] = issuer

    def signed_by(self, issuer: Certificate) -> bool:
        assumed: Certificate = self.__dict__["_issuer"]
        return issuer.is_twin_of(assumed)


def sign_leaf(
    public_key: PublicKey,
    subject: DistinguishedName | Name,
    names: Iterable[str],
    issuer: Certificate,
    issuer_key: PrivateKey,
    *,
    not_before: datetime,
    validity: timedelta,
) -> Certificate:
    """Sign a leaf. The names are DNS names and IP literals. If there are names, it has subjectAltName only. If there
    are none, it is for a pure client, and its key usage says so.

    Raises CertificateError if ``issuer_key`` is not the issuer's, validity is not positive, or a name cannot be written
    into a certificate.
    """
    require_key_of(issuer, issuer_key)
    issuer_name = x509.load_der_x509_certificate(issuer.der).subject
    subject_name = subject.as_name() if isinstance(subject, DistinguishedName) else subject
    builder = start_certificate(subject_name, issuer_name, public_key, not_before, validity)
    builder = _with_purpose(builder, frozenset(names))
    builder = builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(public_key), critical=False)
    return finish_certificate(builder.add_extension(authority_identifier(issuer), critical=False), issuer_key)


def _with_purpose(builder: CertificateBuilder, names: frozenset[str]) -> CertificateBuilder:
    if names:
        return builder.add_extension(alternative_names(names), critical=False)
    constraints = x509.BasicConstraints(ca=False, path_length=None)
    return builder.add_extension(constraints, critical=True).add_extension(key_usage(leaf=True), critical=True)

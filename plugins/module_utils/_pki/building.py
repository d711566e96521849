# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""CA certificates in the operator's form (docs/operator.md, "Certificates"), made and renewed with room for a link
certificate, and the common parts of all certificates of this collection.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from .._errors import CertificateError, printable
from ._cryptography import NameOID, serialization, x509
from .certificates import CONFINING, Certificate, certificate_from_der
from .keys import PrivateKey
from .names import rewritten

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.types import CertificatePublicKeyTypes
    from cryptography.x509 import (
        AuthorityKeyIdentifier,
        CertificateBuilder,
        CertificatePolicies,
        Extension,
        ExtensionType,
        KeyUsage,
        Name,
    )


#: How long ago a certificate made now begins: if the clock of a verifier is behind, it does not find the certificate in
#: the future. The signers of the Kubernetes controller manager take as long (``Backdate`` in
#: pkg/controller/certificates/signer). Strimzi and cert-manager date nothing back (docs/operator.md, "Certificates").
BACKDATED = timedelta(minutes=5)


def start_certificate(
    subject: Name, issuer: Name, public_key: CertificatePublicKeyTypes, not_before: datetime, validity: timedelta
) -> CertificateBuilder:
    """The fields of every certificate; seconds are whole (RFC 5280 section 4.1.2.5).

    Raises CertificateError if the certificate would end before it begins.
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
    """Sign the certificate."""
    signed = builder.sign(key.for_signing(), key.signature_hash)
    return certificate_from_der(signed.public_bytes(serialization.Encoding.DER))


def require_key_of(issuer: Certificate, key: PrivateKey) -> None:
    """Raises CertificateError if the key is of another CA: verifiers would refuse its signatures under this name."""
    if not issuer.is_for(key):
        raise CertificateError(f"the private key does not belong to the CA {issuer.subject}")


def authority_identifier(issuer: Certificate) -> AuthorityKeyIdentifier:
    """The issuer's own subjectKeyIdentifier, however it was computed: JVMs and OpenSSL look issuers up by it."""
    return x509.AuthorityKeyIdentifier(issuer.identifier_in_leaves, None, None)


def key_usage(*, signing: bool = False, leaf: bool = False) -> KeyUsage:
    """The two key usages in use: of a CA, and of a client leaf."""
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


_GENERATION = re.compile(r"(?:^|,)CN=(?:cluster|clients)-ca v([0-9]{1,9})(?:,|$)")
#: Bytes of a common name (RFC 5280, ub-common-name).
_LONGEST_COMMON_NAME = 64


def common_name_problem(common_name: str) -> str:
    """Why a certificate cannot have this common name, as half a sentence; empty if it can."""
    length = len(common_name.encode("utf-8"))
    if not length:
        return "it is empty"
    if length > _LONGEST_COMMON_NAME:
        return f"it has {length} bytes, and the common name of a certificate can have at most {_LONGEST_COMMON_NAME}"
    return ""


@dataclass(frozen=True)
class DistinguishedName:
    """A subject as Strimzi writes it: O before CN in DER (the printed form is reversed)."""

    #: The common name (CN), of at most 64 bytes.
    common_name: str
    #: The organization (O); None if the subject is a common name alone.
    organization: str | None = "io.strimzi"
    #: Whether issuers that encode names themselves give back the same bytes. They do not for the Cluster Operator's way
    #: of writing it.
    outlives_rewriting: bool = False

    def as_name(self) -> Name:
        """The subject as a name of the library. Raises CertificateError if no certificate can have this common name."""
        if problem := common_name_problem(self.common_name):
            raise CertificateError(f"the common name {self.common_name!r} cannot be used: {problem}")
        attributes = [x509.NameAttribute(NameOID.COMMON_NAME, self.common_name)]
        if self.organization is not None:
            attributes.insert(0, x509.NameAttribute(NameOID.ORGANIZATION_NAME, self.organization))
        name = x509.Name(attributes)
        return rewritten(name) if self.outlives_rewriting else name

    @property
    def text(self) -> str:
        """The name as certificates show it."""
        return printable(self.as_name().rfc4514_string())

    @property
    def der(self) -> bytes:
        return self.as_name().public_bytes()


def authority_generation(certificate: Certificate) -> int | None:
    """N of a subject ``CN=cluster-ca vN`` or ``CN=clients-ca vN``; None if the name has another form."""
    match = _GENERATION.search(certificate.subject)
    return int(match.group(1)) if match else None


def issue_root(
    subject: DistinguishedName,
    key: PrivateKey,
    *,
    not_before: datetime,
    validity: timedelta,
    path_length: int | None = 1,
) -> Certificate:
    """A self-signed CA certificate. Raises CertificateError if validity is not positive.

    CAs of the operator have ``pathlen:0``. A path length of 1 leaves room for one CA below. Without this room, OpenSSL
    and Go clients refuse a link certificate if they trust only this CA (docs/operator.md, "Path lengths").
    """
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key).digest
    return _self_sign(subject.as_name(), key, not_before, validity, path_length, identifier)


def confining_extensions(authority: x509.Certificate) -> tuple[Extension[ExtensionType], ...]:
    """The extensions for each certificate with the name and key of this CA. Without them, verifiers that trust the
    issuer of such a certificate would take the CA for a CA of every name and every use.
    """
    return tuple(extension for extension in authority.extensions if extension.oid.dotted_string in CONFINING)


def _policies_without_qualifiers(authority: x509.Certificate) -> Iterator[tuple[CertificatePolicies, bool]]:
    """The policies of this CA, and whether they are critical. Below a CA without policies, a verifier finds none if it
    requires one (RFC 5280 section 6.1.3 (e)). Below an anchor, a JVM refuses critical policies with qualifiers.
    """
    for extension in authority.extensions:
        if isinstance(extension.value, x509.CertificatePolicies):
            plain = [x509.PolicyInformation(policy.policy_identifier, None) for policy in extension.value]
            yield x509.CertificatePolicies(plain), extension.critical


#: Extensions that a renewal makes again: both key identifiers, keyUsage and basicConstraints.
_MADE_AGAIN = frozenset({"2.5.29.14", "2.5.29.35", "2.5.29.15", "2.5.29.19"})


def renew_root(
    old: Certificate, key: PrivateKey, *, not_before: datetime, validity: timedelta, path_length: int | None
) -> Certificate:
    """The same CA with new dates and this path length. It keeps its subject bytes, its key with its identifier, and its
    other extensions, such as name constraints.

    Leaves name the identifier of their CA. With another identifier, or with an identifier for a CA without one, JVMs
    and OpenSSL that know either certificate would refuse leaves of the other (docs/operator.md, "Key identifiers").
    Raises CertificateError if the key is not the CA's, because the result would be another CA of the same name.
    """
    require_key_of(old, key)
    parsed = x509.load_der_x509_certificate(old.der)
    kept = [extension for extension in parsed.extensions if extension.oid.dotted_string not in _MADE_AGAIN]
    return _self_sign(parsed.subject, key, not_before, validity, path_length, old.subject_key_identifier, kept)


def make_double(authority: Certificate, key: PrivateKey) -> Certificate:
    """A root of the same name, key identifier and dates with another key. Its leaves look like leaves of the CA, and no
    verifier accepts them.
    """
    name = x509.load_der_x509_certificate(authority.der).subject
    validity = authority.not_after - authority.not_before
    return _self_sign(name, key, authority.not_before, validity, authority.path_length, authority.identifier_in_leaves)


def cross_certify(
    authority: Certificate,
    issuer: Certificate,
    issuer_key: PrivateKey,
    *,
    not_before: datetime,
    validity: timedelta,
) -> Certificate:
    """A link certificate: subject and key of ``authority``, certified by ``issuer`` (docs/design.md, "Link
    certificates"). This is the new CA by the old CA, or the old CA by the new CA (RFC 4210 section 4.4, NewWithOld and
    OldWithNew).

    It signs leaves only (``pathlen:0``), is confined as ``authority`` is, and has its policies. It should not outlive
    either CA; the caller chooses the validity. Raises CertificateError if ``issuer_key`` is not the issuer's.
    """
    require_key_of(issuer, issuer_key)
    parsed = x509.load_der_x509_certificate(authority.der)
    issuer_name = x509.load_der_x509_certificate(issuer.der).subject
    builder = start_certificate(parsed.subject, issuer_name, parsed.public_key(), not_before, validity)
    builder = _as_authority(builder, 0)
    for extension in confining_extensions(parsed):
        builder = builder.add_extension(extension.value, extension.critical)
    for policies, critical in _policies_without_qualifiers(parsed):
        builder = builder.add_extension(policies, critical)
    identifier = x509.SubjectKeyIdentifier(authority.identifier_in_leaves)
    builder = builder.add_extension(identifier, critical=False)
    return finish_certificate(builder.add_extension(authority_identifier(issuer), critical=False), issuer_key)


def _self_sign(
    name: Name,
    key: PrivateKey,
    not_before: datetime,
    validity: timedelta,
    path_length: int | None,
    identifier: bytes | None,
    more: Iterable[Extension[ExtensionType]] = (),
) -> Certificate:
    """A certificate signed by its own key, with more extensions beside key identifier, usage and path length."""
    builder = _as_authority(start_certificate(name, name, key.public_key, not_before, validity), path_length)
    if identifier is not None:
        builder = builder.add_extension(x509.SubjectKeyIdentifier(identifier), critical=False)
    for extension in more:
        builder = builder.add_extension(extension.value, extension.critical)
    return finish_certificate(builder, key)


def _as_authority(builder: CertificateBuilder, path_length: int | None) -> CertificateBuilder:
    constraints = x509.BasicConstraints(ca=True, path_length=path_length)
    return builder.add_extension(constraints, critical=True).add_extension(key_usage(signing=True), critical=True)

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""X.509 certificates as values: identified by their DER bytes, parsed once."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import cached_property, lru_cache
from ipaddress import IPv4Network, IPv6Network
from typing import TYPE_CHECKING, ClassVar, NoReturn

from .._errors import CertificateError, printable
from ._cryptography import (
    ExtensionOID,
    InvalidSignature,
    UnsupportedAlgorithm,
    ec,
    padding,
    rsa,
    serialization,
    x509,
)
from .keys import key_name
from .names import FoldedName, NameConstraints, Names, fold_name, names_of, read, rewritten
from .pem_forms import form_of

if TYPE_CHECKING:
    from datetime import datetime
    from typing import TypeVar

    from cryptography.x509 import Certificate as X509Certificate
    from cryptography.x509 import ExtensionType

    from .keys import PrivateKey

    _Extension = TypeVar("_Extension", bound=ExtensionType)

#: Extensions that path validation here processes, or may ignore because the verifier requires no explicit policy (RFC
#: 5280 section 6.1.1).
_PROCESSED = frozenset(
    {
        "2.5.29.14",  # subjectKeyIdentifier
        "2.5.29.15",  # keyUsage
        "2.5.29.17",  # subjectAltName
        "2.5.29.19",  # basicConstraints
        "2.5.29.30",  # nameConstraints
        "2.5.29.32",  # certificatePolicies
        "2.5.29.33",  # policyMappings
        "2.5.29.35",  # authorityKeyIdentifier
        "2.5.29.36",  # policyConstraints
        "2.5.29.37",  # extendedKeyUsage
        "2.5.29.54",  # inhibitAnyPolicy
    }
)
_NAME_CONSTRAINTS = "2.5.29.30"
#: Extensions that confine a CA to some names or uses (RFC 5280 sections 4.2.1.10 and 4.2.1.12).
CONFINING = frozenset({_NAME_CONSTRAINTS, "2.5.29.37"})
_ANY_POLICY = "2.5.29.32.0"
_COMMON_NAME = "2.5.4.3"

#: encipher_only and decipher_only only restrict key_agreement.
_KEY_USAGES = (
    "digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
    "key_cert_sign",
    "crl_sign",
)  # fmt: skip

#: Certificates of one chain, the leaf included. A JVM takes no more from its peer (jdk.tls.maxCertificateChainLength),
#: and the cost of a path search grows with them.
MOST_IN_A_CHAIN = 10
#: OpenSSL and JVMs verify nothing with a larger RSA key.
MOST_RSA_BITS = 16384

_BEGIN = re.compile(rb"-----BEGIN (?:X509 )?CERTIFICATE-----")
_BLOCK = re.compile(rb"-----BEGIN ((?:X509 )?CERTIFICATE)-----([A-Za-z0-9+/=\s]*)-----END \1-----")


class Certificate:
    """An X.509 certificate. Equal if the DER bytes are equal. Times are aware UTC; fingerprints lower-case hex."""

    der: bytes
    _parsed: X509Certificate
    #: Whether it was made to be used; a plan makes certificates that nothing presents or trusts.
    is_real: ClassVar[bool] = True

    def __init__(self, der: bytes) -> None:
        """Raises CertificateError if ``der`` is no readable certificate."""
        # Through __dict__, because instances refuse assignment.
        self.__dict__["der"] = der
        try:
            parsed = x509.load_der_x509_certificate(der)
            # The library parses these parts lazily. An unreadable certificate has to fail here and not in the middle of
            # a decision.
            parsed.extensions.__len__()
            parsed.subject.rfc4514_string()
            parsed.issuer.rfc4514_string()
            key = parsed.public_key()
            parsed.not_valid_before_utc.isoformat()
            parsed.not_valid_after_utc.isoformat()
        except (
            ValueError, TypeError, UnsupportedAlgorithm,
            x509.InvalidVersion, x509.DuplicateExtension, x509.UnsupportedGeneralNameType,
        ):  # fmt: skip
            raise CertificateError("not a readable X.509 certificate") from None
        if isinstance(key, rsa.RSAPublicKey) and key.key_size > MOST_RSA_BITS:
            raise CertificateError(
                f"its RSA key has {key.key_size} bits, and no verifier takes more than {MOST_RSA_BITS}"
            )
        self.__dict__["_parsed"] = parsed

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a certificate is a value and cannot be changed")

    def __reduce__(self) -> tuple[object, tuple[bytes]]:
        """Makes a copy the same object; the library's object cannot be copied by itself."""
        return certificate_from_der, (self.der,)

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
        """SHA-1 of the DER form: the name of a CA in Secret keys (docs/design.md, "Words"). Not used for security."""
        return hashlib.sha1(self.der, usedforsecurity=False).hexdigest()

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.der).hexdigest()

    @property
    def mark(self) -> str:
        """The start of its SHA-256 in parentheses, with a space before it. Sentences tell it by this from other
        certificates with its subject.
        """
        return f" ({self.sha256[:12]})"

    @cached_property
    def subject(self) -> str:
        """RFC 4514 text, safe to show."""
        return printable(self._parsed.subject.rfc4514_string())

    @cached_property
    def issuer(self) -> str:
        """RFC 4514 text, safe to show."""
        return printable(self._parsed.issuer.rfc4514_string())

    @cached_property
    def subject_der(self) -> bytes:
        return self._parsed.subject.public_bytes()

    @cached_property
    def issuer_der(self) -> bytes:
        return self._parsed.issuer.public_bytes()

    @cached_property
    def subject_attributes(self) -> tuple[tuple[str, str], ...]:
        """The parts of its name, in their order: type as dotted numbers, and text."""
        return tuple((attribute.oid.dotted_string, str(attribute.value)) for attribute in self._parsed.subject)

    @property
    def common_name(self) -> str:
        """The common name of its subject, of several the most specific; empty if the subject has none."""
        names = [text for kind, text in self.subject_attributes if kind == _COMMON_NAME]
        return printable(names[-1]) if names else ""

    @cached_property
    def folded_subject(self) -> FoldedName:
        return fold_name(self._parsed.subject)

    @cached_property
    def folded_issuer(self) -> FoldedName:
        return fold_name(self._parsed.issuer)

    @cached_property
    def outlives_rewriting(self) -> bool:
        """Whether its name stays the same, byte for byte, if an issuer decodes it and encodes it again. Go compares
        bytes.
        """
        return rewritten(self._parsed.subject).public_bytes() == self.subject_der

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
    def key_type(self) -> tuple[str, int]:
        """Algorithm and bits of the public key: ("rsa", 4096), ("ecdsa", 256). If the key is of another kind, its name
        and 0: ("ed25519", 0).
        """
        key = self._parsed.public_key()
        if isinstance(key, rsa.RSAPublicKey):
            return "rsa", key.key_size
        if isinstance(key, ec.EllipticCurvePublicKey):
            return "ecdsa", key.key_size
        return type(key).__name__.removesuffix("PublicKey").lower(), 0

    @property
    def key_name(self) -> str:
        """The kind of its key as ``KeyType`` names it, also if ``KeyType`` does not have it: ``rsa-1024``,
        ``ecdsa-p521``.
        """
        return key_name(*self.key_type)

    @cached_property
    def public_key_sha256(self) -> str:
        """SHA-256 of the SubjectPublicKeyInfo, in the usual form whatever its form here."""
        return hashlib.sha256(self._spki).hexdigest()

    def is_for(self, key: PrivateKey) -> bool:
        """Whether the certificate is for this private key."""
        return self.public_key_sha256 == key.public_key_sha256

    @cached_property
    def _spki(self) -> bytes:
        return self._parsed.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )

    @property
    def public_key_algorithm(self) -> str:
        """OID."""
        return self._parsed.public_key_algorithm_oid.dotted_string

    @property
    def signature_algorithm(self) -> str:
        """OID."""
        return self._parsed.signature_algorithm_oid.dotted_string

    @property
    def signature_hash(self) -> str | None:
        """The name of the signed hash, such as "sha256"; None if the algorithm is unknown, or if it hashes by itself,
        as Ed25519 does.
        """
        try:
            digest = self._parsed.signature_hash_algorithm
        except UnsupportedAlgorithm:
            return None
        return digest.name if digest else None

    @cached_property
    def curve(self) -> str | None:
        """The name of the curve of an EC key; None if the key is of another kind."""
        key = self._parsed.public_key()
        return key.curve.name if isinstance(key, ec.EllipticCurvePublicKey) else None

    @cached_property
    def has_key_in_usual_form(self) -> bool:
        """Whether the key stands in this certificate as every library writes it: named curve, uncompressed point."""
        return self._spki in self.der

    @cached_property
    def has_compressed_key(self) -> bool:
        key = self._parsed.public_key()
        if not isinstance(key, ec.EllipticCurvePublicKey) or self.has_key_in_usual_form:
            return False
        form = serialization.PublicFormat.UncompressedPoint
        return key.public_bytes(serialization.Encoding.X962, form) not in self.der

    def _extension(self, kind: type[_Extension]) -> _Extension | None:
        try:
            return self._parsed.extensions.get_extension_for_class(kind).value
        except x509.ExtensionNotFound:
            return None

    @cached_property
    def is_ca(self) -> bool:
        constraints = self._extension(x509.BasicConstraints)
        return bool(constraints is not None and constraints.ca)

    @cached_property
    def path_length(self) -> int | None:
        constraints = self._extension(x509.BasicConstraints)
        return None if constraints is None else constraints.path_length

    @cached_property
    def key_usages(self) -> frozenset[str] | None:
        """The permitted usages, such as "digital_signature"; None if the certificate does not restrict them (RFC 5280
        section 4.2.1.3).
        """
        value = self._extension(x509.KeyUsage)
        return None if value is None else frozenset(name for name in _KEY_USAGES if getattr(value, name))

    @property
    def key_usage_allows_signing(self) -> bool:
        """Whether the key may sign certificates."""
        return self.key_usages is None or "key_cert_sign" in self.key_usages

    @cached_property
    def subject_key_identifier(self) -> bytes | None:
        value = self._extension(x509.SubjectKeyIdentifier)
        return None if value is None else bytes(value.digest)

    @cached_property
    def _authority_key(self) -> x509.AuthorityKeyIdentifier | None:
        return self._extension(x509.AuthorityKeyIdentifier)

    @cached_property
    def authority_key_identifier(self) -> bytes | None:
        value = self._authority_key
        return None if value is None else value.key_identifier

    @cached_property
    def authority_serial_number(self) -> int | None:
        """The serial number of its issuer's certificate; None if the authorityKeyIdentifier does not name it."""
        value = self._authority_key
        return None if value is None else value.authority_cert_serial_number

    @cached_property
    def usual_key_identifier(self) -> bytes:
        """The hash of its key that most tools, the operator's openssl too, take as its subjectKeyIdentifier (RFC 5280
        section 4.2.1.2, method 1).
        """
        return x509.SubjectKeyIdentifier.from_public_key(self._parsed.public_key()).digest

    @property
    def identifier_in_leaves(self) -> bytes:
        """The authorityKeyIdentifier of leaves of this CA: its own subjectKeyIdentifier, or the usual identifier if it
        has none.
        """
        own = self.subject_key_identifier
        return self.usual_key_identifier if own is None else own

    def names_key_of(self, issuer: Certificate) -> bool:
        """Whether the key identifiers of the two fit (RFC 5280 section 4.2.1.1). If either is missing, they fit."""
        named, own = self.authority_key_identifier, issuer.subject_key_identifier
        return named is None or own is None or named == own

    def names_serial_number_of(self, issuer: Certificate) -> bool:
        """Whether the serial number in authorityKeyIdentifier, if present, is this issuer's. It names one certificate,
        and a renewal with the same key does not fit.
        """
        number = self.authority_serial_number
        return number is None or number == issuer.serial_number

    def names_as_issuer(self, issuer: Certificate) -> bool:
        """Whether authorityKeyIdentifier, as far as present, fits this issuer (RFC 5280 section 4.2.1.1)."""
        if not (self.names_key_of(issuer) and self.names_serial_number_of(issuer)):
            return False
        value = self._authority_key
        if value is None or value.authority_cert_serial_number is None:
            return True
        names = [name.value for name in value.authority_cert_issuer or () if isinstance(name, x509.DirectoryName)]
        return not names or names[0].public_bytes() == issuer.issuer_der

    @cached_property
    def subject_alternative_names(self) -> frozenset[str]:
        """DNS names and IP addresses as text."""
        names = self._extension(x509.SubjectAlternativeName)
        if names is None:
            return frozenset()
        addresses = names.get_values_for_type(x509.IPAddress)
        return frozenset([*names.get_values_for_type(x509.DNSName), *map(str, addresses)])

    @property
    def has_names_of_other_kinds(self) -> bool:
        """Whether it has alternative names of other kinds than DNS names and IP addresses, such as URIs and e-mail
        addresses.
        """
        names = self._extension(x509.SubjectAlternativeName)
        return any(not isinstance(name, (x509.DNSName, x509.IPAddress)) for name in names or ())

    @cached_property
    def has_malformed_names(self) -> bool:
        """Whether an alternative name has a forbidden form: text beyond ASCII, or a network instead of an address."""
        names = self._extension(x509.SubjectAlternativeName)
        values = [name.value for name in names or () if not isinstance(name, x509.OtherName)]
        return any(
            isinstance(value, (IPv4Network, IPv6Network)) or (isinstance(value, str) and not value.isascii())
            for value in values
        )

    @cached_property
    def self_issued(self) -> bool:
        """Subject and issuer have the same name (RFC 5280 section 3.2); says nothing about the key."""
        return self.subject_der == self.issuer_der

    @cached_property
    def is_root(self) -> bool:
        """Whether it ends every path: it is its own issuer, as far as name and identifiers say. If another key of its
        name has certified a CA, the CA is self-issued and no root.
        """
        return self.self_issued and self.names_as_issuer(self)

    @cached_property
    def unknown_critical_extensions(self) -> tuple[str, ...]:
        """OIDs of critical extensions that no verifier processes here."""
        return tuple(sorted(self.critical_extensions - _PROCESSED))

    @cached_property
    def unprocessed_extensions(self) -> tuple[str, ...]:
        """OIDs of extensions that decide validity, but are unknown to this code: a path with any of them is invalid."""
        return tuple(
            oid
            for oid, critical in (
                (extension.oid.dotted_string, extension.critical) for extension in self._parsed.extensions
            )
            if (critical and oid not in _PROCESSED) or (oid == _NAME_CONSTRAINTS and not self._has_plain_constraints)
        )

    @property
    def _has_plain_constraints(self) -> bool:
        """Whether this code understands its name constraints. Verifiers enforce other constraints too, even if they are
        not critical. This code understands neither other constraints nor any in a leaf.
        """
        return self.is_ca and self.name_constraints is not None

    @cached_property
    def name_constraints(self) -> NameConstraints | None:
        """Its name constraints; None if there are none, or none that this code understands."""
        value = self._extension(x509.NameConstraints)
        return None if value is None else read(value, self.der)

    @cached_property
    def names_under_constraints(self) -> Names:
        """The names that the constraints of its issuers may refuse."""
        return names_of(self._parsed.subject, list(self._extension(x509.SubjectAlternativeName) or ()))

    @cached_property
    def requires_explicit_policy_after(self) -> int | None:
        """The number of certificates below it after which it requires a policy; None if it requires none."""
        value = self._extension(x509.PolicyConstraints)
        return None if value is None else value.require_explicit_policy

    @cached_property
    def policies(self) -> frozenset[str]:
        """OIDs, without the OID for any policy."""
        value = self._extension(x509.CertificatePolicies)
        return frozenset(policy.policy_identifier.dotted_string for policy in value or ()) - {_ANY_POLICY}

    @cached_property
    def maps_policies(self) -> bool:
        return any(extension.oid == ExtensionOID.POLICY_MAPPINGS for extension in self._parsed.extensions)

    @cached_property
    def extensions(self) -> frozenset[str]:
        """OIDs."""
        return frozenset(extension.oid.dotted_string for extension in self._parsed.extensions)

    @property
    def is_confined(self) -> bool:
        """Whether it is a CA for some names or some uses only."""
        return not self.extensions.isdisjoint(CONFINING)

    @cached_property
    def critical_extensions(self) -> frozenset[str]:
        """OIDs."""
        return frozenset(extension.oid.dotted_string for extension in self._parsed.extensions if extension.critical)

    @cached_property
    def extended_key_usages(self) -> frozenset[str] | None:
        """OIDs; None if the certificate does not restrict its use."""
        value = self._extension(x509.ExtendedKeyUsage)
        return None if value is None else frozenset(usage.dotted_string for usage in value)

    @cached_property
    def has_policy_qualifiers(self) -> bool:
        value = self._extension(x509.CertificatePolicies)
        return value is not None and any(policy.policy_qualifiers for policy in value)

    def has_ended(self, at: datetime) -> bool:
        """Whether it is over. Its last second counts as over (``paths.date_problem``)."""
        return self.not_after <= at

    def is_twin_of(self, other: Certificate) -> bool:
        """Whether it has the same name and the same key. If so, as CAs both verify the same certificates."""
        return (self.subject_der, self.public_key_sha256) == (other.subject_der, other.public_key_sha256)

    def passes_for(self, other: Certificate) -> bool:
        """Whether some verifier might take the two for twins."""
        return self.folded_subject == other.folded_subject and self.public_key_sha256 == other.public_key_sha256

    def stands_in_for(self, other: Certificate) -> bool:
        """Whether every verifier that trusts this CA accepts leaves of the other CA, as with a renewal.

        The same name and key are not enough: JVMs and OpenSSL pass over a CA with another subjectKeyIdentifier than the
        leaf names (docs/operator.md, "Key identifiers").
        """
        own = self.subject_key_identifier
        return self.is_twin_of(other) and (own is None or own == other.identifier_in_leaves)

    def signed_by(self, issuer: Certificate) -> bool:
        """Whether the issuer's name and key made this certificate. Says nothing about validity. Never raises."""
        return _signed_by(self, issuer)

    def bears_signature_of(self, issuer: Certificate) -> bool:
        """Whether the issuer's key made this signature, whatever its algorithm is worth and under whatever name. Never
        raises.

        It takes part in no path validation. It tells why a certificate is refused that this CA has really issued, and
        whether the CAs of a supplied chain are in order.
        """
        return _bears_signature_of(self, issuer)

    def _verify(self, issuer: Certificate) -> bool:
        try:
            self._parsed.verify_directly_issued_by(issuer._parsed)
        except (ValueError, TypeError, InvalidSignature, UnsupportedAlgorithm):
            return False
        return True

    def _verify_signature(self, issuer: Certificate) -> bool:
        key, parsed = issuer._parsed.public_key(), self._parsed
        signature, signed = parsed.signature, parsed.tbs_certificate_bytes
        try:
            digest = parsed.signature_hash_algorithm
            if isinstance(key, rsa.RSAPublicKey) and digest is not None:
                scheme = parsed.signature_algorithm_parameters
                key.verify(signature, signed, scheme if isinstance(scheme, padding.PSS) else padding.PKCS1v15(), digest)
            elif isinstance(key, ec.EllipticCurvePublicKey) and digest is not None:
                key.verify(signature, signed, ec.ECDSA(digest))
            else:
                return self._verify(issuer)
        except (ValueError, TypeError, InvalidSignature, UnsupportedAlgorithm):
            return False
        return True

    def expired_name(self) -> str:
        """The key of this certificate once it is an old CA: ``ca-<notAfter>.crt`` (docs/operator.md, "CA Secrets")."""
        return f"ca-{self.not_after:%Y-%m-%dT%H-%M-%SZ}.crt"


#: Certificates that lead from the first to the last: a leaf or an issuing CA first.
Chain = tuple[Certificate, ...]


@lru_cache(maxsize=65536)
def _signed_by(child: Certificate, issuer: Certificate) -> bool:
    return child._verify(issuer)


@lru_cache(maxsize=4096)
def _bears_signature_of(child: Certificate, issuer: Certificate) -> bool:
    return child._verify_signature(issuer)


@lru_cache(maxsize=4096)
def _from_der(der: bytes) -> Certificate:
    return Certificate(der)


def certificate_from_der(der: bytes) -> Certificate:
    """A certificate; the same bytes give the same object. Raises CertificateError."""
    return _from_der(der)


def parse_certificates(data: bytes) -> tuple[Certificate, ...]:
    """All certificates of a PEM text, in order; other text around them does not matter (RFC 7468 section 2).

    Raises CertificateError if there is none or any of them is unreadable. Cached per certificate and not per text,
    because a text may contain a private key as well.
    """
    blocks = _BLOCK.findall(data)
    if not blocks or len(blocks) != len(_BEGIN.findall(data)):
        form = form_of(data)
        raise CertificateError(f"no readable certificate in PEM form{form and ': '}{form}")
    return tuple(certificate_from_der(_decode(body)) for label, body in blocks)


def readable_certificates(data: bytes) -> Chain:
    """The certificates of a PEM text; none if any of them is unreadable."""
    try:
        return parse_certificates(data)
    except CertificateError:
        return ()


def mentions_certificates(data: bytes) -> bool:
    """Whether a text is meant to contain certificates in PEM form, readable or not."""
    return _BEGIN.search(data) is not None


def parse_chain(data: bytes) -> Chain:
    """The certificates of a PEM text with one chain. Raises CertificateError, also if there are more than any verifier
    accepts.
    """
    count = len(_BLOCK.findall(data))
    if count > MOST_IN_A_CHAIN:
        raise CertificateError(length_problem(count))
    return parse_certificates(data)


def length_problem(count: int) -> str:
    """Why a chain of so many certificates is refused, as a sentence without a full stop."""
    return f"it has {count} certificates, and a JVM accepts no chain of more than {MOST_IN_A_CHAIN}"


@lru_cache(maxsize=4096)
def _decode(body: bytes) -> bytes:
    try:
        return base64.b64decode(b"".join(body.split()), validate=True)
    except ValueError:
        raise CertificateError("a certificate is not base64 text") from None


def encode_certificates(chain: Sequence[Certificate]) -> bytes:
    """PEM, in order."""
    return b"".join(certificate.pem for certificate in chain)

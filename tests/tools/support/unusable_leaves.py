# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaves that some verifier cannot use as that of a server or of a client, and such as all can use. All are in order but for
the one thing that names the case.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, ExtensionOID

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import (
    Certificate,
    certificate_from_der,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.usability import Purpose
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier

from .certificates import NOW, YEAR, key, make

JVM, OPENSSL, GO = Verifier.JVM, Verifier.OPENSSL, Verifier.GO
ISSUER = make("issuer", key(80))
OWN = key(81)
_ISSUER_NAME = x509.load_der_x509_certificate(ISSUER.certificate.der).subject
_SUBJECT = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "leaf")])
_NAMES = x509.SubjectAlternativeName([x509.DNSName("leaf")]), False
_SERVER, _CLIENT = ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH


@dataclass(frozen=True)
class LeafCase:
    """A leaf that some verifiers refuse."""

    name: str
    leaf: Certificate
    #: The verifiers that refuse it where a server presents it.
    as_server: frozenset[Verifier]
    #: The verifiers that refuse it where a client presents it.
    as_client: frozenset[Verifier]

    def refused_by(self, purpose: Purpose) -> frozenset[Verifier]:
        return self.as_server if purpose is Purpose.SERVER else self.as_client


def _leaf(
    extra: Iterable[tuple[Any, bool]], algorithm: Any, public_key: Any, names: tuple[Any, bool], subject: x509.Name
) -> Certificate:
    builder = (
        x509.CertificateBuilder().subject_name(subject)
        .issuer_name(_ISSUER_NAME).public_key(public_key).serial_number(x509.random_serial_number())
        .not_valid_before(NOW - YEAR / 2).not_valid_after(NOW + YEAR / 2).add_extension(*names)
    )  # fmt: skip
    for extension, critical in extra:
        builder = builder.add_extension(extension, critical)
    made = builder.sign(ISSUER.key.for_signing(), algorithm)
    return certificate_from_der(made.public_bytes(serialization.Encoding.DER))


def _case(
    name: str,
    *extra: tuple[Any, bool],
    server: Iterable[Verifier] = (),
    client: Iterable[Verifier] = (),
    algorithm: Any = hashes.SHA256(),  # noqa: B008
    public_key: Any = OWN.public_key,
    names: tuple[Any, bool] = _NAMES,
    subject: x509.Name = _SUBJECT,
) -> LeafCase:
    leaf = _leaf(extra, algorithm, public_key, names, subject)
    return LeafCase(name, leaf, frozenset(server), frozenset(client))


def _named(*names: bytes, critical: bool = False) -> tuple[Any, bool]:
    """Alternative names, each with the tag of its kind before it."""
    content = b"".join(bytes([name[0], len(name) - 1]) + name[1:] for name in names)
    return x509.UnrecognizedExtension(
        ExtensionOID.SUBJECT_ALTERNATIVE_NAME, bytes([0x30, len(content)]) + content
    ), critical


def _for(*uses: x509.ObjectIdentifier) -> tuple[Any, bool]:
    return x509.ExtendedKeyUsage(uses), False


def _may(*bits: str) -> tuple[Any, bool]:
    names = (
        "digital_signature", "content_commitment", "key_encipherment", "data_encipherment", "key_agreement",
        "key_cert_sign", "crl_sign", "encipher_only", "decipher_only",
    )  # fmt: skip
    return x509.KeyUsage(**{name: name in bits for name in names}), True


def _on(curve: ec.EllipticCurve) -> Any:
    return ec.generate_private_key(curve).public_key()


_POLICY = x509.ObjectIdentifier("1.2.3.4")
_QUALIFIED = x509.CertificatePolicies([x509.PolicyInformation(_POLICY, ["https://example.com"])])
_PLAIN = x509.CertificatePolicies([x509.PolicyInformation(_POLICY, None)])
_SKI = x509.SubjectKeyIdentifier.from_public_key(OWN.public_key)
_AKI = x509.AuthorityKeyIdentifier.from_issuer_public_key(ISSUER.key.public_key)

CASES = (
    _case("nothing said"),
    _case("servers and clients", _for(_SERVER, _CLIENT)),
    _case("servers only", _for(_SERVER), client=[JVM]),
    _case("clients only", _for(_CLIENT), server=[JVM, GO, OPENSSL]),
    _case("any use", _for(ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE), server=[OPENSSL]),
    _case("code signing", _for(ExtendedKeyUsageOID.CODE_SIGNING), server=[JVM, GO, OPENSSL], client=[JVM]),
    _case("signs", _may("digital_signature")),
    _case("signs and enciphers", _may("digital_signature", "key_encipherment")),
    _case("enciphers", _may("key_encipherment"), server=[JVM], client=[JVM]),
    _case("agrees", _may("key_agreement"), server=[JVM], client=[JVM]),
    _case("commits", _may("content_commitment"), server=[JVM, OPENSSL], client=[JVM]),
    _case("signs certificates", _may("key_cert_sign", "crl_sign"), server=[JVM, OPENSSL], client=[JVM]),
    _case("signed with SHA-224", server=[GO], algorithm=hashes.SHA224()),
    _case("signed with SHA-384", algorithm=hashes.SHA384()),
    _case("signed with SHA3-256", server=[GO, OPENSSL], algorithm=hashes.SHA3_256()),
    _case("identifiers", (_SKI, False), (_AKI, False)),
    _case("critical ski", (_SKI, True), server=[JVM, GO, OPENSSL], client=[JVM]),
    _case("critical aki", (_AKI, True), server=[JVM, GO, OPENSSL], client=[JVM]),
    _case("RSA with 1024 bits", server=[OPENSSL], public_key=rsa.generate_private_key(65537, 1024).public_key()),
    _case("secp521r1", public_key=_on(ec.SECP521R1())),
    _case("secp192r1", server=[JVM, GO, OPENSSL], client=[JVM], public_key=_on(ec.SECP192R1())),
    _case("an address", names=_named(b"\x87\x0a\x01\x02\x03")),
    _case("a network for an address", server=[GO], names=_named(b"\x87\x0a\x00\x00\x00\xff\x00\x00\x00")),
    _case("a network for an address of IPv6", server=[GO], names=_named(b"\x87\xfd" + bytes(15) + b"\xff" + bytes(15))),
    _case("a DNS name that is not ASCII", server=[GO], names=_named(b"\x82leaf", b"\x82\xc3\xb6.leaf")),
    _case(
        "another name that is not ASCII", names=_named(b"\xa0\x06\x03\x2a\x03\x04\xa0\x04\x0c\x02\xc3\xb6", b"\x82leaf")
    ),
    _case("no subject", names=(_NAMES[0], True), subject=x509.Name([])),
    _case("no subject, names that are not critical", server=[JVM], client=[JVM], subject=x509.Name([])),
    _case("critical policies", (_PLAIN, True)),
    _case("critical policies with qualifiers", (_QUALIFIED, True), server=[JVM], client=[JVM]),
)

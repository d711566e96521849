# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CAs that some verifier cannot use, and such as look like them and that all can use. Each is issued by a usable root, or
is a root itself, and has signed a leaf. Those that our library does not make lie in ``unusable_forms/``, made with openssl:
leaf, CA, and its root.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed448, ed25519, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import (
    Certificate,
    certificate_from_der,
    parse_certificates,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier

from .certificates import NOW, YEAR, key

JVM, OPENSSL, GO = Verifier.JVM, Verifier.OPENSSL, Verifier.GO
_EC: Any = ec.generate_private_key(ec.SECP256R1())
_ROOT_KEY: Any = key(70).for_signing()
_SHA256 = hashes.SHA256()


@dataclass(frozen=True)
class Case:
    name: str
    #: Below ``root``, or a root itself.
    authority: Certificate
    leaf: Certificate
    root: Certificate
    refused_by: frozenset[Verifier]


def _builder(name: str, issuer: x509.Name | None, public_key: Any) -> x509.CertificateBuilder:
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)] if name else [])
    return (
        x509.CertificateBuilder().subject_name(subject).issuer_name(subject if issuer is None else issuer)
        .public_key(public_key).serial_number(x509.random_serial_number())
        .not_valid_before(NOW - YEAR).not_valid_after(NOW + YEAR)
    )  # fmt: skip


def _signed(builder: x509.CertificateBuilder, own_key: Any, algorithm: Any = _SHA256) -> Certificate:
    plain = isinstance(own_key, (ed25519.Ed25519PrivateKey, ed448.Ed448PrivateKey))
    made = builder.sign(own_key, None if plain else algorithm)
    return certificate_from_der(made.public_bytes(serialization.Encoding.DER))


def _authority(
    name: str, own_key: Any, issuer: Certificate | None, algorithm: Any, extra: Iterable[tuple[Any, bool]]
) -> Certificate:
    parent = None if issuer is None else x509.load_der_x509_certificate(issuer.der).subject
    builder = _builder(name, parent, own_key.public_key())
    builder = builder.add_extension(x509.BasicConstraints(True, None), True)
    for extension, critical in extra:
        builder = builder.add_extension(extension, critical)
    return _signed(builder, own_key if issuer is None else _ROOT_KEY, algorithm)


ROOT = _authority("root", _ROOT_KEY, None, _SHA256, ())


def _case(
    name: str,
    *refused_by: Verifier,
    own_key: Any = _EC,
    below: bool = False,
    algorithm: Any = _SHA256,
    extra: Iterable[tuple[Any, bool]] = (),
    subject: str = "theirs",
) -> Case:
    authority = _authority(subject, own_key, ROOT if below else None, algorithm, extra)
    issuer = x509.load_der_x509_certificate(authority.der).subject
    leaf = _builder("leaf", issuer, _EC.public_key())
    leaf = leaf.add_extension(x509.SubjectAlternativeName([x509.DNSName("leaf")]), False)
    return Case(name, authority, _signed(leaf, own_key), ROOT if below else authority, frozenset(refused_by))


def _on(curve: ec.EllipticCurve) -> Any:
    return ec.generate_private_key(curve)


def _rsa(bits: int) -> Any:
    return rsa.generate_private_key(public_exponent=65537, key_size=bits)


def _for(*uses: x509.ObjectIdentifier) -> list[tuple[Any, bool]]:
    return [(x509.ExtendedKeyUsage(uses), False)]


_POLICY = x509.ObjectIdentifier("1.2.3.4")
_QUALIFIED = x509.CertificatePolicies([x509.PolicyInformation(_POLICY, ["https://example.com"])])
_PLAIN = x509.CertificatePolicies([x509.PolicyInformation(_POLICY, None)])
_OWN = x509.SubjectKeyIdentifier.from_public_key(_EC.public_key())
_OF_ROOT = x509.AuthorityKeyIdentifier.from_issuer_public_key(_ROOT_KEY.public_key())
_SERVER, _CLIENT = ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH


def _stored(name: str, *refused_by: Verifier) -> Case:
    leaf, authority, *root = parse_certificates((Path(__file__).parent / "unusable_forms" / f"{name}.pem").read_bytes())
    return Case(name, authority, leaf, root[0] if root else authority, frozenset(refused_by))


UNUSABLE = (
    _stored("explicit", JVM, GO, OPENSSL),
    _stored("compressed", JVM, GO),
    _stored("rsa_pss", GO),
    _stored("rsa_768", JVM, GO, OPENSSL),
    _stored("rsa_1023", JVM, GO, OPENSSL),
    _stored("sha1_below", GO, OPENSSL),
    _case("brainpool", JVM, GO, own_key=_on(ec.BrainpoolP256R1())),
    _case("brainpool below", JVM, GO, own_key=_on(ec.BrainpoolP384R1()), below=True),
    _case("secp256k1", JVM, GO, own_key=_on(ec.SECP256K1())),
    _case("secp192r1", JVM, GO, OPENSSL, own_key=_on(ec.SECP192R1())),
    _case("secp224r1", JVM, own_key=_on(ec.SECP224R1())),
    _case("rsa 1024", OPENSSL, own_key=_rsa(1024)),
    _case("rsa 1536", OPENSSL, own_key=_rsa(1536)),
    _case("dsa", GO, own_key=dsa.generate_private_key(2048)),
    _case("ed448", GO, own_key=ed448.Ed448PrivateKey.generate()),
    _case("no subject", JVM, subject=""),
    _case("sha-224 below", GO, below=True, algorithm=hashes.SHA224()),
    _case("sha3-256 below", GO, OPENSSL, below=True, algorithm=hashes.SHA3_256()),
    _case("clients only", GO, OPENSSL, extra=_for(_CLIENT)),
    _case("clients only, below", GO, OPENSSL, below=True, extra=_for(_CLIENT)),
    _case("any use", OPENSSL, below=True, extra=_for(ExtendedKeyUsageOID.ANY_EXTENDED_KEY_USAGE)),
    _case("critical ski", GO, OPENSSL, extra=[(_OWN, True)]),
    _case("critical ski below", JVM, GO, OPENSSL, below=True, extra=[(_OWN, True)]),
    _case("critical aki below", JVM, GO, OPENSSL, below=True, extra=[(_OF_ROOT, True)]),
    _case("critical policies with qualifiers below", JVM, below=True, extra=[(_QUALIFIED, True)]),
)  # fmt: skip

USABLE = (
    _case("secp384r1", own_key=_on(ec.SECP384R1())),
    _case("secp521r1", own_key=_on(ec.SECP521R1())),
    _case("rsa 2048", own_key=_rsa(2048)),
    _case("rsa 2056", own_key=_rsa(2056)),
    _case("ed25519", own_key=ed25519.Ed25519PrivateKey.generate()),
    _case("signed by itself with sha-224", algorithm=hashes.SHA224()),
    _case("servers", below=True, extra=_for(_SERVER, _CLIENT)),
    _case("identifiers", below=True, extra=[(_OWN, False), (_OF_ROOT, False)]),
    _case("critical policies", below=True, extra=[(_PLAIN, True)]),
    _case("critical policies with qualifiers at the root", extra=[(_QUALIFIED, True)]),
    _case("policies with qualifiers", below=True, extra=[(_QUALIFIED, False)]),
)

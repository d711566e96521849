# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A CA's name, and how a certificate that it issued spells it: who takes the two for one name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.x509.name import _ASN1Type as Type
from cryptography.x509.oid import NameOID

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import (
    Certificate,
    certificate_from_der,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import PrivateKey
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier

from .certificates import NOW, YEAR, key

JVM, OPENSSL, GO = Verifier.JVM, Verifier.OPENSSL, Verifier.GO


def spelt(common_name: str, kind: Type = Type.UTF8String, organization: str = "io.strimzi") -> x509.Name:
    return x509.Name(
        [
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization),
            x509.NameAttribute(NameOID.COMMON_NAME, common_name, kind),
        ]
    )


def certified(
    subject: x509.Name, own_key: PrivateKey, issuer: x509.Name, issuer_key: PrivateKey, *, ca: bool = True
) -> Certificate:
    builder = (
        x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(own_key.public_key)
        .serial_number(x509.random_serial_number()).not_valid_before(NOW - YEAR).not_valid_after(NOW + YEAR)
        .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("a.svc")]), critical=False)
    )  # fmt: skip
    signed = builder.sign(issuer_key.for_signing(), hashes.SHA256())
    return certificate_from_der(signed.public_bytes(serialization.Encoding.DER))


@dataclass(frozen=True)
class Spelling:
    name: str
    #: The CA's name.
    own: x509.Name
    #: The name that the issuer writes in its place.
    other: x509.Name
    accepted_by: frozenset[Verifier]

    @cached_property
    def authority(self) -> Certificate:
        return certified(self.own, key(1), self.own, key(1))

    @cached_property
    def below(self) -> Certificate:
        return certified(spelt("below"), key(2), self.other, key(1))

    @cached_property
    def leaf(self) -> Certificate:
        """Of the CA below."""
        return certified(spelt("leaf"), key(3), spelt("below"), key(2), ca=False)

    @cached_property
    def leaf_of_authority(self) -> Certificate:
        return certified(spelt("leaf"), key(3), self.other, key(1), ca=False)


def _pair(name: str, own: x509.Name, other: x509.Name, *accepted_by: Verifier) -> Spelling:
    return Spelling(name, own, other, frozenset(accepted_by))


#: Names that a verifier takes for the same.
LIKE = (
    _pair("case", spelt("Root"), spelt("ROOT"), JVM, OPENSSL),
    _pair("spaces", spelt("My Root"), spelt("My  Root"), JVM, OPENSSL),
    _pair("space at the end", spelt("Root"), spelt("Root "), JVM, OPENSSL),
    _pair("printable string", spelt("Root", Type.PrintableString), spelt("Root"), JVM, OPENSSL),
    _pair("utf-8 string", spelt("Root"), spelt("Root", Type.PrintableString), JVM, OPENSSL),
    _pair("ia5 string", spelt("Root", Type.IA5String), spelt("Root"), OPENSSL),
    _pair("bmp string", spelt("Root", Type.BMPString), spelt("Root"), OPENSSL),
    _pair("case beyond ascii", spelt("Wurzel \u00c4"), spelt("Wurzel \u00e4"), JVM),
)
SAME = _pair("the same", spelt("Root"), spelt("Root"), JVM, OPENSSL, GO)
#: Names that no verifier takes for the same.
OTHER = (
    _pair("another name", spelt("Root"), spelt("Other")),
    _pair("another organization", spelt("Root"), spelt("Root", organization="another")),
    _pair("another order", spelt("Root"), x509.Name(reversed(list(spelt("Root"))))),
)

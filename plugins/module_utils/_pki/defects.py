# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The reasons for which a verifier cannot use a certificate, and those that CAs and leaves share (docs/operator.md,
"Usable CAs", "Usable leaves").
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from .certificates import Certificate
from .verifiers import Verifier

Verifiers: TypeAlias = frozenset[Verifier]

JVM, GO, OPENSSL = (frozenset({one}) for one in (Verifier.JVM, Verifier.GO, Verifier.OPENSSL))
ALL: Verifiers = frozenset(Verifier)

#: Extended key usages (RFC 5280 section 4.2.1.12).
SERVER_USE, CLIENT_USE, ANY_USE = "1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2", "2.5.29.37.0"

#: The curves of ECDSA keys that all verifiers know.
CURVES = "on secp256r1, secp384r1 or secp521r1"
_JVM_CURVES = frozenset({"secp256r1", "secp384r1", "secp521r1"})
_GO_CURVES = _JVM_CURVES | {"secp224r1"}

_SHA1 = frozenset({"1.2.840.113549.1.1.5", "1.2.840.10045.4.1", "1.2.840.10040.4.3"})
_MD5 = "1.2.840.113549.1.1.4"
_ECDSA_SHA3 = frozenset(f"2.16.840.1.101.3.4.3.{last}" for last in (9, 10, 11, 12))
#: SHA-256, SHA-384 and SHA-512 with RSA (PKCS #1 v1.5 and PSS) and ECDSA; Ed25519.
_GO_SIGNATURES = frozenset(
    {
        *(f"1.2.840.113549.1.1.{last}" for last in (10, 11, 12, 13)),
        *(f"1.2.840.10045.4.3.{last}" for last in (2, 3, 4)),
        "1.3.101.112",
    }
)


@dataclass(frozen=True)
class Defect:
    """cause: what is so, as the end of a sentence about the certificate. wanted: how it would have to be instead, after
    "a CA" or "a certificate".
    """

    verifiers: Verifiers
    cause: str
    wanted: str


def named_verifiers(verifiers: Verifiers) -> str:
    """As a person knows them: "Go programs (Kafka Exporter) and OpenSSL (librdkafka)"."""
    names = [_NAMES[one] for one in Verifier if one in verifiers]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


_NAMES = {
    Verifier.JVM: "JVMs (Kafka and Strimzi)",
    Verifier.OPENSSL: "OpenSSL (librdkafka)",
    Verifier.GO: "Go programs (Kafka Exporter)",
}


def key_defects(certificate: Certificate) -> Iterator[Defect]:
    """Of RSA and EC keys."""
    for rule in (_size, _curve, _form_of_key):
        yield from rule(certificate)


def _size(certificate: Certificate) -> Iterator[Defect]:
    """OpenSSL at security level 2, its default since 3.2 and that of Debian before."""
    algorithm, bits = certificate.key_type
    if algorithm == "rsa" and bits < 2048:
        refusing = ALL if bits < 1024 else OPENSSL
        yield Defect(refusing, f"has an RSA key of {bits} bits", "with an RSA key of 2048 bits or more")


def _curve(certificate: Certificate) -> Iterator[Defect]:
    """OpenSSL at the same level: it refuses no curve but short ones."""
    curve = certificate.curve
    if curve is None:
        return
    refusing = OPENSSL if certificate.key_type[1] < 224 else frozenset()
    refusing |= frozenset() if curve in _JVM_CURVES else JVM
    refusing |= frozenset() if curve in _GO_CURVES else GO
    if refusing:
        yield Defect(refusing, f"has a key on the curve {curve}", f"with a key {CURVES}")


def _form_of_key(certificate: Certificate) -> Iterator[Defect]:
    if certificate.has_compressed_key:
        yield Defect(JVM | GO, "has an EC key in compressed form", "whose key is not compressed")
    elif certificate.curve is not None and not certificate.has_key_in_usual_form:
        yield Defect(ALL, "spells out the parameters of its curve", f"whose key names its curve, {CURVES}")


def signature_defects(certificate: Certificate) -> Iterator[Defect]:
    """No verifier checks the signature of a root on itself."""
    algorithm = certificate.signature_algorithm
    if certificate.is_root or algorithm in _GO_SIGNATURES:
        return
    refusing = ALL if algorithm == _MD5 else GO | OPENSSL if algorithm in _SHA1 | _ECDSA_SHA3 else GO
    name = "SHA-1" if algorithm in _SHA1 else "MD5" if algorithm == _MD5 else f"the algorithm {algorithm}"
    yield Defect(refusing, f"is signed with {name}", "that is signed with SHA-256, SHA-384 or SHA-512")


def criticality_defects(certificate: Certificate) -> Iterator[Defect]:
    """A JVM does not process the extensions of an anchor."""
    below = frozenset() if certificate.is_root else JVM
    for oid, name in (("2.5.29.14", "subject"), ("2.5.29.35", "authority")):
        if oid in certificate.critical_extensions:
            yield Defect(
                GO | OPENSSL | below, f"marks its {name} key identifier as critical", "whose key identifiers are not critical"
            )  # fmt: skip


def policy_defects(certificate: Certificate) -> Iterator[Defect]:
    if "2.5.29.32" in certificate.critical_extensions and certificate.has_policy_qualifiers and not certificate.is_root:
        yield Defect(
            JVM, "has critical certificate policies with qualifiers", "whose certificate policies are not critical, or without qualifiers"
        )  # fmt: skip

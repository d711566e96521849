# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Which verifiers cannot use a CA certificate on any path, by its key, its signature, its name or its extensions
(docs/operator.md, "Usable CAs").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from .certificates import Certificate, Chain
from .verifiers import Verifier

Verifiers: TypeAlias = frozenset[Verifier]

_JVM, _GO, _OPENSSL = (frozenset({one}) for one in (Verifier.JVM, Verifier.GO, Verifier.OPENSSL))
_ALL: Verifiers = frozenset(Verifier)

_CURVES = "on secp256r1, secp384r1 or secp521r1"
_JVM_CURVES = frozenset({"secp256r1", "secp384r1", "secp521r1"})
_GO_CURVES = _JVM_CURVES | {"secp224r1"}

_SHA1 = frozenset({"1.2.840.113549.1.1.5", "1.2.840.10045.4.1", "1.2.840.10040.4.3"})
_MD5 = "1.2.840.113549.1.1.4"
#: SHA-256, SHA-384 and SHA-512 with RSA (PKCS #1 v1.5 and PSS) and ECDSA; Ed25519.
_GO_SIGNATURES = frozenset(
    {
        *(f"1.2.840.113549.1.1.{last}" for last in (10, 11, 12, 13)),
        *(f"1.2.840.10045.4.3.{last}" for last in (2, 3, 4)),
        "1.3.101.112",
    }
)
_SERVER_USE, _ANY_USE = "1.3.6.1.5.5.7.3.1", "2.5.29.37.0"


@dataclass(frozen=True)
class Defect:
    """cause: what is so, as the end of a sentence about the certificate. wanted: how a CA would have to be instead, after
    "a CA".
    """

    verifiers: Verifiers
    cause: str
    wanted: str


_Rule: TypeAlias = Callable[[Certificate], Iterator[Defect]]


def defects(certificate: Certificate) -> Iterator[Defect]:
    """Everything for which a verifier refuses each path through this CA; none where all can use it.

    A CA that some other CA has issued is presented to clients that trust only that one, so it has to do as an
    intermediate as well as an anchor.
    """
    for rule in _RULES:
        yield from rule(certificate)


def chain_defects(chain: Chain) -> Iterator[tuple[Certificate, Defect]]:
    """The defects of each CA of a chain, issuing CA first, and of how it leads to the next one."""
    for position, certificate in enumerate(chain, start=1):
        yield from ((certificate, defect) for defect in defects(certificate))
        for issuer in chain[position : position + 1]:
            yield from ((certificate, defect) for defect in _spelling(certificate, issuer))


def _spelling(certificate: Certificate, issuer: Certificate) -> Iterator[Defect]:
    if certificate.issuer_der != issuer.subject_der and certificate.folded_issuer == issuer.folded_subject:
        yield Defect(
            _GO, f"names its issuer {issuer.subject} in another spelling (case, spaces or type of string)",
            "that spells the name of its issuer as the issuer itself does",
        )  # fmt: skip


def named_verifiers(verifiers: Verifiers) -> str:
    """As a person knows them: "Go programs (Kafka Exporter) and OpenSSL (librdkafka)"."""
    names = [_NAMES[one] for one in Verifier if one in verifiers]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


_NAMES = {
    Verifier.JVM: "JVMs (Kafka and Strimzi)",
    Verifier.OPENSSL: "OpenSSL (librdkafka)",
    Verifier.GO: "Go programs (Kafka Exporter)",
}


def _name(certificate: Certificate) -> Iterator[Defect]:
    if not certificate.subject:
        yield Defect(_JVM, "has an empty subject", "with a subject")


def _kind_of_key(certificate: Certificate) -> Iterator[Defect]:
    unusual = {"1.2.840.10040.4.1": "DSA", "1.3.101.113": "Ed448", "1.2.840.113549.1.1.10": "RSA-PSS"}
    if kind := unusual.get(certificate.public_key_algorithm):
        yield Defect(_GO, f"has a key for {kind} only", f"with an RSA key, or an ECDSA key {_CURVES}")


def _size(certificate: Certificate) -> Iterator[Defect]:
    """OpenSSL at security level 2, its default since 3.2 and that of Debian before."""
    algorithm, bits = certificate.key_type
    if algorithm == "rsa" and bits < 2048:
        refusing = _ALL if bits < 1024 else _OPENSSL
        yield Defect(refusing, f"has an RSA key of {bits} bits", "with an RSA key of 2048 bits or more")


def _curve(certificate: Certificate) -> Iterator[Defect]:
    """OpenSSL as above: it refuses none but the short ones."""
    curve = certificate.curve
    if curve is None:
        return
    refusing = _OPENSSL if certificate.key_type[1] < 224 else frozenset()
    refusing |= frozenset() if curve in _JVM_CURVES else _JVM
    refusing |= frozenset() if curve in _GO_CURVES else _GO
    if refusing:
        yield Defect(refusing, f"has a key on the curve {curve}", f"with a key {_CURVES}")


def _form_of_key(certificate: Certificate) -> Iterator[Defect]:
    if certificate.has_compressed_key:
        yield Defect(_JVM | _GO, "has an EC key in compressed form", "whose key is not compressed")
    elif certificate.curve is not None and not certificate.has_key_in_usual_form:
        yield Defect(_ALL, "spells out the parameters of its curve", f"whose key names its curve, {_CURVES}")


def _signature(certificate: Certificate) -> Iterator[Defect]:
    """Nobody looks at the signature that a root makes on itself."""
    algorithm = certificate.signature_algorithm
    if certificate.self_issued or algorithm in _GO_SIGNATURES:
        return
    refusing = _GO | _OPENSSL if algorithm in _SHA1 else _ALL if algorithm == _MD5 else _GO
    name = "SHA-1" if algorithm in _SHA1 else "MD5" if algorithm == _MD5 else f"the algorithm {algorithm}"
    yield Defect(refusing, f"is signed with {name}", "that is signed with SHA-256, SHA-384 or SHA-512")


def _purpose(certificate: Certificate) -> Iterator[Defect]:
    uses = certificate.extended_key_usages
    if uses is None or _SERVER_USE in uses:
        return
    refusing = _OPENSSL if _ANY_USE in uses else _GO | _OPENSSL
    yield Defect(
        refusing, "has an extended key usage that does not name TLS servers", "without extended key usage, or with serverAuth in it"
    )  # fmt: skip


def _critical(certificate: Certificate) -> Iterator[Defect]:
    """A JVM does not process the extensions of an anchor."""
    below = frozenset() if certificate.self_issued else _JVM
    for oid, name in (("2.5.29.14", "subject"), ("2.5.29.35", "authority")):
        if oid in certificate.critical_extensions:
            yield Defect(
                _GO | _OPENSSL | below, f"marks its {name} key identifier as critical", "whose key identifiers are not critical"
            )  # fmt: skip


def _policies(certificate: Certificate) -> Iterator[Defect]:
    if (
        "2.5.29.32" in certificate.critical_extensions
        and certificate.has_policy_qualifiers
        and not certificate.self_issued
    ):
        yield Defect(
            _JVM, "has critical certificate policies with qualifiers", "whose certificate policies are not critical, or without qualifiers"
        )  # fmt: skip


_RULES: Sequence[_Rule] = (
    _name, _kind_of_key, _size, _curve, _form_of_key, _signature, _purpose, _critical, _policies,
)  # fmt: skip

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Defects of certificates: the reasons for which a verifier cannot use them, and their breaches of an organization's
rules.

A CA is unusable on any path by its key, its signature, its name or its extensions (docs/operator.md, "Usable CAs"). A
leaf is unusable for its purpose by its key, its signature and its extensions (docs/operator.md, "Usable leaves"). Its
names, its dates and its path are the matter of other files. The kinds of verifiers differ in their rules of path
validation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from enum import Enum
from itertools import zip_longest
from typing import TypeAlias

from .certificates import Certificate, Chain
from .keys import KeyAlgorithm, KeySpec
from .verifiers import ALL, GO, JVM, OPENSSL, Verifiers

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
    """A property of a certificate for which some verifiers refuse it on every path."""

    #: The verifiers that refuse the certificate.
    verifiers: Verifiers
    #: The property, as the end of a sentence about the certificate.
    cause: str
    #: The property that verifiers demand instead, after "a CA" or "a certificate".
    wanted: str


def key_defects(certificate: Certificate) -> Iterator[Defect]:
    """Defects of RSA and EC keys; for OpenSSL at security level 2, its default since 3.2, and Debian's before."""
    algorithm, bits = certificate.key_type
    if algorithm == "rsa" and bits < 2048:
        refusing = ALL if bits < 1024 else OPENSSL
        yield Defect(refusing, f"has an RSA key of {bits} bits", "with an RSA key of 2048 bits or more")
    yield from _curve(certificate)
    if certificate.has_compressed_key:
        yield Defect(JVM | GO, "has an EC key in compressed form", "whose key is not compressed")
    elif certificate.curve is not None and not certificate.has_key_in_usual_form:
        yield Defect(ALL, "spells out the parameters of its curve", f"whose key names its curve, {CURVES}")


def _curve(certificate: Certificate) -> Iterator[Defect]:
    """Defects of the curve. OpenSSL at the same level refuses short curves only."""
    curve = certificate.curve
    if curve is None:
        return
    refusing = OPENSSL if certificate.key_type[1] < 224 else frozenset()
    refusing |= frozenset() if curve in _JVM_CURVES else JVM
    refusing |= frozenset() if curve in _GO_CURVES else GO
    if refusing:
        yield Defect(refusing, f"has a key on the curve {curve}", f"with a key {CURVES}")


def signature_defects(certificate: Certificate) -> Iterator[Defect]:
    """Defects of the signature. No verifier checks the signature of a root on itself."""
    algorithm = certificate.signature_algorithm
    if certificate.is_root or algorithm in _GO_SIGNATURES:
        return
    refusing = ALL if algorithm == _MD5 else GO | OPENSSL if algorithm in _SHA1 | _ECDSA_SHA3 else GO
    name = "SHA-1" if algorithm in _SHA1 else "MD5" if algorithm == _MD5 else f"the algorithm {algorithm}"
    yield Defect(refusing, f"is signed with {name}", "that is signed with SHA-256, SHA-384 or SHA-512")


def criticality_defects(certificate: Certificate) -> Iterator[Defect]:
    """Key identifiers marked as critical. A JVM does not process the extensions of an anchor."""
    below = frozenset() if certificate.is_root else JVM
    for oid, name in (("2.5.29.14", "subject"), ("2.5.29.35", "authority")):
        if oid in certificate.critical_extensions:
            yield Defect(
                GO | OPENSSL | below, f"marks its {name} key identifier as critical",
                "whose key identifiers are not critical"
            )  # fmt: skip


def policy_defects(certificate: Certificate) -> Iterator[Defect]:
    if "2.5.29.32" in certificate.critical_extensions and certificate.has_policy_qualifiers and not certificate.is_root:
        yield Defect(
            JVM, "has critical certificate policies with qualifiers",
            "whose certificate policies are not critical, or without qualifiers"
        )  # fmt: skip


_Rule: TypeAlias = Callable[[Certificate], Iterator[Defect]]


def defects(certificate: Certificate) -> Iterator[Defect]:
    """Every reason for which a verifier refuses each path through this CA; none if all can use it.

    If another CA has issued it, it is presented to clients that trust only the other CA. So it has to work as an
    intermediate as well as an anchor.
    """
    for rule in _RULES:
        yield from rule(certificate)


def chain_defects(chain: Chain) -> Iterator[tuple[Certificate, Defect]]:
    """The defects of each CA of a chain, issuing CA first, and of how it leads to the next CA."""
    for certificate, issuer in zip_longest(chain, chain[1:]):
        yield from ((certificate, defect) for defect in defects(certificate))
        if issuer is not None:
            yield from ((certificate, defect) for defect in _compare_spelling(certificate, issuer))


def _compare_spelling(certificate: Certificate, issuer: Certificate) -> Iterator[Defect]:
    if certificate.issuer_der != issuer.subject_der and certificate.folded_issuer == issuer.folded_subject:
        yield Defect(
            GO, f"names its issuer {issuer.subject} in another spelling (case, spaces or type of string)",
            "that spells the name of its issuer as the issuer itself does",
        )  # fmt: skip


def _name(certificate: Certificate) -> Iterator[Defect]:
    if not certificate.subject:
        yield Defect(JVM, "has an empty subject", "with a subject")


def _kind_of_key(certificate: Certificate) -> Iterator[Defect]:
    unusual = {"1.2.840.10040.4.1": "DSA", "1.3.101.113": "Ed448", "1.2.840.113549.1.1.10": "RSA-PSS"}
    if kind := unusual.get(certificate.public_key_algorithm):
        yield Defect(GO, f"has a key for {kind} only", f"with an RSA key, or an ECDSA key {CURVES}")


def _purpose(certificate: Certificate) -> Iterator[Defect]:
    uses = certificate.extended_key_usages
    if uses is None or SERVER_USE in uses:
        return
    refusing = OPENSSL if ANY_USE in uses else GO | OPENSSL
    yield Defect(
        refusing, "has an extended key usage that does not name TLS servers",
        "without extended key usage, or with serverAuth in it"
    )  # fmt: skip


_RULES: Sequence[_Rule] = (
    _name, _kind_of_key, key_defects, signature_defects, _purpose, criticality_defects, policy_defects,
)  # fmt: skip


_ALTERNATIVE_NAMES = "2.5.29.17"
_EXCHANGE = frozenset({"digital_signature", "key_encipherment", "key_agreement"})


class Purpose(Enum):
    """The end of a TLS connection with the leaf. Clients of every kind verify servers; the servers of a Kafka cluster
    are JVMs.
    """

    SERVER = "server"
    CLIENT = "client"

    @property
    def verifiers(self) -> Verifiers:
        return ALL if self is Purpose.SERVER else JVM

    @property
    def usage(self) -> tuple[str, str]:
        """The extended key usage: OID and name."""
        return (SERVER_USE, "serverAuth") if self is Purpose.SERVER else (CLIENT_USE, "clientAuth")


def leaf_defects(leaf: Certificate, purposes: frozenset[Purpose]) -> Iterator[Defect]:
    """Everything for which a verifier refuses the leaf; none if all can use it. Only verifiers that meet it for these
    purposes count.
    """
    verifiers = frozenset(verifier for purpose in purposes for verifier in purpose.verifiers)
    for rule in (key_defects, signature_defects, criticality_defects, policy_defects, _alternative_names, _key_usage):
        for defect in rule(leaf):
            if defect.verifiers & verifiers:
                yield replace(defect, verifiers=defect.verifiers & verifiers)
    for purpose in Purpose:
        if purpose in purposes:
            yield from _extended_key_usage(leaf, purpose)


def _alternative_names(leaf: Certificate) -> Iterator[Defect]:
    """Alternative names of a form that keeps a program from reading the leaf at all."""
    if leaf.has_malformed_names:
        yield Defect(
            GO,
            "has an alternative name that is no ASCII text or no IP address",
            "with DNS names in ASCII form and IP addresses",
        )
    if not leaf.subject and _ALTERNATIVE_NAMES in leaf.extensions - leaf.critical_extensions:
        yield Defect(
            JVM, "has an empty subject, and alternative names that are not critical",
            "with a subject, or with critical alternative names"
        )  # fmt: skip


def _key_usage(leaf: Certificate) -> Iterator[Defect]:
    """A key usage without signatures. In a handshake with forward secrecy (TLS 1.3 has no other) the key signs. OpenSSL
    is content if the key may take part in any handshake.
    """
    usages = leaf.key_usages
    if usages is None or "digital_signature" in usages:
        return
    refusing = JVM if usages & _EXCHANGE else JVM | OPENSSL
    yield Defect(refusing, "has a key usage without digitalSignature", "with digitalSignature in its key usage")


def _extended_key_usage(leaf: Certificate, purpose: Purpose) -> Iterator[Defect]:
    usages, (oid, name) = leaf.extended_key_usages, purpose.usage
    if usages is None or oid in usages:
        return
    refusing = OPENSSL & purpose.verifiers if ANY_USE in usages else purpose.verifiers
    if refusing:
        yield Defect(refusing, f"has an extended key usage without {name}", f"with {name} in its extended key usage")


#: The curves of the keys made here, by their size, and the hashes of their signatures (``PrivateKey.signature_hash``).
_MADE_HERE = {256: ("secp256r1", "sha256"), 384: ("secp384r1", "sha384")}
_HASH_OF_RSA = "sha512"


@dataclass(frozen=True)
class KeyPolicy:
    """Rules. If a value is empty or None, it sets no rule."""

    #: The name of the policy, for messages.
    name: str = "key_policy"
    #: The fewest bits of an RSA key.
    rsa_bits: int | None = None
    #: The permitted curves of EC keys, as OpenSSL names them, such as "secp384r1".
    curves: frozenset[str] = frozenset()
    #: The permitted hashes of signatures, such as "sha256".
    hashes: frozenset[str] = frozenset()
    #: The longest life of a CA, from the beginning of its validity.
    ca_life: timedelta | None = None
    #: The longest life of a leaf.
    leaf_life: timedelta | None = None

    def breaches(self, certificate: Certificate) -> Iterator[str]:
        """The values of this certificate that break a rule, each with the rule, as clauses."""
        algorithm, size = certificate.key_type
        yield from self._of_key(algorithm, size, certificate.curve, certificate.key_name)
        yield from self._of_hash(certificate.signature_hash)
        longest = self.ca_life if certificate.is_ca else self.leaf_life
        yield from _breaches_of_life_rule(certificate.not_after - certificate.not_before, longest)

    def breaches_of_key(self, certificate: Certificate) -> Iterator[str]:
        """As ``breaches``, of its key alone: a renewal keeps it."""
        algorithm, size = certificate.key_type
        yield from self._of_key(algorithm, size, certificate.curve, certificate.key_name)

    def breaches_of_authority(self, spec: KeySpec, life: timedelta) -> Iterator[str]:
        """The breaches of a CA, if it were made here with such a key and such a life."""
        if spec.algorithm is KeyAlgorithm.RSA:
            yield from self._of_key(spec.algorithm.value, spec.size, None, f"rsa-{spec.size}")
            yield from self._of_hash(_HASH_OF_RSA)
        else:
            curve, digest = _MADE_HERE[spec.size]
            yield from self._of_key(spec.algorithm.value, spec.size, curve, f"ecdsa-p{spec.size}")
            yield from self._of_hash(digest)
        yield from self.breaches_of_life(life)

    def breaches_of_life(self, life: timedelta) -> Iterator[str]:
        """As ``breaches_of_authority``, of its life alone."""
        yield from _breaches_of_life_rule(life, self.ca_life)

    def breaches_of_leaves(self, bits: int, life: timedelta) -> Iterator[str]:
        """The breaches of leaves with RSA keys of so many bits and with such a life."""
        yield from self._of_key(KeyAlgorithm.RSA.value, bits, None, f"rsa-{bits}")
        yield from _breaches_of_life_rule(life, self.leaf_life)

    def _of_key(self, algorithm: str, size: int, curve: str | None, name: str) -> Iterator[str]:
        if algorithm == KeyAlgorithm.RSA.value:
            if self.rsa_bits is not None and size < self.rsa_bits:
                yield f"a key {name}, and RSA keys have at least {self.rsa_bits} bits (rsa_bits)"
        elif self.curves and curve not in self.curves:
            yield (
                f"a key {name} on the curve {curve or 'of no name'}, and keys are on {', '.join(sorted(self.curves))} "
                "(curves)"
            )

    def _of_hash(self, digest: str | None) -> Iterator[str]:
        if self.hashes and digest not in self.hashes:
            yield (
                f"a signature with {digest or 'no hash of its own'}, and signatures are made with "
                f"{', '.join(sorted(self.hashes))} (hashes)"
            )


def _breaches_of_life_rule(life: timedelta, longest: timedelta | None) -> Iterator[str]:
    # A certificate is dated back by some minutes, because clocks differ.
    if longest is not None and life > longest + timedelta(days=1):
        yield f"a life of {life.days} days, and {longest.days} days are the longest"

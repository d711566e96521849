# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The verifiers that cannot use a CA certificate on any path, by its key, its signature, its name or its extensions
(docs/operator.md, "Usable CAs").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import TypeAlias

from .certificates import Certificate, Chain
from .defects import (
    ALL,
    ANY_USE,
    GO,
    JVM,
    OPENSSL,
    SERVER_USE,
    Defect,
    criticality_defects,
    policy_defects,
    signature_defects,
)

_CURVES = "on secp256r1, secp384r1 or secp521r1"
_JVM_CURVES = frozenset({"secp256r1", "secp384r1", "secp521r1"})
_GO_CURVES = _JVM_CURVES | {"secp224r1"}


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
    for certificate, issuer in zip_longest(chain, chain[1:]):
        yield from ((certificate, defect) for defect in defects(certificate))
        if issuer is not None:
            yield from ((certificate, defect) for defect in _spelling(certificate, issuer))


def _spelling(certificate: Certificate, issuer: Certificate) -> Iterator[Defect]:
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
        yield Defect(GO, f"has a key for {kind} only", f"with an RSA key, or an ECDSA key {_CURVES}")


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
        yield Defect(refusing, f"has a key on the curve {curve}", f"with a key {_CURVES}")


def _form_of_key(certificate: Certificate) -> Iterator[Defect]:
    if certificate.has_compressed_key:
        yield Defect(JVM | GO, "has an EC key in compressed form", "whose key is not compressed")
    elif certificate.curve is not None and not certificate.has_key_in_usual_form:
        yield Defect(ALL, "spells out the parameters of its curve", f"whose key names its curve, {_CURVES}")


def _purpose(certificate: Certificate) -> Iterator[Defect]:
    uses = certificate.extended_key_usages
    if uses is None or SERVER_USE in uses:
        return
    refusing = OPENSSL if ANY_USE in uses else GO | OPENSSL
    yield Defect(
        refusing, "has an extended key usage that does not name TLS servers", "without extended key usage, or with serverAuth in it"
    )  # fmt: skip


_RULES: Sequence[_Rule] = (
    _name, _kind_of_key, _size, _curve, _form_of_key, signature_defects, _purpose, criticality_defects, policy_defects,
)  # fmt: skip

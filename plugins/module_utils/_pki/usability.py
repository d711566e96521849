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
    ANY_USE,
    CURVES,
    GO,
    JVM,
    OPENSSL,
    SERVER_USE,
    Defect,
    criticality_defects,
    key_defects,
    policy_defects,
    signature_defects,
)

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
        yield Defect(GO, f"has a key for {kind} only", f"with an RSA key, or an ECDSA key {CURVES}")


def _purpose(certificate: Certificate) -> Iterator[Defect]:
    uses = certificate.extended_key_usages
    if uses is None or SERVER_USE in uses:
        return
    refusing = OPENSSL if ANY_USE in uses else GO | OPENSSL
    yield Defect(
        refusing, "has an extended key usage that does not name TLS servers", "without extended key usage, or with serverAuth in it"
    )  # fmt: skip


_RULES: Sequence[_Rule] = (
    _name, _kind_of_key, key_defects, signature_defects, _purpose, criticality_defects, policy_defects,
)  # fmt: skip

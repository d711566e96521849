# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The verifiers that cannot use a leaf for what it is to be used for, by its key, its signature and its extensions (docs/operator.md,
"Usable leaves"). Its names, its dates and its path are the matter of other files.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from enum import Enum

from .certificates import Certificate
from .defects import (
    ALL,
    ANY_USE,
    CLIENT_USE,
    GO,
    JVM,
    OPENSSL,
    SERVER_USE,
    Defect,
    Verifiers,
    criticality_defects,
    key_defects,
    policy_defects,
    signature_defects,
)

_ALTERNATIVE_NAMES = "2.5.29.17"
_EXCHANGE = frozenset({"digital_signature", "key_encipherment", "key_agreement"})


class Purpose(Enum):
    """The end of a TLS connection that presents the leaf. Clients of every kind verify servers; the servers of a Kafka
    cluster are JVMs.
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
    """Everything for which a verifier that meets the leaf refuses it; none where all can use it."""
    asked = frozenset(verifier for purpose in purposes for verifier in purpose.verifiers)
    for rule in (key_defects, signature_defects, criticality_defects, policy_defects, _alternative_names, _key_usage):
        for defect in rule(leaf):
            if defect.verifiers & asked:
                yield replace(defect, verifiers=defect.verifiers & asked)
    for purpose in Purpose:
        if purpose in purposes:
            yield from _extended_key_usage(leaf, purpose)


def _alternative_names(leaf: Certificate) -> Iterator[Defect]:
    """Of a form for which a program cannot read the leaf at all."""
    if leaf.has_malformed_names:
        yield Defect(
            GO,
            "has an alternative name that is no ASCII text or no IP address",
            "with DNS names in ASCII form and IP addresses",
        )
    if not leaf.subject and _ALTERNATIVE_NAMES in leaf.extensions - leaf.critical_extensions:
        yield Defect(
            JVM, "has an empty subject, and alternative names that are not critical", "with a subject, or with critical alternative names"
        )  # fmt: skip


def _key_usage(leaf: Certificate) -> Iterator[Defect]:
    """In a handshake with forward secrecy, and there is no other in TLS 1.3, the key signs. OpenSSL is content where the
    key may take part in any handshake.
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

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The kinds of programs that verify certificates around a Kafka cluster."""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias


class Verifier(Enum):
    """Kinds of verifiers around a Kafka cluster, which differ in these points:

    * the dates of the anchor: OPENSSL and GO look at them, JVM does not (docs/operator.md, "A CA that has ended");
    * the anchor's own path length: OPENSSL and GO apply it, JVM does not (docs/operator.md, "Path lengths");
    * self-issued intermediates count towards a path length for GO, and not for the others (RFC 5280 section 6.1.4);
    * an anchor that is not self-signed ends a path for JVM and GO, and not for OPENSSL (without partial chains);
    * the choice of an issuer: JVM and GO try every issuer that made the signature. JVM does so only if one ordered
      chain was sent; every CA that a gate judges has such a chain (``check_authority_chain``). OPENSSL takes the first
      with a fitting name and authorityKeyIdentifier, trusted CAs first, and looks at the signature afterwards. GO uses
      that identifier for the order only. If an anchor does not fit by key or by serial number, JVM passes over it;
    * a sent certificate with the name and the key of an anchor: JVM cuts the chain off below it and tries anchors only
      (docs/operator.md, "Key identifiers").
    """

    JVM = "jvm"
    OPENSSL = "openssl"
    GO = "go"

    @property
    def applies_anchor_path_length(self) -> bool:
        return self is not Verifier.JVM

    @property
    def checks_anchor_dates(self) -> bool:
        return self is not Verifier.JVM


Verifiers: TypeAlias = frozenset[Verifier]

JVM, GO, OPENSSL = (frozenset({verifier}) for verifier in (Verifier.JVM, Verifier.GO, Verifier.OPENSSL))
ALL: Verifiers = frozenset(Verifier)


def named_verifiers(verifiers: Verifiers) -> str:
    """As a person knows them: "Go programs (Kafka Exporter) and OpenSSL (librdkafka)"."""
    names = [_NAMES[verifier] for verifier in Verifier if verifier in verifiers]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


_NAMES = {
    Verifier.JVM: "JVMs (Kafka and Strimzi)",
    Verifier.OPENSSL: "OpenSSL (librdkafka)",
    Verifier.GO: "Go programs (Kafka Exporter)",
}

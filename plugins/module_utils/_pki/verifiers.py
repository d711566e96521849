# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The kinds of verifiers, whose rules of path validation differ, and the result of a validation."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from .certificates import Certificate


class Verifier(Enum):
    """Kinds of verifiers around a Kafka cluster; where they differ:

    * the anchor's own path length: OPENSSL and GO apply it, JVM does not (docs/operator.md, "Path lengths");
    * self-issued intermediates count towards a path length for GO, and not for the others (RFC 5280 section 6.1.4);
    * an anchor that is not self-signed ends a path for JVM and GO, and not for OPENSSL (without partial chains);
    * JVM and GO try every issuer that made the signature; JVM only where what was sent is one ordered chain, which it is for
      every CA that a gate is asked about (``check_authority_chain``). OPENSSL takes the first whose name and authorityKeyIdentifier
      fit, trusted ones first, and looks at the signature afterwards; GO uses that identifier for the order only. JVM passes over
      anchors that it does not fit, by key or by serial number;
    * where something was sent that has the name and the key of an anchor, JVM cuts the chain off below it and tries anchors
      only (docs/operator.md, "Key identifiers").
    """

    JVM = "jvm"
    OPENSSL = "openssl"
    GO = "go"

    @property
    def applies_anchor_path_length(self) -> bool:
        return self is not Verifier.JVM

    @property
    def compares_anchor_identifiers(self) -> bool:
        return self is not Verifier.GO

    @property
    def cuts_off_at_twins(self) -> bool:
        return self is Verifier.JVM

    @property
    def counts_self_issued(self) -> bool:
        return self is Verifier.GO


@dataclass(frozen=True)
class PathResult:
    """path: from the leaf to the anchor, empty when not valid. reason: why not, without a full stop."""

    valid: bool
    path: tuple[Certificate, ...] = ()
    reason: str = ""

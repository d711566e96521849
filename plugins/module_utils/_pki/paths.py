# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Path validation (RFC 5280 section 6.1), as the different kinds of verifiers in a Kafka cluster do it.

Several roots, cross-signed certificates, renewals with the same key and names shared by different keys are all tried:
a path is valid when any combination leads to an anchor.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate

#: No chain in a Kafka cluster comes near this; it bounds the search over certificates that sign each other.
MAXIMUM_DEPTH = 8


class Verifier(Enum):
    """Whose rules apply. OpenSSL and Go apply the path length of the anchor itself, JVMs do not (operator-facts)."""

    JVM = "jvm"
    OPENSSL = "openssl"
    GO = "go"

    @property
    def applies_anchor_path_length(self) -> bool:
        return self is not Verifier.JVM


@dataclass(frozen=True)
class PathResult:
    """path: from the leaf to the anchor when valid. reason: why not, as a sentence part."""

    valid: bool
    path: tuple[Certificate, ...] = ()
    reason: str = ""


def validate_path(
    presented: Sequence[Certificate],
    anchors: Iterable[Certificate],
    *,
    at: datetime,
    verifier: Verifier = Verifier.JVM,
) -> PathResult:
    """Whether the leaf ``presented[0]`` validates, at this time, with the certificates sent along. Never raises."""
    if not presented:
        return PathResult(False, reason="no certificate was presented")
    search = _Search(tuple(presented[1:]), tuple(anchors), at, verifier)
    return search.from_leaf(presented[0])


def validate_issued_by(
    issuer: Certificate,
    sent: Sequence[Certificate],
    anchors: Iterable[Certificate],
    *,
    at: datetime,
    verifier: Verifier = Verifier.JVM,
) -> PathResult:
    """Whether a leaf issued by ``issuer`` would validate; the issuer itself goes along only if ``sent`` is not empty.

    The question of the trust gate: it is asked before the leaf exists. A leaf sent alone validates only where an
    anchor has the issuer's name and key.
    """
    known = tuple(anchors)
    direct = _twins(issuer, known, at)
    if direct:
        return PathResult(True, (direct[0],))
    if not sent:
        return PathResult(False, reason=f"no anchor has the name and key of {issuer.subject}")
    return _Search(tuple(sent), known, at, verifier).from_authority(issuer)


def _twins(issuer: Certificate, anchors: Iterable[Certificate], at: datetime) -> list[Certificate]:
    return [
        anchor
        for anchor in anchors
        if anchor.subject_der == issuer.subject_der
        and anchor.public_key_sha256 == issuer.public_key_sha256
        and not _date_problem(anchor, at)
    ]


@dataclass(frozen=True)
class _Search:
    sent: tuple[Certificate, ...]
    anchors: tuple[Certificate, ...]
    at: datetime
    verifier: Verifier

    def from_leaf(self, leaf: Certificate) -> PathResult:
        problem = _usable_problem(leaf, self.at)
        if problem:
            return PathResult(False, reason=problem)
        if leaf in self.anchors:
            return PathResult(True, (leaf,))
        return self._up((leaf,), below=0)

    def from_authority(self, issuer: Certificate) -> PathResult:
        problem = _authority_problem(issuer, self.at, below=0, check_length=True)
        if problem:
            return PathResult(False, reason=problem)
        return self._up((issuer,), below=0 if _self_issued(issuer) else 1)

    def _up(self, path: tuple[Certificate, ...], below: int) -> PathResult:
        """Extend the path upwards. below: CAs under the next one that count towards its path length."""
        child, reasons = path[-1], []
        for anchor in _issuers(child, self.anchors):
            problem = _authority_problem(
                anchor, self.at, below=below, check_length=self.verifier.applies_anchor_path_length
            )
            if not problem:
                return PathResult(True, (*path, anchor))
            reasons.append(problem)
        if len(path) < MAXIMUM_DEPTH:
            for issuer in _issuers(child, self.sent):
                if issuer in path or issuer == child:
                    continue
                problem = _authority_problem(issuer, self.at, below=below, check_length=True)
                if problem:
                    reasons.append(problem)
                    continue
                result = self._up((*path, issuer), below if _self_issued(issuer) else below + 1)
                if result.valid:
                    return result
                reasons.append(result.reason)
        return PathResult(False, reason=reasons[0] if reasons else f"no trusted issuer for {child.subject}")


def _issuers(child: Certificate, candidates: Iterable[Certificate]) -> Iterator[Certificate]:
    return (candidate for candidate in candidates if child.signed_by(candidate))


def _self_issued(certificate: Certificate) -> bool:
    return certificate.subject_der == certificate.issuer_der


def _date_problem(certificate: Certificate, at: datetime) -> str:
    if certificate.not_before > at:
        return f"{certificate.subject} is not valid before {certificate.not_before:%Y-%m-%d %H:%M:%S} UTC"
    if certificate.not_after < at:
        return f"{certificate.subject} expired on {certificate.not_after:%Y-%m-%d %H:%M:%S} UTC"
    return ""


def _usable_problem(certificate: Certificate, at: datetime) -> str:
    if certificate.unknown_critical_extensions:
        return f"{certificate.subject} has a critical extension that is not understood"
    return _date_problem(certificate, at)


def _authority_problem(certificate: Certificate, at: datetime, *, below: int, check_length: bool) -> str:
    """Why this certificate cannot stand above ``below`` further CAs; anchors are held to the same dates (fail closed)."""
    if not certificate.is_ca:
        return f"{certificate.subject} is not a CA certificate"
    if not certificate.key_usage_allows_signing:
        return f"the key usage of {certificate.subject} does not allow signing certificates"
    limit = certificate.path_length
    if check_length and limit is not None and below > limit:
        return f"path length constraint of {certificate.subject} exceeded"
    return _usable_problem(certificate, at)


def check_authority_chain(chain: Sequence[Certificate]) -> list[str]:
    """Problems of a CA chain in one Secret entry: one ordered chain, issuing CA first (strimzi.md 1.4)."""
    problems = [f"{one.subject} is not a CA certificate." for one in chain if not one.is_ca]
    for lower, upper in zip(chain, chain[1:]):
        if not lower.signed_by(upper):
            problems.append(f"the chain is out of order: {lower.subject} was not issued by {upper.subject}.")
    return problems

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Path validation (RFC 5280 section 6), as the different kinds of verifiers in a Kafka cluster do it.

Several roots, link certificates, renewals with the same key and different keys with one name are all taken into
account, in any order of the certificates.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timezone
from itertools import pairwise

from .certificates import MOST_IN_A_CHAIN, Certificate, length_problem
from .path_building import Search, drop_repetitions
from .path_checks import authority_problem
from .verifiers import PathResult, Verifier

__all__ = ["PathResult", "Verifier", "check_authority_chain", "validate_issued_by", "validate_path"]


def validate_path(
    presented: Sequence[Certificate],
    anchors: Iterable[Certificate],
    *,
    at: datetime,
    verifier: Verifier = Verifier.JVM,
    dated_anchors: bool = True,
) -> PathResult:
    """Whether the leaf ``presented[0]`` validates at this time with the certificates sent along. dated_anchors: whether
    the dates of the anchor count. Never raises.
    """
    if not presented:
        return PathResult(False, reason="no certificate was presented")
    if len(presented) > MOST_IN_A_CHAIN:
        return PathResult(False, reason=f"the presented chain cannot be used: {length_problem(len(presented))}")
    sent = drop_repetitions(presented[1:])
    return Search(presented[0], None, sent, drop_repetitions(anchors), _aware(at), verifier, dated_anchors).result()


def validate_issued_by(
    issuer: Certificate,
    sent: Sequence[Certificate],
    anchors: Iterable[Certificate],
    *,
    at: datetime,
    verifier: Verifier = Verifier.JVM,
    dated_anchors: bool = True,
) -> PathResult:
    """Whether a leaf issued by ``issuer`` would validate. dated_anchors: as above. The issuer itself is sent along only if ``sent`` is not
    empty.

    The trust gate asks this before the leaf exists. A leaf sent alone validates only where an anchor has the issuer's
    name and key. Never raises.
    """
    along = drop_repetitions((issuer, *sent)) if sent else ()
    return Search(None, issuer, along, drop_repetitions(anchors), _aware(at), verifier, dated_anchors).result()


def check_authority_chain(chain: Sequence[Certificate]) -> list[str]:
    """Problems of a CA chain in one Secret entry, as sentences: one ordered chain, issuing CA first.

    These are the chains that Strimzi's CertificateUtils.validateUserCaCertChain refuses (docs/operator.md,
    "User-managed CA"). As there, a single certificate has no problems, and dates do not matter.
    """
    if len(chain) < 2:
        return []
    problems = [f"{problem}." for problem in map(authority_problem, chain) if problem]
    for lower, upper in pairwise(chain):
        if not _follows(lower, upper):
            problems.append(f"the chain is out of order: {lower.subject} was not issued by {upper.subject}.")
    return problems


def _follows(lower: Certificate, upper: Certificate) -> bool:
    """As Strimzi's JVM sees it: it minds neither signatures with SHA-1 nor the case of a name. Who else does is told where
    a CA is supplied (``usability``).
    """
    return lower.folded_issuer == upper.folded_subject and lower.bears_signature_of(upper)


def _aware(at: datetime) -> datetime:
    return at.replace(tzinfo=timezone.utc) if at.tzinfo is None else at

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Judging one complete path from a leaf to an anchor (RFC 5280 sections 6.1.3 to 6.1.5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import pairwise

from .certificates import Certificate
from .path_constraints import constraint_problem
from .verifiers import Verifier


def path_problem(
    leaf: Certificate | None,
    authorities: Sequence[Certificate],
    at: datetime,
    verifier: Verifier,
    *,
    dated_anchors: bool = True,
) -> str:
    """Why the path is not valid; empty where it is. leaf: None when it does not exist yet. authorities: the anchor is
    last. dated_anchors: whether its dates count.

    RFC 5280 and JVMs do not look at the dates of an anchor, but OpenSSL, Go and Strimzi do, and a trust decision has to
    satisfy all who verify. Its usages are checked in any case.
    """
    certificates = authorities if leaf is None else (leaf, *authorities)
    dated = certificates if dated_anchors or not authorities else certificates[:-1]
    return (
        _first((one in dated and date_problem(one, at)) or extension_problem(one) for one in certificates)
        or _first(map(authority_problem, authorities))
        or _first(
            f"{child.subject} was not signed by {parent.subject}"
            for child, parent in pairwise(certificates)
            if not child.signed_by(parent)
        )
        or _path_length_problem(authorities, verifier)
        or constraint_problem(leaf, authorities)
    )


def _first(problems: Iterable[str]) -> str:
    return next(filter(None, problems), "")


def date_problem(certificate: Certificate, at: datetime) -> str:
    """The bounds themselves are within the validity (RFC 5280 section 4.1.2.5), but OpenSSL refuses the last second."""
    if certificate.not_before > at:
        return f"{certificate.subject} is not valid before {certificate.not_before:%Y-%m-%d %H:%M:%S} UTC"
    if certificate.not_after <= at:
        return f"{certificate.subject} expired on {certificate.not_after:%Y-%m-%d %H:%M:%S} UTC"
    return ""


def extension_problem(certificate: Certificate) -> str:
    """Why verifiers could refuse a certificate for an extension that is not understood here; empty where there is none."""
    if not certificate.unprocessed_extensions:
        return ""
    extensions = ", ".join(certificate.unprocessed_extensions)
    return f"{certificate.subject} has extensions that cannot be judged here ({extensions})"


def authority_problem(certificate: Certificate) -> str:
    """Why a certificate cannot be an issuer; empty where it can."""
    if not certificate.is_ca:
        return f"{certificate.subject} is not a CA certificate"
    if not certificate.key_usage_allows_signing:
        return f"the key usage of {certificate.subject} does not allow signing certificates"
    return ""


def _path_length_problem(authorities: Sequence[Certificate], verifier: Verifier) -> str:
    below = 0
    for position, certificate in enumerate(authorities, start=1):
        applies = position < len(authorities) or verifier.applies_anchor_path_length
        limit = certificate.path_length
        if applies and limit is not None and below > limit:
            return f"{certificate.subject} allows {limit} CAs below it (path length constraint), and there are {below}"
        if verifier.counts_self_issued or not certificate.self_issued:
            below += 1
    return ""

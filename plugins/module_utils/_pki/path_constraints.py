# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The demands of the CAs of a path on the certificates below them: on names (RFC 5280 section 4.2.1.10) and on policies
(section 4.2.1.11). Where verifiers differ, the strictest counts (docs/operator.md, "Constraints").
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from .certificates import Certificate

#: Names times constraints. OpenSSL gives up above 1,048,576 (NAME_CHECK_MAX), for which the search here would take seconds; no certificate that is in
#: use comes near.
MOST_COMPARISONS = 1 << 16


def constraint_problem(leaf: Certificate | None, authorities: Sequence[Certificate]) -> str:
    """Why a path does not keep to the constraints of its CAs; empty where it does.

    leaf: None when it does not exist yet. Its names are judged when it does: before it is stored.
    """
    return _name_problem(leaf, authorities) or _policy_problem(leaf, authorities)


def _name_problem(leaf: Certificate | None, authorities: Sequence[Certificate]) -> str:
    """A JVM leaves the constraints of the anchor out, and the others do not."""
    below = [] if leaf is None else [leaf]
    for authority in authorities:
        constraints = authority.name_constraints
        if constraints is not None:
            for one in below:
                names = one.names_under_constraints
                if names.count * constraints.count > MOST_COMPARISONS:
                    return f"{authority.subject} has more name constraints than OpenSSL compares with the names of {one.subject}"
                read = names.alternative | (names.to_openssl if one is leaf else frozenset())
                if authority != authorities[-1]:
                    read |= names.to_jvm
                refused = sorted(names.unmatched.union(str(name) for name in read if not constraints.admits(name)))
                if refused:
                    return f"the name constraints of {authority.subject} do not admit the name {refused[0]} of {one.subject}"
        below.append(authority)
    return _problem_together(authorities[:-1])


def _problem_together(intermediates: Sequence[Certificate]) -> str:
    """A JVM puts the constraints of all CAs below the anchor together, and stumbles over what comes of it in more ways than are
    told here, also where no certificate below has such names.
    """
    constrained = [one for one in intermediates if one.name_constraints is not None]
    for lower, upper in pairwise(constrained):
        if lower.name_constraints != upper.name_constraints:
            return (
                f"{lower.subject} and {upper.subject} have different name constraints, which JVMs cannot put together"
            )
    return ""


def _policy_problem(leaf: Certificate | None, authorities: Sequence[Certificate]) -> str:
    """No verifier applies the policy constraints of the anchor. OpenSSL applies none unless it is told to.

    A certificate that requires an explicit policy from some depth on needs one that all of the path share. A leaf
    that does not exist yet has none, like every leaf that is issued here.
    """
    middle = authorities[:-1]
    path = [*([] if leaf is None else [leaf]), *middle]
    for below, one in enumerate(path, start=0 if leaf is not None else 1):
        required = one.requires_explicit_policy_after
        if required is not None and required <= below and not _share_a_policy(leaf, path):
            return f"{one.subject} requires certificate policies, and the path below it has no common one"
    return ""


def _share_a_policy(leaf: Certificate | None, path: Sequence[Certificate]) -> bool:
    mapped = any(one.maps_policies for one in path)
    return leaf is not None and not mapped and bool(frozenset.intersection(*(one.policies for one in path)))

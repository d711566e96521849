# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Asking beforehand whether the identity of a run is permitted to do something: SelfSubjectAccessReview
(authorization.k8s.io/v1).
"""

from __future__ import annotations

from .client import KubeClient
from .resources import SELF_SUBJECT_ACCESS_REVIEWS, Attempt


def is_allowed(client: KubeClient, attempt: Attempt) -> bool:
    """Whether RBAC would permit this; an admission policy may refuse it all the same.

    Every answer other than a plain yes counts as no. Raises KubeError where it cannot be asked.
    """
    review = {
        "apiVersion": SELF_SUBJECT_ACCESS_REVIEWS.api_version,
        "kind": SELF_SUBJECT_ACCESS_REVIEWS.kind,
        "spec": {"resourceAttributes": _attributes(attempt)},
    }
    answer = client.create(SELF_SUBJECT_ACCESS_REVIEWS, None, review)
    return (answer.get("status") or {}).get("allowed") is True


def _attributes(attempt: Attempt) -> dict[str, str]:
    """The name is left out where all objects are meant; a rule for some of them is not enough then."""
    given = {
        "verb": attempt.verb,
        "group": attempt.resource.group,
        "resource": attempt.resource.plural,
        "subresource": attempt.subresource,
        "namespace": attempt.namespace,
        "name": attempt.name,
    }
    return {key: value for key, value in given.items() if value}

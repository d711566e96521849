# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The missing permissions of those that a reload takes, in words and as rules of a Role."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import KubeError, Unauthorized
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.stamping import why_not_permitted

from ...support.memory_api import MemoryApi, Response
from ...support.permissions import Restricted
from .._kube.doubles import status

RULES = {
    "patch strimzipodsets": "verbs: [patch], apiGroups: ['core.strimzi.io'], resources: [strimzipodsets]",
    "patch pods": "verbs: [patch], apiGroups: [''], resources: [pods]",
    "get configmaps": "verbs: [get], apiGroups: [''], resources: [configmaps]",
}


def why(*denied: str, review: Response | None = None) -> str:
    api = Restricted(MemoryApi(), frozenset(denied), review)
    return why_not_permitted(KubeClient(api, sleep=lambda seconds: None), "kafka")


def test_who_may_do_all_of_it() -> None:
    assert why() == ""
    assert why("delete pods", "patch secrets") == ""


@pytest.mark.parametrize("denied", RULES)
def test_one_is_missing(denied: str) -> None:
    assert why(denied) == (
        f"the identity of this run may not {denied} in namespace kafka. Its Role lacks {RULES[denied]}."
    )


def test_all_are_missing() -> None:
    assert why(*RULES) == (
        f"the identity of this run may not {', '.join(RULES)} in namespace kafka. Its Role lacks {'; '.join(RULES.values())}."
    )


@pytest.mark.parametrize(
    ("code", "reason", "said"),
    [
        (403, "Forbidden", "Failed to create SelfSubjectAccessReview: no."),
        (
            404, "NotFound", "Failed to create SelfSubjectAccessReview: the API server does not know "
            "SelfSubjectAccessReview in authorization.k8s.io/v1.",
        ),
        (405, "MethodNotAllowed", "Failed to create SelfSubjectAccessReview: no."),
    ],
)  # fmt: skip
def test_the_api_server_does_not_say(code: int, reason: str, said: str) -> None:
    found = why(review=Response(code, {"reason": reason, "message": "no"}))
    assert found == f"it is not known whether the identity of this run may do what a reload takes: {said}"


@pytest.mark.parametrize(("code", "kind"), [(401, Unauthorized), (503, KubeError)])
def test_an_api_server_that_fails_says_nothing_about_permissions(code: int, kind: type[KubeError]) -> None:
    """Any request that followed would fail as well."""
    with pytest.raises(kind):
        why(review=Response(code, status(code).body))

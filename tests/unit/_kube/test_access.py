# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether something is permitted, asked beforehand; only a plain yes is one."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import Forbidden
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import Response
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import (
    PODS,
    SECRETS,
    Attempt,
    Resource,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.stamping import is_allowed

from .doubles import scripted, status

POD_SETS = Resource("core.strimzi.io", "v1", "strimzipodsets", "StrimziPodSet")
YES = {"allowed": True}


def answer(body: Any) -> Response:
    return Response(201, body, {})


@pytest.mark.parametrize(
    ("attempt", "asked"),
    [
        (
            Attempt("patch", POD_SETS, "kafka"),
            {"verb": "patch", "group": "core.strimzi.io", "resource": "strimzipodsets", "namespace": "kafka"},
        ),
        (
            Attempt("create", PODS, "kafka", None, "portforward"),
            {"verb": "create", "resource": "pods", "subresource": "portforward", "namespace": "kafka"},
        ),
        (
            Attempt("get", SECRETS, "kafka", "demo-ca"),
            {"verb": "get", "resource": "secrets", "namespace": "kafka", "name": "demo-ca"},
        ),
        (Attempt("list", PODS, None), {"verb": "list", "resource": "pods"}),
    ],
)
def test_what_is_asked(attempt: Attempt, asked: dict[str, str]) -> None:
    client, transport, _clock = scripted([answer({"status": YES})])
    assert is_allowed(client, attempt)
    (sent,) = transport.sent
    assert (sent.method, sent.path) == ("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews")
    assert sent.body == {
        "apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview", "spec": {"resourceAttributes": asked},
    }  # fmt: skip
    assert client.writes == 0


@pytest.mark.parametrize(
    "body",
    [
        {"status": {"allowed": False}},
        {"status": {"allowed": False, "denied": True, "reason": "no", "evaluationError": "webhook"}},
        {"status": {"allowed": "true"}},
        {"status": {}},
        {"status": None},
        {},
    ],
)
def test_anything_else_is_a_no(body: dict[str, Any]) -> None:
    client, _transport, _clock = scripted([answer(body)])
    assert not is_allowed(client, Attempt("patch", PODS, "kafka"))


def test_who_may_not_ask() -> None:
    client, _transport, _clock = scripted([status(403, "Forbidden", "no")])
    with pytest.raises(Forbidden, match="create SelfSubjectAccessReview"):
        is_allowed(client, Attempt("patch", PODS, "kafka"))

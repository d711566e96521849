# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""API failures as errors that say what was attempted on what, why it failed and what helps.

The content of an object is never part of a message.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import Resource


@dataclass(frozen=True)
class Attempt:
    """What was attempted. name is None for lists."""

    verb: str
    resource: Resource
    namespace: str
    name: str | None = None

    def __str__(self) -> str:
        if self.name is None:
            return f"{self.verb} {self.resource.kind} objects in namespace {self.namespace}"
        return f"{self.verb} {self.resource.kind} {self.namespace}/{self.name}"


class KubeError(Exception):
    """A request that failed. outcome_unknown: a write whose answer was lost, it may have been done."""

    def __init__(
        self, attempt: Attempt, cause: str, remedy: str, *, status: int | None = None, outcome_unknown: bool = False
    ) -> None:
        super().__init__(f"Failed to {attempt}: {cause.rstrip('.')}.")
        self.attempt = attempt
        self.remedy = remedy
        self.status = status
        self.outcome_unknown = outcome_unknown


class NotFound(KubeError):
    """The object does not exist."""


class ResourceTypeMissing(KubeError):
    """The API server does not know the kind: its CRD is not installed."""


class Conflict(KubeError):
    """The object changed since it was read. Read again and decide again."""


class AlreadyExists(KubeError):
    """The object to create exists."""


class Forbidden(KubeError):
    """RBAC does not allow it."""


class Unauthorized(KubeError):
    """The credentials are not accepted."""


class Invalid(KubeError):
    """The API server refuses the object."""


class Gone(KubeError):
    """The resource version of a watch is too old: list again."""


class Unavailable(KubeError):
    """The API server is overloaded or failing."""


class Unreachable(KubeError):
    """The API server cannot be reached."""


class TimedOut(KubeError):
    """What was waited for did not happen in time."""


def error_from(attempt: Attempt, status: int, body: Mapping[str, Any]) -> KubeError:
    """The error for an answer of the API server."""
    message = str(body.get("message") or body.get("reason") or f"status {status}")
    if status == 404:
        return _missing(attempt, body, message)
    if status == 409:
        kind = AlreadyExists if body.get("reason") == "AlreadyExists" else Conflict
        return kind(attempt, message, "It was changed by somebody else meanwhile; run again.", status=status)
    if status == 403:
        return Forbidden(attempt, message, _rule(attempt), status=status)
    if status == 401:
        return Unauthorized(
            attempt, "the API server does not accept the credentials",
            "Check kubeconfig, context, api_key or the client certificate, and whether they have expired.", status=status,
        )  # fmt: skip
    if status == 410:
        return Gone(attempt, message, "List again.", status=status)
    if status in (400, 413, 415, 422):
        return Invalid(attempt, _public(attempt, message), "The API server refuses this object.", status=status)
    return Unavailable(attempt, message, "Try again when the API server is healthy.", status=status)


def _public(attempt: Attempt, message: str) -> str:
    # A validation message can quote the value it refuses.
    return "it is not valid" if attempt.resource.kind == "Secret" else message


def _missing(attempt: Attempt, body: Mapping[str, Any], message: str) -> KubeError:
    details = body.get("details") or {}
    if details.get("name") or attempt.resource.group.count(".") == 0:
        return NotFound(attempt, message, "Check name and namespace.", status=404)
    crd = f"{attempt.resource.plural}.{attempt.resource.group}"
    return ResourceTypeMissing(
        attempt,
        f"the API server does not know {attempt.resource.kind} in {attempt.resource.group}/{attempt.resource.version}",
        f"Install Strimzi 1.0 or later in this Kubernetes cluster (the CustomResourceDefinition {crd} with version "
        f"{attempt.resource.version} is missing), or check that this is the right cluster.",
        status=404,
    )


def _rule(attempt: Attempt) -> str:
    return (
        f"Add a rule to a Role of namespace {attempt.namespace} and bind it to this identity: apiGroups: "
        f"['{attempt.resource.group}'], resources: [{attempt.resource.plural}], verbs: [{_rbac_verb(attempt)}]. "
        "The collection ships the whole Role as docs/rbac.yml."
    )


def _rbac_verb(attempt: Attempt) -> str:
    verbs = {"read": "get" if attempt.name else "list", "update": "patch"}
    return verbs.get(attempt.verb, attempt.verb)

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""API failures as errors that name the attempt and its object, the cause and the remedy.

The content of an object is never part of a message.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .resources import Resource

#: The verbs of RBAC that change nothing.
_READING = frozenset({"get", "list", "watch"})


@dataclass(frozen=True)
class Attempt:
    """An attempted request. verb: as in a rule of a Role. name is None for lists. namespace is None cluster-wide."""

    verb: str
    resource: Resource
    namespace: str | None
    name: str | None = None
    subresource: str | None = None

    @property
    def is_write(self) -> bool:
        return self.verb not in _READING and self.resource.stored

    @property
    def target(self) -> str:
        """Kind and namespace/name."""
        kind = self.resource.kind
        if self.name is not None:
            name = f"{self.namespace}/{self.name}" if self.namespace else self.name
            return f"the {self.subresource} of {kind} {name}" if self.subresource else f"{kind} {name}"
        if self.verb == "create":
            return f"{kind} in namespace {self.namespace}" if self.namespace else kind
        return f"{kind} objects in {f'namespace {self.namespace}' if self.namespace else 'all namespaces'}"

    def __str__(self) -> str:
        plain = "read" if self.verb == "get" else self.verb
        return f"{plain} {self.target}"


class KubeError(Exception):
    """A request that failed.

    cause: the message of the server. remedy: the advice to the reader.
    outcome_unknown: the answer to a write was lost, or the server gave up on it, so it may have been done.
    is_transient: the failure may pass by itself. retry_after: seconds after which the server asks to be tried again; 0 where it asks nothing.
    """

    def __init__(
        self,
        attempt: Attempt,
        cause: str,
        remedy: str,
        *,
        outcome_unknown: bool = False,
        is_transient: bool = False,
        retry_after: float = 0.0,
    ) -> None:
        doubt = ". It is not known whether it was done" if outcome_unknown else ""
        super().__init__(f"Failed to {attempt}: {cause.rstrip('.')}{doubt}.")
        self.attempt = attempt
        self.cause = cause
        self.remedy = remedy
        self.outcome_unknown = outcome_unknown
        self.is_transient = is_transient
        self.retry_after = retry_after

    @property
    def resource(self) -> Resource:
        return self.attempt.resource

    @property
    def name(self) -> str | None:
        return self.attempt.name


class NotFound(KubeError):
    """The object does not exist."""


class ResourceTypeMissing(KubeError):
    """The API server does not know the kind: its CRD is not installed."""


class Conflict(KubeError):
    """The object changed since it was read. Read again and decide again."""


class AlreadyExists(KubeError):
    """The object to create exists."""


class Forbidden(KubeError):
    """The server does not allow it: RBAC, a quota or an admission policy."""


class Unauthorized(KubeError):
    """The credentials are not accepted."""


class Invalid(KubeError):
    """The API server refuses the object."""


class TooLarge(KubeError):
    """The object is larger than the API server stores."""


class Gone(KubeError):
    """The resource version of a watch is too old: list again."""


class Unavailable(KubeError):
    """The API server is overloaded or failing, or another server answers."""


class Unreachable(KubeError):
    """The API server cannot be reached, or its answer was lost or did not come in time."""


class TimedOut(KubeError):
    """The state that was waited for did not come in time. ``observed``: the objects as last seen, by name."""

    def __init__(self, attempt: Attempt, cause: str, remedy: str, *, observed: Mapping[str, Mapping[str, Any]]) -> None:
        super().__init__(attempt, cause, remedy)
        self.observed = observed

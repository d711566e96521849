# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Kinds of the Kubernetes API, known beforehand (no discovery requests), and a request to them in words.

Times in objects of the Kubernetes API (RFC 3339), and in its answers (RFC 9110).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from urllib.parse import quote

#: The verbs of RBAC that change nothing.
_READING = frozenset({"get", "list", "watch"})


@dataclass(frozen=True)
class Resource:
    """A kind and where it is served. group is empty for the core API.

    stored: False for questions to the API server that are asked with POST and change nothing.
    """

    group: str
    version: str
    plural: str
    kind: str
    stored: bool = True

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    def path(self, namespace: str | None, name: str | None = None, subresource: str | None = None) -> str:
        """The URL path. Without a namespace: of a cluster-wide kind, or of the kind in all namespaces."""
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        scope = ("namespaces", namespace) if namespace else ()
        # Names come from options: quoted, they cannot lead to another object.
        parts = [quote(part, safe="") for part in (*scope, self.plural, name, subresource) if part]
        return "/".join([root, *parts])


@dataclass(frozen=True)
class Attempt:
    """An attempted request."""

    # As in a rule of a Role.
    verb: str
    resource: Resource
    # None for what is cluster-wide.
    namespace: str | None
    # None for lists.
    name: str | None = None
    subresource: str | None = None

    @property
    def kind(self) -> str:
        return self.resource.kind

    @property
    def api_version(self) -> str:
        return self.resource.api_version

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


SECRETS = Resource("", "v1", "secrets", "Secret")
PODS = Resource("", "v1", "pods", "Pod")
CONFIG_MAPS = Resource("", "v1", "configmaps", "ConfigMap")
LEASES = Resource("coordination.k8s.io", "v1", "leases", "Lease")
SELF_SUBJECT_ACCESS_REVIEWS = Resource(
    "authorization.k8s.io", "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview", stored=False
)
EVENTS = Resource("events.k8s.io", "v1", "events", "Event")


_FIRST_YEAR, _LAST_YEAR = 1970, 9000


def read_time(value: object) -> datetime | None:
    """The time, aware; None where there is none, or something else stands in its place.

    Python 3.10 does not read the Z with which the API server ends every time.
    """
    try:
        found = datetime.fromisoformat(str(value).replace("Z", "+00:00"))
    except ValueError:
        return None
    # Near their ends times cannot be reckoned with.
    return None if found.tzinfo is None or not _FIRST_YEAR <= found.year <= _LAST_YEAR else found


def ahead_of_server(sent: datetime, received: datetime, date: str) -> timedelta | None:
    """How far the clock of this machine is ahead of the server's; negative where it is behind, zero where the two may agree. None where the
    answer does not tell.

    sent, received: by the clock of this machine, around a request. date: the field ``Date`` of the answer, in whole seconds (RFC 9110 section
    6.6.1).
    """
    try:
        told = parsedate_to_datetime(date)
    except (TypeError, ValueError):
        return None
    if told.tzinfo is None:
        return None
    return max(sent - (told + timedelta(seconds=1)), timedelta(0)) or min(received - told, timedelta(0))

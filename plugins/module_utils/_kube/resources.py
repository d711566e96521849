# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Kinds of the Kubernetes API, known beforehand (no discovery requests), and a request to them in words."""

from __future__ import annotations

from dataclasses import dataclass
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

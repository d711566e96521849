# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Kinds of Kubernetes objects, their times, and the owners of their fields."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import Any, TypeAlias
from urllib.parse import quote

#: The verbs of RBAC that change nothing.
_READING = frozenset({"get", "list", "watch"})


@dataclass(frozen=True)
class Resource:
    """A kind, and its place in the API."""

    #: Its API group; empty for the core API.
    group: str
    #: The requested version of the group, such as ``v1``.
    version: str
    #: The name of the kind in URLs and in rules of a Role.
    plural: str
    #: The name of the kind in objects and in messages.
    kind: str
    #: False for questions to the API server that go by POST and change nothing.
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

    #: The verb as in a rule of a Role; two verbs with a comma if releases of Kubernetes differ.
    verb: str
    #: The kind of the object.
    resource: Resource
    #: The namespace of the object; None for cluster-scoped resources, and for a list of all namespaces.
    namespace: str | None
    #: The name of the object; None for lists, and for a new object without a name.
    name: str | None = None
    #: The part of the object, such as ``status``, that the request is about; None for the object itself.
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


def read_json(text: str | bytes) -> Any:
    """The value of a JSON text of another program; None if the text is not JSON, or nests deeper than Python reads."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


_FIRST_YEAR, _LAST_YEAR = 1970, 9000


def read_time(value: object) -> datetime | None:
    """The time, aware; None if there is none, or something else stands in its place.

    The API server ends every time with a Z. Python 3.10 does not read it.
    """
    try:
        moment = datetime.fromisoformat(str(value).replace("Z", "+00:00"))
    except ValueError:
        return None
    # Near the first and the last possible time, calculations overflow.
    return None if moment.tzinfo is None or not _FIRST_YEAR <= moment.year <= _LAST_YEAR else moment


#: The path of a field in its object: ("data", "ca.crt"), ("metadata", "annotations", "strimzi.io/ca-cert-generation").
#: An object in a list stands there by its name in brackets: ("spec", "pods", "[demo-kafka-0]", "metadata", "labels").
Field: TypeAlias = tuple[str, ...]


def in_list(name: str) -> str:
    """The part of a field that stands for the object of this name in a list."""
    return f"[{name}]"


def managers_of(stored: Mapping[str, Any] | None) -> Sequence[Mapping[str, Any]]:
    """The programs that have written to the object, as the API server notes them (Kubernetes API,
    ``metadata.managedFields``).
    """
    return ((stored or {}).get("metadata") or {}).get("managedFields") or ()


def owns(manager: Mapping[str, Any], field: Field) -> bool:
    """Whether this program, an entry of ``managers_of``, has written the field, or something in it, last."""
    return _owned_at(manager, field) is not None


def owned_in(manager: Mapping[str, Any], field: Field) -> Iterator[Field]:
    """The fields directly in this field, such as entries of ``("data",)``, if this program has written them last."""
    for name in _owned_at(manager, field) or ():
        if name.startswith("f:"):
            yield (*field, name.removeprefix("f:"))


def _owned_at(manager: Mapping[str, Any], field: Field) -> Mapping[str, Any] | None:
    """The part of ``fieldsV1`` about this field; None if the program has not written the field."""
    fields: Any = manager.get("fieldsV1") or {}
    for part in field:
        if part.startswith("["):
            # The API server notes the owner of such a list as a whole.
            break
        fields = fields.get(f"f:{part}") if isinstance(fields, Mapping) else None
        if fields is None:
            return None
    return fields if isinstance(fields, Mapping) else {}


def fields_of(manager: Mapping[str, Any]) -> Iterator[Field]:
    """The fields that this program, an entry of ``managers_of``, has written last."""
    yield from _flatten_fields((), manager.get("fieldsV1") or {})


def _flatten_fields(above: Field, fields: Mapping[str, Any]) -> Iterator[Field]:
    for name, below in fields.items():
        # The point stands for the map or the list itself.
        if name != ".":
            field = (*above, name.removeprefix("f:"))
            inside = tuple(_flatten_fields(field, below)) if isinstance(below, Mapping) else ()
            yield from inside or (field,)


#: The manager of fields that this collection has written, in the notes of the API server (Kubernetes API,
#: ``metadata.managedFields``), whatever User-Agent is configured.
FIELD_MANAGER = "trustops.strimzi"


def is_of_this_collection(stored: Mapping[str, Any] | None, field: Field) -> bool:
    """Whether a call of this collection has written the field last."""
    return any(manager.get("manager") == FIELD_MANAGER and owns(manager, field) for manager in managers_of(stored))


def fields_of_this_collection(stored: Mapping[str, Any] | None, field: Field) -> Iterator[Field]:
    """The fields directly in this field, if a call of this collection has written them last."""
    for manager in managers_of(stored):
        if manager.get("manager") == FIELD_MANAGER:
            yield from owned_in(manager, field)


def ahead_of_server(sent: datetime, received: datetime, date: str) -> timedelta | None:
    """How far the clock of this machine is ahead of the server's; negative if it is behind, zero if the two may agree.
    None if the answer does not tell.

    By the clock of this machine the request went at ``sent`` and the answer came at ``received``. The field ``Date`` of
    the answer has whole seconds (RFC 9110 section 6.6.1).
    """
    answered = _read_date(date)
    if answered is None:
        return None
    return max(sent - (answered + timedelta(seconds=1)), timedelta(0)) or min(received - answered, timedelta(0))


@lru_cache(maxsize=64)
def _read_date(date: str) -> datetime | None:
    """The time in a field ``Date``; None for any other text. Answers of the same second have the same time."""
    try:
        moment = parsedate_to_datetime(date)
    except (TypeError, ValueError):
        return None
    return None if moment.tzinfo is None else moment

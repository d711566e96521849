# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Kinds of Kubernetes objects, their times, and the errors that the API server's answers mean."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from enum import Enum
from functools import lru_cache
from typing import Any, TypeAlias
from urllib.parse import quote

from .._errors import (
    AlreadyExists,
    Conflict,
    Forbidden,
    Gone,
    Invalid,
    KubeError,
    NotFound,
    ResourceTypeMissing,
    TooLarge,
    Unauthorized,
    Unavailable,
)

#: The verbs of RBAC that change nothing.
_READING = frozenset({"get", "list", "watch"})


@dataclass(frozen=True)
class Resource:
    """A kind and where it is served."""

    #: Its API group; empty for the core API.
    group: str
    #: The version of the group that is requested, such as ``v1``.
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

    #: The verb as in a rule of a Role; two verbs with a comma where releases of Kubernetes differ.
    verb: str
    #: The kind of the object.
    resource: Resource
    #: The namespace of the object; None for cluster-scoped resources, and for a list of all namespaces.
    namespace: str | None
    #: The name of the object; None for lists, and for a new object that has none.
    name: str | None = None
    #: The part of the object that the request is about, such as ``status``; None for the object itself.
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
    """The value of a JSON text that another program has written; None where the text is not JSON, or nests deeper than Python reads."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


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


#: Where a field is in its object: ("data", "ca.crt"), ("metadata", "annotations", "strimzi.io/ca-cert-generation").
#: An object in a list stands there by its name in brackets: ("spec", "pods", "[demo-kafka-0]", "metadata", "labels").
Field: TypeAlias = tuple[str, ...]


def in_list(name: str) -> str:
    """The part of a field that stands for the object of this name in a list."""
    return f"[{name}]"


def managers_of(found: Mapping[str, Any] | None) -> Sequence[Mapping[str, Any]]:
    """The programs that have written to the object, as the API server notes them (Kubernetes API, ``metadata.managedFields``)."""
    return ((found or {}).get("metadata") or {}).get("managedFields") or ()


def owns(manager: Mapping[str, Any], field: Field) -> bool:
    """Whether this program, an entry of ``managers_of``, has written the field, or something in it, last."""
    return _owned_at(manager, field) is not None


def owned_in(manager: Mapping[str, Any], field: Field) -> Iterator[Field]:
    """The fields directly in this field, such as the entries of ``("data",)``, that this program has written last."""
    for name in _owned_at(manager, field) or ():
        if name.startswith("f:"):
            yield (*field, name.removeprefix("f:"))


def _owned_at(manager: Mapping[str, Any], field: Field) -> Mapping[str, Any] | None:
    """The part of ``fieldsV1`` about this field; None where the program has not written the field."""
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


#: The manager by which the API server notes fields that this collection has written, whatever User-Agent is configured (Kubernetes API,
#: ``metadata.managedFields``).
FIELD_MANAGER = "trustops.strimzi"


def is_of_this_collection(found: Mapping[str, Any] | None, field: Field) -> bool:
    """Whether a call of this collection has written the field last."""
    return any(manager.get("manager") == FIELD_MANAGER and owns(manager, field) for manager in managers_of(found))


def fields_of_this_collection(found: Mapping[str, Any] | None, field: Field) -> Iterator[Field]:
    """The fields directly in this field that a call of this collection has written last."""
    for manager in managers_of(found):
        if manager.get("manager") == FIELD_MANAGER:
            yield from owned_in(manager, field)


def ahead_of_server(sent: datetime, received: datetime, date: str) -> timedelta | None:
    """How far the clock of this machine is ahead of the server's; negative where it is behind, zero where the two may agree. None where the answer does not
    tell.

    By the clock of this machine the request went at ``sent`` and the answer came at ``received``, whose field ``Date`` has whole seconds (RFC 9110 section
    6.6.1).
    """
    told = _read_date(date)
    if told is None:
        return None
    return max(sent - (told + timedelta(seconds=1)), timedelta(0)) or min(received - told, timedelta(0))


@lru_cache(maxsize=64)
def _read_date(date: str) -> datetime | None:
    """The time in a field ``Date``; None for any other text. Answers that come in the same second have the same."""
    try:
        told = parsedate_to_datetime(date)
    except (TypeError, ValueError):
        return None
    return None if told.tzinfo is None else told


#: How RBAC, the API server and etcd refuse an object for its size.
_TOO_LARGE = re.compile(r"Too long: (?:must have|may not be) [a-z ]+ \d+ |too large")
#: How a webhook or a policy of the Kubernetes cluster refuses an object, whichever status it chooses (Kubernetes, "Dynamic Admission Control", "Validating
#: Admission Policy").
_DENIED = re.compile(r"admission webhook \"|ValidatingAdmissionPolicy '")
_USER = re.compile(r'User "([^"]+)" cannot ')
_IMPERSONATED = re.compile(r'User "([^"]+)" cannot impersonate resource "([^"]+)" in API group "([^"]*)"')
_PEM = re.compile(r"-----BEGIN.*?(?:-----END[^-]*-----|$)", re.DOTALL)
_ENCODED = re.compile(r"[A-Za-z0-9+/=_]{44,}")


class Done(Enum):
    """The part that an answer which reports a failure leaves open about the write that it answers."""

    NO = "the server has not begun with it"
    UNKNOWN = "the server may have done it"


#: The HTTP statuses of failures that may pass by themselves, and what they say of a write (API conventions of Kubernetes, "HTTP Status codes"; RFC 9110,
#: section 15). All others are final, such as 401, 403, 404, 409 and 422: the same request would be answered alike.
TRANSIENT: Mapping[int, Done] = {
    408: Done.UNKNOWN,
    429: Done.NO,
    500: Done.UNKNOWN,
    502: Done.UNKNOWN,
    503: Done.UNKNOWN,
    504: Done.UNKNOWN,
}

#: A shorter text is no secret, and may be a part of any word.
_SECRET = 6
_NO_API_SERVER = "Check host and proxy: the server that answers is not a Kubernetes API server."
#: How an API server says that it does not know a kind: by a Status, or by the text of its multiplexer. Proxies have pages of their own.
_UNKNOWN_KIND = re.compile(r"404 page not found|the server could not find the requested resource")
_POLICY = "Ask the administrators of the Kubernetes cluster: a policy or quota forbids it, not a missing role."
#: Verbs that can be granted for single objects.
_NAMED_VERBS = frozenset({"get", "update", "patch", "delete", "watch"})


def error_from(
    attempt: Attempt,
    status: int,
    body: Mapping[str, Any],
    retry_after: float = 0.0,
    sent: Mapping[str, Any] | None = None,
) -> KubeError:
    """The error for an answer with an HTTP status that is not a success. The answer asks for a wait of ``retry_after`` seconds; ``sent`` is the object of
    the request, or its patch.

    The reason of a Status object decides before the HTTP status, as two reasons share 409.
    """
    reason = str(body.get("reason") or "")
    message = _public(attempt, body, sent or {}, str(body.get("message") or reason or f"HTTP status {status}"))
    kind, remedy = _choose_error(attempt, status, reason, str(body.get("message") or ""), body)
    if kind is ResourceTypeMissing:
        message = f"the API server does not know {attempt.resource.kind} in {attempt.resource.api_version}"
    if kind is TooLarge:
        message = "it is too large"
    if kind is Unauthorized:
        message = "the API server does not accept the credentials"
    if kind is not Unavailable:
        return kind(attempt, message, remedy)
    return kind(
        attempt, message, remedy,
        outcome_unknown=attempt.is_write and TRANSIENT.get(status) is Done.UNKNOWN,
        is_transient=status in TRANSIENT, retry_after=retry_after,
    )  # fmt: skip


def _choose_error(
    attempt: Attempt, status: int, reason: str, message: str, body: Mapping[str, Any]
) -> tuple[type[KubeError], str]:
    if status == 413 or _TOO_LARGE.search(message):
        return TooLarge, _smaller(attempt)
    if 400 <= status < 500 and status != 403 and _DENIED.search(message):
        return Invalid, _POLICY
    if status == 404:
        return _missing(attempt, body)
    if status == 409:
        if reason == "AlreadyExists":
            return AlreadyExists, "Another client created it meanwhile; run again."
        return Conflict, "Another client changed it meanwhile; run again."
    if status == 403:
        return Forbidden, _name_missing_rule(attempt, message)
    if status == 401:
        return Unauthorized, (
            "Check kubeconfig and context, or api_key, or client_cert and client_key, and whether they have expired; "
            "an exec plugin of the kubeconfig must be able to log in without asking."
        )
    if status == 410:
        return Gone, "List again."
    if 400 <= status < 500 and status not in TRANSIENT:
        return Invalid, f"Correct the {attempt.resource.kind}; the API server refuses it."
    if status >= 400:
        return Unavailable, "Run again when the API server is healthy; a flow continues where it stopped."
    return Unavailable, _NO_API_SERVER


def _smaller(attempt: Attempt) -> str:
    if attempt.resource.kind == "Secret":
        return "A Secret holds at most 1 MiB: remove CAs from it that are neither trusted nor used any more, then run again."
    return f"Make the {attempt.resource.kind} smaller."


def _missing(attempt: Attempt, body: Mapping[str, Any]) -> tuple[type[KubeError], str]:
    details = body.get("details") or {}
    if details.get("kind") == "namespaces":
        return NotFound, f"Create the namespace {attempt.namespace}, or correct the option namespace."
    if details.get("name"):
        return NotFound, "Check name and namespace."
    if body.get("reason") != "NotFound" and not _UNKNOWN_KIND.match(str(body.get("message"))):
        return Unavailable, _NO_API_SERVER
    resource = attempt.resource
    if "." in resource.group and not resource.group.endswith(".k8s.io"):
        return ResourceTypeMissing, (
            f"Install the CustomResourceDefinition {resource.plural}.{resource.group} with version {resource.version} "
            "(Strimzi 0.51 or later), or check that this is the right Kubernetes cluster."
        )
    return ResourceTypeMissing, "Check host: it must be the URL of a Kubernetes API server, without more path."


def _name_missing_rule(attempt: Attempt, message: str) -> str:
    """The remedy that names the missing rule."""
    if "because it is being terminated" in message:
        return f"Namespace {attempt.namespace} is being deleted: run again when it is there again, or correct the option namespace."
    if "admission" in message.lower() or "exceeded quota" in message:
        return _POLICY
    if impersonated := _IMPERSONATED.search(message):
        whom, resource, group = impersonated.groups()
        return (
            f"Add this rule to a ClusterRole and bind it to {whom}: verbs: [impersonate], apiGroups: ['{group}'], "
            f"resources: [{resource}]; or leave out impersonate_user and impersonate_groups."
        )
    role = f"a Role in namespace {attempt.namespace}" if attempt.namespace else "a ClusterRole"
    found = _USER.search(message)
    whom = found.group(1) if found else "the identity of this run"
    # Imported only where a permission is missing.
    from .shipped_roles import describe_roles_with

    return f"Add this rule to {role} and bind it to {whom}: {rule_for(attempt)}.{describe_roles_with((attempt,))}"


def rule_for(attempt: Attempt) -> str:
    """The rule that permits it, as it is written in a Role."""
    plural = f"{attempt.resource.plural}/{attempt.subresource}" if attempt.subresource else attempt.resource.plural
    rule = f"verbs: [{attempt.verb}], apiGroups: ['{attempt.resource.group}'], resources: [{plural}]"
    return f"{rule}, resourceNames: [{attempt.name}]" if attempt.name and attempt.verb in _NAMED_VERBS else rule


def _public(attempt: Attempt, body: Mapping[str, Any], sent: Mapping[str, Any], message: str) -> str:
    """The part of a message that may be shown: validation and webhooks quote the values that they refuse."""
    if attempt.resource.kind != "Secret":
        return message
    causes = (body.get("details") or {}).get("causes") or []
    if not _DENIED.search(message) and (body.get("reason") in ("Invalid", "BadRequest") or causes):
        fields = ", ".join(f"{cause.get('field')} ({cause.get('reason')})" for cause in causes)
        return f"it is not valid: {fields}" if fields else "it is not valid"
    for value in sorted((text for text in _values(sent) if len(text) >= _SECRET), key=len, reverse=True):
        message = message.replace(value, "(hidden)")
    return _ENCODED.sub("(hidden)", _PEM.sub("(hidden)", message))


def _values(secret: Mapping[str, Any]) -> Iterator[str]:
    """The data of a Secret as a message may quote it."""
    for encoded in filter(None, (secret.get("data") or {}).values()):
        yield encoded
        with suppress(binascii.Error, UnicodeDecodeError):
            yield base64.b64decode(encoded).decode("utf-8").strip()

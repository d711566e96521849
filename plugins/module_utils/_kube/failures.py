# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The errors behind failed answers of the API server, each with its remedy."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from enum import Enum
from typing import Any

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
    WebhookAway,
)
from .resources import Attempt
from .shipped_roles import describe_roles_with, rule_for

#: The words with which the API server and etcd refuse an object for its size.
_TOO_LARGE = re.compile(r"Too long: (?:must have|may not be) [a-z ]+ \d+ |too large")
#: The words of the API server if a webhook was to judge an object and did not answer.
_WEBHOOK_AWAY = "failed calling webhook"
#: The words with which a webhook or a policy of the Kubernetes cluster refuses an object, by any status (Kubernetes,
#: "Dynamic Admission Control", "Validating Admission Policy").
_DENIED = re.compile(r"admission webhook \"|ValidatingAdmissionPolicy '")
_USER = re.compile(r'User "([^"]+)" cannot ')
_IMPERSONATED = re.compile(r'User "([^"]+)" cannot impersonate resource "([^"]+)" in API group "([^"]*)"')
_PEM = re.compile(r"-----BEGIN.*?(?:-----END[^-]*-----|$)", re.DOTALL)
_ENCODED = re.compile(r"[A-Za-z0-9+/=_]{44,}")


class Done(Enum):
    """Whether the server may have begun with a write, by its answer with a failure."""

    NO = "the server has not begun with it"
    UNKNOWN = "the server may have done it"


#: The HTTP statuses of failures that may pass by themselves, and what they say of a write (API conventions of
#: Kubernetes, "HTTP Status codes"; RFC 9110, section 15). All others are final, such as 401, 403, 404, 409 and 422: if
#: the same request is sent again, it gets the same answer.
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
#: The words of an API server about an unknown kind: by a Status, or by the text of its multiplexer. Proxies have pages
#: of their own.
_UNKNOWN_KIND = re.compile(r"404 page not found|the server could not find the requested resource")
_POLICY = "Ask the administrators of the Kubernetes cluster: a policy or quota forbids it, not a missing role."


def error_from(
    attempt: Attempt,
    status: int,
    body: Mapping[str, Any],
    retry_after: float = 0.0,
    sent: Mapping[str, Any] | None = None,
) -> KubeError:
    """The error for an answer with an HTTP status that is no success. The answer asks for a wait of ``retry_after``
    seconds; ``sent`` is the object of the request, or its patch.

    If there is a Status object, its reason decides before the HTTP status: two reasons share 409.
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
    if not issubclass(kind, Unavailable):
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
        kind = WebhookAway if _WEBHOOK_AWAY in message else Unavailable
        return kind, "Run again when the API server is healthy; a flow continues where it stopped."
    return Unavailable, _NO_API_SERVER


def _smaller(attempt: Attempt) -> str:
    if attempt.resource.kind == "Secret":
        return (
            "A Secret can contain at most 1 MiB: remove CAs from it that are neither trusted nor used any more, then "
            "run again."
        )
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
        return (
            f"Namespace {attempt.namespace} is being deleted: run again when it is there again, or correct the option "
            "namespace."
        )
    if "admission" in message.lower() or "exceeded quota" in message:
        return _POLICY
    if impersonated := _IMPERSONATED.search(message):
        whom, resource, group = impersonated.groups()
        return (
            f"Add this rule to a ClusterRole and bind it to {whom}: verbs: [impersonate], apiGroups: ['{group}'], "
            f"resources: [{resource}]; or leave out impersonate_user and impersonate_groups."
        )
    role = f"a Role in namespace {attempt.namespace}" if attempt.namespace else "a ClusterRole"
    user = _USER.search(message)
    whom = user.group(1) if user else "the identity of this run"
    return f"Add this rule to {role} and bind it to {whom}: {rule_for(attempt)}.{describe_roles_with((attempt,))}"


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
    """The data of a Secret in the forms that a message may quote."""
    for encoded in filter(None, (secret.get("data") or {}).values()):
        yield encoded
        with suppress(binascii.Error, UnicodeDecodeError):
            yield base64.b64decode(encoded).decode("utf-8").strip()

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The common parts of all requests to cert-manager: conditions in the status of its objects, the reference to an
issuer, and the errors before a run can ask it (docs/issuers/cert-manager.md, "States of a request").
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..._errors import Attempted, Invalid, IssuerUnavailable, KubeError, ResourceTypeMissing, WebhookAway, fit_in_line
from ..._kube.resources import Resource
from ..._strimzi.issuer_settings import CertManagerIssuer
from ..._strimzi.names import CLUSTER_ISSUERS, ISSUERS
from ..issuer import Refused, Waiting

Object = Mapping[str, Any]


def status_of(item: Object) -> Object:
    status: Object = item.get("status") or {}
    return status


def conditions_of(item: Object) -> dict[str, Object]:
    """The conditions of an object by their type."""
    return {str(condition.get("type")): condition for condition in status_of(item).get("conditions") or ()}


def is_true(conditions: Mapping[str, Object], kind: str) -> bool:
    return conditions.get(kind, {}).get("status") == "True"


def message_of(condition: Object) -> str:
    """The message of a condition, else its reason, on one line; it may come from any writer."""
    return fit_in_line(str(condition.get("message") or condition.get("reason") or "")) or "no reason is given"


_GROUP = ISSUERS.group
#: The kinds with a signer named by cert-manager itself, for approvers (External Certificate Manager, "API").
_KINDS: Mapping[str, Resource] = {resource.kind: resource for resource in (ISSUERS, CLUSTER_ISSUERS)}


@dataclass(frozen=True)
class IssuerReference:
    """The issuer of cert-manager in requests."""

    #: The name, the kind and the API group of the issuer, from the options.
    settings: CertManagerIssuer
    #: The namespace of the requests, and of a namespaced issuer.
    namespace: str

    @property
    def as_field(self) -> dict[str, str]:
        return {"name": self.settings.name, "kind": self.settings.kind, "group": self.settings.group}

    @property
    def is_of_cert_manager(self) -> bool:
        """Whether it is an issuer of cert-manager itself."""
        return self.settings.group == _GROUP

    @property
    def resource(self) -> Resource | None:
        """The kind, if it is a kind of cert-manager itself."""
        return _KINDS.get(self.settings.kind) if self.is_of_cert_manager else None

    @property
    def home(self) -> str | None:
        """The namespace in which cert-manager looks for it; None if it is in none, or the namespace is unknown."""
        return self.namespace if self.resource is ISSUERS else None

    def __str__(self) -> str:
        group = "" if self.is_of_cert_manager else f" of {self.settings.group}"
        return f"{self.settings.kind} {self.settings.name}{group}"

    @property
    def signer(self) -> str:
        """The name of the signer for an approver, as in ``resourceNames`` of a Role; empty if another group names its
        own.
        """
        if self.resource is None:
            return ""
        scope = f"{self.home}." if self.home else ""
        return f"{self.resource.plural}.{_GROUP}/{scope}{self.settings.name}"

    def is_of(self, request: Object) -> bool:
        """Whether the request names this issuer."""
        field = request["spec"].get("issuerRef") or {}
        named = (field.get("name"), field.get("kind") or ISSUERS.kind, field.get("group") or _GROUP)
        return named == (self.settings.name, self.settings.kind, self.settings.group)


_INSTALL = (
    "Install cert-manager 1.0 or later with its CustomResourceDefinitions, or check that this is the right Kubernetes "
    "cluster"
)


def _not_installed(kind: Attempted | Resource) -> str:
    return f"is not installed: the API server does not know {kind.kind} in {kind.api_version}"


def not_installed(kind: Resource) -> Waiting:
    """The answer to every earlier request."""
    return Waiting(f"cert-manager {_not_installed(kind)}. {_INSTALL}.")


def refuse_foreign_token(reference: str) -> Refused:
    """The answer about a token of another client for the issuer of this reference."""
    return Refused(
        f"The record of a request to {reference} cannot be read: another client has changed it.",
        "Run again, so that the leaf is requested again.",
    )


def refuse_unwritten(error: KubeError, target: str, issuer: object) -> Refused:
    """The refusal of an unwritten object; sentences name it as ``target``. Raises IssuerUnavailable if another run may
    write it as it is, and the error itself if it is not about cert-manager.
    """
    if isinstance(error, ResourceTypeMissing):
        raise IssuerUnavailable("cert-manager", _not_installed(error.attempt), f"{_INSTALL}.") from None
    if isinstance(error, Invalid):
        return Refused(
            f"{target} is not accepted: {fit_in_line(error.cause)}.",
            f"Correct the issuer ({issuer}) or the names of this leaf as this says; then run again.",
        )
    if isinstance(error, WebhookAway):
        raise IssuerUnavailable(
            target,
            f"cannot be made: {fit_in_line(error.cause)}",
            "See that the webhook named here answers (cert-manager's pods have to run), then run again.",
        ) from None
    raise error

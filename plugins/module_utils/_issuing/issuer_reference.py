# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""An issuer of cert-manager, as objects that ask it name it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .._kube.resources import Resource
from .._strimzi.issuer_settings import CertManagerIssuer
from .._strimzi.resources import CLUSTER_ISSUERS, ISSUERS
from .cert_manager_conditions import Object

_GROUP = ISSUERS.group
#: The kinds whose signers cert-manager itself names, for those who approve (External Certificate Manager, "API").
_KINDS: Mapping[str, Resource] = {one.kind: one for one in (ISSUERS, CLUSTER_ISSUERS)}


@dataclass(frozen=True)
class IssuerReference:
    """The issuer of cert-manager that requests name. namespace: of the requests, and of the issuer if it has one."""

    settings: CertManagerIssuer
    namespace: str

    @property
    def as_field(self) -> dict[str, str]:
        return {"name": self.settings.name, "kind": self.settings.kind, "group": self.settings.group}

    @property
    def own(self) -> bool:
        """Whether it is an issuer of cert-manager itself."""
        return self.settings.group == _GROUP

    @property
    def resource(self) -> Resource | None:
        """The kind, where it is one of cert-manager itself."""
        return _KINDS.get(self.settings.kind) if self.own else None

    @property
    def home(self) -> str | None:
        """The namespace in which cert-manager looks for it; None where it is in none, or that is not known."""
        return self.namespace if self.resource is ISSUERS else None

    def __str__(self) -> str:
        group = "" if self.own else f" of {self.settings.group}"
        return f"{self.settings.kind} {self.settings.name}{group}"

    @property
    def signer(self) -> str:
        """The name of the signer for which an approver approves, as in ``resourceNames`` of a Role; empty where another group names its own."""
        if self.resource is None:
            return ""
        scope = f"{self.home}." if self.home else ""
        return f"{self.resource.plural}.{_GROUP}/{scope}{self.settings.name}"

    def is_of(self, request: Object) -> bool:
        """Whether the request names this issuer."""
        field = request["spec"].get("issuerRef") or {}
        named = (field.get("name"), field.get("kind") or ISSUERS.kind, field.get("group") or _GROUP)
        return named == (self.settings.name, self.settings.kind, self.settings.group)

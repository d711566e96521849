# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""CertificateRequests of cert-manager: how they are written, and what their conditions mean
(docs/issuers/cert-manager.md, "States of a request"; CA abstraction, "type: cert-manager.io").
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._pki.certificates import CertificateError, Chain, parse_chain
from .._pki.leaf_usability import Purpose
from .._strimzi.issuer_settings import CertManagerIssuer
from .._strimzi.names import CLUSTER_LABEL, ClusterNames
from .._strimzi.resources import CERTIFICATE_REQUESTS
from .cert_manager_conditions import Object, conditions_of, holds, said, status_of
from .issuer import Answer, IssuedCertificate, LeafOrder, Refused, Waiting

_GROUP, _KIND = "cert-manager.io", "Issuer"
#: As people type it: other APIs have certificate requests too.
PLURAL = f"{CERTIFICATE_REQUESTS.plural}.{CERTIFICATE_REQUESTS.group}"
#: The kinds whose signers cert-manager itself names, for whoever approves (External Certificate Manager, "API").
_SIGNERS = {"Issuer": "issuers", "ClusterIssuer": "clusterissuers"}


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
        """Of cert-manager itself."""
        return self.settings.group == _GROUP

    def __str__(self) -> str:
        group = "" if self.own else f" of {self.settings.group}"
        return f"{self.settings.kind} {self.settings.name}{group}"

    @property
    def signer(self) -> str:
        """What is approved for, as in ``resourceNames`` of a Role; empty where another group names its own."""
        plural = _SIGNERS.get(self.settings.kind, "") if self.own else ""
        scope = f"{self.namespace}." if self.settings.kind == _KIND else ""
        return f"{plural}.{_GROUP}/{scope}{self.settings.name}" if plural else ""

    def is_of(self, request: Object) -> bool:
        """Whether the request names this issuer."""
        field = request["spec"].get("issuerRef") or {}
        named = (field.get("name"), field.get("kind") or _KIND, field.get("group") or _GROUP)
        return named == (self.settings.name, self.settings.kind, self.settings.group)


def own_labels(scope: ClusterNames) -> dict[str, str]:
    """Those by which objects of cert-manager are found again that were made here for a Kafka cluster."""
    return {"app.kubernetes.io/managed-by": "trustops.strimzi", CLUSTER_LABEL: scope.cluster}


def manifest(order: LeafOrder, issuer: IssuerReference, labels: Mapping[str, str]) -> dict[str, Any]:
    """The object that asks for the leaf."""
    spec = {
        "request": base64.b64encode(order.csr).decode("ascii"),
        "issuerRef": issuer.as_field,
        "duration": f"{int(order.validity.total_seconds())}s",
        "isCA": False,
        "usages": usages(order.subject.purposes),
    }
    return {
        "apiVersion": CERTIFICATE_REQUESTS.api_version,
        "kind": CERTIFICATE_REQUESTS.kind,
        "metadata": {"name": order.name, "labels": dict(labels)},
        "spec": spec,
    }


def usages(purposes: frozenset[Purpose]) -> list[str]:
    """Those of every leaf, and those of what it is for. The CSR asks for none itself: cert-manager fails one that asks for others."""
    ends = {Purpose.SERVER: "server auth", Purpose.CLIENT: "client auth"}
    return ["digital signature", "key encipherment", *(text for purpose, text in ends.items() if purpose in purposes)]


def csr_of(request: Object) -> bytes:
    """PEM; empty where it cannot be read."""
    return _decoded(request["spec"].get("request"))


def answer_to(request: Object, issuer: IssuerReference) -> Answer:
    """What has become of a request. A denial counts whatever else is said; what is ready is not looked at any further
    by cert-manager, nor is what has failed.
    """
    conditions = conditions_of(request)
    target = named(str(request["metadata"]["name"]), issuer)
    ready = conditions.get("Ready", {})
    if holds(conditions, "Denied"):
        return _denied(target, conditions["Denied"], issuer)
    if ready.get("reason") == "Denied":
        return _denied(target, ready, issuer)
    if holds(conditions, "InvalidRequest"):
        return Refused(
            f"{target} is invalid: {said(conditions['InvalidRequest'])}.",
            f"Let {issuer} permit what is asked for, or correct the names that it refuses; then run again.",
        )
    if holds(conditions, "Ready"):
        return _issued(target, request, issuer)
    if ready.get("reason") == "Failed":
        return Refused(f"{target} has failed: {said(ready)}.", f"Correct {issuer} as this says; then run again.")
    return Waiting(_why_waiting(target, conditions, issuer))


def named(name: str, issuer: IssuerReference) -> str:
    """The request in sentences."""
    return f"{CERTIFICATE_REQUESTS.kind} {issuer.namespace}/{name}"


def _denied(target: str, condition: Object, issuer: IssuerReference) -> Refused:
    return Refused(
        f"{target} was denied: {said(condition)}.",
        f"Ask those who approve requests for {issuer}, or change their policy so that it permits this one; then run again.",
    )


def _why_waiting(target: str, conditions: Mapping[str, Object], issuer: IssuerReference) -> str:
    if "Ready" in conditions:
        home = f" in namespace {issuer.namespace}" if issuer.settings.kind == _KIND and issuer.own else ""
        return f"{target} is pending: {said(conditions['Ready'])}. {issuer} has to exist{home} and to be Ready."
    if holds(conditions, "Approved"):
        return (
            f"{target} is approved, and no controller has begun with it. Check that the controller of {issuer} runs, "
            "and that it serves this namespace."
        )
    who = f"whoever may approve for signers {issuer.signer}" if issuer.signer else f"whoever may approve for {issuer}"
    return (
        f"{target} is not approved. cert-manager approves by itself unless that is switched off, or not permitted for "
        f"this kind of issuer, or cert-manager does not run; else {who} has to (cmctl approve -n {issuer.namespace} "
        f"{target.rpartition('/')[2]})."
    )


def _issued(target: str, request: Object, issuer: IssuerReference) -> Answer:
    status = status_of(request)
    try:
        leaf, *above = parse_chain(_decoded(status.get("certificate")))
    except CertificateError as problem:
        return Refused(
            f"{target} is Ready, and its certificate cannot be used: {problem}.",
            f"Correct {issuer}: status.certificate has to hold the certificate and what lies above it, as PEM; then run again.",
        )
    return IssuedCertificate(leaf, upwards((leaf, *above), best_effort(_decoded(status.get("ca"))))[1:])


def upwards(known: Chain, more: Chain) -> Chain:
    """Extended by the CAs that the issuer tells apart, as far as each has signed the one before."""
    above = next((one for one in more if one not in known and known[-1].signed_by(one)), None)
    return known if above is None else upwards((*known, above), more)


def best_effort(content: bytes) -> Chain:
    """What cert-manager says of the CA may be absent, or anything (External Certificate Manager, "API")."""
    try:
        return parse_chain(content)
    except CertificateError:
        return ()


def _decoded(encoded: object) -> bytes:
    try:
        return base64.b64decode(encoded) if isinstance(encoded, str) else b""
    except ValueError:
        return b""

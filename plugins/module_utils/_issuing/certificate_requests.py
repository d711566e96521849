# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""CertificateRequests of cert-manager: how they are written, and what their conditions mean
(docs/issuers/cert-manager.md, "States of a request"; CA abstraction, "type: cert-manager.io").
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from typing import Any

from .._errors import CertificateError
from .._pki.certificates import Chain, parse_chain
from .._pki.leaf_usability import Purpose
from .._strimzi.resources import CERTIFICATE_REQUESTS
from .cert_manager_conditions import Object, conditions_of, holds, said, status_of
from .cert_manager_waiting import Circumstances, named_request, why_waiting
from .issuer import Answer, IssuedCertificate, LeafOrder, Refused, Waiting
from .issuer_reference import IssuerReference

#: As people type it: other APIs have certificate requests too.
PLURAL = f"{CERTIFICATE_REQUESTS.plural}.{CERTIFICATE_REQUESTS.group}"


def by_name(items: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Objects as the API server lists them."""
    return {str(one["metadata"]["name"]): one for one in items}


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
    """The usages of every leaf, and those of its purposes. The CSR asks for none itself: cert-manager fails a CSR that asks for others."""
    ends = {Purpose.SERVER: "server auth", Purpose.CLIENT: "client auth"}
    return ["digital signature", "key encipherment", *(text for purpose, text in ends.items() if purpose in purposes)]


def csr_of(request: Object) -> bytes:
    """PEM; empty where it cannot be read."""
    return _decoded(request["spec"].get("request"))


def answer_to(request: Object, at: Circumstances) -> Answer:
    """The answer to a request by its conditions. A denial counts whatever else they say; cert-manager looks no further at a request
    that is ready or has failed.
    """
    conditions, issuer = conditions_of(request), at.issuer
    target = named_request(str(request["metadata"]["name"]), issuer.namespace)
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
    return Waiting(why_waiting(request, at))


def describe_requests(certificates: Iterable[str], requests: Iterable[Object], at: Circumstances) -> dict[str, str]:
    """Sentences that say what the latest request of each Certificate waits for or has come to; a Certificate without one is left out."""
    latest = {name: _latest(name, requests) for name in certificates}
    answers = {name: answer_to(one, at) for name, one in latest.items() if one is not None}
    return {name: one.why for name, one in answers.items() if not isinstance(one, IssuedCertificate)}


def _latest(certificate: str, requests: Iterable[Object]) -> Object | None:
    """The request that cert-manager has made last for the Certificate of this name."""
    own = (one for one in requests if certificate_of(one) == certificate)
    return max(own, key=lambda one: _revision(_annotation(one, "certificate-revision")), default=None)


def certificate_of(request: Object) -> str:
    """The name of the Certificate that a request was made for; empty where it was made for none."""
    return _annotation(request, "certificate-name")


def _annotation(request: Object, name: str) -> str:
    return str((request["metadata"].get("annotations") or {}).get(f"cert-manager.io/{name}", ""))


def _revision(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def _denied(target: str, condition: Object, issuer: IssuerReference) -> Refused:
    return Refused(
        f"{target} was denied: {said(condition)}.",
        f"Ask those who approve requests for {issuer}, or change their policy so that it permits this one; then run again.",
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
    return IssuedCertificate(leaf, extend_chain((leaf, *above), read_ca_field(_decoded(status.get("ca"))))[1:])


def extend_chain(known: Chain, more: Chain) -> Chain:
    """The known chain, extended by the CAs that the issuer tells beside it, as far as each has signed the certificate before."""
    above = next((one for one in more if one not in known and known[-1].signed_by(one)), None)
    return known if above is None else extend_chain((*known, above), more)


def read_ca_field(content: bytes) -> Chain:
    """The certificates in a field about the CA, which cert-manager may leave out or fill with anything (External Certificate Manager, "API")."""
    try:
        return parse_chain(content)
    except CertificateError:
        return ()


def _decoded(encoded: object) -> bytes:
    try:
        return base64.b64decode(encoded) if isinstance(encoded, str) else b""
    except ValueError:
        return b""

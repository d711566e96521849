# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The issuer that asks cert-manager, which has the CA's key, by a CertificateRequest for each leaf
(docs/issuers/cert-manager.md; CA abstraction, "type: cert-manager.io").

CertificateRequests: how they are written, what their conditions mean, and why a request waits: for an approver, a
controller, or its issuer (docs/issuers/cert-manager.md, "States of a request").
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from ..._errors import (
    AlreadyExists,
    CertificateError,
    Conflict,
    Forbidden,
    KubeError,
    NotFound,
    RequestError,
    ResourceTypeMissing,
    fit_in_line,
)
from ..._kube.client import KubeClient
from ..._kube.resources import read_json, read_time
from ..._pki.certificates import Chain, parse_chain
from ..._pki.requests import request_digest
from ..._pki.usability import Purpose
from ..._strimzi.apply.work import Clock
from ..._strimzi.cluster.taken_names import describe_owner
from ..._strimzi.issuer_settings import CertManagerIssuer
from ..._strimzi.names import CERTIFICATE_REQUESTS, ClusterNames, selector_of
from ..issuer import Answer, IssuedCertificate, LeafOrder, Refused, Token, Waiting
from .conditions import (
    IssuerReference,
    Object,
    conditions_of,
    is_true,
    message_of,
    not_installed,
    refuse_foreign_token,
    refuse_unwritten,
    status_of,
)

#: The name for people to type: other APIs have certificate requests too.
PLURAL = f"{CERTIFICATE_REQUESTS.plural}.{CERTIFICATE_REQUESTS.group}"


def by_name(items: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Objects of the API server's list, by name."""
    return {str(item["metadata"]["name"]): item for item in items}


def manifest(order: LeafOrder, issuer: IssuerReference, labels: Mapping[str, str]) -> dict[str, Any]:
    """The object for the leaf."""
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
    """The usages of every leaf, and the usages of its purposes. The CSR has none itself: cert-manager fails a CSR
    with other usages.
    """
    ends = {Purpose.SERVER: "server auth", Purpose.CLIENT: "client auth"}
    return ["digital signature", "key encipherment", *(text for purpose, text in ends.items() if purpose in purposes)]


def csr_of(request: Object) -> bytes:
    """The CSR of a request as PEM; empty if it cannot be read."""
    return _decoded(request["spec"].get("request"))


def answer_to(request: Object, at: Circumstances) -> Answer:
    """The answer to a request by its conditions. A denial counts, whatever else they say. If a request is ready or has
    failed, cert-manager looks no further at it.
    """
    conditions, issuer = conditions_of(request), at.issuer
    target = named_request(str(request["metadata"]["name"]), issuer.namespace)
    ready = conditions.get("Ready", {})
    if is_true(conditions, "Denied"):
        return _denied(target, conditions["Denied"], issuer)
    if ready.get("reason") == "Denied":
        return _denied(target, ready, issuer)
    if is_true(conditions, "InvalidRequest"):
        return Refused(
            f"{target} is invalid: {message_of(conditions['InvalidRequest'])}.",
            f"Let {issuer} permit what the request asks for, or correct the names that it refuses; then run again.",
        )
    if is_true(conditions, "Ready"):
        return _issued(target, request, issuer)
    if ready.get("reason") == "Failed":
        return Refused(f"{target} has failed: {message_of(ready)}.", f"Correct {issuer} as this says; then run again.")
    return Waiting(why_waiting(request, at))


def describe_requests(certificates: Iterable[str], requests: Iterable[Object], at: Circumstances) -> dict[str, str]:
    """Sentences about the latest request of each Certificate: what it waits for or has come to. If a Certificate has no
    request, it is left out.
    """
    latest = {name: _latest(name, requests) for name in certificates}
    answers = {name: answer_to(request, at) for name, request in latest.items() if request is not None}
    return {name: answer.reason for name, answer in answers.items() if not isinstance(answer, IssuedCertificate)}


def _latest(certificate: str, requests: Iterable[Object]) -> Object | None:
    """The last request of cert-manager for the Certificate of this name."""
    own = (request for request in requests if certificate_of(request) == certificate)
    return max(own, key=lambda request: _revision(_annotation(request, "certificate-revision")), default=None)


def certificate_of(made: Object) -> str:
    """The name of the Certificate of a request or Secret of cert-manager; empty if it was made for none."""
    return _annotation(made, "certificate-name")


def _annotation(item: Object, name: str) -> str:
    return str((item["metadata"].get("annotations") or {}).get(f"cert-manager.io/{name}", ""))


def _revision(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def _denied(target: str, condition: Object, issuer: IssuerReference) -> Refused:
    return Refused(
        f"{target} was denied: {message_of(condition)}.",
        f"Ask the approvers of requests for {issuer}, or change their policy so that it permits this request; then run "
        "again.",
    )


def _issued(target: str, request: Object, issuer: IssuerReference) -> Answer:
    status = status_of(request)
    try:
        leaf, *above = parse_chain(_decoded(status.get("certificate")))
    except CertificateError as problem:
        return Refused(
            f"{target} is Ready, and its certificate cannot be used: {problem}.",
            f"Correct {issuer}: status.certificate has to contain the certificate and what lies above it, as PEM; then "
            "run again.",
        )
    return IssuedCertificate(leaf, extend_chain((leaf, *above), read_ca_field(_decoded(status.get("ca"))))[1:])


def extend_chain(chain: Chain, more: Chain) -> Chain:
    """The known chain, extended by the issuer's CAs beside it, as far as each has signed the certificate before."""
    above = next(
        (certificate for certificate in more if certificate not in chain and chain[-1].signed_by(certificate)), None
    )
    return chain if above is None else extend_chain((*chain, above), more)


def read_ca_field(content: bytes) -> Chain:
    """The certificates in a field about the CA. cert-manager may leave it out or fill it with anything (External
    Certificate Manager, "API").
    """
    try:
        return parse_chain(content)
    except CertificateError:
        return ()


def _decoded(encoded: object) -> bytes:
    try:
        return base64.b64decode(encoded) if isinstance(encoded, str) else b""
    except ValueError:
        return b""


#: Seconds in which cert-manager's own approver, and approver-policy, decide if the API server answers at once; and how
#: many answers they need: to the watch that shows the request, the look at policies, the review of access, and the
#: write of the decision, which may have to be repeated.
_APPROVERS_TAKE, _ANSWERS_OF_APPROVERS = 30.0, 5


@dataclass
class Circumstances:
    """The tools to look at requests."""

    #: The client for the state of the issuer.
    client: KubeClient
    #: The issuer in the requests.
    issuer: IssuerReference
    #: The time by the clock of this run.
    now: datetime

    @cached_property
    def state_of_issuer(self) -> str:
        """The state of the issuer, and what to do about it, as sentences."""
        issuer, resource = self.issuer, self.issuer.resource
        home = f" in namespace {issuer.home}" if issuer.home else ""
        has_to = f"{issuer} has to exist{home} and to be Ready"
        if resource is None:
            return f"{has_to}."
        try:
            stored = self.client.get(resource, issuer.home, issuer.settings.name)
        except NotFound:
            return f"{issuer} does not exist{home}: create it, or correct its name and kind."
        except (Forbidden, ResourceTypeMissing):
            return f"{has_to}, which cannot be looked up here (get on {resource.plural}.{resource.group})."
        conditions = conditions_of(stored)
        if "Ready" not in conditions:
            return f"{issuer} has no Ready condition: no controller has looked at it. Check that cert-manager runs."
        if is_true(conditions, "Ready"):
            return f"{issuer} is Ready, so cert-manager goes on by itself."
        return (
            f"{issuer} is not Ready: {message_of(conditions['Ready'])}. Correct it; cert-manager then goes on by "
            "itself."
        )


def named_request(name: str, namespace: str) -> str:
    """The request in sentences."""
    return f"{CERTIFICATE_REQUESTS.kind} {namespace}/{name}"


def why_waiting(request: Object, at: Circumstances) -> str:
    """Why an unfinished request still waits, as sentences."""
    conditions, issuer = conditions_of(request), at.issuer
    target = named_request(str(request["metadata"]["name"]), issuer.namespace)
    if "Ready" in conditions:
        return f"{target} is pending: {message_of(conditions['Ready'])}. {at.state_of_issuer}"
    if is_true(conditions, "Approved"):
        return (
            f"{target} is approved, and no controller has begun with it. Check that the controller of {issuer} runs, "
            "and that it serves this namespace."
        )
    return f"{target} is not approved{_explain_no_approval(request, at)}. {_who_approves(request, issuer)}"


def _explain_no_approval(request: Object, at: Circumstances) -> str:
    """Why the request has no approval. Approvers decide within seconds: if half a minute has passed without a decision,
    none is looking at the request.
    """
    made = read_time(request["metadata"].get("creationTimestamp"))
    limit = timedelta(seconds=at.client.response_time.within(_APPROVERS_TAKE, _ANSWERS_OF_APPROVERS))
    if made is None or at.now - made <= limit:
        return " yet"
    return f", and no approver has decided about it since {made:%Y-%m-%d %H:%M:%S} UTC"


def _who_approves(request: Object, issuer: IssuerReference) -> str:
    asker = fit_in_line(str((request.get("spec") or {}).get("username") or "")) or "the author of the request"
    who = f"signers {issuer.signer}" if issuer.signer else str(issuer)
    return (
        "cert-manager approves by itself unless that is switched off, or not permitted for this kind of issuer, or "
        "cert-manager does not run. Where approver-policy is installed, a CertificateRequestPolicy has to permit it "
        f"that {asker} may use. Else an approver for {who} has to (cmctl approve -n {issuer.namespace} "
        f"{request['metadata']['name']})."
    )


@dataclass(frozen=True)
class _Record:
    """The content of a token."""

    #: Name of the CertificateRequest.
    name: str
    #: Digest of the requested content. By it a run recognises a killed run's request among requests of the same name.
    csr: str

    @classmethod
    def of(cls, order: LeafOrder) -> _Record:
        return cls(order.name, request_digest(order.csr))

    @classmethod
    def read(cls, token: Token) -> _Record | None:
        """The record; None if the token is spoilt."""
        match read_json(token.value):
            case {"certificateRequest": str() as name, "csrSha256": str() as csr}:
                return cls(name, csr)
        return None

    @property
    def token(self) -> Token:
        return Token(json.dumps({"certificateRequest": self.name, "csrSha256": self.csr}).encode())

    def is_about(self, request: Object) -> bool:
        with suppress(RequestError):
            return request_digest(csr_of(request)) == self.csr
        return False


def forget_requests(client: KubeClient, namespace: str, labels: Mapping[str, str], tokens: Sequence[Token]) -> None:
    """Delete the requests of these tokens that have these labels. If a request of the same name is not ours, it stays.
    Raises KubeError.
    """
    records = tuple(filter(None, map(_Record.read, tokens)))
    if not records:
        return
    # Without the kind there are no requests.
    with suppress(ResourceTypeMissing):
        requests = _requests_of(client, namespace, labels)
        for record in records:
            request = requests.get(record.name)
            if request is not None and record.is_about(request):
                # It is gone already, also if another request has its name meanwhile.
                with suppress(NotFound, Conflict):
                    client.delete(CERTIFICATE_REQUESTS, namespace, record.name, uid=request["metadata"].get("uid"))


def _requests_of(client: KubeClient, namespace: str, labels: Mapping[str, str]) -> Mapping[str, dict[str, Any]]:
    """The requests with these labels, by name. Raises KubeError."""
    return by_name(client.list(CERTIFICATE_REQUESTS, namespace, label_selector=selector_of(labels)).items)


class CertManager:
    """The issuer by CertificateRequests, in the cluster's namespace. It needs create, list, get and delete on
    certificaterequests there, and get on the issuer to say what is wrong with it.
    """

    remembers = True

    def __init__(self, client: KubeClient, scope: ClusterNames, settings: CertManagerIssuer, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._namespace = scope.namespace
        self._issuer = IssuerReference(settings, scope.namespace)
        self._labels = scope.own_labels

    @property
    def reference(self) -> str:
        return f"cert-manager {self._issuer}"

    def request(self, order: LeafOrder) -> Token | Refused:
        record, body = _Record.of(order), manifest(order, self._issuer, self._labels)
        try:
            self._client.create(CERTIFICATE_REQUESTS, self._namespace, body)
        except AlreadyExists as error:
            return self._adopt_existing(record, error)
        except KubeError as error:
            return refuse_unwritten(error, self._named(order.name), self._issuer)
        return record.token

    def poll(self, tokens: Sequence[Token]) -> tuple[Answer, ...]:
        """The answers to tokens. Lists all CertificateRequests in a single call, however many there are."""
        if not tokens:
            return ()
        try:
            requests = _requests_of(self._client, self._namespace, self._labels)
        except ResourceTypeMissing:
            return (not_installed(CERTIFICATE_REQUESTS),) * len(tokens)
        at = Circumstances(self._client, self._issuer, self._clock.now())
        return tuple(self._answer(token, requests, at) for token in tokens)

    def forget(self, tokens: Sequence[Token]) -> None:
        """Forget requests, also requests to other issuers of cert-manager."""
        forget_requests(self._client, self._namespace, self._labels, tokens)

    def _answer(self, token: Token, requests: Mapping[str, Object], at: Circumstances) -> Answer:
        record = _Record.read(token)
        if record is None:
            return refuse_foreign_token(self.reference)
        request = requests.get(record.name)
        if request is None or not record.is_about(request):
            instead = "" if request is None else ", and another request has its name"
            return Refused(
                f"{self._named(fit_in_line(record.name))} was deleted{instead}.",
                "Find the program or person that removes requests before they are served; run again, so that the leaf "
                "is requested again.",
            )
        return answer_to(request, at)

    def _named(self, request: str) -> str:
        return named_request(request, self._namespace)

    def _adopt_existing(self, record: _Record, error: AlreadyExists) -> Token | Refused:
        """The request of a killed run, or a refusal because something else has its name."""
        existing = self._client.get_or_none(CERTIFICATE_REQUESTS, self._namespace, record.name)
        if existing is None:
            raise error
        differences = list(self._differences(existing, record))
        if not differences:
            return record.token
        target = self._named(record.name)
        return Refused(
            f"{target} exists already and is not the request of this run: {'; '.join(differences)}. Found there: "
            f"{describe_owner(existing)}.",
            f"Remove it if nothing waits for it (kubectl delete -n {self._namespace} {PLURAL} {record.name}), then run "
            "again.",
        )

    def _differences(self, existing: Object, record: _Record) -> Iterator[str]:
        """Why an object of this name is not the wanted request."""
        if not record.is_about(existing):
            yield "it carries another certificate signing request"
        if not self._issuer.is_of(existing):
            yield "it names another issuer"
        labels = existing["metadata"].get("labels") or {}
        missing = [label for label, value in self._labels.items() if labels.get(label) != value]
        if missing:
            yield f"it lacks labels of ours ({', '.join(missing)})"

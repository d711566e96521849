# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The issuer of which the key is with cert-manager: a CertificateRequest for each leaf (docs/issuers/cert-manager.md; CA abstraction,
"type: cert-manager.io").
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from .._errors import AlreadyExists, Conflict, KubeError, NotFound, RequestError, ResourceTypeMissing
from .._kube.client import KubeClient
from .._pki.printable import fit_in_line
from .._pki.requests import request_digest
from .._strimzi.issuer_settings import CertManagerIssuer
from .._strimzi.names import ClusterNames, selector_of
from .._strimzi.resources import CERTIFICATE_REQUESTS
from .._strimzi.work import Clock
from .cert_manager_conditions import Object
from .cert_manager_errors import not_installed, refuse_foreign_token, refuse_unwritten
from .cert_manager_waiting import Circumstances, named_request
from .certificate_requests import PLURAL, answer_to, by_name, csr_of, manifest
from .issuer import Answer, LeafOrder, Refused, Token
from .issuer_reference import IssuerReference


@dataclass(frozen=True)
class _Record:
    """The content of a token. csr: digest of what is asked for, by which a run finds the request that a killed run has made, and takes
    no other request of the same name for it.
    """

    name: str
    csr: str

    @classmethod
    def of(cls, order: LeafOrder) -> _Record:
        return cls(order.name, request_digest(order.csr))

    @classmethod
    def read(cls, token: Token) -> _Record | None:
        """The record; None where the token is spoilt."""
        try:
            found = json.loads(token.value)
        except ValueError:
            return None
        match found:
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


class CertManager:
    """Asks in the cluster's namespace. Needs create, list, get and delete on certificaterequests there, and get on the issuer to say what
    is wrong with it.
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
            return self._made_before(record, error)
        except KubeError as error:
            return refuse_unwritten(error, self._named(order.name), self._issuer)
        return record.token

    def poll(self, tokens: Sequence[Token]) -> tuple[Answer, ...]:
        """Lists all CertificateRequests in one call, however many there are."""
        if not tokens:
            return ()
        try:
            found = self._requests()
        except ResourceTypeMissing:
            return (not_installed(CERTIFICATE_REQUESTS),) * len(tokens)
        at = Circumstances(self._client, self._issuer, self._clock.now())
        return tuple(self._answer(token, found, at) for token in tokens)

    def forget(self, tokens: Sequence[Token]) -> None:
        """Requests of the same names that are not ours stay."""
        if not tokens:
            return
        # Without the kind there are no requests.
        with suppress(ResourceTypeMissing):
            found = self._requests()
            for record in filter(None, map(_Record.read, tokens)):
                request = found.get(record.name)
                if request is not None and record.is_about(request):
                    self._delete(record.name, request["metadata"].get("uid"))

    def _delete(self, name: str, uid: str | None) -> None:
        # It is gone already, also where another request has its name meanwhile.
        with suppress(NotFound, Conflict):
            self._client.delete(CERTIFICATE_REQUESTS, self._namespace, name, uid=uid)

    def _requests(self) -> Mapping[str, dict[str, Any]]:
        """Our requests, by name."""
        selector = selector_of(self._labels)
        return by_name(self._client.list(CERTIFICATE_REQUESTS, self._namespace, label_selector=selector).items)

    def _answer(self, token: Token, found: Mapping[str, Object], at: Circumstances) -> Answer:
        record = _Record.read(token)
        if record is None:
            return refuse_foreign_token(self.reference)
        request = found.get(record.name)
        if request is None or not record.is_about(request):
            instead = "" if request is None else ", and another one has its name"
            return Refused(
                f"{self._named(fit_in_line(record.name))} was deleted{instead}.",
                "Find out who removes requests before they are served; run again, so that the leaf is asked for anew.",
            )
        return answer_to(request, at)

    def _named(self, request: str) -> str:
        return named_request(request, self._namespace)

    def _made_before(self, record: _Record, error: AlreadyExists) -> Token | Refused:
        """The request of a run that was killed, or something else of its name."""
        found = self._client.get_or_none(CERTIFICATE_REQUESTS, self._namespace, record.name)
        if found is None:
            raise error
        differences = list(self._differences(found, record))
        if not differences:
            return record.token
        target = self._named(record.name)
        return Refused(
            f"{target} exists already and is not the one that is asked for: {'; '.join(differences)}.",
            f"Remove it if nothing waits for it (kubectl delete -n {self._namespace} {PLURAL} {record.name}), then run again.",
        )

    def _differences(self, found: Object, record: _Record) -> Iterator[str]:
        """Why an object of this name is not the request that it should be."""
        if not record.is_about(found):
            yield "it carries another certificate signing request"
        if not self._issuer.is_of(found):
            yield "it names another issuer"
        labels = found["metadata"].get("labels") or {}
        missing = [label for label, value in self._labels.items() if labels.get(label) != value]
        if missing:
            yield f"it lacks labels of ours ({', '.join(missing)})"

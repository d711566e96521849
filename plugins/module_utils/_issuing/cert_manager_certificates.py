# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The issuer of which the keys are with cert-manager, those of leaves too: a Certificate for each leaf, which cert-manager renews
by itself (docs/issuers/cert-manager.md; External Certificate Manager, "Tracking changes to Cluster CA end-entity certificates").
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from .._errors import Conflict, KubeError, NotFound, ResourceTypeMissing
from .._kube.client import KubeClient
from .._kube.resources import SECRETS
from .._strimzi.names import selector_of
from .._strimzi.resources import CERTIFICATE_REQUESTS, CERTIFICATES
from .._strimzi.work import Clock
from .._strimzi.writes import Write, WriteVerb, version
from .cert_manager_conditions import Object
from .cert_manager_errors import not_installed, refuse_foreign_token, refuse_unwritten
from .cert_manager_waiting import Circumstances
from .certificate_requests import by_name, certificate_of, describe_requests
from .certificates import (
    Terms,
    answer_to,
    differing_fields,
    is_issuing,
    is_refused,
    issuing_patch,
    manifest,
    named,
    read_issued,
    refuse_foreign_certificate,
    refuse_taken_secret,
    secret_name,
    spec_patch,
    trouble_of,
    wanted_spec,
)
from .issuer import Answer, IssuedCertificate, Kept, LeafOrder, Refused, Token, Waiting

#: How often a condition is set that controllers of cert-manager change at the same time.
_ATTEMPTS = 5


class CertManagerByCertificates:
    """Needs create, get, list and patch on certificates and patch on their status in the cluster's namespace, list and delete
    on certificaterequests, to tell what they say and to remove refused ones, and get on the issuer, to say what is wrong with it.

    A token names the Certificate, and the certificates of this leaf that will not do.
    """

    #: A Certificate is for all leaves that follow, and no request.
    remembers = False

    def __init__(self, client: KubeClient, terms: Terms, clock: Clock) -> None:
        self._client = client
        self._terms = terms
        self._scope = terms.scope
        self._namespace = terms.scope.namespace
        self._clock = clock

    @property
    def reference(self) -> str:
        return f"cert-manager {self._terms.issuer} by Certificates"

    def request(self, order: LeafOrder) -> Token | Refused:
        """A certificate that cert-manager holds already and that will do is the answer; else cert-manager issues another one."""
        try:
            refused = self._ordered(order)
        except KubeError as error:
            return refuse_unwritten(error, named(order.name, self._namespace), self._terms.issuer)
        return refused or _token(order)

    def _ordered(self, order: LeafOrder) -> Refused | None:
        found = self._client.get_or_none(CERTIFICATES, self._namespace, order.name)
        if found is None:
            if refused := refuse_taken_secret(self._kept_for(order), self._namespace):
                return refused
            found = self._client.create(CERTIFICATES, self._namespace, manifest(order, self._terms))
        elif refused := refuse_foreign_certificate(found, self._scope):
            return refused
        elif patch := self._patch(found, order):
            found = self._client.patch(
                CERTIFICATES, self._namespace, order.name, patch, resource_version=version(found)
            )
        if self._is_to_be_issued(found, order):
            self._issue(found)
        return None

    def _patch(self, found: Object, order: LeafOrder) -> dict[str, Any]:
        wanted = wanted_spec(order, self._terms)
        return spec_patch(found, wanted) if differing_fields(found, wanted) else {}

    def _is_to_be_issued(self, found: Object, order: LeafOrder) -> bool:
        """Whether cert-manager would not issue it now by itself: it keeps a certificate that will not do, or waits after a failure."""
        held = read_issued(self._kept_for(order), secret_name(order.name), self._namespace)
        if isinstance(held, IssuedCertificate):
            return held.leaf.sha256 in order.unfit
        return trouble_of(found, self._scope) is not None

    def _kept_for(self, order: LeafOrder) -> Object | None:
        return self._client.get_or_none(SECRETS, self._namespace, secret_name(order.name))

    def _issue(self, found: Object) -> None:
        """Have it issued, as ``cmctl renew`` does."""
        name = str(found["metadata"]["name"])
        if trouble_of(found, self._scope) is not None:
            self._remove_refused(name)
        for attempt in range(1, _ATTEMPTS + 1):
            if is_issuing(found):
                return
            try:
                self._client.patch(
                    CERTIFICATES, self._namespace, name, issuing_patch(found, self._clock.now()),
                    resource_version=version(found), subresource="status",
                )  # fmt: skip
                return
            except Conflict:
                if attempt == _ATTEMPTS:
                    raise
                found = self._client.get(CERTIFICATES, self._namespace, name)

    def _remove_refused(self, name: str) -> None:
        """cert-manager drops a request that has failed before it tries again, but not one that was denied or is invalid: it would
        fail anew by the old answer.
        """
        for request in self._listed_requests():
            if certificate_of(request) == name and is_refused(request):
                with suppress(NotFound, Conflict):
                    uid = request["metadata"].get("uid")
                    self._client.delete(CERTIFICATE_REQUESTS, self._namespace, request["metadata"]["name"], uid=uid)

    def poll(self, tokens: Sequence[Token]) -> tuple[Answer, ...]:
        """Lists Certificates, Secrets and requests once each at most, however many there are."""
        if not tokens:
            return ()
        try:
            found = self._certificates()
        except ResourceTypeMissing:
            return (not_installed(CERTIFICATES),) * len(tokens)
        secrets, details = self._secrets(), self._details(found)
        return tuple(self._answer(token, found, secrets, details) for token in tokens)

    def _answer(
        self, token: Token, found: Mapping[str, Object], secrets: Mapping[str, Object], details: Mapping[str, str]
    ) -> Answer:
        record = _read(token)
        if record is None:
            return refuse_foreign_token(self.reference)
        name, unfit = record
        certificate = found.get(name)
        if certificate is None:
            return Refused(
                f"{named(name, self._namespace)} was deleted.",
                "Find out who removes Certificates that are in use; run again, so that the leaf is asked for anew.",
            )
        return refuse_foreign_certificate(certificate, self._scope) or answer_to(
            certificate, secrets.get(secret_name(name)), unfit, self._scope, details.get(name, "")
        )

    def forget(self, tokens: Sequence[Token]) -> None:
        """Forgets nothing: cert-manager goes on to renew the leaves in use, and ``find_left_over`` finds the Certificates that nothing needs."""

    def review(self, orders: Sequence[LeafOrder]) -> Mapping[str, Kept]:
        try:
            found = self._certificates()
        except ResourceTypeMissing:
            return {order.name: Kept(not_installed(CERTIFICATES)) for order in orders}
        secrets, details = self._secrets(), self._details(found)
        return {
            order.name: self._kept(
                order, found.get(order.name), secrets.get(secret_name(order.name)), details.get(order.name, "")
            )
            for order in orders
        }

    def _kept(self, order: LeafOrder, certificate: Object | None, secret: Object | None, detail: str) -> Kept:
        if certificate is None:
            return self._missing(order)
        if theirs := refuse_foreign_certificate(certificate, self._scope):
            return Kept(theirs)
        trouble = trouble_of(certificate, self._scope)
        fields = differing_fields(certificate, wanted_spec(order, self._terms))
        return Kept(
            answer_to(certificate, secret, (), self._scope, detail),
            f"{trouble.why} {trouble.remedy}" if trouble else "",
            self._correction(order, certificate, fields) if fields else None,
            f"its {', '.join(fields)} {'is' if len(fields) == 1 else 'are'} not as wanted" if fields else "",
        )

    def _missing(self, order: LeafOrder) -> Kept:
        if refused := refuse_taken_secret(self._kept_for(order), self._namespace):
            return Kept(refused)
        body = manifest(order, self._terms)
        what = f"have {self._terms.issuer} issue and renew it"
        made = Write(WriteVerb.CREATE, CERTIFICATES, order.name, what, body, before={}, after=body["spec"])
        return Kept(Waiting(f"{named(order.name, self._namespace)} is not there."), "", made, "it is not there")

    def _correction(self, order: LeafOrder, certificate: Object, fields: Iterable[str]) -> Write:
        wanted, found = wanted_spec(order, self._terms), certificate.get("spec") or {}
        before = {name: found.get(name) for name in fields}
        after = {name: wanted.get(name) for name in fields}
        what, patch = f"correct {', '.join(fields)}", spec_patch(certificate, wanted)
        return Write(
            WriteVerb.UPDATE, CERTIFICATES, order.name, what, patch, version(certificate), before=before, after=after
        )

    def _certificates(self) -> Mapping[str, dict[str, Any]]:
        """Certificates by name; also another owner's, which may have the name of a leaf."""
        return by_name(self._client.list(CERTIFICATES, self._namespace).items)

    def _secrets(self) -> Mapping[str, dict[str, Any]]:
        """Secrets, read after their Certificates: a Certificate that is no longer being issued has its certificate in its Secret."""
        selector = selector_of(self._scope.beside_labels)
        return by_name(self._client.list(SECRETS, self._namespace, label_selector=selector).items)

    def _details(self, certificates: Mapping[str, Object]) -> Mapping[str, str]:
        """Sentences about the request of each Certificate that is being issued, by the name of the Certificate."""
        issuing = [name for name, one in certificates.items() if is_issuing(one)]
        if not issuing:
            return {}
        at = Circumstances(self._client, self._terms.issuer, self._clock.now())
        return describe_requests(issuing, self._listed_requests(), at)

    def _listed_requests(self) -> Sequence[dict[str, Any]]:
        """The requests of this cluster's Certificates: they have its labels."""
        selector = selector_of(self._scope.own_labels)
        return self._client.list(CERTIFICATE_REQUESTS, self._namespace, label_selector=selector).items


def _token(order: LeafOrder) -> Token:
    return Token(json.dumps({"certificate": order.name, "unfit": sorted(order.unfit)}).encode())


def _read(token: Token) -> tuple[str, frozenset[str]] | None:
    """Name and ``unfit``; None where the token is spoilt."""
    try:
        found = json.loads(token.value)
    except ValueError:
        return None
    match found:
        case {"certificate": str() as name, "unfit": list() as unfit}:
            return name, frozenset(map(str, unfit))
    return None

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates of cert-manager for tests: the issuer before real controllers or those in memory, and those in memory, written to
what cert-manager's own do (trigger, keymanager, requestmanager, issuing and readiness in one).
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.cert_manager.certificates import (
    CertManagerByCertificates,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.cert_manager.conditions import (
    IssuerReference,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.cert_manager.specification import Terms
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import Answer, LeafOrder, Token
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import DistinguishedName
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import KeyAlgorithm, KeySpec, PrivateKey
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import build_request
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames

from .cert_manager import NAMESPACE, ROOT, UNAPPROVED, CertManagerCounterpart, MemoryCertManager, Object
from .certificates import key
from .issuer_contract import WEEK, answers, asked
from .memory_api import Change

#: Made faster than RSA keys are.
TERMS_KEY = KeySpec(KeyAlgorithm.ECDSA, 256)
RENEW_BEFORE = timedelta(days=2)
_PREFIX = "cert-manager.io/"


def certificate_in(token: Token) -> str:
    """The name of the Certificate that it is about."""
    return str(json.loads(token.value)["certificate"])


def path_of_certificate(namespace: str, name: str) -> str:
    return f"{ROOT}/namespaces/{namespace}/certificates/{name}"


@dataclass
class CertificatesCounterpart(CertManagerCounterpart):
    """The issuer that makes Certificates, before real controllers or those in memory."""

    _refused: dict[str, Token] = field(default_factory=dict)

    def _by_certificates(self, namespace: str) -> CertManagerByCertificates:
        reference = IssuerReference(self.settings, namespace)
        terms = Terms(ClusterNames(namespace, "demo"), reference, TERMS_KEY, WEEK, RENEW_BEFORE)
        return CertManagerByCertificates(KubeClient(self.api), terms, self)

    @property
    def issuer(self) -> CertManagerByCertificates:  # type: ignore[override]
        return self._by_certificates(NAMESPACE)

    @property
    def silent(self) -> CertManagerByCertificates:  # type: ignore[override]
        return self._by_certificates(UNAPPROVED)

    def wake(self, tokens: Sequence[Token]) -> None:
        for token in tokens:
            self.people.approve(UNAPPROVED, self._request_of(certificate_in(token)))

    def refused(self, order: LeafOrder) -> Answer:
        if order.name not in self._refused:
            self._refused[order.name] = asked(self.silent, order)
            self.people.deny(UNAPPROVED, self._request_of(order.name))
        return answers(self.silent, [self._refused[order.name]])[0]

    def lose(self, token: Token) -> None:
        answer = self.people.api.request("DELETE", path_of_certificate(NAMESPACE, certificate_in(token)))
        assert answer.status == 200, answer.body

    def _request_of(self, certificate: str) -> str:
        """The latest request that was made for a Certificate; controllers take a moment."""
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            listed = self.people.api.request("GET", f"{ROOT}/namespaces/{UNAPPROVED}/certificaterequests").body["items"]
            own = [request for request in listed if _annotation(request, "certificate-name") == certificate]
            if own:
                return str(
                    max(own, key=lambda request: int(_annotation(request, "certificate-revision")))["metadata"]["name"]
                )
            time.sleep(0.05)
        raise AssertionError(f"no request for {certificate}")


def _annotation(item: Object, name: str) -> str:
    return str((item["metadata"].get("annotations") or {}).get(_PREFIX + name, ""))


@dataclass
class MemoryCertificates(MemoryCertManager):
    """In the same moment as the write that they react to. Keys come from a fixed supply."""

    #: Whether the controllers react to nothing.
    is_asleep: bool = False
    _made: int = 0
    _keys: dict[tuple[str, str], PrivateKey] = field(default_factory=dict)

    def _react(self, change: Change) -> None:
        super()._react(change)
        if change.new is None or self.is_asleep:
            return
        if change.plural == "certificates":
            self._certificate(change.namespace, change.new)
        elif change.plural == "certificaterequests" and (name := _annotation(change.new, "certificate-name")):
            self._answered(change.namespace, name, change.new)

    def renew(self, name: str, namespace: str = NAMESPACE) -> None:
        """It is the time for renewal."""
        found = self.api.find("certificates", namespace, name)
        assert found is not None, name
        self._status(namespace, found, [_condition(found, "Issuing", "True", "Renewing", "Renewing certificate")])

    def fail(self, name: str, message: str, namespace: str = NAMESPACE) -> None:
        """The issuer fails the latest request for this Certificate."""
        found = self.api.find("certificates", namespace, name)
        assert found is not None, name
        request = self._request_name(found, 1)
        condition = {"type": "Ready", "status": "False", "reason": "Failed", "message": message}
        path = f"{ROOT}/namespaces/{namespace}/certificaterequests/{request}/status"
        patch = {"status": {"conditions": [condition]}}
        done = self.api.request("PATCH", path, body=patch, content_type="application/merge-patch+json")
        assert done.status == 200, done.body

    def new_key(self) -> PrivateKey:
        self._made += 1
        return key(800 + self._made)

    def form(self, own: PrivateKey) -> bytes:
        """As it is written into the Secret."""
        return own.reveal()

    def _certificate(self, namespace: str, found: Object) -> None:
        conditions = _conditions(found)
        if conditions.get("Issuing", {}).get("status") == "True":
            self._ask(namespace, found)
        elif conditions.get("Issuing", {}).get("status") == "False":
            return
        elif why := self._why_issued(namespace, found):
            told = f"Issuing certificate as {why}"
            issuing = _condition(found, "Issuing", "True", "Trigger", told)
            self._status(namespace, found, [_condition(found, "Ready", "False", "DoesNotExist", told), issuing])
        elif conditions.get("Ready", {}).get("observedGeneration") != found["metadata"]["generation"]:
            self._status(namespace, found, [_ready(found)])

    def _why_issued(self, namespace: str, found: Object) -> str:
        if self.api.find("secrets", namespace, found["spec"]["secretName"]) is None:
            return "Secret does not exist"
        request = self.api.find("certificaterequests", namespace, self._request_name(found, 0))
        if request is not None and not _matches(request["spec"], found["spec"]):
            return "fields on existing CertificateRequest resource not up to date"
        return ""

    def _request_name(self, found: Object, more: int) -> str:
        return f"{found['metadata']['name']}-{(found.get('status') or {}).get('revision', 0) + more}"

    def _ask(self, namespace: str, found: Object) -> None:
        name, request = found["metadata"]["name"], self._request_name(found, 1)
        if existing := self.api.find("certificaterequests", namespace, request):
            if _conditions(existing).get("Ready", {}).get("status") != "False":
                return
            self.api.request("DELETE", f"{ROOT}/namespaces/{namespace}/certificaterequests/{request}")
        own, spec = self.new_key(), found["spec"]
        self._keys[namespace, request] = own
        organizations = (spec.get("subject") or {}).get("organizations") or [None]
        subject = DistinguishedName(spec["commonName"], organizations[0])
        names = frozenset({*spec.get("dnsNames", ()), *spec.get("ipAddresses", ())})
        annotations = {
            "certificate-name": name, "certificate-revision": str((found.get("status") or {}).get("revision", 0) + 1),
        }  # fmt: skip
        body = {
            "kind": "CertificateRequest",
            "metadata": {
                "name": request,
                "labels": found["metadata"].get("labels") or {},
                "annotations": {_PREFIX + name: value for name, value in annotations.items()},
            },
            "spec": {
                "request": base64.b64encode(build_request(subject, names, own)).decode(),
                **{field: spec[field] for field in ("issuerRef", "duration", "isCA", "usages")},
            },
        }
        self.api.request("POST", f"{ROOT}/namespaces/{namespace}/certificaterequests", body=body)

    def _answered(self, namespace: str, name: str, request: Object) -> None:
        found, ready = self.api.find("certificates", namespace, name), _conditions(request).get("Ready")
        own = self._keys.get((namespace, str(request["metadata"]["name"])))
        if (
            found is None
            or ready is None
            or own is None
            or _conditions(found).get("Issuing", {}).get("status") != "True"
        ):
            return
        if ready["status"] == "False":
            told = f"The certificate request has failed to complete and will be retried: {ready['message']}"
            failed = _condition(found, "Issuing", "False", ready["reason"], told)
            count = (found.get("status") or {}).get("failedIssuanceAttempts", 0) + 1
            more = {"failedIssuanceAttempts": count, "lastFailureTime": self.clock().isoformat()}
            self._status(namespace, found, [failed], **more)
            return
        chain, root = base64.b64decode(request["status"]["certificate"]), self._root()
        self._store(namespace, found, {"tls.crt": chain, "tls.key": self.form(own), "ca.crt": root})
        more = {"revision": int(_annotation(request, "certificate-revision")), "failedIssuanceAttempts": None}
        self._status(namespace, found, [_ready(found)], without="Issuing", **more)

    def _store(self, namespace: str, found: Object, data: dict[str, bytes]) -> None:
        name, spec = found["spec"]["secretName"], found["spec"]
        own = {f"{_PREFIX}certificate-name": found["metadata"]["name"]}
        template = spec["secretTemplate"]
        body = {
            "metadata": {
                "name": name,
                "labels": template["labels"],
                "annotations": {**template.get("annotations", {}), **own},
            },
            "type": "kubernetes.io/tls",
            "data": {entry: base64.b64encode(content).decode() for entry, content in data.items()},
        }
        path = f"/api/v1/namespaces/{namespace}/secrets"
        if self.api.find("secrets", namespace, name) is None:
            self.api.request("POST", path, body=body)
        else:
            self.api.request("PATCH", f"{path}/{name}", body=body, content_type="application/merge-patch+json")

    def _status(self, namespace: str, found: Object, changed: Sequence[Object], without: str = "", **more: Any) -> None:
        known = {**_conditions(found), **{condition["type"]: condition for condition in changed}}
        patch = {"status": {"conditions": [condition for kind, condition in known.items() if kind != without], **more}}
        path = f"{path_of_certificate(namespace, found['metadata']['name'])}/status"
        self.api.request("PATCH", path, body=patch, content_type="application/merge-patch+json")


def _matches(request: Object, spec: Object) -> bool:
    """By the fields that it knows, and without their order."""
    known = [
        (
            [one["issuerRef"].get(part) for part in ("name", "kind", "group")],
            one["duration"], bool(one.get("isCA")), sorted(one["usages"]),
        )
        for one in (request, spec)
    ]  # fmt: skip
    return known[0] == known[1]


def _conditions(item: Object) -> dict[str, Object]:
    return {condition["type"]: condition for condition in (item.get("status") or {}).get("conditions") or ()}


def _condition(found: Object, kind: str, status: str, reason: str, message: str) -> Object:
    generation = found["metadata"]["generation"]
    return {"type": kind, "status": status, "reason": reason, "message": message, "observedGeneration": generation}


def _ready(found: Object) -> Object:
    return _condition(found, "Ready", "True", "Ready", "Certificate is up to date and has not expired")

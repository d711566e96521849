# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cert-manager for the tests of its issuer: people who approve and deny, against a real one or one in memory, and the one
in memory, written to what its controllers do (docs/issuers/cert-manager.md, "States of a request").
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.cert_manager.requests import (
    CertManager,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issuer import Answer, LeafOrder, Token
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient, Transport
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import CertManagerIssuer
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames

from .certificates import NOW, Entity
from .issuer_contract import answers, asked
from .memory_api import Change, MemoryApi

Object = dict[str, Any]
#: In the first an approver approves requests; the other has no approver.
NAMESPACE, UNAPPROVED = "kafka", "unapproved"
ROOT = "/apis/cert-manager.io/v1"


def path_of(namespace: str, name: str) -> str:
    return f"{ROOT}/namespaces/{namespace}/certificaterequests/{name}"


def name_in(token: Token) -> str:
    """The name of the request that the token is about."""
    return str(json.loads(token.value)["certificateRequest"])


@dataclass
class People:
    """The people who approve, deny and delete requests, through the API alone."""

    api: Transport

    def approve(self, namespace: str, name: str) -> None:
        """As ``cmctl approve`` does."""
        self._decide(namespace, name, "Approved", "this was looked at")

    def deny(self, namespace: str, name: str, message: str = "no such names here") -> None:
        """As ``cmctl deny`` does; once, because a decision is final."""
        self._decide(namespace, name, "Denied", message)

    def delete(self, namespace: str, name: str) -> None:
        answer = self.api.request("DELETE", path_of(namespace, name))
        assert answer.status == 200, answer.body

    def _decide(self, namespace: str, name: str, decision: str, message: str) -> None:
        path = path_of(namespace, name)
        found = self.api.request("GET", path)
        assert found.status == 200, found.body
        known = (found.body.get("status") or {}).get("conditions") or []
        if not any(condition["type"] == decision for condition in known):
            condition = {"type": decision, "status": "True", "reason": "tests", "message": message}
            patch = {"status": {"conditions": [*known, condition]}}
            done = self.api.request("PATCH", f"{path}/status", body=patch, content_type="application/merge-patch+json")
            assert done.status == 200, done.body


@dataclass
class CertManagerCounterpart:
    """The issuer before cert-manager, real or in memory (``issuer_contract``)."""

    #: The API server with the rights of the collection.
    api: Transport
    people: People
    settings: CertManagerIssuer
    authority: Chain
    clock: Callable[[], datetime]

    def now(self) -> datetime:
        return self.clock()

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    def _issuer(self, namespace: str) -> CertManager:
        return CertManager(KubeClient(self.api), ClusterNames(namespace, "demo"), self.settings, self)

    @property
    def issuer(self) -> CertManager:
        return self._issuer(NAMESPACE)

    @property
    def silent(self) -> CertManager:
        return self._issuer(UNAPPROVED)

    def wake(self, tokens: Sequence[Token]) -> None:
        for token in tokens:
            self.people.approve(UNAPPROVED, name_in(token))

    def refused(self, order: LeafOrder) -> Answer:
        token = asked(self.silent, order)
        self.people.deny(UNAPPROVED, order.name)
        return answers(self.silent, [token])[0]

    def lose(self, token: Token) -> None:
        self.people.delete(NAMESPACE, name_in(token))


@dataclass
class MemoryCertManager:
    """The controllers, in the same moment as the write that they react to. There is one CA Issuer; whether it exists and is Ready does not matter here."""

    api: MemoryApi
    authority: Entity
    #: The namespaces in which requests are approved at once.
    approving: frozenset[str] = frozenset({NAMESPACE})
    above: tuple[Entity, ...] = field(default=())
    clock: Callable[[], datetime] = lambda: NOW

    def __post_init__(self) -> None:
        self.api.listeners.append(self._react)

    def _react(self, change: Change) -> None:
        if change.plural != "certificaterequests" or change.new is None:
            return
        conditions = (change.new.get("status") or {}).get("conditions") or []
        true = {condition["type"] for condition in conditions if condition["status"] == "True"}
        if "Ready" in {condition["type"] for condition in conditions}:
            return
        if "Denied" in true:
            self._tell(change, conditions, "Ready", "False", "Denied", "The CertificateRequest was denied")
        elif "Approved" in true:
            status = {"certificate": _text(self._sign(change.new["spec"])), "ca": _text(self._root())}
            self._tell(change, conditions, "Ready", "True", "Issued", "Certificate fetched from issuer", status)
        elif change.namespace in self.approving:
            self._tell(change, conditions, "Approved", "True", "cert-manager.io", "approved by cert-manager")

    def _tell(
        self, change: Change, known: list[Object], kind: str, status: str, reason: str, message: str,
        more: Object | None = None,
    ) -> None:  # fmt: skip
        condition = {"type": kind, "status": status, "reason": reason, "message": message}
        patch = {"status": {"conditions": [*known, condition], **(more or {})}}
        path = f"{path_of(change.namespace, change.name)}/status"
        self.api.request("PATCH", path, body=patch, content_type="application/merge-patch+json")

    def _root(self) -> bytes:
        return (self.above or (self.authority,))[-1].certificate.pem

    def _sign(self, spec: Object) -> bytes:
        """The leaf, and the intermediates behind it without the root."""
        request = x509.load_pem_x509_csr(base64.b64decode(spec["request"]))
        ends = {
            "server auth": ExtendedKeyUsageOID.SERVER_AUTH,
            "client auth": ExtendedKeyUsageOID.CLIENT_AUTH,
        }
        usages = set(spec["usages"])
        builder = (
            x509.CertificateBuilder()
            .subject_name(request.subject)
            .issuer_name(x509.load_der_x509_certificate(self.authority.certificate.der).subject)
            .public_key(request.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(self.clock())
            .not_valid_after(self.clock() + _time(spec["duration"]))
            .add_extension(x509.BasicConstraints(ca=spec["isCA"], path_length=None), critical=True)
            .add_extension(_key_usage(usages), critical=True)
            .add_extension(x509.ExtendedKeyUsage([oid for text, oid in ends.items() if text in usages]), critical=False)
        )
        for extension in request.extensions:
            builder = builder.add_extension(extension.value, critical=extension.critical)
        leaf = builder.sign(self.authority.key.for_signing(), self.authority.key.signature_hash)
        intermediates = (self.authority, *self.above)[: len(self.above)]
        return leaf.public_bytes(Encoding.PEM) + b"".join(
            intermediate.certificate.pem for intermediate in intermediates
        )


def _key_usage(usages: set[str]) -> x509.KeyUsage:
    unwanted = dict.fromkeys(
        ("content_commitment", "data_encipherment", "key_agreement", "key_cert_sign", "crl_sign", "encipher_only", "decipher_only"),
        False,
    )  # fmt: skip
    return x509.KeyUsage(
        digital_signature="digital signature" in usages, key_encipherment="key encipherment" in usages, **unwanted
    )


def _text(pem: bytes) -> str:
    return base64.b64encode(pem).decode()


def _time(text: str) -> timedelta:
    """Of a duration in hours or seconds."""
    return timedelta(hours=int(text[:-1])) if text.endswith("h") else timedelta(seconds=int(text.removesuffix("s")))

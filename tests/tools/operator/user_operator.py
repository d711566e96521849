# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A double of the User Operator, 1.2 or another release, as far as certificates go (docs/operator.md, "Users").

Like the double of the Cluster Operator it is written to those facts, and knows nothing of the collection.
"""

from __future__ import annotations

import secrets as randomness
from datetime import timedelta
from typing import Any

from cryptography.hazmat.primitives.asymmetric import rsa

from . import certs
from .api import Api, ApiError, Object, annotation, data, encode
from .releases import STRIMZI_1_2, Release

TLS, _TLS_EXTERNAL = "tls", "tls-external"
_KEYSTORE = ("user.p12", "user.password")


class UserFailed(Exception):
    """This user is not ready; its Secret stays as it is."""


class UserOperatorDouble:
    """``reconcile`` is one pass over all users, or over one of them.

    keystores: whether PKCS#12 files are made. prefix: of the names of Secrets. ca_namespace: where the CA Secrets are; that of the users, if
    it was told of no other.
    """

    def __init__(
        self,
        transport: Any,
        namespace: str,
        cluster: str,
        *,
        keystores: bool = True,
        prefix: str = "",
        ca_namespace: str = "",
        release: Release = STRIMZI_1_2,
    ) -> None:
        self.api = Api(transport, namespace, "strimzi-user-operator")
        self.authorities = Api(transport, ca_namespace or namespace, "strimzi-user-operator")
        self.cluster, self.keystores, self.prefix = cluster, keystores, prefix
        self.release = release
        #: Users that were issued a certificate, in order.
        self.issued: list[str] = []
        #: Users that it fails at, for whatever reason: their certificates stay as they are.
        self.refusing: set[str] = set()

    def reconcile(self, *names: str) -> None:
        for user in self.api.list("kafkausers", f"strimzi.io/cluster={self.cluster}"):
            if not names or user["metadata"]["name"] in names:
                self._reconcile(user)

    def _reconcile(self, user: Object) -> None:
        if annotation(user, "pause-reconciliation") == "true":
            self._status(user, "ReconciliationPaused", None)
            return
        kind = ((user["spec"].get("authentication")) or {}).get("type")
        try:
            if user["metadata"]["name"] in self.refusing:
                raise UserFailed("Something else is wrong")
            if kind == TLS:
                self._certificate(user)
            elif kind == _TLS_EXTERNAL:
                self._remove_secret(user)
        except UserFailed as failure:
            self._status(user, "NotReady", str(failure))
            return
        self._status(user, "Ready", None)

    def _remove_secret(self, user: Object) -> None:
        """Of a user with another authentication before. It is found by its labels."""
        secret = f"{self.prefix}{user['metadata']['name']}"
        found = self.api.get("secrets", secret)
        if found is not None and self._is_ours(found):
            self.api.delete("secrets", secret)

    def _certificate(self, user: Object) -> None:
        """KafkaUserModel.maybeGenerateCertificates: the first rule that matches."""
        name, secret = user["metadata"]["name"], f"{self.prefix}{user['metadata']['name']}"
        ca, key = self._authority()
        found = self.api.get("secrets", secret)
        if found is not None and found.get("type") != "Opaque":
            raise UserFailed("Secret is invalid: type: Invalid value: field is immutable")
        stored = data(found) if found and self._is_ours(found) else {}
        if self._is_due(user, found, stored, ca):
            stored = self._issued(user, ca, key)
            self.issued.append(name)
        elif self.keystores and not all(stored.get(entry) for entry in _KEYSTORE):
            stored = {**stored, **self._keystore_of(name, stored)}
        wanted = ("ca.crt", "user.crt", "user.key", *(_KEYSTORE if self.keystores else ()))
        self.api.write_secret({
            "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
            "data": encode({entry: stored[entry] for entry in wanted}),
            "metadata": {"name": secret, "labels": self._labels, "annotations": {}, "ownerReferences": self._owner(user)},
        })  # fmt: skip

    def _authority(self) -> tuple[bytes, bytes]:
        stem = f"{self.cluster}-clients-ca"
        certificates, keys = (data(self.authorities.get("secrets", name)) for name in (f"{stem}-cert", stem))
        for entries, entry in ((certificates, "ca.crt"), (keys, "ca.key")):
            if not entries.get(entry):
                raise UserFailed(f"{entry} not found")
        if not all(certs.valid_chain(value) for entry, value in certificates.items() if entry.endswith(".crt")):
            raise UserFailed("The CA chain is not valid")
        return certificates["ca.crt"], keys["ca.key"]

    def _is_due(self, user: Object, found: Object | None, stored: dict[str, bytes], ca: bytes) -> bool:
        asked = self.release.renews_users_on_request and annotation(found, "force-renew") == "true"
        if not stored or asked or stored.get("ca.crt") != ca:
            return True
        if not stored.get("user.crt") or not stored.get("user.key"):
            return True
        leaf = certs.load(stored["user.crt"])
        if not leaf and self.release.keeps_unreadable:
            return False
        if not leaf:
            raise UserFailed("Failed to parse user.crt")
        return leaf[0].not_valid_after_utc - certs.now() < self._window(user)

    def _window(self, user: Object) -> timedelta:
        return timedelta(days=self._days(user, "renewalDays") or 30)

    def _days(self, user: Object, what: str) -> int | None:
        """The user's own, else those of the clients CA."""
        spec: Object = (self.api.get("kafkas", self.cluster) or {}).get("spec") or {}
        of_ca: int | None = (spec.get("clientsCa") or {}).get(what)
        return user["spec"]["authentication"].get(what) or of_ca

    def _issued(self, user: Object, ca: bytes, ca_key: bytes) -> dict[str, bytes]:
        name, key = user["metadata"]["name"], certs.new_leaf_key()
        days = self._days(user, "validityDays") or 365
        leaf = certs.leaf(certs.name(name, None), (), key, ca, certs.load_key(ca_key), days)
        if leaf is None and self.keystores:
            raise UserFailed("Could not parse certificate: java.io.IOException: Empty input")
        pair = {"user.crt": leaf or b"", "user.key": certs.key_pem(key)}
        return {"ca.crt": ca, **pair, **(self._keystore(name, *pair.values()) if leaf else {})}

    @staticmethod
    def _keystore(name: str, leaf: bytes, key: bytes) -> dict[str, bytes]:
        password = randomness.token_urlsafe(9).encode()
        return {"user.p12": certs.keystore(name, leaf, key, password), "user.password": password}

    @staticmethod
    def _keystore_of(name: str, stored: dict[str, bytes]) -> dict[str, bytes]:
        """Of a pair that is there: its first certificate only, and of RSA keys in PKCS#8 only."""
        key = certs.load_key(stored["user.key"])
        if not isinstance(key, rsa.RSAPrivateKey) or b"BEGIN PRIVATE KEY" not in stored["user.key"]:
            raise UserFailed("java.security.spec.InvalidKeySpecException: Unable to decode key")
        return UserOperatorDouble._keystore(name, stored["user.crt"], stored["user.key"])

    @property
    def _labels(self) -> dict[str, str]:
        return {
            "strimzi.io/kind": "KafkaUser", "strimzi.io/cluster": self.cluster,
            "app.kubernetes.io/managed-by": "strimzi-user-operator",
        }  # fmt: skip

    def _is_ours(self, secret: Object) -> bool:
        labels = secret["metadata"].get("labels") or {}
        return all(labels.get(name) == self._labels[name] for name in ("strimzi.io/kind", "strimzi.io/cluster"))

    @staticmethod
    def _owner(user: Object) -> list[Object]:
        metadata = user["metadata"]
        return [{
            "apiVersion": "kafka.strimzi.io/v1", "kind": "KafkaUser", "name": metadata["name"], "uid": metadata["uid"],
            "controller": False, "blockOwnerDeletion": False,
        }]  # fmt: skip

    def _status(self, user: Object, kind: str, message: str | None) -> None:
        condition = {"type": kind, "status": "True", **({"message": message} if message else {})}
        is_issued = kind == "Ready" and (user["spec"].get("authentication") or {}).get("type") == TLS
        status = {
            "conditions": [condition], "observedGeneration": user["metadata"].get("generation", 1),
            # A merge patch takes it away.
            "secret": f"{self.prefix}{user['metadata']['name']}" if is_issued else None,
        }  # fmt: skip
        if user.get("status") == {key: value for key, value in status.items() if value is not None}:
            return
        try:
            self.api.patch("kafkausers", user["metadata"]["name"], {"status": status}, "status")
        except ApiError as error:
            # Deleted meanwhile.
            if error.status != 404:
                raise

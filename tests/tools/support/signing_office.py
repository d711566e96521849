# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A person who keeps the key of a CA, and signs the requests that lie in the cluster's Secrets."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Protocol

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.links import InternalIssuer
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import encode_certificates

from .authorities import Authority
from .checker import entries

Object = dict[str, Any]
#: Certificates begin so much before they are made, as those of most issuers do.
_CLOCKS = timedelta(minutes=1)


class Place(Protocol):
    """A namespace with requests. seconds: since its time began."""

    @property
    def namespace(self) -> str: ...

    @property
    def api(self) -> Any: ...

    @property
    def seconds(self) -> float: ...


def secrets_of(memory: Place) -> list[Object]:
    listed: list[Object] = memory.api.request("GET", f"/api/v1/namespaces/{memory.namespace}/secrets").body["items"]
    return listed


@dataclass
class SigningOffice:
    memory: Place
    authority: Authority
    #: When the cluster's time did.
    began: datetime
    validity: timedelta = timedelta(days=90)
    #: The Secrets of the leaves that it has signed, in order.
    signed: list[str] = field(default_factory=list)

    def requests(self) -> list[tuple[Object, str]]:
        """The Secret and the name of the leaf for every request that has no answer yet."""
        found = []
        for secret in secrets_of(self.memory):
            names = [key.removesuffix(".requested") for key in entries(secret) if key.endswith(".requested")]
            found += [(secret, name) for name in names if f"{name}.issued" not in entries(secret)]
        return [(secret, name) for secret, name in found if json.loads(entries(secret)[f"{name}.requested"])["open"]]

    def csr(self, secret: Object, name: str) -> bytes:
        content: str = json.loads(entries(secret)[f"{name}.requested"])["request"]
        return content.encode()

    def work(self) -> None:
        """Sign everything that is there."""
        for secret, name in self.requests():
            self.put_back(secret, name, self.sign(self.csr(secret, name)))
            self.signed.append(name)

    def sign(self, csr: bytes) -> bytes:
        begin = self.began + timedelta(seconds=self.memory.seconds) - _CLOCKS
        issuer = InternalIssuer(self.authority.chain, self.authority.keys[0], begin, self.validity)
        issued = issuer.sign(csr)
        return encode_certificates((issued.leaf, *issued.chain))

    def put_back(self, secret: Object, name: str, content: bytes) -> None:
        namespace, where = self.memory.namespace, secret["metadata"]["name"]
        body = {"data": {f"{name}.issued": base64.b64encode(content).decode()}}
        path = f"/api/v1/namespaces/{namespace}/secrets/{where}"
        response = self.memory.api.request("PATCH", path, body=body, content_type="application/merge-patch+json")
        assert response.status == 200, response.body

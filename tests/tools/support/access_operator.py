# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A double of the Access Operator: it copies the certificate of a user into the Secret that a KafkaAccess binds, and looks at it now and
then (docs/operator.md, "Users").
"""

from __future__ import annotations

import base64
from typing import Any

from .memory_cluster import MemoryCluster

#: How many steps of the cluster the operator takes until it looks again.
_EVERY = 5


class AccessOperator:
    """A KafkaAccess ``access`` of this user, and its operator. running: whether that copies."""

    def __init__(self, memory: MemoryCluster, user: str, *, bound: bool = True) -> None:
        self.memory, self.user, self.running, self._steps = memory, user, bound, 0
        status = {"status": {"binding": {"name": "access-binding"}}} if bound else {}
        spec = {"kafka": {"name": "demo"}, "user": {"name": user}}
        root = "/apis/access.strimzi.io/v1alpha1/namespaces"
        body = {"metadata": {"name": "access"}, "spec": spec, **status}
        memory.api.request("POST", f"{root}/{memory.namespace}/kafkaaccesses", body=body)
        if bound:
            memory.apply({"kind": "Secret", "metadata": {"name": "access-binding"}, "data": self._content()})
        memory.neighbours.append(self._step)

    @property
    def copied(self) -> bytes:
        """The certificate in the bound Secret."""
        return base64.b64decode(self._secret("access-binding")["ssl.keystore.crt"])

    def _step(self) -> None:
        self._steps += 1
        if self.running and not self._steps % _EVERY:
            path = f"/api/v1/namespaces/{self.memory.namespace}/secrets/access-binding"
            self.memory.api.request(
                "PATCH", path, body={"data": self._content()}, content_type="application/merge-patch+json"
            )

    def _content(self) -> dict[str, Any]:
        stored = self._secret(self.user)
        return {"ssl.keystore.crt": stored["user.crt"], "ssl.keystore.key": stored["user.key"]}

    def _secret(self, name: str) -> dict[str, Any]:
        return dict((self.memory.api.find("secrets", self.memory.namespace, name) or {})["data"])

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A KafkaConnect that logs in with a user's Secret, or a KafkaMirrorMaker2 that logs in with those of two. The operator replaces its pod when it
finds that a Secret has changed (docs/operator.md, "Users").
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .memory_cluster import MemoryCluster


class LoggingIn:
    """running: whether the operator does. restarts: of its pod. source: the user of the cluster that is mirrored; empty for a KafkaConnect.
    mounts: further Secrets that its pod has, for which the operator does not restart it. every: how many steps of the cluster it takes until it
    looks at it again.
    """

    def __init__(
        self, memory: MemoryCluster, user: str, source: str = "", *, mounts: Sequence[str] = (), every: int = 5
    ) -> None:
        self.memory, self.users = memory, (user, source) if source else (user,)
        self._every = every
        self._volumes = [{"name": secret, "secret": {"secretName": secret}} for secret in mounts]
        self.running, self.restarts, self._steps = True, 0, 0
        login, *mirrored = ({"authentication": _authentication(user)} for user in self.users)
        spec = {"target": login, "mirrors": [{"source": secret} for secret in mirrored]} if source else login
        self._kind = "KafkaMirrorMaker2" if source else "KafkaConnect"
        self._send("POST", f"{self._kind.lower()}s", {"metadata": {"name": "connect"}, "spec": spec})
        self._read = self._stored()
        self._start()
        memory.neighbours.append(self._step)

    def _stored(self) -> Any:
        found = (self.memory.api.find("secrets", self.memory.namespace, user) or {} for user in self.users)
        return [secret.get("data") for secret in found]

    def _start(self) -> None:
        labels = {"strimzi.io/kind": self._kind, "strimzi.io/cluster": "connect"}
        self.memory.seconds += 1
        metadata = {"name": "connect-connect-0", "labels": labels}
        self._send("POST", "pods", {"metadata": metadata, "spec": {"volumes": self._volumes}})

    def _step(self) -> None:
        self._steps += 1
        if not self.running or self._steps % self._every or self._read == self._stored():
            return
        self.restart()

    def restart(self) -> None:
        self._read, self.restarts = self._stored(), self.restarts + 1
        self._send("DELETE", "pods/connect-connect-0", None)
        self._start()

    def _send(self, method: str, path: str, body: Any) -> None:
        root = "/apis/kafka.strimzi.io/v1" if path.startswith("kafka") else "/api/v1"
        self.memory.api.request(method, f"{root}/namespaces/{self.memory.namespace}/{path}", body=body)


def _authentication(user: str) -> dict[str, Any]:
    return {"type": "tls", "certificateAndKey": {"secretName": user}}

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A KafkaConnect that logs in with a user's Secret. The operator replaces its pod when it finds that the Secret has changed (docs/operator.md,
"Users").
"""

from __future__ import annotations

from typing import Any

from .memory_cluster import MemoryCluster

#: How many steps of the cluster the operator takes until it looks at it again.
_EVERY = 5


class LoggingIn:
    """running: whether the operator does. restarts: of its pod."""

    def __init__(self, memory: MemoryCluster, user: str) -> None:
        self.memory, self.user = memory, user
        self.running, self.restarts, self._steps = True, 0, 0
        login = {"authentication": {"type": "tls", "certificateAndKey": {"secretName": user}}}
        self._send("POST", "kafkaconnects", {"metadata": {"name": "connect"}, "spec": login})
        self._read = self._stored()
        self._start()
        memory.neighbours.append(self._step)

    def _stored(self) -> Any:
        return (self.memory.api.find("secrets", self.memory.namespace, self.user) or {}).get("data")

    def _start(self) -> None:
        labels = {"strimzi.io/kind": "KafkaConnect", "strimzi.io/cluster": "connect"}
        self.memory.seconds += 1
        self._send("POST", "pods", {"metadata": {"name": "connect-connect-0", "labels": labels}, "spec": {}})

    def _step(self) -> None:
        self._steps += 1
        if not self.running or self._steps % _EVERY or self._read == self._stored():
            return
        self._read, self.restarts = self._stored(), self.restarts + 1
        self._send("DELETE", "pods/connect-connect-0", None)
        self._start()

    def _send(self, method: str, path: str, body: Any) -> None:
        root = "/apis/kafka.strimzi.io/v1" if path.startswith("kafka") else "/api/v1"
        self.memory.api.request(method, f"{root}/namespaces/{self.memory.namespace}/{path}", body=body)

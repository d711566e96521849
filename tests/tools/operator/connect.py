# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A double of the Cluster Operator for a KafkaConnect that logs in as a user: its pod is replaced when certificate or key in the
user's Secret have changed (docs/operator.md, "Users"). There is one worker, without anything else that Connect has.
"""

from __future__ import annotations

import hashlib
from typing import Any

from .api import Api, Object, annotation, data
from .real_programs import program


class ConnectDouble:
    """``reconcile`` is one look at all KafkaConnects. cluster: the Kafka cluster whose CAs they trust. restarts: how many pods were replaced."""

    def __init__(self, transport: Any, namespace: str, cluster: str) -> None:
        self.api, self.cluster, self.restarts = Api(transport, namespace), cluster, 0

    def reconcile(self) -> None:
        for connect in self.api.list("kafkaconnects"):
            self._reconcile(connect)

    def _reconcile(self, connect: Object) -> None:
        user = connect["spec"]["authentication"]["certificateAndKey"]["secretName"]
        secret = self.api.get("secrets", user)
        if secret is None:
            return
        name, stored = connect["metadata"]["name"], data(secret)
        digest = hashlib.sha256(stored["user.crt"] + stored["user.key"]).hexdigest()[:8]
        pod = self.api.get("pods", _pod_of(name))
        if pod is None:
            self.api.create("pods", self._pod(name, user, digest))
        elif annotation(pod, "auth-hash") != digest and "deletionTimestamp" not in pod["metadata"]:
            self.restarts += 1
            self.api.delete("pods", _pod_of(name))

    def _pod(self, name: str, user: str, digest: str) -> Object:
        labels = {
            "strimzi.io/kind": "KafkaConnect", "strimzi.io/cluster": name, "strimzi.io/name": f"{name}-connect",
        }  # fmt: skip
        return program(_pod_of(name), user, self.cluster, labels=labels, annotations={"strimzi.io/auth-hash": digest})


def _pod_of(connect: str) -> str:
    return f"{connect}-connect-0"


def logging_in(name: str, namespace: str, user: str, bootstrap: str) -> Object:
    """A KafkaConnect that logs in with the Secret of this user."""
    topics = {f"{what}StorageTopic": f"{name}-{what}" for what in ("config", "offset", "status")}
    return {
        "apiVersion": "kafka.strimzi.io/v1", "kind": "KafkaConnect",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {
            "replicas": 1, "bootstrapServers": bootstrap, "groupId": name, **topics,
            "authentication": {
                "type": "tls",
                "certificateAndKey": {"secretName": user, "certificate": "user.crt", "key": "user.key"},
            },
        },
    }  # fmt: skip

"""A KafkaConnect beside the cluster, with what the operator does for it and what its process knows (docs/operator.md,
"What each process trusts").

Written to what the real operator does: one certificate of each entry that ``trustedCertificates`` selects, sorted, under
one key of a Secret of its own; its pod is replaced when that changes.
"""

from __future__ import annotations

import base64
from fnmatch import fnmatchcase
from typing import Any

from .memory_cluster import MemoryCluster

Object = dict[str, Any]
END = b"-----END CERTIFICATE-----\n"


class Connect:
    """Joins a cluster. every: how many steps of the cluster the operator takes until it looks at it again. to: the address that it connects to; by default
    the Service of the cluster.
    """

    def __init__(
        self, memory: MemoryCluster, *sources: Object, name: str = "connect", every: int = 1, to: str = ""
    ) -> None:
        self.memory, self.name, self.every = memory, name, every
        self.copy, self.pod = f"{name}-connect-tls-trusted-certs", f"{name}-connect-0"
        self.labels = {"strimzi.io/kind": "KafkaConnect", "strimzi.io/cluster": name}
        self.running, self._steps, self.loaded = True, 0, b""
        tls = {"trustedCertificates": list(sources)}
        spec = {"bootstrapServers": to or f"{memory.cluster}-kafka-bootstrap:9093", "tls": tls}
        self._send("POST", "kafkaconnects", {"metadata": {"name": name}, "spec": spec})
        self._reconcile()
        memory.neighbours.append(self._step)

    def select(self, *sources: Object) -> None:
        """A person changes what it trusts."""
        spec = {"tls": {"trustedCertificates": list(sources)}}
        self._send("PATCH", f"kafkaconnects/{self.name}", {"spec": spec})

    def _step(self) -> None:
        self._steps += 1
        if self.running and self._steps % self.every == 0:
            self._reconcile()

    def _reconcile(self) -> None:
        content = base64.b64encode(b"\n".join(sorted(self._selected()))).decode()
        stored = self.memory.api.find("secrets", self.memory.namespace, self.copy)
        if stored is None:
            metadata = {"name": self.copy, "labels": self.labels}
            self._send("POST", "secrets", {"kind": "Secret", "metadata": metadata, "data": {"ca.crt": content}})
        elif stored["data"]["ca.crt"] != content:
            self._send("PATCH", f"secrets/{self.copy}", {"data": {"ca.crt": content}})
            # The operator goes on with the pods in the same reconciliation, a moment later.
            self.memory.seconds += 1
            self._send("DELETE", f"pods/{self.pod}", None)
        if self.memory.api.find("pods", self.memory.namespace, self.pod) is None:
            self._send("POST", "pods", {"metadata": {"name": self.pod, "labels": self.labels}, "spec": {}})
            self.loaded = base64.b64decode(content)

    def _selected(self) -> list[bytes]:
        found = self.memory.api.find("kafkaconnects", self.memory.namespace, self.name) or {}
        selected = []
        for source in found["spec"]["tls"]["trustedCertificates"]:
            secret = self.memory.api.find("secrets", self.memory.namespace, source["secretName"]) or {"data": {}}
            for entry, value in secret["data"].items():
                if entry == source.get("certificate") or fnmatchcase(entry, source.get("pattern") or ""):
                    selected.append(base64.b64decode(value).split(END)[0] + END)
        return selected

    def _send(self, method: str, path: str, body: Any) -> None:
        root = "/apis/kafka.strimzi.io/v1" if path.startswith("kafkaconnects") else "/api/v1"
        full = f"{root}/namespaces/{self.memory.namespace}/{path}"
        answer = self.memory.api.request(method, full, body=body, content_type="application/merge-patch+json")
        assert answer.status < 300, answer.body

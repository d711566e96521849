# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster in memory under the double, and what a test asks about it."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from cryptography import x509

from ..support.kubelet import Process
from ..support.memory_cluster import MemoryCluster
from . import clusters
from .authorities import UserCa, make_ca

Object = dict[str, Any]

NAMESPACE, CLUSTER = "kafka", "demo"
DEPLOYMENTS = ("demo-cruise-control", "demo-entity-operator", "demo-kafka-exporter")
CERTIFICATE, KEY = "strimzi.io/cluster-ca-cert-generation", "strimzi.io/cluster-ca-key-generation"
_ROOT = {"pods": "/api/v1", "secrets": "/api/v1", "deployments": "/apis/apps/v1"}
_MERGE = "application/merge-patch+json"


class OperatedCluster:
    """Names without a namespace; every call that writes is one request of a user's."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self.now = now
        self.memory = MemoryCluster(CLUSTER, NAMESPACE)
        self.api = self.memory.api

    # The cluster ---------------------------------------------------------------------------------------------------

    def start(self, *, generated: bool, separate: bool = False, **options: Any) -> None:
        make = clusters.separate_roles if separate else clusters.dual_role
        self.memory.apply(*make(CLUSTER, NAMESPACE, generated=generated, **options))
        self.step(2)

    def step(self, times: int = 1) -> None:
        for _time in range(times):
            self.memory.step()

    def ca(self, common_name: str, issuer: UserCa | None = None, **options: Any) -> UserCa:
        return make_ca(common_name, self.now(), issuer, **options)

    def bring(
        self,
        kind: str,
        ca: UserCa,
        *,
        certificates: Mapping[str, bytes] | None = None,
        generations: tuple[int, int] = (0, 0),
    ) -> None:
        """Create or overwrite both Secrets of a user-managed CA. certificates: beside ca.crt, or in its place."""
        entries = {"ca.crt": ca.pem, **(certificates or {})}
        self._put(f"{CLUSTER}-{kind}-ca-cert", entries, {"strimzi.io/ca-cert-generation": str(generations[0])})
        self._put(f"{CLUSTER}-{kind}-ca", {"ca.key": ca.key}, {"strimzi.io/ca-key-generation": str(generations[1])})

    def _put(self, name: str, entries: Mapping[str, bytes], annotations: Mapping[str, str]) -> None:
        metadata = {
            "name": name,
            "labels": {"strimzi.io/kind": "Kafka", "strimzi.io/cluster": CLUSTER},
            "annotations": dict(annotations),
        }
        body = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "data": encode(entries)}
        if self.get("secrets", name):
            self._ask("PUT", "secrets", name, body)
        else:
            self.memory.apply(body)

    # Single objects ------------------------------------------------------------------------------------------------

    def get(self, plural: str, name: str) -> Object | None:
        return self.api.find(plural, NAMESPACE, name)

    def existing(self, plural: str, name: str) -> Object:
        found = self.get(plural, name)
        assert found is not None, f"there is no {name} in {plural}"
        return found

    def change(self, plural: str, name: str, body: Object) -> None:
        self._ask("PATCH", plural, name, body)

    def annotate(self, plural: str, name: str, **annotations: str | None) -> None:
        """Names in snake case, without ``strimzi.io/``; None removes."""
        marks = {f"strimzi.io/{key.replace('_', '-')}": value for key, value in annotations.items()}
        self.change(plural, name, {"metadata": {"annotations": marks}})

    def delete(self, plural: str, name: str) -> None:
        self._ask("DELETE", plural, name, None)

    def _ask(self, method: str, plural: str, name: str, body: Object | None) -> None:
        root = _ROOT.get(plural) or (
            "/apis/core.strimzi.io/v1" if plural == "strimzipodsets" else "/apis/kafka.strimzi.io/v1"
        )
        path = f"{root}/namespaces/{NAMESPACE}/{plural}/{name}"
        response = self.api.request(method, path, body=body, content_type=_MERGE)
        assert response.status < 300, response.body

    def pause(self, on: bool = True) -> None:
        self.annotate("kafkas", CLUSTER, pause_reconciliation="true" if on else None)

    # Facts for tests -----------------------------------------------------------------------------------------------

    def entries(self, secret: str) -> dict[str, bytes]:
        return decode(self.existing("secrets", secret))

    def marks(self, plural: str, name: str) -> dict[str, str]:
        return self.existing(plural, name)["metadata"].get("annotations") or {}

    def pods(self, component: str = "kafka") -> list[Object]:
        return [
            pod
            for pod in self.api.all("pods", NAMESPACE)
            if pod["metadata"]["labels"].get("strimzi.io/component-type") == component
        ]

    def uids(self) -> dict[str, str]:
        """UIDs of all pods, by the name of what they are an instance of."""
        return {
            pod["metadata"]["name"] if component == "kafka" else f"demo-{component}": pod["metadata"]["uid"]
            for component in ("kafka", "cruise-control", "entity-operator", "kafka-exporter")
            for pod in self.pods(component)
        }

    def rolls(self) -> list[int]:
        """How often each Kafka node was started again, by pod UIDs, in the order of their names."""
        return [count for _name, count in sorted(self.memory.restarts().items())]

    def log(self) -> list[tuple[str, str]]:
        """The pods that the operator restarted since the last look, and why."""
        found = list(self.memory.operator.roller.log)
        self.memory.operator.roller.log.clear()
        return found

    def processes(self, component: str = "kafka") -> list[Process]:
        return [p for p in self.memory.kubelet.processes.values() if p.component == component]

    def condition(self) -> Object:
        (found,) = self.existing("kafkas", CLUSTER)["status"]["conditions"]
        return found

    def is_ready(self) -> bool:
        return self.condition()["type"] == "Ready"

    def versions(self, plural: str) -> dict[str, str]:
        """Resource versions: equal before and after means that no client wrote."""
        return {o["metadata"]["name"]: o["metadata"]["resourceVersion"] for o in self.api.all(plural, NAMESPACE)}


def encode(entries: Mapping[str, bytes]) -> dict[str, str]:
    return {key: base64.b64encode(value).decode() for key, value in entries.items()}


def decode(secret: Object) -> dict[str, bytes]:
    return {key: base64.b64decode(value) for key, value in secret["data"].items()}


def certificates(pem: bytes) -> list[x509.Certificate]:
    return x509.load_pem_x509_certificates(pem) if pem else []


def common_name(certificate: x509.Certificate) -> str:
    """In the order of the encoding: O before CN."""
    return ",".join(f"{attribute.rfc4514_attribute_name}={attribute.value}" for attribute in certificate.subject)


def issued_by(leaf: bytes, ca: bytes) -> bool:
    """The first certificate of an entry is signed by the first certificate of the other."""
    try:
        certificates(leaf)[0].verify_directly_issued_by(certificates(ca)[0])
    except Exception:
        return False
    return True

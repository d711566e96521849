# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster's objects on an in-memory API server, made one by one and without an operator."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.engine import carry_out
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate, encode_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import KeyType
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Action, Work
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.ca_secrets import SuppliedAuthority
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import Observation, observe
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.settings import Settings
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Step
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import NO_WISHES

from ...tools.support.certificates import EC, YEAR, Entity
from ...tools.support.memory_api import Change
from .._kube.doubles import Stage

Object = dict[str, Any]

SCOPE = ClusterNames("kafka", "demo")
SETTINGS = Settings(operator_timeout=timedelta(seconds=5), pod_timeout=timedelta(seconds=5), holder="test")
LIFE = YEAR / 2
WISHES = NO_WISHES.changed(key_type=KeyType.ECDSA_P256, leaf_key=EC, validity=LIFE, backs_up=False, audits=False)
LABELS = {"strimzi.io/kind": "Kafka", "strimzi.io/cluster": "demo"}
_ROOTS = {
    **dict.fromkeys(
        ("kafkas", "kafkanodepools", "kafkaconnects", "kafkamirrormaker2s", "kafkabridges", "kafkarebalances"),
        "/apis/kafka.strimzi.io/v1",
    ),
    "strimzipodsets": "/apis/core.strimzi.io/v1",
    "kafkausers": "/apis/kafka.strimzi.io/v1",
    "kafkaaccesses": "/apis/access.strimzi.io/v1alpha1",
}


def pem(*certificates: Certificate | Entity) -> bytes:
    return encode_certificates([one.certificate if isinstance(one, Entity) else one for one in certificates])


def secret(
    name: str,
    data: Mapping[str, bytes],
    annotations: Mapping[str, str] | None = None,
    labels: Mapping[str, str] | None = None,
) -> Object:
    metadata = {"name": name, "labels": {**LABELS, **(labels or {})}, "annotations": dict(annotations or {})}
    encoded = {key: base64.b64encode(value).decode() for key, value in data.items()}
    return {"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "metadata": metadata, "data": encoded}


def pod(name: str, component: str = "kafka", *, ready: bool = True, **annotations: str) -> Object:
    """annotations: without ``strimzi.io/``, and with _ for -."""
    labels = {**LABELS, "strimzi.io/name": f"demo-{component}", "strimzi.io/component-type": component}
    metadata: Object = {"name": name, "labels": labels}
    metadata["annotations"] = {f"strimzi.io/{key.replace('_', '-')}": value for key, value in annotations.items()}
    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": str(ready)}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": []}, "status": status}


def kafka(status: Object | None = None, annotations: Mapping[str, str] | None = None, **spec: Any) -> Object:
    metadata: Object = {"name": "demo", "namespace": "kafka", "annotations": dict(annotations or {})}
    body: Object = {"apiVersion": "kafka.strimzi.io/v1", "kind": "Kafka", "metadata": metadata, "spec": spec}
    return {**body, "status": status} if status is not None else body


def _named(found: Object) -> Object:
    return {key: found["metadata"][key] for key in ("name", "uid")}


def conditions(*kinds: str) -> list[Object]:
    return [{"type": kind, "status": "True"} for kind in kinds]


class Bench(Stage):
    """Time passes while a run waits: a second for each look, with what is due then."""

    def create(self, plural: str, body: Object) -> Object:
        path = f"{_ROOTS.get(plural, '/api/v1')}/namespaces/kafka/{plural}"
        if plural in ("strimzipodsets", "pods"):
            body = self._owned(plural, body)
        if plural == "secrets" and (body["metadata"].get("labels") or {}).get("strimzi.io/name") == "demo-kafka":
            self._pool(body["metadata"]["name"].rpartition("-")[0].removeprefix("demo-"))
        if plural == "kafkanodepools" and self.api.find(plural, "kafka", body["metadata"]["name"]):
            # It was made for one of its pods.
            return self.change(plural, body["metadata"]["name"], {"spec": {}, **body})
        response = self.api.request("POST", path, body=body)
        assert response.status == 201, response.body
        return response.body

    def _owned(self, plural: str, body: Object) -> Object:
        """The object with the owner that Strimzi and Kubernetes give it; as it is where it has one, or is of no process of the cluster."""
        metadata, labels = body["metadata"], body["metadata"].get("labels") or {}
        component, stem = labels.get("strimzi.io/component-type"), metadata["name"].rpartition("-")[0]
        if "ownerReferences" in metadata or labels.get("strimzi.io/cluster") != "demo":
            return body
        if plural == "strimzipodsets":
            owner = {"kind": "KafkaNodePool", **self._pool(metadata["name"].removeprefix("demo-"))}
        elif component == "kafka":
            owner = {"kind": "StrimziPodSet", **self.pod_set(stem), "controller": True}
        else:
            owner = {
                "kind": "ReplicaSet",
                "name": f"demo-{component}-5d9c",
                "uid": "of a ReplicaSet",
                "controller": True,
            }
        return {**body, "metadata": {**metadata, "ownerReferences": [owner]}}

    def _pool(self, name: str) -> Object:
        """Name and UID of this node pool, which is there from now on."""
        found = self.api.find("kafkanodepools", "kafka", name)
        labels = {"strimzi.io/cluster": "demo"}
        return _named(found or self.create("kafkanodepools", {"metadata": {"name": name, "labels": labels}}))

    def pod_set(self, name: str) -> Object:
        """Name and UID of this StrimziPodSet, which is there from now on."""
        found = self.api.find("strimzipodsets", "kafka", name)
        return _named(
            found or self.create("strimzipodsets", {"metadata": {"name": name, "labels": LABELS}, "spec": {"pods": []}})
        )

    def change(self, plural: str, name: str, patch: Object, subresource: str = "") -> Object:
        """Another program changes an object."""
        path = f"{_ROOTS.get(plural, '/api/v1')}/namespaces/kafka/{plural}/{name}"
        path += f"/{subresource}" if subresource else ""
        response = self.api.request("PATCH", path, body=patch, content_type="application/merge-patch+json")
        assert response.status == 200, response.body
        return response.body

    def remove(self, plural: str, name: str) -> None:
        self.api.request("DELETE", f"{_ROOTS.get(plural, '/api/v1')}/namespaces/kafka/{plural}/{name}")

    def find(self, plural: str, name: str) -> Object:
        found = self.api.find(plural, "kafka", name)
        assert found is not None, f"{plural} {name} does not exist"
        return found

    def data(self, name: str) -> dict[str, bytes]:
        return {key: base64.b64decode(value) for key, value in self.find("secrets", name)["data"].items()}

    def annotation(self, plural: str, name: str, key: str) -> str | None:
        return self.find(plural, name)["metadata"].get("annotations", {}).get(f"strimzi.io/{key}")

    def authority(self, current: Entity, keys: Mapping[str, bytes] | None = None, **others: Entity) -> None:
        """The pair of CA Secrets, both of generation 0. others: by the stem of their entry."""
        entries = {"ca.crt": pem(current), **{f"{stem}.crt": pem(one) for stem, one in others.items()}}
        self.create("secrets", secret(SCOPE.ca_certificate_secret, entries, {"strimzi.io/ca-cert-generation": "0"}))
        content = {"ca.key": current.key.reveal(), **(keys or {})}
        self.create("secrets", secret(SCOPE.ca_key_secret, content, {"strimzi.io/ca-key-generation": "0"}))

    def observe(self) -> Observation:
        return observe(self.client(), SCOPE, self.clock.now())

    def work(
        self, *, transport: Any = None, dry_run: bool = False, supplied: SuppliedAuthority | None = None, **said: Any
    ) -> Work:
        """A call on this cluster. said: fields of settings and of wishes."""
        client = KubeClient(transport, sleep=self.clock.sleep) if transport else self.client()
        settings = {name: said.pop(name) for name in [*said] if hasattr(SETTINGS, name)}
        work = Work(client, SCOPE, self.clock, replace(SETTINGS, **settings), dry_run, WISHES.changed(**said))
        work.supplied_key = supplied.key if supplied else None
        return work

    def carry_out(self, step: Step) -> list[Change]:
        """Observe, carry out, and tell what was really changed."""
        observation = self.observe()
        before = len(self.api.writes)
        carry_out(step, observation, self.work())
        return self.api.writes[before:]


def recorded(
    carry_out: Callable[[Any, Observation, Work], None], step: Any, seen: Observation, work: Work
) -> list[Action]:
    """Carry out, and tell what it says that it did."""
    carry_out(step, seen, work)
    return work.actions

"""Kubelet and Deployment controller for MemoryApi: step by step, no threads, no time.

It also knows what the processes know: what each pod loaded when it started, and nothing it could have learned since.
"""

from __future__ import annotations

import base64
import copy
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Any

from ..operator import certs
from ..operator.releases import STRIMZI_1_2
from ..operator.security import Security, choose
from .memory_api import Change, MemoryApi


def _verifies_users(listener: Mapping[str, Any]) -> bool:
    return (listener.get("authentication") or {}).get("type") == "tls"


RAFT_CLIENT, AGENT = "Raft client", "agent"
#: The channels of a node that read again with its listeners, by the version of Kafka; of other versions none does.
#: There is no Kafka 9.
FOLLOWING = {"4.5.0": frozenset({RAFT_CLIENT}), "9.0.0": frozenset({RAFT_CLIENT, AGENT})}


@dataclass(frozen=True)
class Process:
    """A pod's process, by what it loaded at its start (docs/operator.md, "What each process trusts"): PEM of its leaves, PEM of its trust; of a broker also
    the CAs by which its listeners verify users.
    """

    pod: str
    component: str
    presented: tuple[tuple[str, bytes], ...]
    trusted: bytes
    #: Where a node's listeners have read again since, what its Raft client and its agent were started with, but for the
    #: channels in ``following``.
    kept: Process | None = None
    users: bytes = b""
    #: The channels of a node that read again with its listeners.
    following: frozenset[str] = frozenset()


@lru_cache(maxsize=10_000)
def _ends(pem: bytes) -> datetime:
    return certs.load(pem)[0].not_valid_after_utc


class SimulatedKubelet:
    """Makes pods Ready, ends deleted ones, keeps one pod per Deployment."""

    def __init__(self, api: MemoryApi, namespace: str, cluster: str) -> None:
        self.api, self.namespace, self.cluster = api, namespace, cluster
        self.processes: dict[str, Process] = {}
        self.started: dict[str, list[str]] = {}
        self.nodes: set[str] = set()
        self.broken: set[str] = set()
        #: The release of the operator that configures the processes.
        self.release = STRIMZI_1_2
        api.listeners.append(self._on_change)

    def _on_change(self, change: Change) -> None:
        if change.plural != "pods" or change.namespace != self.namespace:
            return
        if change.verb == "create" and change.new:
            self._start(change.new)
        elif change.verb == "delete" and change.old:
            self.processes.pop(change.old["metadata"]["uid"], None)

    def _start(self, pod: Mapping[str, Any]) -> None:
        metadata = pod["metadata"]
        labels, annotations = metadata.get("labels") or {}, metadata.get("annotations") or {}
        if labels.get("strimzi.io/cluster", self.cluster) != self.cluster:
            # Another resource's pod; what it knows is told by its own double.
            return
        component = labels.get("strimzi.io/component-type", "")
        if component == "kafka":
            self.nodes.add(metadata["name"])
        self.started.setdefault(metadata["name"], []).append(metadata["uid"])
        presented = self._leaves(metadata["name"], component) if self._presents(labels, component) else ()
        self.processes[metadata["uid"]] = Process(
            metadata["name"], component, presented, self._trust(component),
            users=self._users() if labels.get("strimzi.io/broker-role") == "true" else b"",
            following=FOLLOWING.get(annotations.get("strimzi.io/kafka-version", ""), frozenset()),
        )  # fmt: skip

    def reload(self, uid: str) -> None:
        """The listeners of this node read their leaf and their trust again, with the channels that follow them; nothing
        else of the process does.
        """
        process = self.processes[uid]
        self.processes[uid] = replace(
            process,
            presented=self._leaves(process.pod, process.component) if process.presented else (),
            trusted=self._trust(process.component),
            kept=(process.kept or process) if self.security.has_tls else None,
        )

    def stored_leaf(self, node: str) -> bytes:
        """The certificates (PEM) that this node would read now."""
        return self._entry(node, f"{node}.crt")

    def restart_in_place(self, name: str) -> None:
        """The container of this node ends, and starts again in its pod: with what is stored now."""
        pod = self.api.find("pods", self.namespace, name) or {}
        uid, statuses = pod["metadata"]["uid"], (pod.get("status") or {}).get("containerStatuses") or [{}]
        self._start(pod)
        status = {
            "phase": "Pending", "conditions": [{"type": "Ready", "status": "False"}],
            "containerStatuses": [{"name": "kafka", "restartCount": statuses[0].get("restartCount", 0) + 1}],
        }  # fmt: skip
        self._set_status(name, status)
        assert uid in self.processes

    def ended(self, now: datetime) -> list[str]:
        """Names of the nodes that present a certificate which has ended, so that every new connection to them is refused."""
        nodes = (process for process in self.processes.values() if process.component == "kafka")
        return sorted(node.pod for node in nodes if any(_ends(pem) <= now for _secret, pem in node.presented if pem))

    def refuses_operator(self, now: datetime) -> bool:
        """Whether nodes refuse the operator, because its own certificate has ended."""
        leaf = self._entry(f"{self.cluster}-cluster-operator-certs", "cluster-operator.crt")
        return self.security.verifies_clients and bool(leaf) and _ends(leaf) <= now

    def reload_users(self, uid: str) -> None:
        """The listeners for users of this node read again by whom they verify; nothing else verifies by it."""
        self.processes[uid] = replace(self.processes[uid], users=self._users())

    def _users(self) -> bytes:
        """Nothing where no listener asks for certificates."""
        kafka = self.api.stored("kafkas", self.namespace, self.cluster) or {"spec": {"kafka": {}}}
        asking = [listener for listener in kafka["spec"]["kafka"].get("listeners") or [] if _verifies_users(listener)]
        return self._entry(f"{self.cluster}-trustbundle", "clients-ca.crt") if asking else b""

    def _presents(self, labels: Mapping[str, str], component: str) -> bool:
        """Whether any connection of this process shows its leaf: servers do where there is TLS, and clients where
        servers verify them.
        """
        if self.security.has_tls:
            return self.security.verifies_clients or component in ("kafka", "cruise-control")
        kafka = self.api.stored("kafkas", self.namespace, self.cluster) or {"spec": {"kafka": {}}}
        listeners = kafka["spec"]["kafka"].get("listeners") or []
        return labels.get("strimzi.io/broker-role") == "true" and any(listener.get("tls") for listener in listeners)

    def _leaves(self, pod: str, component: str) -> tuple[tuple[str, bytes], ...]:
        c = self.cluster
        places = {
            "kafka": [(pod, f"{pod}.crt")],
            "entity-operator": [
                (f"{c}-entity-topic-operator-certs", "entity-operator.crt"),
                (f"{c}-entity-user-operator-certs", "entity-operator.crt"),
            ],
            "cruise-control": [(f"{c}-cruise-control-certs", "cruise-control.crt")],
            "kafka-exporter": [(f"{c}-kafka-exporter-certs", "kafka-exporter.crt")],
        }.get(component, [])
        return tuple((secret, self._entry(secret, key)) for secret, key in places)

    @property
    def security(self) -> Security:
        """The security between processes, as this release configures them."""
        return choose(self.api.stored("kafkas", self.namespace, self.cluster) or {"metadata": {}}, self.release)

    def _trust(self, component: str) -> bytes:
        """Without TLS no process has a truststore."""
        if not self.security.has_tls:
            return b""
        if component in ("kafka", "kafka-exporter"):
            return self._entry(f"{self.cluster}-trustbundle", "cluster-ca.crt")
        secret = self.api.stored("secrets", self.namespace, f"{self.cluster}-cluster-ca-cert") or {}
        # Only the first certificate of each entry becomes an anchor (docs/operator.md, "User-managed CA").
        anchors = [
            base64.b64decode(value).split(b"-----END CERTIFICATE-----")[0] + b"-----END CERTIFICATE-----\n"
            for key, value in sorted((secret.get("data") or {}).items())
            if key.endswith(".crt")
        ]
        return b"".join(anchors)

    def _entry(self, secret: str, key: str) -> bytes:
        found = self.api.stored("secrets", self.namespace, secret) or {}
        return base64.b64decode((found.get("data") or {}).get(key, ""))

    def step(self) -> bool:
        """A round of everything a cluster does by itself. True when something moved."""
        return any([self._end_deleted(), self._deployments(), self._make_ready()])

    def _end_deleted(self) -> bool:
        ended = [p for p in self.api.all_stored("pods", self.namespace) if "deletionTimestamp" in p["metadata"]]
        for pod in ended:
            self.api.finish_delete("pods", self.namespace, pod["metadata"]["name"])
        return bool(ended)

    def _make_ready(self) -> bool:
        moved = False
        for pod in self.api.all_stored("pods", self.namespace):
            name = pod["metadata"]["name"]
            if (pod.get("status") or {}).get("phase") == "Running" or name in self.broken:
                continue
            self._set_status(name, {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]})
            moved = True
        return moved

    def _set_status(self, name: str, status: Mapping[str, Any]) -> None:
        path = f"/api/v1/namespaces/{self.namespace}/pods/{name}/status"
        body = {"status": status, "metadata": {}}
        self.api.request("PATCH", path, body=body, content_type="application/merge-patch+json")

    def _deployments(self) -> bool:
        moved = False
        for deployment in self.api.all_stored("deployments", self.namespace):
            template = deployment["spec"]["template"]
            digest = hashlib.sha1(json.dumps(template, sort_keys=True).encode()).hexdigest()[:10]
            stem = f"{deployment['metadata']['name']}-"
            own = [p for p in self.api.all_stored("pods", self.namespace) if p["metadata"]["name"].startswith(stem)]
            for pod in own:
                if pod["metadata"]["labels"].get("pod-template-hash") != digest:
                    path = f"/api/v1/namespaces/{self.namespace}/pods/{pod['metadata']['name']}"
                    self.api.request("DELETE", path)
                    moved = True
            if not any(p["metadata"]["labels"].get("pod-template-hash") == digest for p in own):
                self._create_pod(template, stem, digest)
                moved = True
        return moved

    def _create_pod(self, template: Mapping[str, Any], stem: str, digest: str) -> None:
        metadata = copy.deepcopy(template["metadata"])
        metadata["labels"] = {**metadata.get("labels", {}), "pod-template-hash": digest}
        metadata["generateName"] = f"{stem}{digest}-"
        # The ReplicaSet itself is nothing that anything here reads.
        metadata["ownerReferences"] = [{
            "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": f"{stem}{digest}", "uid": digest, "controller": True,
            "blockOwnerDeletion": True,
        }]  # fmt: skip
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": copy.deepcopy(template["spec"])}
        self.api.request("POST", f"/api/v1/namespaces/{self.namespace}/pods", body=pod)

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kafka clusters in API servers that answer over HTTP, a kubeconfig with a context for each, and the inventory as Ansible reads it."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import yaml
from ansible.inventory.manager import InventoryManager
from ansible.parsing.dataloader import DataLoader

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import encode_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.ledger.layouts import lay_out
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind, ClusterNames
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    FlowOptions,
    Journal,
    Layout,
    Ledger,
    LedgerEntry,
    Stop,
    TrustState,
)

from ...tools.support.certificates import Entity, key, make
from ...tools.support.memory_api import MemoryApi
from .._kube.server import Reply, Request

NOW, DAY = datetime.now(timezone.utc).replace(microsecond=0), timedelta(days=1)
#: A flow on a CA, in flight.
BEGUN = Journal(Goal.REPLACE_KEY, None, None, NOW - DAY)
STOPPED = Journal(Goal.RENEW, None, None, NOW - DAY, options=FlowOptions(stop=Stop(Phase.TRUST, NOW - DAY)))
FINISHED = Journal(Goal.RENEW, None, None, NOW - DAY, NOW)


def authority(days: float = 400, issuer: Entity | None = None, name: str = "cluster-ca v0") -> Entity:
    """A CA that ends in so many days and an hour."""
    return make(name, key(1), issuer, begin=NOW - 900 * DAY, end=NOW + days * DAY + timedelta(hours=1))


def ready(status: str = "True", kind: str = "Ready", **more: Any) -> dict[str, Any]:
    return {
        "conditions": [{"type": kind, "status": status, **more}],
        "operatorLastSuccessfulVersion": "1.2.0",
        "kafkaVersion": "4.3.1",
    }


class Clusters:
    """The clusters of one API server."""

    def __init__(self) -> None:
        self.api = MemoryApi()

    def add(
        self,
        name: str = "demo",
        namespace: str = "kafka",
        *,
        generated: bool = True,
        ca: Entity | None = None,
        above: tuple[Entity, ...] = (),
        clients_ca: Entity | None = None,
        ledger: Ledger | None = None,
        status: Mapping[str, Any] | None = None,
        labels: Mapping[str, str] | None = None,
        annotations: Mapping[str, str] | None = None,
    ) -> None:
        """ca: without it there is no Secret of the cluster CA. ledger: of the cluster CA."""
        kafka = {
            "metadata": {"name": name, "labels": dict(labels or {}), "annotations": dict(annotations or {})},
            "spec": {"kafka": {"version": "4.3.0"}, "clusterCa": {"generateCertificateAuthority": generated}},
            "status": ready() if status is None else dict(status),
        }
        self.put("/apis/kafka.strimzi.io/v1", namespace, "kafkas", kafka)
        scope = ClusterNames(namespace, name)
        for kind, chain in ((CaKind.CLUSTER, (ca, *above)), (CaKind.CLIENTS, (clients_ca,))):
            if chain[0] is not None:
                pem = encode_certificates(tuple(one.certificate for one in chain if one is not None))
                self.secret(namespace, scope.of(kind).ca_certificate_secret, {"ca.crt": pem})
                self.secret(namespace, scope.of(kind).ca_key_secret, {"ca.key": chain[0].key.reveal()})
        for part in lay_out(ledger, scope) if ledger is not None else ():
            self.secret(namespace, part.name, part.entries, {k: v for k, v in part.annotations.items() if v})

    def secret(
        self, namespace: str, name: str, content: Mapping[str, bytes], annotations: Mapping[str, str] | None = None
    ) -> None:
        data = {entry: base64.b64encode(value).decode() for entry, value in content.items()}
        body = {"metadata": {"name": name, "annotations": dict(annotations or {})}, "data": data}
        self.put("/api/v1", namespace, "secrets", body)

    def put(self, root: str, namespace: str, plural: str, body: dict[str, Any]) -> None:
        assert self.api.request("POST", f"{root}/namespaces/{namespace}/{plural}", body=body).status == 201

    def answer(self, request: Request) -> Reply:
        parts = urlsplit(request.path)
        found = self.api.request(request.method, parts.path, query=dict(parse_qsl(parts.query)))
        return Reply(found.status, found.body)


def adopted(ca: Entity, journal: Journal | None = None, layout: Layout = Layout.SINGLE) -> Ledger:
    return Ledger((LedgerEntry((ca.certificate,), TrustState.TRUSTED_IN_USE_ALL),), journal=journal, layout=layout)


def kubeconfig(folder: Path, **servers: str) -> Path:
    """A context of the same name for each server, by its URL; an underscore in a name stands for a slash."""
    contexts = {name.replace("_", "/"): url for name, url in servers.items()}
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": {"server": url}} for name, url in contexts.items()],
        "users": [{"name": "person", "user": {"token": "a-token"}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": "person"}} for name in contexts],
        "current-context": next(iter(contexts)),
    }
    path = folder / "kubeconfig"
    path.write_text(yaml.safe_dump(content))
    return path


def inventory(folder: Path, *, flush: bool = False, **options: Any) -> InventoryManager:
    """As Ansible reads a file with these options in this folder, in which a kubeconfig lies. flush: past the cache."""
    path = folder / "fleet.strimzi.yml"
    path.write_text(json.dumps({"plugin": "trustops.strimzi.kafka", "kubeconfig": "kubeconfig", **options}))
    return InventoryManager(loader=DataLoader(), sources=[str(path)], cache=not flush)


def groups(found: InventoryManager, host: str) -> set[str]:
    """The groups of a host, also those that it is in by another group, without those that every host is in."""
    return {group.name for group in found.get_host(host).get_groups()} - {"all", "kafka_clusters"}

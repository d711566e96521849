# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Three Kafka nodes whose pods are recreated when they are deleted, and that need a while to be back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from types import MappingProxyType
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.direct import restart_nodes
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Action
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Roll

from ...tools.support.kafka import FakeKafka, FakeTopic
from ...tools.support.memory_api import Change
from .._strimzi.bench import LABELS, Bench, Object, kafka, pod
from .stand import roll_of

#: Asks the operator to restart a pod, or all pods of a StrimziPodSet.
MANUAL = "strimzi.io/manual-rolling-update"
COMBINED = MappingProxyType({0: "cb", 1: "cb", 2: "cb"})
SEPARATE = MappingProxyType({0: "c", 1: "c", 2: "c", 3: "b", 4: "b", 5: "b"})
LIMIT = timedelta(seconds=20)
READY = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}
UNREADY = {"status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "False"}]}}


def name(node: int) -> str:
    return f"demo-kafka-{node}"


class DirectStand(Bench):
    """gone: nodes that are not recreated. stalled: nodes that are recreated and do not become Ready.

    grace: seconds from the request to leave until a node is gone, where that takes time. start: from then to Ready.
    """

    def __init__(self, roles: Mapping[int, str] = COMBINED, **config: Any) -> None:
        super().__init__()
        self.roles = roles
        self.gone: set[int] = set()
        self.stalled: set[int] = set()
        self.deleted: list[int] = []
        self.grace, self.start = 1.0, 2.0
        self.create("kafkas", kafka({}, kafka={"config": config}))
        pods = [self.pod(node) for node in roles]
        metadata = {"name": "demo-kafka", "labels": LABELS, "annotations": {}}
        self.create("strimzipodsets", {"metadata": metadata, "spec": {"pods": pods}})
        for node in roles:
            self.create("pods", self.pod(node))
        self.api.listeners.append(self._recreate)
        brokers = tuple(node for node, role in roles.items() if "b" in role)
        topics = [FakeTopic("orders", brokers[:3]), FakeTopic("__consumer_offsets", brokers[:3])]
        self.kafka = FakeKafka(self.api, self.clock.monotonic, roles, topics, active=1)

    def pod(self, node: int, **options: Any) -> Object:
        body = pod(name(node), **options)
        body["metadata"]["labels"]["strimzi.io/controller-role"] = str("c" in self.roles[node]).lower()
        body["metadata"]["labels"]["strimzi.io/broker-role"] = str("b" in self.roles[node]).lower()
        return body

    def _recreate(self, change: Change) -> None:
        """A pod that is gone is back a second later, and Ready some time after that."""
        if change.plural != "pods" or not change.name.startswith("demo-kafka-"):
            return
        node, now = int(change.name.rsplit("-", 1)[1]), self.clock.seconds
        if change.verb == "update" and change.new and "deletionTimestamp" in change.new["metadata"]:
            self.at(now + self.grace, lambda: self.api.finish_delete("pods", "kafka", change.name))
        if change.verb == "delete":
            self.deleted.append(node)
            self.at(now + 1, lambda: None if node in self.gone else self.create("pods", self.pod(node, ready=False)))
            self.at(now + self.start, lambda: self.becomes_ready(node))

    def becomes_ready(self, node: int) -> None:
        if node not in self.gone | self.stalled:
            self.change("pods", name(node), READY, "status")

    def becomes_unready(self, node: int) -> None:
        self.change("pods", name(node), UNREADY, "status")

    def asks_operator(self, plural: str, which: str, request: str = MANUAL) -> None:
        self.change(plural, which, {"metadata": {"annotations": {request: "true"}}})

    @property
    def uids(self) -> dict[int, str]:
        pods = {one["metadata"]["name"]: one["metadata"]["uid"] for one in self.api.all("pods", "kafka")}
        return {node: pods[name(node)] for node in self.roles if name(node) in pods}

    def step(self, nodes: Iterable[int] | None = None) -> Roll:
        uids = self.uids
        asked = uids if nodes is None else nodes
        return roll_of(uids[node] for node in asked)

    def roll(self, nodes: Iterable[int] | None = None, **options: Any) -> list[Action]:
        return self.carry_out_roll(self.step(nodes), **options)

    def carry_out_roll(self, step: Roll, **options: Any) -> list[Action]:
        work = self.work(**{"pod_timeout": LIMIT, **options})
        restart_nodes(step, self.observe(), work, lambda observation: self.kafka)
        return work.actions

"""A whole small cluster in memory: API server, kubelet and operator double, moving only when asked to."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from ..operator import clusters
from ..operator.double import OperatorDouble
from ..operator.podsets import control_pod_sets
from .kubelet import SimulatedKubelet
from .memory_api import MemoryApi

Object = dict[str, Any]

_STRIMZI = ("Kafka", "KafkaNodePool", "KafkaUser")


class MemoryCluster:
    """``step`` is one operator reconcile and all that Kubernetes does by itself until it is quiet."""

    def __init__(self, cluster: str = "demo", namespace: str = "kafka") -> None:
        self.cluster, self.namespace = cluster, namespace
        self.api = MemoryApi()
        self.kubelet = SimulatedKubelet(self.api, namespace, cluster)
        self.operator = OperatorDouble(self.api, namespace, self.wait)
        self.operator_runs = True
        self.seconds = 0.0
        #: Called in each step, after the operator: what else lives in the namespace.
        self.neighbours: list[Callable[[], None]] = []
        self.api.clock = self.time

    def apply(self, *manifests: Object) -> None:
        for manifest in manifests:
            kind = manifest["kind"]
            root = "/apis/kafka.strimzi.io/v1" if kind in _STRIMZI else "/api/v1"
            path = f"{root}/namespaces/{self.namespace}/{kind.lower()}s"
            response = self.api.request("POST", path, body=manifest)
            assert response.status < 300, response.body

    def wait(self, condition: Callable[[], bool]) -> bool:
        for _round in range(50):
            if condition():
                return True
            self.quiet_round()
        return condition()

    def time(self) -> str:
        return (datetime(2026, 1, 1) + timedelta(seconds=self.seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")

    def quiet_round(self) -> bool:
        """One round of the controllers that never pause."""
        return any([control_pod_sets(self.operator.api), self.kubelet.step()])

    def step(self) -> None:
        """Time passes: the operator reconciles once, Kubernetes settles."""
        self.seconds += 1.0
        if self.operator_runs:
            self.operator.reconcile(self.cluster)
        for neighbour in self.neighbours:
            neighbour()
        for _round in range(50):
            if not self.quiet_round():
                return

    def settle(self, rounds: int = 3) -> None:
        for _round in range(rounds):
            self.step()

    def restarts(self) -> dict[str, int]:
        """How often each Kafka node was started again."""
        return {name: len(uids) - 1 for name, uids in self.kubelet.started.items() if name in self.kubelet.nodes}


def user_managed(memory: MemoryCluster, **options: Any) -> None:
    """A cluster whose CA Secrets are made elsewhere."""
    memory.apply(*clusters.dual_role(memory.cluster, memory.namespace, **options))

"""A whole small cluster in memory: API server, kubelet and operator double, moving only when asked to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from ..operator import certs, clusters
from ..operator.authority import ReconcileFailed
from ..operator.double import OperatorDouble
from ..operator.podsets import control_pod_sets
from ..operator.releases import STRIMZI_1_2, Release
from .kubelet import Process, SimulatedKubelet
from .memory_api import Key, MemoryApi

Object = dict[str, Any]

#: After it an operator for whom nothing has changed reconciles all the same: certificates come to their end.
_PERIOD = timedelta(minutes=2)
#: Of what a cluster here has, the fields that v1 does not.
_ONLY_OLDER = {"kafkas": (("spec", "kafka", "replicas"), ("spec", "kafka", "storage"), ("spec", "kafka", "resources"))}
_STRIMZI = ("Kafka", "KafkaNodePool", "KafkaUser")


@dataclass(frozen=True)
class Moment:
    """A cluster at one moment."""

    stored: tuple[dict[Key, Object], int]
    seconds: float
    #: The processes by the UIDs of their pods.
    processes: Mapping[str, Process]
    #: UIDs by the names of their pods.
    started: Mapping[str, tuple[str, ...]]
    nodes: frozenset[str]


@dataclass(frozen=True)
class _AskedNodes:
    """The nodes as the operator asks them before it restarts any (docs/operator.md, "Expired certificates")."""

    kubelet: SimulatedKubelet

    def active_controller(self) -> int | None:
        kubelet, now = self.kubelet, certs.now()
        if kubelet.security.has_tls and (kubelet.ended(now) or kubelet.refuses_operator(now)):
            raise ReconcileFailed(
                "UnforceableProblem", "An error while trying to determine the active controller: SSL handshake failed"
            )
        return None

    def refusals(self, node_id: int) -> list[str]:
        return []


class MemoryCluster:
    """``step`` is one operator reconcile and all that Kubernetes does by itself until it is quiet."""

    def __init__(self, cluster: str = "demo", namespace: str = "kafka", release: Release = STRIMZI_1_2) -> None:
        self.cluster, self.namespace = cluster, namespace
        self.api = MemoryApi()
        self.kubelet = SimulatedKubelet(self.api, namespace, cluster)
        self.operator = OperatorDouble(
            self.api, namespace, self.wait, running=lambda _api, _kafka: _AskedNodes(self.kubelet), release=release
        )
        self.api.only_older = _ONLY_OLDER if release.api_version != "v1" else None
        self.operator_runs = True
        self.seconds = 0.0
        #: Seconds for every answer of a slow API server, and for every message that it passes on.
        self.answer_takes = 0.0
        #: Called in each step, after the operator: what else lives in the namespace.
        self.neighbours: list[Callable[[], None]] = []
        self.api.clock = self.time
        #: Version and operator's time before its last reconcile.
        self._reconciled = (0, certs.now())

    def use_release(self, release: Release) -> None:
        """The release of the operator, before it has seen the cluster."""
        self.operator.become(release)
        self.kubelet.release = release

    def apply(self, *manifests: Object) -> None:
        for manifest in manifests:
            kind = manifest["kind"]
            root = f"/apis/{manifest['apiVersion']}" if kind in _STRIMZI else "/api/v1"
            path = f"{root}/namespaces/{self.namespace}/{kind.lower()}s"
            response = self.api.request("POST", path, body=manifest)
            assert response.status < 300, response.body

    def upgrade(self, release: Release) -> None:
        """The operator and the CRDs of this release, in which v1 is the only version of the API: what v1 does not have is gone."""
        self.operator.become(release)
        for plural in ("kafkas", "kafkanodepools"):
            for found in self.operator.api.list(plural):
                self.operator.api.replace(plural, found)
        self.api.only_older = None

    def wait(self, condition: Callable[[], bool]) -> bool:
        for _round in range(50):
            if condition():
                return True
            self.quiet_round()
        return condition()

    def time(self) -> str:
        return (datetime(2026, 1, 1) + timedelta(seconds=self.seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")

    def pass_by(self, seconds: float) -> None:
        """Time passes, and nothing moves."""
        self.seconds += seconds

    def back_off(self, seconds: float) -> None:
        """A client waits before its next request: that counts only where answers take their time, because a watch in
        memory ends at once.
        """
        self.pass_by(seconds if self.answer_takes else 0.0)

    def quiet_round(self) -> bool:
        """A round of the controllers that never pause."""
        return any([control_pod_sets(self.operator.api), self.kubelet.step()])

    def step(self) -> None:
        """Time passes: the operator reconciles once, Kubernetes settles."""
        self.seconds += 1.0
        if self.operator_runs and not self._is_quiet():
            self._reconciled = (self.api.version, certs.now())
            self.operator.reconcile(self.cluster)
        for neighbour in self.neighbours:
            neighbour()
        for _round in range(50):
            if not self.quiet_round():
                return

    def _is_quiet(self) -> bool:
        """Whether no client has written anything since the operator began its last reconcile, the operator itself included."""
        version, at = self._reconciled
        return version == self.api.version and abs(certs.now() - at) < _PERIOD

    def moment(self) -> Moment:
        kubelet = self.kubelet
        started = {name: tuple(uids) for name, uids in kubelet.started.items()}
        return Moment(self.api.snapshot(), self.seconds, dict(kubelet.processes), started, frozenset(kubelet.nodes))

    def go_to(self, moment: Moment) -> None:
        """Another cluster was there."""
        self.api.restore(moment.stored)
        self.seconds = moment.seconds
        self.kubelet.processes, self.kubelet.nodes = dict(moment.processes), set(moment.nodes)
        self.kubelet.started = {name: list(uids) for name, uids in moment.started.items()}

    def settle(self, rounds: int = 3) -> None:
        for _round in range(rounds):
            self.step()

    def restarts(self) -> dict[str, int]:
        """How often each Kafka node was started again."""
        return {name: len(uids) - 1 for name, uids in self.kubelet.started.items() if name in self.kubelet.nodes}


def user_managed(memory: MemoryCluster, **options: Any) -> None:
    """A cluster whose CA Secrets are made elsewhere."""
    memory.apply(*clusters.dual_role(memory.cluster, memory.namespace, **options))

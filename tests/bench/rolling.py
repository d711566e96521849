"""What waiting for a roll adds to the restarts it waits for, on a real API server."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.module import SystemClock
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.connection import connect
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import KeySpec
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.roll import carry_out_roll
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.observe import observe
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.work import Settings, Work
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import Roll, RollReason

from ..api.running import Runner
from ..cluster.bed import Bed
from ..cluster.scene import Scene
from ..operator import clusters
from ..operator.api import ready
from .measurement import Measurement, Wanted
from .pairs import seconds

#: A broker takes longer to come back; what we add does not grow with it, so this is the harder case.
POD_START = 10.0
ROUNDS = 3


class Restarts:
    """Watches the nodes by itself, with another client than the collection's, and adds up how long each was away."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._path = f"/api/v1/namespaces/{scene.namespace}/pods"
        self._query = {"labelSelector": "strimzi.io/name=demo-kafka"}
        self._went: dict[str, float] = {}
        self._back: dict[str, float] = {}
        self._old: set[str] = set()
        self._over = threading.Event()

    @contextmanager
    def watched(self) -> Iterator[None]:
        listed = self._scene.kube.request("GET", self._path, query=self._query).body
        self._old = {pod["metadata"]["uid"] for pod in listed["items"]}
        thread = threading.Thread(target=self._watch, args=(listed["metadata"]["resourceVersion"],), daemon=True)
        thread.start()
        yield
        # The last event may reach this watch a moment after the collection's.
        self._over.wait(5)

    @property
    def sum(self) -> float:
        if len(self._back) != len(self._old):
            raise RuntimeError(f"{len(self._back)} of {len(self._old)} restarts were seen")
        return sum(at - self._went[name] for name, at in self._back.items())

    def _watch(self, version: str) -> None:
        query = {**self._query, "watch": "true", "resourceVersion": version}
        for event in self._scene.kube.stream(self._path, query=query, timeout=300):
            self._see(event["type"], event["object"], time.perf_counter())
            if len(self._back) == len(self._old):
                self._over.set()
                return

    def _see(self, kind: str, pod: dict[str, Any], now: float) -> None:
        name, old = pod["metadata"]["name"], pod["metadata"]["uid"] in self._old
        if old and (kind == "DELETED" or "deletionTimestamp" in pod["metadata"]):
            self._went.setdefault(name, now)
        elif not old and ready(pod):
            self._back.setdefault(name, now)


def waiting_cluster(bed: Bed) -> Scene:
    """A cluster with a ledger, whose operator notices a request at once and otherwise leaves the nodes alone."""
    scene = Scene(bed, "bench")
    scene.raise_curtain(interval=600)
    runner = Runner(scene)
    runner.flow("create").check()
    scene.kube.apply(clusters.dual_role("demo", scene.namespace, components=False))
    scene.wait_until_ready("demo")
    runner.flow("create").check()
    return scene


def roll(scene: Scene) -> float:
    """Seconds of a roll of all nodes as a ratio to the sum of their restarts."""
    client = KubeClient(connect({"kubeconfig": str(scene.bed.kubeconfig)}))
    clock = SystemClock()
    work = Work(client, ClusterNames(scene.namespace, "demo"), clock, Settings(KeySpec(), KeySpec()))
    seen = observe(client, work.scope, clock.now())
    nodes = frozenset(pod.uid for pod in seen.snapshot.pods if pod.component is Component.KAFKA)
    # The name in the request has to be a new one each time, or it would be no request.
    step = Roll(RollReason.TRUST, nodes, f"{time.time_ns():x}", Phase.TRUST)
    restarts = Restarts(scene)
    with restarts.watched():
        taken = seconds(lambda: carry_out_roll(step, seen, work))
    return taken / restarts.sum


def measure() -> Iterator[Measurement]:
    with Bed("bench", pod_start_seconds=POD_START) as bed:
        scene = waiting_cluster(bed)
        try:
            ratios = [roll(scene) for _round in range(ROUNDS)]
        finally:
            scene.stop_operator()
    yield Measurement("wait-overhead", median(ratios), Wanted.AT_MOST, 1.05)

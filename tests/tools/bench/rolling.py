"""The time that waiting for a roll adds to the restarts it waits for, on a real API server."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.module import SystemClock
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.connection import connect
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.roll import carry_out_roll
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import observe
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.settings import Settings
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Roll, RollReason

from ...api.running import Runner
from ..cluster.bed import Bed
from ..cluster.bed_cluster import BedCluster
from ..operator import clusters
from .measurement import Measurement, Wanted
from .pairs import seconds
from .restarts import watched

#: A real broker takes longer to come back; the time that we add does not grow with it, so this is the harder case.
POD_START = 10.0
ROUNDS = 3


def waiting_cluster(bed: Bed) -> BedCluster:
    """A cluster with a ledger, whose operator notices a request at once and otherwise leaves the nodes alone."""
    cluster = BedCluster(bed, "bench")
    cluster.start(interval=600)
    runner = Runner(cluster)
    runner.flow("create").check()
    cluster.kube.apply(clusters.dual_role("demo", cluster.namespace, components=False))
    cluster.wait_until_ready("demo")
    runner.flow("create").check()
    return cluster


def roll(cluster: BedCluster) -> float:
    """Seconds of a roll of all nodes as a ratio to the sum of their restarts."""
    client = KubeClient(connect({"kubeconfig": str(cluster.bed.kubeconfig)}))
    clock = SystemClock()
    work = Work(client, ClusterNames(cluster.namespace, "demo"), clock, Settings())
    seen = observe(client, work.scope, clock.now())
    nodes = frozenset(pod.uid for pod in seen.snapshot.nodes.pods if pod.component is Component.KAFKA)
    step = Roll(reason=RollReason.MANUAL, uids=nodes, authority=None, phase=Phase.USE)
    with watched(cluster) as restarts:
        taken = seconds(lambda: carry_out_roll(step, seen, work))
    if len(restarts.done) != len(nodes):
        raise RuntimeError(f"{len(restarts.done)} of {len(nodes)} restarts were seen")
    return taken / restarts.sum


def measure() -> Iterator[Measurement]:
    with Bed("bench", pod_start_seconds=POD_START) as bed:
        cluster = waiting_cluster(bed)
        try:
            ratios = [roll(cluster) for _round in range(ROUNDS)]
        finally:
            cluster.stop_operator()
    yield Measurement("wait-overhead", median(ratios), Wanted.AT_MOST, 1.05)

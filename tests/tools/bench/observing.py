"""Reading clusters of different sizes: how many requests, how long, how much memory."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import observe

from ..cluster.bed import ROOT
from .cluster import cluster_of
from .measurement import Measurement, Wanted
from .pairs import alternate, ratio
from .replay import Recorder

SMALL, MIDDLE, LARGE = 3, 100, 500
ROUNDS = 7


def prepare(pods: int, folder: Path) -> int:
    """Keep the answers of a cluster of this size in ``folder``; the number of requests that reading it took."""
    folder.mkdir()
    memory, work = cluster_of(pods)
    before = len(memory.api.requests)
    seen = observe(KubeClient(Recorder(memory.api, folder)), work.scope, work.clock.now())
    nodes = sum(name in memory.kubelet.nodes for name in seen.pods)
    if nodes != pods:
        raise RuntimeError(f"{nodes} instead of {pods} Kafka nodes were seen")
    return len(memory.api.requests) - before


def once(*folders: Path) -> dict[str, float]:
    """Seconds and peak memory of reading a cluster, in a process of its own, so that nothing is in a cache."""
    command = [sys.executable, "-m", "tests.tools.bench.once", *map(str, folders)]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def _seconds_per_pod(root: Path, pods: int) -> float:
    return once(root / str(pods))["seconds"] / pods


def measure() -> Iterator[Measurement]:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        requests = [prepare(pods, root / str(pods)) for pods in (SMALL, MIDDLE, LARGE)]
        yield Measurement("observe-requests", max(requests) / min(requests), Wanted.AT_MOST, 1.0)
        per_pod = {pods: partial(_seconds_per_pod, root, pods) for pods in (SMALL, MIDDLE, LARGE)}
        # Work that is the same for every cluster (CAs, ledger, first use of a library) counts for less in a large one;
        # from 100 to 500 pods it hardly counts any more, and work that grows faster than the number of pods shows.
        pairs = alternate(per_pod[LARGE], per_pod[SMALL], ROUNDS)
        yield Measurement("observe-time-per-pod-500-vs-3", ratio(pairs), Wanted.AT_MOST, 1.0)
        pairs = alternate(per_pod[LARGE], per_pod[MIDDLE], ROUNDS)
        yield Measurement("observe-time-per-pod-500-vs-100", ratio(pairs), Wanted.AT_MOST, 1.2)
        pairs = alternate(lambda: once(root / str(LARGE))["peak"], lambda: once()["peak"], ROUNDS)
        yield Measurement("memory", ratio(pairs), Wanted.AT_MOST, 1.5)

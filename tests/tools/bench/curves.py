"""How a call grows with the number of nodes and of users: requests, bytes, memory and time, and the slope of each.

A slope is the power of the number by which a figure grows, between the two largest sizes: 0 is a constant, 1 is a line, 2 a square.
Each call has a process of its own and the answers of a cluster of its size.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..cluster.bed import ROOT
from ..support.flows import run_flow
from ..support.intents import an_intent
from ..support.memory_api import MemoryApi, Response
from .cluster import cluster_of
from .measurement import Measurement, Wanted
from .one_call import look_and_plan
from .replay import Recorder
from .users import look

NODES = (3, 30, 150, 500, 1000)
USERS = (1, 1_000, 10_000)
#: The calls: with nothing to do, and with a replacement to plan.
CALLS = {"no-op": Goal.RECONCILE, "plan": Goal.REPLACE_KEY}
#: Clusters of at most so many nodes go through a whole replacement: the doubles take most of its time.
_REPLACED = 150

Figures = Mapping[str, float]


def slope(small: tuple[int, float], large: tuple[int, float]) -> float:
    """The power of the number by which a figure grows between two sizes; each is a number and the figure."""
    return math.log(large[1] / small[1]) / math.log(large[0] / small[0])


def record(nodes: int, root: Path) -> Path:
    """Make a cluster of so many nodes, and keep what it answers to the calls."""
    folder = root / str(nodes)
    folder.mkdir()
    memory, work = cluster_of(nodes)
    recorded = Work(KubeClient(Recorder(memory.api, folder)), work.scope, work.clock, work.settings, True, work.wishes)
    for goal in CALLS.values():
        look_and_plan(recorded, goal)
    return folder


def call(goal: Goal, folder: Path) -> Figures:
    command = [sys.executable, "-m", "tests.tools.bench.one_call", goal.value, str(folder)]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    figures: Figures = json.loads(done.stdout)
    return figures


def replace_key(nodes: int) -> int:
    """The number of requests of a whole replacement of the CA's key, without those of the doubles."""
    memory, work = cluster_of(nodes)
    counted = _Counting(memory.api)
    work.client = KubeClient(counted, sleep=memory.back_off, now=work.clock.now, monotonic=work.clock.monotonic)
    done = run_flow(work, an_intent(Goal.REPLACE_KEY)).outcome.decision
    if not done.done:
        raise RuntimeError(f"the key was not replaced: {[str(held) for held in done.violations]}")
    return counted.requests


class _Counting:
    """An API that counts the requests to it."""

    def __init__(self, api: MemoryApi) -> None:
        self._api = api
        self.requests = 0

    def request(self, method: str, path: str, **more: Any) -> Response:
        self.requests += 1
        return self._api.request(method, path, **more)

    def stream(self, path: str, **more: Any) -> Iterator[dict[str, Any]]:
        self.requests += 1
        return self._api.stream(path, **more)


def _measure_call(name: str, figures: Mapping[int, Figures]) -> Iterator[Measurement]:
    """The figures of a call by the number of nodes."""
    for nodes, found in figures.items():
        yield Measurement(f"curve-{name}-{nodes}-nodes-processor", found["processor"], Wanted.AT_MOST, 10.0, "s")
        yield Measurement(f"curve-{name}-{nodes}-nodes-memory", found["peak"] / 1024, Wanted.AT_MOST, 300.0, "MiB")
    smallest, middle, largest = min(figures), sorted(figures)[-3], max(figures)
    requests = figures[largest]["requests"] / figures[smallest]["requests"]
    yield Measurement(f"curve-{name}-requests-{largest}-vs-{smallest}", requests, Wanted.AT_MOST, 1.0)
    for what in ("processor", "bytes", "peak"):
        power = slope((middle, figures[middle][what]), (largest, figures[largest][what]))
        yield Measurement(f"curve-{name}-{what}-slope-{middle}-to-{largest}", power, Wanted.AT_MOST, 1.1)


def measure() -> Iterator[Measurement]:
    with tempfile.TemporaryDirectory() as name:
        folders = {nodes: record(nodes, Path(name)) for nodes in NODES}
        for call_name, goal in CALLS.items():
            yield from _measure_call(call_name, {nodes: call(goal, folder) for nodes, folder in folders.items()})
    replaced = {nodes: replace_key(nodes) for nodes in NODES if nodes <= _REPLACED}
    few, many = sorted(replaced)[-2:]
    yield Measurement(
        f"curve-replacement-requests-slope-{few}-to-{many}",
        slope((few, replaced[few]), (many, replaced[many])),
        Wanted.AT_MOST,
        1.1,
    )
    users = {number: look(number) for number in USERS}
    few, many = sorted(users)[-2:]
    for what in ("seconds", "peak"):
        power = slope((few, users[few][what]), (many, users[many][what]))
        yield Measurement(f"curve-users-{what}-slope-{few}-to-{many}", power, Wanted.AT_MOST, 1.1)

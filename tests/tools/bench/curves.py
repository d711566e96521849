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
from dataclasses import dataclass, replace
from pathlib import Path

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.module import SystemClock
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..cluster.bed import ROOT
from .cluster import cluster_of
from .listeners import Listeners, give_addresses, listening
from .measurement import Measurement, Wanted
from .one_call import asking, look_and_plan
from .replacement import WAYS, replace_key
from .replay import Recorder
from .users import look

NODES = (3, 30, 150, 500, 1000)
USERS = (1, 1_000, 10_000)


@dataclass(frozen=True)
class Call:
    """A call that changes nothing."""

    #: The goal: without one of its own, or a replacement to plan.
    goal: Goal
    #: Whether it asks the listeners of all nodes, by handshakes.
    asks: bool = False


CALLS = {"no-op": Call(Goal.RECONCILE), "plan": Call(Goal.REPLACE_KEY), "look": Call(Goal.RECONCILE, asks=True)}
Figures = Mapping[str, float]


def slope(small: tuple[int, float], large: tuple[int, float]) -> float:
    """The power of the number by which a figure grows between two sizes; each is a number and the figure."""
    return math.log(large[1] / small[1]) / math.log(large[0] / small[0])


def calls(nodes: int, folder: Path) -> dict[str, Figures]:
    """The cost of each call on a cluster of so many nodes. The answers of the cluster are kept in the folder, which is made."""
    folder.mkdir()
    memory, work = cluster_of(nodes)
    addresses = give_addresses(memory)
    with listening(memory, addresses) as listeners:
        recorder = KubeClient(Recorder(memory.api, folder), now=work.clock.now)
        recorded = Work(recorder, work.scope, SystemClock(), work.settings, True, work.wishes)
        for each in CALLS.values():
            look_and_plan(asking(recorded, listeners.ports) if each.asks else replace(recorded), each.goal)
        return {name: _call(each, folder, listeners) for name, each in CALLS.items()}


def _call(asked: Call, folder: Path, listeners: Listeners) -> Figures:
    before = listeners.handshakes
    command = [sys.executable, "-m", "tests.tools.bench.one_call", asked.goal.value, str(folder)]
    command += [json.dumps(listeners.ports)] if asked.asks else []
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    figures: Figures = json.loads(done.stdout)
    return {**figures, "handshakes": listeners.handshakes - before}


def _measure(name: str, figures: Mapping[int, Figures], wall: float) -> Iterator[Measurement]:
    """How a call, or a whole replacement, grows with the number of nodes. wall: the seconds that it should take at most."""
    for nodes, found in figures.items():
        said = ", ".join(f"{what} {value:,.2f}" for what, value in found.items())
        print(f"curve-{name} with {nodes} nodes: {said}", flush=True)
        yield Measurement(f"curve-{name}-{nodes}-nodes-wall", found["seconds"], Wanted.AT_MOST, wall, "s")
        yield Measurement(f"curve-{name}-{nodes}-nodes-memory", found["peak"] / 1024, Wanted.AT_MOST, 300.0, "MiB")
    few, many = sorted(figures)[-2:]
    for what in ("requests", "bytes", "processor", "seconds", "peak"):
        power = slope((few, figures[few][what]), (many, figures[many][what]))
        yield Measurement(f"curve-{name}-{what}-slope-{few}-to-{many}", power, Wanted.AT_MOST, 1.1)


def measure() -> Iterator[Measurement]:
    with tempfile.TemporaryDirectory() as name:
        by_nodes = {nodes: calls(nodes, Path(name, str(nodes))) for nodes in NODES}
    for call in CALLS:
        yield from _measure(call, {nodes: found[call] for nodes, found in by_nodes.items()}, wall=10.0)
    for name, way in WAYS.items():
        replaced = {nodes: replace_key(nodes, name) for nodes in NODES if nodes <= way.most_nodes}
        yield from _measure(f"replacement-{name}", replaced, wall=300.0)
    users = {number: look(number) for number in USERS}
    few, many = sorted(users)[-2:]
    for what in ("seconds", "peak"):
        power = slope((few, users[few][what]), (many, users[many][what]))
        yield Measurement(f"curve-users-{what}-slope-{few}-to-{many}", power, Wanted.AT_MOST, 1.1)

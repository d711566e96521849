"""A whole replacement of the CA's key, in each way: what it costs beside the cluster.

The cluster is in this process. The calls of all phases are in another one, ``python -m tests.tools.bench.replacement ADDRESS WAY``, which prints the
requests, the bytes of their answers, the seconds of a processor and of the clock without those in which the cluster had the word, and the most
memory that it ever had, in KiB. Time passes in the cluster alone, so no second is a wait. Answers of listeners are made and not shaken out of
nodes, and keys are of ECDSA: what handshakes and RSA keys cost is a figure of its own for each node, and would hide how the rest grows.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import (
    BatchLimit,
    Spread,
    Strategy,
)

from ..cluster.bed import ROOT
from ..operator import clusters
from ..support.authorities import below, root
from ..support.flows import WISHES, run_flow
from ..support.kafka import FakeKafka, FakeTopic
from ..support.memory_cluster import MemoryCluster
from ..support.reloads import ReloadingNodes
from .apart import Remote, StandIn, serving
from .cluster import fill
from .once import peak_kib

CONTROLLERS = 3
RACKS = "abc"


@dataclass(frozen=True)
class Way:
    """A way to replace the key."""

    #: Values of fields of the wishes.
    asked: Mapping[str, Any] = field(default_factory=dict)
    #: Whether a link certificate leads from the CA in use to the next CA.
    is_linked: bool = True
    #: The most nodes with which the way can be gone, where the ledger limits it (docs/scale.md, "What limits").
    most_nodes: int = 1000


WAYS = {
    "reload": Way(most_nodes=400),
    "restart": Way({"spread": Spread.RESTART}),
    "direct": Way({"spread": Spread.RESTART, "strategy": Strategy.DIRECT, "batch": BatchLimit(percent=10)}),
    "when-restarted": Way({"retire": Retire.WHEN_RESTARTED}, most_nodes=400),
    "unlinked": Way(is_linked=False),
}


def begin(nodes: int) -> StandIn:
    """A cluster of this number of brokers, three of which are controllers too, in three racks, with a topic for each broker."""
    pools = (
        clusters.Pool("broker", nodes - CONTROLLERS, ("broker",)),
        clusters.Pool("controller", CONTROLLERS, ("controller", "broker")),
    )
    memory = MemoryCluster()
    fill(memory, clusters.of_pools("demo", "kafka", [pool for pool in pools if pool.replicas]), WISHES)
    ids = range(nodes)
    kafka = FakeKafka(
        memory.api,
        lambda: memory.seconds,
        {node: "cb" if node >= nodes - CONTROLLERS else "b" for node in ids},
        [FakeTopic(f"topic-{node}", tuple((node + next_) % nodes for next_ in range(len(RACKS)))) for node in ids],
        active=nodes - 1,
        racks={node: RACKS[node % len(RACKS)] for node in ids},
        most_away=nodes,
    )
    kafka.register_seconds = kafka.sync_seconds = 0.0
    return StandIn(memory, ReloadingNodes(memory), kafka)


def replace_key(nodes: int, way: str) -> dict[str, float]:
    with serving(begin(nodes)) as address:
        command = [sys.executable, "-m", "tests.tools.bench.replacement", address, way]
        done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> None:
    remote, way = Remote(sys.argv[1]), WAYS[sys.argv[2]]
    supplied = None if way.is_linked else below(root("Next Root"))
    wishes = WISHES.changed(**way.asked, supplied=supplied.prepared if supplied else None)
    work = remote.work(wishes)
    work.supplied_key = supplied.supplied.key if supplied else None
    begun, processor = time.perf_counter(), time.process_time()
    with pytest.MonkeyPatch.context() as patch:
        remote.replace_requests(patch)
        result = run_flow(work, wishes.towards(Goal.REPLACE_KEY))
    decision = result.outcome.decision
    if not decision.done or decision.violations:
        raise RuntimeError(f"the key was not replaced: {[str(held) for held in decision.violations][:3]}")
    verbs = [action.verb for action in result.actions]
    print(
        json.dumps(
            {
                "seconds": time.perf_counter() - begun - remote.waited,
                "processor": time.process_time() - processor - remote.processor,
                "requests": remote.requests,
                "bytes": remote.bytes,
                "peak": peak_kib(),
                "restarts": verbs.count("restart"),
                "reloads": verbs.count("reload"),
            }
        )
    )


if __name__ == "__main__":
    main()

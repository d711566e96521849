"""A call on a recorded cluster, in a process of its own, as a module call does: ``python -m tests.tools.bench.one_call GOAL FOLDER``.

Prints the seconds of a processor and of the clock that it took, the requests, the bytes of their answers, and the most memory that the
process ever had, in KiB. The cluster does not move: a call looks, decides and plans.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.module import SystemClock
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect, plan
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.settings import Settings
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..support.intents import an_intent
from .cluster import RSA_WISHES
from .once import peak_kib
from .replay import Replay


def look_and_plan(work: Work, goal: Goal) -> tuple[int, int]:
    """How many steps the plan has, and how many restarts."""
    intent = an_intent(goal)
    outcome = inspect(work, intent)
    planned = plan(work, outcome, intent)
    return len(planned.whole), sum(len(step.nodes) + len(step.others) for step in planned.whole)


def main() -> None:
    goal, folder = Goal(sys.argv[1]), Path(sys.argv[2])
    transport = Replay(folder)
    begun, processor = time.perf_counter(), time.process_time()
    work = Work(KubeClient(transport), ClusterNames("kafka", "demo"), SystemClock(), Settings(), True, RSA_WISHES)
    steps, restarts = look_and_plan(work, goal)
    print(
        json.dumps(
            {
                "seconds": time.perf_counter() - begun,
                "processor": time.process_time() - processor,
                "requests": transport.requests,
                "bytes": transport.bytes,
                "peak": peak_kib(),
                "steps": steps,
                "restarts": restarts,
            }
        )
    )


if __name__ == "__main__":
    main()

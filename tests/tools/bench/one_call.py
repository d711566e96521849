"""A call on a recorded cluster, in a process of its own, as a module call does: ``python -m tests.tools.bench.one_call GOAL FOLDER [PORTS]``.

Prints the seconds of a processor and of the clock that it took, the requests, the bytes of their answers, and the most memory that the
process ever had, in KiB. The cluster does not move: a call looks, decides and plans. PORTS: a JSON object, the ports on which this machine has the
listeners of pods; with it the call asks the nodes, by handshakes.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.connect import direct_opener_for
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.module import SystemClock
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.options import LOOK_SECONDS
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect, plan
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.tls import ByteStream
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.response_time import PROMPT
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import NodeAccess, Work
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.listeners import look_at
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.settings import Settings
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import ObservedListener

from ..support.intents import an_intent
from .cluster import RSA_WISHES
from .once import peak_kib
from .replay import Replay


def look_and_plan(work: Work, goal: Goal) -> tuple[int, int]:
    """How many steps the plan has, and how many restarts."""
    intent = an_intent(goal)
    outcome = inspect(work, intent)
    if why := [
        listener.failure or listener.doubts
        for listener in outcome.observation.snapshot.nodes.listeners or ()
        if listener.is_silent or listener.doubts
    ]:
        raise RuntimeError(f"{len(why)} listeners have not answered: {why[:3]}")
    planned = plan(work, outcome, intent)
    return len(planned.whole), sum(len(step.nodes) + len(step.others) for step in planned.whole)


def asking(work: Work, ports: Mapping[int, int]) -> Work:
    """This work asks the nodes at the addresses of their pods. ports: the ports of this machine by the ports of pods."""

    def look(observation: Observation) -> tuple[ObservedListener, ...]:
        direct = direct_opener_for(work.client, work.scope)

        def open_port(pod: str, port: int, *, timeout: float) -> AbstractContextManager[ByteStream]:
            return direct(pod, ports[port], timeout=timeout)

        return look_at(observation, open_port, now=work.clock.now(), seconds=LOOK_SECONDS, response_time=PROMPT)

    work.nodes = NodeAccess(look, lambda: direct_opener_for(work.client, work.scope), lambda: no_command)
    return work


def no_command(pod: str, container: str, command: Sequence[str], *, timeout: float) -> None:
    """In the place of a way to pods: no call here restarts a node in its pod."""
    raise RuntimeError(f"{command} was to run in {pod}")


def main() -> None:
    goal, folder = Goal(sys.argv[1]), Path(sys.argv[2])
    transport = Replay(folder)
    begun, processor = time.perf_counter(), time.process_time()
    work = Work(KubeClient(transport), ClusterNames("kafka", "demo"), SystemClock(), Settings(), True, RSA_WISHES)
    for given in sys.argv[3:]:
        work = asking(work, {int(port): here for port, here in json.loads(given).items()})
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

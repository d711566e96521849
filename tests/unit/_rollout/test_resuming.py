# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A roll that was interrupted goes on where it stopped: with a real KafkaRoller's order, each pod restarts once."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import KubeError, RollStuck, TransportError
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.roll import carry_out_roll
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import Observation, observe
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Roll

from ...operator import clusters
from ...support.flows import with_settings, work_on
from ...support.memory_cluster import MemoryCluster
from .stand import roll_of

SETTINGS = with_settings(pod_timeout=timedelta(seconds=5))
NODES = ("demo-kafka-0", "demo-kafka-1", "demo-kafka-2")


@pytest.fixture
def memory() -> MemoryCluster:
    found = MemoryCluster()
    found.apply(*clusters.dual_role("demo", "kafka", generated=True))
    found.settle()
    return found


def look(memory: MemoryCluster) -> Observation:
    work = work_on(memory, settings=SETTINGS)
    return observe(work.client, work.scope, work.clock.now())


def whole_roll(memory: MemoryCluster) -> Roll:
    return roll_of(look(memory).snapshot.uids)


def restarted(memory: MemoryCluster) -> dict[str, int]:
    """How often each node and each component was started again."""
    counts = {name: len(uids) - 1 for name, uids in memory.kubelet.started.items() if name in NODES}
    for name in memory.kubelet.started:
        if name not in NODES:
            component = name.rsplit("-", 2)[0]
            counts[component] = counts.get(component, -1) + 1
    return counts


ONCE = dict.fromkeys((*NODES, "demo-entity-operator", "demo-cruise-control", "demo-kafka-exporter"), 1)


def run(memory: MemoryCluster, step: Roll, transport: Any = None) -> None:
    carry_out_roll(step, look(memory), work_on(memory, transport, SETTINGS))


def test_uninterrupted_every_pod_restarts_once(memory: MemoryCluster) -> None:
    run(memory, whole_roll(memory))
    assert restarted(memory) == ONCE


class Dying:
    """A connection that breaks for good after so many requests and watches."""

    def __init__(self, memory: MemoryCluster, alive_for: int) -> None:
        self.memory, self.api, self.left = memory, memory.api, alive_for

    def _count(self) -> None:
        self.left -= 1
        if self.left < 0:
            self.memory.seconds += 1.0
            raise TransportError("connection lost", transient=False, sent=False)

    def request(self, method: str, path: str, **arguments: Any) -> Any:
        self._count()
        return self.api.request(method, path, **arguments)

    def stream(self, path: str, **arguments: Any) -> Iterator[Any]:
        self._count()
        return self.api.stream(path, **arguments)


@pytest.mark.parametrize("alive_for", range(12))
def test_interrupted_anywhere_and_run_again(memory: MemoryCluster, alive_for: int) -> None:
    """The step of the second run is the one of the first: pods that were replaced are no longer in it by UID."""
    step = whole_roll(memory)
    work = work_on(memory, Dying(memory, alive_for), SETTINGS)
    observation = look(memory)
    try:
        carry_out_roll(step, observation, work)
    except (KubeError, RollStuck):
        memory.settle()
        run(memory, step)
    assert restarted(memory) == ONCE


def test_a_stopped_operator_and_then_again(memory: MemoryCluster) -> None:
    step = whole_roll(memory)
    memory.operator_runs = False
    with pytest.raises(RollStuck, match="0 of 3 restarted"):
        run(memory, step)
    memory.operator_runs = True
    run(memory, step)
    assert restarted(memory) == ONCE


def test_a_node_that_does_not_come_back_is_named_and_the_others_restart_no_second_time(memory: MemoryCluster) -> None:
    step = whole_roll(memory)
    memory.kubelet.broken = {"demo-kafka-0"}
    with pytest.raises(RollStuck, match="demo-kafka-0: Unknown, not Ready"):
        run(memory, step)
    memory.kubelet.broken = set()
    memory.settle()
    run(memory, step)
    assert restarted(memory) == ONCE

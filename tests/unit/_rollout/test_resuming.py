# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A roll that was interrupted goes on where it stopped: with a real KafkaRoller's order, each pod restarts once."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.errors import KubeError
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.transport import TransportError
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.roll import carry_out_roll
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.errors import RollStuck
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.observe import Observation, observe
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import Roll, RollReason
from ansible_collections.trustops.strimzi.tests.fakes.flows import with_settings, work_on
from ansible_collections.trustops.strimzi.tests.fakes.world import World
from ansible_collections.trustops.strimzi.tests.operator import certs, clusters

SETTINGS = with_settings(pod_timeout=timedelta(seconds=5))
NODES = ("demo-kafka-0", "demo-kafka-1", "demo-kafka-2")


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    for name in ("new_ca_key", "new_leaf_key"):
        monkeypatch.setattr(certs, name, lambda: ec.generate_private_key(ec.SECP256R1()))
    found = World()
    found.apply(*clusters.dual_role("demo", "kafka", generated=True))
    found.settle()
    return found


def look(world: World) -> Observation:
    work = work_on(world, settings=SETTINGS)
    return observe(work.client, work.scope, work.clock.now())


def whole_roll(world: World) -> Roll:
    return Roll(RollReason.TRUST, look(world).snapshot.uids, "a" * 40, Phase.TRUST)


def restarted(world: World) -> dict[str, int]:
    """How often each node and each component was started again."""
    counts = {name: len(uids) - 1 for name, uids in world.kubelet.started.items() if name in NODES}
    for name in world.kubelet.started:
        if name not in NODES:
            component = name.rsplit("-", 2)[0]
            counts[component] = counts.get(component, -1) + 1
    return counts


ONCE = dict.fromkeys((*NODES, "demo-entity-operator", "demo-cruise-control", "demo-kafka-exporter"), 1)


def run(world: World, step: Roll, transport: Any = None) -> None:
    carry_out_roll(step, look(world), work_on(world, transport, SETTINGS))


def test_uninterrupted_every_pod_restarts_once(world: World) -> None:
    run(world, whole_roll(world))
    assert restarted(world) == ONCE


class Dying:
    """A connection that breaks for good after so many requests and watches."""

    def __init__(self, world: World, alive_for: int) -> None:
        self.world, self.api, self.left = world, world.api, alive_for

    def _count(self) -> None:
        self.left -= 1
        if self.left < 0:
            self.world.seconds += 1.0
            raise TransportError("connection lost", transient=False, sent=False)

    def request(self, method: str, path: str, **arguments: Any) -> Any:
        self._count()
        return self.api.request(method, path, **arguments)

    def stream(self, path: str, **arguments: Any) -> Iterator[Any]:
        self._count()
        return self.api.stream(path, **arguments)


@pytest.mark.parametrize("alive_for", range(12))
def test_interrupted_anywhere_and_run_again(world: World, alive_for: int) -> None:
    """The step of the second run is the one of the first: pods that were replaced are no longer in it by UID."""
    step = whole_roll(world)
    work = work_on(world, Dying(world, alive_for), SETTINGS)
    observation = look(world)
    try:
        carry_out_roll(step, observation, work)
    except (KubeError, RollStuck):
        world.settle()
        run(world, step)
    assert restarted(world) == ONCE


def test_a_stopped_operator_and_then_again(world: World) -> None:
    step = whole_roll(world)
    world.operator_runs = False
    with pytest.raises(RollStuck, match="0 of 3 restarted"):
        run(world, step)
    world.operator_runs = True
    run(world, step)
    assert restarted(world) == ONCE


def test_a_node_that_does_not_come_back_is_named_and_the_others_restart_no_second_time(world: World) -> None:
    step = whole_roll(world)
    world.kubelet.broken = {"demo-kafka-0"}
    with pytest.raises(RollStuck, match="demo-kafka-0: Unknown, not Ready"):
        run(world, step)
    world.kubelet.broken = set()
    world.settle()
    run(world, step)
    assert restarted(world) == ONCE

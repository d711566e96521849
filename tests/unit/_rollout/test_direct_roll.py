# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A whole roll with the direct strategy: Kafka nodes by ourselves, components after them, nothing asked of the operator."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

from ansible_collections.trustops.strimzi.plugins.module_utils._rollout import admin
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.roll import carry_out_roll
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.errors import RollStuck
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.observe import Observation, observe
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.work import Strategy, Work
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Bridge, Intent, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import Roll, RollReason
from ansible_collections.trustops.strimzi.tests.fakes.flows import run_flow, with_settings, work_on
from ansible_collections.trustops.strimzi.tests.fakes.kafka import FakeKafka, FakeTopic
from ansible_collections.trustops.strimzi.tests.fakes.world import World, user_managed
from ansible_collections.trustops.strimzi.tests.operator import certs

SETTINGS = with_settings(
    strategy=Strategy.DIRECT, kafka_bootstrap=("broker.example:9091",), pod_timeout=timedelta(seconds=20)
)
NODES = ("demo-kafka-0", "demo-kafka-1", "demo-kafka-2")
COMPONENTS = ("demo-entity-operator", "demo-cruise-control", "demo-kafka-exporter")


class DirectWorld(World):
    """A cluster of combined nodes that Kafka runs on; ``asked``: bootstrap addresses of each connection."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__()
        run_flow(self.work(), Intent(goal=Goal.CREATE))
        user_managed(self)
        self.settle()
        run_flow(self.work(), Intent(goal=Goal.CREATE))
        roles = dict.fromkeys(range(3), "cb")
        self.kafka = FakeKafka(self.api, lambda: self.seconds, roles, [FakeTopic("orders", (0, 1, 2))], active=1)
        self.asked: list[tuple[str, ...]] = []
        monkeypatch.setattr(admin, "connect_to", self._connect_to)

    def _connect_to(self, given: tuple[str, ...]) -> Any:
        self.asked.append(given)
        return lambda observation: self.kafka

    def work(self, **options: Any) -> Work:
        return work_on(self, None, SETTINGS, **options)

    def look(self) -> Observation:
        work = self.work()
        return observe(work.client, work.scope, work.clock.now())

    def whole_roll(self, reason: RollReason = RollReason.TRUST) -> Roll:
        return Roll(reason, self.look().snapshot.uids, "a" * 40, Phase.TRUST)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> DirectWorld:
    for name in ("new_ca_key", "new_leaf_key"):
        monkeypatch.setattr(certs, name, lambda: ec.generate_private_key(ec.SECP256R1()))
    return DirectWorld(monkeypatch)


def test_nodes_in_the_kafka_rollers_order_then_components(world: DirectWorld) -> None:
    actions = carry_out_roll(world.whole_roll(), world.look(), world.work())
    restarted = [action.object.removeprefix("Pod kafka/") for action in actions]
    assert restarted[:3] == ["demo-kafka-0", "demo-kafka-2", "demo-kafka-1"]
    assert sorted(name.rsplit("-", 2)[0] for name in restarted[3:]) == sorted(COMPONENTS)
    assert world.restarts() == dict.fromkeys(NODES, 1)
    assert world.kafka.harm == []
    assert world.asked == [("broker.example:9091",)]


def test_the_operator_is_asked_for_nothing(world: DirectWorld) -> None:
    before = len(world.api.writes)
    step, work = world.whole_roll(), world.work()
    world.operator_runs = False
    carry_out_roll(step, world.look(), work)
    ours = world.api.writes[before:]
    assert not [change for change in ours if change.plural in ("kafkas", "strimzipodsets")]
    assert not [change for change in ours if "manual-rolling-update" in str(change.new)]
    assert work.changed


def test_components_stay_while_a_node_is_missing(world: DirectWorld) -> None:
    step = world.whole_roll()
    world.kubelet.broken = {"demo-kafka-0"}
    before = {pod for pod in world.kubelet.started if pod not in NODES}
    with pytest.raises(RollStuck, match="demo-kafka-0"):
        carry_out_roll(step, world.look(), world.work())
    assert {pod for pod in world.kubelet.started if pod not in NODES} == before


@pytest.mark.parametrize("reason", [RollReason.USE, RollReason.HAND_OVER])
def test_a_roll_that_the_operator_starts_itself_stays_with_it(world: DirectWorld, reason: RollReason) -> None:
    """Two rolls of the same nodes at once would be two nodes down at once."""
    step = world.whole_roll(reason)
    with pytest.raises(RollStuck):
        carry_out_roll(step, world.look(), world.work())
    assert world.asked == []
    assert world.restarts() == dict.fromkeys(NODES, 0)


def test_dry_run_names_the_pods_and_connects_to_nobody(world: DirectWorld) -> None:
    before = len(world.api.writes)
    actions = carry_out_roll(world.whole_roll(), world.look(), world.work(dry_run=True))
    assert len(actions) == len(NODES) + len(COMPONENTS)
    assert (world.asked, len(world.api.writes)) == ([], before)


def test_by_default_the_operator_rolls(world: DirectWorld) -> None:
    actions = carry_out_roll(world.whole_roll(), world.look(), work_on(world, None, with_settings()))
    assert world.asked == []
    assert "ask for a restart (trust roll)" in {action.what for action in actions}


@pytest.mark.parametrize("goal", [Goal.RENEW, Goal.REPLACE_KEY])
def test_a_whole_flow(world: DirectWorld, goal: Goal) -> None:
    """Trust and retirement are spread by ourselves; for the new certificates the operator rolls."""
    world.kafka.register_seconds = world.kafka.sync_seconds = 0.0
    rolls = {Goal.RENEW: 1, Goal.REPLACE_KEY: 3}[goal]
    result = run_flow(world.work(), Intent(goal=goal, fresh_for=timedelta(), bridge=Bridge.NEVER))
    assert result.outcome.decision.done
    assert world.kafka.harm == []
    assert not [action for action in result.actions if action.what.startswith("ask for a restart")]
    assert world.restarts() == dict.fromkeys(NODES, rolls)
    assert len(world.asked) == rolls - 1

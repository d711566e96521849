# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A whole roll with the direct strategy: Kafka nodes by ourselves, components after them, nothing asked of the operator."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import RollStuck
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout import admin
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.roll import carry_out_roll
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import Observation, observe
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Strategy
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Roll, RollReason

from ...tools.support.authorities import Authority, below, root
from ...tools.support.flows import WISHES, run_flow, with_settings, work_on
from ...tools.support.intents import an_intent
from ...tools.support.kafka import FakeKafka, FakeTopic
from ...tools.support.memory_cluster import MemoryCluster, user_managed
from ...tools.support.restarts import cost_of
from .._strimzi.bench import recorded
from .direct_stand import MANUAL
from .stand import roll_of

SETTINGS = with_settings(kafka_bootstrap=("broker.example:9091",), pod_timeout=timedelta(seconds=20))
DIRECT = WISHES.changed(strategy=Strategy.DIRECT)
NODES = ("demo-kafka-0", "demo-kafka-1", "demo-kafka-2")
COMPONENTS = ("demo-entity-operator", "demo-cruise-control", "demo-kafka-exporter")


class DirectCluster(MemoryCluster):
    """A cluster of combined nodes that Kafka runs on; ``asked``: bootstrap addresses of each connection."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__()
        run_flow(self.work(), an_intent(goal=Goal.CREATE, before_kafka=True))
        user_managed(self)
        self.settle()
        run_flow(self.work(), an_intent(goal=Goal.CREATE, before_kafka=True))
        roles = dict.fromkeys(range(3), "cb")
        self.kafka = FakeKafka(self.api, lambda: self.seconds, roles, [FakeTopic("orders", (0, 1, 2))], active=1)
        self.asked: list[tuple[str, ...]] = []
        monkeypatch.setattr(admin, "connect_to", self._connect_to)

    def _connect_to(self, given: tuple[str, ...]) -> Any:
        self.asked.append(given)
        return lambda observation: self.kafka

    def work(self, **options: Any) -> Work:
        return work_on(self, None, SETTINGS, DIRECT, **options)

    def look(self) -> Observation:
        work = self.work()
        return observe(work.client, work.scope, work.clock.now())

    def whole_roll(self, reason: RollReason = RollReason.TRUST) -> Roll:
        return roll_of(self.look().snapshot.uids, reason)


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> DirectCluster:
    return DirectCluster(monkeypatch)


def test_nodes_in_the_kafka_rollers_order_then_components(memory: DirectCluster) -> None:
    actions = recorded(carry_out_roll, memory.whole_roll(), memory.look(), memory.work())
    restarted = [action.target.name for action in actions if action.verb == "restart"]
    assert restarted[:3] == ["demo-kafka-0", "demo-kafka-2", "demo-kafka-1"]
    assert sorted(name.rsplit("-", 2)[0] for name in restarted[3:]) == sorted(COMPONENTS)
    assert memory.restarts() == dict.fromkeys(NODES, 1)
    assert memory.kafka.harm == []
    assert memory.asked == [("broker.example:9091",)]


def test_the_operator_is_asked_for_nothing(memory: DirectCluster) -> None:
    before = len(memory.api.writes)
    step, work = memory.whole_roll(), memory.work()
    memory.operator_runs = False
    carry_out_roll(step, memory.look(), work)
    ours = memory.api.writes[before:]
    assert not [change for change in ours if change.plural in ("kafkas", "strimzipodsets")]
    assert not [change for change in ours if "manual-rolling-update" in str(change.new)]
    assert {action.verb for action in work.actions} == {"delete", "restart"}


def test_components_stay_while_a_node_is_missing(memory: DirectCluster) -> None:
    step = memory.whole_roll()
    memory.kubelet.broken = {"demo-kafka-0"}
    before = {pod for pod in memory.kubelet.started if pod not in NODES}
    with pytest.raises(RollStuck, match="demo-kafka-0"):
        carry_out_roll(step, memory.look(), memory.work())
    assert {pod for pod in memory.kubelet.started if pod not in NODES} == before


def test_a_roll_that_the_operator_starts_itself_stays_with_it(memory: DirectCluster) -> None:
    """Two rolls of the same nodes at once would be two nodes down at once."""
    step = memory.whole_roll(RollReason.USE)
    with pytest.raises(RollStuck):
        carry_out_roll(step, memory.look(), memory.work())
    assert memory.asked == []
    assert memory.restarts() == dict.fromkeys(NODES, 0)


def test_dry_run_names_the_pods_and_connects_to_no_node(memory: DirectCluster) -> None:
    before = len(memory.api.writes)
    actions = recorded(carry_out_roll, memory.whole_roll(), memory.look(), memory.work(dry_run=True))
    assert len(actions) == len(NODES) + len(COMPONENTS)
    assert (memory.asked, len(memory.api.writes)) == ([], before)


def requested(memory: DirectCluster) -> set[str]:
    """The pods that the operator has been asked to restart."""
    return {
        change.name
        for change in memory.api.writes
        if change.plural == "pods" and change.new and MANUAL in (change.new["metadata"].get("annotations") or {})
    }


def test_the_operator_rolls_by_default(memory: DirectCluster) -> None:
    carry_out_roll(memory.whole_roll(), memory.look(), work_on(memory))
    assert memory.asked == []
    assert requested(memory) == set(NODES)


@pytest.mark.parametrize(
    ("supplied", "circumstance", "by_the_operator"),
    [(None, "", 2), (below(root("Next Root")), "unlinked", 1)],
    ids=["linked", "unlinked"],
)
def test_a_whole_flow(
    supplied: Authority | None, circumstance: str, by_the_operator: int, memory: DirectCluster
) -> None:
    """Rolls that the operator begins by itself stay with it: where leaves or generations have changed."""
    memory.kafka.register_seconds = memory.kafka.sync_seconds = 0.0
    work = memory.work()
    if supplied:
        work.supplied_key = supplied.supplied.key
    intent = an_intent(Goal.REPLACE_KEY, fresh_for=timedelta(), supplied=supplied.prepared if supplied else None)
    cost = cost_of(Goal.REPLACE_KEY, circumstance, reload=False)
    result = run_flow(work, intent)
    assert result.outcome.decision.done
    assert memory.kafka.harm == []
    assert requested(memory) == set()
    assert memory.restarts() == dict.fromkeys(NODES, cost.restarts)
    assert len(memory.asked) == cost.restarts - by_the_operator

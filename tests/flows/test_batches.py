# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flows that restart nodes in batches: every partition keeps its replicas, also where a run ends in the middle of one."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import RollStuck
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout import admin, batches
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import BatchLimit, Strategy

from ..tools.operator import clusters
from ..tools.support.authorities import Authority, below, root
from ..tools.support.breaches import InvariantBroken
from ..tools.support.golden import GoldenFiles
from ..tools.support.kafka import FakeKafka, FakeTopic
from ..tools.support.killing import Killed, KillingTransport
from ..tools.support.memory_api import Change
from ..tools.support.watched_cluster import CLUSTER, IN_USE, NAMESPACE, WatchedCluster

#: Six brokers in three racks, then three controllers.
RACKS = {0: "a", 1: "a", 2: "b", 3: "b", 4: "c", 5: "c"}
ROLES = {**dict.fromkeys(RACKS, "b"), 6: "c", 7: "c", 8: "c"}
TOPICS = [FakeTopic("orders", (0, 2, 4)), FakeTopic("payments", (1, 3, 5)), FakeTopic("single", (0,), minimum=1)]


def pod(node: int) -> str:
    return f"{CLUSTER}-{'broker' if 'b' in ROLES[node] else 'controller'}-{node}"


class Racks(WatchedCluster):
    """A cluster whose nodes the collection restarts."""

    #: Kafka on these nodes.
    answers: FakeKafka
    #: The nodes whose pods were deleted, in order.
    deleted: list[str]


@pytest.fixture
def racks(monkeypatch: pytest.MonkeyPatch) -> Racks:
    cluster = Racks()
    pools = clusters.Pool("broker", 6, ("broker",)), clusters.Pool("controller", 3, ("controller",))
    cluster.create(manifests=clusters.of_pools(CLUSTER, NAMESPACE, pools))
    memory = cluster.memory
    cluster.answers = FakeKafka(memory.api, lambda: memory.seconds, ROLES, TOPICS, active=7, racks=RACKS, most_away=2)
    cluster.answers.register_seconds = cluster.answers.sync_seconds = 0.0
    monkeypatch.setattr(admin, "connect_to", lambda _given: lambda _observation: cluster.answers)
    cluster.strategy, cluster.batch = Strategy.DIRECT, BatchLimit(one_rack=True)
    cluster.checker.replicas = tuple((frozenset(map(pod, topic.replicas)), topic.minimum) for topic in TOPICS)
    cluster.checker.voters = frozenset(pod(node) for node, role in ROLES.items() if "c" in role)
    cluster.deleted = []

    def note(change: Change) -> None:
        if (change.plural, change.verb) == ("pods", "delete") and change.name in memory.kubelet.nodes:
            cluster.deleted.append(change.name)

    memory.api.listeners.append(note)
    return cluster


def next_root() -> Authority:
    """No link certificate leads to it, so every node restarts once to trust it."""
    return below(root("Next Root"))


def rounds(cluster: Racks) -> list[str]:
    return [line for line in cluster.said if line.startswith("round ")]


ORDER = [pod(node) for node in (6, 8, 7, 0, 1, 2, 3, 4, 5)]


def test_a_replacement_in_batches(racks: Racks) -> None:
    old, supplied = racks.current, next_root()
    racks.run(Goal.REPLACE_KEY, supplied, last_phase=Phase.TRUST)
    assert racks.deleted == ORDER
    assert len(rounds(racks)) == 6
    assert racks.rolls == {1}
    racks.finish(Goal.REPLACE_KEY, supplied)
    assert racks.current != old
    assert racks.answers.harm == []


def test_undone_after_the_restarts_in_batches(racks: Racks) -> None:
    old, supplied = racks.current, next_root()
    racks.run(Goal.REPLACE_KEY, supplied, last_phase=Phase.TRUST)
    racks.finish(Goal.ABORT)
    racks.memory.settle(2)
    assert racks.states == {old: IN_USE}
    assert racks.answers.harm == []


class KilledInBatch(KillingTransport):
    """Ends the run before or after it deletes the second broker of the first rack."""

    def request(self, method: str, path: str, **arguments: Any) -> Any:
        if method == "DELETE" and path.endswith(f"/{pod(1)}"):
            self.at = self.writes + 1
        return super().request(method, path, **arguments)


@pytest.mark.parametrize("goal", [Goal.REPLACE_KEY, Goal.ABORT])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.each_once
def test_killed_in_the_middle_of_a_batch(racks: Racks, after: bool, goal: Goal) -> None:
    """The next run, or an abort, finds a batch of which a node is away, and waits for it."""
    old, supplied = racks.current, next_root()
    permitted, racks.permitted = racks.permitted, KilledInBatch(racks.memory.api, after=after)
    with pytest.raises(Killed):
        racks.run(Goal.REPLACE_KEY, supplied)
    racks.permitted = permitted
    assert racks.deleted == ORDER[: 5 if after else 4]
    racks.finish(goal, supplied if goal is Goal.REPLACE_KEY else None)
    racks.memory.settle(2)
    assert (racks.current == old) is (goal is Goal.ABORT)
    assert racks.rolls == {3} or goal is Goal.ABORT
    assert racks.answers.harm == []


def test_a_second_hand_that_deletes_a_pod_of_the_next_batch(racks: Racks, golden: GoldenFiles) -> None:
    supplied, hand = next_root(), []

    def second_hand(change: Change) -> None:
        if (change.plural, change.verb, change.name) == ("pods", "delete", pod(1)) and not hand:
            hand.append(change.name)
            racks.answers.most_away = 3
            racks.checker.enabled = False
            racks.memory.api.request("DELETE", f"/api/v1/namespaces/{NAMESPACE}/pods/{pod(2)}")

    racks.memory.api.listeners.append(second_hand)
    with pytest.raises(RollStuck) as refused:
        racks.run(Goal.REPLACE_KEY, supplied, last_phase=Phase.TRUST)
    golden.compare_said("flows", refused.value)
    assert racks.deleted == [*ORDER[:5], pod(2)]
    racks.memory.settle(2)
    racks.checker.enabled = True
    racks.answers.harm.clear()
    racks.finish(Goal.REPLACE_KEY, supplied)
    assert racks.answers.harm == []


def test_the_checker_sees_a_batch_that_partitions_have_not_agreed_to(
    racks: Racks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "blocking_partitions", lambda *_arguments: ())
    racks.batch = BatchLimit(nodes=4)
    with pytest.raises(InvariantBroken) as broken:
        racks.run(Goal.REPLACE_KEY, next_root(), last_phase=Phase.TRUST)
    assert broken.value.breach.rule == "I4"

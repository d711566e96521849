# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The planner of batches: beside every other set of nodes on small clusters, and beside a lower bound on large ones."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.admin import (
    Broker,
    Partition,
    Quorum,
    Topic,
    Voter,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.batches import (
    Batch,
    Bound,
    KafkaState,
    choose_batch,
    describe_interruptions,
    interrupted_topics,
    plan_rounds,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.direct import FETCH_TIMEOUT
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.kafka_pods import Node, next_in_order
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.safety import (
    availability_violations,
    quorum_violations,
    solitude_violations,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import ONE_BY_ONE, BatchLimit
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.rounds import Round

from .values import NOW, node

ANY, RACK = BatchLimit(), BatchLimit(one_rack=True)


@dataclass(frozen=True)
class Cluster:
    nodes: tuple[Node, ...]
    kafka: KafkaState

    def choose(self, limit: BatchLimit = ANY, left: Sequence[Node] | None = None) -> Batch:
        return choose_batch(self.nodes if left is None else left, self.nodes, self.kafka, limit)

    def rounds(self, limit: BatchLimit = ANY) -> tuple[Round, ...]:
        return plan_rounds(self.nodes, self.nodes, self.kafka, limit)


def cluster(
    nodes: Iterable[Node],
    topics: Iterable[Topic] = (),
    *,
    racks: Mapping[int, str] | None = None,
    leader: int | None = None,
    fenced: Collection[int] = (),
    behind: Collection[int] = (),
) -> Cluster:
    nodes = tuple(nodes)
    voters = [one.node_id for one in nodes if one.controller]
    quorum = Quorum(
        voters[0] if leader is None and voters else leader,
        tuple(Voter(voter, NOW - 9000 if voter in behind else NOW) for voter in voters),
    )
    brokers = frozenset(
        Broker(one.node_id, one.node_id in fenced, (racks or {}).get(one.node_id)) for one in nodes if one.broker
    )
    return Cluster(nodes, KafkaState(quorum, brokers, tuple(topics), FETCH_TIMEOUT))


def topic(name: str, minimum: int, *replicas: Iterable[int], missing: Collection[int] = (), moving: bool = False):
    """Replicas of each partition; ``missing``: brokers that are not in sync."""
    found = (
        Partition(name, number, frozenset(one), frozenset(one) - frozenset(missing), is_moving=moving)
        for number, one in enumerate(replicas)
    )
    return Topic(minimum, tuple(found))


def brokers(count: int) -> list[Node]:
    return [node(number, "b") for number in range(count)]


def ids(batch: Batch) -> list[int]:
    return [one.node_id for one in batch.nodes]


# Why a batch has its size.

SPREAD = topic("orders", 2, (0, 1, 2), (3, 4, 5), (0, 4, 2), (3, 1, 5))
RACKS = {0: "a", 3: "a", 1: "b", 4: "b", 2: "c", 5: "c"}


@pytest.mark.parametrize(
    ("of", "limit", "nodes", "bound"),
    [
        pytest.param(cluster(brokers(6), [SPREAD]), ONE_BY_ONE, [0], Bound.LIMIT, id="one"),
        pytest.param(cluster(brokers(2)), BatchLimit(nodes=5), [0, 1], Bound.ALL, id="all that are left"),
        pytest.param(cluster(brokers(6)), BatchLimit(percent=50), [0, 1, 2], Bound.LIMIT, id="percent"),
        pytest.param(cluster(brokers(6)), BatchLimit(percent=1), [0], Bound.LIMIT, id="percent, at least one"),
        pytest.param(cluster(brokers(6)), BatchLimit(percent=49), [0, 1], Bound.LIMIT, id="percent, rounded down"),
        pytest.param(cluster(brokers(6), [SPREAD], racks=RACKS), RACK, [0, 3], Bound.RACK, id="rack"),
        pytest.param(cluster(brokers(6), [SPREAD], racks=RACKS), ANY, [0, 3], Bound.PARTITIONS, id="racks are ready"),
        pytest.param(cluster(brokers(6), [SPREAD]), RACK, [0, 3], Bound.PARTITIONS, id="rack, of no rack: partitions"),
        pytest.param(cluster([node(n, "c") for n in range(5)]), ANY, [1, 2], Bound.QUORUM, id="five controllers"),
        pytest.param(cluster([node(n, "c") for n in range(3)]), ANY, [1], Bound.QUORUM, id="three controllers"),
        pytest.param(cluster([node(n, "c") for n in range(4)]), ANY, [1], Bound.QUORUM, id="four controllers"),
        pytest.param(cluster([node(0, "c"), *brokers(4)[1:]]), ANY, [0], Bound.ORDER, id="brokers later"),
        pytest.param(
            cluster([node(0, "c"), node(1, "c"), *brokers(5)[2:]], leader=1), ANY, [0], Bound.ORDER, id="active last"
        ),
        pytest.param(
            cluster([node(0, "b", ready=False), *brokers(4)[1:]]), ANY, [0], Bound.UNREADY, id="the one that is down"
        ),
        pytest.param(
            cluster([node(0, "b"), node(1, "b", ready=False), node(2, "b", ready=False)]),
            ANY, [1, 2], Bound.UNREADY, id="both that are down",
        ),
    ],
)  # fmt: skip
def test_nodes_and_the_reason_for_their_number(of: Cluster, limit: BatchLimit, nodes: list[int], bound: Bound) -> None:
    batch = of.choose(limit)
    assert (ids(batch), batch.bound, batch.violations) == (nodes, bound, ())


def test_a_combined_node_counts_as_both() -> None:
    three = [node(0), node(1), node(2)]
    assert ids(cluster(three, [topic("t", 1, (0, 1, 2))]).choose()) == [1], "of three voters two stay"
    five = [node(number) for number in range(5)]
    assert ids(cluster(five).choose()) == [1, 2]
    assert ids(cluster(five, [topic("t", 2, (1, 2, 3))]).choose()) == [1, 4], "partitions hold as well"


def test_topics_that_hold_a_batch_are_named() -> None:
    held = cluster(brokers(4), [topic("orders", 2, (0, 1, 2)), topic("free", 1, (0, 1, 2)), topic("other", 2, (3,))])
    batch = held.choose()
    assert (ids(batch), batch.topics) == ([0, 3], ("orders",))
    assert "orders" in batch.round.sentence()


def test_a_voter_that_is_behind_leaves_room_for_fewer() -> None:
    five = [node(number, "c") for number in range(5)]
    # A controller that is behind already takes nothing away.
    assert ids(cluster(five, behind={4}).choose()) == [1, 4]
    assert ids(cluster(five, behind={3, 4}).choose()) == [3, 4]


def test_a_replica_that_is_away_elsewhere_shrinks_the_batch() -> None:
    orders = [(0, 1, 2, 3), (4, 1, 2, 3)]
    assert ids(cluster(brokers(4), [topic("t", 2, *orders)]).choose()) == [0, 1]
    assert ids(cluster(brokers(4), [topic("t", 2, *orders, missing={3})]).choose(left=brokers(3))) == [0]


def test_a_broker_that_does_not_serve_has_no_replica_in_sync() -> None:
    """Kafka keeps the last replica in the list of those in sync, also when its broker is away."""
    orders = Topic(1, (Partition("t", 0, frozenset({0, 1, 2}), frozenset({1, 2})),))
    assert ids(cluster(brokers(3), [orders]).choose(left=brokers(2)[1:])) == [1]
    refused = cluster(brokers(3), [orders], fenced={2}).choose(left=brokers(2)[1:])
    assert [violation.condition for violation in refused.violations] == [Condition.AVAILABILITY]


def test_a_partition_that_is_being_reassigned_gives_up_one_replica_at_a_time() -> None:
    wide = (0, 1, 2, 3, 4)
    assert ids(cluster(brokers(5), [topic("t", 2, wide)]).choose()) == [0, 1, 2]
    batch = cluster(brokers(5), [topic("t", 2, wide, moving=True)]).choose()
    assert (ids(batch), batch.topics) == ([0], ("t",))


def test_a_partition_without_a_replica_to_spare_gives_up_one_replica_at_a_time() -> None:
    """Consumers can go on reading, although producers cannot write."""
    assert ids(cluster(brokers(3), [topic("t", 2, (0, 1))]).choose()) == [0, 2]
    assert ids(cluster(brokers(3), [topic("t", 1, (0,), (1,))]).choose()) == [0, 1, 2]


def test_topics_that_cannot_keep_their_replicas() -> None:
    found = [topic("one", 1, (0,)), topic("tight", 2, (0, 1)), topic("fine", 2, (0, 1, 2)), topic("over", 3, (1, 2))]
    assert interrupted_topics(found) == ("one", "over", "tight")
    assert "one, over, tight" in describe_interruptions(found)
    assert describe_interruptions(found[2:3]) == ""


def test_if_no_node_may_restart_each_violation_is_told() -> None:
    batch = cluster(brokers(3), [topic("t", 2, (0, 1, 2), missing={2})]).choose(left=brokers(2))
    assert batch.nodes == ()
    assert [one.subject for one in batch.violations] == ["pod demo-kafka-0", "pod demo-kafka-1"]


# Beside every set of nodes, on small clusters.


@st.composite
def small(draw: st.DrawFn) -> Cluster:
    count = draw(st.integers(1, 6))
    roles = draw(st.lists(st.sampled_from(["b", "b", "cb", "c"]), min_size=count, max_size=count))
    down = draw(st.sets(st.integers(0, count - 1), max_size=1))
    nodes = [node(number, role, ready=number not in down) for number, role in enumerate(roles)]
    having = [one.node_id for one in nodes if one.broker]
    topics = []
    for number in range(draw(st.integers(0, 4)) if having else 0):
        replicas = draw(st.lists(st.sets(st.sampled_from(having), min_size=1, max_size=4), min_size=1, max_size=3))
        missing = draw(st.sets(st.sampled_from(having), max_size=1))
        topics.append(
            topic(f"t{number}", draw(st.integers(1, 3)), *replicas, missing=missing, moving=draw(st.booleans()))
        )
    racks = {broker: draw(st.sampled_from("abc")) for broker in having} if draw(st.booleans()) else {}
    voters = [one.node_id for one in nodes if one.controller]
    return cluster(
        nodes,
        topics,
        racks=racks,
        leader=draw(st.sampled_from(voters)) if voters else None,
        fenced=draw(st.sets(st.sampled_from(having), max_size=1)) if having else (),
        behind=draw(st.sets(st.sampled_from(voters), max_size=1)) if voters else (),
    )


LIMITS = st.builds(BatchLimit, st.none() | st.integers(1, 4), st.none() | st.integers(1, 100), st.booleans())


def is_safe(of: Cluster, leaving: Collection[Node]) -> bool:
    """The rules once more, about a whole set: what a person would check."""
    gone = {one.node_id for one in leaving}
    serving = {broker.node_id for broker in of.kafka.brokers if not broker.fenced}
    for one in of.kafka.topics:
        for part in one.partitions:
            away = part.replicas & gone
            if not away:
                continue
            if (part.is_moving or len(part.replicas) <= one.min_insync_replicas) and len(away) > 1:
                return False
            if (
                len(part.replicas) > one.min_insync_replicas
                and len(part.in_sync & serving - gone) < one.min_insync_replicas
            ):
                return False
    voters = {voter.node_id for voter in of.kafka.quorum.voters}
    if not any(one.controller for one in leaving):
        return True
    newest = max(
        voter.last_caught_up or 0 for voter in of.kafka.quorum.voters if voter.node_id == of.kafka.quorum.leader
    )
    current = {voter.node_id for voter in of.kafka.quorum.voters if newest - (voter.last_caught_up or 0) < 2000}
    staying = len(current - gone)
    return bool(current) and staying >= {1: 0, 2: 1}.get(len(voters), len(voters) // 2 + 1)


def largest(of: Cluster, limit: BatchLimit) -> int:
    """The size of the largest safe set of nodes that may be next, by trying all sets."""
    able = next_in_order(of.nodes, of.kafka.quorum.leader)
    down = [one for one in able if not one.ready]
    able = tuple(down) if any(not one.ready and one.controller is able[0].controller for one in of.nodes) else able
    most = limit.most(sum(one.controller is able[0].controller for one in of.nodes)) if able else 0
    racks = {broker.node_id: broker.rack for broker in of.kafka.brokers}
    sets = chain.from_iterable(combinations(able, size) for size in range(min(most, len(able)), 0, -1))
    for found in sets:
        one_rack = len({racks.get(one.node_id) for one in found}) == 1
        if (one_rack or not limit.one_rack) and is_safe(of, found):
            return len(found)
    return 0


@given(small(), LIMITS)
def test_a_batch_is_never_unsafe(of: Cluster, limit: BatchLimit) -> None:
    batch = of.choose(limit)
    assert is_safe(of, batch.nodes)
    assert len(set(batch.nodes)) == len(batch.nodes)
    assert set(batch.nodes) <= set(next_in_order(of.nodes, of.kafka.quorum.leader))
    if limit.one_rack:
        racks = {broker.node_id: broker.rack for broker in of.kafka.brokers}
        assert len({racks.get(one.node_id) for one in batch.nodes}) <= 1


@given(small(), LIMITS)
def test_a_batch_has_at_least_half_of_the_nodes_of_the_largest(of: Cluster, limit: BatchLimit) -> None:
    assert 2 * len(of.choose(limit).nodes) >= largest(of, limit)


@given(small())
def test_one_by_one_is_the_first_node_that_may_leave_alone(of: Cluster) -> None:
    """As without batches: the KafkaRoller's order, and its rules for one node."""
    serving = frozenset(broker.node_id for broker in of.kafka.brokers if not broker.fenced)
    topics = [
        replace(one, partitions=tuple(replace(part, in_sync=part.in_sync & serving) for part in one.partitions))
        for one in of.kafka.topics
    ]
    allowed = [
        one
        for one in next_in_order(of.nodes, of.kafka.quorum.leader)
        if not solitude_violations(one, of.nodes)
        and not quorum_violations(one, of.kafka.quorum, FETCH_TIMEOUT)
        and not availability_violations(one, topics)
    ]
    assert list(of.choose(ONE_BY_ONE).nodes) == allowed[:1]


@given(small(), LIMITS)
def test_rounds_take_each_node_once(of: Cluster, limit: BatchLimit) -> None:
    """If some are left, none of these may restart."""
    rounds = of.rounds(limit)
    taken = [one for batch in rounds for one in batch.nodes]
    assert len(set(taken)) == len(taken)
    assert all(one.nodes for one in rounds)
    left = [one for one in of.nodes if one.pod not in taken]
    assert len(left) + len(taken) == len(of.nodes)
    assert not of.choose(limit, left).nodes


# Beside a lower bound, on large clusters.


def large(count: int, partitions: int, *, rack_aware: bool) -> Cluster:
    """Brokers in three racks, partitions of three replicas of which two have to be in sync."""
    dice = random.Random(7)
    racks = {number: "abc"[number % 3] for number in range(count)}
    of_rack = [[number for number in range(count) if racks[number] == rack] for rack in "abc"]
    replicas = [
        tuple(dice.choice(rack) for rack in of_rack) if rack_aware else tuple(dice.sample(range(count), 3))
        for _partition in range(partitions)
    ]
    return cluster(brokers(count), [topic("t", 2, *replicas)], racks=racks)


@pytest.mark.parametrize(
    ("limit", "least"),
    [(RACK, 3), (ANY, 3), (BatchLimit(nodes=10), ceil(100 / 10)), (BatchLimit(percent=25), ceil(100 / 25))],
    ids=["rack", "any", "10", "25%"],
)
def test_racks_make_few_rounds(limit: BatchLimit, least: int) -> None:
    """The lower bound: as many rounds as a partition has replicas, and as the limit makes of the nodes. One more round a
    rack, because its nodes are no multiple of the limit.
    """
    rounds = large(100, 10_000, rack_aware=True).rounds(limit)
    assert sum(len(batch.nodes) for batch in rounds) == 100
    assert least <= len(rounds) <= least + 2


@pytest.mark.long
def test_five_hundred_brokers_in_batches_of_twenty_five() -> None:
    rounds = large(500, 50_000, rack_aware=True).rounds(BatchLimit(nodes=25))
    assert 20 <= len(rounds) <= 22


def test_partitions_prove_where_replicas_are_not_spread_over_racks() -> None:
    """Few nodes share no partition then, whatever their rack is."""
    rounds = large(30, 1_000, rack_aware=False).rounds(RACK)
    assert sum(len(batch.nodes) for batch in rounds) == 30
    assert len(rounds) > 15

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The planner of batches: the Kafka nodes that restart together next (docs/batches.md, "Which nodes restart together").
Pure.

Racks order, partitions prove. If replicas are spread over racks, nodes of one rack share no partition, so they are
tried together first. Whether nodes may leave together is decided by each partition and by the quorum, whatever the
racks are. A batch of one node is what a roll without batches restarts.

The batch is greedy: a node joins it if it may leave together with the nodes that have joined before. Three orders are
tried, and the largest batch is taken.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from .._trust.model.decision import Condition, Violation
from .._trust.model.intent import BatchLimit
from .._trust.model.names import counted, listed
from .._trust.model.rounds import Bound, Round
from .admin import Broker, Partition, Quorum, Topic, serving_ids
from .kafka_pods import Node, next_in_order
from .safety import (
    availability_violations,
    blocking_partitions,
    has_no_spare,
    quorum_violations,
    solitude_violations,
)


@dataclass(frozen=True)
class KafkaState:
    """The state of Kafka at one moment."""

    #: The metadata quorum as its leader sees it.
    quorum: Quorum
    #: All registered brokers, fenced brokers included.
    brokers: frozenset[Broker]
    #: All topics, internal topics included.
    topics: tuple[Topic, ...]
    #: ``controller.quorum.fetch.timeout.ms``: a voter that lags less has caught up.
    fetch_timeout: timedelta


@dataclass(frozen=True)
class Batch:
    """Nodes that restart at the same time."""

    #: The nodes, in the order of their restarts; empty if none may restart now.
    nodes: tuple[Node, ...]
    #: Why there are no more.
    bound: Bound
    #: Names of the topics that let no more nodes go, if partitions are the reason.
    topics: tuple[str, ...] = ()
    #: The violations of all nodes that could be next, if none may restart.
    violations: tuple[Violation, ...] = ()

    @property
    def round(self) -> Round:
        """The batch as plans know it: by the names of pods."""
        pods = tuple(node.pod for node in self.nodes)
        return Round(pods, self.bound, self.topics, has_brokers=any(node.broker for node in self.nodes))


def choose_batch(left: Sequence[Node], cluster: Collection[Node], kafka: KafkaState, limit: BatchLimit) -> Batch:
    """The largest batch found of the nodes left, in the state of Kafka as it is now.

    ``cluster`` has all nodes of the cluster: a limit in percent is a share of the nodes of the same role.
    """
    chooser = _Chooser(left, kafka, limit)
    most = limit.most(sum(node.controller is chooser.of_controllers for node in cluster))
    nodes: tuple[Node, ...] = ()
    for order in chooser.orders(most):
        nodes = max(nodes, chooser.fill(order, most), key=chooser.rank)
        if len(nodes) == min(most, len(chooser.candidates)):
            break
    if not nodes:
        violations = (violation for node in chooser.candidates for violation in chooser.violations(node))
        return Batch((), Bound.ALL if not left else Bound.PARTITIONS, violations=tuple(violations))
    return chooser.describe(nodes, most)


def plan_rounds(
    left: Iterable[Node], cluster: Collection[Node], kafka: KafkaState, limit: BatchLimit
) -> tuple[Round, ...]:
    """The rounds until none is left, or no node may restart, if every node comes back as it was, in sync and ready."""
    rounds: list[Round] = []
    waiting = list(left)
    while waiting and (batch := choose_batch(waiting, cluster, kafka, limit)).nodes:
        rounds.append(batch.round)
        restarted = frozenset(batch.nodes)
        waiting = [node for node in waiting if node not in restarted]
    return tuple(rounds)


def interrupted_topics(topics: Iterable[Topic]) -> tuple[str, ...]:
    """The topics that a restart of a node interrupts in any case: replication 1, or min.insync.replicas equal to the
    replicas.
    """
    topic_names = {
        partition.topic
        for topic in topics
        for partition in topic.partitions
        if has_no_spare(topic.min_insync_replicas, partition)
    }
    return tuple(sorted(topic_names))


def describe_interruptions(topics: Iterable[Topic]) -> str:
    """A sentence about the topics that each restart of one of their brokers interrupts; empty if there is none."""
    interrupted = interrupted_topics(topics)
    if not interrupted:
        return ""
    return (
        f"{counted(len(interrupted), 'topic')} cannot keep min.insync.replicas in any restart, for lack of replicas: "
        f"{listed(interrupted)}."
    )


class _Chooser:
    """Fills batches from the nodes left."""

    def __init__(self, left: Sequence[Node], kafka: KafkaState, limit: BatchLimit) -> None:
        self._left, self._kafka, self._limit = left, kafka, limit
        self.candidates = next_in_order(left, kafka.quorum.leader)
        self.of_controllers = any(node.controller for node in self.candidates)
        self._racks: Mapping[int, str | None] = {broker.node_id: broker.rack for broker in kafka.brokers}
        self._topics_by_broker = _topics_by_broker(self.candidates, kafka)

    def orders(self, most: int) -> Iterator[Sequence[Node]]:
        """The orders to try. A batch of one node has the first node that may leave in the KafkaRoller's order."""
        if most > 1:
            yield self._by_rack()
        yield self.candidates
        if most > 1:
            yield sorted(self.candidates, key=self._count_neighbours)

    def _by_rack(self) -> Sequence[Node]:
        """The nodes, beginning with the rack that has the most nodes left, so that all racks end together."""
        sizes = Counter(map(self._rack_of, self.candidates))
        return sorted(self.candidates, key=lambda node: (-sizes[self._rack_of(node)], self._rack_of(node) or ""))

    def _rack_of(self, node: Node) -> str | None:
        return self._racks.get(node.node_id)

    def _count_neighbours(self, node: Node) -> int:
        """How many nodes share a partition with this node. A node with few lets many others join."""
        partitions = (partition for topic in self._topics_by_broker[node.node_id] for partition in topic.partitions)
        return len(frozenset[int]().union(*(partition.replicas for partition in partitions)))

    def fill(self, order: Sequence[Node], most: int) -> tuple[Node, ...]:
        """The batch that comes of the nodes in this order."""
        taken: list[Node] = []
        for node in order:
            if len(taken) >= most:
                break
            if self._may_join(node, taken) and self._may_leave(node, taken):
                taken.append(node)
        return tuple(taken)

    def _may_join(self, node: Node, taken: Sequence[Node]) -> bool:
        return not (self._limit.one_rack and taken) or self._rack_of(node) == self._rack_of(taken[0])

    def _may_leave(self, node: Node, taken: Sequence[Node]) -> bool:
        """Whether no rule refuses this node. Of thousands of partitions the first that refuses is enough."""
        leaving = frozenset(other.node_id for other in taken)
        return (
            not solitude_violations(node, self._left)
            and not quorum_violations(node, self._kafka.quorum, self._kafka.fetch_timeout, leaving)
            and not any(True for _ in blocking_partitions(node, self._topics_by_broker[node.node_id], leaving))
        )

    def rank(self, nodes: Sequence[Node]) -> tuple[int, bool]:
        """Large batches are better; of two batches of the same size, a batch of one rack: it leaves the other racks
        whole.
        """
        return len(nodes), len(set(map(self._rack_of, nodes))) == 1

    def violations(self, node: Node) -> Iterator[Violation]:
        """Why this node may not leave now, alone."""
        return self._refusals(node, ())

    def _refusals(self, node: Node, taken: Sequence[Node]) -> Iterator[Violation]:
        leaving = frozenset(other.node_id for other in taken)
        yield from solitude_violations(node, self._left)
        yield from quorum_violations(node, self._kafka.quorum, self._kafka.fetch_timeout, leaving)
        yield from availability_violations(node, self._topics_by_broker[node.node_id], leaving)

    def describe(self, nodes: tuple[Node, ...], most: int) -> Batch:
        """The batch of these nodes, with the reason why there are no more."""
        if len(nodes) == len(self._left):
            return Batch(nodes, Bound.ALL)
        chosen = frozenset(nodes)
        refused = [node for node in self.candidates if node not in chosen]
        if not refused:
            return Batch(nodes, Bound.ORDER)
        if len(nodes) >= most:
            return Batch(nodes, Bound.LIMIT)
        joining = [node for node in refused if self._may_join(node, nodes)]
        if not joining:
            return Batch(nodes, Bound.RACK)
        reasons = {violation.condition for node in joining for violation in self._refusals(node, nodes)}
        if Condition.SOLITUDE in reasons:
            return Batch(nodes, Bound.UNREADY)
        if Condition.AVAILABILITY not in reasons:
            return Batch(nodes, Bound.QUORUM)
        leaving = frozenset(node.node_id for node in nodes)
        topics = {
            one.partition.topic
            for node in joining
            for one in blocking_partitions(node, self._topics_by_broker[node.node_id], leaving)
        }
        return Batch(nodes, Bound.PARTITIONS, tuple(sorted(topics)))


def _topics_by_broker(nodes: Iterable[Node], kafka: KafkaState) -> Mapping[int, Sequence[Topic]]:
    """The topics of each of these brokers, with only its partitions. A replica is in sync only if its broker serves: a
    last replica in sync stays in the list of Kafka when its broker is away.
    """
    serving = serving_ids(kafka.brokers)
    partitions_by_broker: dict[int, dict[int, list[Partition]]] = defaultdict(lambda: defaultdict(list))
    brokers = {node.node_id for node in nodes if node.broker}
    for number, topic in enumerate(kafka.topics):
        for partition in topic.partitions:
            if partition.in_sync <= serving:
                seen = partition
            else:
                seen = replace(partition, in_sync=partition.in_sync & serving)
            for broker in partition.replicas & brokers:
                partitions_by_broker[broker][number].append(seen)
    return {
        node.node_id: tuple(
            Topic(kafka.topics[number].min_insync_replicas, tuple(partitions))
            for number, partitions in partitions_by_broker[node.node_id].items()
        )
        for node in nodes
    }

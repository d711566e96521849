# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Whether a Kafka node may leave now, alone or together with other nodes: the KafkaRoller's rules (docs/operator.md,
"KafkaRoller"), and what nodes that leave together need besides (docs/batches.md, "Which nodes restart together"). Pure.

What is away already counts as away, whatever the reason: a voter that is behind, a replica that is not in sync.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta

from .._trust.model.decision import Condition, Violation
from .admin import Partition, Quorum, Topic
from .kafka_pods import Node

#: No other node leaves together with this node.
ALONE: frozenset[int] = frozenset()
#: The share of its partitions, in percent, that Kafka lets other brokers lead before it has a broker lead again:
#: ``leader.imbalance.per.broker.percentage`` by default.
_IMBALANCE = 10


def voters_caught_up(quorum: Quorum, fetch_timeout: timedelta) -> frozenset[int]:
    """Voters whose last catching up lies behind the leader's by less than the fetch timeout; none if there is no
    leader.
    """
    known = {voter.node_id: voter.last_caught_up for voter in quorum.voters if voter.last_caught_up is not None}
    newest = None if quorum.leader is None else known.get(quorum.leader)
    if newest is None:
        return frozenset()
    return frozenset(voter for voter, last in known.items() if timedelta(milliseconds=newest - last) < fetch_timeout)


def quorum_violations(
    node: Node, quorum: Quorum, fetch_timeout: timedelta, leaving: Collection[int] = ALONE
) -> tuple[Violation, ...]:
    """Violations of KafkaQuorumCheck: a majority of voters has to be caught up without this controller, and without the
    nodes that leave with it (node ids).

    If there is one voter alone, it may restart, because there is no other way. Of two voters the other voter has to be
    caught up: a majority needs both.
    """
    if not node.controller:
        return ()
    voters = len(quorum.voters)
    current = voters_caught_up(quorum, fetch_timeout)
    if not current:
        return (_quorum_violation(node, LEADERLESS),)
    needed = {1: 0, 2: 1}.get(voters, (voters + 2) // 2)
    left = current.difference(leaving, {node.node_id})
    if len(left) >= needed:
        return ()
    behind = sorted({voter.node_id for voter in quorum.voters} - current - {node.node_id})
    cause = (
        f"without this controller only {len(left)} of {voters} voters would be caught up, "
        f"and {needed} are needed; behind: {', '.join(map(str, behind)) or 'none'}."
    )
    return (_quorum_violation(node, cause),)


#: The cause if the quorum cannot say how far its voters are.
LEADERLESS = "the metadata quorum has no leader, or none that knows how far the voters are."


def _quorum_violation(node: Node, cause: str) -> Violation:
    remedy = "Look at the controllers that are behind; the roll can be run again when they have caught up."
    return Violation(Condition.QUORUM, f"pod {node.pod}", cause, remedy)


def availability_violations(
    node: Node, topics: Iterable[Topic], leaving: Collection[int] = ALONE
) -> tuple[Violation, ...]:
    """Violations of KafkaAvailability: producers with acks=all can go on writing to every partition with a replica on
    this broker, also while the nodes are away that leave with it (node ids).
    """
    return tuple(
        Violation(Condition.AVAILABILITY, f"pod {node.pod}", blocking.cause, _RESTORE)
        for blocking in blocking_partitions(node, topics, frozenset(leaving))
    )


_RESTORE = (
    "Look at the brokers that are missing among its in-sync replicas; the roll can be run again when they are back."
)


@dataclass(frozen=True)
class BlockingPartition:
    """A partition that does not let a broker go."""

    #: The partition.
    partition: Partition
    #: Why it does not, as a sentence.
    cause: str


def blocking_partitions(node: Node, topics: Iterable[Topic], leaving: frozenset[int]) -> Iterator[BlockingPartition]:
    """The partitions that do not let this broker go together with the nodes that leave."""
    if not node.broker:
        return
    for topic in topics:
        for partition in topic.partitions:
            if node.node_id in partition.replicas and (
                cause := _why_partition_waits(node.node_id, topic.min_insync_replicas, partition, leaving)
            ):
                yield BlockingPartition(partition, cause)


def _why_partition_waits(broker: int, minimum: int, partition: Partition, leaving: frozenset[int]) -> str:
    """Why the partition does not let the broker go, as a sentence; empty if it does."""
    others = partition.replicas & leaving
    if others and partition.is_moving:
        # When the reassignment ends, replicas leave that are in sync today.
        return f"partition {partition} is being reassigned, and gives up one replica at a time."
    if has_no_spare(minimum, partition):
        # Every restart interrupts the partition; its configuration accepts that. Another replica may serve consumers.
        return f"partition {partition} has no replica to spare, and gives up one at a time." if others else ""
    now = len(partition.in_sync)
    if now < minimum:
        return f"partition {partition} has {now} in-sync replicas, fewer than min.insync.replicas={minimum}, already."
    if len(partition.in_sync - leaving - {broker}) < minimum:
        return f"partition {partition} has {now} in-sync replicas, this broker's among them, and needs {minimum}."
    return ""


def has_no_spare(minimum: int, partition: Partition) -> bool:
    """Whether the partition falls below min.insync.replicas with the restart of any of its brokers, at all times."""
    return len(partition.replicas) <= minimum


def solitude_violations(node: Node, left: Iterable[Node]) -> tuple[Violation, ...]:
    """If a node of its kind is down, only nodes that are down may restart: their restart may be what helps them."""
    down = [other for other in left if not other.ready and other != node and other.controller is node.controller]
    if not node.ready or not down:
        return ()
    cause = f"pod {down[0].pod} is down already, and no other node restarts meanwhile."
    return (Violation(Condition.SOLITUDE, f"pod {node.pod}", cause, f"Look at why {down[0].pod} is not Ready."),)


def leader_violations(nodes: Iterable[Node], topics: Iterable[Topic]) -> tuple[Violation, ...]:
    """The violations of brokers that do not lead again after a restart: of the partitions that prefer such a broker,
    others lead more than Kafka leaves to them. If the next batch left before that, fewer and fewer brokers would lead.

    When a broker leaves, other brokers lead its partitions. Kafka has it lead again later: the controller looks for
    such partitions from time to time (``leader.imbalance.check.interval.seconds``, 300 by default), unless
    ``auto.leader.rebalance.enable`` is off. An election of preferred leaders has it lead again at once.
    """
    preferring, led_by_others = Counter[int](), Counter[int]()
    for topic in topics:
        for partition in topic.partitions:
            if partition.preferred is not None:
                preferring[partition.preferred] += 1
                led_by_others[partition.preferred] += not partition.is_led_by_preferred
    return tuple(
        _leader_violation(node, led_by_others[node.node_id], preferring[node.node_id])
        for node in nodes
        if node.broker and 100 * led_by_others[node.node_id] > _IMBALANCE * preferring[node.node_id]
    )


def partitions_to_lead(nodes: Iterable[Node], topics: Iterable[Topic]) -> tuple[Partition, ...]:
    """The partitions that prefer one of these brokers, whose replica is in sync, and that another broker leads: an
    election makes the preferred broker the leader.
    """
    brokers = {node.node_id for node in nodes if node.broker}
    return tuple(
        partition
        for topic in topics
        for partition in topic.partitions
        if partition.preferred in brokers & partition.in_sync and not partition.is_led_by_preferred
    )


def _leader_violation(node: Node, led_by_others: int, preferring: int) -> Violation:
    return Violation(
        Condition.RETURN,
        f"pod {node.pod}",
        f"other brokers lead {led_by_others} of the {preferring} partitions that prefer it.",
        "Look at auto.leader.rebalance.enable, and at the log of the active controller.",
    )

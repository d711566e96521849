# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Whether a node may restart now, by the KafkaRoller's two checks (docs/operator.md, "KafkaRoller"), and whether it is
back.

Every rule returns violations, and none where it holds. Missing knowledge is a violation (I5).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

from .._strimzi.secret_data import whole_number
from .._trust.model.violations import Condition, Violation
from .kafka_state import (
    Broker,
    Partition,
    Quorum,
    Topic,
)
from .order import Node

#: The value where the Kafka resource sets none.
FETCH_TIMEOUT = timedelta(milliseconds=2000)


def fetch_timeout(kafka: Mapping[str, Any] | None) -> timedelta:
    """``controller.quorum.fetch.timeout.ms`` of a Kafka resource."""
    configuration = (((kafka or {}).get("spec") or {}).get("kafka") or {}).get("config") or {}
    found = str(configuration.get("controller.quorum.fetch.timeout.ms", ""))
    milliseconds = whole_number(found)
    return FETCH_TIMEOUT if milliseconds is None else timedelta(milliseconds=milliseconds)


def voters_caught_up(quorum: Quorum, fetch_timeout: timedelta) -> frozenset[int]:
    """Voters whose last catching up lies behind the leader's by less than the fetch timeout; none without a leader."""
    known = {voter.node_id: voter.last_caught_up for voter in quorum.voters if voter.last_caught_up is not None}
    newest = None if quorum.leader is None else known.get(quorum.leader)
    if newest is None:
        return frozenset()
    return frozenset(voter for voter, last in known.items() if timedelta(milliseconds=newest - last) < fetch_timeout)


def quorum_violations(node: Node, quorum: Quorum, fetch_timeout: timedelta) -> tuple[Violation, ...]:
    """KafkaQuorumCheck: without this controller a majority of voters has to be caught up.

    A lone voter may restart, because there is no other way. Of two voters the other one has to be caught up: a majority
    could never be had without either.
    """
    voters = len(quorum.voters)
    current = voters_caught_up(quorum, fetch_timeout)
    if not current:
        return (_quorum_violation(node, _LEADERLESS),)
    needed = {1: 0, 2: 1}.get(voters, (voters + 2) // 2)
    if len(current - {node.node_id}) >= needed:
        return ()
    behind = sorted({voter.node_id for voter in quorum.voters} - current - {node.node_id})
    cause = (
        f"without controller {node.node_id} only {len(current - {node.node_id})} of {voters} voters would be caught up, "
        f"and {needed} are needed; behind: {', '.join(map(str, behind)) or 'none'}."
    )
    return (_quorum_violation(node, cause),)


_LEADERLESS = "the metadata quorum has no leader, or none that knows how far the voters are."


def _quorum_violation(node: Node, cause: str) -> Violation:
    remedy = "Look at the controllers that are behind; the roll can be run again when they have caught up."
    return Violation(Condition.QUORUM, f"pod {node.pod}", cause, remedy)


def availability_violations(node: Node, topics: Iterable[Topic]) -> tuple[Violation, ...]:
    """KafkaAvailability: producers with acks=all can go on writing to every partition with a replica on this broker."""
    return tuple(
        Violation(Condition.AVAILABILITY, f"pod {node.pod}", cause, _RESTORE)
        for topic in topics
        for partition in topic.partitions
        for cause in _at_stake(node.node_id, topic.min_insync_replicas, partition)
    )


_RESTORE = (
    "Look at the brokers that are missing among its in-sync replicas; the roll can be run again when they are back."
)


def _at_stake(broker: int, minimum: int, partition: Partition) -> Iterator[str]:
    if broker not in partition.replicas or len(partition.replicas) <= minimum:
        # Without a spare replica every restart interrupts the partition; its configuration accepts that.
        return
    now = len(partition.in_sync)
    if now < minimum:
        yield f"partition {partition} has {now} in-sync replicas, fewer than min.insync.replicas={minimum}, already."
    elif len(partition.in_sync - {broker}) < minimum:
        yield f"partition {partition} has {now} in-sync replicas with this one among them, and needs {minimum}."


def out_of_sync(topics: Iterable[Topic]) -> tuple[Topic, ...]:
    """The topics, each with only those of its partitions that have a replica out of sync."""
    return tuple(
        replace(topic, partitions=behind)
        for topic in topics
        if (behind := tuple(one for one in topic.partitions if not one.replicas <= one.in_sync))
    )


def partitions_out_of_sync(node: Node, topics: Iterable[Topic]) -> tuple[Partition, ...]:
    """Partitions with a replica on this broker that is not in sync."""
    return tuple(
        partition
        for topic in topics
        for partition in topic.partitions
        if node.broker and node.node_id in partition.replicas - partition.in_sync
    )


def absence_violations(node: Node, brokers: Collection[Broker], topics: Iterable[Topic]) -> tuple[Violation, ...]:
    """The violations of a broker that is not back: it has to be registered and unfenced, and in sync with all of its
    partitions.
    """
    if not node.broker:
        return ()
    if Broker(node.node_id, fenced=False) not in brokers:
        cause = f"broker {node.node_id} is not back in the cluster: it is not registered, or fenced."
        return (Violation(Condition.RETURN, f"pod {node.pod}", cause, "Look at the log of this broker."),)
    behind = partitions_out_of_sync(node, topics)
    if not behind:
        return ()
    more = f" and {len(behind) - 1} more" if len(behind) > 1 else ""
    cause = f"broker {node.node_id} is not in sync yet with partition {behind[0]}{more}."
    remedy = "Look at the log of this broker (replica fetchers, log directories), and at reassignments under way."
    return (Violation(Condition.RETURN, f"pod {node.pod}", cause, remedy),)


def lag_violations(node: Node, quorum: Quorum, fetch_timeout: timedelta) -> tuple[Violation, ...]:
    """The violations of a controller that is not back: as a voter it has to be caught up."""
    voter = node.node_id in {one.node_id for one in quorum.voters}
    current = voters_caught_up(quorum, fetch_timeout)
    if not node.controller or not voter or node.node_id in current:
        return ()
    cause = f"controller {node.node_id} has not caught up with the metadata quorum." if current else _LEADERLESS
    return (Violation(Condition.RETURN, f"pod {node.pod}", cause, "Look at the log of this controller."),)


def solitude_violations(node: Node, left: Iterable[Node]) -> tuple[Violation, ...]:
    """At most one Kafka node is down at a time (I4): while a node of its kind is down, only that one may restart."""
    down = [one for one in left if not one.ready and one != node and one.controller is node.controller]
    if not node.ready or not down:
        return ()
    cause = f"pod {down[0].pod} is down already, and two at once are too many."
    return (Violation(Condition.SOLITUDE, f"pod {node.pod}", cause, f"Look at why {down[0].pod} is not Ready."),)

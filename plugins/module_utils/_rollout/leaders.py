# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The leaders of partitions after a batch of nodes has restarted. Pure.

When a broker leaves, other brokers lead its partitions. Kafka has it lead again later: the controller looks for such
partitions from time to time (``leader.imbalance.check.interval.seconds``, 300 by default), unless
``auto.leader.rebalance.enable`` is off. If the next batch left before that, fewer and fewer brokers would lead.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from .._trust.model.decision import Condition, Violation
from .admin import Topic
from .kafka_pods import Node

#: The share of its partitions, in percent, that Kafka lets other brokers lead before it has a broker lead again:
#: ``leader.imbalance.per.broker.percentage`` by default.
_IMBALANCE = 10


def leader_violations(nodes: Iterable[Node], topics: Iterable[Topic]) -> tuple[Violation, ...]:
    """The violations of brokers that do not lead again: other brokers lead more of the partitions that prefer them than
    Kafka leaves to others.
    """
    preferring, led_by_others = Counter[int](), Counter[int]()
    for topic in topics:
        for partition in topic.partitions:
            if partition.preferred is not None:
                preferring[partition.preferred] += 1
                led_by_others[partition.preferred] += not partition.is_led_by_preferred
    return tuple(
        _violation(node, led_by_others[node.node_id], preferring[node.node_id])
        for node in nodes
        if node.broker and 100 * led_by_others[node.node_id] > _IMBALANCE * preferring[node.node_id]
    )


def _violation(node: Node, led_by_others: int, preferring: int) -> Violation:
    return Violation(
        Condition.RETURN,
        f"pod {node.pod}",
        f"other brokers lead {led_by_others} of the {preferring} partitions that prefer broker {node.node_id}.",
        "Look at auto.leader.rebalance.enable, and at the log of the active controller.",
    )

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The KafkaRoller's order (docs/operator.md, "KafkaRoller"): which node is next, among those that are left."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Node:
    """A Kafka node in its pod. A combined node is both controller and broker."""

    pod: str
    uid: str
    node_id: int
    controller: bool
    broker: bool
    ready: bool


def sort_for_restart(nodes: Iterable[Node], active: int | None) -> tuple[Node, ...]:
    """Controllers (combined nodes too) before brokers, unready before ready, the active controller last of its kind."""
    return tuple(sorted(nodes, key=lambda node: (*_rank(node, active), node.node_id, node.pod)))


def _rank(node: Node, active: int | None) -> tuple[bool, bool, bool]:
    return not node.controller, node.controller and node.node_id == active, node.ready


def next_batch(nodes: Iterable[Node], active: int | None) -> tuple[Node, ...]:
    """The nodes that may be next, best first; all nodes of one kind are restarted before those of the next kind.

    A node of this batch that a safety check refuses now is passed over, as the KafkaRoller does. The active controller
    is in the batch only when it is the last controller left, because its restart means an election.
    """
    ordered = sort_for_restart(nodes, active)
    first_kind = [node for node in ordered if node.controller is ordered[0].controller]
    others = [node for node in first_kind if not (node.controller and node.node_id == active)]
    return tuple(others or first_kind)

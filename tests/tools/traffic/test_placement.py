# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Partitions are read from what Kafka's tool says, and judged by their racks and their replicas in sync."""

from __future__ import annotations

import pytest

from .placement import Placed, partitions_in

DESCRIBED = """\
Topic: orders\tTopicId: x\tPartitionCount: 2\tReplicationFactor: 3\tConfigs: min.insync.replicas=2
\tTopic: orders\tPartition: 0\tLeader: 3\tReplicas: 3,0,6\tIsr: 0,3,6\tElr: \tLastKnownElr: \n\
\tTopic: orders\tPartition: 1\tLeader: none\tReplicas: 1,4,7\tIsr: 4\tElr: 1\tLastKnownElr: 1
"""
RACKS = {0: "a", 1: "a", 3: "b", 4: "b", 6: "c"}


def test_partitions_are_read() -> None:
    assert partitions_in(DESCRIBED) == [
        Placed("orders", 0, "3", (3, 0, 6), frozenset({0, 3, 6})),
        Placed("orders", 1, "none", (1, 4, 7), frozenset({4})),
    ]


@pytest.mark.parametrize(
    ("leader", "in_sync", "settled"),
    [("3", {0, 3, 6}, True), ("0", {0, 3, 6}, False), ("3", {0, 3}, False), ("none", {0, 3, 6}, False)],
)
def test_a_partition_is_settled_when_its_replicas_are_in_sync_and_the_first_leads(
    leader: str, in_sync: set[int], settled: bool
) -> None:
    assert Placed("orders", 0, leader, (3, 0, 6), frozenset(in_sync)).is_settled is settled


@pytest.mark.parametrize(("replicas", "spread"), [((3, 0, 6), True), ((3, 4, 6), False), ((0,), True)])
def test_replicas_are_spread_if_each_has_a_rack_of_its_own(replicas: tuple[int, ...], spread: bool) -> None:
    assert Placed("orders", 0, "3", replicas, frozenset(replicas)).is_spread(RACKS) is spread

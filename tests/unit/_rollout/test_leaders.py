# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Brokers lead again after a restart when they lead nine in ten of the partitions that prefer them."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.admin import Partition, Topic
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.leaders import leader_violations

from .values import node

BOTH = frozenset({0, 1})


def preferring(broker: int | None, count: int, led_by_others: int) -> Topic:
    partitions = (
        Partition("t", number, BOTH, BOTH, preferred=broker, is_led_by_preferred=number >= led_by_others)
        for number in range(count)
    )
    return Topic(1, tuple(partitions))


@pytest.mark.parametrize(
    ("count", "led_by_others", "leads"),
    [(0, 0, True), (1, 0, True), (1, 1, False), (10, 1, True), (10, 2, False), (100, 10, True), (100, 11, False)],
)
def test_kafka_leaves_one_in_ten_to_other_brokers(count: int, led_by_others: int, leads: bool) -> None:
    topics = [preferring(0, count, led_by_others), preferring(None, 9, 9)]
    assert (leader_violations([node(0, "b")], topics) == ()) is leads


def test_the_brokers_that_do_not_lead_are_named() -> None:
    topics = [preferring(0, 4, 4), preferring(1, 4, 0), preferring(2, 4, 4)]
    found = leader_violations([node(0), node(1), node(2, "c")], topics)
    assert [violation.subject for violation in found] == ["pod demo-kafka-0"]


def test_the_partitions_of_all_topics_count() -> None:
    topics = [preferring(0, 1, 1), preferring(0, 9, 0)]
    assert leader_violations([node(0)], topics) == ()

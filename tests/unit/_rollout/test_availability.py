# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""KafkaAvailability: a restart of this broker leaves every partition as many in-sync replicas as producers ask for."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.admin import Broker, Topic
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.direct import (
    absence_violations,
    availability_violations,
    out_of_sync,
    partitions_out_of_sync,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition

from .values import node, topic, topics

BROKERS = st.integers(0, 5)


@pytest.mark.parametrize(
    ("minimum", "replicas", "in_sync", "allowed"),
    [
        pytest.param(2, {0, 1, 2}, {0, 1, 2}, True, id="enough without it"),
        pytest.param(2, {0, 1, 2}, {0, 1}, False, id="just enough with it"),
        pytest.param(2, {0, 1, 2}, {1, 2}, True, id="just enough, and it is not among them"),
        pytest.param(2, {0, 1, 2}, {1}, False, id="too few already, though it is not among them"),
        pytest.param(2, {0, 1, 2}, {0}, False, id="too few already, and it is the last one"),
        pytest.param(2, {0, 1, 2}, set(), False, id="none at all"),
        pytest.param(2, {1, 2, 3}, {1}, True, id="too few already, and no replica on this broker"),
        pytest.param(1, {0, 1}, {0, 1}, True, id="two replicas, one needed"),
        pytest.param(1, {0, 1}, {0}, False, id="two replicas, the last one in sync"),
        pytest.param(1, {0}, {0}, True, id="a single replica: no restart could ever spare it"),
        pytest.param(2, {0, 1}, {0, 1}, True, id="as many replicas as needed: likewise"),
        pytest.param(3, {0, 1}, {0}, True, id="fewer replicas than needed: likewise"),
    ],
)
def test_may_broker_0_restart(minimum: int, replicas: set[int], in_sync: set[int], allowed: bool) -> None:
    assert (availability_violations(node(0), [topic(minimum, (replicas, in_sync))]) == ()) is allowed


def test_every_partition_of_every_topic_counts() -> None:
    fine, tight = ({0, 1, 2}, {0, 1, 2}), ({0, 1, 2}, {0, 2})
    assert not availability_violations(node(0), [topic(2, fine, fine), topic(1, fine, tight)])
    found = availability_violations(node(0), [topic(2, fine, fine), topic(2, fine, tight, tight)])
    assert [violation.message.split()[1] for violation in found] == ["t-1", "t-2"]


@pytest.mark.parametrize(
    ("in_sync", "words"),
    [
        ({0, 1}, "partition t-0 has 2 in-sync replicas with this one among them, and needs 2."),
        ({1}, "partition t-0 has 1 in-sync replicas, fewer than min.insync.replicas=2, already."),
    ],
)
def test_a_refusal_names_pod_partition_and_a_remedy(in_sync: set[int], words: str) -> None:
    (found,) = availability_violations(node(0), [topic(2, ({0, 1, 2}, in_sync))])
    assert (found.condition, found.subject, found.message) == (Condition.AVAILABILITY, "pod demo-kafka-0", words)
    assert "in-sync replicas" in found.remedy


@given(st.lists(topics(), max_size=4), BROKERS)
def test_who_restarts_with_leave_stops_no_producer(found: list[Topic], broker: int) -> None:
    """Unless there was no replica to spare from the beginning."""
    if availability_violations(node(broker), found):
        return
    for one in found:
        for partition in one.partitions:
            if broker in partition.replicas and len(partition.replicas) > one.min_insync_replicas:
                assert len(partition.in_sync - {broker}) >= one.min_insync_replicas


@given(topics(), BROKERS)
def test_a_healthy_partition_with_a_replica_to_spare_refuses_nobody(found: Topic, broker: int) -> None:
    (partition,) = found.partitions
    healthy = topic(found.min_insync_replicas, (partition.replicas, partition.replicas))
    assert not availability_violations(node(broker), [healthy])


@given(topics(), BROKERS, BROKERS)
def test_one_more_out_of_sync_never_makes_a_restart_allowed(found: Topic, broker: int, lost: int) -> None:
    """Unless it is the broker itself that is out: it takes nothing away any more."""
    if lost == broker or not availability_violations(node(broker), [found]):
        return
    (partition,) = found.partitions
    worse = topic(found.min_insync_replicas, (partition.replicas, partition.in_sync - {lost}))
    assert availability_violations(node(broker), [worse])


ALIVE = (Broker(0, False), Broker(1, False))


@pytest.mark.parametrize(
    ("brokers", "partitions", "words"),
    [
        pytest.param(ALIVE, [({0, 1}, {0, 1})], None, id="back"),
        pytest.param(ALIVE, [({0, 1}, {0}), ({1}, {1})], None, id="others may be out of sync"),
        pytest.param(ALIVE[1:], [({1}, {1})], "not registered, or fenced", id="not registered"),
        pytest.param((Broker(0, True), ALIVE[1]), [({1}, {1})], "not registered, or fenced", id="fenced"),
        pytest.param(ALIVE, [({0, 1}, {1})], "not in sync yet with partition t-0.", id="out of sync"),
        pytest.param(
            ALIVE, [({0}, {0}), ({0, 1}, {1}), ({0, 1}, {1})], "with partition t-1 and 1 more.", id="of two partitions"
        ),
    ],
)
def test_a_broker_is_back_when_it_serves_and_is_in_sync(
    brokers: Collection[Broker], partitions: list[tuple[set[int], set[int]]], words: str | None
) -> None:
    found = absence_violations(node(0), brokers, [topic(1, *partitions)])
    assert [violation.message for violation in found if words is None or words not in violation.message] == []
    assert bool(found) is (words is not None)


def test_a_node_that_is_no_broker_is_not_looked_for_among_them() -> None:
    assert absence_violations(node(9, "c"), ALIVE, []) == ()


@given(st.lists(topics(), max_size=4), BROKERS)
def test_nobody_lags_behind_in_what_is_left_out(found: list[Topic], broker: int) -> None:
    whole = [replace(one, partitions=tuple(part for each in found for part in each.partitions)) for one in found]
    assert partitions_out_of_sync(node(broker), out_of_sync(whole)) == partitions_out_of_sync(node(broker), whole)
    assert all(part.replicas - part.in_sync for one in out_of_sync(whole) for part in one.partitions)

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""After a node has restarted: it is back when its controller has caught up, and its broker serves and is in sync."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.admin import Broker, Quorum, Topic, serving_ids
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.direct import (
    FETCH_TIMEOUT,
    absence_violations,
    fetch_timeout,
    lag_violations,
    moves_leaders_by_itself,
    partitions_out_of_sync,
    unsettled,
)

from ...tools.support.golden import GoldenFiles
from .values import node, quorum, topic, topics


@pytest.mark.parametrize(
    ("value", "milliseconds"),
    [(None, 2000), ("3000", 3000), (3000, 3000), ("soon", 2000), ("9" * 4301, 2000), (2**31, 2000), (10**17, 2000)],
)
def test_the_fetch_timeout_is_read_from_the_kafka_resource(value: object, milliseconds: int) -> None:
    config = {} if value is None else {"controller.quorum.fetch.timeout.ms": value}
    assert fetch_timeout({"spec": {"kafka": {"config": config}}}) == timedelta(milliseconds=milliseconds)


@pytest.mark.parametrize(
    ("value", "moves"),
    [(None, True), ("true", True), (True, True), ("false", False), (False, False), (" FALSE ", False)],
)
def test_whether_kafka_moves_leaders_is_read_from_the_kafka_resource(value: object, moves: bool) -> None:
    config = {} if value is None else {"auto.leader.rebalance.enable": value}
    assert moves_leaders_by_itself({"spec": {"kafka": {"config": config}}}) is moves
    assert moves_leaders_by_itself(None)


@pytest.mark.parametrize(
    ("one", "state", "back"),
    [
        (node(0), quorum(1, v0=1999, v1=0), True),
        (node(0), quorum(1, v0=2000, v1=0), False),
        (node(0), quorum(1, v0=None, v1=0), False),
        (node(0), quorum(None, v0=0, v1=0), False),
        (node(0, "b"), quorum(1, v1=0), True),
        (node(0, "c"), quorum(1, v1=0), True),
    ],
)
def test_a_controller_is_back_when_it_has_caught_up(one, state: Quorum, back: bool) -> None:
    assert (lag_violations(one, state, FETCH_TIMEOUT) == ()) is back


# KafkaAvailability: a restart of this broker leaves every partition as many in-sync replicas as producers ask for.

BROKERS = st.integers(0, 5)


ALIVE = (Broker(0, False), Broker(1, False))


@pytest.mark.parametrize(
    ("brokers", "partitions", "is_back"),
    [
        pytest.param(ALIVE, [({0, 1}, {0, 1})], True, id="back"),
        pytest.param(ALIVE, [({0, 1}, {0}), ({1}, {1})], True, id="others may be out of sync"),
        pytest.param(ALIVE[1:], [({1}, {1})], False, id="not registered"),
        pytest.param((Broker(0, True), ALIVE[1]), [({1}, {1})], False, id="fenced"),
        pytest.param(ALIVE, [({0, 1}, {1})], False, id="out of sync"),
        pytest.param(ALIVE, [({0}, {0}), ({0, 1}, {1}), ({0, 1}, {1})], False, id="of two partitions"),
    ],
)
def test_a_broker_is_back_when_it_serves_and_is_in_sync(
    brokers: Collection[Broker], partitions: list[tuple[set[int], set[int]]], is_back: bool, golden: GoldenFiles
) -> None:
    found = absence_violations(node(0), serving_ids(brokers), [topic(1, *partitions)])
    assert (found == ()) is is_back
    for violation in found:
        golden.compare_said("rolls", violation, golden.row)


def test_a_node_that_is_no_broker_is_not_looked_for_among_them() -> None:
    assert absence_violations(node(9, "c"), serving_ids(ALIVE), []) == ()


@given(st.lists(topics(), max_size=4), BROKERS)
def test_topics_that_are_left_out_have_no_replica_that_lags(found: list[Topic], broker: int) -> None:
    whole = [replace(one, partitions=tuple(part for each in found for part in each.partitions)) for one in found]
    assert partitions_out_of_sync(node(broker), unsettled(whole)) == partitions_out_of_sync(node(broker), whole)
    assert all(part.replicas - part.in_sync for one in unsettled(whole) for part in one.partitions)


def test_a_broker_is_not_back_before_its_partitions_have_a_leader(golden: GoldenFiles) -> None:
    waiting = replace(
        topic(1, ({0, 1}, {0, 1})), partitions=(replace(topic(1, ({0, 1}, {0, 1})).partitions[0], has_leader=False),)
    )
    (found,) = absence_violations(node(0), serving_ids(ALIVE), unsettled([waiting]))
    golden.compare_said("rolls", found)

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Before a node restarts: the quorum keeps its majority, and every partition as many in-sync replicas as producers ask for."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.admin import Partition, Quorum, Topic, Voter
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.direct import FETCH_TIMEOUT
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.safety import (
    availability_violations,
    leader_violations,
    partitions_to_lead,
    quorum_violations,
    voters_caught_up,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition

from ...tools.support.golden import GoldenFiles
from .values import node, quorum, quorums, topic, topics

ID = st.integers(0, 6)


@pytest.mark.parametrize(
    ("state", "allowed"),
    [
        pytest.param(quorum(0, v0=0), True, id="a lone voter, for there is no other way"),
        pytest.param(quorum(1, v0=0, v1=0), True, id="of two, the other is caught up"),
        pytest.param(quorum(0, v0=0, v1=2000), False, id="of two, the other is behind"),
        pytest.param(quorum(1, v0=0, v1=0, v2=0), True, id="three of three"),
        pytest.param(quorum(1, v0=0, v1=0, v2=1999), True, id="a lag just below the fetch timeout"),
        pytest.param(quorum(1, v0=0, v1=0, v2=2000), False, id="a lag of the fetch timeout"),
        pytest.param(quorum(1, v0=0, v1=0, v2=None), False, id="an unknown lag is a lag"),
        pytest.param(quorum(1, v0=9000, v1=0, v2=0), True, id="the one that is behind itself"),
        pytest.param(quorum(1, v0=0, v1=0, v2=0, v3=5000), False, id="of four, three others are needed"),
        pytest.param(quorum(1, v0=0, v1=0, v2=0, v3=0), True, id="four of four"),
        pytest.param(quorum(1, v0=0, v1=0, v2=0, v3=0, v4=5000), True, id="of five, one may be behind"),
        pytest.param(quorum(1, v0=0, v1=0, v2=0, v3=5000, v4=5000), False, id="of five, not two"),
        pytest.param(quorum(None, v0=0, v1=0, v2=0), False, id="no leader"),
        pytest.param(quorum(7, v0=0, v1=0, v2=0), False, id="a leader that is no voter"),
        pytest.param(quorum(1, v0=0, v1=None, v2=0), False, id="a leader that does not know its own state"),
        pytest.param(Quorum(None, ()), False, id="no voters at all"),
        pytest.param(quorum(1, v1=0, v2=0, v3=0), True, id="a controller that is no voter"),
    ],
)
def test_may_controller_0_restart(state: Quorum, allowed: bool) -> None:
    assert (quorum_violations(node(0), state, FETCH_TIMEOUT) == ()) is allowed


def test_the_fetch_timeout_of_the_cluster_counts() -> None:
    state = quorum(1, v0=0, v1=0, v2=2500)
    assert quorum_violations(node(0), state, FETCH_TIMEOUT)
    assert not quorum_violations(node(0), state, timedelta(seconds=3))


def test_a_refusal_names_pod_voters_and_a_remedy(golden: GoldenFiles) -> None:
    (found,) = quorum_violations(node(0), quorum(1, v0=0, v1=0, v2=2500, v4=None), FETCH_TIMEOUT)
    assert (found.condition, found.subject) == (Condition.QUORUM, "pod demo-kafka-0")
    golden.compare_said("rolls", found)


@given(quorums(), ID)
def test_a_voter_whose_restart_is_permitted_leaves_a_majority(state: Quorum, restarting: int) -> None:
    assume(len(state.voters) > 2)
    if not quorum_violations(node(restarting), state, FETCH_TIMEOUT):
        assert 2 * len(voters_caught_up(state, FETCH_TIMEOUT) - {restarting}) > len(state.voters)


@given(st.lists(st.integers(0, 1999), min_size=1, max_size=7), ID)
def test_where_every_voter_has_caught_up_any_voter_may_restart(lags: list[int], restarting: int) -> None:
    state = quorum(0, **{f"v{i}": lag if i else 0 for i, lag in enumerate(lags)})
    assert not quorum_violations(node(restarting), state, FETCH_TIMEOUT)


@given(quorums(), ID, st.integers(0, 6))
def test_another_voter_that_lags_never_makes_a_restart_allowed(state: Quorum, restarting: int, lost: int) -> None:
    voters = tuple(Voter(one.node_id, None) if one.node_id == lost else one for one in state.voters)
    if quorum_violations(node(restarting), state, FETCH_TIMEOUT):
        assert quorum_violations(node(restarting), Quorum(state.leader, voters), FETCH_TIMEOUT)


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


@pytest.mark.parametrize("in_sync", [{0, 1}, {1}], ids=["as many as are needed", "fewer already"])
def test_a_refusal_names_pod_partition_and_a_remedy(in_sync: set[int], golden: GoldenFiles) -> None:
    (found,) = availability_violations(node(0), [topic(2, ({0, 1, 2}, in_sync))])
    assert (found.condition, found.subject) == (Condition.AVAILABILITY, "pod demo-kafka-0")
    golden.compare_said("rolls", found, golden.row)


@given(st.lists(topics(), max_size=4), BROKERS)
def test_a_broker_whose_restart_is_permitted_stops_no_producer(found: list[Topic], broker: int) -> None:
    """Unless there was no replica to spare from the beginning."""
    if availability_violations(node(broker), found):
        return
    for one in found:
        for partition in one.partitions:
            if broker in partition.replicas and len(partition.replicas) > one.min_insync_replicas:
                assert len(partition.in_sync - {broker}) >= one.min_insync_replicas


@given(topics(), BROKERS)
def test_a_healthy_partition_with_a_replica_to_spare_refuses_no_broker(found: Topic, broker: int) -> None:
    (partition,) = found.partitions
    healthy = topic(found.min_insync_replicas, (partition.replicas, partition.replicas))
    assert not availability_violations(node(broker), [healthy])


@given(topics(), BROKERS, BROKERS)
def test_another_replica_out_of_sync_never_makes_a_restart_allowed(found: Topic, broker: int, lost: int) -> None:
    """Unless it is the broker itself that is out: it takes nothing away any more."""
    if lost == broker or not availability_violations(node(broker), [found]):
        return
    (partition,) = found.partitions
    worse = topic(found.min_insync_replicas, (partition.replicas, partition.in_sync - {lost}))
    assert availability_violations(node(broker), [worse])


# Brokers lead again after a restart when they lead nine in ten of the partitions that prefer them.

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


@pytest.mark.parametrize(
    ("preferred", "in_sync", "is_led_by_preferred", "is_elected"),
    [
        (0, {0, 1}, False, True),
        (0, {0, 1}, True, False),
        (0, {1}, False, False),
        (1, {0, 1}, False, False),
        (2, {0, 2}, False, False),
        (None, {0, 1}, False, False),
    ],
    ids=["led by another", "leads", "not in sync", "of another broker", "of a controller", "not known"],
)
def test_the_partitions_that_an_election_gives_back(
    preferred: int | None, in_sync: set[int], is_led_by_preferred: bool, is_elected: bool
) -> None:
    one = Partition("t", 0, BOTH, frozenset(in_sync), preferred=preferred, is_led_by_preferred=is_led_by_preferred)
    found = partitions_to_lead([node(0), node(2, "c")], [Topic(1, (one,))])
    assert found == ((one,) if is_elected else ())


def test_the_partitions_of_all_topics_count() -> None:
    topics = [preferring(0, 1, 1), preferring(0, 9, 0)]
    assert leader_violations([node(0)], topics) == ()

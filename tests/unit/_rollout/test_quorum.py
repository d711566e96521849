# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""KafkaQuorumCheck: a restart of this controller leaves a majority of voters that are caught up."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.admin import Quorum, Voter
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.direct import (
    FETCH_TIMEOUT,
    fetch_timeout,
    lag_violations,
    quorum_violations,
    voters_caught_up,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition

from .values import node, quorum, quorums

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


@pytest.mark.parametrize(
    ("value", "milliseconds"), [(None, 2000), ("3000", 3000), (3000, 3000), ("soon", 2000), ("9" * 4301, 2000)]
)
def test_it_is_read_from_the_kafka_resource(value: object, milliseconds: int) -> None:
    config = {} if value is None else {"controller.quorum.fetch.timeout.ms": value}
    assert fetch_timeout({"spec": {"kafka": {"config": config}}}) == timedelta(milliseconds=milliseconds)


def test_a_refusal_names_pod_voters_and_a_remedy() -> None:
    (found,) = quorum_violations(node(0), quorum(1, v0=0, v1=0, v2=2500, v4=None), FETCH_TIMEOUT)
    assert (found.condition, found.subject) == (Condition.QUORUM, "pod demo-kafka-0")
    assert "only 1 of 4 voters would be caught up, and 3 are needed; behind: 2, 4." in found.message
    assert "run again" in found.remedy


@given(quorums(), ID)
def test_who_restarts_with_leave_leaves_a_majority(state: Quorum, restarting: int) -> None:
    assume(len(state.voters) > 2)
    if not quorum_violations(node(restarting), state, FETCH_TIMEOUT):
        assert 2 * len(voters_caught_up(state, FETCH_TIMEOUT) - {restarting}) > len(state.voters)


@given(st.lists(st.integers(0, 1999), min_size=1, max_size=7), ID)
def test_with_everybody_caught_up_anybody_may_restart(lags: list[int], restarting: int) -> None:
    state = quorum(0, **{f"v{i}": lag if i else 0 for i, lag in enumerate(lags)})
    assert not quorum_violations(node(restarting), state, FETCH_TIMEOUT)


@given(quorums(), ID, st.integers(0, 6))
def test_one_more_behind_never_makes_a_restart_allowed(state: Quorum, restarting: int, lost: int) -> None:
    voters = tuple(Voter(one.node_id, None) if one.node_id == lost else one for one in state.voters)
    if quorum_violations(node(restarting), state, FETCH_TIMEOUT):
        assert quorum_violations(node(restarting), Quorum(state.leader, voters), FETCH_TIMEOUT)


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

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kafka nodes, quorums and topics in one line each, and strategies for them."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.admin import Partition, Quorum, Topic, Voter
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.kafka_pods import Node

NOW = 1_700_000_000_000


def node(node_id: int, roles: str = "cb", *, ready: bool = True) -> Node:
    """roles: c for controller, b for broker."""
    return Node(f"demo-kafka-{node_id}", f"uid-{node_id}", node_id, "c" in roles, "b" in roles, ready)


def quorum(leader: int | None, **lags: int | None) -> Quorum:
    """lags: milliseconds behind the leader by v<node id>; None when unknown."""
    voters = (Voter(int(name[1:]), None if lag is None else NOW - lag) for name, lag in lags.items())
    return Quorum(leader, tuple(voters))


def topic(minimum: int, *partitions: tuple[Iterable[int], Iterable[int]]) -> Topic:
    """partitions: replicas and in-sync replicas of each."""
    found = (Partition("t", i, frozenset(all_), frozenset(now)) for i, (all_, now) in enumerate(partitions))
    return Topic(minimum, tuple(found))


@st.composite
def quorums(draw: st.DrawFn) -> Quorum:
    """The leader is a voter and, as in Kafka, as far as itself; the others may be anywhere, or unknown."""
    size = draw(st.integers(1, 7))
    leader = draw(st.integers(0, size - 1))
    lag = st.one_of(st.none(), st.integers(0, 5000))
    lags = {f"v{i}": 0 if i == leader else draw(lag) for i in range(size)}
    return quorum(leader, **lags)


@st.composite
def topics(draw: st.DrawFn) -> Topic:
    replicas = draw(st.sets(st.integers(0, 5), min_size=1, max_size=5))
    in_sync = draw(st.sets(st.sampled_from(sorted(replicas))))
    return topic(draw(st.integers(1, 5)), (replicas, in_sync))


@st.composite
def clusters(draw: st.DrawFn) -> list[Node]:
    """At least one node; ids are unique."""
    ids = draw(st.lists(st.integers(0, 9), min_size=1, max_size=7, unique=True))
    return [node(i, draw(st.sampled_from(["c", "b", "cb"])), ready=draw(st.booleans())) for i in ids]

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes that are wanted, and their numbers, before the operator has said so (docs/operator.md, "Kafka resource")."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.leaves import wanted_leaves
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.node_pools import NodePools, node_pools
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.pools import Scaling

from ....tools.support.certificates import key
from ..bench import SCOPE, Bench, kafka, secret


def pool(
    name: str,
    replicas: int,
    has: list[int] | None = None,
    offered: str | None = None,
    roles: tuple[str, ...] = ("broker",),
    removed: str | None = None,
) -> dict[str, Any]:
    """has: the numbers that the operator has given already. offered, removed: the annotations with those for new nodes, and of those
    that are to go first.
    """
    given = {"strimzi.io/next-node-ids": offered, "strimzi.io/remove-node-ids": removed}
    annotations = {name: text for name, text in given.items() if text is not None}
    metadata = {"name": name, "labels": {"strimzi.io/cluster": "demo"}, "annotations": annotations}
    status = {} if has is None else {"status": {"nodeIds": has}}
    return {"metadata": metadata, "spec": {"replicas": replicas, "roles": list(roles)}, **status}


def bench_with(*pools: dict[str, Any]) -> Bench:
    bench = Bench()
    for one in pools:
        bench.create("kafkanodepools", one)
    return bench


def pods(*pools: dict[str, Any]) -> list[str]:
    return [node.pod for node in node_pools(bench_with(*pools).work().client, SCOPE).wanted()]


@pytest.mark.parametrize(
    ("pools", "expected"),
    [
        ((), []),
        ((pool("kafka", 2),), ["demo-kafka-0", "demo-kafka-1"]),
        ((pool("kafka", 3, [0, 1]),), ["demo-kafka-0", "demo-kafka-1", "demo-kafka-2"]),
        ((pool("kafka", 2, [0, 2]),), ["demo-kafka-0", "demo-kafka-2"]),
        # The first free number of the whole cluster, pools in the order of their names.
        ((pool("kafka", 3, [0, 3]),), ["demo-kafka-0", "demo-kafka-3", "demo-kafka-1"]),
        ((pool("b", 1), pool("a", 2)), ["demo-a-0", "demo-a-1", "demo-b-2"]),
        ((pool("b", 2, [0]), pool("a", 1)), ["demo-a-1", "demo-b-0", "demo-b-2"]),
        # Nodes on their way out keep their numbers, and have their certificates.
        ((pool("kafka", 1, [0, 1]),), ["demo-kafka-0", "demo-kafka-1"]),
        # Numbers that the pool offers go first, as long as they last.
        ((pool("kafka", 3, [0], "[10-20]"),), ["demo-kafka-0", "demo-kafka-10", "demo-kafka-11"]),
        ((pool("kafka", 2, None, "[7, 5-4]"),), ["demo-kafka-7", "demo-kafka-5"]),
        ((pool("kafka", 3, [5], "[5, 6]"),), ["demo-kafka-5", "demo-kafka-6", "demo-kafka-0"]),
        ((pool("kafka", 1, None, "not a list"),), ["demo-kafka-0"]),
        ((pool("kafka", 1, None, "[1, two]"),), ["demo-kafka-0"]),
        # A pool of a size that no cluster has stays as it is, and a list ends somewhere.
        ((pool("kafka", 2**31 - 1, [0]),), ["demo-kafka-0"]),
        ((pool("kafka", 2, None, "[0-999999999, 7]"),), ["demo-kafka-0", "demo-kafka-1"]),
        ((pool("kafka", 1, None, f"[{'9' * 30}]"),), ["demo-kafka-0"]),
    ],
)
def test_which_nodes(pools: tuple[dict[str, Any], ...], expected: list[str]) -> None:
    assert pods(*pools) == expected


def test_pools_of_other_clusters_do_not_count() -> None:
    other = pool("kafka", 3)
    other["metadata"]["labels"] = {"strimzi.io/cluster": "other"}
    assert pods(other) == []


def test_a_wanted_node_has_pool_number_and_role() -> None:
    bench = bench_with(pool("brokers", 1), pool("controllers", 1, roles=("controller",)))
    found = {
        node.pod: (node.pool, node.node_id, node.broker) for node in node_pools(bench.work().client, SCOPE).wanted()
    }
    assert found == {"demo-brokers-0": ("brokers", 0, True), "demo-controllers-1": ("controllers", 1, False)}


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.sets(st.integers(0, 12), max_size=4), st.sampled_from(["", "[2-6]", "[9, 1]"])),
        max_size=3,
    )
)
def test_no_number_is_given_twice_and_no_node_loses_its_number(drawn: list[tuple[int, set[int], str]]) -> None:
    taken: set[int] = set()
    pools = []
    for number, (replicas, has, offered) in enumerate(drawn):
        pools.append(pool(f"p{number}", replicas, sorted(has - taken), offered))
        taken |= has
    nodes = node_pools(bench_with(*pools).work().client, SCOPE).wanted()
    numbers = [node.node_id for node in nodes]
    assert len(numbers) == len(set(numbers))
    assert taken <= set(numbers)
    assert len(nodes) == sum(max(one["spec"]["replicas"], len(one["status"]["nodeIds"])) for one in pools)


def test_leaves_that_the_operator_needs_for_what_is_asked_for() -> None:
    asked = kafka(entityOperator={"topicOperator": {}}, kafkaExporter={})
    found = [leaf.secret for leaf in wanted_leaves(SCOPE, asked, ["demo-kafka-0"])]
    expected = ["demo-kafka-0", "demo-cluster-operator-certs", "demo-entity-topic-operator-certs"]
    assert found == [*expected, "demo-kafka-exporter-certs"]
    assert wanted_leaves(SCOPE, None, ["demo-kafka-0"]) == ()


@pytest.mark.parametrize("elsewhere", [False, True])
def test_pools_are_read_only_where_the_operator_can_issue_nothing(elsewhere: bool) -> None:
    bench = bench_with(pool("kafka", 1))
    bench.create("kafkas", kafka())
    kept = b"The private key with the public key SHA-256 " + b"0" * 64 + b" is kept elsewhere."
    bench.create("secrets", secret(SCOPE.ca_key_secret, {"ca.key": kept if elsewhere else key(1).reveal()}))
    seen = bench.observe()
    assert bool(seen.wanted_nodes) is elsewhere
    assert ("demo-kafka-0" in seen.snapshot.leaves.missing) is elsewhere


@pytest.mark.parametrize(
    ("pools", "expected"),
    [
        ((), []),
        ((pool("kafka", 2, [0, 1]),), ["demo-kafka-2", "demo-kafka-3"]),
        ((pool("kafka", 2, [0, 2]),), ["demo-kafka-1", "demo-kafka-3"]),
        # A node that is asked for already is not the next.
        ((pool("kafka", 3, [0, 1]),), ["demo-kafka-3", "demo-kafka-4"]),
        # Either pool may be the one that is scaled.
        ((pool("b", 1, [1]), pool("a", 1, [0])), ["demo-a-2", "demo-a-3", "demo-b-2", "demo-b-3"]),
        ((pool("a", 1, [0], "[7]"), pool("b", 1, [1])), ["demo-a-7", "demo-a-2", "demo-b-2", "demo-b-3"]),
    ],
)
def test_which_nodes_come_next(pools: tuple[dict[str, Any], ...], expected: list[str]) -> None:
    found = node_pools(bench_with(*pools).work().client, SCOPE)
    assert [node.pod for node in found.next(2)] == expected
    assert found.next(0) == ()


@given(sizes=st.lists(st.integers(0, 4), min_size=1, max_size=3), which=st.integers(0, 2), more=st.integers(1, 3))
def test_the_forecast_nodes_are_those_that_a_scaled_pool_gets(sizes: list[int], which: int, more: int) -> None:
    pools = [pool(f"p{number}", size) for number, size in enumerate(sizes)]
    scaled = f"p{which % len(sizes)}"
    before = NodePools(
        "demo", tuple({**one, "status": {"nodeIds": ids}} for one, ids in zip(pools, _ids(pools), strict=True))
    )
    after = before.scaled(Scaling(scaled, before.replicas[scaled] + more))
    new = [node for node in after.wanted() if node not in before.wanted()]
    assert new == [node for node in before.next(more) if node.pool == scaled]
    assert before.scaled(None) == before


def _ids(pools: list[dict[str, Any]]) -> list[list[int]]:
    nodes = NodePools("demo", tuple(pools)).wanted()
    return [[node.node_id for node in nodes if node.pool == one["metadata"]["name"]] for one in pools]


@pytest.mark.parametrize(
    ("pools", "leaving", "next_then"),
    [
        ((pool("kafka", 2, [0, 1]),), [], [2]),
        ((pool("kafka", 3, [0, 1]),), [], [3]),
        ((pool("kafka", 1, [0, 1, 2]),), [1, 2], [1]),
        ((pool("kafka", 0, [4, 2]),), [4, 2], [0]),
        # Nodes that the pool names go first, where it has them and has too many.
        ((pool("kafka", 2, [0, 1, 2], removed="[0]"),), [0], [0]),
        ((pool("kafka", 1, [0, 1, 2], removed="[1, 7]"),), [1, 2], [1]),
        ((pool("kafka", 2, [0, 1, 2], removed="[1-0]"),), [1], [1]),
        ((pool("kafka", 2, [0, 1], removed="[0]"),), [], [2]),
        # A number is free again for any pool.
        ((pool("a", 1, [0, 1]), pool("b", 1, [2])), [1], [1, 1]),
    ],
)
def test_nodes_that_the_operator_removes(
    pools: tuple[dict[str, Any], ...], leaving: list[int], next_then: list[int]
) -> None:
    found = node_pools(bench_with(*pools).work().client, SCOPE)
    assert [node.node_id for node in found.leaving()] == leaving
    assert [node.node_id for node in found.settled().next(1)] == next_then
    assert found.settled().leaving() == ()

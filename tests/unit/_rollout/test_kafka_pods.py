# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods and StrimziPodSets as Kafka nodes, and the KafkaRoller's order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import RollStuck
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.kafka_pods import (
    Node,
    kafka_pods,
    next_in_order,
    read_node,
    sort_for_restart,
)

from .._strimzi.bench import Bench, Object, pod
from .values import clusters, node


def existing(name: str, **labels: str) -> Object:
    body = pod(name)
    body["metadata"]["uid"] = "uid-1"
    body["metadata"]["labels"].update({f"strimzi.io/{key}": value for key, value in labels.items()})
    return body


@pytest.mark.parametrize(
    ("labels", "controller", "broker"),
    [
        pytest.param({"controller-role": "true", "broker-role": "true"}, True, True, id="combined"),
        pytest.param({"controller-role": "true", "broker-role": "false"}, True, False, id="controller"),
        pytest.param({"controller-role": "false", "broker-role": "true"}, False, True, id="broker"),
        pytest.param({}, True, True, id="not said: both, so that both checks have to pass"),
    ],
)
def test_roles(labels: dict[str, str], controller: bool, broker: bool) -> None:
    found = read_node(existing("demo-pool-a-12", **labels))
    assert (found.pod, found.uid, found.node_id, found.ready) == ("demo-pool-a-12", "uid-1", 12, True)
    assert (found.controller, found.broker) == (controller, broker)


@pytest.mark.parametrize("name", ["demo-kafka", "demo-kafka-x1", "demo-kafka--1x"])
def test_a_pod_without_a_node_id_is_refused_by_name(name: str) -> None:
    with pytest.raises(RollStuck) as caught:
        read_node(existing(name))
    assert caught.value.object.endswith(f"pod {name}")


def test_pods_whose_processes_have_ended_and_other_components_are_no_nodes() -> None:
    bench = Bench()
    ended = {**pod("demo-kafka-1"), "status": {"phase": "Failed"}}
    for one in (pod("demo-kafka-0"), ended, pod("demo-entity-operator-a", "entity-operator")):
        bench.create("pods", one)
    found = kafka_pods(bench.api.all("pods", "kafka"), bench.observe().owners)
    assert [one["metadata"]["name"] for one in found] == ["demo-kafka-0"]


# The KafkaRoller's order: controllers before brokers, unready first, the active controller last.

ACTIVE = st.one_of(st.none(), st.integers(0, 9))


@pytest.mark.parametrize(
    ("nodes", "active", "expected"),
    [
        pytest.param([node(0, "b"), node(1, "c")], None, [1, 0], id="controllers before brokers"),
        pytest.param([node(0, "b"), node(1, "cb")], None, [1, 0], id="a combined node is a controller"),
        pytest.param([node(0), node(1, ready=False)], None, [1, 0], id="unready before ready"),
        pytest.param(
            [node(0, "b", ready=False), node(1, "c")], None, [1, 0], id="a ready controller before an unready broker"
        ),
        pytest.param([node(2), node(0), node(1)], 0, [1, 2, 0], id="the active controller last"),
        pytest.param([node(0, "c"), node(1, "c"), node(2, "b")], 0, [1, 0, 2], id="last of the controllers only"),
        pytest.param([node(0, ready=False), node(1)], 0, [1, 0], id="the active controller last though unready"),
        pytest.param([node(0, "b"), node(1, "b")], 0, [0, 1], id="a broker is no active controller"),
        pytest.param([node(10), node(9)], None, [9, 10], id="by number and not by name"),
    ],
)
def test_order(nodes: list[Node], active: int | None, expected: list[int]) -> None:
    assert [one.node_id for one in sort_for_restart(nodes, active)] == expected


@given(clusters(), ACTIVE, st.randoms(use_true_random=False))
def test_the_order_depends_on_the_nodes_and_not_on_how_they_were_listed(nodes, active, random) -> None:
    shuffled = random.sample(nodes, len(nodes))
    assert sort_for_restart(shuffled, active) == sort_for_restart(nodes, active)
    assert sorted(sort_for_restart(nodes, active), key=lambda one: one.node_id) == sorted(
        nodes, key=lambda one: one.node_id
    )


@pytest.mark.parametrize(
    ("nodes", "active", "expected"),
    [
        pytest.param([], None, [], id="no node left"),
        pytest.param([node(0), node(1), node(2)], 1, [0, 2], id="not the active controller while others wait"),
        pytest.param([node(1)], 1, [1], id="the active controller when it is alone"),
        pytest.param([node(1, "c"), node(5, "b")], 1, [1], id="brokers wait for the active controller"),
        pytest.param([node(5, "b"), node(6, "b")], 1, [5, 6], id="brokers when no controller is left"),
    ],
)
def test_nodes_that_may_restart_next(nodes: list[Node], active: int | None, expected: list[int]) -> None:
    assert [one.node_id for one in next_in_order(nodes, active)] == expected


@given(clusters(), ACTIVE)
def test_restarting_the_next_one_again_and_again_restarts_each_once_and_in_order(nodes, active) -> None:
    left, done = list(nodes), []
    while left:
        done.append(next_in_order(left, active)[0])
        left.remove(done[-1])
    assert tuple(done) == sort_for_restart(nodes, active)


@given(clusters(), ACTIVE)
def test_no_broker_is_next_while_a_controller_is_left(nodes, active) -> None:
    found = next_in_order(nodes, active)
    assert found
    assert {one.controller for one in found} == {any(one.controller for one in nodes)}

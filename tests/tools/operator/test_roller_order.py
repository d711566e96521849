# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""KafkaRoller: in which order, one at a time, and what ends a roll (docs/operator.md, "KafkaRoller")."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ..support.memory_api import MemoryApi
from .api import Api
from .operated_cluster import NAMESPACE, OperatedCluster
from .podsets import Node
from .roller import Roller

BOTH, BROKER, CONTROLLER = ("controller", "broker"), ("broker",), ("controller",)


def roller(nodes: list[Node], unready: set[int], active: int) -> Roller:
    """Pods with a readiness, nothing else."""
    api = MemoryApi()
    for node in nodes:
        status = "False" if node.node_id in unready else "True"
        labels = {"strimzi.io/component-type": "kafka"}
        pod = {
            "metadata": {"name": node.pod, "labels": labels},
            "status": {"conditions": [{"type": "Ready", "status": status}]},
        }
        api.request("POST", f"/api/v1/namespaces/{NAMESPACE}/pods", body=pod)
    return Roller(Api(api, NAMESPACE), lambda condition: condition(), active)


def nodes_with(*roles: tuple[str, ...]) -> list[Node]:
    return [Node("pool", i, role, f"demo-pool-{i}") for i, role in enumerate(roles)]


@pytest.mark.parametrize(
    ("roles", "unready", "active", "expected"),
    [
        ([BOTH] * 3, set(), 1, [0, 2, 1]),
        ([BOTH] * 3, set(), 0, [1, 2, 0]),
        ([BOTH] * 3, {2}, 1, [2, 0, 1]),
        ([BOTH] * 3, {1}, 1, [0, 2, 1]),
        ([BROKER] * 3 + [CONTROLLER] * 3, set(), 4, [3, 5, 4, 0, 1, 2]),
        ([BROKER] * 3 + [CONTROLLER] * 3, {1, 5}, 4, [5, 3, 4, 1, 0, 2]),
        ([BROKER, BOTH, CONTROLLER, BROKER], {3}, 1, [2, 1, 3, 0]),
        ([BROKER] * 3, set(), 1, [0, 1, 2]),
    ],
)
def test_order(roles: list[tuple[str, ...]], unready: set[int], active: int, expected: list[int]) -> None:
    """docs/operator.md, "KafkaRoller", "Tried by hand", 2: "active controller … verify first"."""
    nodes = nodes_with(*roles)
    assert [node.node_id for node in roller(nodes, unready, active).order(nodes)] == expected


@given(
    st.lists(st.sampled_from([BOTH, BROKER, CONTROLLER]), min_size=1, max_size=7),
    st.sets(st.integers(0, 6)),
    st.integers(0, 6),
    st.randoms(),
)
def test_order_whatever_the_cluster(roles: list[tuple[str, ...]], unready: set[int], active: int, random: Any) -> None:
    """docs/operator.md, "KafkaRoller": each node once; the three rules; the order of the input means nothing."""
    nodes = nodes_with(*roles)
    given = list(nodes)
    random.shuffle(given)
    found = roller(nodes, unready, active).order(given)
    assert sorted(found, key=lambda node: node.node_id) == nodes
    controllers = [node for node in found if node.controller]
    assert found[: len(controllers)] == controllers, "brokers come after all controllers"
    ids = [node.node_id for node in controllers]
    assert active not in ids[:-1], "the active controller is the last of its batch"
    for batch in ([i for i in ids if i != active], [node.node_id for node in found if not node.controller]):
        readiness = [i not in unready for i in batch]
        assert readiness == sorted(readiness), "unready before ready"


def order_of_restarts(cluster: OperatedCluster) -> list[str]:
    return [pod for pod, _reason in cluster.log()]


def test_the_active_controller_is_the_last_of_a_real_roll(generated: OperatedCluster) -> None:
    """docs/operator.md, "Tried by hand", 2: 0, 2, 1; afterwards another one is active."""
    for expected in (
        ["demo-kafka-0", "demo-kafka-2", "demo-kafka-1"],
        ["demo-kafka-1", "demo-kafka-2", "demo-kafka-0"],
    ):
        generated.log()
        generated.annotate("strimzipodsets", "demo-kafka", manual_rolling_update="true")
        generated.step()
        assert order_of_restarts(generated) == expected


def test_one_node_at_a_time(generated: OperatedCluster) -> None:
    """docs/operator.md, "KafkaRoller": the next one is deleted when the last one is back and Ready."""
    missing: set[str] = set()
    most = []

    def look(change: Any) -> None:
        if change.plural == "pods" and change.name in generated.memory.kubelet.nodes:
            is_up = ((change.new or {}).get("status") or {}).get("phase") == "Running"
            (missing.discard if is_up else missing.add)(change.name)
            most.append(len(missing))

    generated.api.listeners.append(look)
    generated.annotate("strimzipodsets", "demo-kafka", manual_rolling_update="true")
    generated.step()
    assert generated.rolls() == [1, 1, 1]
    assert max(most) == 1


def test_a_node_that_does_not_come_back_ends_the_roll(managed: OperatedCluster) -> None:
    """docs/operator.md, "KafkaRoller": fatal for the whole roll; the others stay up. It goes on when the node is back."""
    managed.memory.kubelet.broken.add("demo-kafka-2")
    managed.bring("cluster", managed.ca("second"), generations=(1, 0))
    managed.step()
    assert managed.rolls() == [1, 0, 1]
    condition = managed.condition()
    assert (condition["type"], condition["reason"]) == ("NotReady", "FatalProblem")
    assert condition["message"] == "Error while waiting for restarted pod demo-kafka-2 to become ready"
    managed.step()
    assert managed.rolls() == [1, 0, 1], "no other node is taken down"
    managed.memory.kubelet.broken.clear()
    managed.step(2)
    assert managed.is_ready()


def test_an_unready_node_without_a_reason_holds_the_roll(managed: OperatedCluster) -> None:
    """docs/operator.md, "KafkaRoller": readiness is waited for on every node, even if it needs no restart."""
    managed.memory.kubelet.broken.add("demo-kafka-2")
    managed.delete("pods", "demo-kafka-2")
    managed.annotate("pods", "demo-kafka-0", server_cert_hash="other")
    managed.step()
    assert managed.rolls() == [0, 0, 1]
    assert managed.condition()["message"] == "Error while waiting for non-restarted pod demo-kafka-2 to become ready"


def test_an_absent_pod_is_skipped() -> None:
    """docs/operator.md, "KafkaRoller"."""
    nodes = nodes_with(BOTH, BOTH, BOTH)
    found = roller(nodes[:1], set(), 1)
    found.roll(nodes, lambda pod: [])
    assert found.log == []


def test_reasons_are_asked_again_before_each_restart(generated: OperatedCluster) -> None:
    """docs/operator.md, "KafkaRoller": nodes already at the target are skipped."""
    operator = generated.memory.operator
    operator.roller.log.clear()
    nodes = nodes_with(BOTH, BOTH, BOTH)
    named = [Node("kafka", n.node_id, n.roles, f"demo-kafka-{n.node_id}") for n in nodes]
    operator.roller.roll(named, lambda pod: [] if operator.roller.log else ["Once"])
    assert operator.roller.log == [("demo-kafka-0", "Once")]

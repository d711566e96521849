# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node that runs Kafka restarts when its partitions and the quorum can do without it (docs/operator.md,
"KafkaRoller").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from .authority import ReconcileFailed
from .podsets import Node
from .safety import FETCH_TIMEOUT_MS, Partition, State, refusals
from .test_roller_order import BOTH, nodes_with, roller

NOW, LATE = 90_000, 90_000 - FETCH_TIMEOUT_MS
ALL = {0: NOW, 1: NOW, 2: NOW}


def state(
    in_sync: set[int], replicas: Iterable[int] = (0, 1, 2), caught_up: dict[int, int] | None = None, leader: int = 0
) -> State:
    return State(
        leader,
        ALL if caught_up is None else caught_up,
        (Partition("orders-0", frozenset(replicas), frozenset(in_sync)),),
    )


@pytest.mark.parametrize(
    ("node", "seen", "min_in_sync", "safe"),
    [
        pytest.param(1, state({0, 1, 2}), 2, True, id="all in sync"),
        pytest.param(1, state({0, 1}), 2, False, id="only as many in sync as are needed"),
        pytest.param(2, state({0, 1}), 2, True, id="it is not one of them"),
        pytest.param(2, state({0}), 2, False, id="fewer than are needed, and it has a replica"),
        pytest.param(2, state({0}, {0, 1}), 1, True, id="it has no replica"),
        pytest.param(0, state({0, 1}, {0, 1}), 2, True, id="no more replicas than are needed: never safe, so ignored"),
        pytest.param(1, state({0, 1, 2}, caught_up={0: NOW, 1: NOW, 2: LATE}), 2, False, id="another voter lags"),
        pytest.param(2, state({0, 1, 2}, caught_up={0: NOW, 1: NOW, 2: LATE}), 2, True, id="it lags itself"),
        pytest.param(1, state({0, 1, 2}, leader=-1), 2, False, id="no leader"),
        pytest.param(0, state({0, 1, 2}, caught_up={0: NOW}), 2, True, id="a single voter"),
        pytest.param(0, state({0, 1, 2}, caught_up={0: NOW, 1: NOW}), 2, True, id="two voters"),
        pytest.param(0, state({0, 1, 2}, caught_up={0: NOW, 1: LATE}), 2, False, id="two voters, the other one lags"),
        pytest.param(7, state({0, 1, 2}, caught_up={0: NOW, 1: NOW, 2: LATE}), 2, True, id="no voter"),
    ],
)
def test_safety(node: int, seen: State, min_in_sync: int, safe: bool) -> None:
    assert (list(refusals(node, seen, min_in_sync)) == []) is safe


class Running:
    """Nodes that refuse some times, each of them."""

    def __init__(self, times: int, controller: int | None = 0) -> None:
        self.left = {0: times, 1: times, 2: times}
        self.controller = controller

    def active_controller(self) -> int | None:
        return self.controller

    def refusals(self, node_id: int) -> list[str]:
        self.left[node_id] -= 1
        return ["not in sync"] if self.left[node_id] >= 0 else []


def patient(condition: Callable[[], bool]) -> bool:
    return any(condition() for _look in range(5))


@pytest.mark.parametrize(("unready", "restarted"), [(set(), []), ({2}, [2])])
def test_a_node_that_is_needed_is_not_restarted_but_one_that_does_not_serve_is(
    unready: set[int], restarted: list[int]
) -> None:
    rolling = roller(nodes_with(*[BOTH] * 3), unready, 1)
    rolling.wait, rolling.running = patient, Running(50)
    gone: list[int] = []
    rolling.restart = lambda name, *_rest: gone.append(int(name[-1]))  # type: ignore[method-assign]
    with pytest.raises(ReconcileFailed, match="demo-pool-1 cannot be updated right now: not in sync"):
        rolling.roll(nodes_with(*[BOTH] * 3), lambda _pod: ["CaCertRenewed"])
    assert gone == restarted


@pytest.mark.parametrize(("controller", "order"), [(2, [0, 1, 2]), (0, [1, 2, 0]), (None, [0, 2, 1])])
def test_nodes_that_become_safe_are_restarted_the_active_controller_last(
    controller: int | None, order: list[int]
) -> None:
    nodes: list[Node] = nodes_with(*[BOTH] * 3)
    rolling = roller(nodes, set(), 1)
    rolling.wait, rolling.running = patient, Running(3, controller)
    gone: list[int] = []
    rolling.restart = lambda name, *_rest: gone.append(int(name[-1]))  # type: ignore[method-assign]
    rolling.roll(nodes, lambda _pod: ["CaCertRenewed"])
    assert gone == order

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A measurement of batches breaks a rule for each harm, and for rounds that are not the planned ones; its ratios are those of its times."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ..bench.restarts import Restart
from .batches import Planned, Rolled, broken_rules, measurements, node_id, racks_of
from .rounds import Round
from .scenario import IN_RACKS, Layout

SEPARATE, DUAL_ROLE = IN_RACKS


def rolled(way: str, groups: list[list[str]], *, start: float) -> Rolled:
    """Each round takes two seconds to end its nodes, some to start them, and one until they are in sync."""
    length = 2.0 + start + 1.0
    rounds = tuple(
        Round(tuple(Restart(pod, at, at + 2.0, at + 2.0 + start) for pod in group), at + length)
        for at, group in zip((number * length for number in range(len(groups))), groups, strict=True)
    )
    nodes = sum(map(len, groups))
    planned = Planned(nodes, len(groups))
    return Rolled("roll", way, SEPARATE, length * len(groups), planned, rounds, 100, 0, 0, 0, 0, 1.0, 0)


CONTROLLERS = [[pod] for pod in SEPARATE.controllers]
RACKS = [list(SEPARATE.brokers[first : first + 3]) for first in (0, 3, 6)]
ALONE = rolled("one by one", [[pod] for pod in SEPARATE.nodes], start=7.0)
BATCHES = rolled("batches", [*CONTROLLERS, *RACKS], start=17.0)


def test_all_is_well() -> None:
    assert list(broken_rules([ALONE, BATCHES], 3)) == []


@pytest.mark.parametrize(
    "harm",
    [
        {"lost": 1}, {"short_to_producers": 1}, {"short_in_logs": 1}, {"failed": 1}, {"sent": 0}, {"duplicated": 13},
        {"planned": Planned(12, 5)}, {"planned": Planned(11, 6)},
    ],
    ids=str,
)  # fmt: skip
def test_each_harm_breaks_a_rule(harm: dict[str, object]) -> None:
    assert len(list(broken_rules([ALONE, replace(BATCHES, **harm)], 3))) == 1  # type: ignore[arg-type]


def test_a_control_that_shows_nothing_breaks_a_rule() -> None:
    assert len(list(broken_rules([ALONE, BATCHES], 0))) == 1


def test_a_node_that_restarts_twice_breaks_a_rule() -> None:
    twice = rolled("batches", [*CONTROLLERS, *RACKS[:2], [*RACKS[1]]], start=7.0)
    assert len(list(broken_rules([twice], 3))) == 1


def test_ratios() -> None:
    """Twelve rounds of 10 s beside six of 20 s; of brokers nine beside three. On a machine with a core for each node, these would take 10 s as well."""
    found = {
        measurement.name.removeprefix("racks-roll-"): measurement.value for measurement in measurements(ALONE, BATCHES)
    }
    assert found == {
        "in-batches-vs-one-by-one": 120 / 120,
        "brokers-in-batches-vs-one-by-one": pytest.approx(60 / 90),
        "brokers-with-a-core-each-reckoned": pytest.approx(30 / 90),
    }


@pytest.mark.parametrize("layout", IN_RACKS, ids=lambda layout: layout.name)
def test_three_brokers_are_in_each_rack(layout: Layout) -> None:
    racks = racks_of(layout)
    assert sorted(racks) == list(range(9))
    assert [sum(rack == one for one in racks.values()) for rack in ("a", "b", "c")] == [3, 3, 3]


def test_a_controller_is_in_each_rack() -> None:
    racks = racks_of(DUAL_ROLE)
    assert sorted(racks[node_id(pod)] for pod in DUAL_ROLE.controllers) == ["a", "b", "c"]

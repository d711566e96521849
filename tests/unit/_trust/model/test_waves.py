# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How many nodes reload at the same time: the first alone, then a share of all, and fewer while nodes are slow."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.waves import (
    SLOW,
    Waves,
    sizes_if_quick,
)

QUICK, LONG = 0.3, 2 * SLOW


def sizes(count: int, *seconds: float) -> Iterator[int]:
    """The sizes of the waves of so many nodes, if waves take so long, and all later waves are quick."""
    waves, left, took = Waves(count), count, iter(seconds)
    while left:
        yield min(waves.size, left)
        left -= waves.size
        left = max(left, 0)
        waves.rest_after(next(took, QUICK))


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        (1, [1]), (3, [1, 2]), (9, [1, 8]), (30, [1, 8, 8, 8, 5]),
        (160, [1, *[8] * 19, 7]), (179, [1, *[8] * 22, 2]), (500, [1, *[25] * 19, 24]), (1000, [1, *[50] * 19, 49]),
    ],
)  # fmt: skip
def test_the_first_node_reloads_alone_and_then_a_share_of_all(count: int, expected: list[int]) -> None:
    assert list(sizes(count)) == list(sizes_if_quick(count)) == expected


def test_half_as_many_nodes_follow_a_slow_wave_and_twice_as_many_a_quick_wave() -> None:
    slow = [LONG] * 6
    assert list(sizes(500, QUICK, *slow))[:12] == [1, 25, 12, 6, 3, 1, 1, 1, 2, 4, 8, 16]


def test_a_slow_first_node_changes_nothing() -> None:
    """A small cluster reloads as quickly as it can: its second wave has all other nodes."""
    assert list(sizes(9, LONG, LONG)) == [1, 8]


@pytest.mark.parametrize(("seconds", "rest"), [(SLOW, 0.0), (SLOW + 1, SLOW + 1)])
def test_the_next_wave_rests_as_long_as_a_slow_wave_took(seconds: float, rest: float) -> None:
    waves = Waves(500)
    assert waves.rest_after(LONG) == 0.0
    assert waves.rest_after(seconds) == rest

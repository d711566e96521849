# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rounds of a roll come of the times of restarts alone."""

from __future__ import annotations

import pytest

from ..bench.restarts import Restart
from .rounds import of_nodes, rounds_of, with_a_core_for_each

#: A node alone, then two nodes together, then two that only just follow each other.
ROLL = [
    Restart("a", 0.0, 2.0, 10.0),
    Restart("b", 12.0, 14.0, 25.0),
    Restart("c", 13.0, 16.0, 30.0),
    Restart("d", 31.0, 33.0, 40.0),
    Restart("e", 40.0, 42.0, 50.0),
]


def test_nodes_that_are_away_together_are_a_round() -> None:
    found = rounds_of(reversed(ROLL))
    assert [sorted(one.nodes) for one in found] == [["a"], ["b", "c"], ["d"], ["e"]]
    assert [one.seconds for one in found] == [12.0, 19.0, 9.0, 10.0]


def test_a_node_that_goes_when_the_first_is_back_is_the_next_round() -> None:
    """The second node of a round is still away: a roll of rounds never does this."""
    found = rounds_of([Restart("a", 0.0, 1.0, 10.0), Restart("b", 0.5, 1.0, 20.0), Restart("c", 11.0, 12.0, 25.0)])
    assert [sorted(one.nodes) for one in found] == [["a", "b"], ["c"]]


def test_the_time_of_a_round_is_that_of_its_phases() -> None:
    (_first, both, *_others) = rounds_of(ROLL)
    assert (both.stopping, both.starting, both.returning) == (4.0, 14.0, 1.0)
    assert both.stopping + both.starting + both.returning == both.seconds


def test_after_the_last_round_a_flow_does_other_work() -> None:
    assert [one.returning for one in rounds_of(ROLL)] == [2.0, 1.0, 0.0, 0.0]


def test_no_restart_is_no_round() -> None:
    assert rounds_of([]) == ()


@pytest.mark.parametrize(("nodes", "rounds"), [("abcde", 4), ("bc", 1), ("bd", 1), ("", 0)])
def test_rounds_of_some_nodes(nodes: str, rounds: int) -> None:
    assert len(of_nodes(rounds_of(ROLL), nodes)) == rounds


def test_with_a_core_for_each_node_a_batch_starts_as_fast_as_a_node_alone() -> None:
    alone, both, *others = rounds_of(ROLL)
    assert with_a_core_for_each([both], [alone]) == both.seconds - both.starting + alone.starting
    assert with_a_core_for_each([alone], [both]) == alone.seconds
    assert with_a_core_for_each([both, *others], [alone]) == sum(one.seconds for one in (both, *others)) - 6.0

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rounds of a roll in words: which nodes, how many of them, and which topics bound a round."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.rounds import (
    Bound,
    Round,
    describe_round_count,
    describe_rounds,
)


def numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)]


def a_round(*nodes: str, bound: Bound = Bound.ALL, topics: tuple[str, ...] = ()) -> Round:
    return Round(nodes, bound, topics)


@pytest.mark.parametrize(
    ("rounds", "count", "said"),
    [
        ([a_round("a", "b"), a_round("c")], 3, [3, 2]),
        ([a_round("a", "b"), a_round("c")], 8, [3, 2, 5]),
        ([a_round("a", "b"), a_round("c")], 4, [3, 2, 1]),
        ([], 2, [0, 0, 2]),
    ],
)
def test_how_many_nodes_go_in_how_many_rounds_and_how_many_do_not(
    rounds: Sequence[Round], count: int, said: list[int]
) -> None:
    assert numbers(describe_rounds(rounds, count)) == said


@pytest.mark.parametrize(("topics", "said"), [((), [2]), (("orders",), [2, 1]), (("orders", "users"), [2, 2])])
def test_a_round_names_its_nodes_and_the_topics_that_bound_it(topics: tuple[str, ...], said: list[int]) -> None:
    sentence = a_round("a", "b", bound=Bound.PARTITIONS, topics=topics).sentence()
    assert numbers(sentence) == said
    assert all(name in sentence for name in ("a, b", *topics))


@pytest.mark.parametrize(("rounds", "said"), [([], []), (["a"], [3])])
def test_a_plan_has_a_number_of_rounds_if_nodes_restart_together(rounds: list[str], said: list[int]) -> None:
    planned = {"planned_rounds": 3, "plan": [{"rounds": []}, {"rounds": rounds}]}
    assert numbers(describe_round_count(planned)) == said

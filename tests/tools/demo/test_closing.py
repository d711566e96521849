# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of the demo fits a terminal and says what the report says."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ...unit.filter.runs import NEW, ca, facts, idle, nodes, rotation, seen
from .closing import GAP, closing, table

LONG = rotation(last=seen([ca(NEW, subject=f"CN={'very ' * 40}long")], nodes("d", range(100))))


@pytest.mark.parametrize("noted", [rotation(), idle(), LONG])
@pytest.mark.parametrize("width", [80, 100])
def test_no_line_is_wider_than_the_terminal(noted: dict[str, Any], width: int) -> None:
    assert max(map(len, closing(facts(noted), width).splitlines())) <= width


def test_a_rotation() -> None:
    lines = closing(facts()).splitlines()
    assert lines[:3] == [
        "Replacement of the cluster CA's key: kafka/demo",
        "✓ Done",
        "2026-06-01 12:00:00 to 12:01:05 UTC (1 min 5 s, 21 s of it work)",
    ]
    assert "trust    every node and client learns to trust it            1       3 Kafka nodes  6.0 s" in lines
    assert "A cluster-ca a (aaaaaaaaaaaa)  trusted and used by all, issuing  removed, trusted by no pod" in lines
    assert "3 Kafka nodes     B cluster-ca b             B cluster-ca b" in lines
    sentence = "0 pods trust the removed CA cluster-ca a (aaaaaaaaaaaa), by stored evidence: the run asked no listener about it."
    assert sentence in " ".join(" ".join(lines).split())


def test_without_anything_done_there_is_no_table_of_phases() -> None:
    assert "what it is for" not in closing(facts(idle()))


_CELLS = st.text("ab ", max_size=60).map(str.strip)


@given(st.lists(st.tuples(_CELLS, _CELLS, _CELLS), max_size=5), st.integers(30, 100))
def test_cells_are_wrapped_and_nothing_of_them_is_lost(rows: list[tuple[str, str, str]], width: int) -> None:
    text = table(("one", "two", "three"), rows, width)
    assert all(len(line) <= width for line in text.splitlines())
    body = "".join(text.splitlines()[2:])
    for letter in "ab":
        assert body.count(letter) == sum(cell.count(letter) for row in rows for cell in row)
    assert len(text.splitlines()[1].split(GAP)) == 3

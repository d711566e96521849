# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Long lists for people: what says the same of many objects is one row."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.folding import (
    describe_violations_in_rows,
    fold,
    fold_names,
    fold_violations,
    subjects_of,
)


@pytest.mark.parametrize(
    ("things", "rows"),
    [
        ("", []),
        ("aba", ["a", "a", "b"]),
        ("ababa", ["a", "a", "a", "b", "b"]),
        ("abaaba", ["a+3", "b", "b"]),
        ("bbbbaaaa", ["b+3", "a+3"]),
    ],
)
def test_more_than_three_alike_are_one_row_in_the_place_of_the_first(things: str, rows: list[str]) -> None:
    found = fold(things, lambda thing: thing)
    assert [f"{first}+{len(others)}" if others else first for first, others in found] == rows


def violation(node: int, **changed: str) -> dict[str, str]:
    return {
        "gate": "trust",
        "subject": f"pod n-{node}",
        "message": "is held.",
        "remedy": "Wait.",
        "command": "",
        **changed,
    }


@pytest.mark.parametrize(
    "other", [{"gate": "removal"}, {"message": "is not Ready."}, {"remedy": "Look.", "command": ""}]
)
def test_violations_that_differ_in_their_subject_alone_are_one_row(other: dict[str, str]) -> None:
    given = [*(violation(node) for node in range(500)), violation(500, **other)]
    rows = [subjects_of(first, others) for first, others in fold_violations(given)]
    assert rows == ["pod n-0, pod n-1, pod n-2, pod n-3, pod n-4 and 495 more", "pod n-500"]


def test_a_row_has_one_command_and_says_whose_it_is() -> None:
    """Commands name their object: they keep no violations apart, and a person makes the others of the first."""
    given = [violation(node, command=f"kubectl look n-{node}") for node in range(500)]
    (row,) = describe_violations_in_rows(given)
    assert row.endswith("Wait. The command, for the first of them: kubectl look n-0")
    (alone,) = describe_violations_in_rows(given[7:8])
    assert alone == "pod n-7: is held. Wait. The command: kubectl look n-7"


def test_names_of_which_the_same_is_said_are_one_row() -> None:
    states = [*((f"n-{node}", "Ready") for node in range(9)), ("n-9", "not Ready")]
    assert list(fold_names(states)) == [("n-0, n-1, n-2, n-3, n-4 and 4 more", "Ready"), ("n-9", "not Ready")]

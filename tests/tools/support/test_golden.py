# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A golden file fails with each change of a sentence, and with no change of a name that is made by chance."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import StepError

from .golden import GoldenFiles, without_chance

FIRST, SECOND = "ab" * 32, "cd" * 32


@pytest.mark.parametrize(
    ("text", "neutral"),
    [
        (f"{FIRST} after {SECOND}, ({FIRST[:12]})", "<digest 1> after <digest 2>, (<digest 1>)"),
        (":".join(["AB"] * 32), "<digest 1>"),
        ("until 2026-06-01T12:00:00Z, on 2026-06-01 at 12:00 UTC, 2026-06-01", "until <time>, on <time>, <date>"),
        ("ca-2026-06-01T12-00-00Z.crt", "ca-<time>.crt"),
        ("demo-entity-operator-0123456789-abcde is away", "demo-entity-operator-<random> is away"),
        ("Ready after 1.5 s (2 min 3 s)", "Ready after <duration> (<duration>)"),
        ("3 restarts in all, 3 s to 1 h 5 min", "3 restarts in all, <duration>"),
        ("it takes 40 s to 5 min", "it takes 40 s to 5 min"),
        ("generation 12, 7 certificates, port 9091", "generation 12, 7 certificates, port 9091"),
    ],
)
def test_what_differs_by_chance_alone_becomes_a_placeholder(text: str, neutral: str) -> None:
    assert without_chance(text) == neutral


def test_a_section_is_compared_whole(tmp_path: Path) -> None:
    written, golden = GoldenFiles(writes=True, folder=tmp_path), GoldenFiles(folder=tmp_path)
    for name in ("second", "left over", "first"):
        written.compare("page", name, f"A sentence.\n\nThe {name}.")
    written.compare_names("page", ["first", "second"])
    golden.compare_names("page", ["first", "second"])
    golden.compare("page", "first", "A sentence.\n\nThe first.")
    with pytest.raises(AssertionError, match=r"\+A sentence!"):
        golden.compare("page", "first", "A sentence!\n\nThe first.")
    with pytest.raises(AssertionError, match="no section"):
        golden.compare("page", "left over", "")
    with pytest.raises(AssertionError):
        golden.compare_names("page", ["second", "first"])


def test_a_section_has_the_name_of_its_test(golden: GoldenFiles, tmp_path: Path) -> None:
    assert golden.test == "a section has the name of its test"
    (tmp_path / "test_room.py").write_text(
        "def test_one_two() -> None: ...\n\nclass Three:\n    def test_three() -> None: ...\n"
    )
    for name, case in (("three", ""), ("one two", "b"), ("one two", "a"), ("one", ""), ("three four", "")):
        GoldenFiles(writes=True, folder=tmp_path, test=name).compare_said(
            "page", StepError("It", "fails", "Mend it."), case
        )
    with pytest.raises(AssertionError):
        GoldenFiles(folder=tmp_path).compare_tests("page", tmp_path)
    GoldenFiles(writes=True, folder=tmp_path).compare_tests("page", tmp_path)
    GoldenFiles(folder=tmp_path).compare_tests("page", tmp_path)
    page = (tmp_path / "page.txt").read_text()
    assert page.split("\n\n") == [
        "=== one two, b ===\nIt fails.\nMend it.",
        "=== one two, a ===\nIt fails.\nMend it.",
        "=== three ===\nIt fails.\nMend it.\n",
    ]


def test_a_section_that_is_to_say_two_things_is_refused(tmp_path: Path) -> None:
    written = GoldenFiles(writes=True, folder=tmp_path, test="one")
    written.compare_said("page", "A sentence.")
    written.compare_said("page", "A sentence.")
    written.compare_said("page", "Another.", "another case")
    with pytest.raises(AssertionError, match="two things"):
        written.compare_said("page", "Another.")

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A golden file fails with each change of a sentence, and with no change of a name that is made by chance."""

from __future__ import annotations

from pathlib import Path

import pytest

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
        ("3 restarts in all, 3 s to 5 min", "3 restarts in all, 3 s to 5 min"),
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

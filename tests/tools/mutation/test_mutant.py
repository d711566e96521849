"""Mutants are known by the lines that they change."""

from __future__ import annotations

import pytest

from .mutant import changed

SOURCE = "@cached\ndef gate():\n    return a and b\n\n\nclass Gate:\n    pass\n"


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        pytest.param("a and b", "a or b", ("return a and b", "return a or b"), id="a line"),
        pytest.param("@cached\n", "\n", ("@cached", ""), id="a line that is empty afterwards"),
        pytest.param("@cached\n", "", ("@cached", ""), id="a line that is gone"),
        pytest.param(
            "    return a and b\n\n\nclass Gate", "    return a\n\n\nclass Door",
            ("return a and b class Gate:", "return a class Door:"), id="lines",
        ),
        pytest.param("", "", ("", ""), id="nothing"),
    ],
)  # fmt: skip
def test_the_changed_lines(old: str, new: str, lines: tuple[str, str]) -> None:
    assert changed(SOURCE, SOURCE.replace(old, new, 1)) == lines

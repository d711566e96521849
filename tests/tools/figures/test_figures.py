"""The figures count what their names say, on small sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from ..checks.places import ROOT
from .__main__ import circles, explanations, figures, lines_of_code, modules_of, questions, words_in_thousand

SOURCE = '''# Copyright (c) 2026 someone
"""Look if the CA is there.

A second paragraph.
"""

from .other import name  # the name that counts


def ask(ca):
    """Return the prepared CA."""
    return (
        ca.prepared,
        ca.is_abort,
    )
'''


def test_comments_docstrings_and_empty_lines_are_no_code() -> None:
    assert lines_of_code(SOURCE) == 6


def test_explanations_leave_out_the_licence() -> None:
    assert set(explanations(SOURCE)) == {
        "Look if the CA is there.\n\nA second paragraph.",
        "Return the prepared CA.",
        "the name that counts",
    }


def test_words_are_counted_in_a_thousand() -> None:
    assert dict(words_in_thousand(["If it is so, it is where", "that is, which IF is"])) == pytest.approx(
        {"if": 2000 / 12, "where": 1000 / 12, "that or which": 2000 / 12}
    )


def test_a_question_counts_readings_and_files() -> None:
    counted = {question: (times, where) for question, times, where in questions([SOURCE, SOURCE, "prepared = 1\n"])}
    assert counted["which of the two CAs"] == (2, 2)
    assert counted["whether the flow is an abort"] == (2, 2)
    assert counted["where the key of the CA is"] == (0, 0)


def test_circles_are_groups_of_modules_that_import_each_other() -> None:
    files = {
        "room.a": "from .b import x\n",
        "room.b": "def f():\n    from . import c\n",
        "room.c": "from ..room.a import y\n",
        "room.d": "from .a import x\n",
        "alone": "import os\n",
    }
    assert circles(files) == [frozenset({"room.a", "room.b", "room.c"})]


def test_no_files_of_the_collection_import_each_other() -> None:
    """A file that needs a type of another file that needs its own has to leave that type to a third, below both."""
    assert not circles(modules_of(ROOT))


def test_every_figure_of_a_checkout_has_a_value(tmp_path: Path) -> None:
    room = tmp_path / "plugins" / "module_utils" / "_trust"
    room.mkdir(parents=True)
    (room / "rule.py").write_text(SOURCE + f"LONG = '{'x' * 120}'\n")
    counted = dict(figures(tmp_path))
    assert counted["lines of code, _trust"] == counted["lines of code"] == "7"
    assert counted["lines over 120 columns"] == "1"
    assert counted["asks which of the two CAs"] == "1 in 1 files"

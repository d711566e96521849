# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Beginnings that leave open what they are about are found, in docstrings and in comments; others pass. So are parties without a name."""

from __future__ import annotations

import pytest

from .wording import nameless, problems


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        pytest.param('"""Those that are open."""\n', [1], id="module"),
        pytest.param('"""Requests."""\n\n\nclass A:\n    """One that lives."""\n', [5], id="class"),
        pytest.param('def f() -> None:\n    """Who has none."""\n', [2], id="function"),
        pytest.param("x = 1\n# What is left.\n", [2], id="comment"),
        pytest.param("#: Which of them.\nx = 1\n", [1], id="comment of a constant"),
        pytest.param("x = 1  # That of a CA\n", [1], id="comment behind code"),
        pytest.param("x = 1  # kept\n# Whoever reads it\n", [2], id="comment below one behind code"),
        pytest.param("# Read by users.\n# One at a time.\nx = 1\n", [], id="further line of a comment"),
        pytest.param('"""Requests that are open.\n\nWhat they are."""\n', [], id="further line of a docstring"),
        pytest.param('"""Oneself."""\nx = "Who is it?"\n', [], id="another word, a string"),
    ],
)
def test_beginnings(source: str, lines: list[int]) -> None:
    assert [int(problem.partition(":")[0]) for problem in problems(source)] == lines


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param("A CA that somebody\nEverybody knows.\n", [1, 2], id="prose"),
        pytest.param('fail("Nobody answers")', [1], id="message"),
        pytest.param("The user some body\nNOBODY_ELSE = 1\n", [], id="other words"),
    ],
)
def test_parties_without_a_name(text: str, lines: list[int]) -> None:
    assert [int(problem.partition(":")[0]) for problem in nameless(text)] == lines

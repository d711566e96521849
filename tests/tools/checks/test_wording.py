# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Beginnings that leave open what they are about are found, in docstrings and in comments; others pass. So are parties and things without a name."""

from __future__ import annotations

import pytest

from .wording import bare_fields, fields_in_docstrings, nameless, parameters_in_docstrings, problems, prose, vague


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
        pytest.param(
            "def test_nobody_waits() -> None:\n    asked = somebody_elses\nNOBODY = 1\n", [1, 2, 3], id="names in code"
        ),
        pytest.param("The user some body\n", [], id="other words"),
    ],
)
def test_parties_without_a_name(text: str, lines: list[int]) -> None:
    assert [int(problem.partition(":")[0]) for problem in nameless(text)] == lines


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("Every listener that was asked\n", ["was asked"], id="asked"),
        pytest.param("The issuer issues it anew\n", ["anew"], id="anew"),
        pytest.param(
            "The Secret holds the\n    # old CA\n", ["holds the old CA"], id="holds, in two lines of a comment"
        ),
        pytest.param(
            "Nodes that hold leaves, and a run holding its Lease", ["hold leaves", "holding its Lease"], id="holds"
        ),
        pytest.param("A flow is held by a condition. What holds the flow? It holds no flow.", [], id="a flow is held"),
        pytest.param(
            "# The operator is\n    # not told of it\n", ["is not told"], id="told, in two lines of a comment"
        ),
        pytest.param('f("nodes are told "\n  "to read")', ["are told"], id="told, in a string"),
        pytest.param("cert-manager is asked by a CertificateRequest; is\nasked\nby nodes", [], id="asked by a party"),
        pytest.param("The run asks and tells. A told story.", [], id="asks, tells"),
        pytest.param("Those that are open, and those of users.", ["Those that", "those of"], id="those"),
        pytest.param("Of those two CAs one is new.", [], id="those with their noun"),
        pytest.param("Old ones leave first.", ["ones"], id="ones"),
        pytest.param(
            "The CA in use, the one before, and the one of the operator.", ["the one", "the one of"], id="the one"
        ),
        pytest.param("| the new one | another one.", ["new one", "another one"], id="a new one, another one"),
        pytest.param("One that ends soon; for one with a key.", ["One that", "one with"], id="one that, one with"),
        pytest.param(
            "The one CA, one by one, one of the nodes, each in one Secret, only one of the two.", [], id="numerals"
        ),
        pytest.param("Who has it may sign. Ask who may.", ["Who", "Ask who"], id="who"),
        pytest.param("- Who restarts\n| who | when |\n", ["- Who", "| who"], id="who, in lists and tables"),
        pytest.param("It says whose it is, and by whom it is trusted.", ["says whose", "by whom"], id="whose, whom"),
        pytest.param(
            "The administrator who runs it, and a CA whose key\nwho trusts", [], id="who and whose behind their noun"
        ),
    ],
)
def test_words_in_the_place_of_a_noun(text: str, words: list[str]) -> None:
    found = [problem.split('"')[1] for problem in vague(text)]
    assert sorted(found) == sorted(words)


def test_code_is_no_prose() -> None:
    source = 'who = f"{who} is told"  # those of a CA\nones = the.one.that(who)\n'
    assert [problem.split('"')[1] for problem in vague(prose(source))] == ["is told", "those of"]


def test_the_line_of_a_problem_is_that_of_its_last_word() -> None:
    assert [problem.partition(":")[0] for problem in vague("a\nis\ntold\n")] == ["3"]


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        pytest.param("A pod. uid: of its process.", ["uid"], id="one"),
        pytest.param("name, uid: as the API has them.\n\n    uid: again.", ["uid"], id="of two the last"),
        pytest.param("A pod. READY: it is ready.", ["READY"], id="a member"),
        pytest.param("A pod by its uid: another pod may have its name.", [], id="a sentence"),
    ],
)
def test_a_docstring_that_explains_a_field(text: str, fields: list[str]) -> None:
    source = f'class Pod:\n    """{text}"""\n\n    name: str\n    uid: str\n    READY = "ready"\n'
    assert [problem.split('"')[1] for problem in fields_in_docstrings(source)] == fields


def test_fields_without_a_comment() -> None:
    value = "@dataclass(frozen=True)\nclass A:\n    #: Of a.\n    a: int\n    b: int\n    # Of c.\n    c: int\n"
    assert [problem.split('"')[1] for problem in bare_fields(value)] == ["b", "c"]
    assert [*bare_fields(value.removeprefix("@dataclass(frozen=True)\n"))] == []


def test_a_docstring_that_lists_a_parameter() -> None:
    source = 'def wait(seconds: int, *, pod: str) -> None:\n    """Wait for ``pod``: it starts. seconds: at most. Raises: nothing."""\n'
    assert [problem.split('"')[1] for problem in parameters_in_docstrings(source)] == ["seconds: …"]

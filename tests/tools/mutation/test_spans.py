"""Where annotations are, and what stands somewhere."""

from __future__ import annotations

import ast

import pytest

from .spans import annotations, bodies, lines_of_statement, statements, text_of

FUTURE = "from __future__ import annotations\n"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("x: int | None = 1 | 2", ["int | None"]),
        ("def f(a: int | str, *b: int) -> None: return a | b", ["int | str", "int", "None"]),
        ("class C:\n    x: int | None", ["int | None"]),
        ("X = int | None", []),
    ],
)
def test_where_they_are(source: str, found: list[str]) -> None:
    lines = (FUTURE + source).splitlines()
    spans = list(annotations(FUTURE + source))
    assert all(begin[0] == end[0] for begin, end in spans)
    assert sorted(lines[line - 1][first:last] for (line, first), (_line, last) in spans) == sorted(found)
    assert list(annotations(source)) == []


def test_a_statement_begins_with_its_decorators() -> None:
    module = "import a\n\n\n@a.once\n@a.kept\ndef f() -> None:\n    pass\n\n\n#: Why.\nX = 1\n"
    assert list(statements(module)) == [(0, 1), (3, 7), (10, 11)]


@pytest.mark.parametrize(
    ("begin", "end", "text"), [((1, 7), (1, 12), "a.Bad"), ((2, 2), (2, 6), "pass"), ((1, 7), (2, 6), "a.Bad:")]
)
def test_the_text_of_a_span(begin: tuple[int, int], end: tuple[int, int], text: str) -> None:
    assert text_of("except a.Bad:\n  pass\n", begin, end) == text


NESTED = """class C:
    @once
    def f(self):
        try:
            if (
                a
            ):
                return [
                    b
                ]
        except (
            E
        ):
            match a:
                case 1:
                    pass

        def g(
            x=1
        ):
            pass


def h(): pass
"""


def test_bodies_of_functions_that_are_in_no_other() -> None:
    assert list(bodies(ast.parse(NESTED))) == [(2, (4, 8), (21, 16)), (24, (24, 9), (24, 13))]


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        pytest.param(9, range(8, 11), id="a statement of several lines"),
        pytest.param(6, range(5, 8), id="what is above the statements that a statement has"),
        pytest.param(12, range(11, 14), id="a clause for an exception"),
        pytest.param(15, range(14, 17), id="a pattern: the whole statement"),
        pytest.param(19, range(18, 21), id="an argument of a function in a function"),
        pytest.param(24, range(24, 25), id="a function on one line"),
        pytest.param(23, range(23, 24), id="none"),
    ],
)
def test_the_lines_of_a_statement(line: int, lines: range) -> None:
    assert lines_of_statement(ast.parse(NESTED), line) == lines

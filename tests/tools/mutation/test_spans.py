"""Where annotations are, and what stands somewhere."""

from __future__ import annotations

import pytest

from .spans import annotations, statements, text_of

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

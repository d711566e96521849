"""Where the annotations of a module are, and the text between two positions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeAlias

#: Line, from 1, and column, from 0.
Position: TypeAlias = tuple[int, int]


def annotations(source: str) -> Iterator[tuple[Position, Position]]:
    """Begin and end of each annotation in a module in which nothing evaluates them (PEP 563); of another module none."""
    tree = ast.parse(source)
    imports = (node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__")
    if not any(name.name == "annotations" for node in imports for name in node.names):
        return
    for node in ast.walk(tree):
        for name in ("annotation", "returns"):
            found = getattr(node, name, None)
            if isinstance(found, ast.expr) and found.end_lineno is not None and found.end_col_offset is not None:
                yield (found.lineno, found.col_offset), (found.end_lineno, found.end_col_offset)


def statements(source: str) -> Iterator[tuple[int, int]]:
    """Of each statement of a module, definitions included: how many lines are above it, and its last line."""
    for statement in ast.parse(source).body:
        assert statement.end_lineno is not None
        first = min([statement.lineno, *(one.lineno for one in getattr(statement, "decorator_list", ()))])
        yield first - 1, statement.end_lineno


def text_of(source: str, begin: Position, end: Position) -> str:
    """The text between these positions; of several lines the rest of the first."""
    line = source.splitlines()[begin[0] - 1]
    return line[begin[1] : end[1]] if begin[0] == end[0] else line[begin[1] :]

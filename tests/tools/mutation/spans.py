"""Where annotations, statements and bodies of functions are in a module, and the text between two positions."""

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
        yield _first_line(statement) - 1, statement.end_lineno


def text_of(source: str, begin: Position, end: Position) -> str:
    """The text between these positions; of several lines the rest of the first."""
    line = source.splitlines()[begin[0] - 1]
    return line[begin[1] : end[1]] if begin[0] == end[0] else line[begin[1] :]


def bodies(tree: ast.AST) -> Iterator[tuple[int, Position, Position]]:
    """The first line of each function that is in no other function, decorators included, and where its body begins and ends."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first, last = child.body[0], child.body[-1]
            assert last.end_lineno is not None
            assert last.end_col_offset is not None
            yield _first_line(child), (first.lineno, first.col_offset), (last.end_lineno, last.end_col_offset)
        else:
            yield from bodies(child)


def lines_of_statement(tree: ast.AST, line: int) -> range:
    """The lines of the smallest statement, or clause for an exception, that has this line: none of them runs where the statement does not. Of a statement
    with others in it, the lines above these.
    """
    found = range(line, line + 1)
    for node in ast.walk(tree):  # what is in a statement comes after it
        if isinstance(node, (ast.stmt, ast.ExceptHandler)) and node.end_lineno is not None:
            lines = range(_first_line(node), node.end_lineno + 1)
            if line in lines:
                inner = [below for below in ast.iter_child_nodes(node) if isinstance(below, ast.stmt)]
                head = range(lines.start, max(lines.start + 1, min(map(_first_line, inner), default=lines.stop)))
                found = head if line in head else lines
    return found


def _first_line(node: ast.stmt | ast.ExceptHandler) -> int:
    return min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])

"""``python -m tests.tools.mutation.making PART MODULE ...``: prints the mutants of these modules, each as a line of JSON.

It runs in Cosmic Ray's own environment: it imports nothing but that and the standard library.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.ast.ast_query import ASTQuery
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

from ..parts import is_in_part
from .spans import Position, annotations, statements, text_of

#: ``is`` stands only beside None, booleans and members of enums: ``==`` says the same of them.
_SAME = ("Is_Eq", "IsNot_NotEq")
#: The other way round it is chance which equal values are one object: in these tests most, in the flows, where they are
#: read from Secrets, none.
_CHANCE = ("Eq_Is", "NotEq_IsNot")
#: No programmer puts members of an enum in an order by mistake, and which come first follows from the letters of their texts.
#: Whether a test knows the comparison is told by the mutant that turns it round, ``is`` to ``is not``.
_BY_LETTERS = tuple(f"{operator}_{order}" for operator in ("Is", "IsNot") for order in ("Lt", "LtE", "Gt", "GtE"))
_LEFT_OUT = frozenset(f"core/ReplaceComparisonOperator_{name}" for name in (*_SAME, *_CHANCE, *_BY_LETTERS))
_OPERATORS = {
    name: get_operator(name)()
    for name in operator_names()
    if name not in _LEFT_OUT and not get_operator(name).arguments()
}


def main(part: str, *modules: str) -> None:
    for module in modules:
        for mutant in _mutants(module, part):
            print(json.dumps({"module": module, **mutant}))


def _mutants(module: str, part: str) -> Iterator[dict[str, object]]:
    """Cosmic Ray reads each statement of the module by itself: for each mutant it reads again what it was given."""
    source = Path(module).read_text()
    lines, annotated = source.splitlines(keepends=True), list(annotations(source))
    made: Counter[str] = Counter()
    for above, last in statements(source):
        statement = "".join(lines[above:last])
        nodes = list(ast_nodes(get_ast(statement)))
        for name, operator in _OPERATORS.items():
            found = [(node, *span) for node in nodes for span in operator.mutation_positions(node)]
            for occurrence, (node, (line, column), end) in enumerate(found):
                begin, number = (above + line, column), made[name]
                made[name] += 1
                if not is_in_part(f"{module} {name} {number}", part) or _is_left_out(
                    source, name, (begin, (above + end[0], end[1])), annotated
                ):
                    continue
                changed = mutate_code(statement, operator, occurrence)
                yield {
                    "definition": ASTQuery(node).get_definition_name() or "",
                    "begin": begin,
                    "source": "".join((*lines[:above], changed, *lines[last:])),
                }


def _is_left_out(
    source: str, operator: str, span: tuple[Position, Position], annotated: list[tuple[Position, Position]]
) -> bool:
    """Of annotations, which nothing evaluates; and of exceptions that are named with their module, as ``x509.DuplicateExtension``: Cosmic Ray gives up
    at them.
    """
    begin, end = span
    return any(first <= begin and end <= last for first, last in annotated) or (
        operator == "core/ExceptionReplacer" and "." in text_of(source, begin, end)
    )


if __name__ == "__main__":
    main(*sys.argv[1:])

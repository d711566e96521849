"""The collection reads no sentence of its own: it reads the values that a sentence is made of.

A sentence, or a part of one, is the value of a field such as ``what`` or ``remedy``, the result of a function that writes one, and the text of an error.
Code that splits it, searches it, or tells two things apart by it breaks with the next change of a word. Texts that others write, such as a file or an answer
of the API server, are read all the same.
``python -m tests.tools.checks.readings`` looks through the collection.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

from .places import ROOT

#: The fields, and the keys of results, whose values are sentences, parts of sentences, or names for people.
_FIELDS = frozenset({
    "object", "what", "message", "remedy", "cause", "clause", "because", "avoidable_restart", "doubt", "hindrance", "msg", "why", "label",
})  # fmt: skip
#: The methods by which code reads a text.
_METHODS = frozenset({
    "partition", "rpartition", "split", "rsplit", "splitlines", "startswith", "endswith", "removeprefix", "removesuffix", "find", "index",
    "replace",
})  # fmt: skip
#: The functions of a pattern.
_SEARCHES = frozenset({"search", "match", "fullmatch", "findall", "finditer", "sub"})
#: These parts read the answers of the API server, whose objects have fields of the same names.
_READERS = ("plugins/module_utils/_kube/",)


def writers(source: str) -> frozenset[str]:
    """The functions of a Python file that write a sentence or a part of one: their result is a text with a space in it."""
    return frozenset(function.name for function in _functions(ast.parse(source)) if _writes(function))


def problems(source: str, imported: frozenset[str] = frozenset()) -> Iterator[str]:
    """Every reading of a sentence in a Python file, as ``line: code``. Functions of other files that write sentences are ``imported``."""
    tree = ast.parse(source)
    writing = imported | writers(source)
    for part in (tree, *_functions(tree)):
        sentences = _Sentences(part, writing)
        yield from (f"{node.lineno}: {ast.unparse(node)}" for node in sentences.nodes if sentences.are_read_by(node))


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def _writes(function: ast.FunctionDef) -> bool:
    if not (isinstance(function.returns, ast.Name) and function.returns.id == "str"):
        return False
    return any(isinstance(node, ast.Return) and _has_space(node.value) for node in ast.walk(function))


def _has_space(value: ast.expr | None) -> bool:
    if isinstance(value, ast.IfExp):
        return _has_space(value.body) or _has_space(value.orelse)
    parts = value.values if isinstance(value, ast.JoinedStr) else [value]
    return any(isinstance(part, ast.Constant) and isinstance(part.value, str) and " " in part.value for part in parts)


class _Sentences:
    """The sentences in a function, or in a module outside of its functions."""

    def __init__(self, part: ast.Module | ast.FunctionDef, writing: frozenset[str]) -> None:
        self._writing = writing
        self.nodes = tuple(_own_nodes(part))
        caught = {node.name for node in self.nodes if isinstance(node, ast.ExceptHandler)}
        given = {one.arg for one in part.args.args if _is_error(one)} if isinstance(part, ast.FunctionDef) else set()
        self._errors = caught | given
        self._names: set[str] = set()
        for node in self.nodes:
            target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
            value = getattr(node, "value", None)
            value = node.iter if isinstance(node, ast.comprehension | ast.For) else value
            if isinstance(target, ast.Name) and isinstance(value, ast.expr) and self._has(value):
                self._names.add(target.id)

    def are_read_by(self, node: ast.AST) -> bool:
        """Whether this node reads one of them."""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            called = node.func
            reads = called.attr in _METHODS and self._has(called.value)
            return reads or (called.attr in _SEARCHES | {"add"} and any(map(self._has, node.args)))
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            return node.slice.lower is not None and node.slice.upper is not None and self._has(node.value)
        if isinstance(node, ast.Compare):
            for operator, (left, right) in zip(node.ops, pairwise((node.left, *node.comparators)), strict=True):
                if isinstance(operator, ast.In | ast.NotIn) and (self._has(left) or self._has(right)):
                    return True
                if isinstance(operator, ast.Eq | ast.NotEq) and (self._is_written(left) or self._is_written(right)):
                    return True
        return False

    def _has(self, value: ast.expr) -> bool:
        if isinstance(value, ast.Name):
            return value.id in self._names
        if isinstance(value, ast.Attribute):
            return value.attr in _FIELDS
        if isinstance(value, ast.Subscript):
            return isinstance(value.slice, ast.Constant) and value.slice.value in _FIELDS
        return self._is_written(value)

    def _is_written(self, value: ast.expr) -> bool:
        """Whether it is a call that writes a sentence, or that gives the text of an error or of a field."""
        if not isinstance(value, ast.Call):
            return False
        called, arguments = value.func, value.args
        name = called.id if isinstance(called, ast.Name) else getattr(called, "attr", "")
        if name == "str" and arguments:
            return self._has(arguments[0]) or (isinstance(arguments[0], ast.Name) and arguments[0].id in self._errors)
        if name == "get" and arguments:
            return isinstance(arguments[0], ast.Constant) and arguments[0].value in _FIELDS
        if name in ("strip", "rstrip", "lower") and isinstance(called, ast.Attribute):
            return self._has(called.value)
        return name in self._writing


def _own_nodes(part: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a module or a function without those of the functions in it."""
    for node in ast.iter_child_nodes(part):
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _own_nodes(node)


def _is_error(parameter: ast.arg) -> bool:
    return parameter.annotation is not None and ast.unparse(parameter.annotation).endswith("Error")


def _problems_of(paths: Iterable[Path]) -> Iterator[str]:
    sources = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    written = frozenset(name for source in sources.values() for name in writers(source) if not name.startswith("_"))
    for name, source in sources.items():
        if not name.startswith(_READERS):
            yield from (f"{name}:{problem}" for problem in problems(source, written))


def main() -> int:
    found = list(_problems_of(sorted((ROOT / "plugins").rglob("*.py"))))
    for problem in found:
        print(f"{problem} reads a sentence: read the value that the sentence is made of")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

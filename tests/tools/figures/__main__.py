"""``python -m tests.tools.figures``: what the code of ``plugins/`` costs a reader, as numbers of one tree or of two side by side.

Nothing is asserted. ``--root PATH`` counts another checkout; ``--before PATH`` prints its numbers in a column of their own. What a call takes (files that a
module packs, files and functions that a replacement runs through) is printed by ``python -m tests.tools.bench files``.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path

from ..checks.places import ROOT

#: Questions of the decision core, by the names in the code that ask them.
QUESTIONS = {
    "where the key of the CA is": frozenset(
        {
            "in_use_elsewhere",
            "is_kept_elsewhere",
            "key_is_elsewhere",
            "kept_elsewhere",
            "keys_elsewhere",
            "keeps_authority",
        }
    ),
    "which of the two CAs": frozenset({"prepared"}),
    "whether the flow is an abort": frozenset({"is_abort", "ABORT"}),
    "whether a renewal leads to a replacement": frozenset(
        {"leads_to_replacement", "precedes_replacement", "asked_goal"}
    ),
}
#: Words whose number in 1,000 words shows how long and how winding the sentences of comments are.
WORDS = {"if": ("if",), "where": ("where",), "that or which": ("that", "which")}
LONGEST_LINE = 120
_UTILS = Path("plugins") / "module_utils"


def lines_of_code(source: str) -> int:
    """The lines of a file that have code: no comments, docstrings or empty lines."""
    rows = set[int]()
    ignored = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
    documented = set(_rows_of_docstrings(source))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in ignored:
            rows.update(range(token.start[0], token.end[0] + 1))
    return len(rows - documented)


def _rows_of_docstrings(source: str) -> Iterator[int]:
    for node in _documented(source):
        statement = node.body[0]
        yield from range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)


def _documented(source: str) -> Iterator[ast.Module | ast.ClassDef | ast.FunctionDef]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            yield node


def explanations(source: str) -> Iterator[str]:
    """The texts of all docstrings and comments of a file, without its licence."""
    for node in _documented(source):
        yield ast.get_docstring(node) or ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not re.match(r"# (?:Copyright|GNU|SPDX|Private)|#!", token.string):
            yield token.string.lstrip("#: ")


def words_in_thousand(texts: Iterable[str]) -> Iterator[tuple[str, float]]:
    """How often each of WORDS stands in 1,000 words of these texts."""
    counted = Counter(word for text in texts for word in re.findall(r"[a-z']+", text.lower()))
    for name, words in WORDS.items():
        yield name, 1000 * sum(counted[word] for word in words) / max(counted.total(), 1)


def questions(sources: Iterable[str]) -> Iterator[tuple[str, int, int]]:
    """Each question, how often it is asked in these files, and in how many of them."""
    named = [Counter(_names_read(source)) for source in sources]
    for question, names in QUESTIONS.items():
        asked = [times for times in (sum(counted[name] for name in names) for counted in named) if times]
        yield question, sum(asked), len(asked)


def _names_read(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id


def modules_of(root: Path) -> dict[str, str]:
    """The sources of ``module_utils`` of a checkout, by the dotted names of the modules."""
    utils = root / _UTILS
    return {
        ".".join(path.relative_to(utils).with_suffix("").parts): path.read_text()
        for path in sorted(utils.rglob("*.py"))
    }


def circles(files: dict[str, str]) -> list[frozenset[str]]:
    """Groups of modules that import each other, at run time or for types, by their dotted names; ``files`` maps each name to its source."""
    imported = {name: frozenset(_imported(name, source, files)) for name, source in files.items()}
    reached = {name: _reach(name, imported) for name in files}
    groups = {frozenset(other for other in reached[name] if name in reached[other]) for name in files}
    return sorted((group for group in groups if group), key=sorted)


def _imported(name: str, source: str, files: dict[str, str]) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = ".".join((*name.split(".")[: -node.level], *filter(None, [node.module])))
            yield from (target for target in (base, *(f"{base}.{part.name}" for part in node.names)) if target in files)


def _reach(name: str, imported: dict[str, frozenset[str]]) -> set[str]:
    reached, left = set[str](), [*imported[name]]
    while left:
        if (module := left.pop()) not in reached:
            reached.add(module)
            left += imported[module]
    return reached


def figures(root: Path) -> Iterator[tuple[str, str]]:
    """Every figure of a checkout: what it counts, and its value."""
    sources = {path.relative_to(root): path.read_text() for path in sorted((root / "plugins").rglob("*.py"))}
    rooms = Counter[str]()
    for path, source in sources.items():
        rooms[path.parts[2] if _UTILS in path.parents and len(path.parts) > 3 else path.parts[1]] += lines_of_code(
            source
        )
    yield "files", f"{len(sources):,}"
    yield "lines", f"{sum(len(source.splitlines()) for source in sources.values()):,}"
    yield "lines of code", f"{rooms.total():,}"
    yield from ((f"lines of code, {room}", f"{lines:,}") for room, lines in sorted(rooms.items()))
    for question, times, where in questions(sources.values()):
        yield f"asks {question}", f"{times} in {where} files"
    found = circles(modules_of(root))
    yield "circles of files", f"{len(found)}" + (f" of {sum(map(len, found))} files" if found else "")
    for word, share in words_in_thousand(text for source in sources.values() for text in explanations(source)):
        yield f"{word}, in 1,000 words of comments", f"{share:.1f}"
    long = sum(len(line) > LONGEST_LINE for source in sources.values() for line in source.splitlines())
    yield f"lines over {LONGEST_LINE} columns", f"{long:,}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.tools.figures")
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("--before", type=Path)
    options = parser.parse_args()
    before = dict(figures(options.before)) if options.before else {}
    now = dict(figures(options.root))
    for name in dict.fromkeys((*now, *before)):
        columns = (name, before.get(name, ""), now.get(name, "")) if options.before else (name, now[name])
        print("".join(text.ljust(width) for text, width in zip_longest(columns, (52, 20, 0), fillvalue="")).rstrip())
    return 0


if __name__ == "__main__":
    sys.exit(main())

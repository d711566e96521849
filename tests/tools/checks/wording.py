"""Sentences name their subject.

No docstring or comment begins with a word that makes the reader guess what is meant: "Who has none", "Those that are open". And whatever users read, with
the code that they may open, says which node, client, user or issuer does something: never "somebody". ``python -m tests.tools.checks.wording`` looks through
the repository.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator

from .places import ROOT
from .trees import files

_RIDDLE = re.compile(r"(?:Who|Whoever|Whom|Whose|What|Whatever|Which|One|Those|That)\b")
_NO_NAME = re.compile(r"\b(?:somebody|nobody|whoever|everybody|anybody)\b", re.IGNORECASE)
#: Files that say who does what.
_NAMING = ("plugins/", "roles/", "playbooks/", "docs/", "changelogs/", "README.md", "CHANGELOG.md", "CONTRIBUTING.md")


def problems(source: str) -> Iterator[str]:
    """Every such beginning in a Python file, as ``line: text``."""
    for line, text in sorted((*_docstrings(source), *_comments(source))):
        if _RIDDLE.match(text):
            yield f'{line}: "{text[:60]}" leaves open what it is about: begin with the thing itself'


def nameless(text: str) -> Iterator[str]:
    """Every word that stands for a party without a name, as ``line: text``."""
    for number, line in enumerate(text.splitlines(), 1):
        for found in _NO_NAME.findall(line):
            yield f'{number}: "{found}" names no party: say which node, client, user, issuer or program is meant'


def _docstrings(source: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield node.body[0].lineno, text.partition("\n")[0]


def _comments(source: str) -> Iterator[tuple[int, str]]:
    """The first line of each; further lines go on with a sentence."""
    ended = -1
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        line, alone = token.start[0], token.line.lstrip().startswith("#")
        if not alone or line != ended + 1:
            yield line, token.string.lstrip("#: ")
        if alone:
            ended = line


def _problems_of(name: str) -> Iterator[str]:
    if name.endswith(".py"):
        yield from problems((ROOT / name).read_text())
    if name.startswith(_NAMING):
        yield from nameless((ROOT / name).read_text())


def main() -> int:
    found = [f"{name}:{problem}" for name in files() for problem in _problems_of(name)]
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

"""Sentences name their subject.

No docstring or comment begins with a word that makes the reader guess what is meant: "Who has none", "Those that are open". And all that users read, with
the code that they may open, says which node, client, user or issuer does something: never "somebody". It names each thing by its noun: never "those that
are open", "the one in use", "who presents it". It says what tells or asks: never "is asked" without "by". A program does a thing again, never "anew".
A flow is held, and a certificate, key or Lease never is.
Tests say which party does something as well, also in their names.
No docstring of a class explains a field as "name: meaning": that stands above the field. Each field of a dataclass of the collection has such a comment,
and no docstring of a function of the collection explains a parameter in that way: it says so in a sentence.
``python -m tests.tools.checks.wording`` looks through the repository.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from functools import lru_cache

from .places import ROOT
from .trees import files

_RIDDLE = re.compile(r"(?:Who|Whoever|Whom|Whose|What|Whatever|Which|One|Those|That)\b")
#: Also as a part of a name in code.
_NO_NAME = re.compile(r"(?<![a-z])(?:somebody|nobody|whoever|everybody|anybody)s?(?![a-z])", re.IGNORECASE)
#: The names that a docstring explains as "name: meaning".
_EXPLAINED = re.compile(r"(?:^|(?<=[.,;] ))(\w+): ")
_STIFF = re.compile(r"\banew\b", re.IGNORECASE)
#: Between two words of a sentence: a space, or the end of a line of text, of a comment or of a part of a string.
_GAP = r"(?:[ \t]+|[ \t]*\"?[ \t]*\n[ \t]*(?:\"|#:?[ \t]+)?)"
_PASSIVE = re.compile(
    rf"\b(?:is|are|was|were|be|been|being)(?:{_GAP}not)?{_GAP}(?:told|asked)\b(?!{_GAP}by\b)", re.IGNORECASE
)
#: A flow is held; a Secret contains a CA, a process trusts it, a run owns its Lease (CONTRIBUTING.md, "Style").
_HELD = re.compile(
    rf"\b(?:hold|holds|holding|held){_GAP}(?:(?:an?|the|no|its|their|this|that|another|other|old|new|next|private|public|both|all|any|only|same){_GAP})*"
    r"(?:CAs?|certificates?|keys?|leaf|leaves|entry|entries|chains?|cop(?:y|ies)|bytes|passwords?|tokens?|Leases?)\b",
    re.IGNORECASE,
)
#: Words that go on about a thing or a party which the word before them ought to name.
_RELATIVE = r"(?:that|which|who|whom|whose|of|in|with|without|for|from|on|at|to|by|before|after|above|below|beside)\b"
_STANDS_ALONE = rf"(?={_GAP}(?!of\b)(?:{_RELATIVE}|is\b|was\b|has\b)|\*{{0,2}}[.,;:)?!]|[ \t]+\|)"
_BEFORE_ONE = "the|another|this|that|each|every|any|new|old|next|last|first|other|same|former|latter|earlier|later|older|newer|stored|missing|right|wrong"
#: The beginning of a sentence, a cell or a text, or a word behind which a clause begins.
_CLAUSE = (
    r"(?:(?:\A|[|(.;:?!\"'>][ \t]*|^[ \t]*(?:[-*#]|[0-9]+\.)[ \t]+)"
    rf"|\b(?:and|or|but|of|to|by|from|for|than|says?|tells?|knows?|sees?|shows?|out|asks?|names?){_GAP})"
)
_NO_NOUN = {
    "those": re.compile(rf"\bthose{_GAP}{_RELATIVE}", re.IGNORECASE),
    "ones": re.compile(r"\bones\b", re.IGNORECASE),
    "one": re.compile(
        rf"\b(?:{_BEFORE_ONE}){_GAP}one\b{_STANDS_ALONE}|\bthe{_GAP}one{_GAP}of\b|\bone{_GAP}(?:that|which|who|whom|whose|with|without)\b",
        re.IGNORECASE,
    ),
    "who": re.compile(rf"{_CLAUSE}who(?:m\b|\b)", re.IGNORECASE | re.MULTILINE),
    "whose": re.compile(
        rf"(?:[|(.;:?!>][ \t]*|\b(?:says?|tells?|knows?|sees?|shows?|asks?){_GAP})whose\b", re.IGNORECASE
    ),
}
#: Files that say which party does what.
_NAMING = (
    "plugins/", "roles/", "playbooks/", "docs/", "changelogs/", "molecule/",
    "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "galaxy.yml",
)  # fmt: skip
#: This check and its test quote these words.
_QUOTING = ("tests/tools/checks/wording.py", "tests/tools/checks/test_wording.py")


def problems(source: str) -> Iterator[str]:
    """Every such beginning in a Python file, as ``line: text``."""
    for line, text in sorted((*_docstrings(source), *_comments(source))):
        if _RIDDLE.match(text):
            yield f'{line}: "{text[:60]}" leaves open what it is about: begin with the thing itself'


def fields_in_docstrings(source: str) -> Iterator[str]:
    """Every field, and every member of an enum, that the docstring of its class explains as ``name: meaning``, as ``line: text``."""
    for node in _statements(source):
        if isinstance(node, ast.ClassDef):
            explained = _explained(node)
            for field in (name for part in node.body for name in _assigned(part)):
                if isinstance(field, ast.Name) and field.id in explained:
                    yield f'{field.lineno}: the docstring of {node.name} explains "{field.id}": say it in a comment above the field'


def parameters_in_docstrings(source: str) -> Iterator[str]:
    """Every parameter that the docstring of its function explains as ``name: meaning``, as ``line: text``."""
    for node in _statements(source):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            explained = _explained(node)
            for parameter in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                if parameter.arg in explained:
                    yield f'{node.body[0].lineno}: the docstring of {node.name} lists "{parameter.arg}: …": say it in a sentence'


def _explained(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    return frozenset(_EXPLAINED.findall(re.sub(r"\s+", " ", ast.get_docstring(node) or "")))


def _assigned(statement: ast.stmt) -> list[ast.expr]:
    if isinstance(statement, ast.AnnAssign):
        return [statement.target]
    return statement.targets if isinstance(statement, ast.Assign) else []


def bare_fields(source: str) -> Iterator[str]:
    """Every field of a dataclass without a comment above it, as ``line: text``."""
    lines = source.splitlines()
    for node in _statements(source):
        if isinstance(node, ast.ClassDef) and any("dataclass" in ast.unparse(by) for by in node.decorator_list):
            for field in (part for part in node.body if isinstance(part, ast.AnnAssign)):
                if not lines[field.lineno - 2].lstrip().startswith("#: "):
                    yield f'{field.lineno}: {node.name} has no comment above "{ast.unparse(field.target)}": say what it is, as "#: …"'


def nameless(text: str) -> Iterator[str]:
    """Every word that stands for a party without a name, as ``line: text``."""
    for number, line in enumerate(text.splitlines(), 1):
        for found in _NO_NAME.findall(line):
            yield f'{number}: "{found}" names no party: say which node, client, user, issuer or program is meant'


def vague(text: str) -> Iterator[str]:
    """Every word of a sentence that stands in for the noun of a thing or a party, every "is told" without "by", every "anew",
    and every "holds" of a certificate, key or Lease, as ``line: text``.
    """
    for match in _PASSIVE.finditer(text):
        yield f'{_line(text, match)}: "{_flat(match)}" does not say by what: name the party that asks or tells'
    for match in _STIFF.finditer(text):
        yield f'{_line(text, match)}: "{_flat(match)}": say "again"'
    for match in _HELD.finditer(text):
        yield f'{_line(text, match)}: "{_flat(match)}": say that a Secret contains it, a process trusts or presents it, a key is kept, a run owns its Lease'
    for word, pattern in _NO_NOUN.items():
        for match in pattern.finditer(text):
            yield f'{_line(text, match)}: "{_flat(match)}": put the noun in the place of "{word}", such as node, certificate, issuer or program'


def _line(text: str, match: re.Match[str]) -> int:
    return text.count("\n", 0, match.end()) + 1


def _flat(match: re.Match[str]) -> str:
    return re.sub(r"[\s\"#]+", " ", match[0]).strip()


def prose(source: str) -> str:
    """The comments and strings of a Python file, each where it stands; spaces in the place of names, numbers and of expressions in strings."""
    lines = source.splitlines(keepends=True)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        (row, start), (_row, end) = token.start, token.end
        if token.type in (tokenize.NAME, tokenize.NUMBER):
            lines[row - 1] = lines[row - 1][:start] + " " * (end - start) + lines[row - 1][end:]
    text = "".join(lines)
    text = re.sub(r"\{[^{}\n]*\}", lambda found: " " * len(found[0]), text)
    return re.sub(r"(?<=\")?[rf](?=\")", " ", text)


@lru_cache(maxsize=1)
def _statements(source: str) -> tuple[ast.AST, ...]:
    """The module and all statements in it. No class and no docstring is in an expression."""
    found: list[ast.AST] = [ast.parse(source)]
    for node in found:
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            found.extend(getattr(node, part, ()))
    return tuple(found)


def _docstrings(source: str) -> Iterator[tuple[int, str]]:
    for node in _statements(source):
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
    is_python, is_naming = name.endswith(".py"), name.startswith(_NAMING)
    is_test = name.startswith("tests/") and name not in _QUOTING
    if not (is_python or is_naming or is_test):
        return
    text = (ROOT / name).read_text()
    if is_python:
        yield from problems(text)
        yield from fields_in_docstrings(text)
    if is_naming or is_test:
        yield from nameless(text)
    if is_python and name.startswith("plugins/"):
        yield from bare_fields(text)
        yield from parameters_in_docstrings(text)
    if is_naming:
        yield from vague(prose(text) if is_python else text)


def main() -> int:
    found = [f"{name}:{problem}" for name in files() for problem in _problems_of(name)]
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

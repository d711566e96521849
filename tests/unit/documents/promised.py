# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of the documentation, the tables in ``promises/`` of the tests that show what the sentences say, and the faults of these tables.

A table has the name of a fragment, of a plugin, or of a table of the generator (variables, roles). Its keys are options, with a dot before a suboption, and
``description`` for what stands above the options. A row is a few words of a sentence, and the tests that show what the sentence says; ``describes``
stands in the place of tests where a sentence says what a value is, and promises nothing.

Where a role hands an option on, the rows of the option are those of the variable.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import yaml

from ...tools.documents import roles

TESTS = Path(__file__).parents[2]
PLUGINS = TESTS.parent / "plugins"
FRAGMENTS = PLUGINS / "doc_fragments"
#: All other roles have theirs from the tables of the generator.
_SPEC_OF_REPORT = roles.ROLES / "report" / "meta" / "argument_specs.yml"
TABLES = Path(__file__).parent / "promises"
#: In the place of a test.
DESCRIBES = "describes"

#: The sentences about each option, by its path.
Texts: TypeAlias = Mapping[str, tuple[str, ...]]
#: Words of a sentence with the tests that show it, by the path of the option.
Rows: TypeAlias = Mapping[str, Mapping[str, tuple[str, ...]]]


def documented() -> dict[str, Texts]:
    """The documentation by the name of its table."""
    fragments = {path.stem: _of_fragment(path) for path in _sources(FRAGMENTS)}
    plugins = {
        path.stem: dict(_sentences(read))
        for folder in ("modules", "filter", "inventory")
        for path in _sources(PLUGINS / folder)
        if (read := _blocks(path).get("DOCUMENTATION")) is not None
    }
    options = {name.rpartition(".")[2] for texts in fragments.values() for name in texts}
    options |= {name for texts in plugins.values() for name in texts}
    variables, described = (
        yaml.safe_load((roles.HERE / f"{name}.yml").read_text(encoding="utf-8")) for name in ("variables", "roles")
    )
    own = {name: entry for name, entry in variables.items() if name.removeprefix("strimzi_") not in options}
    report = yaml.safe_load(_SPEC_OF_REPORT.read_text(encoding="utf-8"))["argument_specs"]["main"]
    return {
        **fragments,
        **plugins,
        "role_report": dict(_sentences(report)),
        "variables": {name: _sentences_of(entry["description"]) for name, entry in own.items()},
        "roles": {
            name: (*_sentences_of(role["description"]), *_sentences_of(role.get("details")))
            for name, role in described.items()
        },
    }


def _sources(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.py") if not path.stem.startswith("_"))


def _of_fragment(path: Path) -> Texts:
    """The first block of a fragment has no name of its own."""
    blocks = _blocks(path)
    return {
        f"{'' if block == 'DOCUMENTATION' else f'{block.lower()}.'}{name}": texts
        for block, read in blocks.items()
        for name, texts in _sentences(read)
    }


def _blocks(path: Path) -> dict[str, Any]:
    """The blocks of YAML in a file of Python, by the names that they are assigned to."""
    assigned = (node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Assign))
    texts = {ast.unparse(node.targets[0]): node.value for node in assigned}
    found = {
        name: yaml.safe_load(text.value)
        for name, text in texts.items()
        if _is_block(text) and not name.startswith(("RETURN", "EXAMPLES"))
    }
    return {name: read for name, read in found.items() if isinstance(read, dict)}


def _is_block(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" in node.value


def _sentences(read: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    if "description" in read:
        yield "description", _sentences_of(read["description"])
    for name, attribute in (read.get("attributes") or {}).items():
        yield name, (*_sentences_of(attribute.get("description")), *_sentences_of(attribute.get("details")))
    yield from _options("", read.get("options"))


def _options(prefix: str, options: Mapping[str, Any] | None) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, option in (options or {}).items():
        yield f"{prefix}{name}", _sentences_of(option.get("description"))
        yield from _options(f"{prefix}{name}.", option.get("suboptions"))


_BETWEEN_SENTENCES = re.compile(r"(?<=[.]) (?=[A-Z])")


def _sentences_of(found: str | list[str] | None) -> tuple[str, ...]:
    paragraphs = [found] if isinstance(found, str) else found or ()
    return tuple(sentence for text in paragraphs for sentence in _BETWEEN_SENTENCES.split(" ".join(text.split())))


def promises() -> dict[str, Rows]:
    """The rows of each table, by its name."""
    return {path.stem: _rows(yaml.safe_load(path.read_text(encoding="utf-8"))) for path in sorted(TABLES.glob("*.yml"))}


def _rows(table: Mapping[str, Any]) -> Rows:
    return {
        option: {"": (DESCRIBES,)}
        if rows == DESCRIBES
        else {words: (tests,) if isinstance(tests, str) else tuple(tests) for words, tests in rows.items()}
        for option, rows in table.items()
    }


def faults(source: str, texts: Texts, rows: Rows) -> Iterator[str]:
    """The sentences without a row, the rows without a sentence, and the tests that are none, as sentences."""
    table = f"tests/unit/documents/promises/{source}.yml"
    for option, sentences in texts.items():
        for sentence in sentences:
            if not any(words in sentence for words in rows.get(option, ())):
                yield (
                    f"{source}, {option}: no row has words of {sentence!r}. Write a row in {table} with the test that shows what it says, or with "
                    f"{DESCRIBES!r} where it promises nothing."
                )
    for option, named in rows.items():
        for words, tests in named.items():
            if not any(words in sentence for sentence in texts.get(option, ())):
                yield f"{table}, {option}: {words!r} does not stand in the documentation any more."
            for test in tests:
                if test != DESCRIBES and not exists(test):
                    yield f"{table}, {option}: there is no test {test}."


def exists(test: str) -> bool:
    path, _separator, name = test.partition("::")
    return name.rpartition("::")[2] in _tests_in(path)


@cache
def _tests_in(path: str) -> frozenset[str]:
    file = TESTS / path
    if not file.is_file():
        return frozenset()
    found = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    return frozenset(node.name for node in found if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"))

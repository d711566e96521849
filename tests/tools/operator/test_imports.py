# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The double shares no code with what is tested against it, else both could be wrong in the same way."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from .. import operator

PACKAGE = Path(operator.__file__).parent
FILES = sorted(PACKAGE.glob("*.py"))


def imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """(level, dotted name) of each import, wherever in the file it is."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.level, f"{node.module or ''}.{alias.name}".strip(".")) for alias in node.names)


def forbidden(level: int, name: str) -> bool:
    """Relative imports stay in the tests; importlib would go past this test."""
    parts = name.split(".")
    return "plugins" in parts or parts[0] in ("ansible_collections", "importlib") or level > 2


def test_there_is_a_double() -> None:
    assert {path.name for path in FILES} >= {"double.py", "authority.py", "leaves.py", "podsets.py", "roller.py"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_nothing_of_the_collection_is_imported(path: Path) -> None:
    assert [name for level, name in imported(ast.parse(path.read_text())) if forbidden(level, name)] == []


@pytest.mark.parametrize(
    "line",
    [
        "from ansible_collections.trustops.strimzi.plugins.module_utils._pki import keys",
        "import ansible_collections.trustops.strimzi.plugins",
        "from ...plugins.module_utils import _trust",
        "from ... import plugins",
        "def f():\n    import importlib",
    ],
)
def test_an_import_of_the_collection_would_be_seen(line: str) -> None:
    assert [name for level, name in imported(ast.parse(line)) if forbidden(level, name)]

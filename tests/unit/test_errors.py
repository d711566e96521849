# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree of errors: drawn as it is, and nothing beside it."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator
from pathlib import Path

from ansible_collections.trustops.strimzi.plugins.module_utils import _errors

_PLUGINS = Path(_errors.__file__).parents[1]
_NODE = re.compile(r"^    (?P<branch>[│├└─ ]*)(?P<name>[A-Z]\w+)", re.MULTILINE)
_CLASS = re.compile(r"^class (\w+)\(([\w.]+)", re.MULTILINE)


def _drawn() -> Iterator[tuple[str, str]]:
    """Each class of the drawing with the one that it derives from."""
    above: list[str] = []
    for node in _NODE.finditer(_errors.__doc__ or ""):
        depth = len(node["branch"]) // 4
        above[depth:] = [node["name"]]
        yield node["name"], above[depth - 1] if depth else "Exception"


def _defined(path: Path) -> list[tuple[str, str]]:
    """Each class of a file with its first base."""
    return _CLASS.findall(path.read_text(encoding="utf-8"))


def test_the_drawing_is_the_tree() -> None:
    hierarchy = [pair for pair in _defined(Path(_errors.__file__)) if pair[1] != "Protocol"]
    assert sorted(_drawn()) == sorted(hierarchy)


def test_errors_elsewhere_stay_in_their_file() -> None:
    errors = {name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, Exception)}
    errors |= {name for name, _base in _drawn()}
    elsewhere = [
        f"{path.relative_to(_PLUGINS)}: {name}"
        for path in _PLUGINS.rglob("*.py")
        if path.name != "_errors.py"
        for name, base in _defined(path)
        if base in errors and not name.startswith("_")
    ]
    assert elsewhere == []

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The unit tests of a room import each of its modules, no name means two things, and no value changes."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import make_dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide

from ...tools.support.values import changeable_dataclasses, imported_modules

TESTS = Path(__file__).parent
ROOMS = Path(__file__).parents[3] / "plugins/module_utils/_trust"


def untested(room: Path, tests: Path) -> set[str]:
    """The names of the modules that no test file imports anything from."""
    modules = {file.stem for file in room.glob("*.py")} - {"__init__"}
    assert modules
    suites = [file.read_text() for file in tests.rglob("test_*.py")]
    return {name for name in modules if not any(f"{room.name}.{name} import" in suite for suite in suites)}


@pytest.mark.parametrize("room", ["rules", "gates", "preconditions", "ledger", "evidence"])
def test_every_function_has_its_tests(room: str) -> None:
    assert untested(ROOMS / room, TESTS / room) == set()


def test_a_module_without_tests_is_found(tmp_path: Path) -> None:
    room, tests = tmp_path / "room", tmp_path / "tests"
    for folder in (room, tests):
        folder.mkdir()
    for name in ("__init__.py", "one.py", "two.py"):
        (room / name).touch()
    (tests / "test_either.py").write_text("from a.room.one import two\n")
    assert untested(room, tests) == {"two"}


@cache
def parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text())


def public_names(package: Path) -> Counter[str]:
    """How often each public function or class is defined."""
    trees = map(parsed, package.rglob("*.py"))
    defined = (node for tree in trees for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef)))
    return Counter(node.name for node in defined if not node.name.startswith("_"))


def test_no_two_functions_have_one_name(tmp_path: Path) -> None:
    """A reader could take the stricter for the other."""
    found = public_names(ROOMS)
    assert found["decide"] == 1
    assert [name for name, times in found.items() if times > 1] == []
    for name in ("one.py", "two.py"):
        (tmp_path / name).write_text("def twice(): pass\n")
    assert public_names(tmp_path) == {"twice": 2}


def test_every_value_stays_as_it_was_made() -> None:
    """A decision is about what was seen, and gates keep what they have computed."""
    modules = list(imported_modules(decide.__module__.rpartition(".")[0]))
    assert {"model", "rules"} <= {module.__name__.rpartition(".")[2] for module in modules}
    assert changeable_dataclasses(modules) == []


def test_no_class_is_defined_inside_of_a_function() -> None:
    """The test of values looks at the classes of modules, and would miss it."""
    trees = (parsed(file) for package in (ROOMS, ROOMS.parent / "_pki") for file in package.rglob("*.py"))
    functions = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    assert [inner.name for one in functions for inner in ast.walk(one) if isinstance(inner, ast.ClassDef)] == []


def test_a_value_that_can_be_changed_is_found() -> None:
    module = ModuleType("one")
    frozen, changeable, nested = (make_dataclass(name, [], frozen=name == "A") for name in "ABC")
    for made in (frozen, changeable, nested):
        made.__module__ = module.__name__
    frozen.Nested = nested
    vars(module).update(A=frozen, B=changeable)
    assert changeable_dataclasses([module]) == ["C", "B"]

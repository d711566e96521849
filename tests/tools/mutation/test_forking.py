# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests notice changes in forks that have imported everything, and in forks that import the changed module."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ..checks.places import ROOT
from . import forking, replacing
from .forking import NOTICED, UNKNOWN, UNNOTICED

MODULE = "plugins/module_utils/sums.py"
CODE = """from functools import lru_cache

LIMIT = 3


def twice(number):
    return number + number


@lru_cache
def remembered(number):
    return number + 1


class Sum:
    @property
    def half(self):
        return max([1, 2], key=lambda number: -number)

    def without_an_end(self):
        while self.half > 1:
            pass
        return 1


def untested():
    return "untested"


def parameter(is_other=False):
    if is_other:
        return "other"
    return "parameter"
"""
TESTS = """import pytest

from plugins.module_utils.sums import LIMIT, Sum, parameter, remembered, twice


@pytest.fixture(scope="module", autouse=True)
def other_test_asks_before():
    remembered(1)


@pytest.mark.parametrize("number", [0, 2])
def test_twice(number):
    assert twice(number) == 2 * number


def test_half():
    assert Sum().half == 1
    assert Sum().without_an_end() == 1


def test_remembered():
    assert remembered(1) == 2


@pytest.mark.parametrize("value", [parameter()])
def test_parameter(value):
    assert value == "parameter"


def test_limit():
    assert LIMIT == 3
"""
#: The old text, the new text, and how the change fares.
CHANGES = (
    ("number + number", "number - number", NOTICED),
    # An equivalent change.
    ("number + number", "2 * number", UNNOTICED),
    # A function that remembers its results, and a property with a function in it.
    ("number + 1", "number + 2", NOTICED),
    ("[1, 2]", "[2]", NOTICED),
    ("-number", "+number", NOTICED),
    # A loop without an end.
    ("self.half > 1", "self.half > 0", NOTICED),
    # No test calls it.
    ('"untested"', '"unknown"', UNNOTICED),
    # A test is made of its result.
    ('"parameter"', '"changed"', UNKNOWN),
    # Its function runs while tests are collected, and it does not.
    ('"other"', '"changed"', UNNOTICED),
    # A module that cannot be compiled.
    ("class Sum", "class", NOTICED),
    # Both take effect when the module is imported.
    ("LIMIT = 3", "LIMIT = 4", UNKNOWN),
    ("@property", "", UNKNOWN),
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / MODULE).parent.mkdir(parents=True)
    for package in Path(MODULE).parents[:-1]:
        (tmp_path / package / "__init__.py").touch()
    (tmp_path / MODULE).write_text(CODE)
    (tmp_path / "tests_of_sums.py").write_text(TESTS)
    return tmp_path


def results(project: Path, plugin: str, variable: str, mutants: list[dict[str, object]]) -> list[str]:
    """The plugin's result for each mutant."""
    file = project / "mutants.json"
    file.write_text(json.dumps({"jobs": 2, "mutants": mutants}))
    done = run(project, plugin, variable, file)
    told = dict(map(str.split, file.with_suffix(".results").read_text().splitlines()))
    assert len(told) == len(mutants), done.stdout
    return [told[str(number)] for number in range(len(mutants))]


def run(project: Path, plugin: str, variable: str, file: Path) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", variable: str(file)}
    options = ("-q", "-x", "--rootdir=.", "-p", "pytest_timeout", "--timeout=0", "-p", plugin)
    command = [sys.executable, "-m", "pytest", "tests_of_sums.py", *options]
    return subprocess.run(command, cwd=project, env=variables, capture_output=True, text=True, check=False)


def test_what_forks_notice(project: Path) -> None:
    asked: list[dict[str, object]] = []
    for old, new, _result in CHANGES:
        before = CODE[: CODE.index(old)]
        begin = before.count("\n") + 1, len(before) - before.rfind("\n") - 1
        asked.append({"module": MODULE, "begin": begin, "source": CODE.replace(old, new, 1)})
    assert results(project, forking.__name__, forking.VARIABLE, asked) == [result for *_change, result in CHANGES]


#: The old text, the new text, and whether a process that imports the changed module notices.
IMPORTED = (
    # A constant.
    ("LIMIT = 3", "LIMIT = 4", NOTICED),
    # An equivalent change.
    ("LIMIT = 3", "LIMIT = 2 + 1", UNNOTICED),
    # A function that is called while tests are collected.
    ('"parameter"', '"changed"', NOTICED),
    # A module that cannot be imported.
    ("@property", "@unknown", NOTICED),
    # Only the second suite notices.
    ("number + 1", "number + 2", NOTICED),
)


def test_what_forks_that_import_the_module_notice(project: Path) -> None:
    (project / "tests_of_limits.py").write_text("from plugins.module_utils.sums import LIMIT\n")
    suites = [["tests_of_limits.py"], ["tests_of_sums.py"]]
    asked: list[dict[str, object]] = [
        {"module": MODULE, "source": CODE.replace(old, new), "suites": suites} for old, new, _result in IMPORTED
    ]
    assert results(project, replacing.__name__, replacing.VARIABLE, asked) == [result for *_change, result in IMPORTED]


@pytest.mark.parametrize(
    ("plugin", "variable"), [(forking.__name__, forking.VARIABLE), (replacing.__name__, replacing.VARIABLE)]
)
def test_tests_that_fail_without_a_change_say_so(project: Path, plugin: str, variable: str) -> None:
    (project / "tests_of_sums.py").write_text(TESTS.replace("LIMIT == 3", "LIMIT == 4"))
    file = project / "mutants.json"
    mutant = {"module": MODULE, "begin": (1, 0), "source": CODE, "suites": [["tests_of_sums.py"]]}
    file.write_text(json.dumps({"jobs": 1, "mutants": [mutant]}))
    done = run(project, plugin, variable, file)
    assert done.returncode != 0
    assert "tests_of_sums.py::test_limit fails without any mutation" in done.stdout

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tests that call what was changed are asked first, and no others."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ..checks.places import ROOT
from . import calls
from .nearest import changed_functions

MODULE = Path("plugins/module_utils/sums.py")
CODE = """LIMIT = 3


def twice(number):
    return number + number


class Sum:
    @property
    def half(self):
        return 1
"""
TESTS = """from plugins.module_utils.sums import Sum, twice


def test_twice():
    assert twice(2) == 4


def test_half():
    assert Sum().half == 1
"""


@pytest.mark.parametrize(
    ("before", "after", "first_lines"),
    [
        pytest.param("number + number", "number - number", [4], id="a function"),
        pytest.param("return 1", "return 2", [9], id="a method, with its decorator"),
        pytest.param("@property", "", [9], id="a decorator"),
        pytest.param("LIMIT = 3", "LIMIT = 4", [], id="no function"),
        pytest.param("", "", [], id="nothing"),
    ],
)
def test_the_functions_that_a_change_touches(before: str, after: str, first_lines: list[int]) -> None:
    assert list(changed_functions(CODE, CODE.replace(before, after, 1))) == first_lines


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    # As a session runs them: the module before and after a change of the same second and size would share a bytecode file.
    without_bytecode = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(ROOT)}
    variables = {**os.environ, **without_bytecode, calls.VARIABLE: str(folder / "calls.json")}
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, env=variables, capture_output=True, text=True, check=False
    )


def test_only_those_that_call_it_are_run(tmp_path: Path) -> None:
    (tmp_path / MODULE).parent.mkdir(parents=True)
    for package in (MODULE.parent, MODULE.parent.parent):
        (tmp_path / package / "__init__.py").touch()
    for name, text in ((MODULE, CODE), (Path("original.py"), CODE), (Path("tests_of_sums.py"), TESTS)):
        (tmp_path / name).write_text(text)
    noted = run(tmp_path, "pytest", "tests_of_sums.py", "-q", "-p", "tests.tools.mutation.calls")
    assert noted.returncode == 0, noted.stdout
    (tmp_path / MODULE).write_text(CODE.replace("number + number", "number - number"))
    nearest = run(tmp_path, "tests.tools.mutation.nearest", "calls.json", "original.py", str(MODULE), "-q")
    assert nearest.returncode == 1, nearest.stdout
    assert "1 failed" in nearest.stdout
    assert "passed" not in nearest.stdout


def test_without_a_function_none_is(tmp_path: Path) -> None:
    for name in ("original.py", "changed.py"):
        (tmp_path / name).write_text(CODE)
    (tmp_path / "calls.json").write_text("{}")
    done = run(tmp_path, "tests.tools.mutation.nearest", "calls.json", "original.py", "changed.py")
    assert (done.returncode, done.stdout) == (0, "")

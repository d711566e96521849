# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plugin for pytest: for each mutant a fork of this process imports the mutated module, and collects and runs the tests until one fails.

This process has imported what tests need, but nothing of the collection and no test. The plugin reads the mutants from the file that VARIABLE names, and adds
the number and result of each, as it ends, to the file beside it that ends in ``.results``.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from itertools import zip_longest
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import pytest

from .forking import NOTICED, UNNOTICED
from .jobs import Jobs, limit, run_in_fork

VARIABLE = "MODULES_TO_REPLACE"

#: A test that takes so many seconds of CPU time never ends: none takes a tenth.
_CPU = 200


class _Mutated(SourceFileLoader):
    """Loads a module with another text."""

    def __init__(self, fullname: str, path: str, text: str) -> None:
        super().__init__(fullname, path)
        self._text = text

    def get_code(self, fullname: str) -> CodeType:
        code: CodeType = self.source_to_code(self._text.encode(), self.path)
        return code


class _Finder(MetaPathFinder):
    """Finds what Python finds, and has the module loaded with the other text."""

    def __init__(self, module: str, text: str) -> None:
        self._module = module
        self._text = text

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.rpartition(".")[2] != Path(self._module).stem:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.origin is None or not spec.origin.endswith(self._module):
            return None
        spec.loader = _Mutated(fullname, spec.origin, self._text)
        return spec


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> bool:
    file = Path(os.environ[VARIABLE])
    asked = json.loads(file.read_text())
    jobs = Jobs(asked["jobs"])
    _import_the_rest(session, asked["mutants"][0])
    with file.with_suffix(".results").open("a", buffering=1) as results:
        for number, mutant in enumerate(asked["mutants"]):

            def ended(failed: str | None, number: int = number) -> None:
                print(number, UNNOTICED if failed is None else NOTICED, file=results)

            told = mutant["module"], mutant["source"], mutant["suites"]
            jobs.start(lambda told=told: _first_to_fail(session, *told), ended)  # type: ignore[misc]
        jobs.wait()
    return True


def _import_the_rest(session: pytest.Session, mutant: Mapping[str, Any]) -> None:
    """Imports what the tests import, but for the collection and the tests. Without the mutation all tests have to pass."""

    def work() -> None:
        session.perform_collect([file for files in mutant["suites"] for file in files])
        names.write_text(json.dumps([name for name, module in sys.modules.items() if not _is_ours(module)]))

    names = Path(os.environ[VARIABLE]).with_suffix(".names")
    run_in_fork(work)
    for name in json.loads(names.read_text()):
        with suppress(ImportError):
            importlib.import_module(name)
    source = Path(mutant["module"]).read_text()
    failed = run_in_fork(lambda: _first_to_fail(session, mutant["module"], source, mutant["suites"]))
    if failed is not None:
        pytest.exit(f"{failed or 'a test'} fails without any mutation", returncode=1)


def _is_ours(module: ModuleType) -> bool:
    """Whether it is of the collection or of the tests; each fork imports these for itself."""
    file = getattr(module, "__file__", None)
    return file is None or Path(file).resolve().is_relative_to(Path.cwd())


def _first_to_fail(session: pytest.Session, module: str, source: str, suites: Sequence[Sequence[str]]) -> str | None:
    """Imports the module with this source wherever it is imported, and runs the tests of one suite after the other."""
    sys.meta_path.insert(0, _Finder(module, source))
    for files in suites:
        # A session of pytest collects once.
        if (failed := run_in_fork(lambda files=files: _first_of_suite(session, files))) is not None:  # type: ignore[misc]
            return failed
    return None


def _first_of_suite(session: pytest.Session, files: Sequence[str]) -> str | None:
    limit(_CPU)
    with suppress(session.Failed, session.Interrupted):
        session.perform_collect(files)
    if session.testsfailed:
        return f"a module of {', '.join(files)}"
    for item, following in zip_longest(session.items, session.items[1:]):
        limit(_CPU)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            return item.nodeid
    return None

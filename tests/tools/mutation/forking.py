# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plugin for pytest: it runs the tests once for each mutant, in forks of this process, which has imported and collected everything.

A fork gives the changed function its new code, wherever the function is referred to, and runs the tests that run the changed statement until one fails. The
plugin reads the mutants from the file that VARIABLE names, and adds the number and result of each, as it ends, to the file beside it that ends in
``.results``. The result is ``unknown`` where the change is outside of a function's body, because such code runs while the module is imported; and where no
test noticed the change, and the statement runs while tests are collected, because the fork does not collect them again.
"""

from __future__ import annotations

import ast
import gc
import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import _lru_cache_wrapper, lru_cache
from itertools import zip_longest
from pathlib import Path
from time import process_time
from types import CodeType, FunctionType
from typing import Any, TypeAlias

import pytest
from coverage import Coverage

from .jobs import Jobs, limit, run_in_fork
from .spans import Position, bodies, lines_of_statement

VARIABLE = "MUTANTS_TO_FORK"
RESULTS = NOTICED, UNNOTICED, UNKNOWN = "noticed", "unnoticed", "unknown"

#: The end of its module's path, and its qualified name and first line there.
_Function: TypeAlias = tuple[str, str, int]
#: A module, and a line there.
_Line: TypeAlias = tuple[str, int]
#: A test that takes so many seconds of CPU time, and so many times what it takes without a change, has noticed the change: it may never end.
_CPU, _TIMES = 5, 10


@dataclass(frozen=True)
class _Change:
    """A change of a function's body."""

    function: _Function
    #: The lines of the changed statement.
    lines: Sequence[_Line]
    #: The functions that were made of its definition, each with its new code.
    codes: Sequence[tuple[FunctionType, CodeType]]


@dataclass
class _Reached:
    """The tests that run each line, by their places among all tests."""

    items: Sequence[pytest.Item]
    tests: Mapping[_Line, Sequence[int]]
    #: The CPU time of each test.
    seconds: Sequence[float]
    #: The tests that noticed a mutant of the function, the latest first.
    noticed: dict[_Function, list[int]] = field(default_factory=lambda: defaultdict(list))

    def nearest(self, change: _Change) -> list[int]:
        """The tests that run the statement: first what noticed another mutant of the function, then a row of each test, the tests of the module's room
        first and the quickest first, then the next row of each.
        """
        reaching = {test for line in change.lines for test in self.tests.get(line, ())}
        room = Path(change.function[0]).relative_to("plugins/module_utils").parent
        places = {}
        rows: Counter[str] = Counter()
        for test in sorted(reaching, key=lambda test: (self.seconds[test], test)):
            name = self.items[test].nodeid.partition("[")[0]
            is_elsewhere = not self.items[test].path.parent.match(f"*/{room}")
            places[test] = rows[name], is_elsewhere, self.seconds[test]
            rows[name] += 1
        before = [test for test in self.noticed[change.function] if test in reaching]
        return list(dict.fromkeys((*before, *sorted(places, key=lambda test: places[test]))))


#: The lines that ran while the tests were collected.
_collecting: set[_Line] = set()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    modules = _modules(_asked())
    coverage = _coverage(modules)
    coverage.start()
    try:
        return (yield)
    finally:
        coverage.stop()
        _collecting.update(_lines(coverage, modules))


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    if session.testsfailed:
        raise session.Interrupted("a test cannot be collected")
    asked = _asked()
    modules = _modules(asked)
    functions = _functions(modules)
    file = Path(os.environ[VARIABLE])
    reached = _reached(session, modules, file.with_suffix(".reached"))
    jobs = Jobs(asked["jobs"])
    with file.with_suffix(".results").open("a", buffering=1) as results:
        for number, mutant in enumerate(asked["mutants"]):
            try:
                module = compile(mutant["source"], mutant["module"], "exec", dont_inherit=True)
            except SyntaxError:
                print(number, NOTICED, file=results)
                continue
            if (change := _change(mutant, module, functions)) is None:
                print(number, UNKNOWN, file=results)
                continue
            tests = reached.nearest(change)

            def ended(failed: str | None, number: int = number, change: _Change = change) -> None:
                if failed:
                    reached.noticed[change.function].insert(0, int(failed))
                is_told = failed is not None or _collecting.isdisjoint(change.lines)
                print(number, UNKNOWN if not is_told else UNNOTICED if failed is None else NOTICED, file=results)

            jobs.start(lambda change=change, tests=tests: _first_to_fail(reached, change, tests), ended)  # type: ignore[misc]
        jobs.wait()
    return True


def _asked() -> Any:
    return json.loads(Path(os.environ[VARIABLE]).read_text())


def _modules(asked: Mapping[str, Any]) -> set[str]:
    return {mutant["module"] for mutant in asked["mutants"]}


def _functions(modules: set[str]) -> dict[_Function, list[FunctionType]]:
    """The functions of these modules, with all that were made of one definition."""
    found: defaultdict[_Function, list[FunctionType]] = defaultdict(list)
    gc.unfreeze()  # what is frozen is not listed
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType):
            code = thing.__code__
            for module in modules:
                if code.co_filename.endswith(module):
                    found[_key(module, code)].append(thing)
    gc.freeze()
    return dict(found)


def _key(module: str, code: CodeType) -> _Function:
    return module, code.co_qualname, code.co_firstlineno


def _change(
    mutant: Mapping[str, Any], changed: CodeType, functions: Mapping[_Function, Sequence[FunctionType]]
) -> _Change | None:
    """The change, of which this is the module's code; None where it is no function's body that is changed."""
    module, begin = mutant["module"], tuple(mutant["begin"])
    first_lines = [first for first, body, end in _bodies(module) if body <= begin <= end]
    for code in _codes(changed):
        key = _key(module, code)
        if code.co_firstlineno in first_lines and key in functions:
            made = functions[key]
            codes = [(one, code.replace(co_filename=one.__code__.co_filename)) for one in made]
            return _Change(key, _lines_of_statement(module, begin[0]), codes)
    return None


@lru_cache(maxsize=1)
def _tree(module: str) -> ast.Module:
    return ast.parse(Path(module).read_text())


@lru_cache(maxsize=1)
def _bodies(module: str) -> Sequence[tuple[int, Position, Position]]:
    return list(bodies(_tree(module)))


@lru_cache(maxsize=1)
def _lines_of_statement(module: str, line: int) -> Sequence[_Line]:
    return [(module, other) for other in lines_of_statement(_tree(module), line)]


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def _reached(session: pytest.Session, modules: set[str], file: Path) -> _Reached:
    """Runs every test without a mutation, in a fork: all have to pass."""

    def run() -> str | None:
        coverage = _coverage(modules)
        coverage.start()
        seconds = []
        for number, (item, following) in enumerate(zip_longest(session.items, session.items[1:])):
            # A function that remembers its results would be called for the first test only.
            for thing in caches:
                thing.cache_clear()
            begun = process_time()
            coverage.switch_context(str(number))
            _run(item, following)
            seconds.append(process_time() - begun)
            if session.testsfailed:
                return str(number)
        coverage.stop()
        file.write_text(json.dumps([[[line, tests] for line, tests in _lines(coverage, modules).items()], seconds]))
        return None

    caches = _caches()
    failed = run_in_fork(run)
    if failed is not None:
        name = session.items[int(failed)].nodeid if failed else "a test"
        pytest.exit(f"{name} fails without any mutation", returncode=1)
    found, seconds = json.loads(file.read_text())
    return _Reached(session.items, {tuple(line): tests for line, tests in found}, seconds)


def _coverage(modules: set[str]) -> Coverage:
    return Coverage(data_file=None, config_file=False, include=[f"*/{module}" for module in modules], messages=False)


def _lines(coverage: Coverage, modules: set[str]) -> Mapping[_Line, Sequence[int]]:
    """The lines that ran, each with the tests that ran it."""
    data = coverage.get_data()
    found: defaultdict[_Line, list[int]] = defaultdict(list)
    for module in modules:
        for path in data.measured_files():
            if path.endswith(module):
                for line, tests in data.contexts_by_lineno(path).items():
                    found[module, line].extend(int(test) for test in tests if test)
    return found


def _caches() -> Sequence[_lru_cache_wrapper[Any]]:
    """The functions of the collection that remember results, which have forgotten what they remember."""
    gc.unfreeze()
    found = [thing for thing in gc.get_objects() if isinstance(thing, _lru_cache_wrapper) and _is_ours(thing)]
    for thing in found:
        thing.cache_clear()
    gc.freeze()
    return found


def _is_ours(cached: _lru_cache_wrapper[Any]) -> bool:
    code = getattr(cached.__wrapped__, "__code__", None)
    return code is not None and "plugins/module_utils/" in code.co_filename


def _run(item: pytest.Item, following: pytest.Item | None) -> None:
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)


def _first_to_fail(reached: _Reached, change: _Change, tests: Sequence[int]) -> str | None:
    for function, code in change.codes:
        function.__code__ = code
    for test, following in zip_longest(tests, tests[1:]):
        limit(_CPU + _TIMES * reached.seconds[test])
        _run(reached.items[test], None if following is None else reached.items[following])
        if reached.items[test].session.testsfailed:
            return str(test)
    return None

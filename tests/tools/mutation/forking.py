# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plugin for pytest: it runs the tests once for each mutant, in forks of this process, which has imported and collected everything.

A fork gives the changed function its new code, wherever the function is referred to, and runs the tests that call the function until one fails. The
plugin reads the mutants from the file that VARIABLE names, and writes the result of each into it. The result is ``unknown`` where the change is outside of a
function's body, because such code runs while the module is imported; and where no test noticed the change, and the function is called while tests are
collected, because the fork does not collect them again.
"""

from __future__ import annotations

import ast
import gc
import json
import os
import resource
import sys
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import _lru_cache_wrapper, lru_cache
from pathlib import Path
from time import process_time
from types import CodeType, FrameType, FunctionType
from typing import Any, TypeAlias

import pytest

VARIABLE = "MUTANTS_TO_FORK"
RESULTS = NOTICED, UNNOTICED, UNKNOWN = "noticed", "unnoticed", "unknown"

#: The end of its module's path, and its qualified name and first line there.
_Function: TypeAlias = tuple[str, str, int]
#: Seconds of CPU time for all tests of a mutant, and bytes for its data: a mutant that takes more has been noticed.
_CPU, _MEMORY = 600, 4 << 30
_FAILED, _BROKEN = 1, 2
#: In place of the test that failed, where the fork was killed.
_NONE = -1


@dataclass
class _Calls:
    """The tests that call each function, by their places among all tests."""

    items: Sequence[pytest.Item]
    tests: Mapping[_Function, Sequence[int]]
    #: The CPU time of each test.
    seconds: Sequence[float]
    #: The tests that noticed a mutant of the function, the latest first.
    noticed: dict[_Function, list[int]] = field(default_factory=lambda: defaultdict(list))

    def nearest(self, function: _Function) -> list[int]:
        """The tests that call the function: first what noticed another mutant of it, then a row of each test, the tests of the module's room first and
        the quickest first, then the next row of each.
        """
        room = Path(function[0]).relative_to("plugins/module_utils").parent
        places = {}
        rows: Counter[str] = Counter()
        for test in sorted(self.tests.get(function, ()), key=lambda test: self.seconds[test]):
            name = self.items[test].nodeid.partition("[")[0]
            is_elsewhere = not self.items[test].path.parent.match(f"*/{room}")
            places[test] = rows[name], is_elsewhere, self.seconds[test]
            rows[name] += 1
        return list(dict.fromkeys((*self.noticed[function], *sorted(places, key=lambda test: places[test]))))

    def note(self, function: _Function, test: int) -> None:
        if test != _NONE:
            self.noticed[function].insert(0, test)


#: The code that ran while the tests were collected, by its identity.
_collecting: dict[int, CodeType] = {}


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    with _noted(_collecting):
        return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    if session.testsfailed:
        raise session.Interrupted("a test cannot be collected")
    file = Path(os.environ[VARIABLE])
    asked = json.loads(file.read_text())
    functions = _functions({mutant["module"] for mutant in asked["mutants"]})
    calls = _calls(session, functions, file.with_suffix(".calls"))
    jobs = _Jobs(asked["jobs"])
    results = [UNKNOWN] * len(asked["mutants"])
    for number, mutant in enumerate(asked["mutants"]):
        if (change := _change(mutant, functions)) is None:
            continue
        key, changes = change
        tests = calls.nearest(key)

        def ended(failed: int | None, number: int = number, key: _Function = key) -> None:
            if failed is not None:
                results[number] = NOTICED
                calls.note(key, failed)
            elif not any(id(function.__code__) in _collecting for function in functions[key]):
                results[number] = UNNOTICED

        jobs.start(lambda changes=changes, tests=tests: _first_to_fail(session, changes, tests), ended)  # type: ignore[misc]
    jobs.wait()
    file.write_text(json.dumps(results))
    return True


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
    mutant: Mapping[str, Any], functions: Mapping[_Function, Sequence[FunctionType]]
) -> tuple[_Function, Sequence[tuple[FunctionType, CodeType]]] | None:
    """The changed function, and what is changed; None where it is no function's body that is changed."""
    module = mutant["module"]
    begins = [first for first, begin, end in _bodies(module) if begin <= tuple(mutant["begin"]) <= end]
    try:
        codes = list(_codes(compile(mutant["source"], module, "exec", dont_inherit=True)))
    except SyntaxError:
        return None
    for code in codes:
        key = _key(module, code)
        if code.co_firstlineno in begins and key in functions:
            return key, [
                (function, code.replace(co_filename=function.__code__.co_filename)) for function in functions[key]
            ]
    return None


@lru_cache(maxsize=1)
def _bodies(module: str) -> Sequence[tuple[int, tuple[int, int], tuple[int, int]]]:
    """The first line of each function that is in no other function, decorators included, and where its body begins and ends."""
    return list(_bodies_below(ast.parse(Path(module).read_text())))


def _bodies_below(node: ast.AST) -> Iterator[tuple[int, tuple[int, int], tuple[int, int]]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            first = min([child.lineno, *(decorator.lineno for decorator in child.decorator_list)])
            begin, last = child.body[0], child.body[-1]
            assert last.end_lineno is not None
            assert last.end_col_offset is not None
            yield first, (begin.lineno, begin.col_offset), (last.end_lineno, last.end_col_offset)
        else:
            yield from _bodies_below(child)


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def _calls(session: pytest.Session, functions: Mapping[_Function, Sequence[FunctionType]], file: Path) -> _Calls:
    """Runs every test without a mutation, in a fork: all have to pass."""
    keys = {id(made.__code__): key for key, all_made in functions.items() for made in all_made}

    def run() -> int | None:
        tests: defaultdict[_Function, list[int]] = defaultdict(list)
        seconds = []
        for number, following in enumerate([*session.items[1:], None]):
            # A function that remembers its results would be called for the first test only.
            for thing in caches:
                thing.cache_clear()
            begun = process_time()
            called: dict[int, CodeType] = {}
            with _noted(called):
                _run(session.items[number], following)
            for key in {keys[code] for code in called if code in keys}:
                tests[key].append(number)
            seconds.append(process_time() - begun)
            if session.testsfailed:
                return number
        file.write_text(json.dumps([[[key, found] for key, found in tests.items()], seconds]))
        return None

    caches = _caches()
    failures: list[int | None] = []
    jobs = _Jobs(1, limited=False)
    jobs.start(run, failures.append)
    jobs.wait()
    (failed,) = failures
    if failed is not None:
        name = "a test" if failed == _NONE else session.items[failed].nodeid
        pytest.exit(f"{name} fails without any mutation", returncode=1)
    found, seconds = json.loads(file.read_text())
    return _Calls(session.items, {tuple(key): tests for key, tests in found}, seconds)


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


@contextmanager
def _noted(called: dict[int, CodeType]) -> Iterator[None]:
    """Adds the code that runs meanwhile, by its identity: to compare code takes long."""

    def note(frame: FrameType, _event: str, _argument: object) -> None:
        called[id(frame.f_code)] = frame.f_code

    sys.settrace(note)
    try:
        yield
    finally:
        sys.settrace(None)


def _run(item: pytest.Item, following: pytest.Item | None) -> None:
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)


def _first_to_fail(
    session: pytest.Session, changes: Sequence[tuple[FunctionType, CodeType]], tests: Sequence[int]
) -> int | None:
    for function, code in changes:
        function.__code__ = code
    for test, following in zip(tests, [*tests[1:], None], strict=False):
        _run(session.items[test], None if following is None else session.items[following])
        if session.testsfailed:
            return test
    return None


class _Jobs:
    """Forks of this process, some at a time. Each tells the first test that failed, _NONE where the fork was killed, or None."""

    def __init__(self, at_once: int, *, limited: bool = True) -> None:
        self._at_once = at_once
        self._limited = limited
        self._running: dict[int, tuple[int, Callable[[int | None], None]]] = {}

    def start(self, work: Callable[[], int | None], ended: Callable[[int | None], None]) -> None:
        while len(self._running) >= self._at_once:
            self._wait_for_one()
        reading, writing = os.pipe()
        if (pid := os.fork()) == 0:
            self._work(work, writing)
        os.close(writing)
        self._running[pid] = reading, ended

    def wait(self) -> None:
        while self._running:
            self._wait_for_one()

    def _wait_for_one(self) -> None:
        pid, status = os.wait()
        reading, ended = self._running.pop(pid)
        with os.fdopen(reading) as pipe:
            told = pipe.read()
        code = os.waitstatus_to_exitcode(status)
        if code == _BROKEN:
            raise RuntimeError(told)
        ended(None if code == 0 else int(told) if code == _FAILED else _NONE)

    def _work(self, work: Callable[[], int | None], writing: int) -> None:
        """In the fork; never returns."""
        code, told = _BROKEN, ""
        try:
            silent = os.open(os.devnull, os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(silent, descriptor)
            if self._limited:
                resource.setrlimit(resource.RLIMIT_CPU, (_CPU, _CPU))
                resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
            failed = work()
            code, told = (0, "") if failed is None else (_FAILED, str(failed))
        except BaseException:  # whatever it is: this process ends here
            told = traceback.format_exc()
        finally:
            os.write(writing, told.encode()[-4000:])
            os._exit(code)

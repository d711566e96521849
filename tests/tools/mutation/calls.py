# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A plugin for pytest: writes down which tests call which function, to where TESTS_THAT_CALL says.

A test that does not call what was changed cannot notice it, unless something remembers results; so these tests are
asked before all others, and all others where none of these fails.
"""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest

VARIABLE = "TESTS_THAT_CALL"

#: By the file of a function and the line on which it begins, with its decorators: tests, without their parameters.
_callers: defaultdict[tuple[str, int], set[str]] = defaultdict(set)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    called: set[tuple[str, int]] = set()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            called.add((frame.f_code.co_filename, frame.f_code.co_firstlineno))

    sys.setprofile(note)
    try:
        return (yield)
    finally:
        sys.setprofile(None)
        test = item.nodeid.partition("[")[0]
        for function in called:
            _callers[function].add(test)


def pytest_sessionfinish() -> None:
    found: defaultdict[str, dict[int, list[str]]] = defaultdict(dict)
    for (file, line), tests in _callers.items():
        if "plugins/module_utils/" in file:
            found[file[file.index("plugins/module_utils/") :]][line] = sorted(tests)
    Path(os.environ[VARIABLE]).write_text(json.dumps(found))

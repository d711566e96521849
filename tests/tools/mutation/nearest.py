# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``python -m tests.tools.mutation.nearest CALLS ORIGINAL CHANGED [OPTION ...]``: run the tests that call the function that was
changed; none where it is no function that was changed.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

import pytest


def main(calls: str, original: str, changed: str, *options: str) -> int:
    before, after = Path(original).read_text(), Path(changed).read_text()
    callers: Mapping[str, Sequence[str]] = json.loads(Path(calls).read_text()).get(changed, {})
    tests = sorted({test for line in changed_functions(before, after) for test in callers.get(str(line), ())})
    return int(pytest.main([*tests, *options])) if tests else 0


def changed_functions(before: str, after: str) -> Iterator[int]:
    """The lines on which those functions begin in which one text differs from the other."""
    spans = [
        (min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]), node.end_lineno or node.lineno)
        for node in ast.walk(ast.parse(before))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    ]
    lines = zip_longest(before.splitlines(), after.splitlines())
    number = next((number for number, (old, new) in enumerate(lines, start=1) if old != new), 0)
    yield from (first for first, last in spans if first <= number <= last)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The check finds everything in docs/architecture.md that is not so."""

from __future__ import annotations

from pathlib import Path

import pytest

from .architecture import problems

TABLES = """# Where what is

## `tests/`

| folder | what is in it |
|---|---|
| `unit/` | pure code |

## `plugins/module_utils/_trust/`

| folder | what is in it |
|---|---|
| `model/` | values |
| `model/steps/` | the steps |

See `_trust/model/ledger.py`, and `tests/unit/`.
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for file in (
        "docs/architecture.md", "tests/unit/test_states.py", "tests/unit/__pycache__/test_states.pyc", "tests/output/log",
        "plugins/module_utils/_trust/model/ledger.py", "plugins/module_utils/_trust/model/steps/leaves.py",
    ):  # fmt: skip
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    return tmp_path


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("nothing", "nothing", ""),
        ("| `unit/` | pure code |", "", "the table of tests/ lacks unit/"),
        ("| `model/steps/` | the steps |", "", "the table of plugins/module_utils/_trust/ lacks model/steps/"),
        ("pure code |", "pure code |\n| `flows/` | flows |", "the table of tests/ names flows/, which does not exist"),
        ("| pure code |", "|  |", "the table of tests/ says nothing of unit/"),
        ("ledger.py", "edges.py", "there is no _trust/model/edges.py"),
    ],
)
def test_tables_and_paths_are_compared_with_the_tree(old: str, new: str, problem: str, tree: Path) -> None:
    (tree / "docs" / "architecture.md").write_text(TABLES.replace(old, new))
    assert list(problems(tree)) == ([problem] if problem else [])

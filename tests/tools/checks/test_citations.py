# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Citations that lead somewhere pass, and each kind that leads nowhere is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from .citations import Documents, problems, read_documents

DOCUMENTS = Documents(
    {
        "operator.md": frozenset({"Pause", "Pod sets", "What each process trusts"}),
        "design.md": frozenset(),
        "below/here.md": frozenset({"States"}),
    },
    frozenset({"5"}),
    frozenset({"plugins/_room/here.py", "_room/here.py", "here.py", "_room/__init__.py", "__init__.py"}),
)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "docs" / "below").mkdir(parents=True)
    (tmp_path / "docs" / "below" / "here.md").write_text("# Here\n\n## States\n")
    (tmp_path / "docs" / "operator.md").write_text("# Facts\n\n## What each process trusts\n")
    (tmp_path / "docs" / "design.md").write_text("# Design\n\n- **I5** Unknown evidence holds.\n")
    return tmp_path


def _found(text: str, repository: Path, name: str = "some.py") -> list[str]:
    return list(problems(text, repository / "docs" / name, DOCUMENTS, repository))


@pytest.mark.parametrize(
    "text",
    [
        '(docs/operator.md, "Pause")',
        '(docs/operator.md, "Pause", "Pod sets").',
        'docs/operator.md, "Pause", step 3: all pods',
        'docs/operator.md, "Pause", steps 3 and 5, "Pod sets"',
        'docs/operator.md, "Pod sets" (c).',
        'a docstring (docs/operator.md,\n    "What each\n    process trusts") that goes on',
        'x = 1\n#: Of a comment (docs/operator.md, "What\n#: each process trusts").',
        '(docs/below/here.md, "States")',
        "see docs/below/here.md",
        "Unknown holds (I5).",
        "``_room/here.py`` and `here.py`",
        "``_room.here.Some``, ``_room.here`` and ``some.other.name``",
        "IPv4, I/O",
    ],
)
def test_a_citation_that_leads_somewhere_passes(text: str, repository: Path) -> None:
    assert _found(text, repository) == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('\n(docs/operator.md, "Pauses")', '2: docs/operator.md has no section "Pauses"'),
        ('docs/operator.md, "Pause",\n"Pods"', '1: docs/operator.md has no section "Pods"'),
        ('docs/operator.md, "Pause", step 3, "Pods"', '1: docs/operator.md has no section "Pods"'),
        ('operator.md, "Nothing"', '1: docs/operator.md has no section "Nothing"'),
        ('docs/below/here.md, "Pause"', '1: docs/below/here.md has no section "Pause"'),
        ('here.md, "States"', '1: docs/here.md has no section "States"'),
        ("see docs/gone.md", "1: there is no docs/gone.md"),
        ("see docs/below/gone.md", "1: there is no docs/below/gone.md"),
        ("fails closed (I11)", "1: docs/design.md states no invariant I11"),
        ("(strimzi.md 2.3 c)", "1: strimzi.md is a document that is not in this repository"),
        ("DESIGN section 3", "1: DESIGN is a document that is not in this repository"),
        ("``_room/gone.py``", "1: there is no _room/gone.py"),
        ("``other/here.py``", "1: there is no other/here.py"),
        ("``_room.gone.Some``", "1: there is no module _room.gone"),
        ("(spec/1)", "1: spec/1 is a document that is not in this repository"),
    ],
)
def test_a_citation_that_leads_nowhere_is_found(text: str, problem: str, repository: Path) -> None:
    assert _found(text, repository) == [problem]


def test_links_in_markdown(repository: Path) -> None:
    text = "[a](operator.md#what-each-process-trusts) [b](https://strimzi.io) [c](gone.md) [d](operator.md#pause)"
    assert _found(text, repository, "some.md") == ["1: there is no gone.md", "1: operator.md has no section #pause"]


def test_titles_and_invariants_are_read_from_the_documents(repository: Path) -> None:
    documents = read_documents(repository)
    assert documents.titles["operator.md"] == {"Facts", "What each process trusts"}
    assert documents.titles["below/here.md"] == {"Here", "States"}
    assert documents.invariants == {"5"}

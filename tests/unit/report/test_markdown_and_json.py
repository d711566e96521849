# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""report.md and report.json: the same figures, and names that cannot break them."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import pytest

from ...tools.support.golden import GoldenFiles
from ..filter.runs import NEW, OLD, ca, facts, label, nodes, rotation, seen
from .conftest import HOSTILE, HOSTILES, NAMES
from .pages import write_pages

every_report = pytest.mark.parametrize("name", NAMES)


def cells(line: str) -> int:
    return len(re.findall(r"(?<!\\)\|", line))


@every_report
def test_every_row_of_a_table_has_as_many_cells_as_its_head(written: Path, name: str) -> None:
    for table in re.findall(r"(?:^\|.*\n)+", (written / name / "report.md").read_text(), re.MULTILINE):
        assert len({cells(line) for line in table.splitlines()}) == 1


def test_the_markdown_tells_every_phase_every_ca_and_every_pod(written: Path) -> None:
    lines = (written / "done" / "report.md").read_text().splitlines()
    assert [line.split(" | ")[0] for line in lines if re.match(r"\| (prepare|trust|use|retire) ", line)] == [
        "| prepare", "| trust", "| use", "| retire",
    ]  # fmt: skip
    pods = lines[lines.index("## Pods") :]
    assert sum("| demo-kafka-" in line for line in pods) == 3
    assert sum("a" * 64 in line or "b" * 64 in line for line in lines) == 2


def test_the_markdown_draws_the_matrix(written: Path, golden: GoldenFiles) -> None:
    lines = (written / "asked" / "report.md").read_text().splitlines()
    begin = next(number for number, line in enumerate(lines) if line.startswith("| channel"))
    golden.compare_said("report_parts", "\n".join(itertools.takewhile(bool, lines[begin:])))


def test_pods_that_say_the_same_are_one_row_and_a_pod_that_differs_has_its_own(
    tmp_path: Path, golden: GoldenFiles
) -> None:
    last = nodes("d", range(500), presents=[label(NEW)], trusts=[label(NEW)])
    last[7] |= {"ready": False}
    calls = rotation(first=seen([ca(OLD)], nodes("a", range(500))), last=seen([ca(NEW)], last))
    write_pages(tmp_path / "large", facts(calls=calls))
    lines = (tmp_path / "large" / "report.md").read_text().splitlines()
    # The calls of the flow have restarted three nodes.
    rows = (line for line in lines[lines.index("## Pods") :] if line.startswith("| demo-kafka-"))
    golden.compare_said("report_parts", "\n".join(rows))


def test_the_json_has_every_channel(written: Path) -> None:
    found = json.loads((written / "asked" / "report.json").read_text())
    assert len([one for one in found["channels"] if one["kind"] == "listener"]) == 199
    assert found["look"]["seen_at"] == "2026-06-01T12:01:00Z"


def test_the_markdown_of_a_held_flow_begins_with_what_holds_it(written: Path) -> None:
    text = (written / "held" / "report.md").read_text()
    assert text.index("(docs/stops.md: trust)") < text.index("## CAs")


@pytest.mark.parametrize("name", HOSTILES)
def test_hostile_names_are_no_markup_and_no_template(written: Path, name: str) -> None:
    text = (written / name / "report.md").read_text()
    assert re.search(r"(?<!\\)[<`]", text) is None
    assert "{{ 6 * 7 }}" in text


def test_the_json_has_the_same_figures_as_the_page(written: Path) -> None:
    found = json.loads((written / "done" / "report.json").read_text())
    assert {name: found[name] for name in ("result", "rolls", "writes", "restarts", "removed_ca_trusted_by")} == {
        "result": "done", "rolls": 3, "writes": 4, "restarts": 9, "removed_ca_trusted_by": 0,
    }  # fmt: skip
    assert ([one["phase"] for one in found["phases"]], found["violations"]) == (
        ["prepare", "trust", "use", "retire"],
        [],
    )


def test_the_json_keeps_names_as_they_are(written: Path) -> None:
    found = json.loads((written / "hostile" / "report.json").read_text())
    assert found["cluster"]["name"] == found["cas"][1]["name"] == found["violations"][0]["remedy"] == HOSTILE


@pytest.mark.parametrize("name", NAMES)
def test_no_page_commands_a_terminal(written: Path, name: str) -> None:
    """A person who names a CA, or a program that answers with a message, writes into a page that a user opens in a terminal."""
    for file in sorted((written / name).iterdir()):
        text = file.read_text()
        assert {one for one in text if not one.isprintable() and one != "\n"} == set(), file.name
        assert bool(re.search(r"he\\+1B\\?\[2J", text)) is (name == "commanding")

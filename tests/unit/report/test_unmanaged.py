# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Listeners that trust whom their owner says are in the report, for whoever has to see to them."""

from __future__ import annotations

from pathlib import Path

from ..filter.runs import NEW, ca, facts, nodes, rotation, seen
from .pages import page_of, write_pages

TOLD = "Kafka kafka/demo: this collection neither asks nor reloads listener own (9094)."


def test_they_are_in_every_form(tmp_path: Path) -> None:
    found = facts(rotation(last=seen([ca(NEW)], nodes("d"), unmanaged=[TOLD])))
    assert found["unmanaged"] == [TOLD]
    write_pages(tmp_path / "report", found)
    assert f"- {TOLD}" in (tmp_path / "report" / "report.md").read_text().splitlines()
    assert TOLD in page_of(tmp_path / "report").texts


def test_a_cluster_without_any() -> None:
    assert facts(rotation())["unmanaged"] == []

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients outside the cluster in the report: an audit finds who was let pass, until when and why."""

from __future__ import annotations

from pathlib import Path

from ..filter.runs import NEW, OLD, ca, facts, label, nodes, rotation, seen
from .pages import page_of, write_pages

CLIENTS = [
    {"client": "KafkaBridge kafka/bridge", "trusts": [label(OLD), label(NEW)], "doubt": "", "waiver": None},
    {
        "client": "KafkaConnect kafka/connect", "trusts": [], "doubt": "its copy does not exist",
        "waiver": {"until": "2026-12-24T18:00:00Z", "reason": "moves in week 51"},
    },
]  # fmt: skip


def test_every_client_with_its_waiver_is_in_every_form(tmp_path: Path) -> None:
    found = facts(rotation(last=seen([ca(NEW)], nodes("d"), outside=CLIENTS)))
    assert found["outside"] == CLIENTS
    write_pages(tmp_path / "report", found)
    told = "until 2026-12-24T18:00:00Z: moves in week 51"
    lines = (tmp_path / "report" / "report.md").read_text().splitlines()
    assert f"| KafkaConnect kafka/connect | nothing known | its copy does not exist | {told} |" in lines
    assert {"KafkaConnect kafka/connect", "KafkaBridge kafka/bridge", told} <= set(page_of(tmp_path / "report").texts)


def test_without_any_there_is_no_table(tmp_path: Path) -> None:
    write_pages(tmp_path / "report", facts(rotation()))
    assert "outside the cluster" not in (tmp_path / "report" / "report.md").read_text()


PRESENTERS = {
    "count": 7,
    "others": [
        {
            "name": "Pod kafka/billing", "presents": [label(OLD)], "evidence": "it has not read it", "awaits_certificate": False,
            "waiver": None,
        },
        {
            "name": "KafkaUser kafka/partner", "presents": [], "evidence": "somebody else issues it", "awaits_certificate": False,
            "waiver": {"until": "2026-12-24T18:00:00Z", "reason": "told by phone"},
        },
    ],
}  # fmt: skip


def test_whoever_presents_something_else_is_in_every_form(tmp_path: Path) -> None:
    found = facts(rotation(last=seen([ca(NEW)], nodes("d"), presenters=PRESENTERS)))
    assert found["presenters"] == PRESENTERS
    write_pages(tmp_path / "report", found)
    told = "until 2026-12-24T18:00:00Z: told by phone"
    text = (tmp_path / "report" / "report.md").read_text()
    assert "5 present certificates of the CA in use, or none." in text
    assert f"| KafkaUser kafka/partner | unknown | somebody else issues it | {told} |" in text.splitlines()
    assert {"Pod kafka/billing", "KafkaUser kafka/partner", told} <= set(page_of(tmp_path / "report").texts)


def test_of_the_cluster_ca_there_are_none(tmp_path: Path) -> None:
    write_pages(tmp_path / "report", facts(rotation()))
    assert "log in" not in (tmp_path / "report" / "report.md").read_text()

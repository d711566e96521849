# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A replacement that renews the CA first warns once of clients that keep the certificate from before: on the console, and in the report."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.filter.report import report
from ansible_collections.trustops.strimzi.plugins.filter.report_view import report_view

from ...tools.support.memory_cluster import MemoryCluster
from ...tools.support.reloads import ReloadingNodes
from ..report.pages import page_of, write_pages
from . import stages
from .fast_clock import FastClock
from .running import Ended, call
from .test_info import told_by

Reading = Callable[[MemoryCluster], ReloadingNodes]
OPTION = "strimzi_raise_path_length"
#: The calls of the role ``replace_key``, in their order.
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("strimzi_ca_info", {"goal": "replace_key"}),
    ("strimzi_ca", stages.PREPARED),
    ("strimzi_trusted_certs", {}),
    ("strimzi_ee_cert", {}),
    ("strimzi_roll", {}),
    ("strimzi_ca", {"state": "promoted"}),
    ("strimzi_trusted_certs", {"state": "retired"}),
)


def adopted(**options: Any) -> MemoryCluster:
    """A cluster whose CA is as the operator has made it, with path length 0, unless the adoption raises that."""
    memory = stages.generated()
    stages.done(memory, "strimzi_ca", state="adopted", **options)
    return memory


def replaced(memory: MemoryCluster) -> list[Ended]:
    return [stages.done(memory, module, **options) for module, options in CALLS]


def about_clients(ended: Ended) -> list[str]:
    return [warning for warning in ended.warnings if "refuse each node" in warning]


def test_the_calls_of_a_replacement_give_one_warning(reading: Reading, tmp_path: Path) -> None:
    memory = adopted()
    reading(memory)
    calls = replaced(memory)
    told = [about_clients(ended) for ended in calls]
    assert all(ended.result["client_warnings"] == found for ended, found in zip(calls, told, strict=True))
    # Before the first node takes up the next CA; Ansible shows each once.
    assert [bool(found) for found in told] == [False, True, True, True, True, False, False]
    (warning,) = {sentence for found in told for sentence in found}
    (current,) = [ca for ca in calls[1].result["cas"] if ca["current"]]
    since = current["led_on_since"].replace("T", " ").rstrip("Z")
    assert (f"from before {since} UTC" in warning, OPTION in warning) == (True, True)
    assert "librdkafka" in warning
    facts = report([ended.result for ended in calls], goal="replace_key")
    assert facts["client_warnings"] == [warning]
    write_pages(tmp_path / "report", facts)
    assert (tmp_path / "report" / "report.md").read_text().count(OPTION) == 1
    assert page_of(tmp_path / "report").texts.count(warning) == 1
    # The lines that the role shows on the console do not repeat it.
    assert OPTION not in " ".join(report_view(facts)["lines"])


def test_a_replacement_of_an_earlier_renewed_ca_gives_none(reading: Reading, monkeypatch: pytest.MonkeyPatch) -> None:
    """The adoption has raised the path length, and clients have had their time."""
    memory = adopted(raise_path_length=True)
    reading(memory)
    stages.done(memory, "strimzi_roll")
    monkeypatch.setattr(FastClock, "passed", FastClock.passed + timedelta(minutes=3))
    calls = replaced(memory)
    assert {
        sentence for ended in calls for sentence in (*about_clients(ended), *ended.result["client_warnings"])
    } == set()


@pytest.mark.parametrize("module", ["strimzi_ca_info", "strimzi_ca"])
def test_its_plan_says_so_among_its_reasons(module: str) -> None:
    options = {"goal": "replace_key"} if module == "strimzi_ca_info" else {"state": "replaced"}
    planned = call(module, adopted(), check=True, **options)
    assert sum(OPTION in reason for reason in planned.result["choices"]) == 1
    assert planned.result["client_warnings"] == []


def test_a_plan_shows_it_on_the_console(tmp_path: Path) -> None:
    lines = told_by(adopted(), tmp_path, goal="replace_key", check=True)
    assert sum(OPTION in line for line in lines) == 1

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lines of each plan, as the role plan and check mode show them, and the page of the role status."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ...tools.support.golden import GoldenFiles, without_chance
from ...tools.support.memory_cluster import MemoryCluster
from ...tools.support.reloads import ReloadingNodes
from . import stages
from .running import call
from .test_golden_console import ELSEWHERE, NEW_KEY, Begin, aged, at, lost_key, spoilt
from .test_info import rendered, told_by
from .test_outside_clients import with_connect
from .test_remedies import unready


@dataclass(frozen=True)
class Plan:
    goal: str
    #: Makes the cluster.
    begin: Begin = lambda _patch: stages.managed()
    options: Mapping[str, Any] = field(default_factory=dict)
    #: Whether nodes can be asked and read again.
    reads: bool = True


PLANS = {
    "create": Plan("create", at(MemoryCluster), reads=False),
    "upgrade": Plan("upgrade", at(stages.generated), reads=False),
    "renew": Plan("renew", options=NEW_KEY),
    "renew, no node can be asked": Plan("renew", options=NEW_KEY, reads=False),
    "renew_leaves": Plan("renew_leaves", aged, {"renew_before_days": 400}),
    "renew_leaves, nothing to do": Plan("renew_leaves"),
    "replace_key": Plan("replace_key", options=NEW_KEY),
    "replace_key, no node can be asked": Plan("replace_key", options=NEW_KEY, reads=False),
    "replace_key, the key is kept elsewhere": Plan("replace_key", options=ELSEWHERE),
    "replace_key, held": Plan("replace_key", spoilt(unready), NEW_KEY),
    "replace_key, a client holds the flow": Plan("replace_key", spoilt(with_connect), NEW_KEY),
    "reconcile, in a replacement": Plan("reconcile", at(stages.prepared)),
    "abort": Plan("abort", at(stages.issued)),
    "recover": Plan("recover", at(lost_key)),
    "downgrade": Plan("downgrade"),
}
#: The cluster on the page of status, by its name.
PAGES = {
    "status": stages.managed,
    "status, generated": stages.generated,
    "status, in a replacement": stages.issued,
    "status, requests are open": stages.asked,
    "status, a Secret is lost": lost_key,
}
#: The sections that test_info.py compares.
LAST_LINES = tuple(
    f"status, the last line, {stage}" for stage in ("generated", "managed", "lost", "looked after", "stopped")
)


@pytest.mark.parametrize("name", PLANS)
def test_a_plan_shows_what_the_golden_file_says(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    reading: Callable[[MemoryCluster], ReloadingNodes],
    golden: GoldenFiles,
) -> None:
    plan = PLANS[name]
    memory = plan.begin(monkeypatch)
    if plan.reads:
        reading(memory)
    lines = told_by(memory, tmp_path, check=True, goal=plan.goal, **plan.options)
    golden.compare("plan", name, without_chance("\n".join(lines)))


@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_status_shows_what_the_golden_file_says(name: str, golden: GoldenFiles) -> None:
    lines = rendered(call("strimzi_ca_info", PAGES[name]()).result, {}, everything=True)
    golden.compare("plan", name, without_chance("\n".join(lines)))


def test_the_golden_file_has_no_other_section(golden: GoldenFiles) -> None:
    golden.compare_names("plan", [*PLANS, *PAGES, *LAST_LINES])

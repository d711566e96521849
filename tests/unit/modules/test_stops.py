# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A task that stops a flow for an approval, and the tasks that run beside it."""

from __future__ import annotations

from typing import Any

import pytest

from ...support.memory_cluster import MemoryCluster
from . import stages
from .running import Ended, call

STOPPED = {"state": "replaced", "until_phase": "prepare", "fresh_for_hours": 0, **stages.FAST}


@pytest.fixture
def stopped() -> MemoryCluster:
    memory = stages.managed()
    asked = stages.done(memory, "strimzi_ca", **STOPPED)
    assert asked.result["journal"]["stop"]["after"] == "prepare"
    return memory


def told(ended: Ended) -> bool:
    return "stops after the phase prepare, as asked for on " in " ".join(ended.result["waiting"])


GREEN = [
    ("strimzi_ca", {"state": "present"}),
    ("strimzi_ca", {"state": "present", "renew_before_days": 4000}),
    ("strimzi_ee_cert", {"state": "renewed"}),
    ("strimzi_trusted_certs", {"state": "retired"}),
    ("strimzi_roll", {}),
    ("strimzi_ca_info", {}),
]
#: They ask for a state that lies past the stop.
FAILING = [
    ("strimzi_ca", {"state": "promoted"}),
    ("strimzi_ca", {"state": "renewed"}),
    ("strimzi_ca", {"state": "handed_back"}),
    ("strimzi_ee_cert", {"state": "issued"}),
]


@pytest.mark.parametrize(("module", "options"), GREEN)
def test_what_a_schedule_runs_says_where_it_stops(stopped: MemoryCluster, module: str, options: dict[str, Any]) -> None:
    ended = stages.done(stopped, module, **options)
    assert (ended.writes_but_lease, ended.result["changed"], told(ended)) == ([], False, True)
    assert ended.result["journal"]["stop"]["after"] == "prepare"


@pytest.mark.parametrize(("module", "options"), FAILING)
def test_what_asks_for_more_fails(stopped: MemoryCluster, module: str, options: dict[str, Any]) -> None:
    ended = call(module, stopped, **options)
    assert (ended.failed, ended.writes_but_lease) == (True, [])


def test_why_it_fails(stopped: MemoryCluster) -> None:
    message = call("strimzi_ca", stopped, state="promoted").result["msg"]
    assert "what this task asks for is not so yet. Left: issue 7 certificates" in message
    assert "stops after the phase prepare, as asked for on " in message
    assert "continue_stopped=true" in message


@pytest.mark.parametrize(
    ("module", "options"),
    [
        ("strimzi_ca", {**STOPPED, "until_phase": "retire"}),
        ("strimzi_trusted_certs", {"state": "retired", "continue_stopped": True}),
    ],
)
def test_what_leads_it_on(stopped: MemoryCluster, module: str, options: dict[str, Any]) -> None:
    ended = stages.done(stopped, module, **options)
    assert ended.result["done"]
    assert [one["state"] for one in ended.result["cas"]] == ["TRUSTED_IN_USE_ALL"]
    assert ended.result["journal"]["stop"] is None


def test_it_is_led_to_the_next_stop(stopped: MemoryCluster) -> None:
    ended = stages.done(stopped, "strimzi_ca", **{**STOPPED, "until_phase": "use"})
    assert ended.result["journal"]["stop"]["after"] == "use"
    again = stages.done(stopped, "strimzi_ca", **{**STOPPED, "until_phase": "use"})
    assert (again.writes, again.result["journal"]) == ([], ended.result["journal"])


def test_a_task_that_others_follow_is_no_stop() -> None:
    memory = stages.prepared()
    assert stages.done(memory, "strimzi_ca_info").result["journal"]["stop"] is None


def test_a_task_that_others_follow_begins_a_flow_that_stops_later() -> None:
    memory = stages.managed()
    ended = stages.done(memory, "strimzi_ca", **{**STOPPED, "until_phase": "use"}, ends_after="prepare")
    assert ended.result["journal"]["stop"]["after"] == "use"
    assert {one["state"] for one in ended.result["cas"]} == {"TRUSTED_IN_USE_ALL", "TRUSTED_UNUSED"}


def test_a_flow_that_was_killed_before_its_stop_is_brought_there(stopped: MemoryCluster) -> None:
    """By whatever comes next."""
    stages.done(stopped, "strimzi_ca", **{**STOPPED, "until_phase": "use"}, ends_after="prepare")
    ended = stages.done(stopped, "strimzi_trusted_certs", state="retired")
    assert ended.result["changed"]
    assert "stops after the phase use" in ended.result["waiting"][-1]
    assert len(ended.result["cas"]) == 2

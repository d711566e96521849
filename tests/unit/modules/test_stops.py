# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A task that stops a flow for an approval, the tasks that run beside it, and a task that finishes a flow of before."""

from __future__ import annotations

from typing import Any

import pytest

from ...tools.support.golden import GoldenFiles, without_chance
from ...tools.support.memory_cluster import MemoryCluster
from . import stages
from .running import call, refusing

STOPPED = {"state": "replaced", "until_phase": "prepare", "fresh_for_hours": 0, **stages.FAST}


@pytest.fixture
def stopped() -> MemoryCluster:
    memory = stages.managed()
    asked = stages.done(memory, "strimzi_ca", **STOPPED)
    assert asked.result["journal"]["stop"]["after"] == "prepare"
    return memory


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
def test_scheduled_calls_name_the_stop_of_the_flow(
    stopped: MemoryCluster, module: str, options: dict[str, Any]
) -> None:
    ended = stages.done(stopped, module, **options)
    assert (ended.writes_but_lease, ended.result["changed"], len(ended.result["waiting"])) == ([], False, 1)
    assert ended.result["journal"]["stop"]["after"] == "prepare"


@pytest.mark.parametrize(("module", "options"), FAILING)
def test_a_call_that_would_pass_the_stop_fails(stopped: MemoryCluster, module: str, options: dict[str, Any]) -> None:
    ended = call(module, stopped, **options)
    assert (ended.failed, ended.writes_but_lease) == (True, [])


def test_why_it_fails(stopped: MemoryCluster, golden: GoldenFiles) -> None:
    message = call("strimzi_ca", stopped, state="promoted").result["msg"]
    golden.compare("console", "a task past a stop", without_chance(message))


@pytest.mark.parametrize(
    ("module", "options"),
    [
        ("strimzi_ca", {**STOPPED, "until_phase": "retire"}),
        ("strimzi_trusted_certs", {"state": "retired", "continue_stopped": True}),
    ],
)
def test_its_own_playbook_and_continue_stopped_lead_a_flow_on(
    stopped: MemoryCluster, module: str, options: dict[str, Any]
) -> None:
    ended = stages.done(stopped, module, **options)
    assert ended.result["done"]
    assert [one["state"] for one in ended.result["cas"]] == ["TRUSTED_IN_USE_ALL"]
    assert ended.result["journal"]["stop"] is None


def test_a_stopped_flow_is_led_to_the_next_stop(stopped: MemoryCluster) -> None:
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
    assert ended.result["journal"]["stop"]["after"] == "use"
    assert len(ended.result["cas"]) == 2


# A task that finishes a flow of before instead of its own says so: its result alone would look like what was asked for.


def of_other_flows(module: str, memory: MemoryCluster, **options: Any) -> list[str]:
    """The warnings about a flow that the task finishes instead of its own."""
    return [one for one in call(module, memory, **options, **stages.FAST).warnings if "has not finished" in one]


@pytest.mark.parametrize("check", [True, False])
def test_a_renewal_that_finishes_a_replacement_says_so(check: bool, golden: GoldenFiles) -> None:
    memory = stages.prepared()
    (told,) = of_other_flows("strimzi_ca", memory, check=check, state="renewed")
    golden.compare_said("calls", told)
    assert of_other_flows("strimzi_ca_info", memory, goal="renew") == ([told] if check else [])


@pytest.mark.parametrize(
    ("module", "options"),
    [
        ("strimzi_ca", {"state": "replaced", "until_phase": "prepare"}),
        ("strimzi_ca", {"state": "promoted"}),
        ("strimzi_ca_info", {"goal": "replace_key"}),
        ("strimzi_ca_info", {"goal": "abort"}),
    ],
)
def test_the_same_flow_and_what_goes_on_with_any_say_nothing(module: str, options: dict[str, Any]) -> None:
    assert of_other_flows(module, stages.prepared(), **options) == []


@pytest.mark.parametrize("continues", [True, False])
def test_a_renewal_says_that_it_finishes_a_stopped_replacement_where_it_does(
    stopped: MemoryCluster, continues: bool, golden: GoldenFiles
) -> None:
    given = of_other_flows("strimzi_ca", stopped, check=True, state="renewed", continue_stopped=continues)
    assert len(given) == int(continues)
    for told in given:
        golden.compare_said("calls", told)


def test_a_replacement_that_finishes_an_abort_says_so(golden: GoldenFiles) -> None:
    memory = stages.prepared()
    stages.done(memory, "strimzi_ca", state="aborted", until_phase="prepare", **stages.FAST)
    (told,) = of_other_flows("strimzi_ca_info", memory, goal="replace_key", continue_stopped=True)
    golden.compare_said("calls", told)


def test_an_adoption_without_room_for_its_ledger_says_that_nothing_renews_the_ca(golden: GoldenFiles) -> None:
    """The operator has let it go before, and a user who runs adoptions by schedule would not look again for a year."""
    memory, said = (
        stages.generated(),
        'secrets "x" is forbidden: exceeded quota: objects, requested: secrets=1, used: secrets=40, limited: secrets=40',
    )

    refuse = refusing("POST", "/secrets", said)
    ended = call("strimzi_ca", memory, answer=refuse, state="adopted")
    assert ended.failed
    golden.compare("console", "an adoption without room for its ledger", without_chance(ended.result["msg"]))
    stages.done(memory, "strimzi_ca", state="adopted")
    assert not call("strimzi_ca", memory, answer=refuse, state="adopted").failed


@pytest.mark.parametrize(
    ("state", "is_switched"),
    [pytest.param("renewed", True, id="a renewal"), pytest.param("replaced", False, id="a linked replacement")],
)
def test_a_flow_that_stops_after_use_switches_where_nothing_may_use_the_ca_before(
    state: str, is_switched: bool
) -> None:
    """A linked CA is used before the switch."""
    memory = stages.managed()
    before = stages.done(memory, "strimzi_ca_info").result["cas"]
    ended = stages.done(
        memory, "strimzi_ca", state=state, until_phase="use", fresh_for_hours=0, client_grace=0, **stages.FAST
    )
    current = [ca["sha256"] for ca in ended.result["cas"] if ca["current"]]
    assert (current != [ca["sha256"] for ca in before]) is is_switched

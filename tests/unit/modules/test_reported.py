# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report reads the results that modules return: the figures of a whole flow, call by call as its role makes them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.filter.report import report
from ansible_collections.trustops.strimzi.plugins.filter.report_view import report_view

from ...tools.support.memory_cluster import MemoryCluster
from ...tools.support.reloads import ReloadingNodes
from . import stages
from .running import Ended, call

TASKS: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "replace_key": [
        ("strimzi_ca_info", {"goal": "replace_key", "fresh_for_hours": 0}),
        ("strimzi_ca", stages.PREPARED),
        ("strimzi_trusted_certs", {}),
        ("strimzi_ee_cert", {}),
        ("strimzi_roll", {}),
        ("strimzi_ca", {"state": "promoted"}),
        ("strimzi_trusted_certs", {"state": "retired"}),
    ],
    "renew": [
        ("strimzi_ca_info", {"goal": "renew", "fresh_for_hours": 0}),
        ("strimzi_ca", {**stages.PREPARED, "state": "renewed"}),
        ("strimzi_trusted_certs", {}),
        ("strimzi_ca", {"state": "promoted"}),
        ("strimzi_roll", {}),
        ("strimzi_trusted_certs", {"state": "retired"}),
    ],
}


def calls(memory: MemoryCluster, goal: str, **flow: Any) -> list[Ended]:
    return [stages.done(memory, module, **options, **flow) for module, options in TASKS[goal]]


@pytest.mark.parametrize(("goal", "asked", "rolls"), [
    ("replace_key", True, 1), ("replace_key", False, 2), ("renew", True, 0), ("renew", False, 1),
])  # fmt: skip
def test_the_figures_are_those_of_the_flow_and_of_its_plan(
    goal: str, asked: bool, rolls: int, reading: Callable[[MemoryCluster], ReloadingNodes]
) -> None:
    memory = stages.managed()
    if asked:
        reading(memory)
    ended = calls(memory, goal)
    found = report([one.result for one in ended], goal=goal)
    assert (found["result"], found["rolls"], set(memory.restarts().values())) == ("done", rolls, {rolls})
    assert found["writes"] == sum(len(one.writes_but_lease) for one in ended)
    planned = ended[0].result
    assert (planned["planned_rolls"], planned["planned_restarts"]) == (rolls, found["restarts"])
    assert [phase["phase"] for phase in found["phases"]] == sorted(
        {phase["phase"] for phase in found["phases"]}, key=["prepare", "trust", "use", "retire"].index
    )
    assert found["removed_ca_trusted_by"] == 0
    assert found["proof"]["listeners_asked"] == (6 if asked else 0)
    assert report_view(found)["result"] == "Done"


def test_a_plan_in_check_mode() -> None:
    planned = call("strimzi_ca_info", stages.managed(), check=True, goal="replace_key", fresh_for_hours=0)
    found = report([planned.result], goal="replace_key", check_mode=True)
    assert (found["result"], found["planned_rolls"], found["writes"]) == ("planned", 2, 0)


def test_a_flow_that_is_held() -> None:
    memory = stages.managed()
    planned = call("strimzi_ca_info", memory, goal="replace_key", fresh_for_hours=0)
    failed = call("strimzi_ca", memory, state="replaced", spread="reload", fresh_for_hours=0, **stages.FAST)
    found = report([planned.result, failed.result], goal="replace_key")
    assert (found["result"], [one["gate"] for one in found["violations"]]) == ("held", ["in_place"])
    assert found["rolls"] == 0


def test_a_flow_that_waits_for_restarts(reading: Callable[[MemoryCluster], ReloadingNodes]) -> None:
    memory = stages.managed()
    reading(memory)
    ended = calls(memory, "replace_key", retire="when_restarted")
    found = report([one.result for one in ended], goal="replace_key")
    assert (found["result"], found["rolls"]) == ("done", 0)
    assert report_view(found)["remainders"] == ended[-1].result["waiting"]
    assert found["waiting"]

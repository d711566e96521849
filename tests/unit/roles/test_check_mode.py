# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A flow in check mode: the first task that changes anything stands for the whole of it, and no step is told of twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from jinja2 import Environment, StrictUndefined

ROLES = Path(__file__).parents[3] / "roles"
#: Variables that each role with steps gives to the frame of a flow.
FLOWS = {
    path.parents[1].name: yaml.safe_load(path.read_text())[0]["vars"]
    for path in sorted(ROLES.glob("*/tasks/main.yml"))
    if (path.parent / "steps.yml").exists()
}
PLANNING = [role for role, given in FLOWS.items() if given.get("flow_plans", True)]


def tasks(role: str) -> list[dict[str, Any]]:
    """The steps that change something."""
    return list(yaml.safe_load((ROLES / role / "tasks" / "steps.yml").read_text()))


def test_the_list_of_planning_roles_is_complete() -> None:
    assert PLANNING == [
        "abort",
        "create",
        "downgrade",
        "reconcile",
        "recover",
        "renew",
        "renew_leaves",
        "replace_key",
        "upgrade",
    ]
    assert sorted(FLOWS) == sorted([*PLANNING, "convert_ledger", "scale"])


@pytest.mark.parametrize("role", FLOWS)
def test_the_report_has_the_result_of_every_step(role: str) -> None:
    assert FLOWS[role]["flow_goal"] == role
    assert FLOWS[role]["flow_results"] == [one["register"] for one in tasks(role) if "register" in one]


#: The begin of an option that a task lacks in check mode.
LEFT_OUT = "{{ omit if ansible_check_mode else"


@pytest.mark.parametrize("role", PLANNING)
def test_the_first_task_alone_runs_in_check_mode(role: str) -> None:
    first, *others = tasks(role)
    assert "when" not in first
    assert all(not runs(one, [], ansible_check_mode=True) for one in others)
    module = next(options for name, options in first.items() if name.startswith("trustops.strimzi."))
    assert module.get("ends_after", LEFT_OUT).startswith(LEFT_OUT)


def runs(task: dict[str, Any], calls: list[dict[str, Any]], **variables: Any) -> bool:
    """calls: results of the tasks before this one, by the names under which they are registered."""
    known = {"ansible_check_mode": False, "flow_phases": ["prepare", "trust", "use", "retire"], **variables}
    told = Environment(undefined=StrictUndefined).compile_expression(task["when"], undefined_to_none=False)
    return bool(told(**known, **{name: result for one in calls for name, result in one.items()}))


@pytest.mark.parametrize("role", PLANNING)
def test_no_task_follows_a_task_that_waits(role: str) -> None:
    """No task comes after one that waits; each runs where none does."""
    all_tasks = tasks(role)
    names = [one["register"] for one in all_tasks]
    for number, task in enumerate(all_tasks[1:], 1):
        assert runs(task, [{name: {"waiting": []}} for name in names[:number]])
        for last in range(number):
            # A task that was left out says nothing of what it waits for.
            calls = [{"waiting": []}] * last + [{"waiting": ["2 certificates are still to come."]}] + [{}] * number
            assert not runs(task, [{name: call} for name, call in zip(names[:number], calls, strict=False)])


@pytest.mark.parametrize(
    ("plan", "violations", "check_mode", "taken"),
    [
        ([], [], False, False),
        ([{}], [], False, True),
        ([{}], [], True, True),
        ([], [{}], False, True),
        ([], [{}], True, False),
    ],
)
def test_a_violation_fails_a_run_and_is_shown_in_check_mode(
    plan: list[Any], violations: list[Any], check_mode: bool, taken: bool
) -> None:
    steps = yaml.safe_load((ROLES / "flow" / "tasks" / "frame.yml").read_text())[0]["block"][-1]
    flow_plan = {"flow_plan": {"plan": plan, "violations": violations}}
    assert runs(steps, [flow_plan], ansible_check_mode=check_mode) is taken
    assert runs(steps, [flow_plan], ansible_check_mode=check_mode, flow_plans=False)

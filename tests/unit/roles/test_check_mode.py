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
PLANNING = sorted(path.parents[1].name for path in ROLES.glob("*/tasks/main.yml") if "name: Do it" in path.read_text())


def tasks(role: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The block that changes something, and its tasks."""
    flow = yaml.safe_load((ROLES / role / "tasks" / "main.yml").read_text())[0]
    (found,) = (one for one in flow["block"] if one["name"] == "Do it")
    return found, found["block"]


def test_every_flow_is_here() -> None:
    assert PLANNING == ["abort", "create", "downgrade", "reconcile", "renew", "renew_leaves", "replace_key", "upgrade"]


@pytest.mark.parametrize("role", PLANNING)
def test_the_first_task_alone_runs_in_check_mode(role: str) -> None:
    block, (first, *others) = tasks(role)
    assert not block["when"].startswith("not ansible_check_mode")
    assert "when" not in first
    assert all(not runs(one, [], ansible_check_mode=True) for one in others)
    module = next(options for name, options in first.items() if name.startswith("trustops.strimzi."))
    assert module.get("ends_after", "{{ omit if ansible_check_mode else").startswith(
        "{{ omit if ansible_check_mode else"
    )


def runs(task: dict[str, Any], calls: list[dict[str, Any]], **variables: Any) -> bool:
    """calls: results of the tasks before this one, by the names under which they are registered."""
    known = {"ansible_check_mode": False, "flow_phases": ["prepare", "trust", "use", "retire"], **variables}
    told = Environment(undefined=StrictUndefined).compile_expression(task["when"], undefined_to_none=False)
    return bool(told(**known, **{name: result for one in calls for name, result in one.items()}))


@pytest.mark.parametrize("role", PLANNING)
def test_what_is_waited_for_is_said_once(role: str) -> None:
    """No task comes after one that waits; each runs where none does."""
    _block, all_tasks = tasks(role)
    names = [one["register"] for one in all_tasks]
    for number, task in enumerate(all_tasks[1:], 1):
        assert runs(task, [{name: {"waiting": []}} for name in names[:number]])
        for last in range(number):
            # A task that was left out says nothing of what it waits for.
            calls = [{"waiting": []}] * last + [{"waiting": ["2 certificates are still to come."]}] + [{}] * number
            assert not runs(task, [{name: call} for name, call in zip(names[:number], calls, strict=False)])


@pytest.mark.parametrize("role", PLANNING)
def test_what_is_in_the_way_fails_a_run_and_is_only_told_in_check_mode(role: str) -> None:
    block, _tasks = tasks(role)
    assert block["when"] == f"({role}_plan.plan + ([] if ansible_check_mode else {role}_plan.violations)) | length > 0"

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The answers of nodes go from the plan of a play to its next task, in check mode to all tasks of the flow; the count of restarts goes from task to task."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROLES = Path(__file__).parents[3] / "roles"
VALUES = ROLES / "flow" / "vars" / "main" / "flow.yml"
(FLOW, *_others), (RECOVER,) = (
    yaml.safe_load((ROLES / role / "tasks" / name).read_text()) for role, name in (("flow", "frame.yml"), ("recover", "steps.yml"))
)  # fmt: skip
#: The options that tasks of each flow get, and the option of the first task of a recovery.
OF_FLOW = FLOW["module_defaults"]["group/trustops.strimzi.strimzi_flow"]
OF_RECOVERY = RECOVER["trustops.strimzi.strimzi_ca"]["node_answers"]


def played(folder: Path, plan: dict[str, Any] | None, *options: str, **results: dict[str, Any]) -> dict[str, Any]:
    """The options of a flow, and of the first task of a recovery, after this plan and these results of tasks."""
    shown = {"of_flow": OF_FLOW, "of_recovery": OF_RECOVERY.replace("or omit", "or 'left out'")}
    show = {
        "ansible.builtin.copy": {"dest": str(folder / "shown.json"), "content": "{{ shown | to_json }}"},
        "check_mode": False,
    }
    known = {
        "flow_options": {"spread": "auto"}, "flow_results": ["first", "second", "third"], "shown": shown, **results,
        **({"flow_plan": plan} if plan is not None else {}),
    }  # fmt: skip
    # The options of a person are those of another test, so they take the place of the role's own.
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "vars_files": [str(VALUES)],
        "tasks": [{**show, "vars": known}],
    }
    (folder / "play.json").write_text(json.dumps([play]))
    command = ["ansible-playbook", "-i", "localhost,", "-c", "local", "play.json", *options]
    command += ["-e", f"ansible_python_interpreter={sys.executable}"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, Any] = json.loads((folder / "shown.json").read_text())
    return found


@pytest.mark.parametrize("options", [(), ("--check",)], ids=["run", "check mode"])
def test_answers_go_to_the_first_task_and_in_check_mode_to_all(options: tuple[str, ...], tmp_path: Path) -> None:
    found = played(tmp_path, {"node_answers": "eJx"}, *options)
    assert found["of_recovery"] == "eJx"
    assert found["of_flow"] == {"spread": "auto", **({"node_answers": "eJx"} if options else {})}


@pytest.mark.parametrize("plan", [None, {}, {"node_answers": None}], ids=["no plan", "failed plan", "no node asked"])
def test_where_there_are_no_answers_tasks_get_none(plan: dict[str, Any] | None, tmp_path: Path) -> None:
    found = played(tmp_path, plan, "--check")
    assert found == {"of_flow": {"spread": "auto"}, "of_recovery": "left out"}


def counted(second: int, count: dict[str, Any] | None) -> dict[str, Any]:
    """The result of a task that began then."""
    return {"began_at": f"2026-01-01T00:00:{second:02}Z", "restart_count": count}


@pytest.mark.parametrize(
    ("results", "handed"),
    [
        pytest.param({}, "plan", id="the first task"),
        pytest.param({"first": counted(2, {"of": "first"})}, "first", id="the second task"),
        pytest.param({"first": {"skipped": True}}, "plan", id="a task was left out"),
        pytest.param({"first": counted(2, None)}, "plan", id="a task has nothing to say"),
        pytest.param({"third": counted(0, {"of": "third"})}, "plan", id="a result of an earlier play"),
        pytest.param(
            {"first": counted(2, {"of": "first"}), "second": counted(3, {"of": "second"}), "third": counted(0, {"of": "third"})},
            "second",
            id="the third task, and a result of an earlier play",
        ),
    ],
)  # fmt: skip
def test_each_task_gets_the_count_of_the_task_before(
    results: dict[str, dict[str, Any]], handed: str, tmp_path: Path
) -> None:
    found = played(tmp_path, counted(1, {"of": "plan"}), **results)
    assert found["of_flow"] == {"spread": "auto", "restart_count": {"of": handed}}

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the role ``reconcile`` notes of each call: the last look at the nodes, or why it was in vain; and what it hands on."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ..filter.runs import NEW, action, ca, listener, look, nodes, seen
from .pages import TEMPLATES

ROLE = TEMPLATES.parents[1] / "reconcile"
#: In place of the module whose turn it is: the next of the results that are prepared.
CALL = [
    {"ansible.builtin.command": "cat result-{{ reconcile_run.log | length }}.json", "register": "read"},
    {"ansible.builtin.set_fact": {"reconcile_call": "{{ read.stdout | from_json }}"}},
]


def noted(folder: Path, results: list[dict[str, Any]]) -> dict[str, Any]:
    """``reconcile_run`` after calls with these results."""
    for number, one in enumerate(results):
        called: dict[str, Any] = {
            **seen([ca(NEW)], nodes("d")), "next": "call", "done": number + 1 == len(results), "replaces": "", "seconds": 1.0,
            "actions": [action("update", "Kafka demo", "trust")], "transitions": [], "spread": "auto", **one,
        }  # fmt: skip
        (folder / f"result-{number}.json").write_text(json.dumps(called))
    shutil.copy(ROLE / "tasks" / "step.yml", folder)
    (folder / "call.yml").write_text(json.dumps(CALL))
    run = {"goal": "replace_key", "next": "call", "done": False, "replaces": "", "log": []}
    tasks = [
        {"ansible.builtin.set_fact": {"reconcile_run": run}},
        {"ansible.builtin.include_tasks": "step.yml"},
        {"ansible.builtin.copy": {"dest": f"{folder}/run.json", "content": "{{ reconcile_run | to_json }}"}},
    ]
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "vars_files": [str(ROLE / "vars" / "main.yml")],
        "tasks": tasks,
    }
    (folder / "play.json").write_text(json.dumps([play]))
    command = ["ansible-playbook", "-i", "localhost,", "-c", "local", "play.json"]
    command += ["-e", f"ansible_python_interpreter={sys.executable}"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, Any] = json.loads((folder / "run.json").read_text())
    return found


NONE = look([], source="annotations", seen_at=None)
VAIN = look([], source="annotations", seen_at=None, why="pods/portforward is forbidden")
EARLY = look([listener(uid="0-c")], seen_at="2026-06-01T12:00:10Z")
LATE = look([listener()])


@pytest.mark.parametrize(
    ("looks", "kept"),
    [([NONE, EARLY, NONE, LATE, VAIN, NONE], LATE), ([NONE, VAIN, NONE], VAIN)],
    ids=["the last that was taken", "why none was taken"],
)
def test_the_look_that_the_report_draws(tmp_path: Path, looks: list[dict[str, Any]], kept: dict[str, Any]) -> None:
    assert noted(tmp_path, looks)["look"] == kept


def test_a_run_that_had_to_restart_nodes_stays_with_restarts(tmp_path: Path) -> None:
    run = noted(tmp_path, [NONE, {**VAIN, "spread": "restart"}])
    assert run["spread"] == "restart"

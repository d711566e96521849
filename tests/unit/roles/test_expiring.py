# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role status fails where a CA or a certificate ends within the days that are given, after everything is shown."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import yaml

TASKS = Path(__file__).parents[3] / "roles" / "status" / "tasks" / "main.yml"
SEEN = {"expiring": [{"name": "The CA CN={{ x }}", "days_left": 13, "renewed_by": "the reconcile playbook"}]}
#: By the value of the variable.
FAILS = {"14": 1, "13": 0, "": 0, "0": 0}


def test_a_job_goes_red_in_time(tmp_path: Path) -> None:
    *_shown, last = yaml.safe_load(TASKS.read_text())
    # As the role gets it: the result of a module, which Ansible never takes for a template.
    read = {"ansible.builtin.command": f"cat {tmp_path}/seen.json", "register": "read"}
    given = {"ansible.builtin.set_fact": {"status_seen": "{{ read.stdout | from_json }}"}}
    hosts = {
        f"case{number}": {"strimzi_fail_when_expiring_within": days, "ansible_connection": "local"}
        for number, days in enumerate(FAILS)
    }
    (tmp_path / "seen.json").write_text(json.dumps(SEEN))
    (tmp_path / "hosts.json").write_text(json.dumps({"all": {"hosts": hosts}}))
    (tmp_path / "play.json").write_text(
        json.dumps([{"hosts": "all", "gather_facts": False, "tasks": [read, given, last]}])
    )
    command = [
        "ansible-playbook",
        "-i",
        "hosts.json",
        "play.json",
        "-e",
        f"ansible_python_interpreter={sys.executable}",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    failed = {
        case: int(count) for case, count in re.findall(r"^case(\d+) +:.* failed=(\d+)", done.stdout, re.MULTILINE)
    }
    assert failed == {str(number): fails for number, fails in enumerate(FAILS.values())}, done.stdout
    assert "The CA CN={{ x }}" in done.stdout

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of a play while certificates are awaited, and where a CA or a certificate ends within the given days."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from ...roles.playing import messages_of
from ...tools.support.golden import GoldenFiles

ROLES = Path(__file__).parents[3] / "roles"
VALUES = [str(ROLES / "flow" / "vars" / "main" / name) for name in ("flow.yml", "variables.yml")]
_FLOW, LAST = yaml.safe_load((ROLES / "flow" / "tasks" / "frame.yml").read_text())


#: The results of the calls of a flow. The result of a task that was left out says nothing.
DONE = {"done": True, "waiting": []}
AWAITING: dict[str, Any] = {
    "done": False,
    "waiting": ["2 certificates still to come from an issuer.", "Sign {{ them }}."],
}
HELD_BY_PROCESSES = {
    "done": True,
    "waiting": ["CN=Old stays trusted until these have restarted for any reason: demo-0"],
}
LEFT_OUT = {"skipped": True, "changed": False}
CASES = {
    "nothing was called": [{}, {}],
    "done": [AWAITING, DONE, LEFT_OUT],
    "processes restart when they like": [HELD_BY_PROCESSES],
    "awaited": [DONE, AWAITING, LEFT_OUT],
}


def failures(folder: Path, hosts: list[dict[str, Any]], tasks: list[dict[str, Any]]) -> tuple[list[int], str]:
    """How many tasks of a play failed on each host, in the order of the hosts' variables, and what the play printed."""
    inventory = {f"case{number}": {**given, "ansible_connection": "local"} for number, given in enumerate(hosts)}
    (folder / "hosts.json").write_text(json.dumps({"all": {"hosts": inventory}}))
    play = {"hosts": "all", "gather_facts": False, "vars_files": VALUES, "tasks": tasks}
    (folder / "play.json").write_text(json.dumps([play]))
    interpreter = f"ansible_python_interpreter={sys.executable}"
    command = ["ansible-playbook", "-i", "hosts.json", "play.json", "-e", interpreter]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    counts = dict(re.findall(r"^(case\d+) +:.* failed=(\d+)", done.stdout, re.MULTILINE))
    assert counts.keys() == inventory.keys(), done.stdout + done.stderr
    return [int(counts[case]) for case in inventory], done.stdout


def test_an_awaited_event_fails_the_last_task_only_on_request(tmp_path: Path) -> None:
    (tmp_path / "calls.json").write_text(json.dumps(CASES))
    # As the flows get it: the result of a module, which Ansible never takes for a template.
    read = {"ansible.builtin.command": f"cat {tmp_path}/calls.json", "register": "read", "run_once": True}
    given = {"flow_calls": "{{ (read.stdout | from_json)[case] }}", "strimzi_pending": "{{ wanted }}"}
    hosts = [{"case": case, "wanted": wanted} for case in CASES for wanted in ("fail", "")]
    failed, printed = failures(tmp_path, hosts, [read, {**LAST, "vars": given}])
    assert failed == [int(host == {"case": "awaited", "wanted": "fail"}) for host in hosts], printed
    assert " ".join(AWAITING["waiting"]) in printed


# The role status fails where a CA or a certificate ends within the days that are given, after everything is shown.

TASKS = Path(__file__).parents[3] / "roles" / "status" / "tasks" / "main.yml"
SEEN: dict[str, Any] = {
    "expiring": [
        {"name": "The CA CN={{ x }}", "sha256": "6c1f", "days_left": 13, "renewed_by": "the reconcile playbook"}
    ],
    "first_to_end": {
        "ca": {"name": "The CA CN={{ x }}", "sha256": "6c1f", "days_left": 13},
        "user": None,
        "other_ca": {"name": "The CA CN=clients-ca v0", "sha256": "9b2c", "days_left": 40},
    },
}


OTHER = SEEN["first_to_end"]["other_ca"]
ENDED = {
    "expiring": [],
    "first_to_end": {"ca": {"name": "The CA CN=ended", "sha256": "77ab", "days_left": -1}, "other_ca": OTHER},
}
#: Secrets whose certificates cannot be read: nothing has shown when these end.
UNREAD = {"expiring": [], "first_to_end": {"ca": None, "other_ca": OTHER}}
UNREAD_OTHER = {"expiring": [], "first_to_end": {"ca": OTHER, "other_ca": None}}
#: By the value of the variable and what was seen. Without a value nothing fails, also where a CA has ended.
FAILS = {
    ("41", "seen"): 1, ("14", "seen"): 1, ("13", "seen"): 0, ("", "seen"): 0, ("0", "seen"): 0, ("0", "ended"): 1, ("", "ended"): 0,
    (0, "ended"): 1, (0, "seen"): 0, (14, "seen"): 1, (None, "ended"): 0,
    ("7", "unread"): 1, ("7", "unread other"): 1, ("", "unread"): 0,
}  # fmt: skip


def test_a_job_goes_red_in_time(tmp_path: Path, golden: GoldenFiles) -> None:
    *_shown, last = yaml.safe_load(TASKS.read_text())
    # As the role gets it: the result of a module, which Ansible never takes for a template.
    read = {"ansible.builtin.command": f"cat {tmp_path}/seen.json", "register": "read", "run_once": True}
    given = {"ansible.builtin.set_fact": {"status_seen": "{{ (read.stdout | from_json)[seen] }}"}}
    seen = {"seen": SEEN, "ended": ENDED, "unread": UNREAD, "unread other": UNREAD_OTHER}
    (tmp_path / "seen.json").write_text(json.dumps(seen))
    hosts = [{"strimzi_fail_when_expiring_within": days, "seen": seen} for days, seen in FAILS]
    failed, printed = failures(tmp_path, hosts, [read, given, last])
    assert failed == list(FAILS.values()), printed
    assert {SEEN["first_to_end"][which]["name"] in printed for which in ("ca", "other_ca")} == {True}
    golden.compare_said("roles", "\n".join(sorted(set(messages_of(printed)))))

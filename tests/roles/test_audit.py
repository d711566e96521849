# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files in which the role ``status`` keeps audit trails: each run appends the entries that they lack."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import yaml

from .playing import play_locally

ROLE = Path(__file__).parents[2] / "roles" / "status"
#: Entries as the modules return them; Ansible takes nothing in them for a template or a number.
ENTRIES = [
    f'{{"entry":{number},"previous":"","done":{{"what":"{{{{ 1 + 1 }}}} \\\\1 \\u00e4"}}}}' for number in range(1, 6)
]


def append(folder: Path, cluster: list[str], clients: list[str]) -> subprocess.CompletedProcess[str]:
    """The task of the role, after looks with these results. It writes into the folder ``audit``."""
    tasks = yaml.safe_load((ROLE / "tasks" / "files.yml").read_text())
    (written,) = (task for task in tasks if task["name"] == "Append to the audit trails")
    template = written["ansible.builtin.template"]
    written["ansible.builtin.template"] = {**template, "src": str(ROLE / "templates" / template["src"])}
    about = {"cluster": {"name": "demo", "namespace": "kafka", "uid": "5e1c"}}
    seen = {"status_seen": {**about, "audit_entries": cluster}, "status_other": {**about, "audit_entries": clients}}
    (folder / "seen.json").write_text(json.dumps(seen))
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "vars": {"strimzi_audit_dir": str(folder / "audit"), "flow_ca": "cluster"},
        "vars_files": [str(ROLE / "vars" / "main.yml")],
        "tasks": [
            {"ansible.builtin.command": f"cat {folder}/seen.json", "register": "read", "check_mode": False},
            {"ansible.builtin.set_fact": {name: f"{{{{ (read.stdout | from_json).{name} }}}}" for name in seen}},
            written,
        ],
    }
    return play_locally(play, folder)


def trail(folder: Path, ca: str = "cluster") -> str:
    return (folder / "audit" / f"strimzi_kafka_demo_5e1c_{ca}.jsonl").read_text()


def test_each_run_appends_what_the_file_lacks_and_a_ca_without_a_trail_has_no_file(tmp_path: Path) -> None:
    (tmp_path / "audit").mkdir()
    files = []
    for newest, of_clients in (
        (ENTRIES[:2], []),
        (ENTRIES[1:4], ENTRIES[:1]),
        (ENTRIES[1:4], ENTRIES[:1]),
        (ENTRIES[3:], []),
    ):
        done = append(tmp_path, newest, of_clients)
        assert done.returncode == 0, done.stdout
        files.append(len(list((tmp_path / "audit").iterdir())))
    assert files == [1, 2, 2, 2]
    assert trail(tmp_path) == "".join(f"{line}\n" for line in ENTRIES)
    assert trail(tmp_path, "clients") == f"{ENTRIES[0]}\n"


def test_a_folder_that_does_not_exist_is_not_made(tmp_path: Path) -> None:
    assert append(tmp_path, ENTRIES, []).returncode == 2
    assert not (tmp_path / "audit").exists()

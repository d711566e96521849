# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The metrics of the role ``status`` as Ansible writes them, whatever the cluster calls its CAs and whatever is in the way."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.trustops.strimzi.plugins.filter.metrics import metrics

from ..unit.filter.test_metrics import ca, seen, user
from ..unit.report.conftest import HOSTILE
from .playing import play_locally

ROLE = Path(__file__).parents[2] / "roles" / "status"
USERS = {"users": [user("orders")]}
FILE = "strimzi_kafka_demo.prom"


def write(folder: Path, look: dict[str, Any], users: dict[str, Any], *options: str) -> subprocess.CompletedProcess[str]:
    """The tasks of the role that come after its looks, with these results, of either CA. They write into the folder ``metrics``."""
    tasks = yaml.safe_load((ROLE / "tasks" / "files.yml").read_text())
    (written,) = (task for task in tasks if task["name"] == "Write the metrics")
    (folder / "seen.json").write_text(json.dumps({"look": look, "users": users}))
    results = {"status_seen": "look", "status_other": "look", "status_users_seen": "users"}
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "vars": {"strimzi_metrics_dir": str(folder / "metrics"), "flow_ca": "clients"},
        "vars_files": [str(ROLE / "vars" / "main.yml")],
        "tasks": [
            # As the role gets them: results of modules, which Ansible never takes for templates.
            {"ansible.builtin.command": f"cat {folder}/seen.json", "register": "read", "check_mode": False},
            {"ansible.builtin.set_fact": {name: f"{{{{ (read.stdout | from_json).{key} }}}}" for name, key in results.items()}},
            written,
        ],
    }  # fmt: skip
    return play_locally(play, folder, *options)


def test_what_the_filter_says_takes_the_place_of_the_file_byte_by_byte(tmp_path: Path) -> None:
    held = [{"gate": "trust", "subject": HOSTILE, "message": HOSTILE, "remedy": HOSTILE}]
    look = seen(cas=[ca(subject=f"CN={HOSTILE}\n# ä")], violations=held)
    (tmp_path / "metrics").mkdir()
    (tmp_path / "metrics" / FILE).write_text("old")
    done = write(tmp_path, look, USERS)
    assert done.returncode == 0, done.stdout
    written = (tmp_path / "metrics" / FILE).read_text()
    assert written == metrics({"clients": look, "cluster": look}, USERS)
    assert 'condition="trust"' in written
    assert "changed=1 " in done.stdout, "only the command of this play is a change"


@pytest.mark.parametrize("look", [{"failed": True}, pytest.param({"skipped": True}, marks=pytest.mark.long)])
def test_a_look_that_failed_leaves_the_file(look: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "metrics").mkdir()
    (tmp_path / "metrics" / FILE).write_text("old")
    assert write(tmp_path, {**look, "cluster": {"name": "demo", "namespace": "kafka"}}, USERS).returncode == 2
    assert (tmp_path / "metrics" / FILE).read_text() == "old"


def test_a_folder_that_does_not_exist_is_no_place_that_a_collector_reads(tmp_path: Path) -> None:
    done = write(tmp_path, seen(), USERS)
    assert done.returncode == 2
    assert "does not exist" in done.stdout
    assert not (tmp_path / "metrics").exists()


def test_a_run_in_check_mode_writes_no_file(tmp_path: Path) -> None:
    (tmp_path / "metrics").mkdir()
    assert write(tmp_path, seen(), USERS, "--check").returncode == 0
    assert list((tmp_path / "metrics").iterdir()) == []

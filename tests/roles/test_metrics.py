# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The metrics of the role ``status`` as Ansible writes them, whatever the cluster calls its CAs and whatever is in the way."""

from __future__ import annotations

import ctypes
import json
import os
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml

from ansible_collections.trustops.strimzi.plugins.filter.metrics import metrics

from ..unit.filter.test_metrics import ca, seen, user
from ..unit.report.conftest import HOSTILE
from .playing import play_locally

ROLE = Path(__file__).parents[2] / "roles" / "status"
USERS = {"users": [user("orders")]}
FILE = "strimzi_kafka_demo_5e1c7a90.prom"
#: A file system of its own.
MEMORY = Path("/dev/shm")
#: inotify(7): a file was created; flags of the call; and the header before the name of a file.
_IN_CREATE, _IN_NONBLOCK, _HEADER = 0x100, 0o4000, struct.Struct("iIII")


@contextmanager
def creations(folder: Path) -> Iterator[list[str]]:
    """The names of the files that are created in this folder during the block; a file that is moved into its place is not. They are there after the block."""
    created: list[str] = []
    libc = ctypes.CDLL(None, use_errno=True)
    watch = libc.inotify_init1(_IN_NONBLOCK)
    assert libc.inotify_add_watch(watch, os.fsencode(folder), _IN_CREATE) > 0
    try:
        yield created
        told = os.read(watch, 1 << 20)
        while told:
            *_about, size = _HEADER.unpack_from(told)
            created.append(told[_HEADER.size : _HEADER.size + size].rstrip(b"\0").decode())
            told = told[_HEADER.size + size :]
    finally:
        os.close(watch)


def write(
    folder: Path, look: dict[str, Any], users: dict[str, Any], *options: str, context: str = ""
) -> subprocess.CompletedProcess[str]:
    """The tasks of the role that come after its looks, with these results, of either CA. They write into the folder ``metrics``."""
    tasks = yaml.safe_load((ROLE / "tasks" / "files.yml").read_text())
    written = [task for task in tasks if "the metrics" in task["name"]]
    (folder / "seen.json").write_text(json.dumps({"look": look, "users": users}))
    results = {"status_seen": "look", "status_other": "look", "status_users_seen": "users"}
    play = {
        "hosts": "localhost",
        "gather_facts": False,
        "vars": {"strimzi_metrics_dir": str(folder / "metrics"), "flow_ca": "clients", "strimzi_context": context},
        "vars_files": [str(ROLE / "vars" / "main.yml")],
        "tasks": [
            # As the role gets them: results of modules, which Ansible never takes for templates.
            {"ansible.builtin.command": f"cat {folder}/seen.json", "register": "read", "check_mode": False},
            {"ansible.builtin.set_fact": {name: f"{{{{ (read.stdout | from_json).{key} }}}}" for name, key in results.items()}},
            *written,
        ],
    }  # fmt: skip
    return play_locally(play, folder, *options)


def test_the_file_holds_the_filters_text_byte_by_byte(tmp_path: Path) -> None:
    held = [{"gate": "trust", "subject": HOSTILE, "message": HOSTILE, "remedy": HOSTILE, "command": ""}]
    look = seen(cas=[ca(subject=f"CN={HOSTILE}\n# ä")], violations=held)
    (tmp_path / "metrics").mkdir()
    (tmp_path / "metrics" / FILE).write_text("old")
    done = write(tmp_path, look, USERS)
    assert done.returncode == 0, done.stdout
    written = (tmp_path / "metrics" / FILE).read_text()
    assert written == metrics({"clients": look, "cluster": look}, USERS)
    assert 'condition="trust"' in written
    assert "changed=1 " in done.stdout, "only the command of this play is a change"
    assert [path.name for path in (tmp_path / "metrics").iterdir()] == [FILE]


@pytest.mark.skipif(not MEMORY.is_dir(), reason="needs a second file system (/dev/shm)")
def test_no_scrape_sees_half_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where Ansible keeps its temporary files on another file system, as in a pod with a volume for the metrics."""
    folder = tmp_path / "metrics"
    folder.mkdir()
    with TemporaryDirectory(dir=MEMORY) as temporary, creations(folder) as created:
        monkeypatch.setenv("ANSIBLE_REMOTE_TEMP", temporary)
        monkeypatch.setenv("ANSIBLE_LOCAL_TEMP", temporary)
        assert os.stat(temporary).st_dev != folder.stat().st_dev
        assert write(tmp_path, seen(), USERS).returncode == 0
    assert [name for name in created if name.endswith(".prom")] == []
    assert created
    assert (folder / FILE).stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("contexts", [("a/b", "a-b"), ("", "")])
def test_clusters_of_one_name_have_files_of_their_own(contexts: tuple[str, str], tmp_path: Path) -> None:
    """In one folder, without a sample that stands in both; also where a file's name cannot show the context, or no context leads to either."""
    (tmp_path / "metrics").mkdir()
    for uid, context in zip("12", contexts, strict=True):
        look = seen(cluster={"name": "demo", "namespace": "kafka", "uid": uid})
        assert write(tmp_path, look, USERS, context=context).returncode == 0
    texts = {path.name: path.read_text() for path in (tmp_path / "metrics").iterdir()}
    shown = [context.replace(":", "-").replace("/", "-") for context in contexts]
    assert set(texts) == {
        f"strimzi_kafka_demo_{name and name + '_'}{uid}.prom" for uid, name in zip("12", shown, strict=True)
    }
    lines = [line for text in texts.values() for line in text.splitlines() if not line.startswith("#")]
    samples = [line.rpartition(" ")[0] for line in lines]
    assert len(samples) == len(set(samples)) > 20


@pytest.mark.parametrize("look", [{"failed": True}, pytest.param({"skipped": True}, marks=pytest.mark.long)])
def test_a_look_that_failed_leaves_the_file(look: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "metrics").mkdir()
    (tmp_path / "metrics" / FILE).write_text("old")
    assert write(tmp_path, {**look, "cluster": seen()["cluster"]}, USERS).returncode == 2
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

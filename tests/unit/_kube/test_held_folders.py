# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Only what nobody uses any more is removed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._kube import private_files
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.private_files import keep_folder, remove_abandoned

HOLDING = """
import sys
from pathlib import Path
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.private_files import keep_folder
keep_folder(Path(sys.argv[1]))
print(flush=True)
sys.stdin.readline()
"""


def old_folder(parent: Path, name: str = "mine-1") -> Path:
    folder = parent / name
    folder.mkdir()
    (folder / "file").write_text("x")
    os.utime(folder, (time.time() - 4000, time.time() - 4000))
    return folder


def test_abandoned_folder_goes_and_others_stay(tmp_path: Path) -> None:
    gone, other, new = old_folder(tmp_path), old_folder(tmp_path, "theirs-1"), tmp_path / "mine-new"
    new.mkdir()
    remove_abandoned(tmp_path, "mine-*")
    assert (gone.exists(), other.exists(), new.exists()) == (False, True, True)


def test_link_is_not_followed(tmp_path: Path) -> None:
    elsewhere = old_folder(tmp_path, "elsewhere")
    (tmp_path / "mine-link").symlink_to(elsewhere)
    (tmp_path / "mine-file").write_text("x")
    remove_abandoned(tmp_path, "mine-*")
    assert (elsewhere / "file").exists()


def test_folder_of_another_user_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, mine = old_folder(tmp_path), os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: mine + 1)
    remove_abandoned(tmp_path, "mine-*")
    assert folder.exists()


def test_folder_stays_as_long_as_its_process(tmp_path: Path) -> None:
    folder = old_folder(tmp_path)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", HOLDING, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        remove_abandoned(tmp_path, "mine-*")
        assert folder.exists()
        process.kill()
    remove_abandoned(tmp_path, "mine-*")
    assert not folder.exists()


def test_where_there_are_no_locks_nothing_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_locks(descriptor: int, how: int) -> None:
        raise OSError("no locks")

    folder = old_folder(tmp_path)
    monkeypatch.setattr(private_files.fcntl, "flock", no_locks)
    keep_folder(folder)
    remove_abandoned(tmp_path, "mine-*")
    assert folder.exists()

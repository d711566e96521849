# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two runs of a playbook share what Ansible packs, and a packed module runs from its bytecode."""

from __future__ import annotations

import base64
import importlib
import io
import pickle
import zipfile
from pathlib import Path

import pytest

from ...roles.playing import play_locally
from .callback.packed_once import FOLDER, compiled

PLAY = {"hosts": "localhost", "gather_facts": False, "tasks": [{"ansible.builtin.command": "true"}]}
PACKED = "ansible.modules.command-ZIP_DEFLATED-none"


def test_a_second_run_takes_what_the_first_has_packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path / "packed"))
    assert play_locally(PLAY, tmp_path).returncode == 0
    (folder,) = (tmp_path / "packed").iterdir()
    packed = (folder / PACKED).read_bytes()
    with zipfile.ZipFile(io.BytesIO(base64.b64decode(pickle.loads(packed).zip_data))) as archive:
        names = set(archive.namelist())
    assert {f"{name}c" for name in names if name.endswith(".py")} <= names
    assert play_locally(PLAY, tmp_path).returncode == 0
    assert list((tmp_path / "packed").iterdir()) == [folder]
    assert (folder / PACKED).read_bytes() == packed


def test_a_run_that_may_not_write_to_the_folder_packs_for_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "packed").write_text("no folder")
    monkeypatch.setenv(FOLDER, str(tmp_path / "packed"))
    done = play_locally(PLAY, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_module_is_taken_from_its_bytecode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("packed_example.py", "NAME = __name__\n")
    (tmp_path / "packed.zip").write_bytes(compiled(content.getvalue()))
    monkeypatch.syspath_prepend(str(tmp_path / "packed.zip"))
    module = importlib.import_module("packed_example")
    assert module.__file__
    assert (module.NAME, Path(module.__file__).name) == ("packed_example", "packed_example.pyc")

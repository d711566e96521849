# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An environment is made once, and once more where its making was broken off, and of no package that is not the one that was locked."""

from __future__ import annotations

import hashlib
import sys
import zipfile
from pathlib import Path

import pytest

from ..cluster.cache import NOTES
from . import environments


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Path]:
    """The folders in which an environment was begun; what was there before would be in the way."""
    monkeypatch.setenv("TRUSTOPS_CACHE", str(tmp_path))
    monkeypatch.delenv(NOTES, raising=False)
    folders: list[Path] = []

    def make(folder: Path, python: str, lock_file: Path) -> None:
        folder.mkdir(parents=True)
        folders.append(folder)

    monkeypatch.setattr(environments, "_make", make)
    return folders


def environment() -> Path:
    return environments.environment("3.11", "dev-py311.txt")


def test_made_once(made: list[Path]) -> None:
    assert [environment(), environment()] == [*made, *made]


def test_one_whose_making_was_broken_off_is_made_again(made: list[Path]) -> None:
    (environment() / ".complete").unlink()
    (environment() / "left").touch()
    assert len(made) == 2


def test_a_failed_environment_does_not_count_as_made(made: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(folder: Path, python: str, lock_file: Path) -> None:
        folder.mkdir(parents=True)
        raise environments.CannotPrepare("no network")

    with monkeypatch.context() as broken:
        broken.setattr(environments, "_make", fail)
        with pytest.raises(environments.CannotPrepare):
            environment()
    environment()
    assert len(made) == 1


@pytest.mark.parametrize("changed", [False, True])
def test_only_the_locked_file_of_a_package_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changed: bool
) -> None:
    wheel = tmp_path / "locked-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("locked.py", "")
        archive.writestr("locked-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: locked\nVersion: 1\n")
        archive.writestr("locked-1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("locked-1.dist-info/RECORD", "")
    lock_file = tmp_path / "lock.txt"
    lock_file.write_text(f"locked==1 --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n")
    if changed:
        with zipfile.ZipFile(wheel, "a") as archive:
            archive.writestr("more.py", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv("PIP_CACHE_DIR", str(tmp_path / "cache"))

    def make() -> None:
        environments._make(tmp_path / "venv", f"{sys.version_info[0]}.{sys.version_info[1]}", lock_file)

    if changed:
        with pytest.raises(environments.CannotPrepare, match="DO NOT MATCH THE HASHES"):
            make()
    else:
        make()
    assert bool(list(tmp_path.glob("venv/lib/*/site-packages/locked.py"))) is not changed

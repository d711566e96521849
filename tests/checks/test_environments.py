# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An environment is made once, and anew when its making was broken off."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.trustops.strimzi.tests.checks import environments
from ansible_collections.trustops.strimzi.tests.cluster.cache import NOTES


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


def test_one_whose_making_was_broken_off_is_made_anew(made: list[Path]) -> None:
    (environment() / ".complete").unlink()
    (environment() / "left").touch()
    assert len(made) == 2


def test_what_fails_does_not_count_as_made(made: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(folder: Path, python: str, lock_file: Path) -> None:
        folder.mkdir(parents=True)
        raise environments.CannotPrepare("no network")

    with monkeypatch.context() as broken:
        broken.setattr(environments, "_make", fail)
        with pytest.raises(environments.CannotPrepare):
            environment()
    environment()
    assert len(made) == 1

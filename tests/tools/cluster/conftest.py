# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes of the test bed without the test bed: programs that only pretend, and folders of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .cache import NOTES

Program = Callable[..., Path]


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing that really runs or is really cached on this machine is seen or touched."""
    monkeypatch.setenv("TRUSTOPS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TRUSTOPS_RUN", str(tmp_path / "run"))
    for name in ("KUBEBUILDER_ASSETS", "KUBECONFIG", "JAVA_HOME", NOTES):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """Makes a shell script; the PATH has only these and what a shell needs."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def make(name: str, script: str = "exit 0") -> Path:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        return path

    return make

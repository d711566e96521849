# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Python of a later Debian runs on this machine, and makes environments as any other."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from ..cluster import debian
from . import debian_python, environments
from .debian_python import RELEASES
from .environments import CannotPrepare
from .pythons import PAIRS, find_python


def test_every_python_that_debian_12_lacks_comes_from_a_later_debian() -> None:
    assert {pair.python for pair in PAIRS} - {"3.11"} == set(RELEASES)


@pytest.mark.parametrize("version", RELEASES)
def test_it_runs_and_makes_environments(version: str, tmp_path: Path) -> None:
    if reason := debian_python.reason_to_do_without(version):
        pytest.skip(reason)
    interpreter = debian_python.debian_python(version)
    subprocess.run([interpreter, "-m", "venv", tmp_path / "venv"], check=True)
    script = (
        "import os, sys, ssl, pip; print('%d.%d' % sys.version_info[:2], sys.prefix, os.path.realpath(sys.executable))"
    )
    for program in (tmp_path / "venv" / "bin" / "python", tmp_path / "script"):
        if program.name == "script":
            program.write_text(f"#!{tmp_path}/venv/bin/python\n{script}\n")
            program.chmod(0o755)
            command = [program]
        else:
            command = [program, "-c", script]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        assert done.stdout.split() == [version, str(tmp_path / "venv"), str(interpreter.resolve())]


def test_a_python_of_the_machine_is_preferred(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(debian_python, "debian_python", lambda version: Path("/from/debian"))
    version = PAIRS[0].python
    assert environments._interpreter(version) == find_python(version)
    monkeypatch.setattr(environments, "find_python", lambda version: None)
    monkeypatch.setattr(debian_python, "reason_to_do_without", lambda version: "")
    assert environments._interpreter(version) == Path("/from/debian")


@pytest.mark.parametrize("lacking", ["release", "root", "apt-get"])
def test_where_it_cannot_be_made_the_reason_is_said(lacking: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environments, "find_python", lambda version: None)
    monkeypatch.setattr(debian, "missing", lambda packages: ["mmdebstrap"])
    monkeypatch.setattr("os.geteuid", lambda: 1000 if lacking == "root" else 0)
    monkeypatch.setattr("shutil.which", lambda name: None)
    version = "3.99" if lacking == "release" else next(iter(RELEASES))
    words = {"release": "no Debian is known", "root": "only root", "apt-get": "no apt-get to install them: mmdebstrap"}
    assert words[lacking] in environments.reason_to_do_without(version)
    with pytest.raises(CannotPrepare, match=words[lacking]):
        environments._interpreter(version)

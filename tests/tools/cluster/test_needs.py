# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that real nodes need of the machine is installed before anything uses it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ...kafka import needs, traces
from .cache import MissingTool
from .conftest import Program

#: Brings a program that says its name, but only after the lists of packages were brought up to date.
APT = """
echo "$@" >> {log}
case "$*" in
  update) /usr/bin/touch {log}.lists ;;
  *install*) [ -e {log}.lists ] || {{ echo "E: Unable to locate package iptables" >&2; exit 100; }}
    printf '#!/bin/sh\\necho a rule\\n' > {bin}/iptables-save; /bin/chmod +x {bin}/iptables-save ;;
esac
"""


@pytest.fixture
def bare(program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine on which a node could run, with everything but iptables; returns what apt-get was called with."""
    monkeypatch.setattr(needs, "reason_to_skip", lambda: "")
    for name in ("ip", "sysctl"):
        program(name)
    monkeypatch.setattr(needs, "PACKAGES", {"ip": "iproute2", "sysctl": "procps", "iptables-save": "iptables"})
    log = tmp_path / "apt.log"
    program("apt-get", APT.format(log=log, bin=tmp_path / "bin"))
    return log


def test_looking_at_the_machine_installs_what_it_is_looked_at_with(bare: Path) -> None:
    assert traces.machine_state() == ["a rule"]
    install, update, again = bare.read_text().splitlines()
    assert (install, update) == (again, "update")
    assert again.endswith(" install iptables")


def test_installed_packages_are_not_installed_again(bare: Path) -> None:
    needs.install()
    bare.unlink()
    needs.install()
    assert not bare.exists()


def test_apt_get_names_the_package_that_it_cannot_install(bare: Path, program: Program) -> None:
    program("apt-get", 'echo "E: no network" >&2; exit 100')
    with pytest.raises(MissingTool, match=r"(?s)apt-get .*install iptables failed:\nE: no network"):
        needs.install()


def test_where_no_node_can_run_nothing_is_installed(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needs, "reason_to_skip", lambda: "a node needs root")
    with pytest.raises(MissingTool, match="a node needs root"):
        traces.machine_state()
    assert not bare.exists()


def test_every_program_that_looks_at_the_machine_belongs_to_a_package() -> None:
    assert {command[0] for command in traces.ASKED} <= set(needs.PACKAGES)

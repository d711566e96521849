# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""No process of a bed outlives its owner, however that ends. Real processes, real signals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .bed import ROOT

RUN = "import sys; from pathlib import Path; from tests.tools.cluster.supervisor import supervise; "
SUPERVISE = RUN + "sys.exit(supervise(Path(sys.argv[1]), sys.argv[2] == 'owned'))"
#: Starts a supervisor as a bed does, and then does nothing until it is killed.
OWNER = (
    "import subprocess, sys, time\n"
    "process = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, start_new_session=True)\n"
    "print(process.pid, flush=True); time.sleep(600)"
)


def until(condition: Callable[[], bool], seconds: float = 60) -> bool:
    deadline = time.monotonic() + seconds
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Yard:
    """A folder with a plan and whatever was started from it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.started: list[subprocess.Popen[Any]] = []

    def plan(self, **commands: list[str]) -> None:
        steps = [{"name": name, "command": command} for name, command in commands.items()]
        scratch = self.folder / "plan.new"
        scratch.write_text(json.dumps(steps))
        scratch.rename(self.folder / "plan.json")

    def command(self, mode: str) -> list[str]:
        return [sys.executable, "-c", SUPERVISE, str(self.folder), mode]

    def start(self, command: list[str], **options: Any) -> subprocess.Popen[Any]:
        self.started.append(subprocess.Popen(command, cwd=ROOT, start_new_session=True, **options))
        return self.started[-1]

    def pids(self, *names: str) -> list[int]:
        """The numbers of these steps, once they have them."""
        files = [self.folder / f"{name}.pid" for name in names]
        assert until(lambda: all(file.exists() and file.read_text() for file in files)), "not started"
        return [int(file.read_text()) for file in files]

    def clean(self) -> None:
        for file in self.folder.glob("*.pid"):
            if runs(int(file.read_text() or 0)):
                os.kill(int(file.read_text()), signal.SIGKILL)
        for process in self.started:
            process.kill()
            process.wait()


@pytest.fixture
def yard(tmp_path: Path) -> Iterator[Yard]:
    found = Yard(tmp_path)
    found.plan(one=["sleep", "600"], two=["sleep", "600"])
    yield found
    found.clean()


def all_gone(pids: list[int]) -> bool:
    return until(lambda: not any(map(runs, pids)))


def test_the_owner_is_killed(yard: Yard) -> None:
    owner = yard.start([sys.executable, "-c", OWNER, *yard.command("owned")], stdout=subprocess.PIPE, text=True)
    pids = [int(owner.stdout.readline()), *yard.pids("one", "two")]  # type: ignore[union-attr]
    assert all(map(runs, pids))
    os.kill(owner.pid, signal.SIGKILL)
    assert all_gone(pids)


def test_the_supervisor_itself_is_killed(yard: Yard) -> None:
    supervisor = yard.start(yard.command("owned"), stdin=subprocess.PIPE)
    pids = yard.pids("one", "two")
    os.kill(supervisor.pid, signal.SIGKILL)
    assert all_gone(pids)


@pytest.mark.parametrize("mode", ["owned", "daemon"])
def test_it_is_told_to_stop(yard: Yard, mode: str) -> None:
    supervisor = yard.start(yard.command(mode), stdin=subprocess.PIPE)
    pids = yard.pids("one", "two")
    supervisor.send_signal(signal.SIGTERM)
    assert supervisor.wait(60) == 0
    assert not any(map(runs, pids))


def test_a_daemon_ends_with_its_folder(yard: Yard) -> None:
    supervisor = yard.start(yard.command("daemon"), stdin=subprocess.PIPE)
    pids = yard.pids("one", "two")
    moved = yard.folder.with_name("gone")
    yard.folder.rename(moved)
    assert supervisor.wait(60) == 0
    assert not any(map(runs, pids))


def test_a_daemon_outlives_who_started_it(yard: Yard) -> None:
    supervisor = yard.start(yard.command("daemon"), stdin=subprocess.PIPE)
    pids = yard.pids("one", "two")
    supervisor.stdin.close()  # type: ignore[union-attr]
    time.sleep(0.5)
    assert all(map(runs, [supervisor.pid, *pids]))


def test_one_that_ends_takes_the_others_with_it(yard: Yard) -> None:
    """Half a control plane would be a riddle; none is an answer."""
    yard.plan(one=["sleep", "600"], two=["sleep", "0.2"])
    supervisor = yard.start(yard.command("owned"), stdin=subprocess.PIPE)
    pids = yard.pids("one", "two")
    assert supervisor.wait(60) == 0
    assert not any(map(runs, pids))


def test_a_longer_plan_starts_only_what_is_new(yard: Yard) -> None:
    yard.start(yard.command("owned"), stdin=subprocess.PIPE)
    before = yard.pids("one", "two")
    yard.plan(one=["sleep", "600"], two=["sleep", "600"], three=["sleep", "600"])
    (third,) = yard.pids("three")
    assert yard.pids("one", "two") == before
    assert all(map(runs, [*before, third]))


def test_output_environment_and_folder_of_a_step(yard: Yard) -> None:
    step = {"name": "talk", "command": ["sh", "-c", "echo $WORD in $PWD; echo oops >&2; exec sleep 600"]}
    (yard.folder / "plan.json").write_text(json.dumps([{**step, "environment": {"WORD": "hello"}}]))
    yard.start(yard.command("owned"), stdin=subprocess.PIPE)
    log = yard.folder / "talk.log"
    assert until(lambda: log.exists() and log.read_text().count("\n") == 2)
    assert log.read_text() == f"hello in {yard.folder}\noops\n"

"""Killed for real, and two at once: on a real API server, with real processes."""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from ..tools.cluster.kube import wait_for
from .running import Runner


def kill_tree(root: int) -> None:
    """A process and all below it, at once: Ansible's workers are in sessions of their own."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = status.read_text().rpartition(")")[2].split()
            parents[int(status.parent.name)] = int(fields[1])
    doomed = {root}
    while found := {pid for pid, parent in parents.items() if parent in doomed} - doomed:
        doomed |= found
    for pid in doomed:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@pytest.mark.long
def test_a_rotation_killed_three_times_ends_as_one_that_was_not(runner: Runner) -> None:
    started = {name: {uid} for name, uid in runner.cluster.node_uids("demo").items()}
    interrupted = 0
    for seconds in (4, 9, 14):
        process = runner.start("rotate-cluster-ca")
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and process.poll() is None:
            time.sleep(0.2)
            for name, uid in runner.cluster.node_uids("demo").items():
                started[name].add(uid)
        interrupted += process.poll() is None
        kill_tree(process.pid)
        process.communicate()
    assert interrupted, "every run had ended before it was to be killed"
    process = runner.start("rotate-cluster-ca")
    while process.poll() is None:
        time.sleep(0.2)
        for name, uid in runner.cluster.node_uids("demo").items():
            started[name].add(uid)
    output = process.communicate()[0]
    assert process.returncode == 0, output[-3000:]
    assert {name: len(uids) - 1 for name, uids in started.items()} == dict.fromkeys(started, 2)
    info = runner.module("strimzi_ca_info")
    assert [(ca["subject"], ca["state"]) for ca in info["cas"]] == [
        ("CN=cluster-ca v1,O=io.strimzi", "TRUSTED_IN_USE_ALL")
    ]
    assert info["removed"] == []


@pytest.mark.long
def test_two_runs_at_the_same_time_do_the_work_once(runner: Runner) -> None:
    """A call that would write while another run writes is refused; one that comes in between goes on from there."""
    before = runner.cluster.node_uids("demo")
    first = runner.start("renew", strimzi_fresh_for_hours="0")
    wait_for(lambda: runner.cluster.node_uids("demo") != before, "the first restart", 120)
    other = runner.module("strimzi_roll", reason="another thing")
    second = runner.flow("renew")
    output, _nothing = first.communicate(timeout=480)
    assert first.returncode == 0, output[-3000:]
    assert "flow (renew)" in other["msg"]
    assert second.code == 0 or "Another run (holder " in second.output, second.output[-3000:]
    assert runner.restarts_since(before) == 3
    assert [ca["state"] for ca in runner.module("strimzi_ca_info")["cas"]] == ["TRUSTED_IN_USE_ALL"]

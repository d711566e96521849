# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Forks of this process, some at a time, which end if they take too long."""

from __future__ import annotations

import os
import resource
import signal
import traceback
from collections.abc import Callable
from math import ceil
from time import process_time

#: Bytes for the data of a fork: a mutant that takes more has been noticed.
_MEMORY = 4 << 30
#: Many processes may share the machine: something that waits has as many seconds for each second of its CPU time.
_WAITING = 60
_FAILED, _BROKEN = 1, 2


class Jobs:
    """Forks of this process, some at a time. Each tells where a test failed; nothing where the fork was killed, or None where no test failed."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._running: dict[int, tuple[int, Callable[[str | None], None]]] = {}

    def start(self, work: Callable[[], str | None], ended: Callable[[str | None], None]) -> None:
        """work: what a fork does; it gives back what failed, or None. ended: what this process does with that.

        Raises RuntimeError if work raises an exception.
        """
        while len(self._running) >= self._at_once:
            self._wait_for_one()
        reading, writing = os.pipe()
        if (pid := os.fork()) == 0:
            _work(work, writing)
        os.close(writing)
        self._running[pid] = reading, ended

    def wait(self) -> None:
        """Until all have ended."""
        while self._running:
            self._wait_for_one()

    def _wait_for_one(self) -> None:
        pid, status = os.wait()
        reading, ended = self._running.pop(pid)
        with os.fdopen(reading) as pipe:
            told = pipe.read()
        code = os.waitstatus_to_exitcode(status)
        if code == _BROKEN:
            raise RuntimeError(told)
        ended(None if code == 0 else told if code == _FAILED else "")


def run_in_fork(work: Callable[[], str | None]) -> str | None:
    """Waits for a fork that does this, and returns what it gives back, or nothing if it was killed. Raises RuntimeError if work raises an exception."""
    failures: list[str | None] = []
    jobs = Jobs(1)
    jobs.start(work, failures.append)
    jobs.wait()
    return failures[0]


def _work(work: Callable[[], str | None], writing: int) -> None:
    """In the fork; never returns."""
    code, told = _BROKEN, ""
    try:
        silent = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(silent, descriptor)
        failed = work()
        code, told = (0, "") if failed is None else (_FAILED, failed)
    except BaseException:  # whatever it is: this process ends here
        told = traceback.format_exc()
    finally:
        os.write(writing, told.encode()[-4000:])
        os._exit(code)


def limit(seconds: float) -> None:
    """This process is killed if it takes so many more seconds of CPU time, or far too much memory, or waits without an end."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(ceil(seconds * _WAITING))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (ceil(process_time() + seconds), resource.RLIM_INFINITY))

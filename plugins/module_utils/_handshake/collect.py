# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Asking many questions at the same time: a bounded number of them, until a deadline."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from typing import TypeVar

from .stream import Deadline

Key = TypeVar("Key")
Found = TypeVar("Found")

#: Seconds that jobs get after the deadline to return their results.
_GRACE = 1.0


def collect(
    jobs: Mapping[Key, Callable[[Deadline], Found]], *, at_most: int, deadline: Deadline
) -> dict[Key, Found | None]:
    """The result of each job, in the order of ``jobs``; None for a job that had no turn or did not end in time.

    A job has to keep to the deadline that it is given; a job that does not is left behind. An exception of a job is
    raised.
    """
    pool = ThreadPoolExecutor(max_workers=max(1, at_most), thread_name_prefix="live-evidence")
    try:
        running = {key: pool.submit(_in_time, job, deadline) for key, job in jobs.items()}
        with suppress(TimeoutError):
            wait(running.values(), timeout=deadline.remaining() + _GRACE)
        return {key: future.result() if future.done() else None for key, future in running.items()}
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _in_time(job: Callable[[Deadline], Found], deadline: Deadline) -> Found | None:
    try:
        deadline.remaining()
    except TimeoutError:
        return None
    return job(deadline)

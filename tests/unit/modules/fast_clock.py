# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clock of modules under test."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.module import SystemClock


class FastClock(SystemClock):
    """A module that sleeps finds at once that the time has passed.

    Each test begins when the last of the clusters has been made that are kept for all tests, so that no object of such a cluster is of the future.
    """

    #: How far this clock is ahead of the clock of the machine.
    passed = timedelta()
    #: Seconds for which the machine has slept.
    asleep = 0.0
    #: The greatest ``passed`` at which a cluster was kept.
    _kept = timedelta()

    def now(self) -> datetime:
        return datetime.now(timezone.utc) + FastClock.passed

    def monotonic(self) -> float:
        return time.monotonic() + FastClock.passed.total_seconds()

    def since_boot(self) -> float:
        return self.monotonic() + FastClock.asleep

    def sleep(self, seconds: float) -> None:
        FastClock.passed += timedelta(seconds=seconds)

    @classmethod
    def begin_test(cls) -> None:
        cls.passed, cls.asleep = cls._kept, 0.0

    @classmethod
    @contextmanager
    def making_kept_cluster(cls) -> Iterator[None]:
        """Whichever test comes first makes the cluster, at a time of its own."""
        before, cls.passed = cls.passed, timedelta()
        yield
        cls._kept = max(cls._kept, cls.passed)
        cls.passed = max(before, cls._kept)

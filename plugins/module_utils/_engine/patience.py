# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Going on in spite of an API server that fails for a while: what failed is looked at again and decided again, as after a conflict.

The client repeats single requests for some seconds, and no write that may have been done. ``urllib3.util.Retry`` repeats requests too, but knows no
look between two of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import TypeVar

from .._errors import KubeError
from .._kube.wait import HEARTBEAT
from .._strimzi.apply.work import Work

T = TypeVar("T")

#: Before anything is done: who has mistyped the address does not wait for long.
AT_FIRST = timedelta(seconds=30)
#: In a flow: a control plane that restarts is back by then.
IN_A_FLOW = timedelta(minutes=2)
#: While the operator is paused: nothing is as good as bringing the pause to its end.
IN_A_PAUSE = timedelta(minutes=10)

#: So often it is tried again in any case: an answer that does not come may take longer than all of the time.
_LEAST_TRIES = 3
#: Seconds before the second look; then doubled, up to the longest.
_FIRST_DELAY = 1.0
_LONGEST_DELAY = 15.0
#: The longest delay in seconds where the server asks for one.
_LONGEST_ASKED = 60.0


class Patience:
    """The patience of one call with its API server. It is used up by failures in a row, and whole again after a success."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._failures = 0
        self._since = self._slept = 0.0

    def through(self, act: Callable[[], T], limit: timedelta) -> T:
        """The result of ``act``, which only looks or may be done again. Raises its error where that is final, or the failures last for longer than this."""
        while True:
            try:
                return act()
            except KubeError as error:
                self.wait(error, limit)

    def wait(self, error: KubeError, limit: timedelta) -> None:
        """Wait before the next look, longer each time. Raises the error where it is final, or the failures last for longer than this."""
        clock = self._work.clock
        if not error.is_transient:
            raise error
        if not self._failures:
            self._since, self._slept = clock.monotonic(), 0.0
        left = limit.total_seconds() - max(clock.monotonic() - self._since, self._slept)
        if left <= 0 and self._failures >= _LEAST_TRIES:
            raise error
        delay = min(_FIRST_DELAY * 2.0**self._failures, _LONGEST_DELAY)
        self._failures += 1
        delay = min(max(delay, min(error.retry_after, _LONGEST_ASKED)), max(left, _FIRST_DELAY))
        if delay >= HEARTBEAT:
            self._work.tell(f"{error} It is tried again in {delay:.0f} s, for up to {max(left, delay):.0f} s.")
        self._sleep(delay)

    def renew(self) -> None:
        """Something has succeeded that is more than a look."""
        self._failures = 0

    def _sleep(self, seconds: float) -> None:
        """In parts, so that the Lease is renewed meanwhile."""
        while seconds > 0:
            part = min(seconds, HEARTBEAT)
            self._work.clock.sleep(part)
            self._slept += part
            seconds -= part
            with _passing():
                self._work.alive()


@contextmanager
def _passing() -> Iterator[None]:
    """Failures that may pass are left for the next look."""
    try:
        yield
    except KubeError as error:
        if not error.is_transient:
            raise

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""How long the API server takes for its answers, as a call measures it, and the limits that grow with that.

A limit in seconds may be right for a prompt API server, and wrong if each answer takes ten seconds. So if the API
server answers in an act, the limit is the time of the act itself, and in addition the time of these answers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

#: The answers that a call awaits for one observation of a cluster, and for the renewal of its Lease, at most.
OBSERVATION = 20
#: The answers for a connection to a port of a pod through the API server, with the talk of a client and the process in
#: the pod: the TLS connection to the API server, the request, and three messages. The API server passes them on, and is
#: as slow for them.
CONVERSATION = 5
#: The number of counted answers: enough to have slow answers among them, few enough to forget a moment of overload.
_LAST = 20


class ResponseTime:
    """How long answers of the API server take in one call. Threads may share it."""

    def __init__(self) -> None:
        self._last: deque[float] = deque(maxlen=_LAST)

    def note(self, seconds: float) -> None:
        """Note how long an answer took. A request without an answer does not count."""
        self._last.append(max(seconds, 0.0))

    @property
    def answer(self) -> float:
        """Seconds for an answer at present: the longest of the last answers; 0 before the first answer."""
        return max(tuple(self._last), default=0.0)

    def within(self, seconds: float, answers: int) -> float:
        """The limit in seconds for an act with so many answers of the API server. The act has ``seconds`` if the API
        server answers at once.
        """
        return seconds + answers * self.answer


#: An API server that answers at once; also for connections that need no API server.
PROMPT = ResponseTime()


class Countdown:
    """The limit of a wait that looks again and again. The time that a look itself takes shows nothing of what the wait
    is for, so the wait gets that time in addition: for all looks together, at most as much as its limit.
    """

    def __init__(self, monotonic: Callable[[], float], seconds: float, least_looks: int = 0) -> None:
        """A limit of ``seconds`` by the clock ``monotonic``. The countdown is not over before so many looks."""
        self._monotonic = monotonic
        self._seconds = seconds
        self._least_looks = least_looks
        self._given = 0.0
        self.restart()

    def restart(self) -> None:
        """Begin again with the whole limit, as after progress."""
        self._end = self._monotonic() + self._seconds
        self._looks = 0

    def looked_since(self, begun: float) -> None:
        """Note an answered look, which began at that reading of the clock."""
        again = min(self._monotonic() - begun, self._seconds - self._given)
        self._given += again
        self._end += again
        self._looks += 1

    @property
    def end(self) -> float:
        """The reading of the clock at the end of the time."""
        return self._end

    @property
    def is_over(self) -> bool:
        return self._monotonic() >= self._end and self._looks >= self._least_looks

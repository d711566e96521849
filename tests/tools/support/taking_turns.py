# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two runs at once on one cluster in memory: one of them moves at a time, and hands over before a write that is chosen beforehand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from threading import Semaphore, Thread
from typing import Any, Generic, TypeVar

from .memory_api import ACCESS_REVIEWS

Result = TypeVar("Result")


@dataclass
class Turn(Generic[Result]):
    """A run that takes turns with another run."""

    #: The API server, as this run may use it.
    api: Any
    #: How many writes it makes before the other run goes on; None: all its writes.
    until: int | None
    #: The result of the run.
    result: Result | None = None
    #: The exception that ended the run.
    failure: BaseException | None = None
    #: How many writes the run has made.
    writes: int = 0
    other: Turn[Any] | None = field(default=None, repr=False)
    _mine: Semaphore = field(default_factory=lambda: Semaphore(0), repr=False)
    _is_over: bool = False

    # As a transport.

    def request(self, method: str, path: str, **arguments: Any) -> Any:
        if method != "GET" and path != ACCESS_REVIEWS:
            if self.writes == self.until:
                self._hand_over()
            self.writes += 1
        return self.api.request(method, path, **arguments)

    def stream(
        self, path: str, *, query: Mapping[str, str] | None = None, timeout: float | None = None
    ) -> Iterator[Any]:
        return self.api.stream(path, query=query, timeout=timeout)

    def take(self, work: Callable[[Turn[Result]], Result]) -> None:
        """To the end, in this thread."""
        try:
            self.result = work(self)
        except BaseException as error:
            self.failure = error
        self._is_over = True

    # As a thread.

    def run(self, work: Callable[[Turn[Result]], Result]) -> None:
        self._mine.acquire()
        self.take(work)
        if self.other:
            self.other.begin()

    def begin(self) -> None:
        self._mine.release()

    def _hand_over(self) -> None:
        if self.other is not None and not self.other._is_over:
            self.other.begin()
            self._mine.acquire()


def take_turns(
    api: Any, first: Callable[[Turn[Result]], Result], second: Callable[[Turn[Result]], Result], at: tuple[int, int | None]
) -> tuple[Turn[Result], Turn[Result]]:  # fmt: skip
    """The first makes ``at[0]`` writes, then the second ``at[1]``, then the first all that are left, then the second."""
    turns: tuple[Turn[Result], Turn[Result]] = (Turn(api, at[0]), Turn(api, at[1]))
    turns[0].other, turns[1].other = turns[1], turns[0]
    threads = [
        Thread(target=turn.run, args=(work,), daemon=True) for turn, work in zip(turns, (first, second), strict=True)
    ]
    for thread in threads:
        thread.start()
    turns[0].begin()
    for thread in threads:
        thread.join()
    return turns

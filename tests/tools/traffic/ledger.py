"""The reports of clients, and the figures of each flow that follow from them: pure bookkeeping."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import pairwise

Position = tuple[int, int]  # partition, offset


@dataclass
class Window:
    """A flow from its start to its end; what happens until the next one starts counts as its doing."""

    name: str
    began: float
    ended: float = 0.0


@dataclass(frozen=True)
class Figures:
    sent: int
    lost: int
    duplicated: int
    longest_stall_s: float
    stalled_client: str


@dataclass
class Ledger:
    now: Callable[[], float] = time.monotonic
    windows: list[Window] = field(default_factory=list)
    #: When, by value.
    acked: dict[str, float] = field(default_factory=dict)
    #: Positions by consumer and value.
    seen: dict[str, dict[str, set[Position]]] = field(default_factory=lambda: defaultdict(lambda: defaultdict(set)))
    #: When a client got on, by client.
    beats: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    #: Processes of clients.
    starts: list[tuple[float, str]] = field(default_factory=list)
    tls_failures: list[tuple[float, str, str]] = field(default_factory=list)
    #: When a broker has not accepted records for want of replicas in sync, with the client and its words.
    shortages: list[tuple[float, str, str]] = field(default_factory=list)
    #: Their words about records that no client can read any more: each looks like a loss.
    unreadable: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, name: str) -> Window:
        window = Window(name, self.now())
        self.windows.append(window)
        return window

    def end(self) -> None:
        self.windows[-1].ended = self.now()

    def record_acked(self, producer: str, value: str) -> None:
        with self._lock:
            self.acked[value] = self.now()
            self.beats[producer].append(self.now())

    def record_seen(self, consumer: str, value: str, position: Position) -> None:
        with self._lock:
            self.seen[consumer][value].add(position)
            self.beats[consumer].append(self.now())

    def record_start(self, client: str) -> None:
        with self._lock:
            self.starts.append((self.now(), client))

    def record_tls_failure(self, client: str, text: str) -> None:
        with self._lock:
            self.tls_failures.append((self.now(), client, text))

    def record_shortage(self, client: str, text: str) -> None:
        with self._lock:
            self.shortages.append((self.now(), client, text))

    def record_unreadable(self, client: str, text: str) -> None:
        with self._lock:
            self.unreadable.append(f"{client} said what cannot be read: {text}")

    def missing(self) -> int:
        """Acknowledged records that a consumer has not seen (yet)."""
        with self._lock:
            return sum(self._unseen(set(self.acked)).values())

    def span(self, window: Window) -> tuple[float, float]:
        """From its start to the start of the next one."""
        following = self.windows[self.windows.index(window) + 1 :]
        return window.began, following[0].began if following else float("inf")

    def figures(self, window: Window) -> Figures:
        with self._lock:
            values = self._sent(window)
            lost = sum(self._unseen(values).values())
            stall, client = self._longest_stall(window)
            return Figures(len(values), lost, self._duplicated(values), stall, client)

    def lost(self, window: Window) -> list[str]:
        """Each record that a consumer has not seen, and where in the log another one has: a record that no consumer has seen is gone."""
        with self._lock:
            return [
                f"{consumer} has not seen {value}, {self._seen_by_others(value)}"
                for consumer, found in self.seen.items()
                for value in sorted(self._sent(window) - found.keys())
            ]

    def lost_to_all(self, window: Window) -> int:
        """How many records no consumer has seen."""
        with self._lock:
            return len(self._sent(window) - set[str]().union(*self.seen.values()))

    def behind(self, window: Window) -> dict[str, int]:
        """How many records a consumer has not seen, of the consumers that have not seen all."""
        with self._lock:
            counts = self._unseen(self._sent(window))
        return {consumer: count for consumer, count in counts.items() if count}

    def failures(self, window: Window) -> list[str]:
        begin, end = self.span(window)
        return [f"{client}: {text}" for at, client, text in self.tls_failures if begin <= at < end]

    def short(self, window: Window) -> list[str]:
        """The clients whose records a broker has not accepted for want of replicas in sync, with their words."""
        begin, end = self.span(window)
        return [f"{client}: {text}" for at, client, text in self.shortages if begin <= at < end]

    def started(self, window: Window, kept: bool) -> int:
        """How many clients of this sort were made anew."""
        begin, end = self.span(window)
        return sum(begin <= at < end and client.endswith("-kept") == kept for at, client in self.starts)

    def _sent(self, window: Window) -> set[str]:
        begin, end = self.span(window)
        return {value for value, at in self.acked.items() if begin <= at < end}

    def _unseen(self, values: set[str]) -> dict[str, int]:
        """How many of these a consumer has not seen, by consumer."""
        return {consumer: len(values - found.keys()) for consumer, found in self.seen.items()}

    def _seen_by_others(self, value: str) -> str:
        places = {name: sorted(found[value]) for name, found in self.seen.items() if value in found}
        return ", ".join(f"{name} at {where}" for name, where in places.items()) or "nor has any other consumer"

    def _duplicated(self, values: set[str]) -> int:
        """Counts values at two places in the log; consumers read a single place twice when their group changes."""
        return sum(
            len(set[Position]().union(*(found.get(value, set()) for found in self.seen.values()))) > 1
            for value in values
        )

    def _longest_stall(self, window: Window) -> tuple[float, str]:
        gaps = ((longest_gap(beats, window.began, window.ended), client) for client, beats in self.beats.items())
        return max(gaps, default=(0.0, ""))


def longest_gap(beats: Iterable[float], begin: float, end: float) -> float:
    """The longest time without a beat between begin and end."""
    inside = sorted(beat for beat in beats if begin < beat < end)
    return max(later - earlier for earlier, later in pairwise([begin, *inside, end]))

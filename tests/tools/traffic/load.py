"""Many handshakes a second, of every party with all servers that it connects to in a real cluster."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle

from .handshakes import Outcome, Verdict
from .looking import Looking
from .targets import Target

#: Seconds between looks at Secrets and pods.
LOOK = 1.0
_WORKERS = 6


@dataclass
class Load:
    looking: Looking
    #: Handshakes a second of all workers together.
    rate: float
    #: Time, party and outcome of each handshake.
    results: list[tuple[float, str, Outcome]] = field(default_factory=list)
    #: Time, party and words of each failure.
    failures: list[tuple[float, str, str]] = field(default_factory=list)
    last: dict[Target, Verdict] = field(default_factory=dict)
    _end: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self) -> None:
        self._view = self.looking.look()
        self._targets = cycle(self.looking.targets)
        self._threads = [threading.Thread(target=self._refresh, daemon=True)]
        self._threads += [threading.Thread(target=self._work, daemon=True) for _round in range(_WORKERS)]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._end.set()
        for thread in self._threads:
            thread.join(20)

    def counts(self, begin: float, end: float = float("inf")) -> Counter[Outcome]:
        with self._lock:
            return Counter(outcome for at, _party, outcome in self.results if begin <= at < end)

    def done_by_party(self, begin: float, end: float) -> Counter[str]:
        with self._lock:
            found = [(at, party) for at, party, outcome in self.results if outcome is Outcome.DONE]
        return Counter(party for at, party in found if begin <= at < end)

    def failed(self, begin: float, end: float = float("inf"), but: Container[str] = ()) -> list[str]:
        """The words of all failures, of all parties but these."""
        with self._lock:
            return [text for at, party, text in self.failures if begin <= at < end and party not in but]

    def restarts(self, begin: float, end: float) -> int:
        return sum(begin <= at < end for at in self.looking.pods.values())

    def unsettled(self, but: Container[str] = ()) -> list[str]:
        """The targets of all parties but these whose last attempt did not succeed: an interruption for good is no restart."""
        with self._lock:
            found = {target: self.last.get(target) for target in self.looking.targets if target.party not in but}
        return [f"{target}: {last}" for target, last in found.items() if not last or last.outcome is not Outcome.DONE]

    def _refresh(self) -> None:
        while not self._end.wait(LOOK):
            try:
                self._view = self.looking.look()
            except Exception as problem:  # a pod or a Secret is being replaced: the next look will do
                print(f"not seen: {problem!r}", flush=True)

    def _work(self) -> None:
        while not self._end.is_set():
            began = time.monotonic()
            self._shake_hands()
            self._end.wait(max(0.0, began + _WORKERS / self.rate - time.monotonic()))

    def _shake_hands(self) -> None:
        with self._lock:
            target = next(self._targets)
        at = time.monotonic()
        verdict = self._view.attempt(target, target.host(self.looking.tier))
        if verdict is None:
            return
        with self._lock:
            self.results.append((at, target.party, verdict.outcome))
            self.last[target] = verdict
            if verdict.outcome is Outcome.FAILED:
                self.failures.append((at, target.party, f"{target}: {verdict.detail}"))


@contextmanager
def handshake_load(looking: Looking, rate: float) -> Iterator[Load]:
    load = Load(looking, rate)
    load.start()
    try:
        yield load
    finally:
        load.stop()

"""Producers and consumers of both libraries that are kept until a new CA is published, or made anew all the time."""

from __future__ import annotations

import threading
import time
from collections.abc import Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from ..cluster.kube import wait_for
from ..kafka.tier import Tier
from .clients import Brokers, Kind, Process
from .ledger import Ledger
from .trust import Trusted, in_use, published

#: Seconds that a client lives that reads its files anew.
LIFETIME = {"jvm": 75.0, "rdkafka": 20.0}
_instances = count(1)


@dataclass
class Slot:
    """One place in the traffic, filled by one process after the other; two of them overlap.

    waits: what is published does not concern it yet.
    """

    kind: Kind
    kept: bool
    brokers: Brokers
    folder: Path
    ledger: Ledger
    trusted: Trusted = field(default_factory=lambda: Trusted(b""))
    waits: bool = False
    exits: int = 0
    processes: list[Process] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"{self.kind.library}-{self.kind.role}-{'kept' if self.kept else 'renewed'}"

    def fill(self, trusted: Trusted) -> None:
        """A new process; the old one ends when the new one has got somewhere."""
        instance = next(_instances)
        command = self.kind.command(self.brokers, self.name, instance, trusted, self.folder)
        process = Process(command, self.brokers.hosts, self._hear)
        old = self.processes[-1:]
        self.ledger.record_start(self.name)
        self.processes.append(process)
        self.trusted, self.since = trusted, time.monotonic()
        for one in old:
            threading.Thread(target=_replace, args=(one, process), daemon=True).start()

    @property
    def process(self) -> Process:
        return self.processes[-1]

    def alone(self) -> bool:
        """Whether its newest process has got somewhere and the others have ended."""
        return self.process.ready.is_set() and all(one.ended() for one in self.processes[:-1])

    def stop(self) -> None:
        """Also one whose successor has not got anywhere yet."""
        for process in self.processes:
            process.stop()

    def look_after(self, current: Trusted | None) -> None:
        if self.process.ended():
            self.exits += 1
            print(f"{self.name} has ended by itself: {self.process.last[-5:]}", flush=True)
            self.fill(self.trusted if self.kept or current is None else current)
        elif current is None or self.waits:
            return
        elif (self.kept and current.fingerprints - self.trusted.fingerprints) or (
            not self.kept and time.monotonic() - self.since > LIFETIME[self.kind.library]
        ):
            self.fill(current)

    def _hear(self, event: dict[str, Any]) -> None:
        name = event.get("name")
        if name == "producer_send_success":
            self.ledger.record_acked(self.name, event["value"])
        elif name == "record_data":
            self.ledger.record_seen(self.name, event["value"], (event["partition"], event["offset"]))
        elif name == "tls_failure":
            self.ledger.record_tls_failure(self.name, event["message"])
        elif name == "unreadable":
            self.ledger.record_unreadable(self.name, event["message"])


def _replace(old: Process, new: Process) -> None:
    new.ready.wait(60)
    old.stop()


@dataclass
class Fleet:
    tier: Tier
    slots: list[Slot]
    _end: threading.Event = field(default_factory=threading.Event)
    _watch: threading.Thread = field(init=False)

    def __post_init__(self) -> None:
        self._watch = threading.Thread(target=self._look_after, daemon=True)

    def start(self) -> None:
        """All trust the CA in use and nothing else."""
        trusted = in_use(self.tier)
        for slot in self.slots:
            slot.fill(trusted)
        for slot in self.slots:
            if not slot.process.ready.wait(90):
                raise TimeoutError(f"{slot.name} did not get anywhere: {slot.process.last}")
        self._watch.start()

    def forget_old_cas(self) -> None:
        """Before a flow: clients that are kept trust the CA in use only."""
        trusted = in_use(self.tier)
        for slot in self.slots:
            if slot.kept and slot.trusted.fingerprints != trusted.fingerprints:
                slot.fill(trusted)

    def wait_with(self, libraries: Container[str]) -> None:
        """Clients of these that are kept go on trusting what they trust now, whatever is published."""
        for slot in self.slots:
            slot.waits = slot.kept and slot.kind.library in libraries

    def wait_no_longer(self) -> None:
        """They trust what is published. When this returns, no process is left that does not."""
        waiting = [slot for slot in self.slots if slot.waits]
        for slot in waiting:
            slot.fill(published(self.tier) or in_use(self.tier))
            slot.waits = False
        wait_for(lambda: all(slot.alone() for slot in waiting), "clients that trust what is published", 120)

    def stop_producers(self) -> None:
        """Who looks after them has to be gone before: it would take them for ended by themselves."""
        self._end.set()
        if self._watch.is_alive():
            self._watch.join()
        self._stop("producer")

    def stop(self) -> None:
        self.stop_producers()
        self._stop("consumer")

    def _stop(self, role: str) -> None:
        for slot in self.slots:
            if slot.kind.role == role:
                slot.stop()

    def _look_after(self) -> None:
        while not self._end.wait(1):
            try:
                current = published(self.tier)
            except Exception as problem:  # the API server may be slow: the next look will do
                print(f"client bundle not read: {problem}", flush=True)
                continue
            for slot in self.slots:
                slot.look_after(current)


@contextmanager
def fleet(tier: Tier, brokers: Brokers, folder: Path, ledger: Ledger) -> Iterator[Fleet]:
    slots = [
        Slot(Kind(library, role), kept, brokers, folder, ledger)
        for library in ("jvm", "rdkafka")
        for kept in (True, False)
        for role in ("producer", "consumer")
    ]
    one = Fleet(tier, slots)
    try:
        one.start()
        yield one
    finally:
        one.stop()

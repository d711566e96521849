# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Places in the traffic, each filled by one process of a client after the other, and all of them together."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

from .clients import Brokers, Kind, Process
from .ledger import Ledger

_instances = count(1)


@dataclass
class Slot(ABC):
    """A place in the traffic; two of its processes overlap."""

    kind: Kind
    #: Whether its process goes on as it was begun, until its owner has it begin anew.
    kept: bool
    brokers: Brokers
    folder: Path
    ledger: Ledger
    #: How often a process ended by itself.
    exits: int = field(default=0, kw_only=True)
    processes: list[Process] = field(default_factory=list, kw_only=True)

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the place, and of its consumer group too."""

    @abstractmethod
    def come_back(self) -> None:
        """A new process in the place of one that ended by itself."""

    def run(self, command: list[str]) -> None:
        """A new process; the old one ends when the new one has got somewhere."""
        process = Process(command, self.brokers.hosts, self._hear)
        old = self.processes[-1:]
        self.ledger.record_start(self.name)
        self.processes.append(process)
        for process_before in old:
            threading.Thread(target=_replace, args=(process_before, process), daemon=True).start()

    @property
    def process(self) -> Process:
        return self.processes[-1]

    def alone(self) -> bool:
        """Whether its newest process has got somewhere and the others have ended."""
        return self.process.ready.is_set() and all(process.ended() for process in self.processes[:-1])

    def stop(self) -> None:
        """Also one whose successor has not got anywhere yet."""
        for process in self.processes:
            process.stop()

    def has_ended(self) -> bool:
        """Whether its process ended by itself; then there is a new one."""
        if not self.process.ended():
            return False
        self.exits += 1
        print(f"{self.name} has ended by itself: {self.process.last[-5:]}", flush=True)
        self.come_back()
        return True

    def _hear(self, event: dict[str, Any]) -> None:
        name = event.get("name")
        if name == "producer_send_success":
            self.ledger.record_acked(self.name, event["value"])
        elif name == "record_data":
            self.ledger.record_seen(self.name, event["value"], (event["partition"], event["offset"]))
        elif name == "client_started":
            self.ledger.record_start(self.name)
        elif name == "tls_failure":
            self.ledger.record_tls_failure(self.name, event["message"])
        elif name == "not_enough_replicas":
            self.ledger.record_shortage(self.name, event["message"])
        elif name == "unreadable":
            self.ledger.record_unreadable(self.name, event["message"])


def next_instance() -> int:
    """Another one for each process: values of records begin with it."""
    return next(_instances)


def _replace(old: Process, new: Process) -> None:
    new.ready.wait(60)
    old.stop()


class Fleet(ABC):
    """A thread looks after all clients each second."""

    def __init__(self, slots: Sequence[Slot]) -> None:
        self._all = slots
        self._end = threading.Event()
        self._watch = threading.Thread(target=self._look_after, daemon=True)

    @abstractmethod
    def begin(self) -> None:
        """A first process for each client."""

    @abstractmethod
    def look(self) -> None:
        """Does everything that is to be done now; it may fail while the API server is slow."""

    @property
    def exits(self) -> dict[str, int]:
        """How often a client ended by itself, by its name."""
        return {slot.name: slot.exits for slot in self._all}

    def start(self) -> None:
        self.begin()
        for slot in self._all:
            if not slot.process.ready.wait(90):
                raise TimeoutError(f"{slot.name} did not get anywhere: {slot.process.last}")
        self._watch.start()

    def stop_producers(self) -> None:
        """Ends the thread that looks after the clients first: it would take them for ended by themselves."""
        self._end.set()
        if self._watch.is_alive():
            self._watch.join()
        self._stop("producer")

    def stop(self) -> None:
        self.stop_producers()
        self._stop("consumer")

    def _stop(self, role: str) -> None:
        for slot in self._all:
            if slot.kind.role == role:
                slot.stop()

    def _look_after(self) -> None:
        while not self._end.wait(1):
            try:
                self.look()
            except Exception as problem:  # the API server may be slow: the next look will do
                print(f"not looked after: {problem}", flush=True)

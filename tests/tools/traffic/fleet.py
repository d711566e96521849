"""Producers and consumers of both libraries that are kept, or made anew all the time, and load ``ca.crt`` alone where that is enough."""

from __future__ import annotations

import time
from collections.abc import Container, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ...kafka.tier import Tier
from ..cluster.kube import wait_for
from .clients import Brokers, Demand
from .ledger import Ledger
from .slots import Fleet, Slot, next_instance
from .trust import Trusted, in_use, published

#: Seconds that a client lives that reads its files anew.
LIFETIME = {"jvm": 75.0, "rdkafka": 20.0}


@dataclass
class TrustingSlot(Slot):
    """A client that verifies nodes and has no certificate."""

    trusted: Trusted = field(default_factory=lambda: Trusted(b""))
    #: Whether it waits for a further flow: the published CAs do not concern it yet.
    waits: bool = False

    @property
    def name(self) -> str:
        return f"{self.kind.library}-{self.kind.role}-{'kept' if self.kept else 'renewed'}"

    def fill(self, trusted: Trusted) -> None:
        self.run(self.kind.command(self.brokers, self.name, next_instance(), trusted, self.folder))
        self.trusted, self.since = trusted, time.monotonic()

    def come_back(self) -> None:
        self.fill(self.trusted)

    def look_after(self, current: Trusted | None) -> None:
        if self.has_ended() or current is None or self.waits:
            return
        if bool(current.fingerprints - self.trusted.fingerprints) if self.kept else self._is_due(current):
            self.fill(current)

    def _is_due(self, current: Trusted) -> bool:
        """A process that has not got anywhere gets no successor that would trust the same: while nodes are away they would pile up."""
        aged = time.monotonic() - self.since > LIFETIME[self.kind.library]
        return aged and (self.alone() or current.fingerprints != self.trusted.fingerprints)


class TrustingFleet(Fleet):
    def __init__(self, tier: Tier, slots: list[TrustingSlot]) -> None:
        super().__init__(slots)
        self.tier, self.slots = tier, slots
        self._by_ca_crt = True

    def begin(self) -> None:
        """All trust the CA in use and nothing else."""
        trusted = in_use(self.tier)
        for slot in self.slots:
            slot.fill(trusted)

    def look(self) -> None:
        current = self._read()
        for slot in self.slots:
            slot.look_after(current)

    def begin_flow(self, keepers: Container[str], *, by_ca_crt: bool) -> None:
        """Before a flow: clients that are kept trust ``ca.crt`` as it is and nothing else; those of the libraries ``keepers`` read nothing more.

        by_ca_crt: whether the others load ``ca.crt`` alone, or the bundle that is published for clients.
        """
        trusted = in_use(self.tier)
        self._by_ca_crt = by_ca_crt
        for slot in self.slots:
            if slot.kept and slot.trusted.fingerprints != trusted.fingerprints:
                slot.fill(trusted)
            slot.waits = slot.kept and slot.kind.library in keepers

    def _read(self) -> Trusted | None:
        return in_use(self.tier) if self._by_ca_crt else published(self.tier)

    def wait_no_longer(self) -> None:
        """They trust what is published. When this returns, no process is left that does not."""
        waiting = [slot for slot in self.slots if slot.waits]
        for slot in waiting:
            slot.fill(published(self.tier) or in_use(self.tier))
            slot.waits = False
        wait_for(lambda: all(slot.alone() for slot in waiting), "clients that trust what is published", 120)


@contextmanager
def trusting_fleet(
    tier: Tier, brokers: Brokers, demand: Demand, folder: Path, ledger: Ledger
) -> Iterator[TrustingFleet]:
    clients = TrustingFleet(tier, [TrustingSlot(kind, kept, brokers, folder, ledger) for kind, kept in demand.clients])
    try:
        clients.start()
        yield clients
    finally:
        clients.stop()

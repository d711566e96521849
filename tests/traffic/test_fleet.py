"""Clients that are kept learn of a new CA when it is published; those that wait, only when that has an end."""

from __future__ import annotations

from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest

from . import fleet as module
from .clients import Brokers, Kind
from .fleet import TrustingFleet, TrustingSlot
from .ledger import Ledger
from .test_handshakes import MINE, OTHER
from .trust import Trusted

OLD, BOTH = Trusted(MINE[0]), Trusted(MINE[0] + OTHER[0])


class Filled(TrustingSlot):
    """Its processes exist in name only, and end when another takes their place."""

    def fill(self, trusted: Trusted) -> None:
        for one in self.processes:
            one.end.set()  # type: ignore[attr-defined]
        ready, end = Event(), Event()
        ready.set()
        process: Any = SimpleNamespace(ready=ready, end=end, ended=end.is_set, last=[])
        self.processes.append(process)
        self.trusted, self.since = trusted, float("inf")


def slot(library: str, *, kept: bool = True) -> Filled:
    one = Filled(Kind(library, "consumer"), kept, Brokers("", Path(), "traffic"), Path(), Ledger())
    one.fill(OLD)
    return one


@pytest.fixture
def clients(monkeypatch: pytest.MonkeyPatch) -> TrustingFleet:
    """Both CAs are published."""
    monkeypatch.setattr(module, "published", lambda _tier: BOTH)
    tier: Any = None
    return TrustingFleet(tier, [slot("jvm"), slot("rdkafka"), slot("jvm", kept=False)])


def look(clients: TrustingFleet) -> list[Trusted]:
    for one in clients.slots:
        one.look_after(BOTH)
    return [one.trusted for one in clients.slots]


def test_clients_that_are_kept_follow_what_is_published(clients: TrustingFleet) -> None:
    assert look(clients) == [BOTH, BOTH, OLD]


@pytest.mark.parametrize(
    ("libraries", "after"),
    [({"jvm", "rdkafka"}, [OLD, OLD, OLD]), ({"jvm"}, [OLD, BOTH, OLD]), ((), [BOTH, BOTH, OLD])],
)
def test_clients_that_wait_do_not(clients: TrustingFleet, libraries: Any, after: list[Trusted]) -> None:
    clients.wait_with(libraries)
    assert look(clients) == after


def test_when_the_wait_is_over_nobody_trusts_the_old_ca_alone(clients: TrustingFleet) -> None:
    clients.wait_with({"jvm", "rdkafka"})
    before = [one.process for one in clients.slots]
    clients.wait_no_longer()
    assert [one.trusted for one in clients.slots] == [BOTH, BOTH, OLD]
    assert [one.ended() for one in before] == [True, True, False]
    started = [one.process for one in clients.slots]
    assert look(clients) == [BOTH, BOTH, OLD]
    assert [one.process for one in clients.slots] == started


def test_an_event_that_cannot_be_read_is_not_just_a_lost_record() -> None:
    one = slot("jvm")
    one._hear({"name": "unreadable", "message": "half a line"})
    assert one.ledger.unreadable == ["jvm-consumer-kept said what cannot be read: half a line"]


def test_a_client_that_waits_and_ends_by_itself_is_counted_and_comes_back_as_it_was(clients: TrustingFleet) -> None:
    clients.wait_with({"jvm"})
    clients.slots[0].process.end.set()  # type: ignore[attr-defined]
    assert look(clients)[0] == OLD
    assert clients.slots[0].exits == 1

"""Clients that are kept learn of a new CA when it is published; keepers, only when the flow has them read again."""

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
        for running in self.processes:
            running.end.set()  # type: ignore[attr-defined]
        ready, end = Event(), Event()
        ready.set()
        process: Any = SimpleNamespace(ready=ready, end=end, ended=end.is_set, last=[])
        self.processes.append(process)
        self.trusted, self.since = trusted, float("inf")


def slot(library: str, *, kept: bool = True) -> Filled:
    filled = Filled(Kind(library, "consumer"), kept, Brokers("", Path(), "traffic"), Path(), Ledger())
    filled.fill(OLD)
    return filled


@pytest.fixture
def clients(monkeypatch: pytest.MonkeyPatch) -> TrustingFleet:
    """Both CAs are published; ``ca.crt`` contains the old one."""
    monkeypatch.setattr(module, "published", lambda _tier: BOTH)
    monkeypatch.setattr(module, "in_use", lambda _tier: OLD)
    tier: Any = None
    return TrustingFleet(tier, [slot("jvm"), slot("rdkafka"), slot("jvm", kept=False)])


def look(clients: TrustingFleet) -> list[Trusted]:
    clients.look()
    return [slot.trusted for slot in clients.slots]


@pytest.mark.parametrize(("by_ca_crt", "after"), [(False, [BOTH, BOTH, OLD]), (True, [OLD, OLD, OLD])])
def test_clients_that_are_kept_follow_what_they_load(
    clients: TrustingFleet, by_ca_crt: bool, after: list[Trusted]
) -> None:
    clients.begin_flow((), by_ca_crt=by_ca_crt)
    assert look(clients) == after


@pytest.mark.parametrize(("libraries", "after"), [({"jvm", "rdkafka"}, [OLD, OLD, OLD]), ({"jvm"}, [OLD, BOTH, OLD])])
def test_keepers_do_not(clients: TrustingFleet, libraries: Any, after: list[Trusted]) -> None:
    clients.begin_flow(libraries, by_ca_crt=False)
    assert look(clients) == after


def test_every_client_that_is_kept_begins_a_flow_with_ca_crt_alone(clients: TrustingFleet) -> None:
    for slot in clients.slots:
        slot.fill(BOTH)
    clients.begin_flow({"jvm"}, by_ca_crt=True)
    assert [slot.trusted for slot in clients.slots] == [OLD, OLD, BOTH]


def test_when_the_wait_is_over_no_client_trusts_the_old_ca_alone(clients: TrustingFleet) -> None:
    clients.begin_flow({"jvm", "rdkafka"}, by_ca_crt=False)
    before = [slot.process for slot in clients.slots]
    clients.wait_no_longer()
    assert [slot.trusted for slot in clients.slots] == [BOTH, BOTH, OLD]
    assert [process.ended() for process in before] == [True, True, False]
    started = [slot.process for slot in clients.slots]
    assert look(clients) == [BOTH, BOTH, OLD]
    assert [slot.process for slot in clients.slots] == started


def test_an_event_that_cannot_be_read_is_not_just_a_lost_record() -> None:
    consumer = slot("jvm")
    consumer._hear({"name": "unreadable", "message": "half a line"})
    assert consumer.ledger.unreadable == ["jvm-consumer-kept said what cannot be read: half a line"]


def test_a_client_that_waits_and_ends_by_itself_is_counted_and_comes_back_as_it_was(clients: TrustingFleet) -> None:
    clients.begin_flow({"jvm"}, by_ca_crt=False)
    clients.slots[0].process.end.set()  # type: ignore[attr-defined]
    assert look(clients)[0] == OLD
    assert clients.slots[0].exits == 1


def test_a_client_that_gets_nowhere_has_a_successor_when_it_would_trust_another_ca(
    clients: TrustingFleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    renewed = clients.slots[2]
    renewed.since = -1e9
    renewed.process.ready.clear()
    first = renewed.process
    clients.look()
    assert renewed.process is first
    monkeypatch.setattr(module, "in_use", lambda _tier: BOTH)
    clients.look()
    assert renewed.trusted == BOTH


def test_a_client_that_got_somewhere_has_a_successor_in_time(clients: TrustingFleet) -> None:
    renewed = clients.slots[2]
    renewed.since, first = -1e9, renewed.process
    clients.look()
    assert renewed.process is not first

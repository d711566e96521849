"""The ledger sees losses, records that are written twice and stalls, and counts each for the flow to which it belongs."""

from __future__ import annotations

import pytest

from .ledger import Figures, Ledger, longest_gap


class Clock:
    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ledger(clock: Clock) -> Ledger:
    """Two flows of ten seconds, a record a second, and two consumers that have seen all of it."""
    ledger = Ledger(clock)
    for number in range(20):
        clock.time = float(number)
        if number in (0, 10):
            ledger.begin("renew" if number else "upgrade")
        ledger.record_acked("producer", str(number))
        for consumer in ("one", "two"):
            ledger.record_seen(consumer, str(number), (0, number))
        if number in (9, 19):
            ledger.end()
    return ledger


def test_all_is_well(ledger: Ledger) -> None:
    assert [ledger.figures(window) for window in ledger.windows] == [Figures(10, 0, 0, 1.0, "two")] * 2
    assert ledger.missing() == 0


def test_the_client_is_named_that_stalled_longest(ledger: Ledger) -> None:
    ledger.beats["one"] = [1.0, 7.0]
    found = ledger.figures(ledger.windows[0])
    assert (found.longest_stall_s, found.stalled_client) == (6.0, "one")


def test_a_record_is_lost_for_each_consumer_that_does_not_see_it(ledger: Ledger) -> None:
    del ledger.seen["one"]["3"], ledger.seen["two"]["3"], ledger.seen["one"]["12"]
    assert [ledger.figures(window).lost for window in ledger.windows] == [2, 1]
    assert ledger.missing() == 3


def test_a_record_that_one_consumer_has_seen_is_not_lost_to_all(ledger: Ledger) -> None:
    del ledger.seen["one"]["3"], ledger.seen["one"]["12"], ledger.seen["two"]["12"]
    first, second = ledger.windows
    assert (ledger.lost_to_all(first), ledger.behind(first)) == (0, {"one": 1})
    assert (ledger.lost_to_all(second), ledger.behind(second)) == (1, {"one": 1, "two": 1})


def test_it_is_said_who_has_not_seen_what_and_who_has(ledger: Ledger) -> None:
    del ledger.seen["one"]["3"], ledger.seen["one"]["12"], ledger.seen["two"]["12"]
    first, second = ledger.windows
    assert ledger.lost(first) == ["one has not seen 3, two at [(0, 3)]"]
    assert ledger.lost(second) == [f"{name} has not seen 12, nor has any other consumer" for name in ("one", "two")]


def test_a_consumer_that_sees_nothing_loses_all(ledger: Ledger) -> None:
    ledger.seen["one"].clear()
    assert [ledger.figures(window).lost for window in ledger.windows] == [10, 10]


@pytest.mark.parametrize(("position", "duplicated"), [((0, 3), 0), ((0, 99), 1), ((1, 3), 1)])
def test_a_record_is_duplicated_that_is_at_two_places(
    ledger: Ledger, position: tuple[int, int], duplicated: int
) -> None:
    ledger.record_seen("two", "3", position)
    assert [ledger.figures(window).duplicated for window in ledger.windows] == [duplicated, 0]


def test_a_tls_failure_belongs_to_its_flow(ledger: Ledger, clock: Clock) -> None:
    clock.time = 9.5
    ledger.record_tls_failure("producer", "SSL handshake failed")
    assert [ledger.failures(window) for window in ledger.windows] == [["producer: SSL handshake failed"], []]


@pytest.mark.parametrize(
    ("beats", "longest"),
    [([], 10.0), ([1, 2, 3], 7.0), ([8, 9], 8.0), ([2, 9, 4], 5.0), ([-5, 5, 20], 5.0)],
)
def test_the_longest_gap_reaches_to_both_ends(beats: list[float], longest: float) -> None:
    assert longest_gap(beats, 0.0, 10.0) == longest


@pytest.mark.parametrize(("at", "started"), [(9.5, [(1, 2), (0, 0)]), (10.0, [(0, 0), (1, 2)])])
def test_clients_made_anew_belong_to_their_flow(
    ledger: Ledger, clock: Clock, at: float, started: list[tuple[int, int]]
) -> None:
    clock.time = at
    for client in ("jvm-producer-kept", "jvm-producer-renewed", "rdkafka-consumer-renewed"):
        ledger.record_start(client)
    assert [(ledger.started(window, True), ledger.started(window, False)) for window in ledger.windows] == started


def test_answers_for_want_of_replicas_belong_to_their_flow(ledger: Ledger, clock: Clock) -> None:
    clock.time = 12.0
    ledger.record_shortage("producer", "NOT_ENOUGH_REPLICAS")
    assert [len(ledger.short(window)) for window in ledger.windows] == [0, 1]

"""Times of restarts from the events of a watch, through several rolls."""

from __future__ import annotations

from typing import Any

import pytest

from .restarts import Restart, Restarts


def pod(name: str, uid: str, *, ready: bool = True, going: bool = False) -> dict[str, Any]:
    metadata = {"name": name, "uid": uid, **({"deletionTimestamp": "2026-01-31T12:00:00Z"} if going else {})}
    status = {"conditions": [{"type": "Ready", "status": "True" if ready else "False"}]}
    return {"metadata": metadata, "status": status}


def seen(*events: tuple[str, dict[str, Any], float]) -> Restarts:
    restarts = Restarts([pod("a", "a1"), pod("b", "b1")])
    for event in events:
        restarts.see(*event)
    return restarts


GOES = ("MODIFIED", pod("a", "a1", going=True), 10.0)
IS_GONE = ("DELETED", pod("a", "a1", going=True), 13.0)
COMES = ("ADDED", pod("a", "a2", ready=False), 14.0)
IS_BACK = ("MODIFIED", pod("a", "a2"), 20.0)


def test_a_restart_lasts_from_the_first_sign_of_going_until_ready() -> None:
    (found,) = seen(GOES, IS_GONE, COMES, IS_BACK).done
    assert found == Restart("a", 10.0, 13.0, 20.0)
    assert found.seconds == 10.0


def test_a_pod_killed_without_warning_counts_from_its_end() -> None:
    assert seen(("DELETED", pod("a", "a1"), 13.0), COMES, IS_BACK).done == [Restart("a", 13.0, 13.0, 20.0)]


@pytest.mark.parametrize("events", [(), (GOES,), (GOES, IS_GONE), (GOES, IS_GONE, COMES)])
def test_a_pod_that_is_not_back_is_no_restart_yet(events: tuple[Any, ...]) -> None:
    restarts = seen(*events)
    assert restarts.done == []
    assert not restarts.have_seen([pod("a", "a2"), pod("b", "b1")])


def test_a_successor_that_goes_before_it_was_ready_prolongs_the_restart() -> None:
    third = ("MODIFIED", pod("a", "a3"), 40.0)
    assert seen(GOES, IS_GONE, COMES, ("DELETED", pod("a", "a2", going=True), 15.0), third).done == [
        Restart("a", 10.0, 13.0, 40.0)
    ]


def test_rolls_add_up() -> None:
    second = [
        ("MODIFIED", pod("a", "a2", going=True), 30.0), ("MODIFIED", pod("a", "a3"), 35.0),
        ("DELETED", pod("b", "b1"), 40.0), ("MODIFIED", pod("b", "b2"), 44.0),
    ]  # fmt: skip
    restarts = seen(GOES, IS_BACK, IS_BACK, *second)
    assert restarts.done == [
        Restart("a", 10.0, 20.0, 20.0),
        Restart("a", 30.0, 35.0, 35.0),
        Restart("b", 40.0, 40.0, 44.0),
    ]
    assert restarts.sum == 19.0
    assert restarts.have_seen([pod("a", "a3"), pod("b", "b2")])


def test_pods_that_were_not_there_at_the_begin_do_not_count() -> None:
    assert seen(("ADDED", pod("c", "c1"), 1.0), ("DELETED", pod("c", "c1"), 2.0)).done == []

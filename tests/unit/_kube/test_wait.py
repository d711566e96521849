# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waiting: by events, with a heartbeat, through lost watches, and with an end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import (
    Forbidden,
    TimedOut,
    TransportError,
    Unreachable,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient, Response
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import PODS
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.wait import Objects, wait_until

from ...tools.support.golden import GoldenFiles
from .doubles import FakeClock, Stage, scripted, status


@pytest.fixture
def stage() -> Stage:
    return Stage()


def pod(name: str, **labels: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"l": "x", **labels}}}


def wait(client: KubeClient, clock: FakeClock, settled: Callable[[Objects], bool], **options: Any) -> Objects:
    options = {"timeout": timedelta(seconds=60), "alive": lambda: None, "label_selector": "l=x", **options}
    return wait_until(client, PODS, "kafka", settled, monotonic=clock.monotonic, **options)


def test_a_condition_that_holds_already_needs_one_request(stage: Stage) -> None:
    client = stage.client()
    client.create(PODS, "kafka", pod("a"))
    found = wait(client, stage.clock, lambda objects: "a" in objects)
    assert list(found) == ["a"]
    assert (client.requests, stage.clock.seconds) == (2, 0)


def test_objects_come_change_and_go(stage: Stage) -> None:
    client, other = stage.client(), stage.client()
    other.create(PODS, "kafka", pod("a"))
    stage.at(2, lambda: other.create(PODS, "kafka", pod("b")))
    stage.at(2, lambda: other.create(PODS, "kafka", {**pod("c"), "metadata": {"name": "c"}}))
    stage.at(3, lambda: other.patch(PODS, "kafka", "b", {"metadata": {"labels": {"m": "1"}}}))
    stage.at(4, lambda: other.delete(PODS, "kafka", "a"))
    seen = []

    def settled(objects: Objects) -> bool:
        seen.append(sorted(objects))
        return "a" not in objects

    found = wait(client, stage.clock, settled)
    assert {name: item["metadata"]["labels"] for name, item in found.items()} == {"b": {"l": "x", "m": "1"}}
    assert ["a", "b"] in seen
    assert not any("c" in names for names in seen)
    assert stage.clock.seconds < 6


def test_a_look_learns_what_has_changed_since_the_last_one(stage: Stage) -> None:
    client, other = stage.client(), stage.client()
    for name in ("a", "b"):
        other.create(PODS, "kafka", pod(name))
    stage.at(2, lambda: other.create(PODS, "kafka", pod("c")))
    stage.at(3, lambda: other.delete(PODS, "kafka", "a"))
    stage.at(4, lambda: other.patch(PODS, "kafka", "b", {"metadata": {"labels": {"m": "1"}}}))
    known: dict[str, Any] = {}
    looks: list[list[str]] = []

    def settled(objects: Objects) -> bool:
        changed = objects.take_changed()
        looks.append(sorted(changed))
        for name, item in changed.items():
            known[name] = item
        assert {name: item for name, item in known.items() if item is not None} == objects
        return "m" in objects["b"]["metadata"]["labels"]

    wait(client, stage.clock, settled)
    assert [names for names in looks if names] == [["a", "b"], ["c"], ["a"], ["b"]]


def test_a_new_list_names_what_has_gone_meanwhile() -> None:
    objects = Objects()
    objects.replace_all([pod("a"), pod("b")])
    objects.take_changed()
    objects.replace_all([pod("b"), pod("c")])
    assert objects.take_changed() == {"a": None, "b": pod("b"), "c": pod("c")}
    assert objects.take_changed() == {}


def test_time_runs_out_with_the_last_observation(stage: Stage, golden: GoldenFiles) -> None:
    client = stage.client()
    client.create(PODS, "kafka", pod("a"))
    with pytest.raises(TimedOut) as caught:
        wait(client, stage.clock, lambda objects: False, timeout=timedelta(seconds=10))
    assert list(caught.value.observed) == ["a"]
    golden.compare_said("kubernetes", caught.value)
    assert 10 <= stage.clock.seconds < 13


def test_a_moving_object_restarts_the_timeout(stage: Stage) -> None:
    moved = iter([False] * 6 + [True] + [False] * 100)
    with pytest.raises(TimedOut):
        wait(stage.client(), stage.clock, lambda objects: False, timeout=timedelta(seconds=10),
             restart_timeout=lambda: next(moved))  # fmt: skip
    assert stage.clock.seconds >= 15


@pytest.mark.parametrize("events", [True, False])
def test_heartbeat_in_quiet_and_in_busy_times(stage: Stage, events: bool) -> None:
    beats: list[float] = []
    other = stage.client()
    for second in range(1, 30) if events else ():
        stage.at(second, partial(other.create, PODS, "kafka", pod(f"p{second}")))
    with pytest.raises(TimedOut):
        wait(stage.client(), stage.clock, lambda objects: False, timeout=timedelta(seconds=30), heartbeat=4.0,
             alive=lambda: beats.append(stage.clock.seconds))  # fmt: skip
    gaps = [after - before for before, after in zip(beats, beats[1:])]  # noqa: B905, RUF007
    assert beats[0] <= 6
    assert len(beats) >= 4
    assert all(4 <= gap <= 7 for gap in gaps)


LISTED = Response(200, {"items": [pod("a")], "metadata": {"resourceVersion": "5"}}, {})
DELETED = {"type": "DELETED", "object": {**pod("a"), "metadata": {"name": "a", "resourceVersion": "6"}}}
TOO_OLD = {"type": "ERROR", "object": {"code": 410, "reason": "Expired", "message": "too old"}}
LOST = TransportError("the connection to the API server k8s:6443 broke off (ConnectionResetError: reset)")


@pytest.mark.parametrize("trouble", [TOO_OLD, LOST, {"type": "ERROR", "object": {"code": 503}}])
def test_a_wait_lists_again_after_a_lost_watch(trouble: Any) -> None:
    gone = Response(200, {"items": [], "metadata": {"resourceVersion": "9"}}, {})
    client, transport, clock = scripted([LISTED, gone], [trouble])
    assert wait(client, clock, lambda objects: not objects) == {}
    assert [sent.method for sent in transport.sent] == ["GET", "WATCH", "GET"]


def test_a_server_that_calls_every_watch_too_old_is_asked_less_and_less() -> None:
    client, transport, clock = scripted([LISTED] * 100)
    transport.stream = lambda *_asked, **_how: iter([TOO_OLD])  # type: ignore[method-assign,assignment]
    with pytest.raises(TimedOut):
        wait(client, clock, lambda objects: not objects, timeout=timedelta(seconds=30))
    assert clock.seconds >= 30
    assert len(transport.sent) < 20


def test_the_watch_goes_on_from_the_last_version() -> None:
    bookmark = {"type": "BOOKMARK", "object": {"metadata": {"resourceVersion": "8"}}}
    client, transport, clock = scripted([LISTED])
    batches = [[bookmark], [DELETED]]

    def stream(path: str, *, query: Mapping[str, str], timeout: float) -> Iterator[dict[str, Any]]:
        versions.append(query["resourceVersion"])
        yield from batches.pop(0)

    versions: list[str] = []
    transport.stream = stream  # type: ignore[method-assign,assignment]
    wait(client, clock, lambda objects: not objects)
    assert versions == ["5", "8"]


def test_a_wait_ends_with_the_event_and_not_with_the_watch() -> None:
    client, transport, clock = scripted([LISTED], [DELETED, LOST])
    wait(client, clock, lambda objects: not objects)
    assert transport.events == [LOST]


def test_a_server_that_ends_every_watch_at_once_is_not_flooded() -> None:
    client, transport, clock = scripted([LISTED])
    with pytest.raises(TimedOut):
        wait(client, clock, lambda objects: False, timeout=timedelta(seconds=60))
    assert len(transport.sent) < 40
    assert clock.slept[:5] == [0.25, 0.5, 1.0, 2.0, 2.0]


def test_an_api_server_that_restarts_is_waited_for() -> None:
    away = TransportError("the API server k8s:6443 cannot be reached (refused)", sent=False)
    gone = Response(200, {"items": [], "metadata": {"resourceVersion": "9"}}, {})
    beats: list[float] = []
    client, _transport, clock = scripted([LISTED, *[away] * 12, gone], [LOST])
    wait(client, clock, lambda objects: not objects, alive=lambda: beats.append(clock.seconds))
    assert beats


@pytest.mark.parametrize("hanging", ["list", "watch"])
def test_a_request_that_hangs_takes_no_time_from_what_is_waited_for(hanging: str) -> None:
    """The object goes ten seconds after the request that hung for as long as the wait may take."""
    gone = Response(200, {"items": [], "metadata": {"resourceVersion": "9"}}, {})
    client, transport, clock = scripted([LISTED] * 2)
    request, slow = transport.request, [60.0]

    def hang(*asked: Any, **how: Any) -> Response:
        clock.seconds += slow.pop() if slow and hanging == "list" else 0
        return gone if clock.seconds >= 70 else request(*asked, **how)

    def stream(*_asked: Any, **_how: Any) -> Iterator[dict[str, Any]]:
        if slow and hanging == "watch":
            clock.seconds += slow.pop()
            raise LOST
        clock.seconds += 10
        yield TOO_OLD

    transport.request, transport.stream = hang, stream  # type: ignore[method-assign,assignment]
    assert wait(client, clock, lambda objects: not objects) == {}


def test_watches_that_always_hang_are_not_waited_for_without_end() -> None:
    client, transport, clock = scripted([LISTED] * 10)

    def stream(*_asked: Any, **_how: Any) -> Iterator[dict[str, Any]]:
        yield from ()
        clock.seconds += 60
        raise LOST

    transport.stream = stream  # type: ignore[method-assign,assignment]
    with pytest.raises(Unreachable):
        wait(client, clock, lambda objects: False)
    assert 120 <= clock.seconds < 200


def test_an_api_server_that_does_not_come_back() -> None:
    client, _transport, clock = scripted([LISTED, *[LOST] * 100], [LOST])
    with pytest.raises(Unreachable):
        wait(client, clock, lambda objects: False, timeout=timedelta(seconds=20))
    assert 20 <= clock.seconds < 35


def test_a_missing_right_ends_it_at_once() -> None:
    client, transport, clock = scripted([status(403, "Forbidden", "no")])
    with pytest.raises(Forbidden):
        wait(client, clock, lambda objects: False)
    assert len(transport.sent) == 1

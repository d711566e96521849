# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every flow on an API server that fails: once at each of its calls, and now and then at a share of them.

Judged by the restarts that the plan names, by the invariants after every write, by what is said of a pause that is left, and by the state in which
everything ends. Time does not pass but for what a call waits or takes in vain.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import KubeError, StepError, Unauthorized
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import PAUSE_RECONCILIATION
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..flows.cases import Case
from ..tools.support.faults import PASSING, Choose, Fault, FaultyApi, now_and_then
from ..tools.support.killing import Copies
from ..tools.support.watched_cluster import CLUSTER, NAMESPACE, WatchedCluster
from . import clients_stories, stories
from .clients_stories import ClientsStory
from .conftest import Points
from .courses import Course, Row, assert_alike, rows
from .stories import Story

#: So many calls in a row may end with an error at this share of failures.
_CALLS = 12
_SHARES = (0.1, 0.2, 0.3)


def begun(row: Row, patch: pytest.MonkeyPatch, choose: Choose) -> Course:
    """From here on the API server fails as this says."""
    course = row.begin(patch)
    cluster = course.cluster
    cluster.is_leased = True

    def passes(seconds: float) -> None:
        cluster.memory.seconds += seconds

    cluster.permitted = FaultyApi(cluster.permitted, choose, passes)
    return course


def left_paused(cluster: WatchedCluster) -> frozenset[str]:
    """The objects that are paused, as failures name them."""
    users = (one["metadata"] for one in cluster.memory.api.all("kafkausers", NAMESPACE))
    paused = (one["name"] for one in users if PAUSE_RECONCILIATION in (one.get("annotations") or {}))
    return frozenset(
        [*(f"KafkaUser {NAMESPACE}/{name}" for name in paused), *([f"Kafka {NAMESPACE}/{CLUSTER}"] * cluster.paused)]
    )


def told_of(cluster: WatchedCluster) -> frozenset[str]:
    """The paused objects that the failure of the last run names first."""
    return frozenset(one for one in left_paused(cluster) if one in cluster.pause_left)


FLOWS: list[Row] = [*stories.SHORT, *clients_stories.STORIES]
#: Flows with pauses, each of another shape.
IN_EVERY_RUN: list[Row] = [
    Story(Case(Goal.RENEW), reload=True), Story(Case(Goal.REPLACE_KEY), reload=True), ClientsStory(Goal.REPLACE_KEY),
]  # fmt: skip
#: Flows with a pause: of the operator, and of users.
_PAUSING: list[Row] = [IN_EVERY_RUN[0], ClientsStory(Goal.REPLACE_KEY, keystores=False)]
#: A flow makes up to 400 calls, and is run again for a share of them; a run takes up to a second.
_AT_EACH_CALL = pytest.mark.timeout(3600)


@dataclass
class Counted:
    """Chooses calls in copies of the process."""

    copies: Copies
    #: The others, and those of the Lease, do not count.
    only_writes: bool
    made: int = 0

    def begins_at(self, method: str, path: str) -> bool:
        counts = not self.only_writes or (method not in ("GET", "WATCH") and "/leases" not in path)
        self.made += counts
        return counts and self.copies.begins_at(self.made)


def assert_fails_once(
    row: Row, numbers: Container[int], fault: Fault, only_writes: bool, patch: pytest.MonkeyPatch
) -> None:
    """At each of these calls: a single failure ends no run, and the end is the same."""
    counted = Counted(Copies(numbers), only_writes)
    course = begun(row, patch, lambda number, method, path: fault if counted.begins_at(method, path) else None)

    def then() -> dict[str, Any]:
        course.assert_restarts()
        return course.end_state()

    found = counted.copies.run(course.complete, then)
    assert found
    assert_alike(found, then())


@_AT_EACH_CALL
@pytest.mark.parametrize("fault", [pytest.param(one, id=one.value) for one in PASSING])
@pytest.mark.parametrize("row", rows([], FLOWS))
def test_each_call_fails_once(row: Row, fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call with one of the failures, and each failure at calls all over the flow."""
    assert_fails_once(row, range(1 + PASSING.index(fault), 2000, len(PASSING)), fault, False, monkeypatch)


@pytest.mark.parametrize(
    "fault", [pytest.param(one, id=one.value) for one in (Fault.INTERNAL_ERROR, Fault.LOST_ANSWER)]
)
@pytest.mark.parametrize("row", rows(IN_EVERY_RUN))
def test_each_write_fails_once(row: Row, fault: Fault, points: Points, monkeypatch: pytest.MonkeyPatch) -> None:
    """The part of the test above in which something can be half-way."""
    assert_fails_once(row, points.all(), fault, True, monkeypatch)


@_AT_EACH_CALL
@pytest.mark.parametrize("row", rows(_PAUSING, FLOWS))
def test_the_token_runs_out_at_each_call(row: Row, points: Points, monkeypatch: pytest.MonkeyPatch) -> None:
    """And there is no other until the next run."""
    counted = Counted(Copies(points.all()), row in _PAUSING)
    refused: list[str] = []

    def choose(number: int, method: str, path: str) -> Fault | None:
        if counted.copies.is_one or counted.begins_at(method, path):
            refused.append(path)
            return Fault.UNAUTHORIZED
        return None

    course = begun(row, monkeypatch, choose)
    cluster = course.cluster

    def complete() -> None:
        try:
            course.complete()
            # A flow that has ended gives its Lease back, and another run waits a little where that fails.
            assert all("/leases/" in path for path in refused), f"ended without a word of {refused}"
        except Unauthorized:
            assert refused

    def then() -> dict[str, Any]:
        assert told_of(cluster) == left_paused(cluster), "left paused without a word"
        cluster.permitted = cluster.memory.api
        if cluster.kafka:
            cluster.memory.settle(2)
        return course.go_on()

    found = counted.copies.run(complete, then)
    assert found
    course.assert_restarts()
    assert_alike(found, course.end_state())


def fail_again_and_again(course: Course) -> None:
    """Until the flow is at its end, or the API server has failed too often."""
    cluster, told = course.cluster, frozenset[str]()
    for _call in range(_CALLS):
        try:
            course.complete()
            return
        except (KubeError, StepError):
            # A run that cannot look at all knows of no pause; the one that has left it has told of it.
            told = (told | told_of(cluster)) & left_paused(cluster)
            assert told == left_paused(cluster), "left paused without a word"
            if cluster.kafka:
                # The operator has been at work for as long as the run has tried.
                cluster.memory.settle(1)


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 11))])
@pytest.mark.parametrize("row", rows(IN_EVERY_RUN, FLOWS))
def test_a_share_of_the_calls_fails(row: Row, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each share in a copy of its own, which begins at the first call."""
    copies = Copies(range(1, 1 + len(_SHARES)))
    chosen: list[Choose] = []

    def choose(number: int, method: str, path: str) -> Fault | None:
        for place, share in enumerate(_SHARES if number == 1 else (), 1):
            if copies.begins_at(place):
                chosen.append(now_and_then(share, seed))
                break
        return chosen[0](number, method, path) if chosen else None

    course = begun(row, monkeypatch, choose)
    cluster = course.cluster

    def then() -> dict[str, Any]:
        cluster.permitted = cluster.memory.api
        if cluster.kafka:
            cluster.memory.settle(2)
        return course.go_on()

    found = copies.run(lambda: fail_again_and_again(course), then)
    assert list(found) == [1, 2, 3]
    course.assert_restarts()
    assert_alike(found, course.end_state())

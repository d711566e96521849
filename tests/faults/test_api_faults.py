# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every flow on an API server that fails: once at each of its calls, and now and then at a share of them.

Judged by the restarts that the plan names, by the invariants after every write, by what is said of a pause that is left, and by the state in which
everything ends. Time does not pass but for what a call waits or takes in vain.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import KubeError, StepError, Unauthorized
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import PAUSE_RECONCILIATION
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..flows.cases import Case
from ..tools.support.faults import PASSING, Choose, Fault, FaultyApi, now_and_then
from ..tools.support.killing import Copies
from ..tools.support.watched_cluster import CLUSTER, NAMESPACE, WatchedCluster
from . import stories, test_kill_clients_ca
from .conftest import Points
from .stories import Story
from .test_kill_clients_ca import ClientsStory

#: So many calls in a row may end with an error at this share of failures.
_CALLS = 12


class Course(Protocol):
    """A flow and all that follows from it, on a cluster of its own."""

    @property
    def cluster(self) -> WatchedCluster: ...

    @property
    def restarts(self) -> int:
        """How often the plan lets each node restart at most."""

    def complete(self) -> None:
        """Runs everything to its end. What is done already is not done again."""

    def end_state(self) -> dict[str, Any]: ...


@dataclass
class _OfClusterCa:
    telling: stories.Telling

    @property
    def cluster(self) -> WatchedCluster:
        return self.telling.cluster

    @property
    def restarts(self) -> int:
        return self.telling.cost.restarts

    def complete(self) -> None:
        self.telling.complete()

    def end_state(self) -> dict[str, Any]:
        return self.telling.end_state()


@dataclass
class _OfClientsCa:
    story: ClientsStory
    cluster: Any

    @property
    def restarts(self) -> int:
        return 0 if self.story.reload or self.story.goal in (Goal.UPGRADE, Goal.CREATE, Goal.DOWNGRADE) else 2

    def complete(self) -> None:
        test_kill_clients_ca.complete(self.cluster, self.story)

    def end_state(self) -> dict[str, Any]:
        return test_kill_clients_ca.end_state(self.cluster)


def begun(
    story: Story | ClientsStory, patch: pytest.MonkeyPatch, choose: Choose | None = None
) -> tuple[Course, FaultyApi]:
    """From here on the API server fails as this says."""
    course: Course = (
        _OfClusterCa(story.begin(patch)) if isinstance(story, Story) else _OfClientsCa(story, story.begin(patch))
    )
    cluster = course.cluster
    cluster.is_leased = True

    def passes(seconds: float) -> None:
        cluster.memory.seconds += seconds

    api = FaultyApi(cluster.permitted, choose or (lambda number, method, path: None), passes)
    cluster.permitted = api  # type: ignore[assignment]
    return course, api


def undisturbed(story: Story | ClientsStory, patch: pytest.MonkeyPatch) -> tuple[list[tuple[str, str]], dict[str, Any]]:
    """Its calls, and how it ends."""
    with patch.context() as own:
        course, api = begun(story, own)
        course.complete()
        calls = list(api.calls)
        assert_restarts(course)
        return calls, course.end_state()


def assert_restarts(course: Course) -> None:
    assert max(course.cluster.counts().values(), default=0) <= course.restarts


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


def assert_fails_once(
    story: Story | ClientsStory, numbers: list[int], fault: Fault, wanted: dict[str, Any], patch: pytest.MonkeyPatch
) -> None:
    """At each of these calls, in a copy of its own: a single failure ends no run, and the end is the same."""
    with patch.context() as own:
        copies = Copies(numbers)
        course, _api = begun(story, own, lambda number, method, path: fault if copies.begins_at(number) else None)

        def then() -> None:
            assert_restarts(course)
            assert course.end_state() == wanted

        assert copies.run(course.complete, then) == numbers


def fails_again_and_again(
    story: Story | ClientsStory, share: float, seed: int, patch: pytest.MonkeyPatch
) -> tuple[int, dict[str, Any]]:
    """How many calls ended with an error, and the end state when the API server is well again."""
    with patch.context() as own:
        course, _api = begun(story, own, now_and_then(share, seed))
        failed, told = 0, frozenset[str]()
        while failed < _CALLS:
            try:
                course.complete()
                break
            except (KubeError, StepError):
                failed += 1
                # A run that cannot look at all knows of no pause; the one that has left it has told of it.
                told = (told | told_of(course.cluster)) & left_paused(course.cluster)
                assert told == left_paused(course.cluster), "left paused without a word"
                if course.cluster.kafka:
                    # The operator has been at work for as long as the run has tried.
                    course.cluster.memory.settle(1)
        course.cluster.permitted = course.cluster.memory.api  # type: ignore[assignment]
        if course.cluster.kafka:
            course.cluster.memory.settle(2)
        course.complete()
        assert_restarts(course)
        return failed, course.end_state()


def is_write(call: tuple[str, str]) -> bool:
    return call[0] not in ("GET", "WATCH")


FLOWS: list[Story | ClientsStory] = [*stories.SHORT, *test_kill_clients_ca.STORIES]
#: Flows with pauses, each of another shape.
IN_EVERY_RUN: list[Story | ClientsStory] = [
    Story(Case(Goal.RENEW), reload=True),
    Story(Case(Goal.REPLACE_KEY), reload=True),
    ClientsStory(Goal.REPLACE_KEY),
]


def _marked(flows: list[Story | ClientsStory], short: Callable[[Story | ClientsStory], bool]) -> list[Any]:
    return [pytest.param(one, id=str(one), marks=() if short(one) else (pytest.mark.long,)) for one in flows]


#: A flow makes up to 400 calls, and is run again for a share of them; a run takes up to a second.
_AT_EACH_CALL = pytest.mark.timeout(3600)


@_AT_EACH_CALL
@pytest.mark.parametrize("fault", [pytest.param(one, id=one.value) for one in PASSING])
@pytest.mark.parametrize("story", _marked(FLOWS, lambda story: False))
def test_each_call_fails_once(story: Story | ClientsStory, fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call with one of the failures, and each failure at calls all over the flow."""
    calls, wanted = undisturbed(story, monkeypatch)
    numbers = list(range(1 + PASSING.index(fault), len(calls) + 1, len(PASSING)))
    assert_fails_once(story, numbers, fault, wanted, monkeypatch)


@pytest.mark.parametrize(
    "fault", [pytest.param(one, id=one.value) for one in (Fault.INTERNAL_ERROR, Fault.LOST_ANSWER)]
)
@pytest.mark.parametrize("story", _marked(IN_EVERY_RUN, lambda story: True))
def test_each_write_fails_once(
    story: Story | ClientsStory, fault: Fault, points: Points, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The part of the test above in which something can be half-way."""
    calls, wanted = undisturbed(story, monkeypatch)
    writes = [number for number, call in enumerate(calls, 1) if is_write(call) and "/leases" not in call[1]]
    assert_fails_once(story, [writes[one - 1] for one in points.to(len(writes))], fault, wanted, monkeypatch)


def assert_ends_and_goes_on(
    story: Story | ClientsStory, numbers: list[int], wanted: dict[str, Any], patch: pytest.MonkeyPatch
) -> None:
    """The token runs out at each of these calls, in a copy of its own, and there is no other until the next run."""
    with patch.context() as own:
        copies = Copies(numbers)

        def choose(number: int, method: str, path: str) -> Fault | None:
            return Fault.UNAUTHORIZED if copies.is_one or copies.begins_at(number) else None

        course, _api = begun(story, own, choose)
        cluster = course.cluster

        def then() -> None:
            assert told_of(cluster) == left_paused(cluster), "left paused without a word"
            cluster.permitted = cluster.memory.api  # type: ignore[assignment]
            if cluster.kafka:
                cluster.memory.settle(2)
            course.complete()
            assert_restarts(course)
            assert course.end_state() == wanted

        assert copies.run(course.complete, then, Unauthorized) == numbers


#: Flows with a pause: of the operator, and of users.
_PAUSING = (IN_EVERY_RUN[0], ClientsStory(Goal.REPLACE_KEY, keystores=False))


@_AT_EACH_CALL
@pytest.mark.parametrize("story", _marked(FLOWS, lambda story: story in _PAUSING))
def test_the_token_runs_out_at_each_call(
    story: Story | ClientsStory, points: Points, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls, wanted = undisturbed(story, monkeypatch)
    numbers = [number for number, call in enumerate(calls, 1) if "/leases" not in call[1]]
    if story in _PAUSING:
        numbers = [number for number in numbers if is_write(calls[number - 1])]
    assert_ends_and_goes_on(story, [numbers[one - 1] for one in points.to(len(numbers))], wanted, monkeypatch)


@pytest.mark.parametrize("share", [0.1, 0.2, 0.3])
@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 11))])
@pytest.mark.parametrize("story", _marked(FLOWS, lambda story: story in IN_EVERY_RUN))
def test_a_share_of_the_calls_fails(
    story: Story | ClientsStory, seed: int, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    _calls, wanted = undisturbed(story, monkeypatch)
    failed, ended = fails_again_and_again(story, share, seed, monkeypatch)
    assert ended == wanted
    print(f"\n{story}: {failed} runs failed at {share:.0%} of failing calls")

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long answers take, as the client measures it, and what grows with that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import KubeError, TimedOut, TransportError
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import CONFIG_MAPS, SECRETS
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.response_time import (
    PROMPT,
    Countdown,
    ResponseTime,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.wait import wait_until

from ...tools.support.memory_api import MemoryApi
from .doubles import FakeClock


class Slow:
    """An API server whose answers take as long as the clock says; a client that has less time for one gets none."""

    def __init__(self, clock: FakeClock, seconds: float) -> None:
        self.clock, self.seconds, self.api = clock, seconds, MemoryApi()
        self.limits: list[float] = []

    def request(self, method: str, path: str, *, timeout: float | None = None, **given: Any) -> Any:
        self._pass(timeout or 60.0)
        return self.api.request(method, path, timeout=timeout, **given)

    def stream(
        self, path: str, *, query: Mapping[str, str] | None = None, timeout: float | None = None
    ) -> Iterator[Any]:
        self.limits.append(timeout or 60.0)
        self._pass(timeout or 60.0)
        yield from self.api.stream(path, query=query, timeout=timeout)

    def _pass(self, limit: float) -> None:
        self.clock.seconds += min(self.seconds, limit)
        if self.seconds > limit:
            raise TransportError("did not answer", timed_out=True)


@pytest.fixture
def slow() -> Slow:
    return Slow(FakeClock(), 10.0)


def client_of(slow: Slow) -> KubeClient:
    return KubeClient(slow, sleep=slow.clock.sleep, now=slow.clock.now, monotonic=slow.clock.monotonic)


def test_the_longest_of_the_last_answers_counts(slow: Slow) -> None:
    client = client_of(slow)
    assert client.response_time.within(3, 5) == 3
    client.list(SECRETS, "kafka")
    slow.seconds = 0.5
    client.get_or_none(CONFIG_MAPS, "kafka", "none")
    assert (client.response_time.answer, client.response_time.within(3, 5)) == (10, 53)
    for _answer in range(20):
        client.list(SECRETS, "kafka")
    assert client.response_time.within(3, 2) == 4


def test_a_request_without_an_answer_shows_nothing(slow: Slow) -> None:
    slow.seconds = 100
    client = client_of(slow)
    with pytest.raises(KubeError):
        client.get(SECRETS, "kafka", "one")
    assert client.response_time.answer == 0


def test_no_call_measures_by_the_value_for_prompt_servers() -> None:
    assert PROMPT.answer == 0
    own = ResponseTime()
    own.note(4)
    assert (own.answer, PROMPT.answer) == (4, 0)


def test_a_watch_begins_as_late_as_answers_come(slow: Slow) -> None:
    """Else each watch would end before its first event, and its failure would be taken for one of the network."""
    client = client_of(slow)
    version = client.list(SECRETS, "kafka").resource_version
    assert list(client.watch(SECRETS, "kafka", resource_version=version, timeout=5)) == []
    assert slow.limits == [30.0]


def test_a_wait_on_a_slow_server_ends_with_what_it_waited_for(slow: Slow) -> None:
    """And not with an error of the network."""
    with pytest.raises(TimedOut):
        wait_until(
            client_of(slow), SECRETS, "kafka", lambda _objects: False, timeout=timedelta(seconds=60),
            monotonic=slow.clock.monotonic, alive=lambda: None,
        )  # fmt: skip
    assert 60 <= slow.clock.seconds <= 130


class TestCountdown:
    @pytest.fixture
    def clock(self) -> FakeClock:
        return FakeClock()

    @staticmethod
    def look(clock: FakeClock, countdown: Countdown, seconds: float) -> None:
        begun = clock.seconds
        clock.seconds += seconds
        countdown.looked_since(begun)

    def test_the_time_of_looks_does_not_count(self, clock: FakeClock) -> None:
        countdown = Countdown(clock.monotonic, 60)
        self.look(clock, countdown, 40)
        clock.seconds += 59
        assert not countdown.is_over
        clock.seconds += 1
        assert countdown.is_over

    def test_it_is_given_again_once_at_most(self, clock: FakeClock) -> None:
        countdown = Countdown(clock.monotonic, 60)
        self.look(clock, countdown, 59)
        self.look(clock, countdown, 59)
        assert not countdown.is_over
        self.look(clock, countdown, 59)
        assert countdown.is_over
        assert countdown.end == 120

    def test_a_few_looks_are_taken_however_long_each_takes(self, clock: FakeClock) -> None:
        countdown = Countdown(clock.monotonic, 60, least_looks=3)
        overs = []
        for _look in range(3):
            self.look(clock, countdown, 500)
            overs.append(countdown.is_over)
        assert overs == [False, False, True]

    def test_progress_gives_the_whole_time_again(self, clock: FakeClock) -> None:
        countdown = Countdown(clock.monotonic, 60, least_looks=1)
        self.look(clock, countdown, 0)
        clock.seconds += 59
        countdown.restart()
        clock.seconds += 61
        assert not countdown.is_over, "no look since then"
        self.look(clock, countdown, 0)
        assert countdown.is_over

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests to nodes beside the wait for the confirmation of a pause: they are repeated, and the wait never waits for
them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from threading import Event
from time import monotonic

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._rollout import reload_outside
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.reload_outside import Rounds
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.waves import AT_ONCE

#: Seconds after which a test that waits has failed.
LONG = 20.0


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reload_outside, "_PAUSE", 0.001)


@pytest.fixture
def hanging() -> Iterator[Event]:
    """An answer that does not come before the end of the test."""
    answer = Event()
    yield answer
    answer.set()


def until(condition: Callable[[], bool]) -> None:
    begun, pause = monotonic(), Event()
    while not condition():
        assert monotonic() - begun < LONG, "it did not come true"
        pause.wait(0.001)


def test_a_job_is_repeated_until_it_is_done() -> None:
    done = Counter[str]()

    def job() -> bool:
        done["it"] += 1
        return done["it"] == 3

    def other() -> bool:
        done["other"] += 1
        return False

    rounds = Rounds([job, other])
    until(lambda: done["other"] > 10)
    rounds.end()
    assert done["it"] == 3


def test_jobs_that_hang_keep_the_end_waiting_for_no_second_and_others_get_their_turns(hanging: Event) -> None:
    """Many more nodes than are served at the same time, and nearly as many that hang as are."""
    done = set[int]()

    def hang() -> bool:
        return hanging.wait(LONG)

    def job(number: int) -> Callable[[], bool]:
        return lambda: bool(done.add(number))

    rounds = Rounds([*[hang] * (AT_ONCE - 1), *(job(number) for number in range(5 * AT_ONCE))])
    until(lambda: len(done) == 5 * AT_ONCE)
    begun = monotonic()
    rounds.end()
    assert monotonic() - begun < 1


def test_after_the_end_no_job_is_begun(hanging: Event) -> None:
    begun = Counter[str]()

    def first() -> bool:
        begun["first"] += 1
        return hanging.wait(LONG) and False

    rounds = Rounds([first])
    until(lambda: begun["first"] == 1)
    rounds.end()
    hanging.set()
    rounds._pool.shutdown(wait=True)
    assert begun["first"] == 1


def test_a_mistake_in_a_job_ends_the_call() -> None:
    def broken() -> bool:
        raise ZeroDivisionError

    rounds = Rounds([broken])
    until(lambda: bool(rounds._broken))
    with pytest.raises(ZeroDivisionError):
        rounds.go_on()
    rounds.end()

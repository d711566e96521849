# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Many listeners at a time: never more than asked for, never longer than the deadline, never one less in the answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._handshake import listener as collecting
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.listener import collect
from ansible_collections.trustops.strimzi.plugins.module_utils._handshake.tls import Deadline


@pytest.mark.parametrize("at_most", [1, 7, 32])
def test_never_more_than_so_many_at_a_time_and_every_job_has_its_answer(at_most: int) -> None:
    lock, running, most = threading.Lock(), [0], [0]

    def job(number: int) -> Callable[[Deadline], int]:
        def work(deadline: Deadline) -> int:
            with lock:
                running[0] += 1
                most[0] = max(most[0], running[0])
            time.sleep(0.001)
            with lock:
                running[0] -= 1
            return number * 2

        return work

    found = collect({number: job(number) for number in range(500)}, at_most=at_most, deadline=Deadline.after(30))
    assert list(found.items()) == [(number, number * 2) for number in range(500)]
    assert 1 <= most[0] <= at_most


def test_they_run_at_the_same_time() -> None:
    meeting = threading.Barrier(8, timeout=60)
    jobs: dict[int, Callable[[Deadline], bool]] = {
        number: lambda deadline: meeting.wait() is not None for number in range(8)
    }
    assert set(collect(jobs, at_most=8, deadline=Deadline.after(60)).values()) == {True}


def test_what_had_no_turn_in_time_is_missing_and_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    # On a busy machine a thread may have to wait for longer than the second after the deadline.
    monkeypatch.setattr(collecting, "_GRACE", 60.0)
    begun: list[int] = []

    def until_its_end(number: int) -> Callable[[Deadline], str]:
        def work(given: Deadline) -> str:
            begun.append(number)
            time.sleep(max(0.0, given.at - time.monotonic()) + 0.01)
            return "done"

        return work

    found = collect({number: until_its_end(number) for number in range(50)}, at_most=2, deadline=Deadline.after(3))
    assert 1 <= len(begun) <= 2
    assert found == {number: "done" if number in begun else None for number in range(50)}


def test_a_job_that_does_not_keep_to_the_deadline_is_left_behind() -> None:
    stop = threading.Event()

    def stuck(deadline: Deadline) -> bool:
        return stop.wait(60)

    begin = time.monotonic()
    try:
        found = collect(
            {"stuck": stuck, "quick": lambda deadline: True}, at_most=2, deadline=Deadline.after(0.1)
        )  # fmt: skip
        assert time.monotonic() - begin < 30
    finally:
        stop.set()
    assert found == {"stuck": None, "quick": True}


def test_a_deadline_that_has_passed_starts_nothing() -> None:
    begun: list[int] = []
    found = collect(dict.fromkeys("abc", lambda deadline: begun.append(1)), at_most=2, deadline=Deadline.after(-1))
    assert begun == []
    assert found == dict.fromkeys("abc", None)


def test_a_mistake_in_a_job_is_not_swallowed() -> None:
    def wrong(deadline: Deadline) -> int:
        return 1 // 0

    with pytest.raises(ZeroDivisionError):
        collect({"a": wrong}, at_most=1, deadline=Deadline.after(5))


def test_nothing_to_do() -> None:
    assert collect({}, at_most=4, deadline=Deadline.after(1)) == {}


def test_the_earlier_of_two_ends_counts() -> None:
    assert Deadline.after(1).within(50).remaining() <= 1
    assert Deadline.after(50).within(1).remaining() <= 1
    with pytest.raises(TimeoutError):
        Deadline.after(0).remaining()

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A flow under way, as each fault of the matrix meets it: what runs it to its end, and what has to be the same whatever happened on the way."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Sequence
from typing import Any, Protocol

import pytest

from ..tools.support.flows import FlowResult
from ..tools.support.killing import ForkingTransport, KillingTransport
from ..tools.support.watched_cluster import WatchedCluster


class Course(ABC):
    """A flow and all that follows from it, on a cluster of its own."""

    @property
    @abstractmethod
    def cluster(self) -> WatchedCluster: ...

    @property
    @abstractmethod
    def restarts(self) -> int:
        """How often the plan lets each node restart at most."""

    @abstractmethod
    def run(self) -> FlowResult:
        """Runs the flow once: a call for each phase."""

    @abstractmethod
    def complete(self) -> None:
        """Runs everything to its end. What is done already is not done again."""

    @abstractmethod
    def end_state(self) -> dict[str, Any]:
        """The facts that have to be the same whatever happened on the way (I8): everything but the random parts."""

    def assert_paid(self) -> None:
        """An undisturbed flow has cost what the table of costs says."""
        self.assert_restarts()

    def assert_restarts(self) -> None:
        assert max(self.cluster.counts().values(), default=0) <= self.restarts

    def go_on(self) -> dict[str, Any]:
        """Runs everything again after a kill. Returns the end state."""
        self.complete()
        self.assert_restarts()
        return self.end_state()


class Row(Protocol):
    """A row of the matrix, a story: makes the same flow again and again. Its text is its name."""

    def begin(self, patch: pytest.MonkeyPatch) -> Course:
        """At the point where the flow begins."""


def rows(always: Sequence[Row], at_length: Sequence[Row] = ()) -> list[Any]:
    """The parameters of a test for every run, and for the long one."""
    return [
        *(pytest.param(one, id=str(one)) for one in always),
        *(pytest.param(one, id=str(one), marks=pytest.mark.long) for one in at_length if one not in always),
    ]


def kill(
    cluster: WatchedCluster,
    numbers: Container[int],
    run: Callable[[], object],
    then: Callable[[], Any],
    *,
    after: bool = True,
) -> dict[int, Any]:
    """Runs a flow to its end here, and in copies of the process up to these writes. Returns what ``then`` returned, by the numbers of the writes.

    after: whether the write at which a copy is killed is done. then: what follows a kill, when the cluster has gone on for a while.
    """
    transport = ForkingTransport(cluster.memory.api, numbers, after)
    cluster.permitted = transport

    def go_on() -> Any:
        cluster.permitted = cluster.memory.api
        if cluster.kafka:
            cluster.memory.settle(2)
        return then()

    killed = transport.kill_copies(run, go_on)
    cluster.permitted = cluster.memory.api
    assert killed
    return killed


def assert_killed_and_run_again(course: Course, numbers: Container[int], *, after: bool = True) -> None:
    """Killed at each of these writes and run again, it ends as where nothing disturbs it; and there a second run writes nothing (I9)."""
    killed = kill(course.cluster, numbers, course.complete, course.go_on, after=after)
    course.assert_paid()
    transport = course.cluster.permitted = KillingTransport(course.cluster.memory.api)
    course.complete()
    assert transport.writes == 0, "a second run wrote something (I9)"
    assert_alike(killed, course.end_state())
    print(f"\nkilled at {len(killed)} writes, all ended the same")


def assert_alike(found: dict[int, Any], wanted: Any) -> None:
    """All copies found the same as the process that nothing disturbed."""
    for number, state in found.items():
        assert state == wanted, f"at {number}"

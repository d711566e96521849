# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A direct roll that was interrupted goes on from what the cluster shows: each node restarts once, nobody is harmed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import KubeError, RollStuck, TransportError
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.direct import restart_nodes
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Roll

from .direct_stand import DirectStand

ORDER = [0, 2, 1]


class Killed(Exception):
    """As if the process had been killed: nothing in the collection expects it."""


class Dying:
    """Everything that a run talks to, until it has talked so often. lost: the last request is done, unheard."""

    def __init__(self, stand: DirectStand, alive_for: int, lost: bool) -> None:
        self.stand, self.left, self.lost = stand, alive_for, lost

    def count(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise Killed

    def request(self, method: str, path: str, **arguments: Any) -> Any:
        if self.lost and self.left == 0:
            self.stand.api.request(method, path, **arguments)
        self.count()
        return self.stand.api.request(method, path, **arguments)

    def stream(self, path: str, **arguments: Any) -> Iterator[Any]:
        self.count()
        return self.stand.api.stream(path, **arguments)


def run_and_die(stand: DirectStand, step: Roll, alive_for: int, lost: bool) -> bool:
    dying = Dying(stand, alive_for, lost)
    observation, work = stand.observe(), stand.work()
    work.client = KubeClient(dying, sleep=stand.clock.sleep)  # type: ignore[arg-type]
    stand.kafka.before_answer = dying.count
    try:
        restart_nodes(step, observation, work, lambda observation: stand.kafka)
    except Killed:
        return True
    finally:
        stand.kafka.before_answer = lambda: None
    return False


def requests_of_a_whole_roll() -> int:
    stand = DirectStand()
    dying = 0
    while run_and_die(stand, stand.step(), dying, False):
        stand = DirectStand()
        dying += 7
    return dying


@pytest.mark.parametrize("graceful", [False, True], ids=["at once", "gracefully"])
@pytest.mark.parametrize("lost", [False, True], ids=["refused", "unheard"])
def test_interrupted_at_each_request_and_run_again(lost: bool, graceful: bool) -> None:
    for alive_for in range(requests_of_a_whole_roll()):
        stand = DirectStand()
        stand.api.graceful_pods = graceful
        step = stand.step()
        interrupted = run_and_die(stand, step, alive_for, lost)
        if interrupted:
            stand.carry_out_roll(step)
        assert sorted(stand.deleted) == [0, 1, 2], f"interrupted at request {alive_for}"
        assert stand.kafka.harm == [], f"interrupted at request {alive_for}"


def test_interrupted_again_and_again() -> None:
    stand = DirectStand()
    step = stand.step()
    runs = 0
    while run_and_die(stand, step, 9, lost=False):
        runs += 1
        assert runs < 100
    assert stand.deleted == ORDER
    assert stand.kafka.harm == []


@pytest.mark.parametrize("what", ["gone", "stalled"])
def test_a_node_that_did_not_return_is_waited_for_and_not_restarted_again(what: str) -> None:
    stand = DirectStand()
    step = stand.step()
    getattr(stand, what).add(0)
    for _attempt in range(2):
        with pytest.raises(RollStuck, match="demo-kafka-0"):
            stand.carry_out_roll(step)
        assert stand.deleted == [0]
    getattr(stand, what).clear()
    if what == "gone":
        stand.create("pods", stand.pod(0, ready=False))
    stand.at(stand.clock.seconds + 2, lambda: stand.becomes_ready(0))
    stand.carry_out_roll(step)
    assert stand.deleted == ORDER
    assert stand.kafka.harm == []


def test_a_broker_that_is_still_catching_up_is_waited_for() -> None:
    stand = DirectStand()
    step = stand.step()
    stand.at(1, lambda: stand.kafka.lagging.add(0))
    with pytest.raises(RollStuck, match="broker 0 is not in sync yet"):
        stand.carry_out_roll(step)
    with pytest.raises(RollStuck, match="broker 0 is not in sync yet"):
        stand.carry_out_roll(step)
    stand.kafka.lagging.clear()
    stand.carry_out_roll(step)
    assert stand.deleted == ORDER


def test_a_connection_to_the_api_server_that_breaks_for_a_while_interrupts_nothing() -> None:
    stand = DirectStand()
    broken = iter([False] * 12 + [True] * 3 + [False] * 1000)
    request = stand.api.request

    def sometimes(method: str, path: str, **arguments: Any) -> Any:
        if method == "GET" and next(broken):
            raise TransportError("connection reset", transient=True, sent=False)
        return request(method, path, **arguments)

    stand.api.request = sometimes  # type: ignore[method-assign]
    try:
        stand.roll()
    except KubeError as error:
        pytest.fail(str(error))
    assert stand.deleted == ORDER

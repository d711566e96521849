# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The direct strategy in batches: no partition loses more than it can spare, whatever happens in the middle of a batch."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from itertools import count
from types import MappingProxyType
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import KafkaUnavailable, RollStuck
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout import batches, direct
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.direct import restart_nodes
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.kafka_pods import ANOTHER_ROLL
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Action, Display, Work
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import ONE_BY_ONE, BatchLimit
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.rounds import LEADERS_RETURN

from ...tools.support.golden import GoldenFiles
from ...tools.support.kafka import FakeTopic
from .direct_stand import LIMIT, DirectStand, name
from .test_direct import run_and_die

#: Three controllers, and six brokers in three racks.
ROLES = MappingProxyType({0: "c", 1: "c", 2: "c", **dict.fromkeys(range(3, 9), "b")})
RACKS = MappingProxyType({3: "a", 4: "a", 5: "b", 6: "b", 7: "c", 8: "c"})
RACK = BatchLimit(one_rack=True)
#: The controllers one by one, the active one last, then the brokers rack by rack.
ROUNDS = [[0], [2], [1], [3, 4], [5, 6], [7, 8]]


class Racks(DirectStand):
    """Partitions have a replica in each rack; ``batch``: the limit of the caller."""

    def __init__(self, batch: BatchLimit = RACK, roles: Mapping[int, str] = ROLES, **config: Any) -> None:
        super().__init__(roles, **config)
        self.batch = batch
        self.kafka.racks, self.kafka.most_away = RACKS, 2
        self.kafka.topics_ = [FakeTopic("orders", (3, 5, 7)), FakeTopic("payments", (4, 6, 8))]
        self.lines: list[str] = []

    def work(self, **options: Any) -> Work:
        work = super().work(**options)
        work.wishes = work.wishes.changed(batch=self.batch)
        work.display = Display(report=self.lines.append)
        return work

    def stops(self) -> RollStuck:
        with pytest.raises(RollStuck) as caught:
            self.roll()
        return caught.value

    @property
    def rounds(self) -> list[list[int]]:
        """The nodes of each round, by the lines that the roll has shown."""
        found: list[list[int]] = []
        left = list(self.deleted)
        for line in self.lines:
            if line.startswith("round "):
                size = int(line.split(": restarting ")[1].split()[0])
                found.append(left[:size])
                left = left[size:]
        return found


def restarts(actions: list[Action]) -> list[int | None]:
    return [action.away for action in actions if action.verb == "restart"]


def test_nodes_of_one_rack_restart_together() -> None:
    stand = Racks()
    actions = stand.roll()
    assert stand.rounds == ROUNDS
    assert restarts(actions) == [1, 1, 1, 2, 2, 2, 2, 2, 2]
    assert stand.kafka.harm == []


@pytest.mark.parametrize(
    ("limit", "numbers"), [(RACK, [1, 2, 3, 4, 4, 5, 5, 6, 6]), (ONE_BY_ONE, [None] * len(ROLES))], ids=["rack", "one"]
)
def test_each_restart_has_the_number_of_its_round(limit: BatchLimit, numbers: list[int | None]) -> None:
    """A node that restarts alone for lack of a limit is in no round."""
    done = [action for action in Racks(limit).roll() if action.verb == "restart"]
    assert [action.round_number for action in done] == numbers
    assert [action.as_result()["round"] for action in done] == numbers


def test_rounds_are_numbered_through_the_rolls_of_a_call() -> None:
    stand = Racks()
    work = stand.work(pod_timeout=LIMIT)
    for node in (3, 5):
        restart_nodes(stand.step([node]), stand.observe(), work, lambda _observation: stand.kafka)
    assert [action.round_number for action in work.actions if action.verb == "restart"] == [1, 2]


def test_rounds_and_the_reason_for_their_size_are_shown(golden: GoldenFiles) -> None:
    stand = Racks(BatchLimit(nodes=2))
    stand.kafka.topics_.append(FakeTopic("single", (3,), minimum=1))
    stand.roll()
    golden.compare_said("rolls", "\n".join(stand.lines))


def test_the_next_batch_goes_when_every_node_of_the_last_is_back() -> None:
    stand = Racks()
    stand.kafka.sync_seconds = 9.0
    stand.roll()
    assert stand.clock.seconds >= 3 * 2 + 3 * (2 + 9)
    assert stand.kafka.harm == []


def test_the_next_batch_waits_for_leaders() -> None:
    stand = Racks()
    stand.at(12, lambda: stand.kafka.leaderless.add("orders"))
    stopped = stand.stops()
    assert {one["gate"] for one in stopped.violations} == {"return"}
    assert len(stand.deleted) < len(ROLES)
    stand.kafka.leaderless.clear()
    stand.roll([node for node in ROLES if node not in stand.deleted])
    assert sorted(stand.deleted) == list(ROLES)


LEADERS = LEADERS_RETURN.total_seconds()
#: The preferred leaders: one of the first rack of brokers, one of the second.
PREFERRED = ("orders", (3, 5, 7)), ("payments", (6, 8, 4))


class Leading(Racks):
    """Brokers lead again ``after`` so many seconds, and no election makes them lead sooner, unless it ``elects``."""

    def __init__(self, after: float, batch: BatchLimit = RACK, *, elects: bool = False, **config: Any) -> None:
        super().__init__(batch, **config)
        self.kafka.leads_after, self.kafka.elects = after, elects
        self.kafka.topics_ = [FakeTopic(*topic) for topic in PREFERRED]
        self.asked: list[float] = []
        self.kafka.before_answer = lambda: self.asked.append(self.clock.seconds)


@pytest.mark.parametrize(("after", "waits"), [(0.0, 0.0), (100.0, 200.0), (1e9, 2 * LEADERS)])
def test_the_next_batch_waits_until_brokers_lead_again_or_their_time_is_over(after: float, waits: float) -> None:
    """After the first rack and after the second. The third rack has no preferred leader, and no batch comes after it."""
    stand, usual = Leading(after), Leading(0.0)
    usual.roll()
    stand.roll(pod_timeout=timedelta(seconds=20))
    assert stand.rounds == ROUNDS
    assert waits <= stand.clock.seconds - usual.clock.seconds <= waits + 2 * 15
    assert len([line for line in stand.lines if "lead again" in line]) == (2 if waits else 0)
    assert stand.kafka.harm == []


def test_an_election_has_brokers_lead_again_at_once() -> None:
    """After the first rack and after the second, as above: each election is about the partitions of its batch."""
    stand, usual = Leading(1e9, elects=True), Leading(0.0)
    stand.roll()
    usual.roll()
    assert stand.kafka.elections == [["orders-0"], ["payments-0"]]
    assert stand.clock.seconds - usual.clock.seconds <= 2 * 2
    assert stand.rounds == ROUNDS
    assert stand.kafka.harm == []


@pytest.mark.parametrize(("value", "elects"), [("false", False), (False, False), ("true", True), (True, True)])
def test_no_election_where_kafka_moves_no_leader_by_itself(value: object, elects: bool) -> None:
    stand = Leading(100.0, elects=True, **{"auto.leader.rebalance.enable": value})
    stand.roll()
    assert bool(stand.kafka.elections) is elects
    assert sorted(stand.deleted) == list(ROLES)


def test_an_election_that_kafka_does_not_hold_is_asked_for_again() -> None:
    stand = Leading(25.0)
    stand.roll()
    assert stand.kafka.elections[:2] == [["orders-0"]] * 2
    assert len(stand.kafka.elections) <= 2 * 4


def test_an_election_that_fails_leaves_the_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    stand = Leading(25.0)
    monkeypatch.setattr(stand.kafka, "elect_preferred_leaders", lambda _partitions: silent())
    stand.roll()
    assert stand.rounds == ROUNDS


def test_an_election_of_many_partitions_goes_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct, "_ELECTION", 2)
    stand = Leading(1e9, elects=True)
    stand.kafka.topics_ = [FakeTopic(f"t{number}", (3, 5, 7)) for number in range(5)]
    stand.roll()
    assert stand.kafka.elections == [["t0-0", "t1-0"], ["t2-0", "t3-0"], ["t4-0"]]


def test_kafka_rests_while_leaders_are_awaited() -> None:
    stand = Leading(1e9)
    stand.roll()
    assert len(stand.asked) < 3 * stand.clock.seconds / 5


def test_without_batches_no_leader_is_awaited() -> None:
    stand, usual = Leading(1e9, ONE_BY_ONE), Leading(0.0, ONE_BY_ONE)
    stand.roll()
    usual.roll()
    assert stand.clock.seconds == usual.clock.seconds


def silent() -> None:
    raise KafkaUnavailable("Kafka", "does not answer", "Look at it.")


@pytest.mark.parametrize("what", ["unready", "silent"])
def test_a_roll_that_awaits_leaders_stops_if_anything_else_goes_wrong(what: str) -> None:
    """The time for leaders does not lengthen the time in which a node has to come back, or Kafka to answer."""
    stand = Leading(1e9)

    def go_wrong() -> None:
        if what == "unready":
            stand.becomes_unready(3)
        else:
            stand.kafka.before_answer = silent

    stand.at(60, go_wrong)
    stand.stops()
    assert stand.deleted == [0, 2, 1, 3, 4]
    assert stand.clock.seconds < LEADERS


@pytest.mark.parametrize("what", ["gone", "stalled"])
def test_a_roll_stops_at_the_node_of_a_batch_that_does_not_come_back(what: str) -> None:
    stand = Racks()
    getattr(stand, what).add(6)
    stopped = stand.stops()
    assert name(6) in str(stopped)
    assert stand.deleted == [0, 2, 1, 3, 4, 5, 6]
    assert "6 of 9 restarted" in str(stopped)


def test_a_batch_shrinks_when_a_replica_elsewhere_is_lost() -> None:
    """Broker 7 is to restart later, and falls out of sync while Kafka is asked for the batch before."""
    stand = Racks(BatchLimit(nodes=2))
    stand.kafka.topics_.append(FakeTopic("wide", (3, 4, 7, 8), minimum=2))
    stand.kafka.topics_[0] = FakeTopic("orders", (3, 5, 6))
    stand.at(4, lambda: stand.kafka.lagging.add(7))
    stand.at(13, stand.kafka.lagging.clear)
    stand.roll()
    assert [3, 4] not in stand.rounds
    assert sorted(stand.deleted) == list(ROLES)
    assert stand.kafka.harm == []


def test_a_batch_waits_while_a_node_outside_of_it_is_away() -> None:
    stand = Racks()
    stand.becomes_unready(8)
    stand.kafka.harm.clear()
    stand.at(9, lambda: stand.becomes_ready(8))
    stand.roll([3, 4])
    assert stand.deleted == [3, 4]
    assert stand.clock.seconds >= 9
    assert stand.kafka.harm == []


def test_a_topic_that_is_being_reassigned_makes_batches_of_one_of_its_brokers() -> None:
    stand = Racks()
    stand.kafka.topics_.append(FakeTopic("moved", (3, 4, 5, 6), minimum=1))
    stand.kafka.moving = {"moved"}
    stand.roll()
    assert [len(nodes) for nodes in stand.rounds[3:]] == [2, 1, 1, 1, 1]
    assert stand.rounds[3] == [7, 8]


@pytest.mark.parametrize("graceful", [True, False])
def test_a_second_hand_that_deletes_a_pod_of_the_next_batch_stops_the_roll(graceful: bool) -> None:
    stand = Racks()

    def second_hand() -> None:
        stand.api.graceful_pods = graceful
        stand.remove("pods", name(5))

    # The first batch of brokers is away then.
    stand.api.listeners.append(
        lambda change: (
            stand.at(stand.clock.seconds + 1, second_hand)
            if (change.plural, change.verb, change.name) == ("pods", "delete", name(3))
            else None
        )
    )
    stopped = stand.stops()
    assert f"pod {name(5)} is " in str(stopped)
    assert stopped.object == ANOTHER_ROLL
    assert not {7, 8} & set(stand.deleted)


@pytest.mark.each_once
@pytest.mark.parametrize("graceful", [False, True], ids=["at once", "gracefully"])
@pytest.mark.parametrize("lost", [False, True], ids=["refused", "unheard"])
def test_killed_at_each_request_and_run_again(lost: bool, graceful: bool) -> None:
    """Also in the middle of a batch: the next run waits for the nodes that are away, and restarts no node twice."""
    for alive_for in count():
        stand = Racks(roles={node: role for node, role in ROLES.items() if role == "b"})
        stand.api.graceful_pods = graceful
        step = stand.step([3, 4, 5, 6])
        interrupted = run_and_die(stand, step, alive_for, lost)
        if interrupted:
            stand.carry_out_roll(step)
        assert sorted(stand.deleted) == [3, 4, 5, 6], f"interrupted at request {alive_for}"
        assert stand.kafka.harm == [], f"interrupted at request {alive_for}"
        if not interrupted:
            return


def test_a_limit_of_one_restarts_as_without_batches() -> None:
    stands = [Racks(BatchLimit(nodes=1)), Racks(BatchLimit(percent=1))]
    for stand in stands:
        stand.kafka.most_away = 1
        stand.roll()
        assert stand.deleted == [0, 2, 1, 3, 4, 5, 6, 7, 8]
        assert stand.kafka.harm == []


def test_rules_taken_out_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The Kafka of these tests sees the harm of a batch that no partition has agreed to."""
    monkeypatch.setattr(batches, "blocking_partitions", lambda *_arguments: ())
    stand = Racks(BatchLimit(nodes=2))
    stand.kafka.racks = {}
    stand.kafka.topics_ = [FakeTopic("orders", (3, 4, 5))]
    stand.roll()
    assert stand.kafka.harm != []


def test_looks_go_by_time_while_several_nodes_are_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look goes through all pods, and each restart of a batch brings several events."""
    read, found = direct.kafka_pods, list[int]()

    def read_and_count(pods: Any, owners: Any) -> Any:
        found.append(1)
        return read(pods, owners)

    monkeypatch.setattr(direct, "kafka_pods", read_and_count)

    def looks(events: int) -> int:
        found.clear()
        stand = Racks()
        stand.start = 10.0
        marks = [{"metadata": {"annotations": {"example.com/mark": str(number)}}} for number in range(events)]
        stand.at(5, lambda: [stand.change("pods", name(8), mark) for mark in marks])
        stand.roll([3, 4])
        assert stand.deleted == [3, 4]
        return len(found)

    assert looks(50) == looks(0)

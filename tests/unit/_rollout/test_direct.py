# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The direct strategy: exactly the nodes of the step, in the KafkaRoller's order, never two at once, also after an interruption."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from itertools import combinations, count
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import (
    KubeError,
    RollStuck,
    TransportError,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.admin import Quorum
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.direct import restart_nodes
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.kafka_pods import ANOTHER_ROLL
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Display
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Roll

from ...tools.support.faults import Fault, FaultyApi, always
from ...tools.support.golden import GoldenFiles
from ...tools.support.kafka import FakeTopic
from .._strimzi.bench import pod
from .direct_stand import COMBINED, MANUAL, SEPARATE, DirectStand, name

SUBSETS = [nodes for size in range(4) for nodes in combinations(COMBINED, size)]


@pytest.mark.parametrize("nodes", SUBSETS, ids=str)
def test_exactly_the_nodes_of_the_step_restart_once(nodes: tuple[int, ...]) -> None:
    stand = DirectStand()
    actions = stand.roll(nodes)
    assert sorted(stand.deleted) == sorted(nodes)
    assert [(one.verb, one.object) for one in actions] == [
        (verb, f"Pod kafka/{name(node)}") for node in stand.deleted for verb in ("delete", "restart")
    ]
    assert stand.kafka.harm == []


def test_without_nodes_kafka_is_not_even_asked() -> None:
    stand = DirectStand()
    work = stand.work()
    restart_nodes(stand.step([]), stand.observe(), work, _never)  # type: ignore[arg-type]
    assert work.actions == []


def _never(_observation: object) -> None:
    raise AssertionError("the run connected to a node")


@pytest.mark.parametrize("roles", [COMBINED, SEPARATE], ids=["combined", "separate"])
@pytest.mark.parametrize("active", [0, 1, 2])
def test_controllers_first_and_the_active_one_last_of_them(roles: Mapping[int, str], active: int) -> None:
    stand = DirectStand(roles)
    stand.kafka.active = active
    stand.roll()
    assert stand.deleted == [*sorted({0, 1, 2} - {active}), active, *sorted(set(roles) - {0, 1, 2})]
    assert stand.kafka.harm == []


def test_the_order_follows_the_active_controller_when_it_moves() -> None:
    stand = DirectStand()
    stand.kafka.active = 2
    stand.at(1, lambda: setattr(stand.kafka, "active", 1))
    stand.roll()
    assert stand.deleted == [0, 2, 1]


def test_an_unready_node_is_restarted_first() -> None:
    stand = DirectStand(SEPARATE)
    stand.becomes_unready(2)
    stand.kafka.harm.clear()
    stand.roll()
    assert stand.deleted[0] == 2
    assert sorted(stand.deleted) == list(SEPARATE)


def test_controllers_do_not_wait_for_a_broker_that_is_down_and_comes_later() -> None:
    """Its restart may be the cure, and its turn comes when the controllers are through, as with the KafkaRoller."""
    stand = DirectStand(SEPARATE)
    stand.becomes_unready(4)
    stand.roll()
    assert stand.deleted == [0, 2, 1, 4, 3, 5]


def test_the_next_one_goes_when_the_last_one_is_in_sync_and_not_earlier() -> None:
    stand = DirectStand()
    stand.kafka.sync_seconds = 9.0
    actions = stand.roll()
    # Two seconds until Ready, nine until it is in sync; and the last one is waited for as well.
    assert stand.clock.seconds >= 3 * (2 + 9)
    assert [one.away for one in actions if one.verb == "restart"] == [1, 1, 1]
    assert stand.kafka.harm == []


def test_a_pod_with_the_same_name_and_another_uid_is_not_deleted(golden: GoldenFiles) -> None:
    stand = DirectStand()
    told = stand.kafka.quorum

    def told_and_replaced() -> Quorum:
        # The last question before the restart.
        stand.remove("pods", name(0))
        stand.create("pods", stand.pod(0))
        return told()

    stand.kafka.quorum = told_and_replaced  # type: ignore[method-assign]
    golden.compare_said("rolls", refused(stand, [0]))
    assert stand.deleted == [0], "by another program, once"


def test_a_topic_with_no_replica_to_spare_stops_no_restart() -> None:
    stand = DirectStand()
    stand.kafka.topics_.append(FakeTopic("single", (1,), minimum=1))
    stand.roll()
    assert sorted(stand.deleted) == [0, 1, 2]


def test_the_connection_is_closed_whatever_happens() -> None:
    stand = DirectStand()
    stand.roll([0])
    assert stand.kafka.closed == 1
    stand.gone = {1}
    with pytest.raises(Exception, match="has stopped"):
        stand.roll([1])
    assert stand.kafka.closed == 2


def test_every_restart_is_told_at_once() -> None:
    stand, lines = DirectStand(), []
    work = stand.work()
    work.display = Display(report=lines.append)
    restart_nodes(stand.step(), stand.observe(), work, lambda observation: stand.kafka)
    assert [(one.number, one.pod) for one in work.restarts.shown] == [(1, name(0)), (2, name(2)), (3, name(1))]
    assert lines == [one.sentence() for one in work.restarts.shown]


def test_the_lease_is_kept_alive_between_the_questions() -> None:
    stand, beats = DirectStand(), []
    work = stand.work()
    work.renew_lease = lambda: beats.append("alive")
    stand.kafka.before_answer = lambda: beats.append("asked")
    restart_nodes(stand.step(), stand.observe(), work, lambda observation: stand.kafka)
    assert "asked asked" not in " ".join(beats)


def test_kafka_rests_between_questions_with_long_answers() -> None:
    """While replicas catch up, questions take a third of the time at most, however many topics there are."""
    stand, asked = DirectStand(), []
    stand.kafka.sync_seconds = 40.0

    def answer() -> None:
        asked.append(stand.clock.seconds)
        stand.clock.seconds += 2.0

    stand.kafka.before_answer = answer
    stand.roll(pod_timeout=timedelta(seconds=300))
    assert 2.0 * len(asked) < 0.5 * stand.clock.seconds
    assert stand.kafka.harm == []


def test_kafka_is_asked_again_soon_though_nothing_happens_to_the_pods() -> None:
    """No event of Kubernetes tells that a broker is in sync."""
    stand, seconds = DirectStand(), []
    stream = stand.api.stream

    def watched(path: str, *, query: dict[str, str], **arguments: Any) -> Iterator[Any]:
        seconds.append(int(query["timeoutSeconds"]))
        return stream(path, query=query, **arguments)

    stand.api.stream = watched  # type: ignore[method-assign]
    stand.roll()
    assert set(seconds) == {1}


# Two rolls at once could take down two nodes at once: the direct strategy does not begin, or stops.


def refused(stand: DirectStand, nodes: list[int] | None = None) -> RollStuck:
    with pytest.raises(RollStuck) as caught:
        stand.roll(nodes)
    assert caught.value.object == ANOTHER_ROLL
    return caught.value


@pytest.mark.parametrize(
    ("plural", "which", "asked"),
    [
        ("pods", name(0), MANUAL),
        ("pods", name(2), MANUAL),
        ("strimzipodsets", "demo-kafka", MANUAL),
        ("pods", name(2), "strimzi.io/delete-pod-and-pvc"),
    ],
)
def test_the_operator_has_been_asked_for_a_roll(plural: str, which: str, asked: str, golden: GoldenFiles) -> None:
    stand = DirectStand()
    stand.asks_operator(plural, which, asked)
    golden.compare_said("rolls", refused(stand, [0, 1]), f"{which}, {asked}")
    assert stand.deleted == []


def test_the_operator_is_asked_for_a_roll_while_ours_runs() -> None:
    stand = DirectStand()
    stand.at(2, lambda: stand.asks_operator("strimzipodsets", "demo-kafka"))
    refused(stand)
    assert stand.deleted == [0]


def test_a_node_that_we_are_not_to_restart_is_leaving(golden: GoldenFiles) -> None:
    stand = DirectStand()
    stand.api.graceful_pods = True
    stand.remove("pods", name(2))
    golden.compare_said("rolls", refused(stand, [0]))
    assert stand.deleted == []


@pytest.mark.parametrize("graceful", [True, False])
@pytest.mark.parametrize("victim", [1, 2])
def test_another_program_restarts_a_node_during_a_direct_roll(victim: int, graceful: bool) -> None:
    """Also a node that was to be restarted: the program that restarted it may restart the next node as well."""
    stand = DirectStand()
    stand.at(4, lambda: setattr(stand.api, "graceful_pods", graceful))
    stand.at(4, lambda: stand.remove("pods", name(victim)))
    assert f"pod {name(victim)} is " in refused(stand, [0, 2]).cause
    assert stand.deleted in ([0], [0, victim])


@pytest.mark.parametrize(
    ("case", "status"),
    [
        ("evicted", {"phase": "Failed", "reason": "Evicted", "message": "The node was low on resource: memory. "}),
        ("without a reason", {"phase": "Failed"}),
        (
            "worker shut down",
            {
                "phase": "Failed",
                "conditions": [
                    {
                        "type": "DisruptionTarget",
                        "status": "True",
                        "reason": "TerminationByKubelet",
                        "message": "Shut down",
                    }
                ],
            },
        ),
    ],
)
def test_a_node_that_kubernetes_has_ended_is_no_other_roll(
    case: str, status: dict[str, Any], golden: GoldenFiles
) -> None:
    stand = DirectStand()
    stand.at(4, lambda: stand.change("pods", name(2), {"status": status}, "status"))
    with pytest.raises(RollStuck) as caught:
        stand.roll([0, 2])
    assert caught.value.object == f"Pod {name(2)}"
    golden.compare_said("rolls", caught.value, case)
    assert stand.deleted == [0]


def test_a_node_that_is_being_evicted_is_no_other_roll(golden: GoldenFiles) -> None:
    """As in a drain of its worker."""
    stand = DirectStand()
    condition = {
        "type": "DisruptionTarget",
        "status": "True",
        "reason": "EvictionByEvictionAPI",
        "message": "Eviction API: evicting",
    }
    stand.change("pods", name(2), {"status": {"phase": "Running", "conditions": [condition]}}, "status")
    stand.api.graceful_pods = True
    stand.remove("pods", name(2))
    with pytest.raises(RollStuck) as caught:
        stand.roll([0])
    golden.compare_said("rolls", caught.value)
    assert stand.deleted == []


def test_a_node_that_is_down_is_waited_for_before_the_first_restart() -> None:
    """An interrupted run of ours may have restarted it, or a roll of another program."""
    stand = DirectStand()
    stand.becomes_unready(2)
    stand.kafka.harm.clear()
    stand.at(6, lambda: stand.becomes_ready(2))
    stand.roll([0])
    assert stand.clock.seconds >= 6
    assert stand.kafka.harm == []


def test_a_node_that_stays_down_is_named() -> None:
    stand = DirectStand()
    stand.becomes_unready(2)
    with pytest.raises(RollStuck) as caught:
        stand.roll([0])
    assert [(one["gate"], one["subject"]) for one in caught.value.violations] == [("return", "pod demo-kafka-2")]
    assert stand.deleted == []


def test_the_operator_rolling_from_node_to_node_is_noticed_between_two_of_them() -> None:
    stand = DirectStand()
    stand.becomes_unready(2)
    stand.kafka.harm.clear()
    stand.at(3, lambda: stand.becomes_ready(2))
    stand.at(3, lambda: stand.remove("pods", name(1)))
    assert "pod demo-kafka-1 is " in refused(stand, [0]).cause
    assert stand.deleted == [1]


def test_pods_of_other_clusters_and_components_do_not_count() -> None:
    stand = DirectStand()
    other = pod("other-kafka-0")
    other["metadata"]["labels"].update({"strimzi.io/cluster": "other", "strimzi.io/name": "other-kafka"})
    other["metadata"]["annotations"]["strimzi.io/manual-rolling-update"] = "true"
    stand.create("pods", other)
    stand.create("pods", pod("demo-connect-0", "connect", ready=False))
    stand.roll([0])
    assert stand.deleted == [0]


# A direct roll that was interrupted goes on from what the cluster shows: each node restarts once, no client is harmed.

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


@pytest.mark.each_once
@pytest.mark.parametrize("graceful", [False, True], ids=["at once", "gracefully"])
@pytest.mark.parametrize("lost", [False, True], ids=["refused", "unheard"])
def test_interrupted_at_each_request_and_run_again(lost: bool, graceful: bool) -> None:
    for alive_for in count():
        stand = DirectStand()
        stand.api.graceful_pods = graceful
        step = stand.step()
        interrupted = run_and_die(stand, step, alive_for, lost)
        if interrupted:
            stand.carry_out_roll(step)
        assert sorted(stand.deleted) == [0, 1, 2], f"interrupted at request {alive_for}"
        assert stand.kafka.harm == [], f"interrupted at request {alive_for}"
        if not interrupted:
            return


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
    for _attempt in range(2):
        with pytest.raises(RollStuck) as caught:
            stand.carry_out_roll(step)
        assert [(one["gate"], one["subject"]) for one in caught.value.violations] == [("return", "pod demo-kafka-0")]
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


# Between the look at the pods and the deletion lie the questions to Kafka, which take seconds.


def test_a_node_that_leaves_while_kafka_is_asked_keeps_all_others_up() -> None:
    """As where a call on the other CA of the cluster restarts it: that call has another Lease."""
    stand = DirectStand()
    told = stand.kafka.quorum

    def told_while_another_leaves() -> Quorum:
        answer = told()
        stand.api.graceful_pods = True
        stand.remove("pods", name(2))
        return answer

    stand.kafka.quorum = told_while_another_leaves  # type: ignore[method-assign]
    assert "pod demo-kafka-2 is " in refused(stand, [0]).cause
    assert (stand.deleted, stand.kafka.harm) == ([], [])


def test_a_node_that_becomes_unready_while_kafka_is_asked_is_waited_for() -> None:
    stand = DirectStand()
    told, asked = stand.kafka.quorum, iter([True])

    def told_while_another_stumbles() -> Quorum:
        answer = told()
        if next(asked, False):
            stand.becomes_unready(2)
            stand.at(stand.clock.seconds + 5, lambda: stand.becomes_ready(2))
        return answer

    stand.kafka.quorum = told_while_another_stumbles  # type: ignore[method-assign]
    stand.roll([0])
    assert (stand.deleted, stand.kafka.harm) == ([0], [])
    assert stand.clock.seconds >= 5


def test_the_operator_is_asked_for_a_roll_while_kafka_is_asked() -> None:
    stand = DirectStand()
    told = stand.kafka.quorum

    def told_meanwhile() -> Quorum:
        stand.asks_operator("pods", name(2))
        return told()

    stand.kafka.quorum = told_meanwhile  # type: ignore[method-assign]
    refused(stand, [0])
    assert stand.deleted == []


@pytest.mark.parametrize("graceful", [False, True], ids=["at once", "gracefully"])
@pytest.mark.parametrize("roles", [COMBINED, SEPARATE], ids=["combined", "separate"])
def test_deletions_whose_answers_are_lost_are_recorded_and_waited_for(roles: Mapping[int, str], graceful: bool) -> None:
    stand = DirectStand(roles)
    stand.api.graceful_pods = graceful

    def lose(number: int, method: str, path: str) -> Fault | None:
        return Fault.LOST_ANSWER if method == "DELETE" else None

    actions = stand.roll(transport=FaultyApi(stand.api, lose))
    assert [(one.verb, one.object) for one in actions] == [
        (verb, f"Pod kafka/{name(node)}") for node in stand.deleted for verb in ("delete", "restart")
    ]
    assert (sorted(stand.deleted), stand.kafka.harm) == (list(roles), [])


def test_a_deletion_that_was_not_done_is_no_restart() -> None:
    stand = DirectStand()
    work = stand.work(transport=FaultyApi(stand.api, always(Fault.RESET, "DELETE")))
    with pytest.raises(KubeError) as lost:
        restart_nodes(stand.step([0]), stand.observe(), work, lambda observation: stand.kafka)
    assert (lost.value.outcome_unknown, work.actions, stand.deleted) == (True, [], [])


@pytest.mark.parametrize("roles", [COMBINED, SEPARATE], ids=["combined", "separate"])
def test_an_active_controller_that_is_down_restarts_first(roles: Mapping[int, str]) -> None:
    """No other controller restarts while it is down, so that none would be left to restart before it."""
    stand = DirectStand(roles)
    stand.becomes_unready(1)
    stand.kafka.harm.clear()
    # It leads the quorum all the same.
    stand.kafka._down_since.clear()
    stand.kafka.active = 1
    stand.roll()
    assert stand.deleted[0] == 1
    assert sorted(stand.deleted) == list(roles)


def test_the_list_of_pod_sets_is_read_by_the_second_and_not_by_the_event() -> None:
    """It has every pod in it, and each restart of a batch brings several events."""

    def readings(events: int) -> int:
        stand = DirectStand()
        stand.start = 10.0
        marks = [{"metadata": {"annotations": {"example.com/mark": str(number)}}} for number in range(events)]
        stand.at(5, lambda: [stand.change("pods", name(2), mark) for mark in marks])
        stand.roll([0])
        assert stand.deleted == [0]
        return sum(path.endswith("/strimzipodsets") for _method, path in stand.api.requests)

    assert readings(50) == readings(0)

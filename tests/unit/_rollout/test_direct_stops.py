# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When the direct strategy stops: it names pod, partition or voter, the cause and the remedy, and harms no client."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import KafkaUnavailable, RollStuck
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.kafka_pods import NOT_AGAIN

from ...tools.support.golden import GoldenFiles
from ...tools.support.kafka import FakeKafka, FakeTopic
from .direct_stand import LIMIT, SEPARATE, DirectStand, name


def stops(stand: DirectStand, **options: Any) -> RollStuck:
    with pytest.raises(RollStuck) as caught:
        stand.roll(**options)
    assert stand.kafka.harm == []
    assert caught.value.repetition == NOT_AGAIN
    return caught.value


def gates(stopped: RollStuck) -> list[tuple[str, str]]:
    return [(one["gate"], one["subject"]) for one in stopped.violations]


def test_on_a_node_that_is_not_recreated(golden: GoldenFiles) -> None:
    stand = DirectStand()
    stand.gone = {0}
    stopped = stops(stand)
    assert stand.deleted == [0]
    golden.compare_said("rolls", stopped)


def test_on_a_node_that_does_not_become_ready(golden: GoldenFiles) -> None:
    stand = DirectStand()
    stand.stalled = {2}
    stopped = stops(stand)
    assert stand.deleted == [0, 2]
    golden.compare_said("rolls", stopped)


def test_on_a_broker_that_does_not_get_back_into_the_cluster(golden: GoldenFiles) -> None:
    stand = DirectStand()
    stand.kafka.register_seconds = 900.0
    stopped = stops(stand)
    assert stand.deleted == [0]
    golden.compare_said("rolls", stopped)


def test_on_a_broker_that_does_not_get_in_sync(golden: GoldenFiles) -> None:
    stand = DirectStand()
    stand.at(1, lambda: stand.kafka.lagging.add(0))
    stopped = stops(stand)
    assert stand.deleted == [0]
    golden.compare_said("rolls", stopped)


def test_on_a_controller_that_does_not_catch_up(golden: GoldenFiles) -> None:
    stand = DirectStand(SEPARATE)
    stand.at(1, lambda: stand.kafka.behind.add(0))
    stopped = stops(stand)
    assert stand.deleted == [0]
    golden.compare_said("rolls", stopped)


def test_on_a_node_that_is_gone_at_the_very_end() -> None:
    """The last one counts too: who comes after this roll would find it down."""
    stand = DirectStand()
    stand.gone = {1}
    assert gates(stops(stand)) == [("return", "pod demo-kafka-1")]
    assert stand.deleted == [0, 2, 1]


@pytest.mark.parametrize(
    ("case", "prepare"),
    [
        ("in sync", lambda kafka: kafka.lagging.add(1)),
        ("too few", lambda kafka: kafka.lagging.update({1, 2})),
        ("voters", lambda kafka: kafka.behind.update({0, 2})),
        ("no leader", lambda kafka: setattr(kafka, "active", None)),
    ],
)
def test_before_the_first_restart_when_a_check_refuses(
    case: str, prepare: Callable[[FakeKafka], None], golden: GoldenFiles
) -> None:
    stand = DirectStand()
    prepare(stand.kafka)
    stopped = stops(stand)
    assert stand.deleted == []
    golden.compare_said("rolls", stopped, case)


@pytest.mark.parametrize(
    ("case", "prepare"),
    [
        ("in sync", lambda kafka: kafka.lagging.add(1)),
        ("voters", lambda kafka: kafka.behind.add(2)),
        ("no leader", lambda kafka: setattr(kafka, "active", None)),
    ],
)
def test_while_a_node_that_is_not_to_be_restarted_is_not_all_right(
    case: str, prepare: Callable[[FakeKafka], None], golden: GoldenFiles
) -> None:
    """It may have been restarted last, by an earlier run."""
    stand = DirectStand()
    prepare(stand.kafka)
    stopped = stops(stand, nodes=[0])
    assert stand.deleted == []
    golden.compare_said("rolls", stopped, case)


def test_in_the_middle_when_the_isr_shrinks_during_the_roll(golden: GoldenFiles) -> None:
    stand = DirectStand()
    # Node 1 stays where it is until the end, and falls out of sync while node 0 restarts.
    stand.at(1, lambda: stand.kafka.lagging.add(1))
    stopped = stops(stand)
    assert stand.deleted == [0]
    golden.compare_said("rolls", stopped)


def test_a_direct_roll_goes_on_when_the_isr_is_restored_in_time() -> None:
    stand = DirectStand()
    stand.at(1, lambda: stand.kafka.lagging.add(1))
    stand.at(12, stand.kafka.lagging.clear)
    stand.roll()
    assert stand.deleted == [0, 2, 1]
    assert stand.kafka.harm == []


def test_another_node_may_be_next_when_the_first_is_refused() -> None:
    """As the KafkaRoller does: a broker that is out of sync may go, brokers that have its partitions may not."""
    stand = DirectStand(SEPARATE)
    stand.kafka.lagging = {5}
    assert gates(stops(stand, nodes=[3, 5])) == [("return", "pod demo-kafka-5")]
    assert stand.deleted == [5]


def test_when_kafka_does_not_answer(golden: GoldenFiles) -> None:
    stand = DirectStand()

    def silent() -> None:
        raise KafkaUnavailable(
            "Kafka at demo-kafka-bootstrap.kafka.svc:9091", "does not answer: no route", "Look at the NetworkPolicy."
        )

    stand.kafka.before_answer = silent
    stopped = stops(stand)
    assert stand.deleted == []
    assert gates(stopped) == [("kafka_answers", "Kafka at demo-kafka-bootstrap.kafka.svc:9091")]
    golden.compare_said("rolls", stopped)


def test_an_answer_that_fails_now_and_then_is_asked_for_again() -> None:
    stand, count = DirectStand(), iter(range(1000))

    def flaky() -> None:
        if next(count) % 4 == 0:
            raise KafkaUnavailable("Kafka", "does not answer: connection reset", "Look at the way.")

    stand.kafka.before_answer = flaky
    stand.roll()
    assert stand.deleted == [0, 2, 1]


@pytest.mark.parametrize("is_deleted", [False, True], ids=["another set", "a set that is being deleted"])
def test_a_pod_that_no_pod_set_would_recreate_is_not_deleted(is_deleted: bool, golden: GoldenFiles) -> None:
    """The operator leaves the pods of a StrimziPodSet alone that is being deleted, for as long as that waits for a finalizer."""
    stand = DirectStand()
    pod_set = stand.find("strimzipodsets", "demo-kafka")
    pods = [pod for pod in pod_set["spec"]["pods"] if pod["metadata"]["name"] != name(0)]
    gone = {"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["orphan"]}}
    stand.change("strimzipodsets", "demo-kafka", gone if is_deleted else {"spec": {"pods": pods}})
    stopped = stops(stand, nodes=[0])
    assert stand.deleted == []
    golden.compare_said("rolls", stopped)


def test_a_node_that_is_down_and_may_not_restart_keeps_all_others_up(golden: GoldenFiles) -> None:
    """Nothing but the number of nodes down speaks against node 5 here: it has no replica."""
    stand = DirectStand(SEPARATE)
    stand.becomes_unready(3)
    stand.kafka.harm.clear()
    stand.kafka.topics_ = [FakeTopic("orders", (3, 4), minimum=1)]
    stand.kafka.lagging = {4}
    stopped = stops(stand, nodes=[3, 4, 5])
    assert stand.deleted == []
    golden.compare_said("rolls", stopped)


def test_the_time_limit_begins_again_while_a_large_broker_catches_up() -> None:
    stand = DirectStand()
    stand.kafka.topics_ = [FakeTopic(f"t{n}", (0, 1, 2), sync_seconds=15.0 * n) for n in range(1, 6)]
    stand.roll([0])
    assert stand.clock.seconds > 3 * LIMIT.total_seconds()


def test_the_time_limit_begins_again_with_each_thing_that_happens_to_a_pod() -> None:
    stand = DirectStand()
    stand.api.graceful_pods = True
    stand.grace = stand.start = 0.8 * LIMIT.total_seconds()
    stand.roll([0, 2])
    assert stand.clock.seconds > 3 * LIMIT.total_seconds()


def test_flapping_does_not_begin_the_time_limit_again() -> None:
    stand, seconds = DirectStand(), LIMIT.total_seconds()
    stand.at(1, lambda: stand.kafka.lagging.add(0))
    for second in range(8, 200, 4):
        stand.at(second, lambda: stand.kafka.topics_.append(FakeTopic("more", (0, 1, 2))))
        stand.at(second + 2, stand.kafka.topics_.pop)
    stops(stand)
    assert stand.clock.seconds < 3 * seconds


def test_the_fetch_timeout_of_the_kafka_resource_counts() -> None:
    lenient = DirectStand(**{"controller.quorum.fetch.timeout.ms": 60000})
    lenient.kafka.behind, lenient.clock.seconds = {2}, -870.0
    strict = DirectStand()
    strict.kafka.behind, strict.clock.seconds = {2}, -870.0
    lenient.roll([0])
    assert lenient.deleted == [0]
    assert gates(stops(strict, nodes=[0])) == [("return", "pod demo-kafka-2")]

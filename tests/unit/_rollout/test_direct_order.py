# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The direct strategy restarts exactly the nodes that it is asked to, in the KafkaRoller's order, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import Conflict
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.admin import Quorum
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.direct import restart_nodes

from ...support.kafka import FakeTopic
from .direct_stand import COMBINED, SEPARATE, DirectStand, name

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
    raise AssertionError("nobody is to connect")


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


def test_a_pod_with_the_same_name_and_another_uid_is_not_deleted() -> None:
    stand = DirectStand()
    told = stand.kafka.quorum

    def told_and_replaced() -> Quorum:
        # The last question before the restart.
        stand.remove("pods", name(0))
        stand.create("pods", stand.pod(0))
        return told()

    stand.kafka.quorum = told_and_replaced  # type: ignore[method-assign]
    with pytest.raises(Conflict):
        stand.roll([0])
    assert stand.deleted == [0], "by somebody else, once"


def test_a_topic_with_no_replica_to_spare_stops_nobody() -> None:
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
    work.report = lines.append
    restart_nodes(stand.step(), stand.observe(), work, lambda observation: stand.kafka)
    assert [line.split(" restarted")[0] for line in lines] == [
        f"[kafka/demo] trust roll {number}/3: {name(node)}" for number, node in ((1, 0), (2, 2), (3, 1))
    ]


def test_the_lease_is_kept_alive_between_the_questions() -> None:
    stand, beats = DirectStand(), []
    work = stand.work()
    work.alive = lambda: beats.append("alive")
    stand.kafka.before_answer = lambda: beats.append("asked")
    restart_nodes(stand.step(), stand.observe(), work, lambda observation: stand.kafka)
    assert "asked asked" not in " ".join(beats)


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

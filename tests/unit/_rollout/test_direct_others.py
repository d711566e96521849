# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two rolls at once could take down two nodes at once: the direct strategy does not begin, or stops."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import RollStuck

from .._strimzi.bench import pod
from .direct_stand import DirectStand, name


def refused(stand: DirectStand, nodes: list[int] | None = None) -> str:
    with pytest.raises(RollStuck, match="Another roll of the Kafka nodes is under way") as caught:
        stand.roll(nodes)
    assert "when all nodes are Ready and none is being restarted" in caught.value.remedy
    return str(caught.value)


@pytest.mark.parametrize(
    ("plural", "which", "words"),
    [
        ("pods", name(0), "Pod demo-kafka-0 carries strimzi.io/manual-rolling-update"),
        ("pods", name(2), "Pod demo-kafka-2 carries strimzi.io/manual-rolling-update"),
        ("strimzipodsets", "demo-kafka", "StrimziPodSet demo-kafka carries strimzi.io/manual-rolling-update"),
    ],
)
def test_the_operator_has_been_asked_for_a_roll(plural: str, which: str, words: str) -> None:
    stand = DirectStand()
    stand.asks_operator(plural, which)
    assert words in refused(stand, [0, 1])
    assert stand.deleted == []


def test_the_operator_is_asked_for_a_roll_while_ours_runs() -> None:
    stand = DirectStand()
    stand.at(2, lambda: stand.asks_operator("strimzipodsets", "demo-kafka"))
    refused(stand)
    assert stand.deleted == [0]


def test_a_node_that_we_are_not_to_restart_is_leaving() -> None:
    stand = DirectStand()
    stand.api.graceful_pods = True
    stand.remove("pods", name(2))
    assert "pod demo-kafka-2 is leaving, and not by our doing" in refused(stand, [0])
    assert stand.deleted == []


@pytest.mark.parametrize("graceful", [True, False])
@pytest.mark.parametrize("victim", [1, 2])
def test_somebody_restarts_a_node_while_ours_runs(victim: int, graceful: bool) -> None:
    """Also one that was to be restarted: who took it may take the next one as well."""
    stand = DirectStand()
    stand.at(4, lambda: setattr(stand.api, "graceful_pods", graceful))
    stand.at(4, lambda: stand.remove("pods", name(victim)))
    assert f"pod {name(victim)} is " in refused(stand, [0, 2])
    assert stand.deleted in ([0], [0, victim])


def test_a_node_that_is_down_is_waited_for_before_the_first_restart() -> None:
    """It may be the one that a run of ours, interrupted since, has restarted; or a roll of somebody else."""
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
    with pytest.raises(RollStuck, match="pod demo-kafka-2: it is not Ready"):
        stand.roll([0])
    assert stand.deleted == []


def test_the_operator_rolling_from_node_to_node_is_noticed_between_two_of_them() -> None:
    stand = DirectStand()
    stand.becomes_unready(2)
    stand.kafka.harm.clear()
    stand.at(3, lambda: stand.becomes_ready(2))
    stand.at(3, lambda: stand.remove("pods", name(1)))
    assert "pod demo-kafka-1 is gone, and not by our doing" in refused(stand, [0])
    assert stand.deleted == [1]


def test_pods_of_other_clusters_and_components_are_nobody() -> None:
    stand = DirectStand()
    other = pod("other-kafka-0")
    other["metadata"]["labels"].update({"strimzi.io/cluster": "other", "strimzi.io/name": "other-kafka"})
    other["metadata"]["annotations"]["strimzi.io/manual-rolling-update"] = "true"
    stand.create("pods", other)
    stand.create("pods", pod("demo-connect-0", "connect", ready=False))
    stand.roll([0])
    assert stand.deleted == [0]

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The answers of nodes, handed over from the plan to the task after it: the nodes are asked once for both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.handed_answers import as_text, from_text
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import OptionsError
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    InPlaceObstacles,
    NodeAnswers,
)

from ...tools.support.memory_cluster import MemoryCluster
from ...tools.support.reloads import ReloadingNodes
from .._handshake.listeners import NOW, authority
from . import stages
from .fast_clock import FastClock
from .running import Ended, call

_CHAIN = (authority("cluster-ca v0", 1).certificate, authority("cluster-ca v1", 1).certificate)
ANSWERS = NodeAnswers(
    frozenset({("uid-0", 0), ("uid-1", 3)}),
    (
        ObservedListener(
            "demo-kafka-0", "uid-0", 9091, _CHAIN, frozenset({"a"}), frozenset({"b"}), {"c": "why"}, "handshake with TLSv1.2",
            shared=frozenset({"d"}),
        ),
        ObservedListener("demo-kafka-1", "uid-1", 9094, _CHAIN[:1], verifies=False),
        ObservedListener("demo-kafka-1", "uid-1", 9091, failure="no answer", barred=True),
    ),
    InPlaceObstacles("a library is missing.", "it would restart.", "not permitted.", "it would restart again."),
)  # fmt: skip


def test_every_part_of_the_answers_is_handed_over() -> None:
    text = as_text(ANSWERS, NOW)
    assert text is not None
    assert from_text(text, NOW + timedelta(minutes=9)) == ANSWERS
    assert from_text(text, NOW + timedelta(minutes=11)) is None, "another run may have had nodes reload since"
    assert from_text(text, NOW - timedelta(minutes=11)) is None, "it is of another clock"


def test_answers_of_very_many_nodes_are_not_handed_over() -> None:
    """Ansible would repeat them with each task."""
    reasons = [sha256(str(number).encode()).hexdigest() for number in range(10_000)]
    many = tuple(replace(ANSWERS.listeners[0], doubts={reason: reason}) for reason in reasons)
    assert as_text(replace(ANSWERS, listeners=many), NOW) is None
    assert as_text(None, NOW) is None


@pytest.mark.parametrize("text", ["x", "e30=", "eJyrrgUAAXUA+Q=="], ids=["no base64", "not packed", "of no answers"])
def test_another_text_is_refused(text: str) -> None:
    with pytest.raises(OptionsError):
        from_text(text, NOW)
    ended = call("strimzi_ca", stages.managed(), state="renewed", node_answers=text)
    assert ended.failed
    assert ended.result["msg"].startswith("node_answers:")


@pytest.fixture
def asked(reading: Callable[[MemoryCluster], ReloadingNodes]) -> tuple[MemoryCluster, ReloadingNodes, Ended]:
    """A cluster whose nodes were asked for a plan. A call that goes on asks them first."""
    memory = stages.taken_up()
    nodes = reading(memory)
    planned = call("strimzi_ca_info", memory, goal="replace_key")
    assert nodes.answers.asked == 1
    return memory, nodes, planned


def test_check_mode_asks_no_node_again_and_shows_the_same(asked: tuple[MemoryCluster, ReloadingNodes, Ended]) -> None:
    memory, nodes, planned = asked
    given = planned.result["node_answers"]
    ended, alone = (
        call("strimzi_trusted_certs", memory, check=True, state="retired", **more)
        for more in ({"node_answers": given}, {})
    )
    assert nodes.answers.asked == 2, "once for the plan, and once without the option"
    for part in ("actions", "changed", "violations", "diff"):
        assert ended.result[part] == alone.result[part], part
    # Seconds are measured, and the call that asks takes longer.
    plans = [[{**step, "seconds": None} for step in one.result["plan"]] for one in (ended, alone)]
    assert plans[0] == plans[1]
    assert [one.result["evidence"]["source"] for one in (ended, alone)] == ["handshake", "handshake"]
    assert (ended.result["evidence"]["seen_at"], alone.result["evidence"]["seen_at"] is None) == (None, False)


def test_answers_of_processes_that_run_no_longer_do_not_count(
    asked: tuple[MemoryCluster, ReloadingNodes, Ended],
) -> None:
    memory, nodes, planned = asked
    memory.kubelet.restart_in_place("demo-kafka-0")
    call("strimzi_trusted_certs", memory, check=True, state="retired", node_answers=planned.result["node_answers"])
    assert nodes.answers.asked == 2


def test_answers_of_more_than_ten_minutes_ago_do_not_count(asked: tuple[MemoryCluster, ReloadingNodes, Ended]) -> None:
    memory, nodes, planned = asked
    for minutes, times in ((9, 1), (2, 2)):
        FastClock.passed += timedelta(minutes=minutes)
        call("strimzi_trusted_certs", memory, check=True, state="retired", node_answers=planned.result["node_answers"])
        assert nodes.answers.asked == times


def test_a_plan_asks_the_nodes_whatever_it_is_given(asked: tuple[MemoryCluster, ReloadingNodes, Ended]) -> None:
    memory, nodes, planned = asked
    call("strimzi_ca_info", memory, goal="replace_key", node_answers=planned.result["node_answers"])
    assert nodes.answers.asked == 2


def test_a_run_asks_before_a_gate_all_the_same(asked: tuple[MemoryCluster, ReloadingNodes, Ended]) -> None:
    memory, nodes, planned = asked
    ended = call("strimzi_trusted_certs", memory, state="retired", node_answers=planned.result["node_answers"])
    assert not ended.failed
    assert nodes.answers.asked > 1
    assert ended.result["evidence"]["seen_at"] is not None


def test_with_stored_evidence_alone_nothing_is_taken_over(asked: tuple[MemoryCluster, ReloadingNodes, Ended]) -> None:
    memory, _nodes, planned = asked
    given = planned.result["node_answers"]
    ended = call(
        "strimzi_trusted_certs", memory, check=True, state="retired", evidence="annotations", node_answers=given
    )
    assert ended.result["evidence"]["source"] == "annotations"

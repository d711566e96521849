# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes of which none answers at the first look of a call: they restart just now, so what is stored does not stand for their answers."""

from __future__ import annotations

from collections.abc import Callable

from ...support.memory_cluster import MemoryCluster
from ...support.reloads import ReloadingNodes
from . import stages
from .running import call
from .stages import FAST

Reading = Callable[[MemoryCluster], ReloadingNodes]
ALL = {f"demo-kafka-{number}" for number in range(3)}
RENEWED = {"state": "renewed", "pod_timeout": 1, **FAST}


def silent(reading: Reading) -> tuple[MemoryCluster, ReloadingNodes]:
    memory = stages.managed()
    nodes = reading(memory)
    nodes.answers.silent = set(ALL)
    return memory, nodes


def test_nodes_that_answer_late_are_waited_for_and_restart_no_more_than_usual(reading: Reading) -> None:
    memory, nodes = silent(reading)

    def answer_at_the_third_look() -> None:
        if nodes.answers.asked == 3:
            nodes.answers.silent = set()

    nodes.answers.before = answer_at_the_third_look
    ended = stages.done(memory, "strimzi_ca", **RENEWED)
    assert ended.result["evidence"]["source"] == "handshake"
    assert "wait" in {action["verb"] for action in ended.result["actions"] if "demo-kafka-0" in action["object"]}
    assert set(memory.restarts().values()) == {0}


def test_nodes_that_never_answer_hold_the_flow_with_their_names(reading: Reading) -> None:
    memory, _nodes = silent(reading)
    ended = call("strimzi_ca", memory, **RENEWED)
    assert ended.failed
    assert {one["subject"] for one in ended.result["violations"]} == {f"Pod kafka/{name}" for name in ALL}
    assert "evidence=annotations" in ended.result["msg"]
    assert set(memory.restarts().values()) == {0}

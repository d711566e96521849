# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The option ``spread``: how running nodes take up what they can read again, and what is said where they cannot."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ...tools.support.golden import GoldenFiles
from ...tools.support.memory_cluster import MemoryCluster
from ...tools.support.reloads import ReloadingNodes
from . import stages
from .blocked import WHY_BLOCKED
from .running import call

MODULES = ["strimzi_ca", "strimzi_ca_info", "strimzi_ee_cert", "strimzi_roll", "strimzi_trusted_certs"]


@pytest.mark.parametrize("module", MODULES)
def test_every_module_takes_the_same_three(module: str) -> None:
    memory = stages.managed()
    ended = call(module, memory, spread="sometimes")
    assert ended.failed
    assert "auto, reload, restart" in ended.result["msg"]
    for spread in ("auto", "reload", "restart"):
        assert not call(module, memory, spread=spread).failed


@pytest.mark.parametrize("spread", ["auto", "reload"])
def test_nodes_that_can_be_asked_read_again_that_a_ca_has_left(
    spread: str, reading: Callable[[MemoryCluster], ReloadingNodes]
) -> None:
    memory = stages.taken_up()
    nodes, before = reading(memory), memory.restarts()
    ended = stages.done(memory, "strimzi_trusted_certs", state="retired", spread=spread)
    assert (sorted(nodes.told), ended.warnings) == (["demo-kafka-0", "demo-kafka-1", "demo-kafka-2"], [])
    assert memory.restarts() == before


def test_with_spread_restart_nodes_restart(reading: Callable[[MemoryCluster], ReloadingNodes]) -> None:
    memory = stages.taken_up()
    nodes, before = reading(memory), memory.restarts()
    ended = stages.done(memory, "strimzi_trusted_certs", state="retired", spread="restart")
    assert (nodes.told, ended.warnings) == ([], [])
    assert memory.restarts() == {name: count + 1 for name, count in before.items()}


def test_nodes_that_cannot_be_asked_are_restarted_with_a_warning(golden: GoldenFiles) -> None:
    ended = stages.done(stages.taken_up(), "strimzi_trusted_certs", state="retired")
    (told,) = ended.warnings
    golden.compare_said("calls", told)
    assert ended.result["evidence"] == {"source": "annotations", "why": WHY_BLOCKED, "seen_at": None}


def test_spread_reload_is_refused_with_the_reason_before_anything_is_switched() -> None:
    for check in (True, False):
        ended = call("strimzi_trusted_certs", stages.taken_up(), check=check, state="retired", spread="reload")
        assert (ended.failed, ended.writes_but_lease) == (True, [])
        (violation,) = ended.result["violations"]
        assert (violation["gate"], violation["subject"]) == ("in_place", "Kafka kafka/demo")

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""strimzi_reconciliation: a named holder pauses the operator, and no other holder ends that pause."""

from __future__ import annotations

import pytest

from ...tools.support.golden import GoldenFiles
from ...tools.support.memory_cluster import MemoryCluster
from . import stages
from .mistakes import is_paused, put
from .running import call


def paused(holder: str = "storage team") -> MemoryCluster:
    memory = stages.managed()
    stages.done(memory, "strimzi_reconciliation", state="paused", holder=holder)
    return memory


def test_a_pause_is_complete_when_the_operator_confirms_it() -> None:
    memory = stages.managed()
    ended = stages.done(memory, "strimzi_reconciliation", state="paused", holder="storage team")
    assert (ended.result["changed"], ended.result["cluster"]["paused"]) == (True, True)
    kafka = memory.api.find("kafkas", "kafka", "demo") or {}
    assert [condition["type"] for condition in kafka["status"]["conditions"]] == ["ReconciliationPaused"]


def test_the_operator_goes_on_when_its_holder_resumes_it() -> None:
    memory = paused()
    ended = stages.done(memory, "strimzi_reconciliation", state="resumed", holder="storage team")
    assert (ended.result["changed"], ended.result["cluster"]["paused"], ended.result["cluster"]["ready"]) == (
        True,
        False,
        True,
    )


@pytest.mark.parametrize("state", ["paused", "resumed"])
@pytest.mark.parametrize("check", [True, False])
def test_a_pause_of_another_holder_is_neither_taken_over_nor_ended(
    state: str, check: bool, golden: GoldenFiles
) -> None:
    memory = paused()
    ended = call("strimzi_reconciliation", memory, check=check, state=state)
    assert (ended.failed, ended.writes, is_paused(memory)) == (True, [], True)
    golden.compare_said("calls", ended.result["msg"])


@pytest.mark.parametrize("state", ["paused", "resumed"])
def test_a_pause_that_was_made_by_hand_stays(state: str, golden: GoldenFiles) -> None:
    memory = stages.managed()
    put(memory, "kafkas", "demo", annotations={"strimzi.io/pause-reconciliation": "true"})
    ended = call("strimzi_reconciliation", memory, state=state)
    assert (ended.failed, ended.writes, is_paused(memory)) == (True, [], True)
    golden.compare_said("calls", ended.result["msg"])


def test_a_pause_that_a_killed_flow_has_left_is_ended_but_not_taken_over(golden: GoldenFiles) -> None:
    memory = stages.taken_up()
    left = {"strimzi.io/pause-reconciliation": "true", "trustops.strimzi/paused-by": "call-dead"}
    put(memory, "kafkas", "demo", annotations=left)
    memory.settle()
    refused = call("strimzi_reconciliation", memory, state="paused")
    golden.compare_said("calls", refused.result["msg"])
    assert stages.done(memory, "strimzi_reconciliation", state="resumed").result["changed"]
    assert not is_paused(memory)
    annotations = (memory.api.find("kafkas", "kafka", "demo") or {})["metadata"]["annotations"]
    assert not any("paused" in name for name in annotations)


def test_no_flow_starts_while_another_holder_has_paused_the_operator() -> None:
    memory = paused()
    for module, options in (("strimzi_ca", stages.PREPARED), ("strimzi_trusted_certs", {}), ("strimzi_ee_cert", {})):
        ended = call(module, memory, **options)
        assert (ended.failed, ended.writes, is_paused(memory)) == (True, [], True)
        assert {violation["gate"] for violation in ended.result["violations"]} == {"not_paused_by_others"}


def test_a_cluster_that_is_not_there(golden: GoldenFiles) -> None:
    memory = MemoryCluster()
    for state in ("paused", "resumed"):
        ended = call("strimzi_reconciliation", memory, state=state)
        assert (ended.failed, ended.writes) == (True, [])
        golden.compare_said("calls", ended.result["msg"])
        assert [violation["gate"] for violation in ended.result["violations"]] == ["cluster_exists"]


def test_an_operator_that_does_not_go_on(golden: GoldenFiles) -> None:
    memory = paused()
    memory.operator_runs = False
    ended = call("strimzi_reconciliation", memory, state="resumed", holder="storage team", operator_timeout=1)
    assert (ended.failed, ended.result["changed"]) == (True, True)
    golden.compare_said("calls", ended.result["msg"])

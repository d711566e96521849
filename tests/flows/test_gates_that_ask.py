# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flows whose gates ask the running nodes: same ends as before, and held where the nodes say something else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible import engine
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Bridge, Intent, Phase, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal

from ..fakes.answers import Answers
from ..fakes.flows import FlowResult, run_flow, work_on
from ..fakes.memory_api import Change
from ..fakes.world import World
from ..faults.checker import InvariantBroken
from ..faults.flows import CASES, Case, finish, start

PLAIN = Case(Goal.REPLACE_KEY, Way.COOPERATE, Bridge.NEVER)
TAKEOVER = Case(Goal.REPLACE_KEY, Way.TAKEOVER, Bridge.NEVER)
BRIDGED = Case(Goal.REPLACE_KEY, Way.COOPERATE, Bridge.AUTO)
REPLACE = PLAIN.intent
PAUSE = "strimzi.io/pause-reconciliation"


def begin(case: Case = PLAIN) -> World:
    world, _checker = start(case)
    return world


def run(world: World, answers: Answers, intent: Intent = REPLACE) -> FlowResult:
    work = work_on(world)
    work.look_live = answers
    return run_flow(work, intent)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_flow_ends_as_it_does_without(case: Case) -> None:
    world = begin(case)
    answers = Answers(world)
    before = world.restarts()
    result = run(world, answers, case.intent)
    assert result.outcome.decision.done, [str(one) for one in result.outcome.decision.violations]
    assert (
        max(count - before.get(name, 0) for name, count in world.restarts().items()) <= case.rolls
        if (world.restarts())
        else case.goal is Goal.CREATE
    )
    looks = {Goal.RENEW: 2, Goal.REPLACE_KEY: 3}.get(case.goal, 0)
    assert answers.asked >= looks


def held(result: FlowResult) -> list[tuple[str, str]]:
    assert not result.outcome.decision.done
    assert result.outcome.decision.steps == ()
    return [(violation.gate, violation.message) for violation in result.outcome.decision.violations]


def test_a_silent_node_holds_the_promotion() -> None:
    world = begin()
    answers = Answers(world, silent={"demo-kafka-1"})
    result = run(world, answers)
    assert ("evidence", "it cannot be told what it presents: port 9090 of pod demo-kafka-1: no answer.") in held(result)
    assert current(world) == 0
    answers.silent.clear()
    assert run(world, answers).outcome.decision.done


@pytest.mark.parametrize("case", [TAKEOVER, BRIDGED], ids=str)
def test_what_was_said_before_a_pause_opens_no_gate_after_it(case: Case) -> None:
    """Within one call the nodes are not asked again to make or to end a pause, but before everything else they are."""
    world = begin(case)
    answers = Answers(world)

    def fall_silent(change: Change) -> None:
        if change.plural == "kafkas" and PAUSE in change.new["metadata"].get("annotations", {}):
            answers.silent.add("demo-kafka-1")

    world.api.listeners.append(fall_silent)
    assert "evidence" in [gate for gate, _message in held(run(world, answers, case.intent))]
    assert current(world) == 0
    assert PAUSE not in (world.api.find("kafkas", "kafka", "demo") or {})["metadata"]["annotations"]
    world.api.listeners.remove(fall_silent)
    answers.silent.clear()
    assert run(world, answers, case.intent).outcome.decision.done


def current(world: World) -> int:
    secret = world.api.find("secrets", "kafka", "demo-cluster-ca-cert") or {}
    return int(secret["metadata"]["annotations"]["strimzi.io/ca-cert-generation"])


def test_a_process_that_does_not_trust_the_new_ca_although_it_should_holds_the_promotion() -> None:
    """By the UIDs it has restarted with the new CA; it says something else, for whatever reason."""
    world = begin()
    old = next(process.trusted for process in world.kubelet.processes.values() if process.component == "kafka")
    finish(world, replace(REPLACE, until=Phase.TRUST))
    uid, process = next((u, p) for u, p in world.kubelet.processes.items() if p.pod == "demo-kafka-2")
    world.kubelet.processes[uid] = replace(process, trusted=old)
    assert "evidence" in [gate for gate, _message in held(run(world, Answers(world)))]
    assert current(world) == 0
    # The negative control: who does not ask does not know.
    with pytest.raises(InvariantBroken, match=r"I[13]"):
        run_flow(work_on(world), REPLACE)


def test_a_process_that_presents_the_old_certificate_although_it_should_not_keeps_the_old_ca() -> None:
    world = begin()
    before = {process.pod: process.presented for process in world.kubelet.processes.values()}
    finish(world, replace(REPLACE, until=Phase.USE))
    uid, process = next((u, p) for u, p in world.kubelet.processes.items() if p.pod == "demo-kafka-0")
    world.kubelet.processes[uid] = replace(process, presented=before["demo-kafka-0"])
    found = held(run(world, Answers(world)))
    assert any("demo-kafka-0 presents another certificate" in message for _gate, message in found), found
    assert sum(key.endswith(".crt") for key in certificates(world)) == 2


def certificates(world: World) -> dict[str, Any]:
    return (world.api.find("secrets", "kafka", "demo-cluster-ca-cert") or {})["data"]


def test_a_process_that_still_trusts_the_removed_ca_is_not_forgotten() -> None:
    world = begin()
    old = next(process.trusted for process in world.kubelet.processes.values() if process.component == "kafka")
    finish(world, replace(REPLACE, until=Phase.USE))
    answers = Answers(world)

    def stubborn() -> None:
        for uid, process in list(world.kubelet.processes.items()):
            if process.pod == "demo-kafka-1" and old not in process.trusted:
                world.kubelet.processes[uid] = replace(process, trusted=process.trusted + old)

    answers.before = stubborn
    found = held(run(world, answers))
    assert [gate for gate, _message in found] == ["removal"]
    assert "may still trust the removed CA CN=cluster-ca v0" in found[0][1]
    answers.before = lambda: None
    for uid, process in list(world.kubelet.processes.items()):
        if process.pod == "demo-kafka-1":
            world.kubelet.processes[uid] = replace(process, trusted=process.trusted.replace(old, b""))
    assert run(world, answers).outcome.decision.done


def test_pods_that_are_replaced_while_they_are_asked_are_asked_again() -> None:
    world = begin()
    answers = Answers(world)
    finish(world, replace(REPLACE, until=Phase.TRUST))
    left = [2]

    def restart() -> None:
        if left[0]:
            left[0] -= 1
            world.api.request("DELETE", "/api/v1/namespaces/kafka/pods/demo-kafka-0")
            world.settle(1)

    answers.before = restart
    assert run(world, answers).outcome.decision.done
    assert left == [0]


def test_nobody_is_asked_where_no_gate_is() -> None:
    world = begin()
    answers = Answers(world)
    run(world, answers, replace(REPLACE, until=Phase.TRUST))
    assert answers.asked == 0
    assert engine.look(work_on(world), REPLACE).observation.snapshot.listeners is None

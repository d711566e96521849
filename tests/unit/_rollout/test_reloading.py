# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Telling every node to read again: in which order, how patiently, and what stands in the way."""

from __future__ import annotations

from threading import Barrier
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.engine import Outcome, look
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.results import describe_snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.admin import KafkaUnavailable
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.carry_out import carry_out_spread
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.listener_settings import NotReloadable
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.reload import ReloadRefused
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.actions import Action
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.errors import RollStuck
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.observed import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import Reload

from ...fakes.flows import run_flow, work_on
from ...fakes.memory_api import Response
from ...fakes.reloads import ReloadingNodes
from ...faults.flows import Case, start
from ...faults.killing import KillingTransport

NODES = ["demo-kafka-0", "demo-kafka-1", "demo-kafka-2"]


class Stopped(BaseException):
    """The flow has come to where a node is told."""


class Reloading:
    """A cluster at the very point where its nodes are to read again."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        case = Case(Goal.REPLACE_KEY, Way.COOPERATE)
        self.world, _checker = start(case)
        self.nodes = ReloadingNodes(self.world)
        self.nodes.replace_requests(patch)
        self.nodes.before = self._stop
        self.intent = case.intent
        with pytest.raises(Stopped):
            run_flow(self.work(), self.intent)
        self.nodes.before = lambda pod: None

    @staticmethod
    def _stop(pod: str) -> None:
        raise Stopped

    def work(self, transport: Any = None, **options: Any) -> Work:
        return self.nodes.attach(work_on(self.world, transport, **options))

    def look(self) -> Outcome:
        return look(self.work(), self.intent)

    def carry_out(self, work: Work | None = None) -> list[Action]:
        outcome = self.look()
        (step,) = outcome.decision.steps
        assert isinstance(step, Reload)
        return carry_out_spread(step, outcome.observation, work or self.work())


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Reloading:
    return Reloading(monkeypatch)


def test_the_first_alone_and_the_others_side_by_side(at: Reloading) -> None:
    work, together = at.work(), Barrier(len(NODES) - 1, timeout=20)

    def wait_for_the_others(pod: str) -> None:
        if pod != NODES[0]:
            assert at.nodes.told[0] == NODES[0]
            together.wait()

    at.nodes.before = wait_for_the_others
    actions = at.carry_out(work)
    assert (at.nodes.told[0], sorted(at.nodes.told)) == (NODES[0], NODES)
    assert [action.as_result()["object"] for action in actions] == [f"Pod kafka/{name}" for name in NODES]
    assert work.changed


def test_what_the_first_refuses_nobody_else_is_asked_to_do(at: Reloading) -> None:
    asked: list[str] = []

    def refuse(pod: str) -> None:
        asked.append(pod)
        raise ReloadRefused(f"{pod} does not", "Restart it.")

    at.nodes.before = refuse
    work = at.work()
    with pytest.raises(ReloadRefused):
        at.carry_out(work)
    assert (asked, work.changed) == (NODES[:1], False)


def test_nobody_is_told_when_it_is_only_tried_out(at: Reloading) -> None:
    work = at.work(dry_run=True)
    assert len(at.carry_out(work)) == 3
    assert at.nodes.told == []
    assert not work.changed


def test_a_node_that_does_not_answer_for_a_moment_is_asked_again(at: Reloading) -> None:
    attempts: list[str] = []

    def away(pod: str) -> None:
        attempts.append(pod)
        if len(attempts) < 4:
            raise KafkaUnavailable(f"{pod} has no leader", "Wait.")

    at.nodes.before = away
    at.carry_out()
    assert (attempts[:4], sorted(attempts[4:])) == (4 * NODES[:1], NODES[1:])
    assert sorted(at.nodes.told) == NODES


def test_one_that_never_answers_ends_the_run(at: Reloading) -> None:
    def away(pod: str) -> None:
        raise KafkaUnavailable(f"{pod} has no leader", "Wait.")

    at.nodes.before = away
    with pytest.raises(RollStuck, match="demo-kafka-0 has no leader"):
        at.carry_out()
    assert at.nodes.told == []


def test_listeners_are_given_their_time(at: Reloading) -> None:
    at.nodes.deaf = set(NODES)
    asked = at.nodes.answers.asked

    def follow() -> None:
        if at.nodes.answers.asked == asked + 5:
            for uid, process in list(at.world.kubelet.processes.items()):
                if process.pod in NODES:
                    at.world.kubelet.reload(uid)

    at.nodes.answers.before = follow
    at.carry_out()
    assert at.nodes.answers.asked == asked + 5


def test_only_who_has_not_followed_is_asked_again(at: Reloading) -> None:
    at.nodes.deaf = {NODES[1]}
    work, asked = at.work(), []

    def answer(observation: Observation) -> tuple[ObservedListener, ...]:
        asked.append([pod.name for pod in observation.snapshot.pods if pod.component is Component.KAFKA])
        seen = at.nodes.answers(observation)
        for uid, process in list(at.world.kubelet.processes.items()):
            if process.pod in at.nodes.deaf:
                at.world.kubelet.reload(uid)
        return seen

    work.look_live = answer
    at.carry_out(work)
    assert asked == [NODES, NODES[1:2]]


class Answering:
    """Every request goes to the API server but those for ConfigMaps."""

    def __init__(self, at: Reloading, status: int, reason: str) -> None:
        self._through = KillingTransport(at.world.api)
        details = {"name": NODES[0], "kind": "configmaps"}
        body = {"kind": "Status", "code": status, "reason": reason, "message": "configmaps", "details": details}
        self._answer = Response(status, body)

    def request(self, method: str, path: str, **arguments: Any) -> Any:
        return self._answer if "/configmaps/" in path else self._through.request(method, path, **arguments)


@pytest.mark.parametrize(
    ("status", "reason", "message"),
    [(403, "Forbidden", "cannot be read"), (404, "NotFound", "does not exist")],
)
def test_without_its_settings_a_node_is_not_told(at: Reloading, status: int, reason: str, message: str) -> None:
    with pytest.raises(NotReloadable, match=f"ConfigMap kafka/demo-kafka-0, server.config {message}") as refused:
        at.carry_out(at.work(Answering(at, status, reason)))
    assert "spread=restart" in refused.value.remedy
    assert at.nodes.told == []


def test_who_cannot_reach_nodes_tells_none(at: Reloading) -> None:
    work = at.work()
    work.open_ports = None
    with pytest.raises(NotReloadable, match="cannot be reached"):
        at.carry_out(work)


def test_what_is_left_is_shown(at: Reloading) -> None:
    """First the pods trust the removed CA, then only what re-reads nothing knows it."""
    (before,) = describe_snapshot(at.look().observation.snapshot)["removed"]
    assert [name for name in before["pods"] if name in NODES] == NODES
    assert before["lingering"] == []
    result = run_flow(at.work(), at.intent)
    (after,) = describe_snapshot(result.outcome.observation.snapshot)["removed"]
    assert (after["pods"], after["lingering"]) == ([], NODES)

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Telling every node to read again: in which order, how patiently, and what stands in the way."""

from __future__ import annotations

from dataclasses import replace
from threading import Barrier
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.results import describe_snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.engine import carry_out
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.looking import observe_cluster
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import CallOutcome, look
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import (
    KafkaUnavailable,
    NodesSilent,
    ReloadImpossible,
    RollStuck,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout import reloading
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.kafka_pods import Node
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.reload_request import ReloadTarget
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.reloading import Request, send_in_waves
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Action, Display, Work
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import IssueLeaves
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Pause, Reload
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.waves import SLOW

from ...tools.operator import clusters
from ...tools.support.flows import FlowResult
from ...tools.support.golden import GoldenFiles
from ...tools.support.killing import KillingTransport
from ...tools.support.memory_api import Response
from ...tools.support.reloads import ReloadingNodes
from ...tools.support.watched_cluster import WatchedCluster
from .._strimzi.bench import recorded

NODES = ["demo-kafka-0", "demo-kafka-1", "demo-kafka-2"]


class Stopped(BaseException):
    """The flow has come to where a node is told."""


class Reloading:
    """A cluster at the very point where its nodes are to read again: the switch is made, and they know the old CA."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.cluster = WatchedCluster()
        self.cluster.create(manifests=clusters.dual_role("demo", "kafka"))
        self.memory = self.cluster.memory
        self.nodes = self.cluster.nodes = ReloadingNodes(self.memory)
        self.nodes.replace_requests(patch)
        self.cluster.copy_of("about to reload", self._come_to_reload)

    def _come_to_reload(self) -> None:
        self.nodes.before = self._stop
        with pytest.raises(Stopped):
            self.finish()
        self.nodes.before = lambda pod: None

    @staticmethod
    def _stop(pod: str) -> None:
        raise Stopped

    def finish(self) -> FlowResult:
        return self.cluster.run(Goal.REPLACE_KEY)

    def look(self) -> CallOutcome:
        return look(self.work(), self.cluster.intent(Goal.REPLACE_KEY))

    def work(self, transport: Any = None) -> Work:
        return self.cluster.work(transport=transport)

    def carry_out(self, work: Work | None = None) -> list[Action]:
        outcome = self.look()
        (step,) = outcome.decision.steps
        assert isinstance(step, Reload)
        return recorded(carry_out, step, outcome.observation, work or self.work())


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Reloading:
    return Reloading(monkeypatch)


def test_the_first_alone_and_the_others_side_by_side(at: Reloading) -> None:
    work, together = at.work(), Barrier(len(NODES) - 1, timeout=60)

    def wait_for_the_others(pod: str) -> None:
        if pod != NODES[0]:
            assert at.nodes.told[0] == NODES[0]
            together.wait()

    at.nodes.before = wait_for_the_others
    actions = at.carry_out(work)
    assert (at.nodes.told[0], sorted(at.nodes.told)) == (NODES[0], NODES)
    assert [action.as_result()["object"] for action in actions] == [f"Pod kafka/{name}" for name in NODES]
    assert any(action.is_change for action in work.actions)


def test_a_slow_node_of_a_large_cluster_makes_the_next_wave_smaller(
    at: Reloading, monkeypatch: pytest.MonkeyPatch, golden: GoldenFiles
) -> None:
    """Of 500 nodes 25 reload at a time. The tenth takes long, so a rest of as long follows, then half as many."""
    told: list[int] = []
    took, clock, lines = SLOW + 3.0, at.memory, list[str]()

    def reload(target: ReloadTarget, *_given: Any, **_named: Any) -> None:
        if target.node.node_id == 10:
            clock.seconds += took
        told.append(target.node.node_id)

    monkeypatch.setattr(reloading, "reload_node", reload)
    work = at.work()
    work.display = Display(report=lines.append)
    step = Reload(uids=frozenset(), authority=None)
    begun = work.clock.monotonic()
    nodes = [Node(f"n-{number}", f"u-{number}", number, False, True, True) for number in range(500)]
    requests = [Request(ReloadTarget(node, (), "d"), (), lambda *_given, **_named: None, None, work) for node in nodes]
    send_in_waves(requests, step, work)
    assert sorted(told) == list(range(500))
    assert told[0] == 0
    assert work.clock.monotonic() - begun == pytest.approx(2 * took)
    golden.compare_said("rolls", "\n".join(lines))


@pytest.mark.parametrize("deaf", [set(), {NODES[2]}], ids=["all follow", "one does not"])
def test_where_only_leaves_have_changed_it_is_the_new_one_that_is_waited_for(
    deaf: set[str], at: Reloading, golden: GoldenFiles
) -> None:
    """In a pause, as in every flow: the operator would restart nodes whose leaf has changed."""
    at.nodes.deaf = deaf
    work, before = at.work(), at.work()
    carry_out(Pause(phase=Phase.USE, purpose="issue leaves"), observe_cluster(before), before)
    issuing = observe_cluster(work)
    current, generation = issuing.snapshot.ca.current, issuing.snapshot.ca.certificate_generation
    carry_out(IssueLeaves(secrets=tuple(NODES), issuer=current, generation=generation, phase=Phase.USE), issuing, work)
    observation = observe_cluster(work)
    step = Reload(uids=frozenset(at.cluster.node_uids), authority=None)
    if not deaf:
        carry_out(step, observation, work)
        assert [action.verb for action in work.actions] == ["update"] * len(NODES) + ["reload"] * len(NODES)
        return
    with pytest.raises(RollStuck) as caught:
        carry_out(step, observation, work)
    golden.compare_said("rolls", caught.value)


def test_a_node_that_restarts_while_it_is_waited_for_has_read_everything(at: Reloading) -> None:
    """Its successor starts with what is stored; the run does not wait for the process that is gone."""
    looks: list[int] = []

    def meanwhile() -> None:
        looks.append(len(looks))
        if len(looks) == 3:
            at.cluster.restart(NODES[2])

    def hang(pod: str) -> None:
        at.nodes.answers.silent, at.nodes.answers.before = {NODES[2]}, meanwhile

    at.nodes.after = hang
    at.carry_out(at.work())
    assert len(looks) == 3


def test_a_node_that_does_not_answer_is_not_reported_as_left_behind(at: Reloading, golden: GoldenFiles) -> None:
    """It hangs, and a restart in place of the reload would be for nothing."""
    at.nodes.after = at.nodes.answers.silent.add
    with pytest.raises(NodesSilent) as caught:
        at.carry_out(at.work())
    assert caught.value.uids == set(at.cluster.node_uids)
    golden.compare_said("rolls", caught.value)


def test_a_reload_that_the_first_node_refuses_is_sent_to_no_other_node(at: Reloading) -> None:
    asked: list[str] = []

    def refuse(pod: str) -> None:
        asked.append(pod)
        raise ReloadImpossible(pod, "does not", "Restart it.")

    at.nodes.before = refuse
    work = at.work()
    with pytest.raises(ReloadImpossible):
        at.carry_out(work)
    assert (asked, work.actions) == (NODES[:1], [])


def test_a_node_that_has_read_again_is_recorded_when_another_node_refuses(at: Reloading) -> None:
    def refuse(pod: str) -> None:
        if pod == NODES[1]:
            raise ReloadImpossible(pod, "does not", "Restart it.")

    at.nodes.before = refuse
    work = at.work()
    with pytest.raises(ReloadImpossible):
        at.carry_out(work)
    assert [(one.verb, one.object) for one in work.actions] == [
        ("reload", f"Pod kafka/{name}") for name in (NODES[0], NODES[2])
    ]


def test_in_a_dry_run_no_node_reloads(at: Reloading) -> None:
    work = replace(at.work(), dry_run=True)
    assert len(at.carry_out(work)) == 3
    assert at.nodes.told == []


def test_a_node_that_does_not_answer_for_a_moment_is_asked_again(at: Reloading) -> None:
    attempts: list[str] = []

    def away(pod: str) -> None:
        attempts.append(pod)
        if len(attempts) < 4:
            raise KafkaUnavailable(pod, "has no leader", "Wait.")

    at.nodes.before = away
    at.carry_out()
    assert (attempts[:4], sorted(attempts[4:])) == (4 * NODES[:1], NODES[1:])
    assert sorted(at.nodes.told) == NODES


def test_a_node_that_never_answers_ends_the_run(at: Reloading, golden: GoldenFiles) -> None:
    def away(pod: str) -> None:
        raise KafkaUnavailable(pod, "has no leader", "Wait.")

    at.nodes.before = away
    with pytest.raises(RollStuck) as caught:
        at.carry_out()
    golden.compare_said("rolls", caught.value)
    assert at.nodes.told == []


def test_listeners_are_given_their_time(at: Reloading) -> None:
    at.nodes.deaf = set(NODES)
    asked = at.nodes.answers.asked

    def follow() -> None:
        if at.nodes.answers.asked == asked + 5:
            for uid, process in list(at.memory.kubelet.processes.items()):
                if process.pod in NODES:
                    at.memory.kubelet.reload(uid)

    at.nodes.answers.before = follow
    at.carry_out()
    assert at.nodes.answers.asked == asked + 5


def test_only_who_has_not_followed_is_asked_again(at: Reloading) -> None:
    at.nodes.deaf = {NODES[1]}
    work, asked = at.work(), []

    def answer(observation: Observation) -> tuple[ObservedListener, ...]:
        asked.append([pod.name for pod in observation.snapshot.nodes.pods if pod.component is Component.KAFKA])
        seen = at.nodes.answers(observation)
        for uid, process in list(at.memory.kubelet.processes.items()):
            if process.pod in at.nodes.deaf:
                at.memory.kubelet.reload(uid)
        return seen

    work.nodes = replace(work.nodes, look_live=answer)
    at.carry_out(work)
    assert asked == [NODES, NODES[1:2]]


class Answering:
    """Every request goes to the API server but those for ConfigMaps."""

    def __init__(self, at: Reloading, status: int, reason: str) -> None:
        self._through = KillingTransport(at.memory.api)
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
    with pytest.raises(ReloadImpossible, match=f"ConfigMap kafka/demo-kafka-0, server.config {message}") as refused:
        at.carry_out(at.work(Answering(at, status, reason)))
    assert "spread=restart" in refused.value.remedy
    assert at.nodes.told == []


def test_a_run_that_cannot_reach_nodes_reloads_none(at: Reloading) -> None:
    work = at.work()
    work.nodes = None
    with pytest.raises(ReloadImpossible, match="cannot be reached"):
        at.carry_out(work)


def test_a_removed_ca_shows_the_pods_that_still_know_it(at: Reloading) -> None:
    """First the pods trust the removed CA, then only what re-reads nothing knows it."""
    (before,) = describe_snapshot(at.look().observation.snapshot)["removed"]
    assert [name for name in before["pods"] if name in NODES] == NODES
    assert before["lingering"] == []
    result = at.finish()
    (after,) = describe_snapshot(result.outcome.observation.snapshot)["removed"]
    assert (after["pods"], after["lingering"]) == ([], NODES)


@pytest.mark.parametrize("ready", [True, False], ids=["Ready", "not yet Ready"])
def test_a_node_that_goes_while_it_gets_the_request_has_nothing_to_read(ready: bool, at: Reloading) -> None:
    """A process that starts in its place reads everything then, and a node that its pool has lost answers no more."""

    def leave(pod: str) -> None:
        if pod != NODES[0]:
            return
        if not attempts:
            attempts.append(pod)
            at.cluster.restart(pod)
        raise KafkaUnavailable(pod, "has no leader", "Wait.")

    attempts: list[str] = []
    at.nodes.before = leave
    if not ready:
        at.memory.kubelet.broken = {NODES[0]}
    actions = at.carry_out()
    assert (at.nodes.told, [action.object for action in actions]) == (
        NODES[1:],
        [f"Pod kafka/{name}" for name in NODES[1:]],
    )

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flows whose gates ask the running nodes: same ends as before, and held where the nodes say something else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Spread

from ..tools.support.breaches import InvariantBroken
from ..tools.support.flows import FlowResult
from ..tools.support.golden import GoldenFiles
from ..tools.support.kubelet import Process
from ..tools.support.memory_api import Change
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.watched_cluster import CERTIFICATES, WatchedCluster, fingerprints
from .cases import Case

UNLINKED = Case(Goal.REPLACE_KEY, "unlinked")
SILENT = "demo-kafka-1"


def held(result: FlowResult) -> list[tuple[Condition, str]]:
    decision = result.outcome.decision
    assert not decision.done
    assert decision.steps == ()
    return [(violation.condition, violation.message) for violation in decision.violations]


def process_of(cluster: WatchedCluster, node: str) -> tuple[str, Process]:
    """Its UID and what it loaded."""
    return next((uid, one) for uid, one in cluster.memory.kubelet.processes.items() if one.pod == node)


@pytest.mark.parametrize("case", [Case(Goal.REPLACE_KEY), UNLINKED, Case(Goal.RENEW)], ids=str)
def test_a_silent_node_holds_the_first_use(cluster: WatchedCluster, nodes: ReloadingNodes, case: Case) -> None:
    flow = case.begin(cluster)
    before = cluster.current, {node: cluster.secret(node) for node in cluster.memory.kubelet.nodes}
    nodes.answers.silent = {SILENT}
    unknown = "does not answer: port 9090: no answer."
    assert (Condition.EVIDENCE, unknown) in held(flow.run())
    assert (cluster.current, {node: cluster.secret(node) for node in cluster.memory.kubelet.nodes}) == before
    nodes.answers.silent.clear()
    flow.finish()


@pytest.mark.parametrize(
    ("case", "number"),
    [
        (Case(Goal.REPLACE_KEY), 1),
        (Case(Goal.REPLACE_KEY, "when_restarted"), 1),
        (UNLINKED, 1),
        (UNLINKED, 2),
        (Case(Goal.RENEW), 1),
        (Case(Goal.RENEW), 2),
    ],
    ids=str,
)
def test_an_answer_from_before_a_pause_opens_no_gate_in_it(
    cluster: WatchedCluster, nodes: ReloadingNodes, case: Case, number: int
) -> None:
    """A node falls silent when the operator is paused: what the pause was made for is not done, and the pause ends."""
    flow = case.begin(cluster)
    stored: list[dict[str, dict[str, bytes]]] = []

    def fall_silent(change: Change) -> None:
        if cluster.paused and cluster.pauses == number and not nodes.answers.silent:
            nodes.answers.silent.add(SILENT)
            stored.append(written(cluster))

    cluster.memory.api.listeners.append(fall_silent)
    assert Condition.EVIDENCE in [condition for condition, _message in held(flow.run())]
    assert (written(cluster), cluster.pauses, cluster.paused) == (stored[0], number, False)
    cluster.memory.api.listeners.remove(fall_silent)
    nodes.answers.silent.clear()
    flow.finish()


def written(cluster: WatchedCluster) -> dict[str, dict[str, bytes]]:
    """The Secrets that a flow pauses the operator to write."""
    return {name: cluster.secret(name) for name in (CERTIFICATES, *cluster.memory.kubelet.nodes)}


def test_a_process_that_does_not_trust_the_new_ca_although_it_should_holds_the_switch(
    cluster: WatchedCluster, nodes: ReloadingNodes
) -> None:
    """By the UIDs it has restarted with the new CA; it says something else, for whatever reason."""
    flow = UNLINKED.begin(cluster)
    old = process_of(cluster, SILENT)[1].trusted
    flow.run(last_phase=Phase.TRUST)
    uid, process = process_of(cluster, SILENT)
    cluster.memory.kubelet.processes[uid] = replace(process, trusted=old)
    current = cluster.current
    assert Condition.EVIDENCE in [condition for condition, _message in held(flow.run())]
    assert cluster.current == current
    # The negative control: a flow that does not ask does not know.
    cluster.nodes = None
    with pytest.raises(InvariantBroken) as broken:
        flow.run()
    assert broken.value.breach.rule in {"I1", "I3"}


def test_a_process_that_presents_the_old_certificate_although_it_should_not_keeps_the_old_ca(
    cluster: WatchedCluster, nodes: ReloadingNodes, golden: GoldenFiles
) -> None:
    flow = UNLINKED.begin(cluster)
    old, before = cluster.current, process_of(cluster, "demo-kafka-0")[1].presented
    flow.run(last_phase=Phase.USE)
    uid, process = process_of(cluster, "demo-kafka-0")
    cluster.memory.kubelet.processes[uid] = replace(process, presented=before)
    golden.compare_said("flows", "\n".join(message for _condition, message in held(flow.run())))
    assert old in {fingerprints(value)[0] for value in cluster.secret(CERTIFICATES).values()}


def test_a_process_that_still_trusts_the_removed_ca_is_not_forgotten(
    cluster: WatchedCluster, nodes: ReloadingNodes, golden: GoldenFiles
) -> None:
    flow = Case(Goal.REPLACE_KEY).begin(cluster)
    old = cluster.secret(CERTIFICATES)["ca.crt"]

    def stubborn() -> None:
        uid, process = process_of(cluster, SILENT)
        if old not in process.trusted:
            cluster.memory.kubelet.processes[uid] = replace(process, trusted=process.trusted + old)

    flow.run(last_phase=Phase.USE)
    nodes.answers.before = stubborn
    ((condition, message),) = held(flow.run(spread=Spread.RESTART))
    assert condition is Condition.REMOVAL
    golden.compare_said("flows", message)
    nodes.answers.before = lambda: None
    uid, process = process_of(cluster, SILENT)
    cluster.memory.kubelet.processes[uid] = replace(process, trusted=process.trusted.replace(old, b""))
    flow.finish()


def test_pods_that_are_replaced_while_they_are_asked_are_asked_again(
    cluster: WatchedCluster, nodes: ReloadingNodes
) -> None:
    flow = UNLINKED.begin(cluster)
    flow.run(last_phase=Phase.TRUST)
    left = [2]

    def replace_pod() -> None:
        if left[0]:
            left[0] -= 1
            cluster.restart("demo-kafka-0")

    nodes.answers.before = replace_pod
    flow.finish()
    assert left == [0]


def test_steps_behind_no_gate_ask_no_node(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    flow = UNLINKED.begin(cluster)
    nodes.answers.asked = 0
    flow.run(last_phase=Phase.TRUST)
    assert nodes.answers.asked == 0

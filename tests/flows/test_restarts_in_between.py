# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods that restart by themselves between the phases: they take up what is there, and nothing breaks."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase

from ..tools.support.authorities import below, root
from ..tools.support.checker import entries
from ..tools.support.memory_api import Change
from ..tools.support.watched_cluster import LEDGER, NAMESPACE, WatchedCluster, assert_only
from .cases import Case

pytestmark = pytest.mark.usefixtures("uptake")
NODE, COMPONENTS = "demo-kafka-1", ("demo-entity-operator", "demo-cruise-control", "demo-kafka-exporter")


def a_node(cluster: WatchedCluster) -> None:
    cluster.restart(NODE)


def every_component(cluster: WatchedCluster) -> None:
    for pod in cluster.memory.api.all("pods", NAMESPACE):
        if pod["metadata"]["name"].startswith(COMPONENTS):
            cluster.restart(pod["metadata"]["name"])


def assert_no_more_than(cluster: WatchedCluster, restarts: int, crashes: int = 1) -> None:
    """Nodes that did not crash have had their restarts, and the node that crashed has had none beyond them."""
    counts = cluster.counts()
    assert counts.pop(NODE) <= restarts + crashes
    assert set(counts.values()) == {restarts}


@pytest.mark.parametrize("who", [a_node, every_component])
@pytest.mark.parametrize("phase", list(Phase)[:-1], ids=lambda phase: f"after {phase.value}")
@pytest.mark.each_once
def test_after_each_phase(cluster: WatchedCluster, phase: Phase, who: Callable[[WatchedCluster], None]) -> None:
    old, new = below(root("Corporate Root 1")), below(root("Corporate Root 2"), "Kafka CA 2")
    cluster.create(old)
    cluster.run(Goal.REPLACE_KEY, new, last_phase=phase)
    who(cluster)
    cluster.finish(Goal.REPLACE_KEY, new)
    assert_no_more_than(cluster, cluster.cost(Goal.REPLACE_KEY, "unlinked").restarts)
    assert_only(cluster, new.fingerprint)


class Crashes:
    """A node crashes right after a CA has changed its state, once for each state that is reached."""

    def __init__(self, cluster: WatchedCluster) -> None:
        self.cluster = cluster
        self.states: list[str] = []
        cluster.memory.api.listeners.append(self._after)

    def _after(self, change: Change) -> None:
        if change.name != LEDGER or change.plural != "secrets":
            return
        reached = {v.decode() for k, v in entries(change.new).items() if k.endswith(".state")}
        fresh = sorted(reached - set(self.states))
        if fresh:
            self.states += fresh
            a_node(self.cluster)


@pytest.mark.parametrize("goal", [Goal.RENEW, Goal.REPLACE_KEY])
def test_whenever_a_ca_changes_its_state(cluster: WatchedCluster, goal: Goal) -> None:
    cluster.create()
    old = cluster.current
    crashes = Crashes(cluster)
    cluster.finish(goal)
    assert {"UNTRUSTED", "TRUSTED_UNUSED", "PHASE_OUT"} <= set(crashes.states)
    assert_no_more_than(cluster, cluster.cost(goal).restarts, len(crashes.states))
    assert_only(cluster, cluster.current, twins={old} if goal is Goal.RENEW else set())


@pytest.mark.parametrize("kind", ["pods", "strimzipodsets"])
def test_no_flow_begins_while_the_operator_is_asked_to_restart(cluster: WatchedCluster, kind: str) -> None:
    cluster.create()
    old, api = cluster.current, cluster.memory.api
    cluster.memory.operator_runs = False
    name = NODE if kind == "pods" else "demo-kafka"
    root = "/api/v1" if kind == "pods" else "/apis/core.strimzi.io/v1"
    patch = {"metadata": {"annotations": {"strimzi.io/manual-rolling-update": "true"}}}
    path, kind_of_patch = f"{root}/namespaces/{NAMESPACE}/{kind}/{name}", "application/merge-patch+json"
    assert api.request("PATCH", path, body=patch, content_type=kind_of_patch).status == 200
    held = cluster.run(Goal.REPLACE_KEY).outcome.decision.violations
    assert {one.condition for one in held} == {Condition.CLUSTER_IS_SETTLED}
    assert (cluster.writes, cluster.current) == (0, old)
    cluster.memory.operator_runs = True
    cluster.memory.settle(3)
    cluster.finish(Goal.REPLACE_KEY)
    assert cluster.current != old


FLOWS = [Case(Goal.REPLACE_KEY), Case(Goal.REPLACE_KEY, "unlinked"), Case(Goal.RENEW)]


@pytest.mark.parametrize("who", [a_node, every_component])
@pytest.mark.parametrize("case", FLOWS, ids=str)
@pytest.mark.each_once
def test_after_any_write(cluster: WatchedCluster, case: Case, who: Callable[[WatchedCluster], None]) -> None:
    """The checker looks after each of them. Where the same object is written again, no process restarts again: what is
    recorded of processes would change for ever."""
    flow = case.begin(cluster)
    old = cluster.current
    written = [""]

    def restart_once(change: Change) -> None:
        if change.plural in ("secrets", "kafkas") and change.name != written[-1]:
            written.append(change.name)
            who(cluster)

    cluster.memory.api.listeners.append(restart_once)
    flow.run()
    cluster.memory.api.listeners.remove(restart_once)
    assert len(written) > 10
    flow.finish()
    assert_only(cluster, cluster.current, {old} if case.goal is Goal.RENEW else set())


def test_while_a_replaced_cluster_is_handed_back(cluster: WatchedCluster) -> None:
    cluster.create()
    cluster.finish(Goal.REPLACE_KEY)
    cluster.look_away()
    cluster.run(Goal.DOWNGRADE, last_phase=Phase.PREPARE)
    a_node(cluster)
    cluster.finish(Goal.DOWNGRADE)
    assert_no_more_than(cluster, cluster.cost(Goal.DOWNGRADE).restarts)


def test_while_a_cluster_is_adopted(cluster: WatchedCluster) -> None:
    own, other = below(root()), root("Partner Root")
    cluster.store(own, {"partner.crt": other.pem})
    cluster.deploy()
    cluster.look_away()
    cluster.run(Goal.UPGRADE, last_phase=Phase.PREPARE)
    a_node(cluster)
    cluster.finish(Goal.UPGRADE)
    assert cluster.counts() == {"demo-kafka-0": 1, NODE: 1}
    assert cluster.trusted == {own.fingerprint, other.fingerprint}

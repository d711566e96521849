# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reload: nodes read again what else would take a restart (operator-facts, "The reload")."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Bridge, Spread, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import Face
from ansible_collections.trustops.strimzi.tests.fakes.memory_api import Change
from ansible_collections.trustops.strimzi.tests.fakes.reloads import ReloadingNodes
from ansible_collections.trustops.strimzi.tests.operator import clusters

from .authorities import root
from .scene import BOTH_WAYS, CLUSTER, IN_USE, LEDGER, NAMESPACE, Object, Scene

EVERY_WAY = pytest.mark.parametrize("way", BOTH_WAYS)
#: Rolls of the nodes, and how often each is told to read again.
COSTS = {
    (Goal.REPLACE_KEY, Bridge.AUTO): (1, 1),
    (Goal.REPLACE_KEY, Bridge.NEVER): (2, 1),
    (Goal.RENEW, Bridge.AUTO): (1, 0),
}


def roles_together() -> list[Object]:
    return clusters.dual_role(CLUSTER, NAMESPACE, replicas=2)


def roles_apart() -> list[Object]:
    return clusters.separate_roles(CLUSTER, NAMESPACE, replicas=2)


def lingering(scene: Scene) -> dict[str, set[str]]:
    """UIDs by fingerprint, as recorded."""
    found = scene.secret(LEDGER)
    return {
        key.removesuffix(".lingering"): set(value.decode().split())
        for key, value in found.items()
        if key.endswith(".lingering")
    }


def node_uids(scene: Scene) -> set[str]:
    return {uid for uid, one in scene.world.kubelet.processes.items() if one.component == "kafka"}


@EVERY_WAY
@pytest.mark.parametrize("manifests", [roles_together, roles_apart])
@pytest.mark.parametrize(("goal", "bridge"), COSTS)
def test_what_it_costs(
    scene: Scene, nodes: ReloadingNodes, goal: Goal, bridge: Bridge, manifests: Callable[[], list[Object]], way: Way
) -> None:
    scene.create(way=way, manifests=manifests())
    old, scene.bridge = scene.current, bridge
    scene.finish(goal, way)
    rolls, reloads = COSTS[goal, bridge]
    assert scene.rolls == {rolls}
    assert sorted(nodes.told) == sorted(reloads * list(scene.world.restarts()))
    scene.world.settle(3)
    assert scene.rolls == {rolls}, "the operator found something to restart"
    assert scene.states == {scene.current: IN_USE}
    if reloads:
        assert old not in scene.trusted
        assert lingering(scene) == {old: node_uids(scene)}
    if way is Way.TAKEOVER:
        assert scene.issued_by_operator == []


@EVERY_WAY
@pytest.mark.parametrize(("bridge", "most"), [(Bridge.AUTO, 14), (Bridge.NEVER, 10)])
def test_how_often_a_module_is_started(
    scene: Scene, nodes: ReloadingNodes, bridge: Bridge, most: int, way: Way
) -> None:
    """Each start takes a second, so books and pauses go with the work of whoever is at it."""
    scene.create(way=way, manifests=roles_together())
    scene.bridge = bridge
    modules = scene.finish(Goal.REPLACE_KEY, way).modules
    assert len(modules) <= most
    assert Face.RECONCILIATION not in modules


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_node_that_falls_silent_in_a_pause_holds_what_the_pause_was_made_for(
    scene: Scene, nodes: ReloadingNodes, number: int
) -> None:
    """The third is made and used by one call: what the node said before it opens no gate."""
    scene.create()
    pauses: list[str] = []

    def fall_silent(change: Change) -> None:
        if change.plural == "kafkas" and not is_paused(change.old) and is_paused(change.new):
            pauses.append(scene.current)
            if len(pauses) == number:
                nodes.answers.silent.add("demo-kafka-1")

    scene.world.api.listeners.append(fall_silent)
    decision = scene.run(Goal.REPLACE_KEY).outcome.decision
    assert "evidence" in {violation.gate for violation in decision.violations}
    assert (len(pauses), scene.current, scene.paused) == (number, pauses[-1], False)
    scene.world.api.listeners.remove(fall_silent)
    nodes.answers.silent.clear()
    scene.finish(Goal.REPLACE_KEY)
    assert scene.states == {scene.current: IN_USE}


def is_paused(kafka: Object | None) -> bool:
    return "strimzi.io/pause-reconciliation" in ((kafka or {}).get("metadata") or {}).get("annotations", {})


def costs(scene: Scene, **intent: Any) -> set[int]:
    scene.look_away()
    scene.finish(Goal.REPLACE_KEY, replaces=scene.current, **intent)
    return scene.rolls


def test_spread_by_restarts(scene: Scene, nodes: ReloadingNodes) -> None:
    scene.create()
    assert costs(scene, spread=Spread.RESTART) == {2}
    assert nodes.told == []
    assert lingering(scene) == {}


def test_it_is_forgotten_when_the_last_process_that_knows_it_is_gone(scene: Scene, nodes: ReloadingNodes) -> None:
    scene.create()
    old = scene.current
    scene.finish(Goal.REPLACE_KEY)
    for number in range(2):
        assert lingering(scene)[old] == node_uids(scene) & lingering(scene)[old]
        restart(scene, f"demo-kafka-{number}")
        scene.run(Goal.RECONCILE)
        assert len(lingering(scene).get(old, ())) == 1 - number
    assert not any(key.endswith(".removed") for key in scene.secret(LEDGER))
    scene.finish(Goal.RECONCILE)


def restart(scene: Scene, pod: str) -> None:
    scene.world.api.request("DELETE", f"/api/v1/namespaces/{NAMESPACE}/pods/{pod}")
    scene.world.settle(1)


@EVERY_WAY
def test_what_comes_after_it(scene: Scene, nodes: ReloadingNodes, way: Way) -> None:
    """Replaced, replaced again, renewed, handed back: Raft clients know what they were started with, all the way."""
    scene.create(way=way)
    for _each in range(3):
        old = scene.current
        scene.look_away()
        scene.finish(Goal.REPLACE_KEY, way, replaces=old)
        assert scene.rolls == {1}
        assert lingering(scene) == {old: node_uids(scene)}
    scene.look_away()
    scene.finish(Goal.RENEW, way, replaces=scene.current)
    assert scene.rolls == {1}
    assert lingering(scene) == {}
    scene.finish(Goal.REPLACE_KEY, way, replaces=scene.current)
    scene.finish(Goal.DOWNGRADE, way)
    scene.world.settle(3)
    assert scene.ready


@EVERY_WAY
def test_a_ca_that_comes_back_while_processes_still_know_it(scene: Scene, nodes: ReloadingNodes, way: Way) -> None:
    """Its listeners have forgotten it: it is trusted when they have been restarted, as any other."""
    first, second = root("First"), root("Second")
    scene.create(first, way)
    scene.finish(Goal.REPLACE_KEY, way, second)
    assert set(lingering(scene)) == {first.fingerprint}
    scene.look_away()
    scene.finish(Goal.REPLACE_KEY, way, first, replaces=second.fingerprint)
    assert scene.states == {first.fingerprint: IN_USE}
    assert set(lingering(scene)) <= {second.fingerprint}

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods that restart by themselves between the phases: they take up what is there, and nothing breaks."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Phase, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.tests.fakes.memory_api import Change
from ansible_collections.trustops.strimzi.tests.faults.checker import entries

from .authorities import below, root
from .scene import BOTH_WAYS, EVERY_BRIDGE, LEDGER, NAMESPACE, Scene, assert_only

EVERY_WAY = pytest.mark.parametrize("way", BOTH_WAYS)
NODE, COMPONENTS = "demo-kafka-1", ("demo-entity-operator", "demo-cruise-control", "demo-kafka-exporter")


def a_node(scene: Scene) -> None:
    restart(scene, NODE)


def every_component(scene: Scene) -> None:
    for pod in scene.world.api.all("pods", NAMESPACE):
        if pod["metadata"]["name"].startswith(COMPONENTS):
            restart(scene, pod["metadata"]["name"])


def restart(scene: Scene, pod: str) -> None:
    """A crash, an eviction, an impatient administrator."""
    scene.world.api.request("DELETE", f"/api/v1/namespaces/{NAMESPACE}/pods/{pod}")
    while scene.world.quiet_round():
        pass


def of_itself(scene: Scene) -> set[int]:
    """Rolls of the nodes that nobody touched."""
    counts = scene.counts()
    counts.pop(NODE)
    return set(counts.values())


@EVERY_WAY
@pytest.mark.parametrize("who", [a_node, every_component])
@pytest.mark.parametrize("phase", list(Phase)[:-1], ids=lambda phase: f"after {phase.value}")
def test_after_each_phase(scene: Scene, phase: Phase, who: Callable[[Scene], None], way: Way) -> None:
    old, new = below(root("Corporate Root 1")), below(root("Corporate Root 2"), "Kafka CA 2")
    scene.create(old, way)
    scene.run(Goal.REPLACE_KEY, way, new, until=phase)
    who(scene)
    scene.finish(Goal.REPLACE_KEY, way, new)
    assert of_itself(scene) == {3}
    assert scene.counts()[NODE] <= 4
    assert_only(scene, new.fingerprint, way)


class Crashes:
    """A node crashes right after a CA has changed its state, once for each state that is reached."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.states: list[str] = []
        scene.world.api.listeners.append(self._after)

    def _after(self, change: Change) -> None:
        if change.name != LEDGER or change.plural != "secrets":
            return
        reached = {v.decode() for k, v in entries(change.new).items() if k.endswith(".state")}
        fresh = sorted(reached - set(self.states))
        if fresh:
            self.states += fresh
            a_node(self.scene)


@EVERY_BRIDGE
@EVERY_WAY
@pytest.mark.parametrize("goal", [Goal.RENEW, Goal.REPLACE_KEY])
def test_whenever_a_ca_changes_its_state(scene: Scene, goal: Goal, way: Way) -> None:
    scene.create(way=way)
    old = scene.current
    crashes = Crashes(scene)
    scene.finish(goal, way)
    assert {"UNTRUSTED", "TRUSTED_UNUSED", "PHASE_OUT"} <= set(crashes.states)
    assert of_itself(scene) == {1 if goal is Goal.RENEW else scene.replacement}
    assert_only(scene, scene.current, way, twins={old} if goal is Goal.RENEW else scene.bridges)


@EVERY_WAY
def test_while_a_replaced_cluster_is_handed_back(scene: Scene, way: Way) -> None:
    scene.create(way=way)
    scene.finish(Goal.REPLACE_KEY, way)
    scene.look_away()
    scene.run(Goal.DOWNGRADE, way, until=Phase.PREPARE)
    a_node(scene)
    scene.finish(Goal.DOWNGRADE, way)
    assert of_itself(scene) == {1}
    assert scene.counts()[NODE] <= 2


@EVERY_WAY
def test_while_a_cluster_is_adopted(scene: Scene, way: Way) -> None:
    own, other = below(root()), root("Partner Root")
    scene.store(own, {"partner.crt": other.pem})
    scene.deploy()
    scene.look_away()
    scene.run(Goal.UPGRADE, way, until=Phase.PREPARE)
    a_node(scene)
    scene.finish(Goal.UPGRADE, way)
    assert scene.counts() == {"demo-kafka-0": 1, NODE: 1}
    assert scene.trusted == {own.fingerprint, other.fingerprint}

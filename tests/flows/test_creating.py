# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Creating: the CA is there before the cluster, and nobody else is touched."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.tests.fakes.world import World
from ansible_collections.trustops.strimzi.tests.operator import clusters

from .scene import BOTH_WAYS, CERTIFICATES, KEYS, NAMESPACE, Scene, assert_only

pytestmark = pytest.mark.parametrize("way", BOTH_WAYS)


def test_the_cluster_starts_with_it(scene: Scene, way: Way) -> None:
    scene.finish(Goal.CREATE, way)
    made = scene.secret(CERTIFICATES), scene.secret(KEYS)
    scene.deploy()
    scene.finish(Goal.CREATE, way)
    assert scene.rolls == {0}
    assert (scene.secret(CERTIFICATES), scene.secret(KEYS)) == made
    assert_only(scene, scene.current)


def test_creating_again_what_is_there_makes_nothing(scene: Scene, way: Way) -> None:
    scene.create()
    scene.run(Goal.CREATE, way)
    assert scene.writes == 0


def neighbour(scene: Scene) -> None:
    """Another cluster of the namespace, with everything that its operator made, pods apart."""
    other = World("another", NAMESPACE)
    other.apply(*clusters.separate_roles("another", NAMESPACE, generated=True))
    other.settle()
    for plural in ("kafkas", "kafkanodepools", "secrets"):
        scene.world.apply(*other.api.all(plural, NAMESPACE))


def belongings(scene: Scene) -> list[object]:
    everything = [
        o for plural in ("kafkas", "kafkanodepools", "secrets") for o in scene.world.api.all(plural, NAMESPACE)
    ]
    return [
        o
        for o in everything
        if "another" in (o["metadata"]["name"], o["metadata"].get("labels", {}).get("strimzi.io/cluster"))
    ]


def test_another_cluster_of_the_namespace_is_left_alone(scene: Scene, way: Way) -> None:
    neighbour(scene)
    before = belongings(scene)
    assert len(before) > 10
    scene.create(way=way)
    scene.finish(Goal.RENEW, way)
    scene.finish(Goal.REPLACE_KEY, way)
    scene.finish(Goal.DOWNGRADE, way)
    assert belongings(scene) == before

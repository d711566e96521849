# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every flow on clusters of other shapes: controllers apart from brokers, one node, some components or none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.tests.operator import clusters

from .authorities import below, root
from .scene import BOTH_WAYS, CLUSTER, EVERY_BRIDGE, IN_USE, NAMESPACE, Scene, assert_only

Object = dict[str, Any]
Manifests = Callable[[bool], list[Object]]


def separate_roles(generated: bool) -> list[Object]:
    return clusters.separate_roles(CLUSTER, NAMESPACE, replicas=2, generated=generated)


def kafka_alone(generated: bool) -> list[Object]:
    return clusters.dual_role(CLUSTER, NAMESPACE, replicas=2, generated=generated, components=False)


def one_node(generated: bool) -> list[Object]:
    return clusters.dual_role(CLUSTER, NAMESPACE, replicas=1, generated=generated)


def only(component: str) -> Manifests:
    def manifests(generated: bool) -> list[Object]:
        *pools, kafka = clusters.dual_role(CLUSTER, NAMESPACE, replicas=2, generated=generated)
        for other in clusters.COMPONENTS.keys() - {component}:
            del kafka["spec"][other]
        return [*pools, kafka]

    manifests.__name__ = f"only {component}"
    return manifests


SHAPES: list[Manifests] = [
    separate_roles, kafka_alone, one_node, *(only(one) for one in clusters.COMPONENTS)
]  # fmt: skip


@pytest.mark.parametrize("way", BOTH_WAYS)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
@EVERY_BRIDGE
def test_from_adoption_to_handing_back(scene: Scene, shape: Manifests, way: Way) -> None:
    """Adopted, renewed, replaced, handed back: 0 + 1 + (2 or 3) + 1 rolls."""
    scene.deploy(shape(True))
    scene.look_away()
    scene.finish(Goal.UPGRADE, way)
    assert scene.rolls == {0}
    adopted = scene.current
    scene.finish(Goal.RENEW, way)
    assert scene.rolls == {1}
    assert_only(scene, scene.current, way, twins={adopted})
    scene.finish(Goal.REPLACE_KEY, way)
    assert scene.rolls == {1 + scene.replacement}
    assert_only(scene, scene.current, way, scene.bridges)
    scene.finish(Goal.DOWNGRADE, way)
    assert scene.rolls == {2 + scene.replacement}


@pytest.mark.parametrize("way", BOTH_WAYS)
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_an_intermediate_from_the_start_and_another_one(scene: Scene, shape: Manifests, way: Way) -> None:
    first, second = below(root("Corporate Root 1")), below(root("Corporate Root 2"), "Kafka CA 2")
    scene.create(first, way, manifests=shape(False))
    assert scene.rolls == {0}
    assert scene.states == {first.fingerprint: IN_USE}
    scene.finish(Goal.REPLACE_KEY, way, second)
    assert scene.rolls == {3}
    assert_only(scene, second.fingerprint, way)

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every flow on clusters of other shapes: controllers apart from brokers, one node, some components or none."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import ROTATIONS, Goal

from ..tools.operator import clusters
from ..tools.support.authorities import below, root
from ..tools.support.watched_cluster import CLUSTER, IN_USE, NAMESPACE, WatchedCluster, assert_only
from .cases import Layout, Object, roles_apart, roles_together


def kafka_alone(*, generated: bool = False) -> list[Object]:
    return clusters.dual_role(CLUSTER, NAMESPACE, replicas=2, generated=generated, components=False)


def one_node(*, generated: bool = False) -> list[Object]:
    return clusters.dual_role(CLUSTER, NAMESPACE, replicas=1, generated=generated)


def only(component: str) -> Layout:
    def manifests(*, generated: bool = False) -> list[Object]:
        *pools, kafka = roles_together(generated=generated)
        for other in clusters.COMPONENTS.keys() - {component}:
            del kafka["spec"][other]
        return [*pools, kafka]

    manifests.__name__ = f"only {component}"
    return manifests


EVERY_SHAPE = pytest.mark.parametrize(
    "shape", [roles_apart, kafka_alone, one_node, *map(only, clusters.COMPONENTS)], ids=lambda shape: shape.__name__
)
pytestmark = pytest.mark.usefixtures("uptake")


@EVERY_SHAPE
def test_from_adoption_to_handing_back(cluster: WatchedCluster, shape: Layout) -> None:
    """Adopted, renewed, replaced, handed back."""
    cluster.deploy(shape(generated=True))
    restarts = 0
    cluster.look_away()
    for goal in (Goal.UPGRADE, Goal.RENEW, Goal.REPLACE_KEY, Goal.DOWNGRADE):
        before = cluster.current
        cluster.finish(goal)
        restarts += cluster.cost(goal).restarts
        assert cluster.rolls == {restarts}
        if goal in ROTATIONS:
            assert_only(cluster, cluster.current, {before} if goal is Goal.RENEW else set())


@EVERY_SHAPE
def test_an_intermediate_from_the_start_and_another_one(cluster: WatchedCluster, shape: Layout) -> None:
    first, second = below(root("Corporate Root 1")), below(root("Corporate Root 2"), "Kafka CA 2")
    cluster.create(first, manifests=shape())
    assert cluster.rolls == {0}
    assert cluster.states == {first.fingerprint: IN_USE}
    cluster.finish(Goal.REPLACE_KEY, second)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY, "unlinked")
    assert_only(cluster, second.fingerprint)

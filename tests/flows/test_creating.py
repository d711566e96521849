# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Creating: the CA is there before the cluster, and other clusters stay as they are."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..tools.operator import clusters
from ..tools.support.memory_cluster import MemoryCluster
from ..tools.support.watched_cluster import CERTIFICATES, KEYS, NAMESPACE, WatchedCluster, assert_only


def test_the_cluster_starts_with_it(cluster: WatchedCluster) -> None:
    cluster.finish(Goal.CREATE)
    made = cluster.secret(CERTIFICATES), cluster.secret(KEYS)
    cluster.deploy()
    cluster.finish(Goal.CREATE)
    assert cluster.rolls == {0}
    assert (cluster.secret(CERTIFICATES), cluster.secret(KEYS)) == made
    assert_only(cluster, cluster.current)


def test_creating_again_what_is_there_makes_nothing(cluster: WatchedCluster) -> None:
    cluster.create()
    cluster.run(Goal.CREATE)
    assert cluster.writes == 0


def neighbour(cluster: WatchedCluster) -> None:
    """Another cluster of the namespace, with everything that its operator made, pods apart."""
    other = MemoryCluster("another", NAMESPACE)
    other.apply(*clusters.separate_roles("another", NAMESPACE, generated=True))
    other.settle()
    for plural in ("kafkas", "kafkanodepools", "secrets"):
        cluster.memory.apply(*other.api.all(plural, NAMESPACE))


def belongings(cluster: WatchedCluster) -> list[object]:
    everything = [
        o for plural in ("kafkas", "kafkanodepools", "secrets") for o in cluster.memory.api.all(plural, NAMESPACE)
    ]
    return [
        o
        for o in everything
        if "another" in (o["metadata"]["name"], o["metadata"].get("labels", {}).get("strimzi.io/cluster"))
    ]


def test_another_cluster_of_the_namespace_is_left_alone(cluster: WatchedCluster) -> None:
    neighbour(cluster)
    before = belongings(cluster)
    assert len(before) > 10
    cluster.create()
    cluster.finish(Goal.RENEW)
    cluster.finish(Goal.REPLACE_KEY)
    cluster.finish(Goal.DOWNGRADE)
    assert belongings(cluster) == before

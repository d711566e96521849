# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node pool is scaled: where the operator has no key, its new nodes get their certificates in a pause, before the operator asks for them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.node_pools import NO_GROWTH, Growth
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.pools import Scaling

from ..tools.support.authorities import root
from ..tools.support.flows import FlowResult
from ..tools.support.watched_cluster import WatchedCluster
from .test_kept_elsewhere import ASKED, elsewhere, issuing_secrets, run
from .test_kept_elsewhere import scale as scale_by_hand
from .test_spare_leaves import NEXT, at_hand, growing

pytestmark = pytest.mark.usefixtures("uptake")
#: For tests to which it does not matter how certificates are taken up.
ONCE = pytest.mark.parametrize("uptake", [True], ids=["reload"], indirect=True)


def scale_to(cluster: WatchedCluster, replicas: int, pool: str = "kafka") -> FlowResult:
    """Scales the pool as the module does."""
    scaling = Scaling(pool, replicas)
    cluster.growth = replace(cluster.growth, scaling=scaling)
    try:
        return cluster.run(Goal.RECONCILE, scaling=scaling, last_phase=Phase.USE, external_issuer=ASKED)
    finally:
        cluster.growth = replace(cluster.growth, scaling=None)


def replicas(cluster: WatchedCluster) -> int:
    pool: Any = cluster.memory.api.find("kafkanodepools", "kafka", "kafka")
    return int(pool["spec"]["replicas"])


def test_with_certificates_at_hand_the_run_does_not_wait(cluster: WatchedCluster) -> None:
    signing = growing(cluster)
    signing.signed.clear()
    cluster.look_away()
    done = scale_to(cluster, 3).outcome.decision
    assert (done.violations, done.waiting) == ((), ())
    assert (replicas(cluster), cluster.paused, cluster.pauses) == (3, False, 1)
    leaf, found = cluster.secret(NEXT), cluster.memory.api.find("secrets", "kafka", NEXT)
    # By these labels the operator finds the Secret, and deletes Secrets of nodes that are not wanted.
    assert found
    assert found["metadata"]["labels"] == {
        "strimzi.io/cluster": "demo", "strimzi.io/kind": "Kafka", "strimzi.io/name": "demo-kafka", "strimzi.io/component-type": "kafka",
    }  # fmt: skip
    cluster.memory.settle(2)
    assert cluster.ready
    assert (cluster.secret(NEXT), signing.signed, cluster.issued_by_operator) == (leaf, [], [])
    assert (NEXT in cluster.memory.kubelet.nodes, cluster.rolls) == (True, {0})
    signing.work()
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    assert at_hand(cluster) == ["demo-kafka-3"]


def test_missing_leaves_are_requested_before_any_pause(cluster: WatchedCluster) -> None:
    signing = growing(cluster)
    signing.signed.clear()
    cluster.look_away()
    waiting = scale_to(cluster, 4).outcome.decision
    assert (waiting.violations, waiting.done, "demo-kafka-3" in waiting.waiting[0]) == ((), False, True)
    assert (replicas(cluster), cluster.pauses, cluster.secret(NEXT)) == (2, 0, {})
    signing.work()
    assert sorted(signing.signed) == ["demo-kafka-3", "demo-kafka-4"]
    for size in (3, 4):
        scale_to(cluster, size)
        cluster.memory.settle(2)
        assert (replicas(cluster), cluster.pauses, cluster.ready, cluster.rolls) == (size, size - 2, True, {0})
    assert {NEXT, "demo-kafka-3"} < set(cluster.memory.kubelet.nodes)


def test_scaling_down_takes_no_pause(cluster: WatchedCluster) -> None:
    growing(cluster)
    cluster.look_away()
    done = scale_to(cluster, 1).outcome.decision
    cluster.memory.settle(2)
    assert (done.violations, replicas(cluster), cluster.pauses, cluster.ready) == ((), 1, 0, True)
    assert cluster.memory.api.find("pods", "kafka", "demo-kafka-1") is None


@ONCE
@pytest.mark.parametrize("spare", [1, 2])
def test_leaves_for_other_nodes_are_forgotten_after_a_node_has_gone(cluster: WatchedCluster, spare: int) -> None:
    """Leaves for other numbers than those of the next nodes are forgotten, and the missing ones are asked for."""
    signing = growing(cluster, spare)
    before = at_hand(cluster)
    cluster.look_away()
    told = scale_to(cluster, 1).outcome.observation.snapshot
    assert (list(told.pools.leaving), list(told.pools.spare)) == (["demo-kafka-1"], before)
    later = ["demo-kafka-1", "demo-kafka-2"][:spare]
    assert list(told.pools.spare_later) == later
    # The operator may still refuse to remove the node.
    assert at_hand(cluster) == before
    cluster.memory.settle(2)
    assert cluster.secret("demo-kafka-1") == {}
    signing.signed.clear()
    run(cluster, Goal.RECONCILE)
    signing.work()
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    assert (sorted(at_hand(cluster)), signing.signed) == (later, ["demo-kafka-1"])
    assert cluster.ready


@ONCE
def test_an_open_request_of_a_node_that_is_not_wanted_any_more_serves_the_next_one(cluster: WatchedCluster) -> None:
    signing = growing(cluster)
    cluster.growth = NO_GROWTH
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    scale_to(cluster, 3)
    scale_by_hand(cluster, 3)
    (asked,) = signing.requests()
    scale_to(cluster, 2)
    cluster.memory.settle(2)
    cluster.growth = Growth(1)
    run(cluster, Goal.RECONCILE)
    assert signing.requests() == [asked]
    signing.work()
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    assert (at_hand(cluster), cluster.ready) == ([NEXT], True)


@ONCE
@pytest.mark.parametrize("size", [1, 3])
def test_with_a_key_of_the_cluster_the_operator_issues(cluster: WatchedCluster, size: int) -> None:
    cluster.create()
    scale_to(cluster, size)
    cluster.memory.settle(2)
    assert (replicas(cluster), cluster.pauses, cluster.ready) == (size, 0, True)
    assert (len(cluster.node_uids), issuing_secrets(cluster)) == (size, [])


@ONCE
def test_a_second_time_it_does_nothing(cluster: WatchedCluster) -> None:
    signing = growing(cluster)
    scale_to(cluster, 3)
    cluster.memory.settle(2)
    signing.work()
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    scale_to(cluster, 3)
    assert cluster.writes == 0


@ONCE
def test_an_unknown_pool(cluster: WatchedCluster) -> None:
    cluster.create()
    (violation,) = scale_to(cluster, 3, "broker").outcome.decision.violations
    assert violation.condition is Condition.POOL_IS_KNOWN


@ONCE
def test_a_pool_does_not_grow_in_the_middle_of_a_flow(cluster: WatchedCluster) -> None:
    growing(cluster)
    run(cluster, Goal.REPLACE_KEY, elsewhere(root("Second")))
    (violation,) = scale_to(cluster, 3).outcome.decision.violations
    assert (violation.condition, replicas(cluster)) == (Condition.NOTHING_IS_BEGUN, 2)
    # Fewer nodes need no certificate.
    assert scale_to(cluster, 1).outcome.decision.violations == ()

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates for nodes that are yet to come wait beside the requests, are kept up to date, and hold nothing up."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine import engine
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect, plan
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.node_pools import NO_GROWTH, Growth
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Step
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.pools import PoolNode

from ..tools.support.authorities import root
from ..tools.support.golden import GoldenFiles
from ..tools.support.signing_office import SigningOffice
from ..tools.support.watched_cluster import WatchedCluster
from .test_kept_elsewhere import ASKED, DAY, advertise, elsewhere, issuing_secrets, moved, run, scale

pytestmark = pytest.mark.usefixtures("uptake")
#: How certificates are taken up does not matter to it.
ONCE = pytest.mark.parametrize("uptake", [True], ids=["reload"], indirect=True)
REQUESTS = "demo-issuing-kafka"
NEXT = "demo-kafka-2"


def growing(cluster: WatchedCluster, spare: int = 1) -> SigningOffice:
    """A cluster of two nodes with certificates for the next ones at hand."""
    cluster.create()
    signing = moved(cluster, elsewhere(root("Corporate Root")))
    signing.signed.clear()
    cluster.growth = Growth(spare)
    asked = run(cluster, Goal.RECONCILE).outcome.decision
    assert (asked.done, asked.waiting) == (True, ())
    signing.work()
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    return signing


def at_hand(cluster: WatchedCluster) -> list[str]:
    return [entry.removesuffix(".pending") for entry in cluster.secret(REQUESTS) if entry.endswith(".pending")]


def test_spare_leaves_wait_beside_the_requests(cluster: WatchedCluster) -> None:
    signing = growing(cluster, 2)
    assert signing.signed == at_hand(cluster) == [NEXT, "demo-kafka-3"]
    assert (cluster.secret(NEXT), cluster.rolls, cluster.ready) == ({}, {0}, True)
    cluster.memory.settle(2)
    assert cluster.secret(NEXT) == {}


@ONCE
def test_spare_leaves_hold_no_flow_up(cluster: WatchedCluster) -> None:
    """A replacement goes on while a request for one is open, and asks for one of the new CA when it is over."""
    cluster.create()
    cluster.growth = Growth(1)
    first, second = elsewhere(root("First")), elsewhere(root("Second"))
    moved(cluster, first)
    assert list(cluster.secret(REQUESTS)) == [f"{NEXT}.requested"]
    signing = moved(cluster, second)
    assert [name for _secret, name in signing.requests()] == [NEXT]
    signing.work()
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    assert at_hand(cluster) == [NEXT]


@ONCE
@pytest.mark.parametrize("before", ["a key of the cluster", "a key elsewhere"])
def test_the_plan_names_each_request_that_the_flow_makes(
    cluster: WatchedCluster, before: str, monkeypatch: pytest.MonkeyPatch, golden: GoldenFiles
) -> None:
    """The last are those for the next nodes."""
    cluster.create()
    cluster.growth = Growth(1)
    if before == "a key elsewhere":
        moved(cluster, elsewhere(root("First"))).work()
        cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    supplied = elsewhere(root("Second"))
    intent, work = cluster.intent(Goal.REPLACE_KEY, supplied, external_issuer=ASKED), cluster.work(supplied)
    planned = [step.what for step in plan(work, inspect(work, intent), intent).steps]
    taken: list[str] = []

    def noted(step: Step, *arguments: Any) -> None:
        taken.append(step.sentence())
        carry_out(step, *arguments)

    carry_out = engine.carry_out
    monkeypatch.setattr(engine, "carry_out", noted)
    moved(cluster, supplied)
    asked_for = [one for one in taken if one.startswith("ask ")]
    assert [one for one in planned if one.startswith("ask ")] == asked_for
    golden.compare_said("flows", asked_for[-1])


@ONCE
def test_with_a_key_of_the_cluster_there_are_none(cluster: WatchedCluster) -> None:
    growing(cluster)
    cluster.finish(Goal.REPLACE_KEY, replaces=cluster.current, external_issuer=ASKED)
    assert issuing_secrets(cluster) == []


@ONCE
def test_spare_leaves_that_are_not_wanted_any_more_are_removed(cluster: WatchedCluster) -> None:
    growing(cluster, 2)
    cluster.growth = Growth(1)
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    assert at_hand(cluster) == [NEXT]
    cluster.growth = NO_GROWTH
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    assert issuing_secrets(cluster) == []


@ONCE
def test_spare_leaves_are_renewed_before_their_end(cluster: WatchedCluster) -> None:
    """And once only: the next run leaves the request alone."""
    signing = growing(cluster)
    signing.signed.clear()
    cluster.memory.seconds += 44 * DAY
    assert run(cluster, Goal.RECONCILE).outcome.decision.done
    assert at_hand(cluster) == [NEXT]
    cluster.memory.seconds += 2 * DAY
    run(cluster, Goal.RECONCILE)
    signing.work()
    assert NEXT in signing.signed
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    assert (at_hand(cluster), signing.signed.count(NEXT)) == ([NEXT], 1)


@ONCE
def test_spare_leaves_follow_the_listeners(cluster: WatchedCluster) -> None:
    signing = growing(cluster)
    signing.signed.clear()
    advertise(cluster, "kafka.corp.example")
    run(cluster, Goal.RECONCILE)
    signing.work()
    run(cluster, Goal.RECONCILE)
    cluster.memory.settle(1)
    signing.work()
    assert (sorted(signing.signed), cluster.ready) == (["demo-kafka-0", "demo-kafka-1", NEXT], True)


def test_a_node_that_is_added_by_hand_gets_the_one_that_waits(cluster: WatchedCluster) -> None:
    """No issuer is asked for it, so the operator goes on with the next run."""
    signing = growing(cluster)
    signing.signed.clear()
    scale(cluster, 3)
    assert not cluster.ready
    run(cluster, Goal.RECONCILE)
    cluster.memory.settle(2)
    assert (cluster.ready, signing.signed) == (True, [])
    assert NEXT in cluster.memory.kubelet.nodes
    assert list(cluster.secret(REQUESTS)) == ["demo-kafka-3.requested"]


def test_each_pool_has_its_own(cluster: WatchedCluster) -> None:
    """Two pools may be offered the same number: whichever is scaled first gets it."""
    growing(cluster)
    pool = cluster.memory.api.find("kafkanodepools", "kafka", "kafka")
    assert pool
    other = {
        **pool,
        "metadata": {"name": "more", "labels": pool["metadata"]["labels"]},
        "spec": {**pool["spec"], "replicas": 0},
    }
    other.pop("status")
    cluster.memory.apply(other)
    seen = run(cluster, Goal.RECONCILE).outcome.observation.snapshot
    assert seen.pools.spare == {NEXT: PoolNode("kafka", 2), "demo-more-2": PoolNode("more", 2)}

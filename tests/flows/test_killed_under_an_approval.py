# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A flow without a journal is killed: the next run goes on under the hash of the plan that was approved. Only the cluster's state says what was begun."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect, plan
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.approval import check_approval, plan_hash
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.plan import Forecast

from ..tools.operator import certs
from ..tools.support.authorities import root
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.watched_cluster import CERTIFICATES, KEYS, LEDGER, NAMESPACE, WatchedCluster
from .cases import Case
from .test_kept_elsewhere import ASKED, elsewhere, moved
from .test_recovering import NODES, lasting


def approve(cluster: WatchedCluster, goal: Goal, **intent: object) -> Callable[[], list[str]]:
    """The refusals of later runs under the hash of the plan of now."""

    def look() -> tuple[Snapshot, Forecast]:
        work, asked = cluster.work(), cluster.intent(goal, **intent)
        seen = inspect(work, asked)
        return seen.observation.snapshot, plan(work, seen, asked)

    snapshot, planned = look()
    assert planned.whole
    assert planned.violations == ()
    approved = plan_hash(goal, snapshot, planned)

    def refusals() -> list[str]:
        return [str(violation) for violation in check_approval(approved, goal, *look())]

    return refusals


def refused_after_kills(cluster: WatchedCluster, goal: Goal, after: bool) -> dict[int, list[str]]:
    """The refusals of the run after a run that was killed at a write, by the number of that write."""
    refusals, start, found = approve(cluster, goal), cluster.memory.moment(), dict[int, list[str]]()
    while cluster.is_killed_at(len(found) + 1, after, lambda: cluster.run(goal)):
        cluster.memory.settle(2)
        found[len(found) + 1] = refusals()
        cluster.memory.go_to(start)
    assert len(found) > 1
    return {write: told for write, told in found.items() if told}


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("case", [Case(Goal.UPGRADE), Case(Goal.DOWNGRADE)], ids=str)
def test_a_ca_that_changes_hands(cluster: WatchedCluster, case: Case, after: bool) -> None:
    case.begin(cluster)
    assert refused_after_kills(cluster, case.goal, after) == {}


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("lost", [(KEYS, CERTIFICATES, LEDGER), (KEYS, CERTIFICATES), (KEYS, LEDGER)], ids=len)
def test_a_recovery_of_lost_secrets(cluster: WatchedCluster, lost: tuple[str, ...], after: bool) -> None:
    cluster.create()
    cluster.backs_up = True
    cluster.finish(Goal.REPLACE_KEY)
    cluster.memory.settle(2)
    cluster.look_elsewhere()
    # Where it works, it says that it misses them, until they are back: an obstacle of one of the two plans.
    cluster.memory.operator_runs = False
    for name in lost:
        cluster.memory.api.request("DELETE", f"/api/v1/namespaces/{NAMESPACE}/secrets/{name}")
    assert refused_after_kills(cluster, Goal.RECOVER, after) == {}


@pytest.mark.parametrize("goal", [Goal.RECOVER, Goal.RENEW_LEAVES], ids=str)
def test_an_issuer_that_takes_its_time_needs_no_other_approval(
    cluster: WatchedCluster, nodes: ReloadingNodes, goal: Goal
) -> None:
    """The leaves of the approved plan are requested, answered and used in three runs."""
    supplied = elsewhere(root("Corporate Root", path_length=0))
    cluster.create(manifests=lasting())
    signing = moved(cluster, supplied)
    leaf = parse_certificates(cluster.secret(NODES[0])[f"{NODES[0]}.crt"])[0]
    at = leaf.not_after + timedelta(days=10) if goal is Goal.RECOVER else leaf.not_after - timedelta(days=40)
    cluster.memory.operator_runs = False
    cluster.memory.seconds += (at - certs.now()).total_seconds()
    cluster.look_elsewhere()
    cluster.look_away()
    cluster.memory.operator_runs = True
    asked = {"external_issuer": ASKED, "renew_before": timedelta(days=60)}
    refusals = approve(cluster, goal, **asked)
    waiting = cluster.run(goal, **asked).outcome.decision
    assert (waiting.violations, waiting.done, refusals()) == ((), False, [])
    signing.work()
    assert refusals() == []
    assert cluster.run(goal, **asked).outcome.decision.done

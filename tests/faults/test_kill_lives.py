# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flows on a cluster whose operator renews a year ahead, killed after every write: the operator puts no certificate of its own in between."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..flows.cases import DAY, roles_together
from ..tools.support.killing import Killed, KillingTransport
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.watched_cluster import CLUSTER, WatchedCluster
from .conftest import Points
from .stories import have_fast_keys

NODE = "demo-kafka-0"


def a_year_ahead(patch: pytest.MonkeyPatch) -> WatchedCluster:
    """With ``validityDays: 3650`` and ``renewalDays: 365``, a life of 365 days is in the operator's time from its first day on."""
    cluster = with_nodes(patch)
    *others, kafka = roles_together(generated=True)
    for ca in ("clusterCa", "clientsCa"):
        kafka["spec"][ca] = {"validityDays": 3650, "renewalDays": 365}
    cluster.deploy([*others, kafka])
    cluster.finish(Goal.UPGRADE)
    cluster.look_away()
    return cluster


def in_its_time(patch: pytest.MonkeyPatch) -> WatchedCluster:
    """The CA ends in 20 days, and its certificates later."""
    cluster = with_nodes(patch)
    cluster.create()
    cluster.memory.seconds += 345 * DAY
    cluster.change("kafkas", CLUSTER, {"spec": {"clientsCa": {"validityDays": 3650}}})
    cluster.checker.enabled = False
    cluster.memory.settle(4)
    cluster.checker.enabled = True
    cluster.look_away()
    return cluster


def with_nodes(patch: pytest.MonkeyPatch) -> WatchedCluster:
    cluster = WatchedCluster()
    have_fast_keys(cluster, patch)
    cluster.nodes = ReloadingNodes(cluster.memory)
    cluster.nodes.replace_requests(patch)
    return cluster


def killed_after(number: int, cluster: WatchedCluster, goal: Goal, **intent: Any) -> bool:
    """Whether the run came as far as that write; it is run again then, and comes to its end."""
    cluster.permitted = KillingTransport(cluster.memory.api, number, after=True)
    try:
        cluster.run(goal, **intent)
    except Killed:
        cluster.permitted = cluster.memory.api
        cluster.memory.settle(2)
        assert cluster.run(goal, **intent).outcome.decision.done
        return True
    return False


@pytest.mark.parametrize("goal", [Goal.REPLACE_KEY, Goal.RENEW])
def test_the_operator_keeps_what_is_issued(goal: Goal, points: Points, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in points.endless():
        cluster = a_year_ahead(monkeypatch)
        before = cluster.current
        going_on = killed_after(number, cluster, goal)
        cluster.memory.settle(3)
        assert NODE not in cluster.issued_by_operator, number
        assert cluster.rolls == {cluster.cost(goal).restarts}, number
        assert (cluster.current != before, cluster.ready) == (True, True), number
        if not going_on:
            break
    assert number > 5


def test_a_ca_that_the_operator_renews_at_once_is_handed_back(monkeypatch: pytest.MonkeyPatch) -> None:
    number, going_on = 0, True
    while going_on:
        number, cluster = number + 1, in_its_time(monkeypatch)
        before = cluster.current
        going_on = killed_after(number, cluster, Goal.DOWNGRADE, operator_may_renew=True)
        cluster.memory.settle(4)
        assert (cluster.current != before, cluster.rolls, cluster.ledger) == (True, {1}, {}), number
    assert number > 1

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flows on a cluster whose operator renews a year ahead, killed after every write: the operator puts no certificate of its own in between."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..flows.cases import DAY, roles_together
from ..tools.support.flows import FlowResult
from ..tools.support.watched_cluster import CLUSTER, WatchedCluster
from .conftest import Points
from .courses import kill
from .stories import with_nodes

NODE = "demo-kafka-0"


def a_year_ahead(patch: pytest.MonkeyPatch) -> WatchedCluster:
    """With ``validityDays: 3650`` and ``renewalDays: 365``, a life of 365 days is in the operator's time from its first day on."""
    cluster = WatchedCluster()
    with_nodes(cluster, patch)
    *others, kafka = roles_together(generated=True)
    for ca in ("clusterCa", "clientsCa"):
        kafka["spec"][ca] = {"validityDays": 3650, "renewalDays": 365}
    cluster.deploy([*others, kafka])
    cluster.finish(Goal.UPGRADE)
    cluster.look_away()
    return cluster


def in_its_time(patch: pytest.MonkeyPatch) -> WatchedCluster:
    """The CA ends in 20 days, and its certificates later."""
    cluster = WatchedCluster()
    with_nodes(cluster, patch)
    cluster.create()
    cluster.memory.seconds += 345 * DAY
    cluster.change("kafkas", CLUSTER, {"spec": {"clientsCa": {"validityDays": 3650}}})
    cluster.checker.enabled = False
    cluster.memory.settle(4)
    cluster.checker.enabled = True
    cluster.look_away()
    return cluster


@pytest.mark.parametrize("goal", [Goal.REPLACE_KEY, Goal.RENEW])
def test_the_operator_keeps_what_is_issued(goal: Goal, points: Points, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = a_year_ahead(monkeypatch)
    before = cluster.current

    def go_on() -> None:
        assert cluster.run(goal).outcome.decision.done
        cluster.memory.settle(3)
        assert NODE not in cluster.issued_by_operator
        assert cluster.rolls == {cluster.cost(goal).restarts}
        assert (cluster.current != before, cluster.ready) == (True, True)

    kill(cluster, points.all(), lambda: cluster.run(goal), go_on)
    go_on()


def test_a_ca_that_the_operator_renews_at_once_is_handed_back(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = in_its_time(monkeypatch)
    before = cluster.current

    def hand_back() -> FlowResult:
        return cluster.run(Goal.DOWNGRADE, operator_may_renew=True)

    def go_on() -> None:
        assert hand_back().outcome.decision.done
        assert_handed_back()

    def assert_handed_back() -> None:
        cluster.memory.settle(4)
        assert (cluster.current != before, cluster.rolls, cluster.ledger) == (True, {1}, {})

    kill(cluster, range(1, 100), hand_back, go_on)
    assert_handed_back()

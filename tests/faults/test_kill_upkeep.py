# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A CA that is replaced because it comes to its end, killed after every write, also between the renewal that clients need and the replacement: the
renewed CA ends in a year, and the replacement follows all the same."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..flows.test_upkeep import AS_SPECIFIED, IN_TIME, adopted, days_left
from ..tools.support.flows import FlowResult
from ..tools.support.watched_cluster import WatchedCluster
from .conftest import Points
from .courses import kill
from .stories import with_nodes


def test_the_next_call_goes_on(points: Points, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = WatchedCluster()
    with_nodes(cluster, monkeypatch)
    adopted(cluster, "replace-key")
    days_left(cluster, IN_TIME)
    before = cluster.current

    def keep_up() -> FlowResult:
        return cluster.run(Goal.RECONCILE, upkeep=AS_SPECIFIED)

    def go_on() -> None:
        keep_up()
        assert cluster.rolls == {0}
        for node in cluster.counts():
            cluster.restart(node)
        cluster.finish(Goal.RECONCILE, upkeep=AS_SPECIFIED)
        assert cluster.trusted == {cluster.current}
        assert before not in cluster.trusted
        assert "v1" in cluster.issuers().pop()

    assert len(kill(cluster, points.all(), keep_up, go_on)) > 40 // points.step
    go_on()

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A CA that is replaced because it comes to its end, killed after every write, also between the renewal that clients need and the replacement: the
renewed CA ends in a year, and the replacement follows all the same."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..flows.test_upkeep import AS_SPECIFIED, IN_TIME, adopted, days_left
from ..tools.support.killing import Killed, KillingTransport
from .conftest import Points
from .test_kill_lives import with_nodes


def test_the_next_call_goes_on(points: Points, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in points.endless():
        cluster = with_nodes(monkeypatch)
        adopted(cluster, "replace-key")
        days_left(cluster, IN_TIME)
        before, going_on = cluster.current, False
        cluster.permitted = KillingTransport(cluster.memory.api, number, after=True)
        try:
            cluster.run(Goal.RECONCILE, upkeep=AS_SPECIFIED)
        except Killed:
            going_on = True
        cluster.permitted = cluster.memory.api
        cluster.run(Goal.RECONCILE, upkeep=AS_SPECIFIED)
        assert cluster.rolls == {0}, number
        for node in cluster.counts():
            cluster.restart(node)
        cluster.finish(Goal.RECONCILE, upkeep=AS_SPECIFIED)
        assert cluster.trusted == {cluster.current}, number
        assert before not in cluster.trusted, number
        assert "v1" in cluster.issuers().pop(), number
        if not going_on:
            break
    assert number > 40

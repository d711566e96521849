# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A workflow of a controller waits for approvals: a week passes between two phases, in which the operator works on. Each phase goes on under the hash of the
plan that was approved first, and the flow costs what it costs in one run.
"""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect, plan
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.approval import check_approval, plan_hash
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.plan import Forecast

from ..tools.support.watched_cluster import WatchedCluster, assert_only
from .cases import DAY, Case, Flow

CASES = [Case(Goal.REPLACE_KEY), Case(Goal.REPLACE_KEY, "unlinked"), Case(Goal.RENEW)]


def planned(flow: Flow) -> tuple[Snapshot, Forecast]:
    work, asked = flow.cluster.work(flow.supplied), flow.asked()
    seen = inspect(work, asked)
    return seen.observation.snapshot, plan(work, seen, asked)


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.usefixtures("nodes")
def test_each_phase_goes_on_under_the_first_approval(cluster: WatchedCluster, case: Case) -> None:
    flow = case.begin(cluster)
    old, goal = cluster.current, case.goal
    approved = plan_hash(goal, *planned(flow))
    for phase in Phase:
        snapshot, forecast = planned(flow)
        assert check_approval(approved, goal, snapshot, forecast) == ()
        decision = flow.run(last_phase=phase).outcome.decision
        assert decision.done, [str(violation) for violation in decision.violations]
        cluster.memory.seconds += 7 * DAY
        cluster.memory.settle(2)
    assert cluster.paid == flow.cost
    assert_only(cluster, cluster.current, twins={old} if goal is Goal.RENEW else set())

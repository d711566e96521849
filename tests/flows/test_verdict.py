# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""No flow is done while the operator says that it cannot use what is stored, whatever flow it is and whenever it says so; once it can, the flow
goes on from where it is.
"""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..tools.operator.authority import EMPTY_CERTIFICATE, ReconcileFailed
from ..tools.support.watched_cluster import WatchedCluster
from .cases import CASES, Case, mostly_long


@pytest.mark.usefixtures("nodes")
@pytest.mark.parametrize("first", [False, True], ids=["as long as it is against it", "from its first write on"])
@pytest.mark.parametrize("case", mostly_long(CASES))
@pytest.mark.each_once
def test_no_flow_is_done_while_the_operator_is_against_it(cluster: WatchedCluster, case: Case, first: bool) -> None:
    flow = case.begin(cluster)
    operator, writes = cluster.memory.operator, len(cluster.memory.api.writes)

    def refuse() -> None:
        if not first or len(cluster.memory.api.writes) > writes:
            raise ReconcileFailed("RuntimeException", EMPTY_CERTIFICATE)

    operator.having_reconciled = refuse
    if not first:
        cluster.memory.settle(1)
    decision = flow.run().outcome.decision
    assert not decision.done
    assert Condition.VERDICT in {one.condition for one in decision.violations}
    operator.having_reconciled = lambda: None
    # Its next periodic reconcile.
    cluster.memory.seconds += 180
    cluster.memory.settle(1)
    flow.finish()
    if case.goal is not Goal.DOWNGRADE:
        cluster.finish(Goal.RECONCILE)
    assert cluster.ready

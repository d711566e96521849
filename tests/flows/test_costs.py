# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The costs of each flow: restarts of nodes and components, pauses of the operator (docs/flows.md, "Flows")."""

from __future__ import annotations

from collections import Counter

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..tools.support.watched_cluster import WatchedCluster
from .cases import CASES, ENDED, Case, Layout, mostly_long, roles_apart, roles_together
from .test_abort import component_starts

EXPORTER = "demo-kafka-exporter"


def of_components(case: Case) -> Counter[str]:
    """The restarts of each, however nodes take things up."""
    if case.goal is not Goal.REPLACE_KEY:
        return Counter(dict.fromkeys(_COMPONENTS, 1) if case.goal is Goal.RENEW else {})
    times = 3 if case.circumstance in ("renewed first", "unlinked", "ended") else 2
    # In a hurry nothing is renewed first, and the one Go program makes the new CA known to itself by a restart.
    return Counter(dict.fromkeys(_COMPONENTS, times)) + Counter({EXPORTER: 1} if case.is_hasty else {})


_COMPONENTS = ("demo-entity-operator", "demo-cruise-control", EXPORTER)


@pytest.mark.usefixtures("uptake")
@pytest.mark.parametrize("layout", [roles_together, roles_apart])
@pytest.mark.parametrize("case", mostly_long([*CASES, *ENDED, Case(Goal.DOWNGRADE, "after a renewal")]))
@pytest.mark.each_once
def test_the_cost_of_a_whole_flow(cluster: WatchedCluster, case: Case, layout: Layout) -> None:
    flow = case.begin(cluster, layout)
    before = component_starts(cluster)
    flow.finish()
    assert cluster.paid == flow.cost
    assert component_starts(cluster) - before == of_components(case)
    cluster.memory.settle(3)
    assert cluster.paid == flow.cost, "the operator found something to restart"
    assert component_starts(cluster) - before == of_components(case)
    assert cluster.issued_by_operator == []

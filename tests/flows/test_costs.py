# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The costs of each flow: restarts of nodes, pauses of the operator (docs/design.md, "Flows")."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..support.watched_cluster import WatchedCluster
from .cases import CASES, Case, Layout, roles_apart, roles_together


@pytest.mark.usefixtures("uptake")
@pytest.mark.parametrize("layout", [roles_together, roles_apart])
@pytest.mark.parametrize("case", [*CASES, Case(Goal.DOWNGRADE, "after a renewal")], ids=str)
def test_of_a_whole_flow(cluster: WatchedCluster, case: Case, layout: Layout) -> None:
    flow = case.begin(cluster, layout)
    flow.finish()
    assert cluster.paid == flow.cost
    cluster.memory.settle(3)
    assert cluster.paid == flow.cost, "the operator found something to restart"
    assert cluster.issued_by_operator == []

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan of a flow that goes on after a failed run goes to the end of the flow, also while a node starts that the failed run did not see again."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import KubeError, StepError
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import RollReason

from ..tools.support.reloads import ReloadingNodes
from ..tools.support.watched_cluster import WatchedCluster
from .cases import Case, Flow
from .test_forecasts_come_true import forecast_of, planned_steps
from .test_recovering import NODES


def fail_at_a_node(cluster: WatchedCluster, case: Case) -> Flow:
    """A node restarts and does not become ready, and the operator says so."""
    flow = case.begin(cluster)
    cluster.memory.kubelet.broken = {NODES[0]}
    with pytest.raises((StepError, KubeError)):
        flow.run()
    assert not cluster.ready
    return flow


@pytest.mark.parametrize("case", [Case(Goal.REPLACE_KEY), Case(Goal.RENEW)], ids=str)
def test_the_failure_of_the_operator_ends_with_the_restarts_that_the_plan_has(
    cluster: WatchedCluster, case: Case
) -> None:
    planned = forecast_of(fail_at_a_node(cluster, case))
    assert {step.reason for step in planned.steps if step.reason} >= {RollReason.USE}
    assert (planned.violations, planned.steps[-1].phase) == ((), Phase.RETIRE)


def test_the_plan_while_a_node_does_not_answer_is_the_plan_when_it_does(
    cluster: WatchedCluster, nodes: ReloadingNodes
) -> None:
    flow = fail_at_a_node(cluster, Case(Goal.REPLACE_KEY))
    nodes.answers.silent = {NODES[0]}
    planned = forecast_of(flow)
    nodes.answers.silent = set()
    assert [step.kind for step in planned.steps].count("AwaitAnswers") == 1
    assert planned.violations == ()
    assert planned_steps(planned)[1:] == planned_steps(forecast_of(flow))

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A flow takes as long as its plan has estimated, by the clock of the cluster in memory: on a prompt API server and on a slow one."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect, plan
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.duration import START_OF_MODULE
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..tools.support.flows import run_flow
from ..tools.support.slow_api import SlowApi
from ..tools.support.watched_cluster import WatchedCluster
from .cases import CASES, ENDED, Case, mostly_long

SECOND = timedelta(seconds=1)


@pytest.mark.usefixtures("uptake")
@pytest.mark.parametrize("case", mostly_long([*CASES, *ENDED, Case(Goal.DOWNGRADE, "after a renewal")]))
@pytest.mark.parametrize("answer", [0.1, 3.0])
@pytest.mark.each_once
def test_a_flow_takes_as_long_as_estimated(cluster: WatchedCluster, case: Case, answer: float) -> None:
    """The estimate has the time of looks and answers; and of restarts, for which each pod shows a start of half a second."""
    flow, memory = case.begin(cluster), cluster.memory
    memory.answer_takes = answer
    cluster.permitted = SlowApi(cluster.permitted, memory)
    work, asked = cluster.work(flow.supplied), flow.asked()
    outcome = inspect(work, asked)
    seen = outcome.observation.snapshot
    started = seen.with_nodes(pods=tuple(replace(pod, started_in=SECOND / 2) for pod in seen.nodes.pods))
    outcome.observation = replace(outcome.observation, snapshot=started)
    planned = plan(work, outcome, asked)
    estimate = planned.span
    begun = memory.seconds
    assert run_flow(work, asked).outcome.decision.done
    assert estimate is not None
    assert estimate.most is not None
    # Here no task has to start a module.
    starts = len({step.phase for step in planned.steps}) * START_OF_MODULE.least
    elapsed = (memory.seconds - begun) * SECOND + starts
    assert estimate.least <= elapsed <= estimate.most

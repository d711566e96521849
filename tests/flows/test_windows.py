# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Outside the maintenance windows of the Kafka resource a flow goes as far as no pod restarts, and in the next one it comes to its end."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect, plan
from ansible_collections.trustops.strimzi.plugins.module_utils._trust import plan as forecasts
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase

from ..tools.support.flows import START
from ..tools.support.killing import Killed, KillingTransport
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.watched_cluster import CLUSTER, WatchedCluster
from .cases import CASES, PATIENT_REPLACEMENTS, Case, Flow, mostly_long


def now(cluster: WatchedCluster) -> datetime:
    return START + timedelta(seconds=cluster.memory.seconds)


def closed(cluster: WatchedCluster) -> datetime:
    """The windows of this cluster open three hours from now, for an hour. Returns when."""
    opens = (now(cluster) + timedelta(hours=3)).replace(minute=0, second=0, microsecond=0)
    cluster.change("kafkas", CLUSTER, {"spec": {"maintenanceTimeWindows": [f"* * {opens.hour} ? * *"]}})
    cluster.memory.settle(1)
    cluster.look_away()
    return opens


def processes(cluster: WatchedCluster) -> set[str]:
    """UIDs of all that run."""
    return set(cluster.memory.kubelet.processes)


def begun(cluster: WatchedCluster, case: Case) -> tuple[Flow, datetime]:
    """At the point where the flow begins, outside a window that opens then."""
    flow = case.begin(cluster)
    return flow, closed(cluster)


@pytest.mark.parametrize("case", mostly_long([*CASES, *PATIENT_REPLACEMENTS[:1]]))
def test_nothing_restarts_before_it_opens(cluster: WatchedCluster, nodes: ReloadingNodes, case: Case) -> None:
    flow, opens = begun(cluster, case)
    before = processes(cluster)
    held = flow.run().outcome.decision
    cluster.memory.settle(3)
    assert processes(cluster) == before
    assert held.violations == ()
    assert not cluster.paused
    again = flow.run()
    assert (again.changes, again.outcome.decision.waiting) == ([], held.waiting)
    if held.pending:
        assert any(f"{opens:%Y-%m-%d at %H:%M}" in one for one in held.waiting)
        assert not held.done
        cluster.memory.seconds += (opens - now(cluster)).total_seconds() + 60
        flow.run()
        assert processes(cluster) != before
    assert cluster.paid == flow.cost


def test_a_replacement_waits_before_its_first_use(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    """The next CA is published and trusted by then, and clients have had their time."""
    flow, _opens = begun(cluster, Case(Goal.REPLACE_KEY))
    flow.run()
    assert cluster.prepared
    assert len(cluster.states) == 2


def test_requests_go_on_outside_of_windows(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    flow, _opens = begun(cluster, Case(Goal.REPLACE_KEY))
    flow.finish(ignores_windows=True)
    assert cluster.paid == flow.cost


def test_the_plan_says_when_the_next_one_opens(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    flow, opens = begun(cluster, Case(Goal.REPLACE_KEY))
    work, intent = cluster.work(), flow.asked()
    planned = plan(work, inspect(work, intent), intent)
    assert any(f"opens on {opens:%Y-%m-%d at %H:%M}" in one for one in planned.choices)
    assert planned.steps[-1].phase is Phase.RETIRE


def test_a_pause_that_a_killed_call_has_left_comes_to_its_end(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    """Its work is half-way, and the operator would restart every node."""
    flow = Case(Goal.RENEW).begin(cluster)
    number = 0
    while not cluster.paused:
        number += 1
        cluster.permitted = KillingTransport(cluster.memory.api, number, after=True)
        with pytest.raises(Killed):
            flow.run()
        cluster.permitted = cluster.memory.api
    closed(cluster)
    flow.run()
    assert not cluster.paused
    assert cluster.rolls == {0}


def test_without_it_nodes_restart_at_any_time(
    cluster: WatchedCluster, nodes: ReloadingNodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The negative control."""
    flow, _opens = begun(cluster, Case(Goal.REPLACE_KEY))
    before = processes(cluster)
    monkeypatch.setattr(forecasts, "waits_for_window", lambda *_anything: False)
    flow.run()
    assert processes(cluster) != before

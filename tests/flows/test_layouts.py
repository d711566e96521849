# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every flow with the ledger in other Secrets, and the ledger put into others in the middle of a flow."""

from __future__ import annotations

from itertools import permutations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Layout

from ..tools.support.ledgers import KEYED, SINGLE, STATES
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.restarts import Cost
from ..tools.support.watched_cluster import WatchedCluster
from .cases import CASES, PATIENT_REPLACEMENTS, Case, mostly_long

SECRETS = {Layout.SINGLE: {SINGLE}, Layout.SPLIT: {SINGLE, STATES}, Layout.KEYED: {KEYED}}


def convert(cluster: WatchedCluster, layout: Layout) -> None:
    """Nothing but the ledger changes."""
    states, entries = cluster.states, cluster.ledger
    cluster.look_away()
    assert cluster.run(Goal.RECONCILE, last_phase=Phase.PREPARE, layout=layout).outcome.decision.done
    assert (cluster.ledgers, cluster.states, cluster.ledger) == (SECRETS[layout], states, entries)
    assert (cluster.rolls, cluster.pauses) == ({0}, 0)


@pytest.mark.parametrize("layout", [Layout.SPLIT, Layout.KEYED])
@pytest.mark.parametrize("case", mostly_long([*CASES, *PATIENT_REPLACEMENTS]))
@pytest.mark.each_once
def test_a_flow_costs_the_same_in_every_layout(
    cluster: WatchedCluster, nodes: ReloadingNodes, case: Case, layout: Layout
) -> None:
    flow = case.begin(cluster)
    if case.goal is not Goal.UPGRADE:
        convert(cluster, layout)
        cluster.look_away()
    flow.finish()
    assert cluster.paid == flow.cost
    kept = {Goal.DOWNGRADE: set(), Goal.UPGRADE: SECRETS[Layout.SINGLE]}
    assert cluster.ledgers == kept.get(case.goal, SECRETS[layout])


@pytest.mark.parametrize("phase", [Phase.PREPARE, Phase.TRUST, Phase.USE])
@pytest.mark.parametrize(("before", "after"), [(one.value, two.value) for one, two in permutations(Layout, 2)])
@pytest.mark.each_once
def test_a_flow_in_flight_goes_on_in_another_layout(
    cluster: WatchedCluster, nodes: ReloadingNodes, phase: Phase, before: str, after: str
) -> None:
    cluster.create()
    convert(cluster, Layout(before))
    cluster.run(Goal.REPLACE_KEY, last_phase=phase)
    cost = cluster.paid
    convert(cluster, Layout(after))
    cluster.finish(Goal.REPLACE_KEY)
    assert cost + cluster.paid == cluster.cost(Goal.REPLACE_KEY)
    assert cluster.ledgers == SECRETS[Layout(after)]


def test_converting_what_is_converted_writes_nothing(cluster: WatchedCluster) -> None:
    cluster.create()
    for layout in Layout:
        convert(cluster, layout)
        convert(cluster, layout)
        assert cluster.writes == 0
        assert cluster.paid == Cost(0)

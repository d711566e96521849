# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Something stands in the way of a reload: nodes restart instead, or the run stops and says why (docs/operator.md,
"Reload").
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine import looking
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import ReloadImpossible, RollStuck
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply import stamping
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Spread

from ..tools.support.golden import GoldenFiles
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.restarts import Cost, cost_of
from ..tools.support.watched_cluster import IN_USE, WatchedCluster


def cannot_be_asked(nodes: ReloadingNodes) -> None:
    nodes.reachable = False


def without_configuration(nodes: ReloadingNodes) -> None:
    nodes.configured = False


def refusing(nodes: ReloadingNodes) -> None:
    def refuse(pod: str) -> None:
        raise ReloadImpossible(f"Kafka node {pod}", "does not read its certificates again: no", "Restart it.")

    nodes.before = refuse


#: The cost of a replacement whose nodes are restarted instead.
INSTEAD = cost_of(Goal.REPLACE_KEY, reload=False)
CANNOT_BE_ASKED = "the call cannot ask the running nodes which CAs they trust."
#: Obstacles to a reload, and the words about each.
OBSTACLES = [
    (cannot_be_asked, CANNOT_BE_ASKED),
    (without_configuration, "They are restarted instead."),
    (refusing, "They are restarted instead."),
]


@pytest.mark.parametrize(("obstacle", "said"), OBSTACLES)
def test_restarted_where_nodes_cannot_read_again(
    cluster: WatchedCluster, nodes: ReloadingNodes, obstacle: Callable[[ReloadingNodes], None], said: str
) -> None:
    obstacle(nodes)
    cluster.create()
    old = cluster.current
    result = cluster.finish(Goal.REPLACE_KEY)
    assert cluster.paid == INSTEAD
    assert (cluster.remembered("removed"), old in cluster.trusted) == ({}, False)
    assert [warning.endswith(said) for warning in result.warnings] == [True]


def test_pods_that_cannot_be_stamped_are_restarted(
    cluster: WatchedCluster, nodes: ReloadingNodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The collection cannot compute the operator's revision of such a pod: the operator would restart it anyway."""
    cluster.create()
    monkeypatch.setattr(
        stamping, "find_not_reproduced", lambda pod_set: [pod_set["spec"]["pods"][0]["metadata"]["name"]]
    )
    told = "the Cluster Operator would restart demo-kafka-0 despite new annotations."
    (violation,) = cluster.run(Goal.REPLACE_KEY, spread=Spread.RELOAD).outcome.decision.violations
    assert violation.message.endswith(told)
    assert cluster.paid == Cost(1)
    (warning,) = cluster.finish(Goal.REPLACE_KEY).warnings
    assert warning.endswith(told)
    assert cluster.paid.restarts == INSTEAD.restarts
    assert cluster.states == {cluster.current: IN_USE}


@pytest.mark.parametrize("spread", [Spread.AUTO, Spread.RELOAD])
def test_pods_that_turn_out_not_to_be_stampable(
    cluster: WatchedCluster, nodes: ReloadingNodes, spread: Spread, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The flow sees it only when it takes the step, because something changed after the look."""
    cluster.create()
    obstacle = "waits for a restart"
    found = iter([{"demo-kafka-0": obstacle}])
    monkeypatch.setattr(looking, "obstacles", lambda *arguments, **options: {})
    monkeypatch.setattr(stamping, "obstacles", lambda *arguments, **options: next(found, {}))
    if spread is Spread.RELOAD:
        with pytest.raises(ReloadImpossible, match=f"demo-kafka-0 {obstacle}"):
            cluster.run(Goal.REPLACE_KEY, spread=spread)
        # The operator, let on without the stamps, would restart every node once more to trust the new key.
        assert cluster.paused
        assert cluster.pause_left
    else:
        # It could be told a moment later; the run stays with what it has said.
        assert len(cluster.run(Goal.REPLACE_KEY, spread=spread).warnings) == 1
    cluster.finish(Goal.REPLACE_KEY)
    assert not cluster.paused
    assert (
        cluster.paid.restarts
        == (cost_of(Goal.REPLACE_KEY, reload=True) if spread is Spread.RELOAD else INSTEAD).restarts
    )
    assert cluster.states == {cluster.current: IN_USE}


@pytest.mark.parametrize("obstacle", [without_configuration, refusing])
def test_with_spread_reload_the_flow_ends_with_the_reason(
    cluster: WatchedCluster, nodes: ReloadingNodes, obstacle: Callable[[ReloadingNodes], None]
) -> None:
    obstacle(nodes)
    cluster.create()
    with pytest.raises(ReloadImpossible, match="demo-kafka-0"):
        cluster.run(Goal.REPLACE_KEY, spread=Spread.RELOAD)
    assert not cluster.paused
    cluster.finish(Goal.REPLACE_KEY)
    assert cluster.paid.restarts == INSTEAD.restarts
    assert cluster.states == {cluster.current: IN_USE}


def test_with_spread_reload_nodes_that_cannot_be_asked_hold_the_flow(
    cluster: WatchedCluster, nodes: ReloadingNodes
) -> None:
    cannot_be_asked(nodes)
    cluster.create()
    cluster.run(Goal.REPLACE_KEY, spread=Spread.RELOAD)
    cluster.look_away()
    held = cluster.run(Goal.REPLACE_KEY, spread=Spread.RELOAD).outcome.decision
    assert [violation.condition for violation in held.violations] == [Condition.IN_PLACE]
    assert CANNOT_BE_ASKED in held.violations[0].message
    assert "spread=auto" in held.violations[0].remedy
    assert (cluster.rolls, cluster.paused) == ({0}, False)


def test_the_second_node_refuses_when_the_first_has_done_it(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    cluster.create()

    def refuse(pod: str) -> None:
        if nodes.told:
            raise ReloadImpossible(f"Kafka node {pod}", "does not read its certificates again: no", "Restart it.")

    nodes.before = refuse
    result = cluster.finish(Goal.REPLACE_KEY)
    assert (cluster.rolls, nodes.told, len(result.warnings)) == ({INSTEAD.restarts}, ["demo-kafka-0"], 1)
    assert cluster.remembered("removed") == {}


def test_a_node_that_goes_on_as_before_ends_the_run(
    cluster: WatchedCluster, nodes: ReloadingNodes, golden: GoldenFiles
) -> None:
    """The node said yes, and its listeners say something else: people have to look at it."""
    cluster.create()
    nodes.deaf = {"demo-kafka-1"}
    with pytest.raises(RollStuck) as stuck:
        cluster.run(Goal.REPLACE_KEY)
    golden.compare_said("flows", stuck.value)
    nodes.deaf = set()
    cluster.finish(Goal.REPLACE_KEY)
    assert cluster.rolls == {cluster.cost(Goal.REPLACE_KEY).restarts}

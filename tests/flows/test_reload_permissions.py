# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run that may not do all that a reload takes: nodes restart instead, or the run stops and names the missing rule."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import Forbidden, StampsRefused
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Spread

from ..tools.support.authorities import Authority
from ..tools.support.golden import GoldenFiles
from ..tools.support.memory_api import Response
from ..tools.support.permissions import forbidden
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.restarts import Cost, cost_of
from ..tools.support.watched_cluster import IN_USE, KEYS, WatchedCluster
from .cases import LATER, Case
from .test_leaf_renewal import leaves, renew

#: The permissions that may be missing, as the sentence names them.
NEEDED = ["patch strimzipodsets", "patch pods", "get configmaps"]
#: How the API server fails to say what is permitted.
UNKNOWN = [
    forbidden("selfsubjectaccessreviews.authorization.k8s.io"),
    Response(404, {"kind": "Status", "code": 404, "reason": "NotFound", "message": "could not find the resource"}),
    Response(405, {"kind": "Status", "code": 405, "reason": "MethodNotAllowed", "message": "not allowed"}),
    Response(201, {}),
]


def restarted_instead(cluster: WatchedCluster) -> str:
    """Finishes the replacement, with restarts, and returns the warning about them."""
    old = cluster.current
    result = cluster.finish(Goal.REPLACE_KEY)
    assert cluster.paid == cost_of(Goal.REPLACE_KEY, reload=False)
    assert cluster.states == {cluster.current: IN_USE}
    assert (cluster.remembered("removed"), old in cluster.trusted) == ({}, False)
    assert len(result.warnings) == 1, "it is said once in a run"
    return result.warnings[0]


@pytest.mark.parametrize("denied", NEEDED)
def test_nodes_are_restarted_instead(cluster: WatchedCluster, nodes: ReloadingNodes, denied: str) -> None:
    cluster.create()
    cluster.permitted.denied = frozenset({denied})
    said = restarted_instead(cluster)
    assert denied in said
    assert cluster.permitted.reviewed.count(denied) <= 10


def test_no_run_goes_without_the_owners_of_pods(cluster: WatchedCluster) -> None:
    """Labels do not say which pods are of the cluster, so nothing restarts where StrimziPodSets cannot be listed."""
    cluster.create()
    cluster.permitted.denied = frozenset({"list strimzipodsets"})
    with pytest.raises(Forbidden, match="StrimziPodSet"):
        cluster.run(Goal.REPLACE_KEY)
    assert (cluster.states, cluster.rolls) == ({cluster.current: IN_USE}, {0})


@pytest.mark.parametrize("review", UNKNOWN, ids=lambda review: str(review.status))
def test_nodes_restart_where_the_api_server_does_not_say_what_is_permitted(
    cluster: WatchedCluster, nodes: ReloadingNodes, review: Response, golden: GoldenFiles
) -> None:
    cluster.create()
    cluster.permitted.review = review
    golden.compare_said("flows", restarted_instead(cluster), str(review.status))


def test_the_roll_that_forgets_is_said_as_well(
    cluster: WatchedCluster, nodes: ReloadingNodes, golden: GoldenFiles
) -> None:
    """Without a link certificate the roll that forgets is the third."""
    flow = Case(Goal.REPLACE_KEY, "unlinked").begin(cluster)
    cluster.permitted.denied = frozenset({"get configmaps"})
    (warning,) = flow.finish().warnings
    golden.compare_said("flows", warning)
    assert cluster.paid == cost_of(Goal.REPLACE_KEY, "unlinked", reload=False)


@pytest.mark.parametrize("denied", NEEDED)
@pytest.mark.parametrize("circumstance", ["", "unlinked"])
@pytest.mark.each_once
def test_with_spread_reload_the_flow_is_held_before_the_first_restart(
    cluster: WatchedCluster, nodes: ReloadingNodes, circumstance: str, denied: str
) -> None:
    """The restart that a new key takes anyway comes when the reload that ends the replacement is possible."""
    flow = Case(Goal.REPLACE_KEY, circumstance).begin(cluster)
    old = cluster.current
    cluster.permitted.denied = frozenset({denied})
    (violation,) = flow.run(spread=Spread.RELOAD).outcome.decision.violations
    assert violation.condition is Condition.IN_PLACE
    assert denied in violation.message
    assert "spread=auto" in violation.remedy
    assert (cluster.paid, cluster.paused, cluster.current) == (Cost(0), False, old)
    cluster.permitted.denied = frozenset()
    flow.finish(spread=Spread.RELOAD)
    assert cluster.paid == flow.cost


@pytest.mark.parametrize("denied", NEEDED)
def test_with_retire_when_restarted_the_flow_is_held_before_any_leaf_is_issued(
    cluster: WatchedCluster, nodes: ReloadingNodes, denied: str
) -> None:
    flow = Case(Goal.REPLACE_KEY, "when_restarted").begin(cluster)
    before = leaves(cluster)
    cluster.permitted.denied = frozenset({denied})
    (violation,) = flow.run().outcome.decision.violations
    assert violation.condition is Condition.IN_PLACE
    assert ("retire=when_restarted" in violation.message, denied in violation.message) == (True, True)
    assert (leaves(cluster), cluster.paid) == (before, Cost(0))
    cluster.permitted.denied = frozenset()
    flow.finish()
    assert cluster.paid == flow.cost


@pytest.mark.parametrize("denied", NEEDED)
def test_leaves_are_renewed_with_restarts_instead(
    cluster: WatchedCluster, nodes: ReloadingNodes, lasting: Authority, denied: str
) -> None:
    cluster.create(lasting)
    before = leaves(cluster)
    cluster.memory.seconds += LATER
    cluster.permitted.denied = frozenset({denied})
    refused = cluster.run(Goal.RENEW_LEAVES, spread=Spread.RELOAD, renew_before=timedelta(days=400)).outcome
    assert [violation.condition for violation in refused.decision.violations] == [Condition.IN_PLACE]
    assert (leaves(cluster), cluster.writes, cluster.rolls) == (before, 0, {0})
    result = renew(cluster)
    assert all(leaves(cluster)[pod] != pem for pod, pem in before.items())
    assert (cluster.rolls, nodes.told, cluster.remembered("leaf")) == (
        {cost_of(Goal.RENEW_LEAVES, reload=False).restarts},
        [],
        {},
    )
    assert len(result.warnings) == 1
    said = (
        f"Nodes are restarted with their renewed certificates: the identity of this run may not {denied} in namespace"
    )
    assert result.warnings[0].startswith(said)


@pytest.mark.parametrize("spread", [Spread.AUTO, Spread.RELOAD])
def test_a_permission_that_goes_while_leaves_are_renewed(
    cluster: WatchedCluster, nodes: ReloadingNodes, lasting: Authority, spread: Spread
) -> None:
    """The operator was told that nodes read their leaves again, and then they cannot be told."""
    cluster.create(lasting)
    before = leaves(cluster)
    cluster.memory.seconds += LATER
    nodes.before = interrupt
    with pytest.raises(KeyboardInterrupt):
        renew(cluster)
    assert all(leaves(cluster)[pod] != pem for pod, pem in before.items())
    cluster.permitted.denied = frozenset({"get configmaps"})
    result = cluster.run(Goal.RENEW_LEAVES, spread=spread, renew_before=timedelta(days=300))
    said = "Nodes are restarted with their renewed certificates: the identity of this run may not get configmaps"
    if spread is Spread.AUTO:
        assert result.warnings[0].startswith(said)
        assert (cluster.rolls, nodes.told, cluster.remembered("leaf")) == ({1}, [], {})
    else:
        (violation,) = result.outcome.decision.violations
        assert violation.message.startswith(f"spread=reload forbids this. {said}")
        assert (cluster.rolls, nodes.told, cluster.paused) == ({0}, [], False)


def interrupt(pod: str) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("denied", NEEDED)
def test_nothing_is_lacking_where_restarts_are_asked_for(
    cluster: WatchedCluster, nodes: ReloadingNodes, denied: str
) -> None:
    cluster.create()
    cluster.permitted.denied = frozenset({denied})
    assert cluster.finish(Goal.REPLACE_KEY, spread=Spread.RESTART).warnings == []
    assert cluster.paid == cost_of(Goal.REPLACE_KEY, reload=False)


def test_a_key_generation_that_the_run_may_not_stamp_on_pods_waits_for_the_hand_back(cluster: WatchedCluster) -> None:
    """The operator restarts every node for trust and for use then, as it does for a new key of its own."""
    cluster.create()
    cluster.permitted.denied = frozenset({"patch strimzipodsets"})
    cluster.finish(Goal.REPLACE_KEY)
    assert cluster.annotation("secrets", KEYS, "ca-key-generation") == "0"
    cluster.look_away()
    cluster.finish(Goal.DOWNGRADE)
    cluster.memory.settle(3)
    assert cluster.ready
    assert cluster.annotation("secrets", KEYS, "ca-key-generation") == "1"
    assert cluster.paid == Cost(2, pauses=1)


@pytest.mark.parametrize("denied", ["patch strimzipodsets", "patch pods"])
@pytest.mark.parametrize("spread", Spread)
@pytest.mark.each_once
def test_nodes_are_restarted_where_what_should_be_permitted_is_refused(
    cluster: WatchedCluster, nodes: ReloadingNodes, spread: Spread, denied: str, golden: GoldenFiles
) -> None:
    """An admission policy refuses it in the middle of the switch, where the operator would restart every node once more for the new key. A caller
    who forbids restarts leaves it paused, and the next run ends that.
    """
    cluster.create()
    cluster.permitted.denied = frozenset({denied})
    cluster.permitted.review = Response(201, {"status": {"allowed": True}})
    if spread is Spread.RELOAD:
        with pytest.raises(StampsRefused, match="is forbidden") as refused:
            cluster.run(Goal.REPLACE_KEY, spread=spread)
        assert cluster.paused
        assert "strimzi.io/pause-reconciliation-" in cluster.pause_left
        golden.compare_said("flows", refused.value, f"{denied} in a reload")
        spread = Spread.AUTO
    warnings = cluster.finish(Goal.REPLACE_KEY, spread=spread).warnings
    if spread is Spread.AUTO:
        golden.compare_said("flows", "\n".join(warnings), denied)
    assert not cluster.paused
    # Nodes restart once more for the new key, where the StrimziPodSets do not have it either.
    least = cost_of(Goal.REPLACE_KEY, reload=False).restarts
    assert least <= cluster.paid.restarts <= least + 1
    assert len(cluster.states) == 1

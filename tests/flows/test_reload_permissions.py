# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may not do all that a reload takes: nodes are restarted instead, or somebody is told which rule is missing."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._kube.errors import Forbidden
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Bridge, Spread, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.tests.fakes.memory_api import Response
from ansible_collections.trustops.strimzi.tests.fakes.permissions import forbidden
from ansible_collections.trustops.strimzi.tests.fakes.reloads import ReloadingNodes

from .authorities import Authority
from .scene import IN_USE, Scene
from .test_leaf_renewal import DAY, held, leaves, renew
from .test_reload import EVERY_WAY, lingering

#: What may be missing, as the sentence names it.
NEEDED = ["list strimzipodsets", "patch strimzipodsets", "patch pods", "get configmaps"]
#: How the API server fails to say what is permitted.
UNKNOWN = [
    forbidden("selfsubjectaccessreviews.authorization.k8s.io"),
    Response(404, {"kind": "Status", "code": 404, "reason": "NotFound", "message": "could not find the resource"}),
    Response(405, {"kind": "Status", "code": 405, "reason": "MethodNotAllowed", "message": "not allowed"}),
    Response(201, {}),
]


def restarted_twice(scene: Scene, nodes: ReloadingNodes, way: Way) -> str:
    """Done in the end, and what was said of it."""
    old = scene.current
    result = scene.finish(Goal.REPLACE_KEY, way)
    assert (scene.rolls, nodes.told, lingering(scene)) == ({2}, [], {})
    assert scene.states == {scene.current: IN_USE}
    assert old not in scene.trusted
    assert result.outcome.spread is Spread.RESTART
    assert len(result.warnings) == 1, "it is said once in a run"
    return result.warnings[0]


@EVERY_WAY
@pytest.mark.parametrize("denied", NEEDED)
def test_nodes_are_restarted_instead(scene: Scene, nodes: ReloadingNodes, denied: str, way: Way) -> None:
    scene.create(way=way)
    scene.permitted.denied = frozenset({denied})
    said = restarted_twice(scene, nodes, way)
    assert f": the identity of this run may not {denied} in namespace kafka. Its Role lacks verbs: [" in said
    assert scene.permitted.reviewed.count(denied) < 10


@EVERY_WAY
@pytest.mark.parametrize("review", UNKNOWN, ids=lambda review: str(review.status))
def test_nodes_are_restarted_where_nobody_says_what_is_permitted(
    scene: Scene, nodes: ReloadingNodes, review: Response, way: Way
) -> None:
    scene.create(way=way)
    scene.permitted.review = review
    assert "the identity of this run may" in restarted_twice(scene, nodes, way)


def test_the_roll_that_forgets_is_said_as_well(scene: Scene, nodes: ReloadingNodes) -> None:
    """Without a bridge it is the third."""
    scene.create()
    scene.permitted.denied = frozenset({"get configmaps"})
    result = scene.finish(Goal.REPLACE_KEY, bridge=Bridge.NEVER)
    assert (scene.rolls, len(result.warnings)) == ({3}, 1)
    assert result.warnings[0].startswith("Nodes are restarted to forget CN=")


@EVERY_WAY
@pytest.mark.parametrize("denied", NEEDED)
def test_who_asks_for_a_reload_is_held_before_anything_is_half_done(
    scene: Scene, nodes: ReloadingNodes, denied: str, way: Way
) -> None:
    scene.create(way=way)
    scene.permitted.denied = frozenset({denied})
    held = scene.run(Goal.REPLACE_KEY, way, spread=Spread.RELOAD).outcome
    assert [violation.gate for violation in held.decision.violations] == ["reload"]
    assert f"may not {denied} in namespace kafka" in held.decision.violations[0].message
    assert "spread=auto" in held.decision.violations[0].remedy
    assert held.spread is Spread.RELOAD
    # The bridge has taken its roll; the CA has not taken its place, and the operator goes on.
    assert (scene.rolls, nodes.told, scene.paused) == ({1}, [], False)
    assert scene.current in scene.bridges
    scene.permitted.denied = frozenset()
    scene.finish(Goal.REPLACE_KEY, way, spread=Spread.RELOAD)
    assert scene.rolls == {1}


@EVERY_WAY
@pytest.mark.parametrize("denied", NEEDED)
def test_leaves_are_renewed_with_restarts_instead(
    scene: Scene, nodes: ReloadingNodes, lasting: Authority, denied: str, way: Way
) -> None:
    scene.create(lasting, way=way)
    before = leaves(scene)
    scene.world.seconds += 200 * DAY
    scene.permitted.denied = frozenset({denied})
    refused = scene.run(Goal.RENEW_LEAVES, way, spread=Spread.RELOAD, renew_before=timedelta(days=400)).outcome
    assert [violation.gate for violation in refused.decision.violations] == ["reload"]
    assert (leaves(scene), scene.writes, scene.rolls) == (before, 0, {0})
    result = renew(scene, way)
    assert all(leaves(scene)[pod] != pem for pod, pem in before.items())
    assert (scene.rolls, nodes.told, held(scene)) == ({1}, [], {})
    assert len(result.warnings) == 1
    said = (
        f"Nodes are restarted with their renewed certificates: the identity of this run may not {denied} in namespace"
    )
    assert result.warnings[0].startswith(said)


@pytest.mark.parametrize("spread", [Spread.AUTO, Spread.RELOAD])
def test_a_permission_that_goes_while_leaves_are_renewed(
    scene: Scene, nodes: ReloadingNodes, lasting: Authority, spread: Spread
) -> None:
    """The operator was told that nodes read their leaves again, and then they cannot be told."""
    scene.create(lasting)
    before = leaves(scene)
    scene.world.seconds += 200 * DAY
    nodes.before = interrupt
    with pytest.raises(KeyboardInterrupt):
        renew(scene)
    assert all(leaves(scene)[pod] != pem for pod, pem in before.items())
    scene.permitted.denied = frozenset({"get configmaps"})
    result = scene.run(Goal.RENEW_LEAVES, spread=spread, renew_before=timedelta(days=300))
    said = "Nodes are restarted with their renewed certificates: the identity of this run may not get configmaps"
    if spread is Spread.AUTO:
        assert result.warnings[0].startswith(said)
        assert (scene.rolls, nodes.told, held(scene)) == ({1}, [], {})
    else:
        (violation,) = result.outcome.decision.violations
        assert violation.message.startswith(f"spread=reload forbids this. {said}")
        assert (scene.rolls, nodes.told, scene.paused) == ({0}, [], False)


def interrupt(pod: str) -> None:
    raise KeyboardInterrupt


def test_nothing_is_asked_where_restarts_are_asked_for(scene: Scene, nodes: ReloadingNodes) -> None:
    scene.create()
    scene.permitted.reviewed.clear()
    scene.permitted.denied = frozenset({"list strimzipodsets"})
    result = scene.finish(Goal.REPLACE_KEY, spread=Spread.RESTART)
    assert (scene.permitted.reviewed, result.warnings, scene.rolls) == ([], [], {2})


@EVERY_WAY
def test_who_is_refused_what_should_be_permitted_is_told_so(scene: Scene, nodes: ReloadingNodes, way: Way) -> None:
    """By an admission policy: resuming instead, a module would ask for the same again, and no run would ever end."""
    scene.create(way=way)
    scene.permitted.denied = frozenset({"patch strimzipodsets"})
    scene.permitted.review = Response(201, {"status": {"allowed": True}})
    with pytest.raises(Forbidden, match="StrimziPodSet"):
        scene.run(Goal.REPLACE_KEY, way)
    scene.finish(Goal.REPLACE_KEY, way, spread=Spread.RESTART)
    assert scene.rolls == {2}

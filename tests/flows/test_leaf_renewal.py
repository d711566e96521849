# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes' leaves are renewed under the same CA: read again by their listeners, without a restart."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.engine import look
from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.results import describe_snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.reload import ReloadRefused
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.errors import RollStuck
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent, Spread, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.tests.fakes.flows import START, FlowResult, work_on
from ansible_collections.trustops.strimzi.tests.fakes.reloads import ReloadingNodes

from ..unit._pki.hierarchy import YEAR
from .authorities import Authority, root
from .scene import BOTH_WAYS, IN_USE, LEDGER, Object, Scene, fingerprints
from .test_reload import restart, roles_apart, roles_together

EVERY_WAY = pytest.mark.parametrize("way", BOTH_WAYS)
DAY = 86400.0


def leaves(scene: Scene) -> dict[str, bytes]:
    """By node, as stored."""
    return {pod: scene.secret(pod)[f"{pod}.crt"] for pod in scene.world.restarts()}


def held(scene: Scene, channels: str = "lingering") -> dict[str, set[str]]:
    """UIDs by the fingerprint of a leaf that is stored no more. channels: ``pods`` for listeners."""
    found = scene.secret(LEDGER)
    names = [key.removesuffix(".leaf") for key in found if key.endswith(".leaf")]
    return {name: set(found.get(f"{name}.{channels}", b"").decode().split()) for name in names}


def holders(scene: Scene, stored: dict[str, bytes]) -> dict[str, set[str]]:
    """What ``held`` says when every running node was started with these leaves."""
    uids = {process.pod: uid for uid, process in scene.world.kubelet.processes.items()}
    return {fingerprints(pem)[0]: {uids[pod]} for pod, pem in stored.items()}


def renew(scene: Scene, way: Way = Way.COOPERATE, **intent: Any) -> FlowResult:
    return scene.finish(Goal.RENEW_LEAVES, way, renew_before=timedelta(days=400), **intent)


@EVERY_WAY
@pytest.mark.parametrize("manifests", [roles_together, roles_apart])
def test_nothing_restarts(
    scene: Scene, nodes: ReloadingNodes, lasting: Authority, manifests: Callable[[], list[Object]], way: Way
) -> None:
    scene.create(lasting, way=way, manifests=manifests())
    before = leaves(scene)
    scene.world.seconds += 200 * DAY
    renew(scene, way)
    scene.world.settle(3)
    assert scene.rolls == {0}, "the operator found something to restart"
    assert scene.states == {lasting.fingerprint: IN_USE}
    assert all(leaves(scene)[pod] != pem for pod, pem in before.items())
    assert sorted(nodes.told) == sorted(before)
    assert held(scene) == holders(scene, before)
    assert set().union(*held(scene, "pods").values()) == set()
    assert scene.ready


def test_what_is_not_in_its_time_is_left_alone(scene: Scene, nodes: ReloadingNodes, lasting: Authority) -> None:
    """Half of its life is left, or more than was asked for."""
    scene.create(lasting)
    before = leaves(scene)
    scene.world.seconds += 150 * DAY
    renew(scene)
    scene.world.seconds += 50 * DAY
    scene.finish(Goal.RENEW_LEAVES, renew_before=timedelta(days=100))
    assert (leaves(scene), scene.rolls, nodes.told) == (before, {0}, [])


@EVERY_WAY
def test_restarted_where_nodes_cannot_be_told(
    scene: Scene, nodes: ReloadingNodes, lasting: Authority, way: Way
) -> None:
    scene.create(lasting, way=way)
    before = leaves(scene)
    scene.world.seconds += 200 * DAY
    renew(scene, way, spread=Spread.RESTART)
    assert all(leaves(scene)[pod] != pem for pod, pem in before.items())
    assert (scene.rolls, nodes.told, held(scene)) == ({1}, [], {})


@EVERY_WAY
def test_restarted_where_a_node_refuses(scene: Scene, nodes: ReloadingNodes, lasting: Authority, way: Way) -> None:
    """It shows when the operator has been told already: the restarts are asked for."""

    def refuse(pod: str) -> None:
        raise ReloadRefused(f"Kafka node {pod} does not read its certificates again: no.", "Restart it.")

    nodes.before = refuse
    scene.create(lasting, way=way)
    scene.world.seconds += 200 * DAY
    result = renew(scene, way)
    assert (scene.rolls, held(scene)) == ({1}, {})
    assert any("restarted instead" in warning for warning in result.warnings)


def test_a_node_that_goes_on_as_before_holds_the_flow(scene: Scene, nodes: ReloadingNodes, lasting: Authority) -> None:
    scene.create(lasting)
    before = leaves(scene)
    scene.world.seconds += 200 * DAY
    nodes.deaf = {"demo-kafka-1"}
    with pytest.raises(RollStuck, match="still present others than their Secrets hold"):
        renew(scene)
    assert held(scene, "pods") == holders(scene, before)
    nodes.deaf = set()
    renew(scene)
    assert (scene.rolls, held(scene)) == ({0}, holders(scene, before))


def test_held_leaves_are_forgotten_with_their_processes(
    scene: Scene, nodes: ReloadingNodes, lasting: Authority
) -> None:
    scene.create(lasting)
    scene.world.seconds += 200 * DAY
    renew(scene)
    for left in (1, 0):
        restart(scene, f"demo-kafka-{left}")
        scene.run(Goal.RECONCILE)
        assert len(held(scene)) == left
    assert scene.states == {lasting.fingerprint: IN_USE}


def with_a_lasting_clients_ca() -> list[Object]:
    """The operator renews that one by itself, and restarts all nodes for it."""
    made = roles_together()
    for manifest in made:
        if manifest["kind"] == "Kafka":
            manifest["spec"]["clientsCa"] = {"validityDays": 3650}
    return made


@pytest.mark.parametrize("goal", [Goal.RECONCILE, Goal.RENEW_LEAVES])
def test_a_restart_is_asked_for_before_a_held_leaf_ends(
    scene: Scene, nodes: ReloadingNodes, lasting: Authority, goal: Goal
) -> None:
    scene.create(lasting, manifests=with_a_lasting_clients_ca())
    ends = 365 * DAY - scene.world.seconds
    scene.world.seconds += 200 * DAY
    renew(scene)
    scene.world.seconds += ends - 200 * DAY - 8 * DAY
    scene.finish(goal)
    assert scene.rolls == {0}
    scene.world.seconds += 2 * DAY
    scene.finish(goal)
    assert (scene.rolls, held(scene)) == ({1}, {})


@EVERY_WAY
@pytest.mark.parametrize("goal", [Goal.RENEW, Goal.REPLACE_KEY])
def test_a_rotation_restarts_them(
    scene: Scene, nodes: ReloadingNodes, lasting: Authority, goal: Goal, way: Way
) -> None:
    """A held leaf is a leaf in use: its CA cannot leave while a Raft client presents it (I2)."""
    scene.create(lasting, way=way)
    scene.world.seconds += 200 * DAY
    renew(scene, way)
    scene.finish(goal, way)
    assert (scene.rolls, held(scene)) == ({1}, {})
    assert scene.states == {scene.current: IN_USE}


def test_handing_back_leaves_none(scene: Scene, nodes: ReloadingNodes, lasting: Authority) -> None:
    """The operator would not know of them."""
    scene.validity = 10 * YEAR
    scene.create()
    scene.validity = YEAR
    scene.world.seconds += 200 * DAY
    renew(scene)
    scene.finish(Goal.DOWNGRADE)
    assert scene.rolls == {1}


def test_leaves_that_end_with_their_ca(scene: Scene, nodes: ReloadingNodes) -> None:
    """Nothing can be gained under this CA, and whoever asked has to know."""
    scene.create(root(end=START + timedelta(days=300)))
    scene.finish(Goal.REPLACE_KEY, Way.TAKEOVER, root("Second Root", end=START + timedelta(days=300)))
    scene.world.seconds += 250 * DAY
    decision = scene.run(Goal.RENEW_LEAVES, renew_before=timedelta(days=400)).outcome.decision
    assert {violation.gate for violation in decision.violations} == {"expiry"}
    assert "renew playbook" in decision.violations[0].remedy


def remainders(scene: Scene) -> list[list[str]]:
    """Pods by remainder, as ``status`` shows them; it writes nothing."""
    shown = describe_snapshot(look(work_on(scene.world), Intent(Goal.RECONCILE)).observation.snapshot)
    return [one["pods"] + one["lingering"] for one in (*shown["removed"], *shown["held_leaves"])]


def test_status_shows_what_is_left_until_its_pod_has_ended(
    scene: Scene, nodes: ReloadingNodes, lasting: Authority
) -> None:
    scene.create()
    scene.finish(Goal.REPLACE_KEY, Way.TAKEOVER, lasting)
    scene.world.seconds += 200 * DAY
    renew(scene)
    both = ["demo-kafka-0", "demo-kafka-1"]
    assert sorted(remainders(scene)) == [both[:1], both, both[1:]]
    restart(scene, both[0])
    assert sorted(remainders(scene)) == [both[1:], both[1:]]
    restart(scene, both[1])
    assert remainders(scene) == []

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands in the way of a reload: nodes are restarted instead, or somebody is told why (operator-facts, "The reload")."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible import engine
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.reload import ReloadRefused
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi import stamping
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.errors import ReloadImpossible, RollStuck
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Spread, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.tests.fakes.reloads import ReloadingNodes

from .scene import IN_USE, Scene
from .test_reload import EVERY_WAY, lingering


def cannot_be_asked(nodes: ReloadingNodes) -> None:
    nodes.reachable = False


def without_configuration(nodes: ReloadingNodes) -> None:
    nodes.configured = False


def refusing(nodes: ReloadingNodes) -> None:
    def refuse(pod: str) -> None:
        raise ReloadRefused(f"Kafka node {pod} does not read its certificates again: no.", "Restart it.")

    nodes.before = refuse


CANNOT_BE_ASKED = "the running nodes cannot be asked what they trust."
#: What stands in the way, and what is said of it.
OBSTACLES = [
    (cannot_be_asked, CANNOT_BE_ASKED),
    (without_configuration, "They are restarted instead."),
    (refusing, "They are restarted instead."),
]


@EVERY_WAY
@pytest.mark.parametrize(("obstacle", "said"), OBSTACLES)
def test_restarted_where_nodes_cannot_read_again(
    scene: Scene, nodes: ReloadingNodes, obstacle: Callable[[ReloadingNodes], None], said: str, way: Way
) -> None:
    obstacle(nodes)
    scene.create(way=way)
    old = scene.current
    result = scene.finish(Goal.REPLACE_KEY, way)
    assert scene.rolls == {2}
    assert nodes.told == []
    assert lingering(scene) == {}
    assert old not in scene.trusted
    assert [warning.endswith(said) for warning in result.warnings] == [True]
    assert result.outcome.spread is Spread.RESTART


@EVERY_WAY
@pytest.mark.parametrize("spread", [Spread.AUTO, Spread.RELOAD])
def test_pods_that_cannot_be_stamped_are_restarted(
    scene: Scene, nodes: ReloadingNodes, spread: Spread, way: Way, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operator's revision of a pod is one that nobody here can compute: it would restart it anyway."""
    scene.create(way=way)
    monkeypatch.setattr(stamping, "not_reproduced", lambda pod_set: [pod_set["spec"]["pods"][0]["metadata"]["name"]])
    result = scene.finish(Goal.REPLACE_KEY, way, spread=spread)
    assert scene.rolls == {2}
    assert scene.states == {scene.current: IN_USE}
    told = "the Cluster Operator would restart demo-kafka-0 whatever it is told."
    assert [warning.endswith(told) for warning in result.warnings] == [True] * (spread is Spread.AUTO)


def test_pods_that_turn_out_not_to_be_stampable(
    scene: Scene, nodes: ReloadingNodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seen only when the step is taken, because something changed after the look; the next look decides."""
    scene.create()
    monkeypatch.setattr(engine, "unstampable", lambda *arguments: ())
    monkeypatch.setattr(stamping, "obstacles", lambda *arguments: {"demo-kafka-0": "waits for a restart"})
    with pytest.raises(ReloadImpossible, match="demo-kafka-0 waits for a restart"):
        scene.run(Goal.REPLACE_KEY, spread=Spread.RELOAD)
    found = iter([{"demo-kafka-0": "waits for a restart"}])
    monkeypatch.setattr(stamping, "obstacles", lambda *arguments: next(found, {}))
    result = scene.finish(Goal.REPLACE_KEY)
    assert len(result.warnings) == 1
    # It could be told by now; the run stays with what it has said.
    assert result.outcome.spread is Spread.RESTART
    assert (scene.rolls, nodes.told) == ({2}, [])
    assert scene.states == {scene.current: IN_USE}


@pytest.mark.parametrize("obstacle", [without_configuration, refusing])
def test_who_asks_for_a_reload_is_told_why_there_is_none(
    scene: Scene, nodes: ReloadingNodes, obstacle: Callable[[ReloadingNodes], None]
) -> None:
    obstacle(nodes)
    scene.create()
    with pytest.raises(ReloadImpossible, match="demo-kafka-0"):
        scene.run(Goal.REPLACE_KEY, spread=Spread.RELOAD)
    assert not scene.paused
    scene.finish(Goal.REPLACE_KEY)
    assert scene.rolls == {2}
    assert scene.states == {scene.current: IN_USE}


@EVERY_WAY
def test_who_asks_for_a_reload_of_nodes_that_cannot_be_asked_is_held(
    scene: Scene, nodes: ReloadingNodes, way: Way
) -> None:
    cannot_be_asked(nodes)
    scene.create(way=way)
    scene.run(Goal.REPLACE_KEY, way, spread=Spread.RELOAD)
    scene.look_away()
    held = scene.run(Goal.REPLACE_KEY, way, spread=Spread.RELOAD).outcome.decision
    assert [violation.gate for violation in held.violations] == ["reload"]
    assert CANNOT_BE_ASKED in held.violations[0].message
    assert "spread=auto" in held.violations[0].remedy
    assert (scene.rolls, scene.paused) == ({0}, False)


def test_the_second_node_refuses_when_the_first_has_done_it(scene: Scene, nodes: ReloadingNodes) -> None:
    scene.create()

    def refuse(pod: str) -> None:
        if nodes.told:
            raise ReloadRefused(f"Kafka node {pod} does not read its certificates again: no.", "Restart it.")

    nodes.before = refuse
    result = scene.finish(Goal.REPLACE_KEY)
    assert (scene.rolls, nodes.told, len(result.warnings)) == ({2}, ["demo-kafka-0"], 1)
    assert lingering(scene) == {}


def test_a_node_that_goes_on_as_before_ends_the_run(scene: Scene, nodes: ReloadingNodes) -> None:
    """It said yes, and its listeners say something else: that is for people to look at."""
    scene.create()
    nodes.deaf = {"demo-kafka-1"}
    with pytest.raises(RollStuck, match="still accept a CA that has left") as stuck:
        scene.run(Goal.REPLACE_KEY)
    assert "spread=restart" in stuck.value.remedy
    nodes.deaf = set()
    scene.finish(Goal.REPLACE_KEY)
    assert scene.rolls == {1}

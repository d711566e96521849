"""Every state that a flow can reach: no invariant broken, no dead end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Bridge, Intent, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal

from .explore import Explored, People, explore
from .people import (
    a_pod_stays_away,
    adds_another_ca,
    nobody,
    removes_an_annotation,
    restores_an_old_leaf,
    takes_out_the_prepared_ca,
)
from .runs import Runner
from .starts import INTENTS, start

THREE_NODES = [
    (intent, nobody if intent.goal is Goal.RENEW else adds_another_ca) for intent in INTENTS
]  # fmt: skip

BRIDGED = {way: Intent(Goal.REPLACE_KEY, way) for way in Way}
PLAIN = {way: Intent(Goal.REPLACE_KEY, way, bridge=Bridge.NEVER) for way in Way}

Record = Callable[[str, object], None]


def _explore(
    record: Record, intent: Intent, nodes: int, runs: int, people: People = nobody, components: int = 0
) -> Explored:
    found = explore(start(intent, nodes, runs, components), Runner(intent), nodes, people)
    dead = found.dead_ends()
    of = f"{intent.goal.value} bridge={intent.bridge.value} {intent.way.value} {people.__name__}"
    about = f"{of}: {nodes + components} pods, {runs} runs"
    record("explored", (about, len(found.states), found.transitions))
    assert not dead, "no way to an end after:\n" + "\n".join(found.way_to(dead[0]))
    assert found.ends
    return found


def _name(value: Any) -> str:
    return f"{value.goal.value}-{value.way.value}" if isinstance(value, Intent) else value.__name__


@pytest.mark.parametrize(("intent", "people"), THREE_NODES, ids=_name)
def test_three_nodes_killed_and_stale_at_every_point(intent: Intent, people: People, record_property: Record) -> None:
    _explore(record_property, intent, 3, 1, people)


@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize("goal", [Goal.RENEW, Goal.REPLACE_KEY])
def test_two_runs_at_once_without_a_lease(goal: Goal, way: Way, record_property: Record) -> None:
    _explore(record_property, Intent(goal, way, bridge=Bridge.NEVER), 1, 2)


def test_two_runs_at_once_with_two_nodes(record_property: Record) -> None:
    _explore(record_property, PLAIN[Way.COOPERATE], 2, 2)


@pytest.mark.parametrize("way", Way)
def test_the_prepared_ca_is_taken_out_by_hand(way: Way, record_property: Record) -> None:
    """Between the two writes of a promotion too: the operator would do nothing ever again."""
    _explore(record_property, PLAIN[way], 1, 1, takes_out_the_prepared_ca)


@pytest.mark.parametrize("way", Way)
def test_a_leaf_of_the_old_ca_comes_back(way: Way) -> None:
    """Held for good, and safe: who did that has to be asked."""
    explore(start(PLAIN[way], 2, 1), Runner(PLAIN[way]), 2, restores_an_old_leaf)


@pytest.mark.parametrize("people", [a_pod_stays_away, removes_an_annotation], ids=_name)
@pytest.mark.parametrize("way", Way)
def test_a_node_is_away_or_cannot_be_read(way: Way, people: People, record_property: Record) -> None:
    _explore(record_property, PLAIN[way], 2, 1, people)


@pytest.mark.parametrize("way", Way)
def test_a_bridge_with_a_component_and_the_operators_own_leaf(way: Way, record_property: Record) -> None:
    _explore(record_property, BRIDGED[way], 1, 1, components=1)


def test_a_bridge_with_two_nodes(record_property: Record) -> None:
    _explore(record_property, BRIDGED[Way.COOPERATE], 2, 1)


@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize(
    "people", [takes_out_the_prepared_ca, adds_another_ca, a_pod_stays_away, removes_an_annotation], ids=_name
)
def test_a_bridge_and_people(way: Way, people: People, record_property: Record) -> None:
    _explore(record_property, BRIDGED[way], 1, 1, people)


@pytest.mark.parametrize("way", Way)
def test_a_bridge_and_a_leaf_of_the_old_ca_that_comes_back(way: Way) -> None:
    explore(start(BRIDGED[way], 1, 1), Runner(BRIDGED[way]), 1, restores_an_old_leaf)

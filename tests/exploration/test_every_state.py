"""Every state that a flow can reach: no invariant broken, no dead end."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Bridge, Intent, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Component

from .explore import People
from .findings import Record, explored, to_an_end
from .invariants import broken_but_memory
from .people import (
    a_pod_stays_away,
    adds_another_ca,
    nobody,
    removes_an_annotation,
    restores_an_old_leaf,
    takes_out_the_prepared_ca,
)
from .runs import Runner
from .starts import INTENTS

THREE_NODES = [
    (intent, nobody if intent.goal is Goal.RENEW else adds_another_ca) for intent in INTENTS
]  # fmt: skip

BRIDGED = {way: Intent(Goal.REPLACE_KEY, way) for way in Way}
PLAIN = {way: Intent(Goal.REPLACE_KEY, way, bridge=Bridge.NEVER) for way in Way}


def _name(value: Any) -> str:
    return f"{value.goal.value}-{value.way.value}" if isinstance(value, Intent) else value.__name__


@pytest.mark.parametrize(("intent", "people"), THREE_NODES, ids=_name)
def test_three_nodes_killed_and_stale_at_every_point(intent: Intent, people: People, record_property: Record) -> None:
    to_an_end(record_property, Runner(intent), 3, people)


@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize("goal", [Goal.RENEW, Goal.REPLACE_KEY])
def test_two_runs_at_once_without_a_lease(goal: Goal, way: Way, record_property: Record) -> None:
    to_an_end(record_property, Runner(Intent(goal, way, bridge=Bridge.NEVER)), 1, runs=2)


def test_two_runs_at_once_with_two_nodes(record_property: Record) -> None:
    to_an_end(record_property, Runner(PLAIN[Way.COOPERATE]), 2, runs=2)


@pytest.mark.parametrize("way", Way)
def test_the_prepared_ca_is_taken_out_by_hand(way: Way, record_property: Record) -> None:
    """Between the two writes of a promotion too: the operator would do nothing ever again."""
    to_an_end(record_property, Runner(PLAIN[way]), 1, takes_out_the_prepared_ca)


@pytest.mark.parametrize("way", Way)
def test_a_leaf_of_the_old_ca_comes_back(way: Way, record_property: Record) -> None:
    """Held for good, and safe: who did that has to be asked."""
    explored(record_property, Runner(PLAIN[way]), 2, restores_an_old_leaf)


@pytest.mark.parametrize("people", [a_pod_stays_away, removes_an_annotation], ids=_name)
@pytest.mark.parametrize("way", Way)
def test_a_node_is_away_or_cannot_be_read(way: Way, people: People, record_property: Record) -> None:
    """The old CA may be put back for it (``test_a_ca_that_leaves_twice_within_one_look_of_the_operator``)."""
    to_an_end(record_property, Runner(PLAIN[way]), 2, people, invariant=broken_but_memory)


@pytest.mark.parametrize("way", Way)
def test_a_bridge_with_a_component_and_the_operators_own_leaf(way: Way, record_property: Record) -> None:
    to_an_end(record_property, Runner(BRIDGED[way]), 1, components=(Component.ENTITY_OPERATOR,))


@pytest.mark.parametrize("way", Way)
def test_a_bridge_that_an_exporter_refuses_until_it_has_restarted(way: Way, record_property: Record) -> None:
    to_an_end(record_property, Runner(BRIDGED[way]), 1, components=(Component.KAFKA_EXPORTER,))


def test_a_bridge_with_two_nodes(record_property: Record) -> None:
    to_an_end(record_property, Runner(BRIDGED[Way.COOPERATE]), 2)


@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize("people", [adds_another_ca, a_pod_stays_away], ids=_name)
def test_a_bridge_and_people(way: Way, people: People, record_property: Record) -> None:
    to_an_end(record_property, Runner(BRIDGED[way]), 1, people)


@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize("people", [takes_out_the_prepared_ca, removes_an_annotation], ids=_name)
def test_a_bridge_and_people_who_have_the_old_ca_put_back(way: Way, people: People, record_property: Record) -> None:
    to_an_end(record_property, Runner(BRIDGED[way]), 1, people, invariant=broken_but_memory)


@pytest.mark.parametrize("way", Way)
def test_a_bridge_and_a_leaf_of_the_old_ca_that_comes_back(way: Way, record_property: Record) -> None:
    explored(record_property, Runner(BRIDGED[way]), 1, restores_an_old_leaf)

"""Every state that a replacement in one roll can reach: nodes are asked, and read again, at any moment.

A reload changes listeners only; with what a Raft client and an agent were started with, they meet every listener.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust import bookkeeping, spreading
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Bridge, Intent, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal, RemovedEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import Roll, RollReason

from . import runs
from .events import forget
from .explore import Explored, People
from .findings import Record, counter_example, explored, to_an_end
from .invariants import broken_but_memory
from .looking import LookingRunner
from .people import (
    a_pod_stays_away,
    adds_another_ca,
    removes_an_annotation,
    restores_an_old_leaf,
    takes_out_the_prepared_ca,
    takes_the_permission_away,
)
from .state import Secrets, World, Write

ONE_ROLL = {way: Intent(Goal.REPLACE_KEY, way) for way in Way}
TWO_ROLLS = Intent(Goal.REPLACE_KEY, bridge=Bridge.NEVER)


def _is_reached(found: Explored, event: str) -> bool:
    return any(event in by for _number, by in found.came_by)


@pytest.mark.parametrize("way", Way)
def test_two_nodes(way: Way, record_property: Record) -> None:
    found = to_an_end(record_property, LookingRunner(ONE_ROLL[way]), 2)
    assert _is_reached(found, "writes reload")
    assert _is_reached(found, "writes stamp")


@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize("component", [Component.ENTITY_OPERATOR, Component.KAFKA_EXPORTER])
def test_a_node_a_component_and_the_operators_own_leaf(component: Component, way: Way, record_property: Record) -> None:
    to_an_end(record_property, LookingRunner(ONE_ROLL[way]), 1, components=(component,))


def test_two_nodes_and_a_permission_that_goes(record_property: Record) -> None:
    """At any moment: before a reload is relied on, while pods are annotated for it, between the nodes."""
    to_an_end(record_property, LookingRunner(ONE_ROLL[Way.COOPERATE]), 2, takes_the_permission_away)


@pytest.mark.parametrize("way", Way)
@pytest.mark.parametrize("people", [adds_another_ca, a_pod_stays_away], ids=lambda people: str(people.__name__))
def test_a_node_and_people(way: Way, people: People, record_property: Record) -> None:
    to_an_end(record_property, LookingRunner(ONE_ROLL[way]), 1, people)


PUTS_IT_BACK = pytest.mark.parametrize(
    "people", [removes_an_annotation, takes_out_the_prepared_ca], ids=lambda people: str(people.__name__)
)


@PUTS_IT_BACK
def test_a_node_and_people_who_have_the_old_ca_put_back(people: People, record_property: Record) -> None:
    to_an_end(record_property, LookingRunner(ONE_ROLL[Way.COOPERATE]), 1, people, invariant=broken_but_memory)


@PUTS_IT_BACK
def test_a_ca_that_leaves_twice_within_one_look_of_the_operator(people: People) -> None:
    """It is taken out, put back because of what a person did, and taken out again while the operator goes by what it read
    in between: it puts the CA into the bundle for a moment, when the nodes have been asked already, and a pod starts."""
    assert counter_example(LookingRunner(ONE_ROLL[Way.COOPERATE]), 1, people).startswith(
        "I5: nobody remembers that pod 0 trusts"
    )


def test_a_leaf_of_the_old_ca_comes_back(record_property: Record) -> None:
    """Held for good, and safe: who did that has to be asked."""
    explored(record_property, LookingRunner(ONE_ROLL[Way.COOPERATE]), 1, restores_an_old_leaf)


@pytest.mark.parametrize("intent", [TWO_ROLLS, Intent(Goal.RENEW)], ids=lambda intent: str(intent.goal.value))
def test_without_a_bridge(intent: Intent, record_property: Record) -> None:
    to_an_end(record_property, LookingRunner(intent), 2)


@pytest.mark.parametrize(("reason", "breaks"), [(RollReason.TRUST, "I1"), (RollReason.USE, "I2")])
def test_a_reload_in_the_place_of_a_restart(reason: RollReason, breaks: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both are seen to fail in operator-facts. Listeners read a new CA, and one presents a leaf of it before Raft clients
    know it; or they present the leaf, and the old CA is removed while Raft clients present its leaves."""

    def instead(step: Roll, seen: Secrets) -> tuple[Write, ...]:
        return tuple(Write("a node", "as restarted", None, int(uid)) for uid in step.uids if step.reason is reason)

    def as_restarted(world: World, write: Write) -> World:
        number = write.slot
        assert number is not None
        read = runs.apply(Write("a node", "reload", None, number), world)
        slot = read.slots[number]
        return forget(read.with_slot(number, slot._replace(annotated=slot.stored, template=slot.stored)), number)

    monkeypatch.setitem(runs._WRITES, Roll, instead)
    monkeypatch.setitem(runs._APPLY, "as restarted", as_restarted)
    assert counter_example(LookingRunner(TWO_ROLLS)).startswith(breaks)


def test_listeners_are_asked_before_a_ca_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (bookkeeping, spreading):
        monkeypatch.setattr(module, "still_trusting", lambda *arguments: frozenset())
    assert counter_example(LookingRunner(ONE_ROLL[Way.COOPERATE]), 1).startswith(
        "I5: nobody remembers that pod 0 trusts"
    )


def test_what_listeners_have_forgotten_raft_clients_have_not(monkeypatch: pytest.MonkeyPatch) -> None:
    after_removal = bookkeeping._after_removal

    def forgetful(*arguments: Any) -> RemovedEntry | None:
        found = after_removal(*arguments)
        return replace(found, lingering=frozenset()) if found else None

    monkeypatch.setattr(bookkeeping, "_after_removal", forgetful)
    broken = counter_example(LookingRunner(ONE_ROLL[Way.COOPERATE]), 1)
    assert broken.startswith("I5: nobody remembers that pod 0 trusts")

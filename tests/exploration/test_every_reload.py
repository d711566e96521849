# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every state that a flow can reach when nodes are asked, and read again, at any moment.

A reload changes listeners only; with what a Raft client and an agent were started with, they meet every listener.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent

from .authorities import NEW, OLD
from .cluster_ca import Invariant, People
from .explore import Explored
from .findings import Record, explored, to_an_end
from .invariants import broken, broken_inside, client_accepts
from .looking import LookingRunner
from .mixtures import AfterTheDeadline, Mixture, in_turn
from .people import (
    a_pod_stays_away,
    adds_a_node,
    adds_another_ca,
    lifts_the_pause,
    removes_an_annotation,
    restores_an_old_leaf,
    takes_out_the_prepared_ca,
    takes_the_permission_away,
)
from .runs import Runner
from .starts import BELOW_IT, LINKED, NEEDED, NOW, PATIENT, RECONCILE, RENEW, UNLINKED
from .state import ModelCluster

long = pytest.mark.long
_NAMES = {
    LINKED: "linked", UNLINKED: "unlinked", BELOW_IT: "below", PATIENT: "patient", NEEDED: "when needed", RENEW: "renew", NOW: "now",
}  # fmt: skip


def _name(value: Any) -> str:
    if isinstance(value, Intent):
        return _NAMES[value]
    return str(getattr(value, "__name__", value))


@pytest.mark.parametrize(
    ("intent", "nodes"),
    [
        (LINKED, 1),
        pytest.param(LINKED, 2, marks=long),
        (UNLINKED, 2),
        (BELOW_IT, 1),
        pytest.param(BELOW_IT, 2, marks=long),
        (PATIENT, 1),
        pytest.param(PATIENT, 2, marks=long),
        (RENEW, 1),
        pytest.param(RENEW, 2, marks=long),
    ],
    ids=_name,
)
def test_nodes_alone(intent: Intent, nodes: int, record_property: Record) -> None:
    found = to_an_end(record_property, LookingRunner(intent), nodes)
    assert found.is_reached("writes reload")
    # Without a link only where every node has restarted in the pause by itself.
    assert found.is_reached("writes stamp")
    _clients_that_never_read_again_are_accepted_at_the_end(found)


def _clients_that_never_read_again_are_accepted_at_the_end(found: Explored[ModelCluster]) -> None:
    """I12, where there are link certificates: also behind leaves that the operator has issued meanwhile."""
    ends = [model for model, number in found.states.items() if number in found.ends and model.ca.linked]
    for leaf in {slot.stored for model in ends for slot in model.slots}:
        assert client_accepts(OLD, leaf)
        assert client_accepts(NEW, leaf)


@pytest.mark.parametrize(
    ("intent", "component"),
    [
        (UNLINKED, Component.ENTITY_OPERATOR),
        (UNLINKED, Component.KAFKA_EXPORTER),
        *(
            pytest.param(intent, component, marks=long)
            for intent in (LINKED, PATIENT, RENEW)
            for component in (Component.ENTITY_OPERATOR, Component.KAFKA_EXPORTER)
        ),
    ],
    ids=_name,
)
def test_a_node_a_component_and_the_operators_own_leaf(
    intent: Intent, component: Component, record_property: Record
) -> None:
    to_an_end(record_property, LookingRunner(intent), 1, components=(component,))


#: Of a patient flow in every run; the others take minutes.
_MEANWHILE_PATIENT = (takes_the_permission_away, lifts_the_pause)
#: Of any flow only with the long tests.
_SELDOM = (adds_another_ca, adds_a_node, removes_an_annotation)


def _meanwhile() -> Iterator[Any]:
    yield pytest.param(NEEDED, takes_the_permission_away, broken)
    for intent in (LINKED, PATIENT):
        for people in (*_MEANWHILE_PATIENT, a_pod_stays_away, takes_out_the_prepared_ca, *_SELDOM):
            # Taking a CA out of the Secret takes it from clients as well.
            invariant = broken_inside if people is takes_out_the_prepared_ca else broken
            is_short = people not in _SELDOM and (intent is LINKED or people in _MEANWHILE_PATIENT)
            yield pytest.param(intent, people, invariant, marks=() if is_short else long)


@pytest.mark.parametrize(("intent", "people", "invariant"), list(_meanwhile()), ids=_name)
def test_a_node_and_what_happens_meanwhile(
    intent: Intent, people: People, invariant: Invariant, record_property: Record
) -> None:
    to_an_end(record_property, LookingRunner(intent), 1, people, invariant=invariant)


@long
@pytest.mark.parametrize("intent", [PATIENT, UNLINKED, RENEW], ids=_name)
def test_two_nodes_and_a_pause_that_a_person_lifts(intent: Intent, record_property: Record) -> None:
    to_an_end(record_property, LookingRunner(intent), 2, lifts_the_pause)


@long
def test_two_nodes_and_a_permission_that_comes_and_goes(record_property: Record) -> None:
    """The permission comes and goes between the reloads of the two nodes, too."""
    to_an_end(record_property, LookingRunner(PATIENT), 2, takes_the_permission_away)


@long
@pytest.mark.parametrize("intent", [LINKED, PATIENT], ids=_name)
def test_a_leaf_of_the_old_ca_comes_back(intent: Intent, record_property: Record) -> None:
    """The flow is held for good, but safe: people have to ask who put the leaf back."""
    explored(record_property, LookingRunner(intent), 1, restores_an_old_leaf)


@pytest.mark.parametrize(
    "runner",
    [
        pytest.param(Mixture(LookingRunner(PATIENT), AfterTheDeadline(PATIENT)), id="the deadline comes"),
        pytest.param(in_turn(PATIENT, NOW), id="the caller has no patience any more"),
        pytest.param(in_turn(PATIENT, RECONCILE), id="a scheduled reconcile goes on with it"),
    ],
)
def test_the_intent_changes_at_any_moment(runner: Runner, record_property: Record) -> None:
    to_an_end(record_property, runner, 1)

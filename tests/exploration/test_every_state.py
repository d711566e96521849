# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every state that a flow can reach by what is stored alone: no invariant broken, no dead end."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent

from ..tools.support.intents import an_intent, changed_intent
from .authorities import OTHER, SUPPLIED, certificate
from .cluster_ca import ClusterCa, Invariant, People
from .explore import explore
from .findings import Record, explored, to_an_end
from .invariants import broken, broken_inside
from .people import (
    a_pod_stays_away,
    adds_a_node,
    adds_another_ca,
    keep_hands_off,
    removes_an_annotation,
    restores_an_old_leaf,
    takes_a_label_away,
    takes_out_the_prepared_ca,
)
from .runs import Runner
from .starts import INTENTS, LINKED, NO_GRACE, RECONCILE, RENEW, RENEWED_FIRST, UNLINKED, start
from .state import Pause

long = pytest.mark.long


def _name(value: Any) -> str:
    if isinstance(value, Intent):
        return f"{value.goal.value}{'-supplied' * bool(value.new_ca.supplied)}"
    return str(getattr(value, "__name__", value))


def _by(intent: Intent) -> People:
    """A renewal meets CAs of others in the flows; here it would double each of its many states."""
    return keep_hands_off if intent is RENEW else adds_another_ca


@pytest.mark.parametrize(
    ("intent", "nodes"),
    [
        *((intent, 1 if intent is LINKED else 2) for intent in INTENTS if intent is not UNLINKED),
        (UNLINKED, 1),
        pytest.param(UNLINKED, 2, marks=long),
        *(pytest.param(intent, 3, marks=long) for intent in INTENTS if intent.goal is not Goal.REPLACE_KEY),
    ],
    ids=_name,
)
def test_killed_and_stale_at_every_point(intent: Intent, nodes: int, record_property: Record) -> None:
    to_an_end(record_property, Runner(intent), nodes, _by(intent))


@pytest.mark.parametrize(
    "components", [(), pytest.param((Component.KAFKA_EXPORTER,), marks=long)], ids=["nodes", "exporter"]
)
def test_a_renewal_that_leads_to_a_replacement(components: tuple[Component, ...], record_property: Record) -> None:
    """The exporter is a Go program: it accepts the link certificate when it has started with the renewed CA."""
    to_an_end(record_property, Runner(RENEWED_FIRST), 1, components=components)


@pytest.mark.parametrize(
    "intent", [UNLINKED, pytest.param(RENEW, marks=long), pytest.param(LINKED, marks=long)], ids=_name
)
def test_two_runs_at_once_without_a_lease(intent: Intent, record_property: Record) -> None:
    to_an_end(record_property, Runner(intent), 1, runs=2)


@pytest.mark.parametrize(
    ("people", "invariant"),
    [
        # Taking a CA out of the Secret takes it from clients as well.
        pytest.param(takes_out_the_prepared_ca, broken_inside, id="takes_out_the_prepared_ca"),
        pytest.param(a_pod_stays_away, broken, id="a_pod_stays_away", marks=long),
        pytest.param(removes_an_annotation, broken, id="removes_an_annotation", marks=long),
        pytest.param(takes_a_label_away, broken, id="takes_a_label_away", marks=long),
        pytest.param(adds_a_node, broken, id="adds_a_node", marks=long),
    ],
)
def test_a_link_and_what_happens_meanwhile(people: People, invariant: Invariant, record_property: Record) -> None:
    to_an_end(record_property, Runner(LINKED), 1, people, invariant=invariant)


@pytest.mark.parametrize(
    ("people", "invariant"),
    [
        pytest.param(takes_out_the_prepared_ca, broken, id="takes_out_the_prepared_ca"),
        pytest.param(a_pod_stays_away, broken, id="a_pod_stays_away"),
        pytest.param(removes_an_annotation, broken, id="removes_an_annotation"),
        pytest.param(takes_a_label_away, broken, id="takes_a_label_away"),
        pytest.param(adds_a_node, broken, id="adds_a_node"),
    ],
)
def test_no_link_and_what_happens_meanwhile(people: People, invariant: Invariant, record_property: Record) -> None:
    """The prepared CA is taken out between the two writes of the switch too: the operator would do nothing ever again."""
    to_an_end(record_property, Runner(UNLINKED), 1, people, invariant=invariant)


@pytest.mark.parametrize("intent", [LINKED, UNLINKED], ids=_name)
def test_a_leaf_of_the_old_ca_comes_back(intent: Intent, record_property: Record) -> None:
    """The flow is held for good, but safe: people have to ask who put the leaf back."""
    explored(record_property, Runner(intent), 1, restores_an_old_leaf)


def test_a_ca_that_was_never_used_is_asked_to_leave() -> None:
    intent = changed_intent(RECONCILE, leaving_ca=certificate(OTHER).fingerprint)
    begin = start(intent, 2, 1)
    begin = begin._replace(ca=begin.ca._replace(others=frozenset({OTHER})))
    found = explore(begin, ClusterCa(Runner(intent), 2, invariant=partial(broken, leaving=OTHER)))
    assert found.ends
    assert not found.dead_ends()
    assert {model.ca.others for model, number in found.states.items() if number in found.ends} == {frozenset()}


@pytest.mark.parametrize(("nodes", "paused"), [(1, True), (1, False), (2, True), (2, False)], ids=_name)
def test_a_ca_that_was_swapped_in_by_hand_takes_its_place_through_the_gates(nodes: int, paused: bool) -> None:
    """From where the one in use is back. Its key is gone: the operator can issue nothing until the switch."""
    intent = an_intent(Goal.UPGRADE, adopts=certificate(SUPPLIED).sha256, client_grace=NO_GRACE)
    begin = start(RECONCILE, nodes, 1)
    aside = begin.ca._replace(key=SUPPLIED, prepared=frozenset({SUPPLIED}), others=frozenset({SUPPLIED}))
    begin = begin._replace(ca=aside, pause=Pause(paused, paused))
    found = explore(begin, ClusterCa(Runner(intent), nodes))
    assert found.ends
    assert not found.dead_ends()
    ends = [model for model, number in found.states.items() if number in found.ends]
    assert {(model.ca.current, model.ca.projected, model.bundle) for model in ends} == {
        (SUPPLIED, frozenset({SUPPLIED}), frozenset({SUPPLIED}))
    }

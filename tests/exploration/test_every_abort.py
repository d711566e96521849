# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every state that a rotation can reach when a person aborts it at any moment."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import ENGINE, Engine
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import GATES, removal_gate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Violation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot

from .authorities import NEW, OLD, RENEWED, SUPPLIED
from .explore import CounterExample
from .findings import Record, to_an_end
from .invariants import broken
from .looking import LookingRunner, UnansweredRunner
from .mixtures import ThinkingBetter
from .starts import LINKED, PATIENT, RENEW, UNLINKED

long = pytest.mark.long
#: The CA that the abort is to get rid of.
_UNWANTED = {LINKED: NEW, UNLINKED: SUPPLIED, PATIENT: NEW, RENEW: RENEWED}
_NAMES = {LINKED: "linked", UNLINKED: "unlinked", PATIENT: "patient", RENEW: "renew"}


def _name(value: Any) -> str:
    return _NAMES.get(value, str(value)) if isinstance(value, Intent) else str(getattr(value, "__name__", value))


def aborted_at_any_moment(
    record: Record, intent: Intent, kind: type[LookingRunner], nodes: int = 1, components: tuple[Component, ...] = (),
    engine: Engine = ENGINE,
) -> None:  # fmt: skip
    runner = ThinkingBetter(kind(intent, engine), kind(replace(intent, goal=Goal.ABORT), engine))
    invariant = partial(broken, leaving=_UNWANTED[intent])
    found = to_an_end(record, runner, nodes, invariant=invariant, components=components)
    ends = [model for model, number in found.states.items() if number in found.ends]
    assert {OLD, _UNWANTED[intent]} == {model.ca.current for model in ends}


@pytest.mark.parametrize(
    ("intent", "kind"),
    [
        (LINKED, LookingRunner),
        (LINKED, UnansweredRunner),
        *(
            pytest.param(intent, kind, marks=long)
            for intent in (UNLINKED, RENEW)
            for kind in (LookingRunner, UnansweredRunner)
        ),
        # Where no node can be asked, no node can be told to read again either, and patience has to end first.
        pytest.param(PATIENT, LookingRunner, marks=long),
    ],
    ids=_name,
)
def test_a_node(intent: Intent, kind: type[LookingRunner], record_property: Record) -> None:
    aborted_at_any_moment(record_property, intent, kind)


@long
@pytest.mark.parametrize("kind", [LookingRunner, UnansweredRunner], ids=_name)
@pytest.mark.parametrize("intent", [LINKED, UNLINKED], ids=_name)
def test_a_node_a_component_and_the_operators_own_leaf(
    intent: Intent, kind: type[LookingRunner], record_property: Record
) -> None:
    aborted_at_any_moment(record_property, intent, kind, components=(Component.ENTITY_OPERATOR,))


@long
@pytest.mark.parametrize("intent", [LINKED, UNLINKED], ids=_name)
def test_two_nodes(intent: Intent, record_property: Record) -> None:
    aborted_at_any_moment(record_property, intent, LookingRunner, nodes=2)


def test_without_asking_who_may_have_a_leaf_of_the_ca_that_is_given_up() -> None:
    """A pod that started in between presents it, and nothing that is stored says so."""
    believing = replace(ENGINE, gates=replace(GATES, removal=_by_what_is_stored))
    with pytest.raises(CounterExample) as found:
        aborted_at_any_moment(lambda *_found: None, LINKED, UnansweredRunner, engine=believing)
    assert (found.value.breach.rule, found.value.breach.parties) == ("I2", ("pod 0",))


def _by_what_is_stored(snapshot: Snapshot, ledger: Ledger, fingerprint: str) -> tuple[Violation, ...]:
    return removal_gate(snapshot.with_nodes(in_place_obstacles=None), ledger, fingerprint)

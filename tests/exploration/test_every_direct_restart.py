# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every state that a flow can reach when the collection restarts nodes in a pause of the operator.

Pods restart at any moment, in the pause too: alone, together, in any order, and before the StrimziPodSets say with which
leaf.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent, Strategy

from ..tools.support.intents import changed_intent
from .authorities import NEW, OLD
from .cluster_ca import People
from .findings import Record, to_an_end
from .invariants import broken
from .looking import LookingRunner, UnansweredRunner
from .mixtures import ThinkingBetter, in_turn
from .people import a_pod_stays_away, lifts_the_pause
from .runs import Runner
from .starts import LINKED, NOW, RENEW, UNLINKED

long = pytest.mark.long


def _here(intent: Intent) -> Intent:
    return changed_intent(intent, strategy=Strategy.DIRECT)


def _name(value: Any) -> str:
    return str(getattr(value, "__name__", ""))


@pytest.mark.parametrize(
    "runner",
    [
        pytest.param(LookingRunner(_here(NOW)), id="now"),
        pytest.param(UnansweredRunner(_here(LINKED)), id="linked, no node can reload"),
        pytest.param(UnansweredRunner(_here(UNLINKED)), id="unlinked"),
        pytest.param(UnansweredRunner(_here(RENEW)), id="renew"),
    ],
)
def test_a_node_restarts_in_a_pause(runner: Runner, record_property: Record) -> None:
    found = to_an_end(record_property, runner, 1)
    assert found.is_reached("writes template")


@pytest.mark.parametrize("people", [lifts_the_pause, pytest.param(a_pod_stays_away, marks=long)], ids=_name)
def test_a_node_and_what_happens_meanwhile(people: People, record_property: Record) -> None:
    to_an_end(record_property, LookingRunner(_here(NOW)), 1, people)


@long
def test_a_node_a_component_and_the_operators_own_leaf(record_property: Record) -> None:
    to_an_end(record_property, LookingRunner(_here(NOW)), 1, components=(Component.ENTITY_OPERATOR,))


@pytest.mark.parametrize(
    "intents", [(_here(NOW), NOW), (NOW, _here(NOW))], ids=["to the operator", "from the operator"]
)
def test_the_strategy_changes_at_any_moment(intents: tuple[Intent, Intent], record_property: Record) -> None:
    to_an_end(record_property, in_turn(*intents), 1)


def test_an_abort_at_any_moment(record_property: Record) -> None:
    rotation = _here(NOW)
    runner = ThinkingBetter(LookingRunner(rotation), LookingRunner(replace(rotation, goal=Goal.ABORT)))
    found = to_an_end(record_property, runner, 1, invariant=partial(broken, leaving=NEW))
    ends = [model for model, number in found.states.items() if number in found.ends]
    assert {OLD, NEW} == {model.ca.current for model in ends}

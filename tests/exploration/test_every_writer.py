# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every state of a flow beside another program that writes an object back at any moment: a call that has lost the same twice writes nothing more; and beside
another that puts a removed CA back.
"""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.written import Loss
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent

from ..tools.support.breaches import Breach
from .calls import CallRunner, by_another_program
from .cluster_ca import People
from .explore import CounterExample, Explored
from .findings import Record, to_an_end
from .invariants import broken_inside
from .looking import LookingRunner
from .people import PUTS_A_REMOVED_CA_BACK, lifts_the_pause, puts_a_removed_ca_back, takes_out_the_prepared_ca
from .runs import Runner
from .starts import LINKED, RENEW, UNLINKED
from .state import CERTIFICATE, KAFKA, ModelCluster

_TWICE = 2
_NAMES = {LINKED: "linked", RENEW: "renew"}
_OBJECTS: dict[str, People] = {CERTIFICATE: takes_out_the_prepared_ca, KAFKA: lifts_the_pause}


def _stops(before: ModelCluster, after: ModelCluster, event: str) -> Breach | None:
    """I11. It may let the operator go on, and a write that was decided on before is done."""
    for number, run in enumerate(before.runs):
        decides = event.startswith(f"run {number} lists the pods and decides") and not event.endswith("nothing")
        if decides and run.call is not None and run.call.seen >= _TWICE:
            return Breach("I11", "a call goes on that has lost the same twice")
    return broken_inside(before, after, event)


def beside_another_program(record: Record, intent: Intent, target: str) -> Explored:
    they = by_another_program(_OBJECTS[target], target)
    they.__name__ = f"writes_back_the_{target.replace(' ', '_')}"
    return to_an_end(record, CallRunner(intent), 1, they, invariant=_stops)


@pytest.mark.parametrize("target", [CERTIFICATE, KAFKA])
@pytest.mark.parametrize(
    "intent", [RENEW, pytest.param(LINKED, marks=pytest.mark.long)], ids=lambda value: _NAMES.get(value, str(value))
)
def test_a_call_stops_at_the_second_loss(intent: Intent, target: str, record_property: Record) -> None:
    """When that program has left, the flow comes to its end."""
    assert beside_another_program(record_property, intent, target).is_reached("run 0 stops")


@pytest.mark.parametrize("target", [CERTIFICATE, KAFKA])
def test_a_call_that_does_not_count_its_losses(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Loss, "is_repeated", False)
    with pytest.raises(CounterExample) as found:
        beside_another_program(lambda *_found: None, RENEW, target)
    assert found.value.breach.rule == "I11"


@pytest.mark.parametrize(
    ("runner", "components"),
    [
        pytest.param(Runner(UNLINKED), (), id="nothing is asked"),
        pytest.param(
            LookingRunner(UNLINKED), (Component.ENTITY_OPERATOR,), id="nodes are asked", marks=pytest.mark.long
        ),
    ],
)
def test_a_removed_ca_that_is_put_back_is_known_as_long_as_a_pod_knows_it(
    runner: Runner, components: tuple[Component, ...], record_property: Record
) -> None:
    """Pods start at any moment: before the bundle has lost it again, too. In the end it has left, or it is in the ledger."""
    found = to_an_end(record_property, runner, 1, puts_a_removed_ca_back, components=components)
    assert found.is_reached(PUTS_A_REMOVED_CA_BACK)
    for model in (model for model, number in found.states.items() if number in found.ends):
        assert model.books is not None
        recorded = {entry.authority for entry in model.books.entries}
        recorded |= {removed.authority for removed in model.books.removed}
        assert all(one.trusts <= recorded for slot in model.slots for one in slot.channels)

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every state that a flow can reach when a node stops to answer at any moment, for as long as it likes: no node restarts for it."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates import gates
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Step
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Roll, RollReason

from ..tools.support.breaches import Breach
from ..tools.support.intents import changed_intent
from .events import start
from .explore import CounterExample, Explored
from .findings import Record, to_an_end
from .invariants import broken
from .looking import LookingRunner
from .mixtures import Mixture
from .people import hangs, keep_hands_off
from .starts import LINKED, PATIENT, RENEW
from .state import ModelCluster, Secrets, Slot, Write

long = pytest.mark.long
_NAMES = {LINKED: "linked", PATIENT: "patient", RENEW: "renew"}
RESTART = "restart"
A_NODE_RESTARTS = Breach("restarts", "a node restarts")


@dataclass
class Restarting(LookingRunner):
    """Restarts what a decision asks to restart; other runners leave that to the operator, which does it at any moment."""

    def writes_of(self, step: Step, seen: Secrets, listed: tuple[Slot, ...]) -> tuple[Write, ...]:
        if isinstance(step, Roll) and step.reason is not RollReason.USE:
            return tuple(Write("a node", RESTART, None, int(uid)) for uid in sorted(step.uids))
        return super().writes_of(step, seen, listed)

    def apply(self, write: Write, model: ModelCluster) -> ModelCluster:
        if write.verb == RESTART:
            assert write.slot is not None
            return start(model, write.slot)
        return super().apply(write, model)


def _restarts_nothing(before: ModelCluster, after: ModelCluster, event: str) -> Breach | None:
    """In these flows nodes read again what they can, and the operator restarts them for what they cannot."""
    return A_NODE_RESTARTS if f"writes {RESTART}" in event else broken(before, after, event)


def _with_silence(record: Record, intent: Intent, nodes: int) -> Explored:
    """A call waits for the answer, and has waited for it in vain at any moment."""
    in_vain = changed_intent(intent, silent_nodes=frozenset(map(str, range(nodes))))
    runner = Mixture(Restarting(intent), Restarting(in_vain))
    return to_an_end(record, runner, nodes, hangs, invariant=_restarts_nothing)


@pytest.mark.parametrize(
    ("intent", "nodes"),
    [(LINKED, 1), (RENEW, 1), pytest.param(PATIENT, 1, marks=long), pytest.param(LINKED, 2, marks=long)],
    ids=lambda value: _NAMES.get(value, str(value)),
)
def test_a_node_that_hangs(intent: Intent, nodes: int, record_property: Record) -> None:
    found = _with_silence(record_property, intent, nodes)
    assert found.is_reached("node 0 hangs")


def test_nothing_restarts_without_silence_either(record_property: Record) -> None:
    """Otherwise the tests above would show nothing."""
    to_an_end(record_property, Restarting(LINKED), 1, keep_hands_off, invariant=_restarts_nothing)


def test_a_missing_answer_that_is_taken_for_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the gate of the link certificate and by the decision: either of them alone goes on when the other does not wait."""
    monkeypatch.setattr(decide, "await_needed_answers", lambda found, *_arguments: found)
    monkeypatch.setattr(gates, "select_refusals", bool)
    with pytest.raises(CounterExample) as found:
        _with_silence(lambda *_found: None, LINKED, 1)
    assert found.value.breach == A_NODE_RESTARTS

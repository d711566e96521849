# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every state of a replacement that is to stop for an approval, and of calls with other goals that come at any moment meanwhile."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import journal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent

from ..tools.support.breaches import Breach
from ..tools.support.intents import changed_intent
from . import runs
from .authorities import NEW, OLD
from .explore import CounterExample, Explored
from .findings import Record, to_an_end
from .invariants import broken
from .mixtures import in_turn
from .starts import LINKED, RECONCILE
from .state import ModelCluster

_PHASES = [Phase.PREPARE, Phase.TRUST]
BEYOND_ITS_STOP = Breach("stops", "the flow goes beyond its stop")


def _goes_beyond(before: ModelCluster, after: ModelCluster, event: str) -> Breach | None:
    if after.ca.current != OLD or any(slot.stored.authority == NEW for slot in after.slots):
        return BEYOND_ITS_STOP
    return broken(before, after, event)


def _until(phase: Phase) -> Intent:
    return changed_intent(LINKED, last_phase=phase, stop_after=phase)


def _stopped(record: Record, phase: Phase, other: Intent) -> Explored:
    """The call that has asked for the stop comes again and again, and another one in between."""
    return to_an_end(record, in_turn(_until(phase), other), 1, invariant=_goes_beyond)


@pytest.mark.parametrize("phase", _PHASES)
def test_no_other_call_goes_beyond_a_stop(phase: Phase, record_property: Record) -> None:
    found = _stopped(record_property, phase, RECONCILE)
    assert found.is_reached("is killed")
    ends = {
        model.books.flow.stop
        for model, number in found.states.items()
        if number in found.ends and model.books and model.books.flow
    }
    assert ends == {phase.value}


@pytest.mark.long
@pytest.mark.parametrize("phase", _PHASES)
def test_a_call_that_leads_it_on_ends_the_flow(phase: Phase, record_property: Record) -> None:
    runner = in_turn(_until(phase), RECONCILE, LINKED)
    found = to_an_end(record_property, runner, 1)
    assert {model.ca.current for model, number in found.states.items() if number in found.ends} == {NEW}


def _beyond(phase: Phase) -> None:
    with pytest.raises(CounterExample) as found:
        _stopped(lambda *_found: None, phase, RECONCILE)
    assert found.value.breach == BEYOND_ITS_STOP


def test_a_stop_that_the_journal_does_not_keep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal, "stop_of", lambda *_arguments: None)
    _beyond(Phase.PREPARE)


def test_a_stop_that_is_not_left_beside_the_prepared_ca(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call that is killed before its journal is open has said so nowhere else."""
    monkeypatch.setattr(runs, "phase_of", lambda _stop: None)
    _beyond(Phase.PREPARE)


def test_a_call_of_another_goal_that_leads_the_flow(monkeypatch: pytest.MonkeyPatch) -> None:
    leads: Any = lambda *_arguments: True  # noqa: E731
    monkeypatch.setattr(journal, "may_lead_flow", leads)
    _beyond(Phase.PREPARE)

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The outcome of a decision as a whole: until, pending, done, and a complete replacement from end to end."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decision import Decision
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent, Phase, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.sentences import sentence
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import (
    DeleteLedger,
    Face,
    IssueLeaves,
    Pause,
    PrepareAuthority,
    Project,
    Promote,
    RestoreKey,
    Resume,
    Roll,
    RollReason,
    SetGenerated,
    Step,
    TidyKeys,
    TrueKeyGeneration,
    Withdraw,
    WriteLedger,
)

from . import rotation as stage
from .builders import OLD, ledger
from .refusals import REPLACE_KEY

#: The phase of the next step of a replacement; steps that only bring the books up to date belong to none.
PHASES = {
    "SETTLED": Phase.PREPARE,
    "ENROLLED": Phase.PREPARE,
    "PROJECTED": Phase.PREPARE,
    "READ_BACK": Phase.TRUST,
    "TRUSTED": Phase.USE,
    "LEARNED": Phase.USE,
    "TIDIED": Phase.USE,
    "SHARED": Phase.USE,
    "PHASED_OUT": Phase.RETIRE,
    "WITHDRAWN": Phase.RETIRE,
    "REMOVED": Phase.RETIRE,
}
ORDER = (Phase.PREPARE, Phase.TRUST, Phase.USE, Phase.RETIRE)


@pytest.mark.parametrize(("step", "phase"), PHASES.items())
@pytest.mark.parametrize("until", Phase)
def test_a_flow_stops_after_the_phase_that_was_asked_for(step: str, phase: Phase, until: Phase) -> None:
    whole, found = (
        decide(stage.STAGES[step], REPLACE_KEY),
        decide(stage.STAGES[step], replace(REPLACE_KEY, until=until)),
    )
    if ORDER.index(phase) <= ORDER.index(until):
        assert found == whole
    else:
        pending = tuple(sentence(one, stage.STAGES[step]) for one in whole.steps)
        assert found == Decision(done=True, pending=pending)


@pytest.mark.parametrize("step", ["PREPARED", "RESTARTED", "USED", "OUT_OF_BUNDLE", "RETIRED"])
def test_the_books_are_kept_wherever_a_flow_stops(step: str) -> None:
    """What happened has happened; a ledger that lags behind would be a wrong record."""
    found = decide(stage.STAGES[step], replace(REPLACE_KEY, until=Phase.PREPARE))
    assert found == decide(stage.STAGES[step], REPLACE_KEY)
    assert [type(one) for one in found.steps] == [WriteLedger]


def test_all_phases_are_allowed_unless_it_is_said_otherwise() -> None:
    assert all(REPLACE_KEY.allows(phase) for phase in Phase)
    assert [phase for phase in Phase if replace(REPLACE_KEY, until=Phase.USE).allows(phase)] == list(ORDER[:3])


@pytest.mark.parametrize(
    ("step", "phase"),
    [
        ("PREPARED", Phase.PREPARE),
        ("RESTARTED", Phase.TRUST),
        ("HALF_USED", Phase.USE),
        ("USED", Phase.USE),
        ("OUT_OF_BUNDLE", Phase.RETIRE),
        ("RETIRED", Phase.RETIRE),
    ],
)
def test_a_write_of_the_books_tells_how_far_the_flow_has_come(step: str, phase: Phase) -> None:
    (written,) = decide(stage.STAGES[step], REPLACE_KEY).steps
    assert written.phase is phase


def test_a_second_run_of_what_has_finished_does_nothing() -> None:
    for goal in (Goal.REPLACE_KEY, Goal.RECONCILE, Goal.UPGRADE, Goal.CREATE):
        assert decide(stage.FINISHED, Intent(goal)) == Decision(done=True)


def test_a_second_run_that_names_the_replaced_ca_does_nothing_even_later() -> None:
    later = replace(REPLACE_KEY, replaces=OLD.certificate.sha256, fresh_for=timedelta(0))
    assert decide(stage.FINISHED, later) == Decision(done=True)


def test_transitions_come_with_the_write_that_records_them() -> None:
    found = decide(stage.USED, REPLACE_KEY)
    assert len(found.transitions) == 2
    assert decide(stage.PHASED_OUT, REPLACE_KEY).transitions == ()


def test_next_face() -> None:
    assert decide(stage.TRUSTED, REPLACE_KEY).next_face is Face.AUTHORITY
    assert decide(stage.TRUSTED, replace(REPLACE_KEY, way=Way.TAKEOVER)).next_face is Face.RECONCILIATION
    assert Decision().next_face is None


FACES: list[tuple[Step, Face]] = [
    (WriteLedger(ledger(), Phase.USE), Face.TRUST),
    (DeleteLedger(), Face.TRUST),
    (Project(()), Face.TRUST),
    (Withdraw(""), Face.TRUST),
    (PrepareAuthority(Goal.CREATE, (), 0), Face.AUTHORITY),
    (Promote("", 1), Face.AUTHORITY),
    (RestoreKey(""), Face.AUTHORITY),
    (TidyKeys(frozenset(), frozenset(), Phase.USE), Face.AUTHORITY),
    (SetGenerated(True, Phase.RETIRE), Face.AUTHORITY),
    (TrueKeyGeneration(1), Face.AUTHORITY),
    (IssueLeaves((), 1), Face.LEAVES),
    (Pause(), Face.RECONCILIATION),
    (Resume(), Face.RECONCILIATION),
    (Roll(RollReason.USE, frozenset(), None, Phase.USE), Face.ROLL),
]


@pytest.mark.parametrize(("step", "face"), FACES, ids=lambda value: type(value).__name__)
def test_each_step_tells_the_module_that_carries_it_out(step: Step, face: Face) -> None:
    assert Decision(steps=(step,)).next_face is face

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which step comes next in each situation of a rotation, when the operator issues the leaves (cooperate), without a bridge."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Bridge, Intent, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import (
    AwaitBundle,
    PrepareAuthority,
    Project,
    Promote,
    Roll,
    RollReason,
    Step,
    TidyKeys,
    Withdraw,
    WriteLedger,
)

from . import rotation as stage
from .builders import (
    NEW,
    OLD,
    PODS,
    chain_of,
    name_of,
    names_of,
    uids_of,
)
from .rotation import books_of

RENEW, REPLACE_KEY = Intent(Goal.RENEW), Intent(Goal.REPLACE_KEY, bridge=Bridge.NEVER)
BOTH, NOBODY = names_of(OLD, NEW), frozenset[str]()


def steps(snapshot: Snapshot, intent: Intent = REPLACE_KEY) -> tuple[Step, ...]:
    found = decide(snapshot, intent)
    assert found.violations == ()
    return found.steps


NEXT: dict[str, tuple[Step, ...]] = {
    "SETTLED": (PrepareAuthority(Goal.REPLACE_KEY, chain_of(OLD), 1),),
    "ENROLLED": (Project((chain_of(NEW),)), AwaitBundle(BOTH, NOBODY, Phase.PREPARE)),
    "PROJECTED": (AwaitBundle(BOTH, NOBODY, Phase.PREPARE),),
    "READ_BACK": (Roll(RollReason.TRUST, uids_of(), name_of(NEW), Phase.TRUST),),
    "HALF_RESTARTED": (Roll(RollReason.TRUST, uids_of(*PODS[1:]), name_of(NEW), Phase.TRUST),),
    "TRUSTED": (Promote(name_of(NEW), 1),),
    "LEARNED": (TidyKeys(names_of(NEW), NOBODY, Phase.USE),),
    "TIDIED": (Roll(RollReason.USE, uids_of(start=1), name_of(NEW), Phase.USE),),
    "ISSUED": (Roll(RollReason.USE, uids_of(start=1), name_of(NEW), Phase.USE),),
    "SHARED": (Roll(RollReason.USE, uids_of(*PODS[1:], start=1), name_of(NEW), Phase.USE),),
    "PHASED_OUT": (Withdraw(name_of(OLD)), AwaitBundle(names_of(NEW), names_of(OLD), Phase.RETIRE)),
    "WITHDRAWN": (AwaitBundle(names_of(NEW), names_of(OLD), Phase.RETIRE),),
    "REMOVED": (Roll(RollReason.RETIRE, uids_of(start=2), name_of(OLD), Phase.RETIRE),),
    "HALF_RETIRED": (Roll(RollReason.RETIRE, uids_of(*PODS[1:], start=2), name_of(OLD), Phase.RETIRE),),
    "FINISHED": (),
}
KEEPS_BOOKS = {
    "PREPARED": "ENROLLED",
    "IN_BUNDLE": "READ_BACK",
    "RESTARTED": "TRUSTED",
    "PROMOTED": "LEARNED",
    "HALF_USED": "SHARED",
    "USED": "PHASED_OUT",
    "OUT_OF_BUNDLE": "REMOVED",
    "RETIRED": "FINISHED",
}


@pytest.mark.parametrize(("step", "expected"), NEXT.items())
def test_the_next_step_of_a_replacement(step: str, expected: tuple[Step, ...]) -> None:
    assert steps(stage.STAGES[step]) == expected


@pytest.mark.parametrize(("step", "follows"), KEEPS_BOOKS.items())
def test_what_was_reached_is_written_down_before_anything_else(step: str, follows: str) -> None:
    (written,) = steps(stage.STAGES[step])
    assert isinstance(written, WriteLedger)
    expected, found = books_of(stage.STAGES[follows]), written.ledger
    assert (found.entries, found.removed) == (expected.entries, expected.removed)
    assert bool(found.journal and found.journal.finished_at) == (follows == "FINISHED")


def test_every_step_of_a_replacement_is_told() -> None:
    assert {*NEXT, *KEEPS_BOOKS} == set(stage.STAGES)


@pytest.mark.parametrize("goal", Goal)
@pytest.mark.parametrize("step", ["ENROLLED", "READ_BACK", "TRUSTED", "LEARNED", "TIDIED", "PHASED_OUT", "REMOVED"])
def test_a_flow_that_was_begun_is_continued_by_every_goal_but_handing_back(step: str, goal: Goal) -> None:
    if goal is not Goal.DOWNGRADE:
        assert steps(stage.STAGES[step], Intent(goal)) == NEXT[step]
    else:
        assert decide(stage.STAGES[step], Intent(goal)).steps == ()

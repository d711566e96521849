# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which step comes next when we issue the leaves while the operator is paused (takeover)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent, Phase, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Reconciliation, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import (
    IssueLeaves,
    Pause,
    Promote,
    Resume,
    Step,
    WriteLedger,
)

from . import rotation as stage
from .builders import (
    NEW,
    OLD,
    PODS,
    RENEWED,
    a_journal,
    a_leaf,
    cluster,
    entry,
    leaves,
    ledger,
    name_of,
    names_of,
    others,
    prepared,
    secrets,
    uids_of,
)
from .rotation import UNUSED, books_of

TAKEOVER = Intent(Goal.REPLACE_KEY, Way.TAKEOVER)
ASKED = Reconciliation(paused=True, paused_by_us=True)
PAUSED = replace(ASKED, pause_effective=True)


def steps(snapshot: Snapshot, state: Reconciliation, intent: Intent = TAKEOVER) -> tuple[Step, ...]:
    return decide(replace(snapshot, reconciliation=state), intent).steps


NEXT: list[tuple[str, Reconciliation, tuple[Step, ...]]] = [
    ("TRUSTED", Reconciliation(), (Pause(),)),
    # The operator may be in the middle of a reconcile until it confirms the pause.
    ("TRUSTED", ASKED, (Pause(),)),
    ("TRUSTED", PAUSED, (Promote(name_of(NEW), 1),)),
    ("LEARNED", PAUSED, (IssueLeaves(PODS, 1),)),
    ("TIDIED", PAUSED, (IssueLeaves(PODS, 1),)),
    ("ISSUED", PAUSED, (Resume(),)),
    ("PHASED_OUT", PAUSED, (Resume(),)),
    # A crash after the pause: nothing needs it any more.
    ("SETTLED", PAUSED, (Resume(),)),
    ("READ_BACK", PAUSED, (Resume(),)),
    ("FINISHED", PAUSED, (Resume(),)),
]


@pytest.mark.parametrize(("step", "state", "expected"), NEXT)
def test_the_next_step(step: str, state: Reconciliation, expected: tuple[Step, ...]) -> None:
    assert steps(stage.STAGES[step], state) == expected


def test_the_generation_is_written_down_before_leaves_are_issued() -> None:
    (written,) = steps(stage.PROMOTED, PAUSED)
    assert isinstance(written, WriteLedger)
    assert written.ledger == stage.LEARNED.ledger


def test_only_leaves_that_are_behind_are_issued() -> None:
    half = replace(stage.LEARNED, leaves=(a_leaf(PODS[2]), a_leaf(PODS[0], NEW, 1), a_leaf(PODS[1], generation=None)))
    assert steps(half, PAUSED) == (IssueLeaves(PODS[1:], 1),)


@pytest.mark.parametrize("step", ["LEARNED", "TIDIED"])
def test_no_leaves_are_issued_while_the_operator_works(step: str) -> None:
    asked_for = steps(stage.STAGES[step], Reconciliation())
    assert not any(isinstance(one, IssueLeaves) for one in asked_for)


@pytest.mark.parametrize("step", ["LEARNED", "TIDIED"])
def test_no_leaves_are_issued_from_a_ca_that_a_process_cannot_validate(step: str) -> None:
    """Somebody changed the trust in our pause: it ends, and the flow goes on with the trust roll."""
    snapshot = stage.STAGES[step]
    waiting = entry(NEW, UNUSED, {1}, awaiting=uids_of(PODS[0], start=1))
    assert steps(replace(snapshot, ledger=books_of(snapshot).with_entry(waiting)), PAUSED) == (Resume(),)


@pytest.mark.parametrize("step", ["LEARNED", "TIDIED"])
def test_who_goes_on_without_takeover_lets_the_operator_issue(step: str) -> None:
    assert steps(stage.STAGES[step], PAUSED, Intent(Goal.REPLACE_KEY)) == (Resume(),)


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"reconciliation": Reconciliation(exists=False)}, id="no Kafka resource"),
        pytest.param({"reconciliation": Reconciliation()}, id="no pods"),
    ],
)
def test_without_a_running_cluster_there_is_nothing_to_pause(fields: dict[str, Any]) -> None:
    snapshot = replace(stage.TRUSTED, pods=(), leaves=(), ca=replace(stage.TRUSTED.ca, current=()), **fields)
    found = decide(snapshot, Intent(Goal.CREATE, Way.TAKEOVER))
    assert not any(isinstance(one, Pause) for one in found.steps)


@pytest.mark.parametrize("until", Phase)
def test_a_pause_of_ours_is_brought_to_its_end_wherever_the_caller_stops(until: Phase) -> None:
    intent = replace(TAKEOVER, until=until)
    assert steps(stage.LEARNED, PAUSED, intent) == (IssueLeaves(PODS, 1),)
    assert steps(stage.ISSUED, PAUSED, intent) == (Resume(),)


def test_what_follows_the_pause_is_the_same_as_without_takeover() -> None:
    issued = replace(stage.ISSUED, leaves=leaves(NEW, 1))
    assert steps(issued, Reconciliation()) == steps(issued, Reconciliation(), Intent(Goal.REPLACE_KEY))


def test_a_pause_ends_where_only_the_operator_can_fill_the_bundle() -> None:
    """A renewal validates everywhere at once, and is promoted only from a bundle that new pods start with."""
    books = ledger(
        entry(OLD, generations={0}),
        entry(RENEWED, UNUSED, awaiting=None),
        journal=a_journal(Goal.RENEW, OLD, RENEWED),
    )
    ca = secrets(others=others(RENEWED), prepared=(prepared(RENEWED),))
    snapshot = cluster(ca=ca, ledger=books, bundle=names_of(OLD))
    assert steps(snapshot, PAUSED, Intent(Goal.RENEW, Way.TAKEOVER)) == (Resume(),)

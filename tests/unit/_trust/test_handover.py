# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Handing the CA back: the key generation is made true at the price of one roll, then the operator owns it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.handover import hand_over
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal, Journal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Reconciliation, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import (
    DeleteLedger,
    Pause,
    Resume,
    Roll,
    RollReason,
    SetGenerated,
    Step,
    TrueKeyGeneration,
    WriteLedger,
)

from .._pki.hierarchy import NOW
from .builders import (
    NEW,
    OLD,
    PODS,
    a_journal,
    a_pod,
    cluster,
    entry,
    leaves,
    ledger,
    name_of,
    pods,
    secrets,
    uids_of,
)
from .rotation import ANY, books_of

DOWNGRADE = Intent(Goal.DOWNGRADE)
RUNNING = Reconciliation()
ASKED = Reconciliation(paused=True, paused_by_us=True)
PAUSED = replace(ASKED, pause_effective=True)
GENERATED = Reconciliation(generated=True)
HANDING_BACK = Journal(Goal.DOWNGRADE, name_of(NEW), None, NOW, awaiting=uids_of())


def handing_back(
    key_generation: int, journal: Journal | None = None, state: Reconciliation = RUNNING, start: int = 0
) -> Snapshot:
    """The CA in use is called v1; key_generation: what the key Secret says."""
    return cluster(
        ca=secrets(NEW, certificate_generation=1, key_generation=key_generation),
        ledger=ledger(entry(NEW, generations={1}), journal=journal),
        pods=pods(1, start=start),
        leaves=leaves(NEW, 1),
        reconciliation=state,
    )


def steps(snapshot: Snapshot) -> tuple[Step, ...]:
    found = decide(snapshot, DOWNGRADE)
    assert found.violations == ()
    return found.steps


NEXT: list[tuple[str, Snapshot, tuple[Step, ...]]] = [
    ("the key generation is true already", handing_back(1), (SetGenerated(True, Phase.RETIRE),)),
    ("the pods that will be rolled are known", handing_back(0, HANDING_BACK), (Pause(),)),
    ("the pause is not confirmed", handing_back(0, HANDING_BACK, ASKED), (Pause(),)),
    ("paused", handing_back(0, HANDING_BACK, PAUSED), (TrueKeyGeneration(1),)),
    ("ahead of the name", handing_back(7, HANDING_BACK, PAUSED), (TrueKeyGeneration(1),)),
    ("raised", handing_back(1, HANDING_BACK, PAUSED), (Resume(),)),
    ("a pause that nothing needs", handing_back(1, None, PAUSED), (Resume(),)),
    ("resumed", handing_back(1, HANDING_BACK), (Roll(RollReason.HAND_OVER, uids_of(), None, Phase.USE),)),
    ("rolled", handing_back(1, HANDING_BACK, start=1), (SetGenerated(True, Phase.RETIRE),)),
    ("handed back", handing_back(1, HANDING_BACK, GENERATED, start=1), (DeleteLedger(),)),
    ("handed back before", handing_back(0, None, GENERATED), (DeleteLedger(),)),
]


@pytest.mark.parametrize(("snapshot", "expected"), [pytest.param(*case[1:], id=case[0]) for case in NEXT])
def test_the_next_step(snapshot: Snapshot, expected: tuple[Step, ...]) -> None:
    assert steps(snapshot) == expected


@pytest.mark.parametrize(
    "last", [None, a_journal(finished_at=NOW), replace(HANDING_BACK, finished_at=NOW)], ids=["none", "done", "again"]
)
def test_the_pods_to_be_rolled_are_recorded_before_anything_is_changed(last: Journal | None) -> None:
    (written,) = steps(handing_back(0, last))
    assert isinstance(written, WriteLedger)
    assert written.phase is Phase.PREPARE
    assert written.ledger == ledger(entry(NEW, generations={1}), journal=HANDING_BACK)


def test_only_pods_that_existed_then_are_waited_for() -> None:
    half = replace(handing_back(1, HANDING_BACK), pods=(a_pod(generation=1, start=1), *pods(1, names=PODS[1:])))
    assert steps(half) == (Roll(RollReason.HAND_OVER, uids_of(*PODS[1:]), None, Phase.USE),)


def test_a_cluster_that_is_the_operators_is_done() -> None:
    found = decide(cluster(ledger=None, reconciliation=GENERATED), DOWNGRADE)
    assert (found.steps, found.done) == ((), True)


def test_a_cluster_without_ledger_is_handed_back_after_its_books_are_in_order() -> None:
    (written,) = steps(cluster(ledger=None))
    assert isinstance(written, WriteLedger)
    assert steps(cluster(ledger=ledger(entry(OLD, generations={0})))) == (SetGenerated(True, Phase.RETIRE),)


@pytest.mark.parametrize(
    ("snapshot", "until", "pending"),
    [
        (handing_back(1), Phase.USE, "give the cluster CA to the operator"),
        (handing_back(1, HANDING_BACK), Phase.TRUST, "restart 3 pods after the change of the key generation"),
        (handing_back(1, HANDING_BACK, GENERATED), Phase.USE, "delete the ledger"),
    ],
)
def test_handing_back_can_be_left_half_way(snapshot: Snapshot, until: Phase, pending: str) -> None:
    found = decide(snapshot, replace(DOWNGRADE, until=until))
    assert (found.steps, found.done, found.pending) == ((), True, (pending,))


def test_pods_that_share_two_cas_are_seen_to_first() -> None:
    """In the last roll the pods present both for a while: the flow goes on, and nothing is handed back before."""
    mixed = replace(
        handing_back(1, HANDING_BACK), ledger=ledger(entry(NEW, ANY, {1}), journal=HANDING_BACK), pods=pods(1, start=1)
    )
    (written,) = steps(mixed)
    assert isinstance(written, WriteLedger)


def test_the_journal_of_another_flow_says_nothing_about_pods_to_be_rolled() -> None:
    """The preconditions refuse to hand back meanwhile; were they passed, the key generation would still wait."""
    snapshot = handing_back(0, a_journal())
    assert [type(one) for one in hand_over(snapshot, books_of(snapshot))] == [WriteLedger]

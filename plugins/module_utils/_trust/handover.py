# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Giving the CA back to the operator (the downgrade flow): at most one roll, and the key generation is true."""

from __future__ import annotations

from dataclasses import replace

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.authorities import authority_generation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.journal import in_flight
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal, Journal, Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Snapshot
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


def hand_over(snapshot: Snapshot, ledger: Ledger) -> tuple[Step, ...]:
    """The next step of handing back.

    The operator names the CA of its next key ``v<key generation + 1>``; were the generation behind the name of our
    last CA, two CAs would get one name. Raised on the Secret alone it costs two rolls; raised on every pod at the
    same time, in a pause, it costs the one that the changed pod template brings (operator-facts, "Pause").
    """
    if snapshot.reconciliation.generated:
        return (DeleteLedger(),) if snapshot.ledger is not None else ()
    true_generation = authority_generation(snapshot.ca.current[0])
    journal = in_flight(ledger)
    if true_generation is not None and true_generation != snapshot.ca.key_generation:
        return _raise_key_generation(snapshot, ledger, journal, true_generation)
    if snapshot.reconciliation.paused_by_us:
        return (Resume(),)
    waiting = (journal.awaiting or frozenset()) & snapshot.uids if journal else frozenset()
    if waiting:
        return (Roll(RollReason.HAND_OVER, waiting, None, Phase.USE),)
    return (SetGenerated(True, Phase.RETIRE),)


def _raise_key_generation(
    snapshot: Snapshot, ledger: Ledger, journal: Journal | None, generation: int
) -> tuple[Step, ...]:
    if journal is None or journal.goal is not Goal.DOWNGRADE:
        opened = Journal(Goal.DOWNGRADE, snapshot.ca.current[0].fingerprint, None, snapshot.now, awaiting=snapshot.uids)
        return (WriteLedger(replace(ledger, journal=opened), Phase.PREPARE),)
    if not snapshot.reconciliation.pause_effective:
        return (Pause(),)
    return (TrueKeyGeneration(generation),)

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Which prepared CA may start to issue, and how far a promotion has come."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.bookkeeping import is_projected
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.bridges import (
    is_crossed,
    is_to_be_crossed,
    may_cross,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates import trust_gate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.journal import is_current
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.publication import is_published
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.states import TRUSTED_STATES, TrustState
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import Promote


def promotable(snapshot: Snapshot, intent: Intent) -> Promote | None:
    """The promotion of the prepared CA that may issue now, None when there is none or its gates do not hold."""
    for authority in snapshot.ca.prepared:
        entry = snapshot.ledger.find(authority.fingerprint) if snapshot.ledger else None
        if entry is None or snapshot.ledger is None or is_current(snapshot, entry):
            continue
        generation = current_generation(snapshot) + 1 if snapshot.ca.current else 0
        if not snapshot.ca.current and not snapshot.pods:
            return Promote(entry.fingerprint, generation)
        if not is_projected(snapshot, entry.fingerprint) or not is_published(snapshot, intent, entry):
            continue
        crossed = is_crossed(snapshot, snapshot.ledger)
        if crossed and any(other.state is TrustState.PHASE_OUT for other in snapshot.ledger.entries):
            # What keeps the old CA is to be looked at, not to be issued anew.
            continue
        if crossed or not is_to_be_crossed(snapshot, intent, snapshot.ledger, entry):
            known = entry.state in TRUSTED_STATES
            if known and not trust_gate(snapshot, snapshot.ledger, entry.chain):
                return Promote(entry.fingerprint, generation, phase=Phase.RETIRE if crossed else Phase.USE)
        elif may_cross(snapshot, intent, snapshot.ledger, authority):
            return Promote(entry.fingerprint, generation, bridged=True)
    return None


def is_promoted(snapshot: Snapshot, intent: Intent) -> bool:
    """The promotion is written and the operator has not been let on again."""
    paused = snapshot.reconciliation.paused_by_us and bool(snapshot.ca.current)
    return paused and promotable(snapshot, intent) is None


def is_paused(snapshot: Snapshot) -> bool:
    return snapshot.reconciliation.paused_by_us and snapshot.reconciliation.pause_effective


def current_generation(snapshot: Snapshot) -> int:
    return snapshot.ca.certificate_generation

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Waiting for clients outside the cluster, where all that a gate lacks is on its way to them by itself.

The operator looks at Connect, MirrorMaker 2 and Bridge every two minutes, copies what their resource selects from the
CA certificate Secret, and restarts them (strimzi.md 3).
"""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.bookkeeping import is_projected, is_withdrawn
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.bridges import crossing
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates import removal_gate, trust_gate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.journal import is_current
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.outside import settled
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.states import TrustState
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import AwaitOutside
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.violations import Violation

Obstacles = tuple[tuple[Violation, ...], tuple[Violation, ...], Phase]


def await_outside(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> tuple[AwaitOutside, ...]:
    """Asked last: only outside clients are in the way, and they will not be once the operator has looked at them.

    One that stays as it is holds the flow with its violation instead; nobody waits in vain.
    """
    if not snapshot.outside:
        return ()
    for now, then, phase in _obstacles(snapshot, settled(snapshot), ledger):
        if now and not then:
            return (AwaitOutside(tuple(violation.subject for violation in now), phase),)
    return ()


def _obstacles(now: Snapshot, then: Snapshot, ledger: Ledger) -> Iterator[Obstacles]:
    """What each closed gate lacks now and what it would lack then, with the phase that it stands before."""
    prepared = {authority.fingerprint for authority in now.ca.prepared}
    # What comes after a bridge is its removal.
    promotion = Phase.TRUST if crossing(now, ledger) is None else Phase.RETIRE
    for entry in ledger.entries:
        if entry.fingerprint in prepared and not is_current(now, entry) and is_projected(now, entry.fingerprint):
            yield trust_gate(now, ledger, entry.chain), trust_gate(then, ledger, entry.chain), promotion
        if entry.state is TrustState.PHASE_OUT and not is_withdrawn(now, entry.fingerprint):
            closed = removal_gate(now, ledger, entry.fingerprint)
            yield closed, removal_gate(then, ledger, entry.fingerprint), Phase.RETIRE

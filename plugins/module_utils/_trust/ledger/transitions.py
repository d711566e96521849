# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The edges that CAs take: by the gate before use, or by usage (docs/design.md, "States")."""

from __future__ import annotations

from dataclasses import replace

from ..evidence.parties import present_all
from ..evidence.stored import usage_of
from ..gates.gates import Gates
from ..gates.introduction import why_not_presented
from ..model.intent import Intent
from ..model.ledger import Ledger, LedgerEntry
from ..model.snapshot import Snapshot
from ..model.states import UNUSED, TrustState, Usage, after_usage


def advance_states(snapshot: Snapshot, intent: Intent, ledger: Ledger, gates: Gates) -> Ledger:
    """The ledger after at most one transition for each CA."""
    presentations = present_all(snapshot, ledger)
    changed, leaving = ledger, {intent.leaving, ledger.undone}
    for entry in ledger.entries:
        usage = usage_of(entry.fingerprint, presentations)
        after = _state_after(snapshot, ledger, entry, usage, gates)
        if (
            entry.fingerprint in leaving
            and entry.state in UNUSED
            and usage is Usage.NONE
            and _is_known(snapshot, entry)
        ):
            after = TrustState.PHASE_OUT
        if after is not entry.state:
            changed = changed.with_entry(replace(entry, state=after, awaiting=_still_awaiting(snapshot, entry)))
    return changed


def _state_after(snapshot: Snapshot, ledger: Ledger, entry: LedgerEntry, usage: Usage, gates: Gates) -> TrustState:
    if entry.state is not TrustState.UNTRUSTED:
        # A CA that enters as TRUSTED_UNUSED has made its one step of this pass.
        return after_usage(entry.state, usage) if _is_known(snapshot, entry) else entry.state
    # Without pods the state is kept. Before the CA was read back, a process that starts now might miss it.
    if usage is Usage.NO_PODS or entry.awaiting is None or why_not_presented(snapshot, ledger, entry, gates):
        return TrustState.UNTRUSTED
    return TrustState.TRUSTED_UNUSED


def _is_known(snapshot: Snapshot, entry: LedgerEntry) -> bool:
    """Whether it was in the ledger before this pass."""
    return snapshot.ledger is not None and snapshot.ledger.find(entry.fingerprint) is not None


def _still_awaiting(snapshot: Snapshot, entry: LedgerEntry) -> frozenset[str] | None:
    return None if entry.awaiting is None else entry.awaiting & snapshot.uids

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""CAs that left the trust leave the ledger."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from ..gates.gates import Gates
from ..model.ledger import Ledger, LedgerEntry, RemovedEntry
from ..model.snapshot import Snapshot
from ..model.states import TrustState
from .journal import in_flight
from .projection import is_out_of_reach


def strike_removed(snapshot: Snapshot, ledger: Ledger, gates: Gates) -> Ledger:
    """Strike a withdrawn PHASE_OUT CA off the ledger and remember the processes that still trust it.

    Where another CA of the ledger has the same name and key (a renewal), trusting the old certificate adds nothing:
    no process has to be remembered, but for clients whether the old one allows no CA below it. Without pods the state is kept, and so is that
    of a CA that is prepared, which would be enrolled again, and of one that the flow in flight leads to.
    """
    journal = in_flight(ledger)
    wanted = {*(authority.fingerprint for authority in snapshot.ca.prepared), journal.successor if journal else None}
    for entry in ledger.entries:
        if entry.fingerprint in wanted:
            continue
        known = snapshot.ledger and snapshot.ledger.find(entry.fingerprint)
        if not known or known.state is not TrustState.PHASE_OUT or entry.state is not TrustState.PHASE_OUT:
            continue
        if not snapshot.nodes.pods or not is_out_of_reach(snapshot, ledger, entry.fingerprint):
            continue
        if gates.removal(snapshot, ledger, entry.fingerprint):
            continue
        ledger = _clear(ledger.without_entry(entry.fingerprint), entry, snapshot.now)
        if not _has_twin(ledger, entry):
            removed = RemovedEntry(entry.certificate, snapshot.uids)
            ledger = replace(ledger, removed=(*ledger.removed, removed))
    return ledger


def _clear(ledger: Ledger, gone: LedgerEntry, now: datetime) -> Ledger:
    """Record with the renewals of a CA since when clients read none of its certificates any more that allows no CA below it."""
    cleared = now if gone.certificate.path_length == 0 else gone.cleared_at
    if cleared is None:
        return ledger
    for entry in ledger.entries:
        if entry.certificate.is_twin_of(gone.certificate) and entry.certificate.path_length != 0:
            ledger = ledger.with_entry(replace(entry, cleared_at=max(cleared, entry.cleared_at or cleared)))
    return ledger


def _has_twin(ledger: Ledger, entry: LedgerEntry) -> bool:
    """Whether a CA of the ledger has the same name and key, so that it validates the same leaves."""
    return any(other.certificate.is_twin_of(entry.certificate) for other in ledger.entries)

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The CAs that belong into the ledger: every CA of the CA certificate Secret, and every prepared CA."""

from __future__ import annotations

from dataclasses import replace

from ..model.ledger import Ledger, LedgerEntry
from ..model.snapshot import Snapshot
from ..model.states import TrustState


def as_seen(snapshot: Snapshot) -> Ledger:
    """The ledger. For a cluster that was never adopted, the ledger that its adoption would begin with: so that its CAs
    can be shown.
    """
    if snapshot.ledger is not None:
        return snapshot.ledger
    return learn_generation(snapshot, enrol_authorities(snapshot, Ledger()))


def enrol_authorities(snapshot: Snapshot, ledger: Ledger) -> Ledger:
    """Add what is missing as UNTRUSTED.

    A cluster without a ledger is adopted: the CA it works with enters as TRUSTED_UNUSED (docs/design.md, "States").
    """
    adopting = snapshot.ledger is None
    prepared = {authority.fingerprint for authority in snapshot.ca.prepared}
    current = snapshot.ca.current
    if adopting and current and current[0].fingerprint not in prepared:
        adopted = LedgerEntry(current, TrustState.TRUSTED_UNUSED, awaiting=frozenset())
        ledger = ledger.with_entry(adopted)
    chains = [
        *([current] if current else []),
        *snapshot.ca.others.values(),
        *(authority.chain for authority in snapshot.ca.prepared),
    ]
    for chain in chains:
        if ledger.find(chain[0].fingerprint) is None and chain[0].fingerprint not in ledger.leaving:
            ledger = ledger.with_entry(LedgerEntry(chain, TrustState.UNTRUSTED))
    # A removed CA that is enrolled again is no longer on its way out.
    gone = tuple(entry for entry in ledger.removed if ledger.find(entry.fingerprint) is None)
    return replace(ledger, removed=gone)


def learn_generation(snapshot: Snapshot, ledger: Ledger) -> Ledger:
    """Record that the generation of the certificate Secret means the CA in ``ca.crt``, unless it means another CA
    already.
    """
    if not snapshot.ca.current:
        return ledger
    generation = snapshot.ca.certificate_generation
    entry = ledger.find(snapshot.ca.current[0].fingerprint)
    if entry is None or any(generation in other.generations for other in ledger.entries):
        return ledger
    return ledger.with_entry(replace(entry, generations=entry.generations | {generation}))

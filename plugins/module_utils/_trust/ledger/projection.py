# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Whether the CAs of the ledger are where processes read them, and which pods started before they were."""

from __future__ import annotations

from dataclasses import replace

from ..evidence.parties import pods_accepting
from ..evidence.stored import verifying_only
from ..gates.gates import Gates
from ..model.ledger import Ledger, LedgerEntry
from ..model.snapshot import Snapshot
from ..model.states import TrustState


def is_projected(snapshot: Snapshot, fingerprint: str) -> bool:
    """Whether the CA is in the certificate Secret and, where there is a trust bundle, in that too."""
    in_bundle = snapshot.bundle is None or fingerprint in snapshot.bundle
    return fingerprint in snapshot.ca.projected and in_bundle


def is_withdrawn(snapshot: Snapshot, fingerprint: str) -> bool:
    """Whether the CA is neither in the certificate Secret nor in the trust bundle."""
    in_bundle = snapshot.bundle is not None and fingerprint in snapshot.bundle
    return fingerprint not in snapshot.ca.projected and not in_bundle


def is_out_of_reach(snapshot: Snapshot, ledger: Ledger, fingerprint: str) -> bool:
    """Whether the CA can be read no more where CAs are read: processes, and clients that load the certificate Secret or the bundle for
    clients. There it may stay as a part of the chain of another CA.
    """
    above = {one.fingerprint for entry in ledger.entries for one in entry.chain[1:]}
    published = (snapshot.outside.published or frozenset()) - above
    return is_withdrawn(snapshot, fingerprint) and fingerprint not in published


def read_back(snapshot: Snapshot, ledger: Ledger, gates: Gates) -> Ledger:
    """Record the pods that exist when a CA is read back; start over when it was taken out of the projection.

    Pods are listed after the bundle was read, so a pod that is not recorded started later, with the CA in its trust.
    A bundle that is absent while pods exist is contradictory: nothing is recorded.
    """
    if snapshot.bundle is None and snapshot.nodes.pods:
        return ledger
    for entry in ledger.entries:
        projected = is_projected(snapshot, entry.fingerprint)
        if projected and entry.awaiting is None:
            ledger = ledger.with_entry(replace(entry, awaiting=snapshot.uids, published_at=snapshot.now))
        elif not projected and entry.awaiting is not None and not _is_leaving(snapshot, ledger, entry, gates):
            ledger = ledger.with_entry(replace(entry, awaiting=None, published_at=None))
        elif entry.published_at is not None:
            # Where the clock of an earlier run was ahead of this one, clients would get more time than is meant.
            cleared = entry.cleared_at and min(entry.cleared_at, snapshot.now)
            in_time = replace(entry, published_at=min(entry.published_at, snapshot.now), cleared_at=cleared)
            ledger = ledger.with_entry(in_time)
    return ledger


def note_reloads(snapshot: Snapshot, ledger: Ledger) -> Ledger:
    """Record the pods that have read their trust again since: their listeners were seen to accept the CA, and nothing else in them
    verifies by it.
    """
    alone = verifying_only(snapshot)
    for entry in ledger.entries if alone else ():
        read = (entry.awaiting or frozenset()) & alone
        if read and (seen := read & pods_accepting(entry.fingerprint, snapshot)):
            ledger = ledger.with_entry(replace(entry, awaiting=(entry.awaiting or frozenset()) - seen))
    return ledger


def _is_leaving(snapshot: Snapshot, ledger: Ledger, entry: LedgerEntry, gates: Gates) -> bool:
    """Whether it was taken out for good. A CA that is needed after all is put back, and pods that start meanwhile miss
    it.
    """
    return entry.state is TrustState.PHASE_OUT and not gates.removal(snapshot, ledger, entry.fingerprint)

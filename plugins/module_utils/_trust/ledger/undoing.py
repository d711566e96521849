# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Whether the flow in flight can be undone: every party still trusts its old CA, and its key is at hand. And who may have been started
with a leaf of the CA that is given up.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

from ..evidence.parties import possible_holders_of_undone
from ..evidence.stored import authority_of
from ..gates.introduction import link_of
from ..model.ledger import Journal, Ledger, LedgerEntry
from ..model.snapshot import Snapshot
from ..model.states import TrustState


class Obstacle(Enum):
    """FIRST: there was no CA before. LEFT: processes are about to forget it. KEY: its key is not at hand."""

    FIRST = "first"
    LEFT = "left"
    KEY = "key"


def obstacle_to_undoing(snapshot: Snapshot, journal: Journal, ledger: Ledger) -> Obstacle | None:
    """None where nothing is in the way."""
    if journal.replaces is None:
        return Obstacle.FIRST
    old = ledger.find(journal.replaces)
    if old is None or old.fingerprint not in snapshot.ca.projected:
        return Obstacle.LEFT
    return None if _is_key_at_hand(snapshot, old) else Obstacle.KEY


def _is_key_at_hand(snapshot: Snapshot, old: LedgerEntry) -> bool:
    ca, key = snapshot.ca, old.certificate.public_key_sha256
    return ca.key == key or key in ca.elsewhere or old.fingerprint in ca.kept_keys


def was_never_issued(snapshot: Snapshot, unwanted: LedgerEntry | None) -> bool:
    """Whether no leaf of the CA that is given up was handed out beside those of the CA in use, which validates those of a renewal as well. Before the
    switch leaves are handed out behind a link certificate alone.
    """
    if unwanted is None or unwanted.state is TrustState.UNTRUSTED:
        return True
    waiting = (one for one in snapshot.ca.prepared if one.fingerprint == unwanted.fingerprint)
    if unwanted.state is TrustState.TRUSTED_UNUSED and any(link_of(one, snapshot) is None for one in waiting):
        return True
    return any(one == unwanted.certificate or one.is_twin_of(unwanted.certificate) for one in snapshot.ca.in_use)


def note_possible_holders(snapshot: Snapshot, journal: Journal, ledger: Ledger) -> Journal:
    """The journal with those who may have been started with a leaf of the CA that is given up: told once, when none is stored and the operator, which
    might put one back, has confirmed its pause.
    """
    state = snapshot.reconciliation
    if not journal.is_abort or journal.unsure is not None or not (state.paused_by_us and state.pause_effective):
        return journal
    if snapshot.nodes.in_place is None or is_stored(snapshot, ledger, journal.replaces):
        return journal
    return replace(journal, unsure=frozenset(pod.uid for pod in possible_holders_of_undone(snapshot, ledger)))


def is_stored(snapshot: Snapshot, ledger: Ledger, fingerprint: str | None) -> bool:
    """Whether a Secret holds a leaf of this CA, or one of which the CA cannot be told."""
    issuers = {authority_of(leaf, leaf.generation, ledger)[0] for leaf in snapshot.leaves.stored}
    return not issuers.isdisjoint({fingerprint, None})

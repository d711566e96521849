# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Whether the flow in flight can be undone: its old CA is still trusted by everybody, and its key is at hand."""

from __future__ import annotations

from enum import Enum

from ..model.ledger import Journal, Ledger, LedgerEntry
from ..model.snapshot import Snapshot


class Obstacle(Enum):
    """FIRST: there was no CA before. LEFT: processes are about to forget it. KEY: nobody could sign with it."""

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

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Since when clients read the next CA as ``ca.crt``, where nodes lead to it from memory alone: until they read again or restart."""

from __future__ import annotations

from dataclasses import replace

from ..model.ledger import Journal, Ledger
from ..model.snapshot import Snapshot


def note_readers(snapshot: Snapshot, journal: Journal, ledger: Ledger) -> Journal:
    """The journal with the time of the first look after the switch, which is never before clients could read. Where the other link certificate is
    valid too, nodes present both from their Secrets, and nobody has to read in time.
    """
    current, replaced = [one.fingerprint for one in snapshot.ca.current[:1]], ledger.find(journal.replaces)
    links = snapshot.ca.links.get(journal.successor or "")
    if journal.read_since is not None or current != [journal.successor] or replaced is None or links is None:
        return journal
    if links.sent_at(snapshot.now) or not links.new_with_old.signed_by(replaced.certificate):
        return journal
    return replace(journal, read_since=snapshot.now)

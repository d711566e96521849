# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The journal keeps until when programs may present a certificate of the CA that a flow replaces, although they never read again.

What a program has read is known before the switch only: afterwards every program has been issued another certificate.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from ..model.goals import Goal
from ..model.ledger import Journal, Ledger, Outgoing
from ..model.snapshot import Snapshot
from ..model.states import TrustState

#: How long an issuer may take with a certificate that it began before the switch, and more.
_BELATED = timedelta(days=1)
#: Characters of the names that the journal has room for, as an annotation.
_ROOM = 100_000


def note_outgoing(snapshot: Snapshot, journal: Journal, ledger: Ledger) -> Journal:
    """Up to the switch, what programs present; at the first look after it, what may have been issued meanwhile as well. That is not needed of a
    renewal with the same key: brokers go on accepting those leaves.
    """
    current, known = [one.fingerprint for one in snapshot.ca.in_use], journal.outgoing
    if journal.goal is not Goal.REPLACE_KEY:
        return journal
    if current == [journal.replaces]:
        successor = ledger.find(journal.successor)
        is_near = successor is not None and successor.state is not TrustState.UNTRUSTED
        return replace(journal, outgoing=_presented(snapshot) if is_near else None)
    if known is None or known.switched or current != [journal.successor]:
        return journal
    ends_at = max(known.ends_at, snapshot.now + snapshot.users.longest_life + _BELATED)
    return replace(journal, outgoing=replace(known, ends_at=ends_at, switched=True))


def _presented(snapshot: Snapshot) -> Outgoing | None:
    """None where no program is known to have read what it presents."""
    ends = {one.reads: one.ends_at for one in snapshot.users.presenters if one.reads and one.ends_at is not None}
    # A program that presents a copy too says so twice.
    unknown = {one.reads for one in snapshot.users.presenters if one.ends_at is None}
    readers = tuple(_fitting(sorted(ends.keys() - unknown)))
    return Outgoing(frozenset(readers), max(ends[one] for one in readers)) if readers else None


def _fitting(readers: list[str]) -> Iterator[str]:
    """The readers that there is room for; the others hold the CA until they read again."""
    room = _ROOM
    for one in readers:
        room -= len(one)
        if room < 0:
            return
        yield one

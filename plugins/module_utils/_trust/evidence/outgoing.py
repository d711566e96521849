# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Programs that have not read their last certificate present the one before, until that has ended."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from ..model.ledger import Journal
from ..model.presenters import Presenter
from ..model.snapshot import Snapshot


def known_presenters(snapshot: Snapshot) -> tuple[Presenter, ...]:
    """The parties outside the cluster, by what is seen now and by what the flow in flight saw before its switch."""
    journal = snapshot.ledger.journal if snapshot.ledger is not None else None
    if journal is None or journal.finished_at is not None:
        return snapshot.presenters
    return tuple(_known(one, journal, snapshot) for one in snapshot.presenters)


def _known(one: Presenter, journal: Journal, snapshot: Snapshot) -> Presenter:
    end = _end_of(one, journal, snapshot)
    if end is None or one.authorities is None or journal.successor is None:
        return one
    if end > snapshot.now:
        why = f"{one.why}; this holds until {end:%Y-%m-%dT%H:%M:%SZ} at most, when the last certificate that it may have has ended"
        return replace(one, why=why)
    return replace(one, authorities=one.authorities & {journal.successor})


def _end_of(one: Presenter, journal: Journal, snapshot: Snapshot) -> datetime | None:
    """When the last certificate of the CA that was replaced ends which it may present; None where that is not known, or where it is known what it
    presents.
    """
    outgoing, current = journal.outgoing, [authority.fingerprint for authority in snapshot.ca.current[:1]]
    if outgoing is None or not outgoing.switched or current != [journal.successor]:
        return None
    return outgoing.ends_at if one.ends_at is None and one.reads in outgoing.readers else None

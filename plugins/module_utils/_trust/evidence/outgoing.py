# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Programs that have not read their last certificate present the one before, until that has ended."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from ..model.ledger import Outgoing
from ..model.presenters import Presenter
from ..model.snapshot import Snapshot


def known_presenters(snapshot: Snapshot) -> tuple[Presenter, ...]:
    """The parties outside the cluster, by what is seen now and by what the flow in flight saw before its switch."""
    journal, current = snapshot.ledger.journal if snapshot.ledger is not None else None, snapshot.ca.current
    if journal is None or journal.finished_at is not None or journal.outgoing is None or not journal.outgoing.switched:
        return snapshot.users.presenters
    if not current or current[0].fingerprint != journal.successor:
        return snapshot.users.presenters
    return tuple(_known(one, journal.outgoing, journal.successor, snapshot.now) for one in snapshot.users.presenters)


def _known(one: Presenter, outgoing: Outgoing, successor: str, now: datetime) -> Presenter:
    """A program of which it is not known what it has read, but when the last certificate ends that this may be."""
    if one.authorities is None or one.ends_at is not None or one.reads not in outgoing.readers:
        return one
    if outgoing.ends_at > now:
        end = f"{outgoing.ends_at:%Y-%m-%dT%H:%M:%SZ}"
        return replace(
            one, why=f"{one.why}; this holds until {end} at most, when the last certificate that it may have has ended"
        )
    return replace(one, authorities=one.authorities & {successor})

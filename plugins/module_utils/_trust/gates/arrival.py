# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Whether clients have had the time to take up a CA that was published (docs/design.md, "Client grace").

Clients that load the CA certificate Secret are not known here and cannot be asked. A client that knows only the
replaced CA accepts a link certificate, unless its library is strict about path lengths; then it needs the new CA itself
in time.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from ..._pki.certificates import Chain
from ..._pki.verifiers import Verifier
from ..model.ledger import LedgerEntry
from ..model.snapshot import Snapshot
from .validation import validate

#: The longest time that the kubelet takes to bring a changed Secret into a mounted volume, with its default settings.
MOUNTED_SECRET = timedelta(seconds=120)


def arrives_at(entry: LedgerEntry, form: Chain, snapshot: Snapshot, grace: timedelta | None) -> datetime | None:
    """From when leaves of this CA may be presented in this form; None while it has not been published.

    grace: as the caller wants it; None: what a mounted Secret takes where a client could refuse the form.
    """
    if entry.published_at is None:
        return None
    if grace is None:
        grace = MOUNTED_SECRET if why_refused_by_strangers(form, snapshot) else timedelta()
    return entry.published_at + grace


def why_refused_by_strangers(form: Chain, snapshot: Snapshot) -> str:
    """Why a client that knows only the CA in use could refuse this form, without a full stop; empty where none would."""
    anchors = snapshot.ca.current[:1]
    reasons = (validate(form, anchors, snapshot.now, kind).reason for kind in Verifier)
    return next(filter(None, reasons), "")

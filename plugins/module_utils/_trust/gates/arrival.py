# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Whether clients have had the time to take up a CA that was published (docs/design.md, "Client grace").

Clients that load the CA certificate Secret are not known here and cannot be asked. A client that knows only the
replaced CA accepts a link certificate, unless its library is strict about path lengths and the certificate that it has of
that CA allows none below it; then it needs a renewed one, or the new CA itself, in time.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from ..._pki.certificates import Certificate, Chain
from ..._pki.verifiers import Verifier
from ..model.ledger import LedgerEntry
from ..model.snapshot import Snapshot
from .validation import validate

#: The longest time that the kubelet takes to bring a changed Secret into a mounted volume, with its default settings.
MOUNTED_SECRET = timedelta(seconds=120)
#: The verifiers that apply the path length of a CA that they trust.
STRICT = frozenset(kind for kind in Verifier if kind.applies_anchor_path_length)


def arrives_at(entry: LedgerEntry, form: Chain, snapshot: Snapshot, grace: timedelta | None) -> datetime | None:
    """From when leaves of this CA may be presented in this form; None while it has not been published.

    grace: as the caller wants it; None: what a mounted Secret takes where a client could refuse the form.
    """
    if entry.published_at is None:
        return None
    if grace is None:
        grace = MOUNTED_SECRET if why_refused_by_strangers(form, snapshot) else timedelta()
    return entry.published_at + grace


def renewed_arrives_at(current: LedgerEntry, grace: timedelta | None) -> datetime | None:
    """From when clients have had the time to read the CA in use as it was renewed, so that they can be led on from it; None where it has always
    allowed a CA below it.
    """
    return None if current.cleared_at is None else current.cleared_at + (MOUNTED_SECRET if grace is None else grace)


def led_on_since(entry: LedgerEntry, snapshot: Snapshot) -> datetime | None:
    """Since when clients of every kind that have read this CA can be led on from it by a link certificate; None where they cannot."""
    if any(one.path_length == 0 for one in _as_read(entry.certificate, snapshot)):
        return None
    return entry.cleared_at or entry.published_at


def why_refused_by_strangers(form: Chain, snapshot: Snapshot) -> str:
    """Why a client that knows only the CA in use could refuse this form, without a full stop; empty where none would. It may have taken any of
    the certificates of that CA which lie there.
    """
    known = _as_read(snapshot.ca.current[0], snapshot) if snapshot.ca.current else ()
    reasons = (validate(form, (one,), snapshot.now, kind).reason for one in known for kind in Verifier)
    return next(filter(None, reasons), "")


def _as_read(authority: Certificate, snapshot: Snapshot) -> Chain:
    """The certificates of this CA that clients may read: of two with one name OpenSSL takes the first, whichever that is."""
    return (authority, *(one for one in snapshot.ca.anchors if one != authority and one.is_twin_of(authority)))

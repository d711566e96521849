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
from ..._pki.defects import named_verifiers
from ..._pki.verifiers import Verifier
from ..model.ledger import Ledger, LedgerEntry
from ..model.names import named
from ..model.snapshot import Snapshot
from .validation import validate

#: The longest time that the kubelet takes to bring a changed Secret into a mounted volume, with its default settings.
MOUNTED_SECRET = timedelta(seconds=120)
#: The verifiers that apply the path length of a CA that they trust.
STRICT = frozenset(kind for kind in Verifier if kind.applies_anchor_path_length)


def usable_from(entry: LedgerEntry, form: Chain, snapshot: Snapshot, grace: timedelta | None) -> datetime | None:
    """From when leaves of this CA may be presented in this form; None while it has not been published.

    grace: as the caller wants it; None: what a mounted Secret takes where a client could refuse the form.
    """
    if entry.published_at is None:
        return None
    if grace is None:
        grace = MOUNTED_SECRET if why_refused_by_strangers(form, snapshot) else timedelta()
    return entry.published_at + grace


def can_make_room(snapshot: Snapshot) -> bool:
    """Whether the CA in use allows no CA below it, and a renewal that is made here could: its key is here, and its leaves carry chains."""
    ca = snapshot.ca
    if not ca.current or not snapshot.users.sends_chains:
        return False
    current = ca.current[0]
    is_here = ca.key == current.public_key_sha256 and not ca.is_kept_elsewhere(current)
    return current.path_length == 0 and current.is_root and is_here


def renewed_arrives_at(current: LedgerEntry, grace: timedelta | None) -> datetime | None:
    """From when clients have had the time to read the CA in use as it was renewed, so that they can be led on from it; None where it has always
    allowed a CA below it.
    """
    return None if current.cleared_at is None else current.cleared_at + (MOUNTED_SECRET if grace is None else grace)


def link_followed_since(entry: LedgerEntry, snapshot: Snapshot) -> datetime | None:
    """Since when clients of every kind that have read this CA can be led on from it by a link certificate; None where they cannot."""
    if any(one.path_length == 0 for one in _as_read(entry.certificate, snapshot)):
        return None
    return entry.cleared_at or entry.published_at


def describe_clients_left_behind(snapshot: Snapshot) -> str:
    """A sentence about clients that know only the CA before the one in use, where nodes lead them on until a next one is used; else empty."""
    links = snapshot.ca.links_in_use
    sent = links.sent_at(snapshot.now) if links is not None else ()
    if not sent:
        return ""
    return (
        f"Clients that know only {sent[-1].subject}, the CA before the one in use, have been led on until now: they refuse each node from its restart on, "
        "until they read again."
    )


def describe_possible_refusals(form: Chain, snapshot: Snapshot, ledger: Ledger) -> str:
    """Sentences about the clients that cannot be asked and that may refuse leaves in this form, which the CA in use leads to: since when, and
    until when; empty where none may.
    """
    return " ".join(filter(None, (_who_may_refuse(form, snapshot, ledger), describe_clients_left_behind(snapshot))))


def _who_may_refuse(form: Chain, snapshot: Snapshot, ledger: Ledger) -> str:
    current = ledger.find(snapshot.ca.current[0].fingerprint) if snapshot.ca.current else None
    if current is None:
        return ""
    strict = frozenset(
        kind for kind in Verifier if not validate(form, (current.certificate,), snapshot.now, kind).valid
    )
    if strict:
        return (
            f"Clients of {named_verifiers(strict)} that know only {named(current.certificate)} refuse each node from its restart on, until they have read "
            "the next CA; those that load ca.crt alone can do so from the switch on."
        )
    if current.cleared_at is None:
        return ""
    return (
        f"Clients of {named_verifiers(STRICT)} that have not read {named(current.certificate)} since {current.cleared_at:%Y-%m-%d %H:%M} UTC, such as "
        "those that read their CAs only when they start, may hold its earlier certificate, which allows no CA below it: they refuse each node from its "
        "restart on, until they read again. Those of a JVM do not."
    )


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

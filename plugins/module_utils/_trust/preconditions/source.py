# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Preconditions on the source of CAs that the user names. What it asks for concerns a flow that begins: one in flight goes on."""

from __future__ import annotations

from collections.abc import Iterator

from ..ledger.wish import Wish, is_heeded, wish_of
from ..model.intent import Intent, NewRoots
from ..model.ledger import Ledger
from ..model.names import listed
from ..model.snapshot import Snapshot
from ..model.violations import Condition, Violation

#: A cluster needs three while one CA replaces another. Every process is asked about each, and a bundle of the CAs of the public
#: would let in every holder of a certificate of any of them.
_MOST_AUTHORITIES = 10


def source_is_usable(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """It can be read, and says which CA leaves are to be of; or the first leaf that comes back will."""
    source, condition, ledger = snapshot.source, Condition.SOURCE_IS_USABLE, snapshot.ledger or Ledger()
    if source is not None and source.problem and is_heeded(snapshot, intent, ledger):
        yield Violation(condition, source.name, source.problem, source.remedy)
    wish = wish_of(snapshot, intent, ledger)
    if wish is None:
        return
    if len(wish.issuing) > _MOST_AUTHORITIES:
        yield Violation(
            condition, wish.source.name, f"holds {len(wish.issuing)} CAs; at most {_MOST_AUTHORITIES} are trusted.",
            "Give a source with the CAs of this cluster's issuer alone: every holder of a certificate of one of them can join the cluster.",
        )  # fmt: skip
    elif not wish.issuing:
        yield Violation(
            condition, wish.source.name, "holds no CA that is valid now.", "Put the CA that signs the cluster's certificates there."
        )  # fmt: skip
    elif not (wish.meant or wish.sample):
        yield _ambiguous(wish)


def _ambiguous(wish: Wish) -> Violation:
    names = [chain[0].subject for chain in wish.issuing]
    in_use = f", and none is the CA in use, {wish.snapshot.ca.current[0].subject}" if wish.snapshot.ca.current else ""
    return Violation(
        Condition.SOURCE_IS_USABLE, wish.source.name, f"holds {len(names)} CAs ({listed(names)}){in_use}: which one signs cannot be told.",
        "Leave the one that signs, with the CAs above it.",
    )  # fmt: skip


def roots_are_known(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Where the user wants no CA that the ledger does not know; else a flow says what is to be confirmed at its end."""
    wish = wish_of(snapshot, intent, snapshot.ledger or Ledger())
    if wish is None or intent.new_roots is not NewRoots.NEVER:
        return
    for certificate in wish.unconfirmed:
        yield Violation(
            Condition.ROOTS_ARE_KNOWN, wish.source.name,
            f"holds the CA {certificate.subject}, SHA-256 {certificate.sha256}, which this cluster does not trust, and "
            "trust_new_roots=never forbids to begin with one.",
            "Take it out; or have it trusted by trust_new_roots=ask and its SHA-256 in confirm_roots.",
        )  # fmt: skip

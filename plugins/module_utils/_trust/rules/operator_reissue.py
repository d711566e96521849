# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Leaves that the operator is going to issue anew by itself. It cannot where the key of the CA is kept elsewhere: it would stand still
(docs/operator.md, "Re-issue" (c) and (d)). So every flow sees to them: before the end of a leaf, and as soon as other names are wanted.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from ..._pki.certificates import Certificate
from ..model.snapshot import Snapshot, StoredLeaf

#: How long before the operator's window a leaf is asked for: issuers may be people.
_AHEAD = timedelta(days=15)


def leaves_before_operator_window(snapshot: Snapshot) -> tuple[StoredLeaf, ...]:
    """Leaves of the CA in use that come near the operator's window or are in it; none where the operator has the key."""
    if not snapshot.ca.in_use_elsewhere:
        return ()
    current = snapshot.ca.current[0]
    return tuple(
        leaf
        for leaf in snapshot.every_leaf
        if leaf.chain
        and leaf.chain[0].signed_by(current)
        and nears_operator_window(leaf.chain[0], snapshot.window_of(leaf), snapshot.now)
    )


def needed_by_operator(snapshot: Snapshot) -> frozenset[str]:
    """The Secrets of leaves without which no reconcile of the operator succeeds: those that it cannot read, and, where it can issue none, those that it
    would issue.
    """
    unreadable = (leaf.secret for leaf in snapshot.every_leaf if leaf.chain is None)
    found = {*snapshot.every_missing, *snapshot.leaves.misnamed, *unreadable}
    if not snapshot.ca.in_use_elsewhere:
        return frozenset(found)
    return frozenset(
        found.union(
            leaf.secret for leaf in snapshot.leaves.stored if leaf.chain and _is_due(leaf, leaf.chain[0], snapshot)
        )
    )


def _is_due(leaf: StoredLeaf, own: Certificate, snapshot: Snapshot) -> bool:
    is_in_window = own.not_after - snapshot.now < snapshot.window_of(leaf)
    return is_in_window or leaf.generation != snapshot.ca.certificate_generation


def misnamed_leaves(snapshot: Snapshot) -> tuple[StoredLeaf, ...]:
    """Leaves with other names than the operator wants."""
    return tuple(leaf for leaf in snapshot.leaves.stored if leaf.secret in snapshot.leaves.misnamed)


def find_first_ending(leaves: Iterable[StoredLeaf]) -> tuple[str, datetime] | None:
    """The Secret of the leaf that ends first, and when; None where there is no leaf."""
    ends = ((leaf.chain[0].not_after, leaf.secret) for leaf in leaves if leaf.chain)
    return next(((secret, end) for end, secret in sorted(ends)), None)


def nears_operator_window(leaf: Certificate, window: timedelta, now: datetime) -> bool:
    """Whether a leaf is near the operator's window, or in it."""
    return now > nears_window_from(leaf, window)


def nears_window_from(leaf: Certificate, window: timedelta) -> datetime:
    """When a leaf comes near the operator's window. window: how long before a leaf's end the operator renews it. A leaf that lives no
    longer than that is in it from its first day, and is renewed at half of its life, so that not every run renews it.
    """
    life = leaf.not_after - leaf.not_before
    outside = life - window
    ahead = window + min(_AHEAD, outside / 2) if outside > timedelta(0) else life / 2
    return leaf.not_after - ahead

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Which leaves are due for renewal under the CA in use."""

from __future__ import annotations

from datetime import timedelta

from ..._pki.certificates import Certificate
from ..ledger.journal import in_flight
from ..model.goals import Goal
from ..model.intent import Intent
from ..model.ledger import Ledger
from ..model.snapshot import Component, Snapshot, StoredLeaf
from ..model.states import TrustState

#: A leaf that ends with its CA cannot be renewed under it. A renewal that gains less than this is not made.
_GAIN = timedelta(days=1)


def ending_leaves(snapshot: Snapshot, intent: Intent) -> tuple[StoredLeaf, ...]:
    """Leaves of the CA in use that are in their time for renewal, also those that end with their CA: those of nodes, and all
    where somebody else keeps the CA's key, because then the operator can renew none.
    """
    if intent.goal is not Goal.RENEW_LEAVES or not snapshot.ca.current:
        return ()
    return tuple(leaf for leaf in snapshot.leaves if _is_ending(leaf, snapshot, intent))


def _is_ending(leaf: StoredLeaf, snapshot: Snapshot, intent: Intent) -> bool:
    current_generation = snapshot.ca.certificate_generation
    renewed_here = leaf.component is Component.KAFKA or snapshot.ca.is_kept_elsewhere(snapshot.ca.current[0])
    if not renewed_here or leaf.chain is None or leaf.generation != current_generation:
        return False
    own = leaf.chain[0]
    window = min(intent.renew_before, (own.not_after - own.not_before) / 2)
    return own.signed_by(snapshot.ca.current[0]) and own.not_after - snapshot.now < window


def ends_with_its_authority(leaf: Certificate, authority: Certificate) -> bool:
    return authority.not_after - leaf.not_after < _GAIN


def due_leaves(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> tuple[StoredLeaf, ...]:
    """Leaves that are to be issued anew; none while another flow is in flight, because they would be of the CA that it
    replaces.
    """
    if in_flight(ledger) or snapshot.ca.prepared or not snapshot.ca.current:
        return ()
    authority = snapshot.ca.current[0]
    entry = ledger.find(authority.fingerprint)
    if entry is None or (snapshot.pods and entry.state is not TrustState.TRUSTED_IN_USE_ALL):
        return ()
    ending = ending_leaves(snapshot, intent)
    return tuple(leaf for leaf in ending if leaf.chain and not ends_with_its_authority(leaf.chain[0], authority))

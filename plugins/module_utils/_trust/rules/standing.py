# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Leaves that their issuer renews by itself: what it is to renew is compared with what is wanted, and what it has renewed
is taken up like a leaf that was due (External Certificate Manager, "Tracking changes to Cluster CA end-entity certificates").
"""

from __future__ import annotations

from ..model.goals import Goal, Phase
from ..model.intent import Intent
from ..model.snapshot import Snapshot, StoredLeaf
from ..model.steps.base import Steps
from ..model.steps.standing import CorrectOrders
from .situation import Situation

#: The flows that are about the leaves of the CA in use; the others replace them anyway, or are about something else.
_GOALS = frozenset({Goal.RENEW_LEAVES, Goal.RECONCILE})


def renewed_leaves(snapshot: Snapshot, intent: Intent) -> tuple[StoredLeaf, ...]:
    """Stored leaves of the CA in use of which the issuer has a later one that passed every check."""
    if intent.goal not in _GOALS or not snapshot.ca.current:
        return ()
    return tuple(leaf for leaf in snapshot.every_leaf if _is_renewed(leaf, snapshot))


def _is_renewed(leaf: StoredLeaf, snapshot: Snapshot) -> bool:
    current, standing = snapshot.ca.current[0], snapshot.leaves.standing.get(leaf.secret)
    if standing is None or leaf.chain is None or leaf.generation != snapshot.ca.certificate_generation:
        return False
    return standing.authority == current.fingerprint and standing.replaces(leaf.chain[0])


def correct_orders(at: Situation) -> Steps:
    """Have the issuer renew what is wanted; not while the CA is being replaced, when every leaf is asked for anyway."""
    if at.intent.goal not in _GOALS or at.successor is not None or at.current is None:
        return ()
    if not at.snapshot.ca.is_kept_elsewhere(at.current):
        return ()
    wrong = tuple(sorted(name for name, one in at.snapshot.leaves.standing.items() if one.differs))
    return (CorrectOrders(secrets=wrong, asked=at.intent.asked, phase=Phase.PREPARE),) if wrong else ()

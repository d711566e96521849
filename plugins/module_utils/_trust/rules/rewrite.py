# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The leaves after a switch: each is brought to the generation of the CA in use, or the operator would issue it anew."""

from __future__ import annotations

from ..._leaves.trigger import is_signed_by
from ..._pki.certificates import Certificate
from ..evidence.clients import without_outside_clients
from ..gates.trust import select_refusals
from ..model.goals import Goal
from ..model.snapshot import Component, StoredLeaf
from ..model.steps.base import Steps
from ..model.steps.leaves import RechainLeaves
from .in_place import why_not_in_place
from .issuing import issue
from .leaves import note
from .pause import pause_first
from .retirement import is_patient
from .situation import Situation


def rewrite_leaves(at: Situation) -> Steps:
    """In a pause, leaves that the CA in use has issued are kept and get its chain; all others are issued anew.

    The trust gate is asked once more (I3): the trust may have changed since the switch. A node that does not answer now has agreed to the
    switch, and without these leaves the operator would issue others of the same CA and restart every node.
    """
    outdated = [leaf for leaf in at.snapshot.leaves.stored if leaf.generation != at.generation]
    current = at.current
    if current is None or not outdated:
        return ()
    if select_refusals(at.gates.trust(without_outside_clients(at.snapshot), at.ledger, at.snapshot.ca.current)):
        return ()
    kept = tuple(sorted(leaf.secret for leaf in outdated if _is_kept(leaf, current, at)))
    if kept:
        return pause_first(at, RechainLeaves(secrets=kept, generation=at.generation, phase=at.phase))
    secrets = tuple(sorted(leaf.secret for leaf in outdated))
    issued = issue(at, secrets, at.snapshot.ca.current, at.phase)
    if not issued:
        return ()
    noted = note(at, secrets, at.phase) if _are_read_again(at) else ()
    return pause_first(at, *(noted or issued))


def _is_kept(leaf: StoredLeaf, current: Certificate, at: Situation) -> bool:
    """Where the key is kept elsewhere, leaves of before a renewal are kept too: they would have to be asked for, and are as
    good.
    """
    return at.is_of(leaf, current) or (at.snapshot.ca.is_kept_elsewhere(current) and is_signed_by(leaf.chain, current))


def rewrite_for_the_operator(at: Situation) -> Steps:
    """The same where the operator would issue these leaves, and cannot because the key is kept elsewhere: it stands still
    until they are there.
    """
    return rewrite_leaves(at) if at.current and at.snapshot.ca.is_kept_elsewhere(at.current) else ()


def restore_links(at: Situation) -> Steps:
    """Put the link certificates of the CA in use behind leaves of nodes that the operator has issued, which knows none; and take them off where one
    of them has ended. Nothing restarts for it, because the leaf stays the same (docs/operator.md, "After the switch"). Leaves that are about to be
    replaced are left alone.
    """
    ca, current = at.snapshot.ca, at.current
    if current is None or at.successor is not None or ca.links_in_use is None:
        return ()
    wanted = ca.behind_nodes(ca.current, at.snapshot.now)
    others = {ca.current, (*ca.links_in_use.both, *ca.current)} - {wanted}
    late = tuple(
        sorted(
            leaf.secret
            for leaf in at.snapshot.leaves.stored
            if leaf.component is Component.KAFKA and leaf.generation == at.generation
            if leaf.chain and leaf.chain[1:] in others and leaf.chain[0].signed_by(current)
        )
    )
    return (RechainLeaves(secrets=late, generation=at.generation, phase=at.phase),) if late else ()


def _are_read_again(at: Situation) -> bool:
    """Whether nodes read these leaves again. Where a replaced key is to be given up at once they restart instead,
    because their Raft clients give it up by a restart only.
    """
    replacing = at.begun is not None and at.begun.goal is Goal.REPLACE_KEY
    return not why_not_in_place(at) and (not replacing or is_patient(at))

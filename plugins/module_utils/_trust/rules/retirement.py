# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""When nodes give up the CA that is replaced: at once, or when they restart for any reason, and before it ends in any
case.

A Raft client presents the leaf that its process was started with, so the old CA stays trusted until each node has
restarted once (docs/operator.md, "No restart").
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from ..model.goals import Goal, Retire
from ..model.ledger import HeldLeaf, Journal
from .operator_reissue import near_from
from .situation import Situation

#: How long before the end of a held certificate the restart of its holders is asked for.
RESTART_BEFORE = timedelta(days=7)


def is_patient(at: Situation) -> bool:
    """Whether nodes of the flow in flight keep what they were started with until they restart for another reason."""
    journal = at.begun
    if journal is None or journal.goal is not Goal.REPLACE_KEY or journal.retire is Retire.NOW:
        return False
    latest = latest_restart(at, journal)
    return latest is None or at.snapshot.now < latest


def latest_restart(at: Situation, journal: Journal) -> datetime | None:
    """When nodes that still hold the old CA are restarted at the latest; None where nothing ends."""
    return min(_ends(at, journal), default=None)


def _ends(at: Situation, journal: Journal) -> Iterator[datetime]:
    if journal.retire_by is not None:
        yield journal.retire_by
    replaced = at.ledger.find(journal.replaces)
    if replaced is not None:
        yield replaced.certificate.not_after - RESTART_BEFORE
    yield from (held.certificate.not_after - RESTART_BEFORE for held in at.ledger.held)
    yield from _standstill(at, journal)


def _standstill(at: Situation, journal: Journal) -> Iterator[datetime]:
    """The times at which the operator would have to issue a stored leaf anew, where it does not have the key of the CA in use: from then on
    it would touch nothing, and restart no node. Nobody else issues leaves of that CA any more; the next CA issues the operator's own leaf
    after the restarts.
    """
    if not at.snapshot.ca.in_use_elsewhere or at.snapshot.ca.current[0].fingerprint == journal.successor:
        return
    yield from (near_from(leaf.chain[0], at.snapshot.window_of(leaf)) for leaf in at.snapshot.leaves if leaf.chain)


def is_ending(held: HeldLeaf, at: Situation) -> bool:
    """Whether the processes that hold this leaf have to be restarted now."""
    return held.certificate.not_after - at.snapshot.now < RESTART_BEFORE

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""When nodes give up the replaced CA: at once, or when they restart for any reason, and in any case before it ends.

A Raft client presents the leaf that its process started with, so the old CA stays trusted until each node has restarted
once (docs/operator.md, "No restart").

The obstacles to a change on running nodes without a restart (docs/operator.md, "Reload"): each function gives the
reason as a sentence, and an empty text where nothing is in the way.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from ..._pki.certificates import Certificate
from ..evidence.stored import why_not_told
from ..model.goals import Goal, Retire
from ..model.intent import Spread
from ..model.ledger import HeldLeaf, Journal
from ..model.names import named
from ..model.snapshot import Component, Snapshot
from .due import nears_window_from
from .situation import Situation

#: How long before the end of a held certificate a flow restarts its holders.
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
    yield from _reissued(at, journal)


def _reissued(at: Situation, journal: Journal) -> Iterator[datetime]:
    """The times at which the operator would issue a stored leaf anew, of the CA that is replaced. With the key of that
    CA it would put such a leaf in the place of a leaf of the next CA, and restart the node for it. Without, it would
    touch nothing from then on, and restart no node: no other issuer issues leaves of that CA any more, and the next CA
    issues the operator's own leaf after the restarts.
    """
    ca = at.snapshot.ca
    if not ca.current or ca.current[0].fingerprint == journal.successor:
        return
    for leaf in at.snapshot.leaves.stored:
        if leaf.chain and (ca.in_use_elsewhere or not leaf.chain[0].signed_by(ca.current[0])):
            yield nears_window_from(leaf.chain[0], at.snapshot.window_of(leaf))


def is_ending(held: HeldLeaf, at: Situation) -> bool:
    """Whether the processes that hold this leaf have to be restarted now."""
    return held.certificate.not_after - at.snapshot.now < RESTART_BEFORE


def why_not_reloaded(at: Situation) -> str:
    """Why the flow does not have running nodes read their certificates again."""
    if at.intent.spread is Spread.RESTART:
        return "spread=restart asks for it."
    if at.snapshot.nodes.in_place is None:
        return "it is unknown whether nodes can be told to read their certificates again."
    return at.snapshot.nodes.in_place.reload


def why_not_in_place(at: Situation) -> str:
    """Why the flow does not have running nodes read again, or why the operator would restart them although they have."""
    return why_not_reloaded(at) or (at.snapshot.nodes.in_place.stamps if at.snapshot.nodes.in_place else "")


def why_restarted_later(at: Situation, next_: Certificate) -> str:
    """Why nodes will be restarted later in the replacement, as a sentence, where the caller asks for a reload: its first restart would be in vain."""
    why = why_not_reloaded(at) if at.intent.spread is Spread.RELOAD else ""
    return f"Nodes are restarted when the operator is switched to {named(next_)}: {why}" if why else ""


def why_trust_not_reloaded(at: Situation, authority: Certificate) -> str:
    """Why the flow does not have running nodes read again that this CA is trusted, or no longer is: only their answers
    show that they have.
    """
    return why_not_reloaded(at) or why_not_told(authority, at.snapshot)


def why_not_annotated(at: Situation) -> str:
    """Why the operator cannot learn what pods have taken up, so that it restarts them."""
    if at.intent.unstamped:
        return "the API server refuses that pods are annotated."
    return at.snapshot.nodes.in_place.annotations if at.snapshot.nodes.in_place else ""


def nodes_of(snapshot: Snapshot, uids: frozenset[str]) -> frozenset[str]:
    """UIDs of the Kafka nodes among these pods: no other pod can read its certificates again."""
    return frozenset(pod.uid for pod in snapshot.nodes.pods if pod.component is Component.KAFKA) & uids

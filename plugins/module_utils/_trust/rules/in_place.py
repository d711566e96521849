# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The obstacles to taking a change up on running nodes without a restart (docs/operator.md, "Reload").

Each function gives the reason as a sentence, and an empty text where nothing is in the way.
"""

from __future__ import annotations

from ..._pki.certificates import Certificate
from ..evidence.same_name import why_not_told
from ..model.intent import Spread
from ..model.names import named
from ..model.snapshot import Component, Snapshot
from .situation import Situation


def why_not_reloaded(at: Situation) -> str:
    """Why running nodes are not told to read their certificates again."""
    if at.intent.spread is Spread.RESTART:
        return "spread=restart asks for it."
    if at.snapshot.nodes.in_place is None:
        return "it is unknown whether nodes can be told to read their certificates again."
    return at.snapshot.nodes.in_place.reload


def why_not_in_place(at: Situation) -> str:
    """Why running nodes are not told to read again, or why the operator would restart them although they have."""
    return why_not_reloaded(at) or (at.snapshot.nodes.in_place.stamps if at.snapshot.nodes.in_place else "")


def why_restarted_later(at: Situation, next_: Certificate) -> str:
    """Why nodes will be restarted later in the replacement, as a sentence, where the caller asks for a reload: its first restart would be in vain."""
    why = why_not_reloaded(at) if at.intent.spread is Spread.RELOAD else ""
    return f"Nodes are restarted when the operator is switched to {named(next_)}: {why}" if why else ""


def why_trust_not_reloaded(at: Situation, authority: Certificate) -> str:
    """Why running nodes are not told to read again that this CA is trusted, or is not any more: only their answers show that they have."""
    return why_not_reloaded(at) or why_not_told(authority, at.snapshot)


def why_not_annotated(at: Situation) -> str:
    """Why the operator cannot be told what pods have taken up, so that it restarts them."""
    if at.intent.unstamped:
        return "the API server refuses that pods are annotated."
    return at.snapshot.nodes.in_place.annotations if at.snapshot.nodes.in_place else ""


def nodes_of(snapshot: Snapshot, uids: frozenset[str]) -> frozenset[str]:
    """UIDs of the Kafka nodes among these pods: no other pod can read its certificates again."""
    return frozenset(pod.uid for pod in snapshot.nodes.pods if pod.component is Component.KAFKA) & uids

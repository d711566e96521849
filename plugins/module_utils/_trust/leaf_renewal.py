# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Leaves of nodes are renewed under the same CA, and read again instead of being restarted with (operator-facts, "The reload").

Raft clients and agents go on presenting what they were started with: it is remembered, and they are restarted before
it ends, unless something else restarts them first. Each rule yields steps or nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.journal import in_flight
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal, HeldLeaf, Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.promotable import current_generation, is_paused
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.reloading import may_reload, nodes_of
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Component, Snapshot, StoredLeaf
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.states import TrustState
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import (
    IssueLeaves,
    Pause,
    Reload,
    Roll,
    RollReason,
    StampPods,
    Steps,
    WriteLedger,
)

#: What a leaf that nobody can read anew without a restart has left when that restart is asked for.
RESTART_BEFORE = timedelta(days=7)
#: A leaf that ends with its CA cannot be renewed under it; one that another would outlive by less is not worth it.
_GAIN = timedelta(days=1)


def ending_leaves(snapshot: Snapshot, intent: Intent) -> tuple[StoredLeaf, ...]:
    """Nodes' leaves of the CA in use that are in their time for renewal, whether or not their CA could give them more."""
    if intent.goal is not Goal.RENEW_LEAVES or not snapshot.ca.current:
        return ()
    return tuple(leaf for leaf in snapshot.leaves if _is_ending(leaf, snapshot, intent))


def _is_ending(leaf: StoredLeaf, snapshot: Snapshot, intent: Intent) -> bool:
    if leaf.component is not Component.KAFKA or leaf.chain is None or leaf.generation != current_generation(snapshot):
        return False
    own = leaf.chain[0]
    window = min(intent.renew_before, (own.not_after - own.not_before) / 2)
    return own.signed_by(snapshot.ca.current[0]) and own.not_after - snapshot.now < window


def ends_with_its_authority(leaf: Certificate, authority: Certificate) -> bool:
    return authority.not_after - leaf.not_after < _GAIN


def due_leaves(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> tuple[StoredLeaf, ...]:
    """Leaves to be issued anew: never in the middle of another flow, whose CA they would be of."""
    if in_flight(ledger) or snapshot.ca.prepared or not snapshot.ca.current:
        return ()
    authority = snapshot.ca.current[0]
    entry = ledger.find(authority.fingerprint)
    if entry is None or (snapshot.pods and entry.state is not TrustState.TRUSTED_IN_USE_ALL):
        return ()
    ending = ending_leaves(snapshot, intent)
    return tuple(leaf for leaf in ending if leaf.chain and not ends_with_its_authority(leaf.chain[0], authority))


def pause_to_renew(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """The operator would restart the nodes as soon as it sees other leaves."""
    return (Pause(Phase.USE),) if due_leaves(snapshot, intent, ledger) else ()


def renew_leaves(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """Paused: what processes hold is written down before it is replaced."""
    due = due_leaves(snapshot, intent, ledger)
    if not due or not is_paused(snapshot):
        return ()
    noted = replace(ledger, held=tuple(_noted(snapshot, ledger, due)))
    if may_reload(snapshot, intent) and noted != ledger:
        return (WriteLedger(noted, Phase.USE),)
    return (IssueLeaves(tuple(sorted(leaf.secret for leaf in due)), current_generation(snapshot), Phase.USE),)


def _noted(snapshot: Snapshot, ledger: Ledger, due: tuple[StoredLeaf, ...]) -> Iterator[HeldLeaf]:
    """With the leaves of these Secrets, as far as the pods that exist were started with them."""
    replaced = {leaf.secret: leaf.chain[0] for leaf in due if leaf.chain}
    added: dict[Certificate, set[str]] = {}
    for pod in snapshot.pods:
        for secret in pod.leaves if pod.presents_stored else ():
            if secret in replaced:
                added.setdefault(replaced[secret], set()).add(pod.uid)
    for held in ledger.held:
        yield replace(held, awaiting=held.awaiting | added.pop(held.certificate, set()))
    yield from (HeldLeaf(leaf, frozenset(uids)) for leaf, uids in added.items())


def stamp_renewed(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """Paused: nodes that will read their new leaf are told of as if they had been started with it.

    Only where nothing else waits for a restart, which would be hidden from the operator for ever.
    """
    if not is_paused(snapshot):
        return ()
    behind = _behind(snapshot)
    known = behind and behind <= awaiting_renewed(snapshot, ledger)
    if not known or not may_reload(snapshot, intent) or snapshot.unpredicted != ():
        return ()
    return (StampPods(current_generation(snapshot), Phase.USE),)


def read_renewed(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """Listeners read the new leaf. Nodes that the operator restarts anyway, because it was told nothing, start with it."""
    waiting = awaiting_renewed(snapshot, ledger) - _behind(snapshot)
    if not waiting:
        return ()
    if may_reload(snapshot, intent):
        return (Reload(waiting, None, Phase.USE),)
    return (Roll(RollReason.LEAF, waiting, _authority(snapshot), Phase.USE),)


def await_operators_roll(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """Leaves were issued and the operator was not told that nodes read them: it restarts every one of them."""
    if intent.goal is not Goal.RENEW_LEAVES or snapshot.reconciliation.paused:
        return ()
    behind = _behind(snapshot)
    return (Roll(RollReason.USE, behind, _authority(snapshot), Phase.USE),) if behind else ()


def restart_holders(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """Processes that present a leaf that ends soon, on channels that read nothing, are restarted.

    All that hold any, when the cluster is handed back: nobody would remember them.
    """
    handing_back = intent.goal is Goal.DOWNGRADE
    ending = (held for held in ledger.held if handing_back or is_ending(held, snapshot))
    uids = frozenset(uid for held in ending for uid in held.holders) & snapshot.uids
    return (Roll(RollReason.LEAF, uids, _authority(snapshot), Phase.USE),) if uids else ()


def is_ending(held: HeldLeaf, snapshot: Snapshot) -> bool:
    """Whether its processes have to be restarted now."""
    return held.certificate.not_after - snapshot.now < RESTART_BEFORE


def awaiting_renewed(snapshot: Snapshot, ledger: Ledger) -> frozenset[str]:
    """Nodes (UIDs) whose listeners have not read their new leaf yet."""
    return frozenset(uid for held in ledger.held for uid in held.awaiting) & snapshot.uids


def _behind(snapshot: Snapshot) -> frozenset[str]:
    """Nodes that the operator is going to restart because their Secret holds another leaf."""
    return nodes_of(snapshot, frozenset(pod.uid for pod in snapshot.pods if pod.presents_stored is False))


def _authority(snapshot: Snapshot) -> str | None:
    return snapshot.ca.current[0].fingerprint if snapshot.ca.current else None

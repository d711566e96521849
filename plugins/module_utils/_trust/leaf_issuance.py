# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Leaves: which are issued, which are kept, and what the operator is told of them. Each rule yields steps or nothing."""

from __future__ import annotations

from collections.abc import Iterable

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates import alone_gate, trust_gate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent, Phase, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.outside import within_cluster
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.promotable import (
    current_generation,
    is_paused,
    is_promoted,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.reloading import may_settle
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Component, Snapshot, StoredLeaf
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import (
    IssueLeaves,
    Pause,
    RechainLeaves,
    StampPods,
    Steps,
)


def issue_leaves(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """Paused: leaves that are not of the current generation are issued before the operator looks again.

    In a takeover all of them. Else those that the operator would give out alone, where they need their chain.
    Behind the trust gate at this very moment (I3): the trust may have changed since the promotion.
    """
    if not is_promoted(snapshot, intent) or trust_gate(within_cluster(snapshot), ledger, snapshot.ca.current):
        return ()
    outdated = [leaf for leaf in snapshot.leaves if leaf.generation != current_generation(snapshot)]
    if intent.way is not Way.TAKEOVER:
        alone = alone_gate(snapshot, ledger, snapshot.ca.current)
        outdated = [leaf for leaf in outdated if alone and leaf.component is not Component.KAFKA]
    return _issue({leaf.secret for leaf in outdated}, snapshot)


def _issue(secrets: Iterable[str], snapshot: Snapshot, phase: Phase = Phase.USE) -> Steps:
    wanted = tuple(sorted(secrets))
    return (IssueLeaves(wanted, current_generation(snapshot), phase),) if wanted else ()


def rechain_leaves(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """Paused, and the CA takes the place of its bridge: leaves of its key stay, and only what is sent with them changes."""
    if not is_promoted(snapshot, intent) or not may_settle(snapshot, intent, ledger):
        return ()
    outdated = tuple(sorted({
        leaf.secret for leaf in snapshot.leaves
        if leaf.generation != current_generation(snapshot) and leaf.chain and leaf.chain[0].signed_by(snapshot.ca.current[0])
    }))  # fmt: skip
    return (RechainLeaves(outdated, current_generation(snapshot)),) if outdated else ()


def stamp_pods(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """Paused: the operator is to find the nodes as it would have made them, and nothing to restart."""
    if not is_promoted(snapshot, intent) or not may_settle(snapshot, intent, ledger):
        return ()
    if any(leaf.generation != current_generation(snapshot) for leaf in snapshot.leaves):
        return ()
    nodes = [pod for pod in snapshot.pods if pod.component is Component.KAFKA]
    behind = any(pod.generation != current_generation(snapshot) for pod in nodes)
    return (StampPods(current_generation(snapshot)),) if behind else ()


def renew_kept_leaves(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """Leaves that were kept stand in the way of their CA's removal; they are issued when everybody validates them."""
    kept = {leaf.secret for leaf in snapshot.leaves if _is_kept(leaf, snapshot, ledger)}
    if not kept or alone_gate(snapshot, ledger, snapshot.ca.current):
        return ()
    if not is_paused(snapshot):
        return (Pause(Phase.RETIRE),)
    return _issue(kept, snapshot, Phase.RETIRE)


def _is_kept(leaf: StoredLeaf, snapshot: Snapshot, ledger: Ledger) -> bool:
    """The operator's own counts as one of this generation, and another CA of the ledger has issued it.

    Of anything else nobody knows who stored it, and why: that holds the flow.
    """
    own = leaf.component is Component.CLUSTER_OPERATOR and leaf.generation == current_generation(snapshot)
    if not own or leaf.chain is None or not snapshot.ca.current:
        return False
    issuers = [entry.certificate for entry in ledger.entries if leaf.chain[0].signed_by(entry.certificate)]
    return bool(issuers) and not leaf.chain[0].signed_by(snapshot.ca.current[0])

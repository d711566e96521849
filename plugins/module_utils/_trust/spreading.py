# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Trust and leaves reach the processes: by the bundle, by rolls, by reloads; and a CA leaves by the same ways."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.bookkeeping import is_withdrawn
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.bridges import (
    is_bridge,
    is_to_be_crossed,
    learning_first,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates import removal_gate, trust_gate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.journal import is_current
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.outside import within_cluster
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.parties import present_all, still_trusting
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.promotable import current_generation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.reloading import may_reload, nodes_of
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.states import TrustState
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import (
    AwaitBundle,
    Project,
    Reload,
    Roll,
    RollReason,
    Steps,
    Withdraw,
)


def project(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """Every CA of the ledger is where processes read it; a CA on its way out only if it is needed again."""
    if not snapshot.ca.current:
        return ()
    missing = [entry for entry in ledger.entries if entry.fingerprint not in snapshot.ca.projected]
    needed = tuple(
        entry.chain for entry in missing
        if entry.state is not TrustState.PHASE_OUT or removal_gate(snapshot, ledger, entry.fingerprint)
    )  # fmt: skip
    return (Project(needed), _await(snapshot, ledger, Phase.PREPARE)) if needed else ()


def _await(snapshot: Snapshot, ledger: Ledger, phase: Phase, leaving: str | None = None) -> AwaitBundle:
    staying = frozenset(entry.fingerprint for entry in ledger.entries) - {leaving}
    return AwaitBundle(frozenset(staying), frozenset({leaving} if leaving else ()), phase)


def await_bundle(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """The trust bundle follows the certificate Secret at the operator's next reconcile."""
    if snapshot.bundle is None:
        return ()
    projected = snapshot.ca.projected
    lagging = projected - snapshot.bundle
    leaving = {entry.fingerprint for entry in ledger.entries if entry.fingerprint not in projected} & snapshot.bundle
    if not lagging and not leaving:
        return ()
    return (AwaitBundle(projected, frozenset(leaving), Phase.RETIRE if leaving else Phase.PREPARE),)


def spread_trust(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """The trust roll: processes that started before a CA was in the bundle, unless they validate it anyway, or its
    bridge brings it; then only those that refuse the bridge."""
    for entry in ledger.entries:
        waiting = (entry.awaiting or frozenset()) & snapshot.uids
        if not waiting or entry.state is TrustState.PHASE_OUT:
            continue
        if is_to_be_crossed(snapshot, intent, ledger, entry):
            waiting = frozenset(pod.uid for pod in learning_first(snapshot, ledger, entry))
        if waiting and trust_gate(within_cluster(snapshot), ledger, entry.chain):
            return (Roll(RollReason.TRUST, waiting, entry.fingerprint, Phase.TRUST),)
    return ()


def spread_use(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """The use roll: the operator has re-issued the leaves and restarts every process; wait for it."""
    if not snapshot.ca.current:
        return ()
    current = snapshot.ca.current[0].fingerprint
    behind = frozenset(
        pod.uid
        for pod, seen in zip(snapshot.pods, present_all(snapshot, ledger), strict=True)
        if seen.authorities is not None and seen.authorities != frozenset({current})
    )
    leaves_behind = [leaf for leaf in snapshot.leaves if leaf.generation != current_generation(snapshot)]
    if not behind and not leaves_behind:
        return ()
    crossed = any(is_bridge(entry, ledger) and not is_current(snapshot, entry) for entry in ledger.entries)
    return (Roll(RollReason.USE, behind, current, Phase.RETIRE if crossed else Phase.USE),)


def retire(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """A CA that nobody uses leaves the trust, behind the removal gate (I2)."""
    for entry in ledger.entries:
        if entry.state is not TrustState.PHASE_OUT or not snapshot.pods:
            continue
        if is_withdrawn(snapshot, entry.fingerprint) or removal_gate(snapshot, ledger, entry.fingerprint):
            continue
        if not is_current(snapshot, entry):
            return (Withdraw(entry.fingerprint), _await(snapshot, ledger, Phase.RETIRE, entry.fingerprint))
    return ()


def spread_removal(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """The retire roll: processes that started with a CA that has since been removed, unless they can re-read it."""
    for removed in ledger.removed:
        waiting = removed.awaiting & snapshot.uids
        nodes = nodes_of(snapshot, still_trusting(removed, snapshot) & waiting)
        if nodes and may_reload(snapshot, intent):
            return (Reload(nodes, removed.fingerprint),)
        # Nodes whose listeners all refuse it are spared; the other components have to start anew.
        restarted = waiting if nodes else waiting - nodes_of(snapshot, waiting)
        if restarted:
            return (Roll(RollReason.RETIRE, restarted, removed.fingerprint, Phase.RETIRE),)
    return ()

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The CA that issues: a new one is prepared, promoted behind its gates, and what is left over is tidied away."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.authorities import authority_generation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.bridges import may_be_bridged
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates import alone_gate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent, Phase, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal, Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.promotable import (
    current_generation,
    is_paused,
    promotable,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.reloading import may_settle
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Chain, Component, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import (
    KeepLeaves,
    Pause,
    PrepareAuthority,
    Promote,
    RestoreKey,
    SetGenerated,
    Steps,
    TidyKeys,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.target import resolve


def settle_key(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """A promotion whose key is written is ended before anything that needs the operator: with a key that is not that
    of ``ca.crt`` it does nothing at all. Forward where the gate still holds, else back."""
    current = snapshot.ca.current[0] if snapshot.ca.current else None
    if current is None or snapshot.ca.key in (None, current.public_key_sha256):
        return ()
    if promotable(snapshot, intent) is not None:
        return promote(snapshot, intent, ledger)
    return (RestoreKey(current.fingerprint),) if current.fingerprint in snapshot.ca.kept_keys else ()


def take_over_authority(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """Adopting: the operator stops managing the CA before anything else is touched."""
    if intent.goal is Goal.UPGRADE and snapshot.reconciliation.generated:
        return (SetGenerated(False, Phase.PREPARE),)
    return ()


def prepare(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """A new CA where the intent asks for one."""
    if not resolve(snapshot, intent, ledger).wanted:
        return ()
    generation = _next_generation(snapshot, intent, ledger)
    return (PrepareAuthority(intent.goal, snapshot.ca.current, generation, may_be_bridged(snapshot, intent)),)


def _next_generation(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> int:
    """N of ``CN=cluster-ca vN``: a renewal keeps it, a new key takes one that no CA here has (RFC 5280 6.1: by name)."""
    named = [authority_generation(entry.certificate) for entry in ledger.entries]
    known = [generation for generation in named if generation is not None]
    if not snapshot.ca.current:
        return 0
    own = authority_generation(snapshot.ca.current[0])
    if intent.goal is Goal.RENEW:
        return snapshot.ca.key_generation if own is None else own
    if own is None:
        # No name tells how far the numbers went; every CA that had one had a certificate generation as well.
        known.append(current_generation(snapshot))
    return max([*known, snapshot.ca.key_generation]) + 1


def promote(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """The prepared CA starts to issue: only when it is trusted, and behind the trust gate at this very moment (I3)."""
    successor = promotable(snapshot, intent)
    if successor is None:
        return ()
    if _is_issuing_watched(snapshot, intent, ledger, successor) and not is_paused(snapshot):
        return (Pause(successor.phase),)
    return _keep_leaves(snapshot, ledger, successor) or (successor,)


def _is_issuing_watched(snapshot: Snapshot, intent: Intent, ledger: Ledger, step: Promote) -> bool:
    """Whether the operator must not act between the promotion and what follows it: leaves that are issued, or kept."""
    if not snapshot.reconciliation.exists or not snapshot.pods:
        return False
    settling = step.phase is Phase.RETIRE and may_settle(snapshot, intent, ledger)
    alone = alone_gate(snapshot, ledger, _presented_after(snapshot, step))
    return settling or intent.way is Way.TAKEOVER or bool(alone)


def _presented_after(snapshot: Snapshot, step: Promote) -> Chain:
    promoted = next(one for one in snapshot.ca.prepared if one.fingerprint == step.fingerprint)
    return promoted.bridge if step.bridged else promoted.chain


def _keep_leaves(snapshot: Snapshot, ledger: Ledger, step: Promote) -> Steps:
    """The operator's own leaf, which it presents alone from the start of the next reconcile (operator-facts, 3), stays
    the one that it is where not everybody could validate another.

    Before the promotion: whoever ends our pause after it finds this done. Where none follows, the operator issues anew.
    """
    if not alone_gate(snapshot, ledger, _presented_after(snapshot, step)):
        return ()
    outdated = tuple(
        leaf.secret
        for leaf in snapshot.leaves
        if leaf.component is Component.CLUSTER_OPERATOR and leaf.generation != step.generation
    )
    return (KeepLeaves(outdated, step.generation, step.phase),) if outdated else ()


def tidy(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """Prepared entries end with their promotion, kept keys with the CA's time in the ledger."""
    current = snapshot.ca.current[0].fingerprint if snapshot.ca.current else None
    promoted = frozenset(a.fingerprint for a in snapshot.ca.prepared if a.fingerprint == current)
    known = {entry.fingerprint for entry in ledger.entries} | {a.fingerprint for a in snapshot.ca.prepared}
    stale = frozenset(snapshot.ca.kept_keys - known) | (promoted & snapshot.ca.kept_keys)
    if current is not None and current in snapshot.ca.kept_keys:
        stale |= {current}
    return (TidyKeys(promoted, stale, Phase.USE if promoted else Phase.RETIRE),) if promoted or stale else ()

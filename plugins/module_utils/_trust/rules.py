# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""What to do next, one rule a function, in the order in which they are asked. Each yields steps or nothing.

The books are already kept when these are asked: ``ledger`` is what the Secret says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.authorities import authority_generation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.bookkeeping import is_projected, is_withdrawn
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.bridges import (
    is_bridge,
    is_crossed,
    is_to_be_crossed,
    may_be_bridged,
    usable_bridge,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates import (
    alone_gate,
    removal_gate,
    trust_gate,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent, Phase, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.journal import is_current
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal, Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.outside import within_cluster
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.outside_waits import await_outside
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.parties import present_all, still_trusting
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.publication import is_published, publish
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.reloading import may_reload, may_settle, nodes_of
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import (
    Chain,
    Component,
    Snapshot,
    StoredLeaf,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.states import TRUSTED_STATES, TrustState
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import (
    AwaitBundle,
    IssueLeaves,
    KeepLeaves,
    Pause,
    PrepareAuthority,
    Project,
    Promote,
    RechainLeaves,
    Reload,
    RestoreKey,
    Resume,
    Roll,
    RollReason,
    SetGenerated,
    StampPods,
    Step,
    TidyKeys,
    Withdraw,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.target import resolve

Steps = tuple[Step, ...]
Rule = Callable[[Snapshot, Intent, Ledger], Steps]


def issue_leaves(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """Paused: leaves that are not of the current generation are issued before the operator looks again.

    In a takeover all of them. Else those that the operator would give out alone, where they need their chain.
    Behind the trust gate at this very moment (I3): the trust may have changed since the promotion.
    """
    if not _is_promoted(snapshot, intent) or trust_gate(within_cluster(snapshot), ledger, snapshot.ca.current):
        return ()
    outdated = [leaf for leaf in snapshot.leaves if leaf.generation != _generation(snapshot)]
    if intent.way is not Way.TAKEOVER:
        alone = alone_gate(snapshot, ledger, snapshot.ca.current)
        outdated = [leaf for leaf in outdated if alone and leaf.component is not Component.KAFKA]
    return _issue({leaf.secret for leaf in outdated}, snapshot)


def _issue(secrets: Iterable[str], snapshot: Snapshot, phase: Phase = Phase.USE) -> Steps:
    wanted = tuple(sorted(secrets))
    return (IssueLeaves(wanted, _generation(snapshot), phase),) if wanted else ()


def rechain_leaves(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """Paused, and the CA takes the place of its bridge: leaves of its key stay, and only what is sent with them changes."""
    if not _is_promoted(snapshot, intent) or not may_settle(snapshot, intent, ledger):
        return ()
    outdated = tuple(sorted({
        leaf.secret for leaf in snapshot.leaves
        if leaf.generation != _generation(snapshot) and leaf.chain and leaf.chain[0].signed_by(snapshot.ca.current[0])
    }))  # fmt: skip
    return (RechainLeaves(outdated, _generation(snapshot)),) if outdated else ()


def stamp_pods(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """Paused: the operator is to find the nodes as it would have made them, and nothing to restart."""
    if not _is_promoted(snapshot, intent) or not may_settle(snapshot, intent, ledger):
        return ()
    if any(leaf.generation != _generation(snapshot) for leaf in snapshot.leaves):
        return ()
    nodes = [pod for pod in snapshot.pods if pod.component is Component.KAFKA]
    behind = any(pod.generation != _generation(snapshot) for pod in nodes)
    return (StampPods(_generation(snapshot)),) if behind else ()


def renew_kept_leaves(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """Leaves that were kept stand in the way of their CA's removal; they are issued when everybody validates them."""
    kept = {leaf.secret for leaf in snapshot.leaves if _is_kept(leaf, snapshot, ledger)}
    if not kept or alone_gate(snapshot, ledger, snapshot.ca.current):
        return ()
    if not _is_paused(snapshot):
        return (Pause(Phase.RETIRE),)
    return _issue(kept, snapshot, Phase.RETIRE)


def _is_kept(leaf: StoredLeaf, snapshot: Snapshot, ledger: Ledger) -> bool:
    """The operator's own counts as one of this generation, and another CA of the ledger has issued it.

    Of anything else nobody knows who stored it, and why: that holds the flow.
    """
    own = leaf.component is Component.CLUSTER_OPERATOR and leaf.generation == _generation(snapshot)
    if not own or leaf.chain is None or not snapshot.ca.current:
        return False
    issuers = [entry.certificate for entry in ledger.entries if leaf.chain[0].signed_by(entry.certificate)]
    return bool(issuers) and not leaf.chain[0].signed_by(snapshot.ca.current[0])


def _is_promoted(snapshot: Snapshot, intent: Intent) -> bool:
    """The promotion is written and the operator has not been let on again."""
    paused = snapshot.reconciliation.paused_by_us and bool(snapshot.ca.current)
    return paused and _promotable(snapshot, intent) is None


def _is_paused(snapshot: Snapshot) -> bool:
    return snapshot.reconciliation.paused_by_us and snapshot.reconciliation.pause_effective


def _generation(snapshot: Snapshot) -> int:
    return snapshot.ca.certificate_generation


def settle_key(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """A promotion whose key is written is ended before anything that needs the operator: with a key that is not that
    of ``ca.crt`` it does nothing at all. Forward where the gate still holds, else back."""
    current = snapshot.ca.current[0] if snapshot.ca.current else None
    if current is None or snapshot.ca.key in (None, current.public_key_sha256):
        return ()
    if _promotable(snapshot, intent) is not None:
        return promote(snapshot, intent, ledger)
    return (RestoreKey(current.fingerprint),) if current.fingerprint in snapshot.ca.kept_keys else ()


def resume(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """Our pause ends as soon as what comes next does not need it; handing back ends its own."""
    if not snapshot.reconciliation.paused_by_us or intent.goal is Goal.DOWNGRADE:
        return ()
    if renew_kept_leaves(snapshot, intent, ledger):
        return ()
    promoting = _promotable(snapshot, intent) is not None and not retire(snapshot, intent, ledger)
    return () if promoting else (Resume(),)


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
        known.append(_generation(snapshot))
    return max([*known, snapshot.ca.key_generation]) + 1


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
    bridge brings it."""
    for entry in ledger.entries:
        waiting = (entry.awaiting or frozenset()) & snapshot.uids
        if not waiting or entry.state is TrustState.PHASE_OUT or is_to_be_crossed(snapshot, intent, ledger, entry):
            continue
        if trust_gate(within_cluster(snapshot), ledger, entry.chain):
            return (Roll(RollReason.TRUST, waiting, entry.fingerprint, Phase.TRUST),)
    return ()


def promote(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """The prepared CA starts to issue: only when it is trusted, and behind the trust gate at this very moment (I3)."""
    successor = _promotable(snapshot, intent)
    if successor is None:
        return ()
    if _is_issuing_watched(snapshot, intent, ledger, successor) and not _is_paused(snapshot):
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


def _promotable(snapshot: Snapshot, intent: Intent) -> Promote | None:
    """The promotion of the prepared CA that may issue now, None when there is none or its gates do not hold."""
    for authority in snapshot.ca.prepared:
        entry = snapshot.ledger.find(authority.fingerprint) if snapshot.ledger else None
        if entry is None or snapshot.ledger is None or is_current(snapshot, entry):
            continue
        generation = _generation(snapshot) + 1 if snapshot.ca.current else 0
        if not snapshot.ca.current and not snapshot.pods:
            return Promote(entry.fingerprint, generation)
        if not is_projected(snapshot, entry.fingerprint) or not is_published(snapshot, intent, entry):
            continue
        crossed = is_crossed(snapshot, snapshot.ledger)
        if crossed and any(other.state is TrustState.PHASE_OUT for other in snapshot.ledger.entries):
            # What keeps the old CA is to be looked at, not to be issued anew.
            continue
        if crossed or not is_to_be_crossed(snapshot, intent, snapshot.ledger, entry):
            known = entry.state in TRUSTED_STATES
            if known and not trust_gate(snapshot, snapshot.ledger, entry.chain):
                return Promote(entry.fingerprint, generation, phase=Phase.RETIRE if crossed else Phase.USE)
        elif usable_bridge(snapshot, intent, snapshot.ledger, authority):
            return Promote(entry.fingerprint, generation, bridged=True)
    return None


def tidy(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """Prepared entries end with their promotion, kept keys with the CA's time in the ledger."""
    current = snapshot.ca.current[0].fingerprint if snapshot.ca.current else None
    promoted = frozenset(a.fingerprint for a in snapshot.ca.prepared if a.fingerprint == current)
    known = {entry.fingerprint for entry in ledger.entries} | {a.fingerprint for a in snapshot.ca.prepared}
    stale = frozenset(snapshot.ca.kept_keys - known) | (promoted & snapshot.ca.kept_keys)
    if current is not None and current in snapshot.ca.kept_keys:
        stale |= {current}
    return (TidyKeys(promoted, stale, Phase.USE if promoted else Phase.RETIRE),) if promoted or stale else ()


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
    leaves_behind = [leaf for leaf in snapshot.leaves if leaf.generation != _generation(snapshot)]
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


RULES: tuple[Rule, ...] = (
    settle_key,
    rechain_leaves,
    issue_leaves,
    stamp_pods,
    resume,
    take_over_authority,
    prepare,
    project,
    await_bundle,
    publish,
    spread_trust,
    renew_kept_leaves,
    retire,
    promote,
    tidy,
    spread_use,
    spread_removal,
    await_outside,
)

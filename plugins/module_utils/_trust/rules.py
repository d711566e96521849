# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""What to do next, one rule a function, in the order in which they are asked. Each yields steps or nothing.

The books are already kept when these are asked: ``ledger`` is what the Secret says.
"""

from __future__ import annotations

from collections.abc import Callable

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.authorities import authority_generation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.bookkeeping import is_projected, is_withdrawn
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates import removal_gate, trust_gate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent, Phase, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.journal import is_current
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal, Ledger, LedgerEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.parties import present_all
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.publication import is_published, publish
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.states import TRUSTED_STATES, TrustState
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import (
    AwaitBundle,
    IssueLeaves,
    Pause,
    PrepareAuthority,
    Project,
    Promote,
    RestoreKey,
    Resume,
    Roll,
    RollReason,
    SetGenerated,
    Step,
    TidyKeys,
    Withdraw,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.target import resolve

Steps = tuple[Step, ...]
Rule = Callable[[Snapshot, Intent, Ledger], Steps]


def issue_leaves(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """Takeover, paused: every leaf that is not of the current generation is issued before the operator looks again.

    Behind the trust gate at this very moment (I3): the trust may have changed since the promotion.
    """
    if not _taken_over(snapshot, intent) or trust_gate(snapshot, ledger, snapshot.ca.current):
        return ()
    outdated = tuple(sorted({leaf.secret for leaf in snapshot.leaves if leaf.generation != _generation(snapshot)}))
    return (IssueLeaves(outdated, _generation(snapshot)),) if outdated else ()


def _taken_over(snapshot: Snapshot, intent: Intent) -> bool:
    """The promotion is written and the operator has not been let on again."""
    if intent.way is not Way.TAKEOVER or not snapshot.reconciliation.paused_by_us:
        return False
    return bool(snapshot.ca.current) and _promotable(snapshot, intent) is None


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
    """Our pause ends as soon as nothing needs it; handing back ends its own."""
    if not snapshot.reconciliation.paused_by_us or intent.goal is Goal.DOWNGRADE:
        return ()
    return () if _promotable(snapshot, intent) is not None else (Resume(),)


def take_over_authority(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """Adopting: the operator stops managing the CA before anything else is touched."""
    if intent.goal is Goal.UPGRADE and snapshot.reconciliation.generated:
        return (SetGenerated(False, Phase.PREPARE),)
    return ()


def prepare(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """A new CA where the intent asks for one."""
    if not resolve(snapshot, intent, ledger).wanted:
        return ()
    return (PrepareAuthority(intent.goal, snapshot.ca.current, _next_generation(snapshot, intent, ledger)),)


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
    """The trust roll: processes that started before a CA was in the bundle, unless they validate it anyway."""
    for entry in ledger.entries:
        waiting = (entry.awaiting or frozenset()) & snapshot.uids
        if waiting and entry.state is not TrustState.PHASE_OUT and trust_gate(snapshot, ledger, entry.chain):
            return (Roll(RollReason.TRUST, waiting, entry.fingerprint, Phase.TRUST),)
    return ()


def promote(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """The prepared CA starts to issue: only when it is trusted, and behind the trust gate at this very moment (I3)."""
    successor = _promotable(snapshot, intent)
    if successor is None:
        return ()
    state = snapshot.reconciliation
    taking_over = intent.way is Way.TAKEOVER and state.exists and bool(snapshot.pods)
    if taking_over and not (state.paused_by_us and state.pause_effective):
        return (Pause(),)
    generation = _generation(snapshot) + 1 if snapshot.ca.current else 0
    return (Promote(successor.fingerprint, generation),)


def _promotable(snapshot: Snapshot, intent: Intent) -> LedgerEntry | None:
    """The prepared CA that may become current now, None when there is none or its gates do not hold."""
    ledger = snapshot.ledger
    if ledger is None:
        return None
    for authority in snapshot.ca.prepared:
        entry = ledger.find(authority.fingerprint)
        if entry is None or is_current(snapshot, entry):
            continue
        if not snapshot.ca.current and not snapshot.pods:
            return entry
        known = entry.state in TRUSTED_STATES and is_projected(snapshot, entry.fingerprint)
        if known and is_published(snapshot, intent, entry) and not trust_gate(snapshot, ledger, entry.chain):
            return entry
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
    return (Roll(RollReason.USE, behind, current, Phase.USE),)


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
    """The retire roll: processes that started with a CA that has since been removed."""
    for removed in ledger.removed:
        waiting = removed.awaiting & snapshot.uids
        if waiting:
            return (Roll(RollReason.RETIRE, waiting, removed.fingerprint, Phase.RETIRE),)
    return ()


RULES: tuple[Rule, ...] = (
    settle_key,
    issue_leaves,
    resume,
    take_over_authority,
    prepare,
    project,
    await_bundle,
    publish,
    spread_trust,
    promote,
    tidy,
    spread_use,
    retire,
    spread_removal,
)

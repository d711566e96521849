# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""What the ledger should say about what is seen: enrolment, read-back, transitions, removal, journal.

Each rule is a function from ledger to ledger; together they are one pass, with at most one transition per CA.
"""

from __future__ import annotations

from dataclasses import replace

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decision import Transition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.enrolment import enrol, learn_generation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence import usage_of
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates import removal_gate, trust_gate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.journal import write_journal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import (
    HeldLeaf,
    Ledger,
    LedgerEntry,
    RemovedEntry,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.outside import within_cluster
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.parties import (
    present_all,
    presenting_stored,
    still_trusting,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.states import TrustState, Usage, after_usage


def keep_books(snapshot: Snapshot) -> tuple[Ledger, tuple[Transition, ...]]:
    """The ledger after this pass and the transitions taken in it."""
    before = snapshot.ledger or Ledger()
    ledger = enrol(snapshot, before)
    ledger = learn_generation(snapshot, ledger)
    ledger = read_back(snapshot, ledger)
    ledger = forget_removed(snapshot, ledger)
    ledger = forget_held(snapshot, ledger)
    ledger = advance(snapshot, ledger)
    ledger = remove(snapshot, ledger)
    ledger = write_journal(snapshot, before, ledger)
    return ledger, _transitions(snapshot, before, ledger)


def is_projected(snapshot: Snapshot, fingerprint: str) -> bool:
    """Whether the CA is in the certificate Secret and, where there is a trust bundle, in that too."""
    in_bundle = snapshot.bundle is None or fingerprint in snapshot.bundle
    return fingerprint in snapshot.ca.projected and in_bundle


def is_withdrawn(snapshot: Snapshot, fingerprint: str) -> bool:
    """Whether the CA is neither in the certificate Secret nor in the trust bundle."""
    in_bundle = snapshot.bundle is not None and fingerprint in snapshot.bundle
    return fingerprint not in snapshot.ca.projected and not in_bundle


def read_back(snapshot: Snapshot, ledger: Ledger) -> Ledger:
    """Record the pods that exist when a CA is read back; start over when somebody took it out of the projection.

    Pods are listed after the bundle was read, so a pod that is not recorded started later, with the CA in its trust.
    A bundle that is absent while pods exist is contradictory: nothing is recorded.
    """
    if snapshot.bundle is None and snapshot.pods:
        return ledger
    for entry in ledger.entries:
        projected = is_projected(snapshot, entry.fingerprint)
        if projected and entry.awaiting is None:
            ledger = ledger.with_entry(replace(entry, awaiting=snapshot.uids))
        elif not projected and entry.awaiting is not None and not _is_leaving(snapshot, ledger, entry):
            ledger = ledger.with_entry(replace(entry, awaiting=None))
    return ledger


def _is_leaving(snapshot: Snapshot, ledger: Ledger, entry: LedgerEntry) -> bool:
    """Whether it was taken out for good: one that is needed after all will be put back, and pods start meanwhile."""
    return entry.state is TrustState.PHASE_OUT and not removal_gate(snapshot, ledger, entry.fingerprint)


def forget_removed(snapshot: Snapshot, ledger: Ledger) -> Ledger:
    """A removed CA is trusted by nobody once every pod that started with it is gone, and none that was asked says so.

    Where listeners of such pods were seen to refuse it, the rest of these processes is remembered. A pod that nobody
    awaits may say that it trusts it: it has started while the operator had the CA in the bundle once more.
    """
    remembered = (_after_removal(removed, snapshot) for removed in ledger.removed)
    return replace(ledger, removed=tuple(removed for removed in remembered if removed))


def _after_removal(removed: RemovedEntry, snapshot: Snapshot) -> RemovedEntry | None:
    if still_trusting(removed, snapshot):
        return removed
    lingering = (removed.awaiting | removed.lingering) & snapshot.uids
    return replace(removed, awaiting=frozenset(), lingering=lingering) if lingering else None


def forget_held(snapshot: Snapshot, ledger: Ledger) -> Ledger:
    """A leaf that is stored no more is held by nobody once the pods that started with it are gone.

    Where their listeners were seen to present what is stored now, the rest of these processes is remembered.
    """
    # Asked once for all: there are as many held leaves as nodes.
    renewed = presenting_stored(snapshot) if ledger.held else frozenset()
    stored = frozenset(leaf.chain[0] for leaf in snapshot.leaves if leaf.chain)
    # Written down before another takes its place: until then there is nothing that a listener could have read.
    remembered = (
        _after_renewal(held, snapshot, frozenset() if held.certificate in stored else renewed) for held in ledger.held
    )
    return replace(ledger, held=tuple(held for held in remembered if held.holders))


def _after_renewal(held: HeldLeaf, snapshot: Snapshot, renewed: frozenset[str]) -> HeldLeaf:
    awaiting = held.awaiting & snapshot.uids
    read = awaiting & renewed
    return replace(held, awaiting=awaiting - read, lingering=(held.lingering & snapshot.uids) | read)


def advance(snapshot: Snapshot, ledger: Ledger) -> Ledger:
    """At most one transition per CA, by the trust gate or by usage (spec/1)."""
    presentations = present_all(snapshot, ledger)
    changed = ledger
    for entry in ledger.entries:
        after = _state_after(snapshot, ledger, entry, usage_of(entry.fingerprint, presentations))
        if after is not entry.state:
            changed = changed.with_entry(replace(entry, state=after, awaiting=_still_awaiting(snapshot, entry)))
    return changed


def _state_after(snapshot: Snapshot, ledger: Ledger, entry: LedgerEntry, usage: Usage) -> TrustState:
    if entry.state is not TrustState.UNTRUSTED:
        # A CA that enters as TRUSTED_UNUSED has made its one step of this pass.
        known = snapshot.ledger is not None and snapshot.ledger.find(entry.fingerprint) is not None
        return after_usage(entry.state, usage) if known else entry.state
    # No pods: the state is kept. Not read back: a process that starts now might miss the CA.
    if usage is Usage.NO_PODS or entry.awaiting is None or trust_gate(within_cluster(snapshot), ledger, entry.chain):
        return TrustState.UNTRUSTED
    return TrustState.TRUSTED_UNUSED


def _still_awaiting(snapshot: Snapshot, entry: LedgerEntry) -> frozenset[str] | None:
    return None if entry.awaiting is None else entry.awaiting & snapshot.uids


def remove(snapshot: Snapshot, ledger: Ledger) -> Ledger:
    """Strike a withdrawn PHASE_OUT CA off the ledger and remember who still trusts it.

    Where another CA of the ledger has the same name and key (a renewal), trusting the old certificate adds nothing:
    there is nobody to remember. No pods: the state is kept.
    """
    for entry in ledger.entries:
        struck = snapshot.ledger is not None and snapshot.ledger.find(entry.fingerprint)
        if not struck or struck.state is not TrustState.PHASE_OUT or entry.state is not TrustState.PHASE_OUT:
            continue
        if not snapshot.pods or not is_withdrawn(snapshot, entry.fingerprint):
            continue
        if removal_gate(snapshot, ledger, entry.fingerprint):
            continue
        ledger = ledger.without_entry(entry.fingerprint)
        if not has_twin(ledger, entry):
            removed = RemovedEntry(entry.certificate, snapshot.uids)
            ledger = replace(ledger, removed=(*ledger.removed, removed))
    return ledger


def has_twin(ledger: Ledger, entry: LedgerEntry) -> bool:
    """Whether another CA of the ledger has the same name and key, so that it validates the same leaves."""
    return any(
        other.fingerprint != entry.fingerprint and other.certificate.is_twin_of(entry.certificate)
        for other in ledger.entries
    )


def _transitions(snapshot: Snapshot, before: Ledger, after: Ledger) -> tuple[Transition, ...]:
    presentations = present_all(snapshot, after)
    sources = ", ".join(sorted({p.why if p.authorities is not None else "unknown" for p in presentations}))
    taken = []
    for entry in [*after.entries, *(e for e in before.entries if after.find(e.fingerprint) is None)]:
        old, new = before.find(entry.fingerprint), after.find(entry.fingerprint)
        states = (old.state if old else None, new.state if new else None)
        if states[0] is not states[1]:
            usage = usage_of(entry.fingerprint, presentations)
            taken.append(Transition(entry.fingerprint, entry.certificate.subject, *states, usage, sources or "no pods"))
    return tuple(taken)

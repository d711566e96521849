# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The ledger that follows from the observation of a call: enrolment, read-back, memory, transitions, removal, journal,
upkeep, layout.

Each rule is a function from ledger to ledger. Together they are one pass, with at most one transition per CA
(docs/design.md, "States").

A CA advances by the gate before use, or by usage. If a CA has left the trust, it leaves the ledger. The ledger then
remembers the pods that started before it was gone, and the leaves that only running processes still present.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from datetime import datetime

from ..._pki.certificates import Certificate
from ..evidence.parties import (
    leaf_shown_by,
    nodes_to_recover,
    pods_accepting,
    pods_trusting_removed,
    present_all,
    presenting_stored,
)
from ..evidence.stored import issuers_of, present_pod, usage_of
from ..gates.gates import Gates, why_not_presented
from ..model.decision import Transition
from ..model.intent import Intent
from ..model.ledger import UNUSED, FormerLeaf, Ledger, LedgerEntry, RemovedEntry, TrustState, Usage, after_usage
from ..model.snapshot import Snapshot
from .enrolment import adopt_swapped, enrol_authorities, learn_generation
from .journal import in_flight, write_journal
from .target import note_upkeep


def lay_out(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Ledger:
    """The same ledger in its wanted layout, with nothing beside it.

    A new ledger is one Secret first, because one write either makes it or does not.
    """
    if snapshot.ledger is None:
        return ledger
    return replace(ledger, layout=intent.parameters.layout or ledger.layout, has_leftovers=False)


def advance_states(snapshot: Snapshot, intent: Intent, ledger: Ledger, gates: Gates) -> Ledger:
    """The ledger after at most one transition for each CA."""
    presentations = present_all(snapshot, ledger)
    changed, leaving = ledger, {intent.trust.leaving_ca, ledger.undone_ca}
    for entry in ledger.entries:
        usage = usage_of(entry.fingerprint, presentations)
        after = _state_after(snapshot, ledger, entry, usage, gates)
        if (
            entry.fingerprint in leaving
            and entry.state in UNUSED
            and usage is Usage.NONE
            and _is_known(snapshot, entry)
        ):
            after = TrustState.PHASE_OUT
        if after is not entry.state:
            awaited = None if entry.awaited_pods is None else entry.awaited_pods & snapshot.uids
            changed = changed.with_entry(replace(entry, state=after, awaited_pods=awaited))
    return changed


def _state_after(snapshot: Snapshot, ledger: Ledger, entry: LedgerEntry, usage: Usage, gates: Gates) -> TrustState:
    if entry.state is not TrustState.UNTRUSTED:
        # A CA that enters as TRUSTED_UNUSED has made its one step of this pass.
        return after_usage(entry.state, usage) if _is_known(snapshot, entry) else entry.state
    # Without pods the state is kept. Before the CA was read back, a process that starts now might miss it.
    if usage is Usage.NO_PODS or entry.awaited_pods is None or why_not_presented(snapshot, ledger, entry, gates):
        return TrustState.UNTRUSTED
    return TrustState.TRUSTED_UNUSED


def _is_known(snapshot: Snapshot, entry: LedgerEntry) -> bool:
    """Whether it was in the ledger before this pass."""
    return snapshot.ledger is not None and snapshot.ledger.find(entry.fingerprint) is not None


def is_projected(snapshot: Snapshot, fingerprint: str) -> bool:
    """Whether the CA is in the certificate Secret and, if there is a trust bundle, also there."""
    in_bundle = snapshot.bundle is None or fingerprint in snapshot.bundle
    return fingerprint in snapshot.ca.projected and in_bundle


def is_withdrawn(snapshot: Snapshot, fingerprint: str) -> bool:
    """Whether the CA is neither in the certificate Secret nor in the trust bundle."""
    in_bundle = snapshot.bundle is not None and fingerprint in snapshot.bundle
    return fingerprint not in snapshot.ca.projected and not in_bundle


def is_out_of_reach(snapshot: Snapshot, ledger: Ledger, fingerprint: str) -> bool:
    """Whether no party can read the CA as a trusted CA any more: neither processes, nor clients that load the
    certificate Secret or the bundle for clients. It may stay there as a part of the chain of another CA.
    """
    above = {certificate.fingerprint for entry in ledger.entries for certificate in entry.chain[1:]}
    published = (snapshot.outside_clients.published or frozenset()) - above
    return is_withdrawn(snapshot, fingerprint) and fingerprint not in published


def read_back(snapshot: Snapshot, ledger: Ledger, gates: Gates) -> Ledger:
    """Record the pods at the time when a CA is read back; start over if it was taken out of the projection."""
    ledger = note_pods_of_now(snapshot, ledger)
    if _is_contradictory(snapshot):
        return ledger
    for entry in ledger.entries:
        if (
            entry.awaited_pods is not None
            and not is_projected(snapshot, entry.fingerprint)
            and not is_needless(snapshot, ledger, entry, gates)
        ):
            entry = replace(entry, awaited_pods=None, published_at=None)
        elif entry.published_at is not None:
            # The clock of an earlier run may have been ahead of this machine's clock: then clients would get too much
            # time.
            cleared = entry.cleared_at and min(entry.cleared_at, snapshot.now)
            entry = replace(entry, published_at=min(entry.published_at, snapshot.now), cleared_at=cleared)
        ledger = ledger.with_entry(entry)
    return ledger


def note_pods_of_now(snapshot: Snapshot, ledger: Ledger) -> Ledger:
    """Record the pods at the time when a CA is read: it has come to the trust of processes, or has left on its way out.
    Record whether a removed CA is back there.

    Pods are listed after the bundle was read: if a pod is not recorded, it started later, with the CA or without it. So
    this is recorded at once, however long it takes until the CA may be used, or leaves the ledger.
    """
    ledger = replace(ledger, removed_cas=tuple(_note_return(removed, snapshot) for removed in ledger.removed_cas))
    if _is_contradictory(snapshot):
        return ledger
    for entry in ledger.entries:
        is_gone = is_withdrawn(snapshot, entry.fingerprint)
        if entry.knowing_pods is not None and not is_gone:
            # It is back. A pod that has started in between lacks it.
            entry = replace(entry, awaited_pods=None, published_at=None)
        if is_projected(snapshot, entry.fingerprint) and entry.awaited_pods is None:
            entry = replace(entry, awaited_pods=snapshot.uids, published_at=snapshot.now)
        if not is_gone:
            entry = replace(entry, knowing_pods=None)
        elif entry.knowing_pods is None and entry.state is TrustState.PHASE_OUT and snapshot.nodes.pods:
            entry = replace(entry, knowing_pods=snapshot.uids)
        ledger = ledger.with_entry(entry)
    return ledger


def _note_return(removed: RemovedEntry, snapshot: Snapshot) -> RemovedEntry:
    """While the CA is back, each pod may have read it, and so may each pod that starts before the CA is gone. The pods
    at that time may know it. Without pods the CA counts as back: nothing shows which pod is the last that reads it.
    """
    if not is_withdrawn(snapshot, removed.fingerprint):
        return replace(removed, awaited_pods=snapshot.uids or removed.awaited_pods, is_back=True)
    if removed.is_back and snapshot.nodes.pods and not _is_contradictory(snapshot):
        return replace(removed, awaited_pods=snapshot.uids, is_back=False)
    return removed


def _is_contradictory(snapshot: Snapshot) -> bool:
    """Whether the bundle is absent while pods exist. Then nothing shows the trust of a pod that starts now."""
    return snapshot.bundle is None and bool(snapshot.nodes.pods)


def note_reloads(snapshot: Snapshot, ledger: Ledger) -> Ledger:
    """Record the pods that have read their trust again since: their listeners were seen to accept the CA, and a reload
    reaches them as a whole.
    """
    whole = snapshot.reached_whole
    for entry in ledger.entries if whole else ():
        read = (entry.awaited_pods or frozenset()) & whole
        if read and (seen := read & pods_accepting(entry.fingerprint, snapshot)):
            ledger = ledger.with_entry(replace(entry, awaited_pods=(entry.awaited_pods or frozenset()) - seen))
    return ledger


def note_restarts_to_come(snapshot: Snapshot, ledger: Ledger) -> Ledger:
    """Record the nodes with ended certificates as nodes that have read each CA of the bundle: every party refuses them
    until they restart, and they keep their UIDs in that restart.
    """
    restarting = frozenset(nodes_to_recover(snapshot))
    for entry in ledger.entries if restarting else ():
        if entry.awaited_pods and is_projected(snapshot, entry.fingerprint):
            ledger = ledger.with_entry(replace(entry, awaited_pods=entry.awaited_pods - restarting))
    return ledger


def is_needless(snapshot: Snapshot, ledger: Ledger, entry: LedgerEntry, gates: Gates) -> bool:
    """Whether this CA is on its way out and no party needs it: once it is withdrawn, it has left for good. If a party
    needs a withdrawn CA after all, it is put back, and pods that start meanwhile miss it.
    """
    return entry.state is TrustState.PHASE_OUT and not gates.removal(snapshot, ledger, entry.fingerprint)


def strike_removed(snapshot: Snapshot, ledger: Ledger, gates: Gates) -> Ledger:
    """Strike a withdrawn PHASE_OUT CA off the ledger, and remember the processes that started before its withdrawal.

    If another CA of the ledger has the same name and key (a renewal), trusting the old certificate adds nothing. No
    process has to be remembered; but the ledger remembers for clients whether the old certificate allows no CA below
    it. Without pods a CA keeps its state. So does a prepared CA, because it would be enrolled again, and a CA that the
    flow in flight leads to.
    """
    journal = in_flight(ledger)
    wanted = {*(authority.fingerprint for authority in snapshot.ca.prepared), journal.successor if journal else None}
    for entry in ledger.entries:
        if entry.fingerprint in wanted:
            continue
        stored = snapshot.ledger and snapshot.ledger.find(entry.fingerprint)
        if not stored or stored.state is not TrustState.PHASE_OUT:
            continue
        if not snapshot.nodes.pods or not is_out_of_reach(snapshot, ledger, entry.fingerprint):
            continue
        if entry.knowing_pods is None or not is_needless(snapshot, ledger, entry, gates):
            continue
        ledger = _note_cleared(ledger.without_entry(entry.fingerprint), entry, snapshot.now)
        if not any(other.certificate.is_twin_of(entry.certificate) for other in ledger.entries):
            removed = RemovedEntry(entry.certificate, entry.knowing_pods)
            ledger = replace(ledger, removed_cas=(*ledger.removed_cas, removed))
    return ledger


def _note_cleared(ledger: Ledger, gone: LedgerEntry, now: datetime) -> Ledger:
    """Record with the renewals of a CA since when clients no longer read any of its certificates that allow no CA below
    it.
    """
    cleared = now if gone.certificate.path_length == 0 else gone.cleared_at
    if cleared is None:
        return ledger
    for entry in ledger.entries:
        if entry.certificate.is_twin_of(gone.certificate) and entry.certificate.path_length != 0:
            ledger = ledger.with_entry(replace(entry, cleared_at=max(cleared, entry.cleared_at or cleared)))
    return ledger


def remember_leaves(snapshot: Snapshot, ledger: Ledger) -> Ledger:
    """Record the CA of each leaf with which a pod has started: its Secret can get another leaf before the pod restarts.

    If a former leaf was put back, a pod that starts next presents that leaf under its old annotations. The record of
    the successor's leaf in this Secret then says nothing any more.
    """
    leaves = snapshot.leaves.by_secret
    annotated = frozenset(pod.leaf_hash for pod in snapshot.nodes.pods) - _doubtful_leaves(snapshot, ledger)
    authorities = {leaf: entry.fingerprint for entry in ledger.entries for leaf in entry.leaf_hashes & annotated}
    for pod in snapshot.nodes.pods:
        seen = present_pod(pod, leaves, snapshot, ledger).authorities if pod.presents_stored and pod.leaf_hash else None
        if seen is not None and len(seen) == 1:
            authorities.setdefault(pod.leaf_hash, *seen)
    for entry in ledger.entries:
        own = frozenset(leaf for leaf, authority in authorities.items() if authority == entry.fingerprint)
        if own != entry.leaf_hashes:
            ledger = ledger.with_entry(replace(entry, leaf_hashes=own))
    return ledger


def _doubtful_leaves(snapshot: Snapshot, ledger: Ledger) -> frozenset[str]:
    """Leaves of the successor, if a leaf of another CA is in their Secret."""
    successor = ledger.find(ledger.journal.successor) if ledger.journal else None
    if successor is None:
        return frozenset()
    # If the Secret contains the leaf with which the pod has started, no signature has to be checked.
    changed = [pod for pod in snapshot.nodes.pods if not pod.presents_stored and pod.leaf_hash in successor.leaf_hashes]
    secrets = {name for pod in changed for name in pod.leaves}
    back = {
        leaf.secret
        for leaf in snapshot.leaves.stored
        if leaf.secret in secrets and leaf.chain and successor.fingerprint not in issuers_of(leaf.chain, ledger)
    }
    return frozenset(pod.leaf_hash for pod in changed if not back.isdisjoint(pod.leaves))


def forget_removed(snapshot: Snapshot, ledger: Ledger) -> Ledger:
    """Forget a removed CA if it is not back, every pod that started with it is gone, and no answering listener accepts
    it. Without pods it stays as it is, as the state of a CA does: another writer may put it back before pods start.

    If the listeners of such a pod were seen to refuse it, or verify by no CA, the ledger remembers that the rest of the
    process knows it, unless a reload reaches it as a whole. Another pod may accept it too: it started while the
    operator had the CA in the bundle once more.
    """
    remembered = (_after_removal(removed, snapshot) for removed in ledger.removed_cas)
    return replace(ledger, removed_cas=tuple(removed for removed in remembered if removed))


def _after_removal(removed: RemovedEntry, snapshot: Snapshot) -> RemovedEntry | None:
    if removed.is_back or not snapshot.nodes.pods or pods_trusting_removed(removed, snapshot):
        return removed
    lingering = (removed.awaited_pods | removed.lingering_pods) & snapshot.uids - snapshot.reached_whole
    return replace(removed, awaited_pods=frozenset(), lingering_pods=lingering) if lingering else None


def forget_former(snapshot: Snapshot, ledger: Ledger) -> Ledger:
    """Forget a former leaf if the pod that started with it is gone.

    If the listeners of this pod were seen to present the stored leaf, the ledger remembers that the rest of the process
    presents the other leaf. It does not if the pod has started with an earlier leaf, or if a reload reaches it as a
    whole.
    """
    # Computed once for all former leaves: there are as many as nodes.
    renewed = presenting_stored(snapshot) if ledger.former_leaves else frozenset()
    stored, whole = _stored_certificates(snapshot), snapshot.reached_whole
    # A leaf is noted before another takes its place. As long as it is still stored, listeners have nothing to
    # read.
    remembered = (
        _after_renewal(
            former,
            snapshot,
            frozenset() if former.certificate in stored else renewed,
            ledger.find_pods_with_listeners_alone(former) | whole,
        )
        for former in ledger.former_leaves
    )
    return replace(ledger, former_leaves=tuple(former for former in remembered if former.holders))


def _after_renewal(
    former: FormerLeaf, snapshot: Snapshot, renewed: frozenset[str], by_listeners: frozenset[str]
) -> FormerLeaf:
    """The former leaf after listeners have read again. In the pods of ``by_listeners`` nothing presents it any more
    after that.
    """
    awaiting, lingering = former.awaited_pods & snapshot.uids, former.lingering_pods & snapshot.uids
    return replace(
        former, awaited_pods=awaiting - renewed, lingering_pods=lingering | ((awaiting & renewed) - by_listeners)
    )


def note_former(snapshot: Snapshot, ledger: Ledger, secrets: Collection[str]) -> Ledger:
    """The ledger with a note of the leaves in these Secrets before their replacement, and of the nodes that have
    started with them. If another node reads such a Secret, the leaf that its listeners present is noted too, as the
    leaf of its start: the ledger knows of each node that has read again since. If a node presents an ended leaf, other
    nodes refuse it by this leaf, and it restarts at once.
    """
    return replace(ledger, former_leaves=tuple(_leaves_to_note(snapshot, ledger, secrets)))


def _leaves_to_note(snapshot: Snapshot, ledger: Ledger, secrets: Collection[str]) -> Iterator[FormerLeaf]:
    replaced = {name: leaf for name, leaf in snapshot.leaves.certificates.items() if name in secrets}
    added: dict[Certificate, set[str]] = {}
    noted = ledger.former_by_pod.keys()
    restarting = nodes_to_recover(snapshot)
    for pod in snapshot.nodes.pods:
        if pod.uid in restarting:
            continue
        for secret in pod.leaves if pod.presents_stored and not pod.presents_nothing else ():
            if secret in replaced:
                added.setdefault(replaced[secret], set()).add(pod.uid)
        is_unknown = not pod.presents_stored and pod.uid not in noted and not replaced.keys().isdisjoint(pod.leaves)
        if is_unknown and (shown := leaf_shown_by(pod, snapshot)):
            added.setdefault(shown, set()).add(pod.uid)
    for former in ledger.former_leaves:
        yield replace(former, awaited_pods=former.awaited_pods | added.pop(former.certificate, set()))
    yield from (FormerLeaf(leaf, frozenset(uids)) for leaf, uids in added.items())


def nodes_yet_to_read(snapshot: Snapshot, ledger: Ledger) -> frozenset[str]:
    """Nodes (UIDs) whose listeners have not read their new leaf yet. There is none if the noted leaf is still stored,
    because a call was killed before it put another in its place.
    """
    stored = _stored_certificates(snapshot)
    changed = (former for former in ledger.former_leaves if former.certificate not in stored)
    return frozenset(uid for former in changed for uid in former.awaited_pods) & snapshot.uids


def _stored_certificates(snapshot: Snapshot) -> frozenset[Certificate]:
    return frozenset(leaf.chain[0] for leaf in snapshot.leaves.stored if leaf.chain)


def note_user_namespaces(snapshot: Snapshot, ledger: Ledger) -> Ledger:
    """Record the namespaces of users, so they count when no User Operator looks there any more."""
    namespaces = snapshot.users.namespaces if snapshot.users is not None else None
    return ledger if namespaces is None else replace(ledger, user_namespaces=namespaces)


def update_ledger(snapshot: Snapshot, intent: Intent, gates: Gates) -> tuple[Ledger, tuple[Transition, ...]]:
    """The ledger after this pass and the transitions taken in it."""
    before = snapshot.ledger_or_empty
    ledger = enrol_authorities(snapshot, adopt_swapped(snapshot, intent, before))
    ledger = learn_generation(snapshot, ledger)
    ledger = remember_leaves(snapshot, ledger)
    ledger = read_back(snapshot, ledger, gates)
    ledger = note_reloads(snapshot, ledger)
    ledger = note_restarts_to_come(snapshot, ledger)
    ledger = forget_removed(snapshot, ledger)
    ledger = forget_former(snapshot, ledger)
    ledger = advance_states(snapshot, intent, ledger, gates)
    ledger = strike_removed(snapshot, ledger, gates)
    ledger = write_journal(snapshot, intent, before, ledger)
    ledger = note_upkeep(snapshot, intent, ledger)
    ledger = note_user_namespaces(snapshot, ledger)
    ledger = lay_out(snapshot, intent, ledger)
    return ledger, _transitions(snapshot, before, ledger)


def _transitions(snapshot: Snapshot, before: Ledger, after: Ledger) -> tuple[Transition, ...]:
    presentations = present_all(snapshot, after)
    sources = ", ".join(sorted({p.evidence if p.authorities is not None else "unknown" for p in presentations}))
    taken = []
    for entry in [*after.entries, *(e for e in before.entries if after.find(e.fingerprint) is None)]:
        old, new = before.find(entry.fingerprint), after.find(entry.fingerprint)
        states = (old.state if old else None, new.state if new else None)
        if states[0] is not states[1]:
            usage = usage_of(entry.fingerprint, presentations)
            taken.append(Transition(entry.fingerprint, entry.certificate.subject, *states, usage, sources or "no pods"))
    return tuple(taken)

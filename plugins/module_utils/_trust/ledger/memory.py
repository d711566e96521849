# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The memory of what running processes still have although it is stored no more: removed CAs, and leaves."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from ..._pki.certificates import Certificate
from ..evidence.parties import pods_trusting_removed, presenting_stored
from ..evidence.stored import issuers_of, present_pod, verifying_only
from ..model.ledger import HeldLeaf, Ledger, RemovedEntry
from ..model.snapshot import Snapshot


def remember_leaves(snapshot: Snapshot, ledger: Ledger) -> Ledger:
    """Record of which CA each leaf is that a pod was started with: its Secret can get another leaf before the pod
    restarts.

    Where a former leaf was put back, a pod that starts next presents that one under its old annotations: what
    is remembered of the successor's leaf in this Secret says nothing any more.
    """
    leaves = {leaf.secret: leaf for leaf in snapshot.leaves.stored}
    annotated = frozenset(pod.leaf_hash for pod in snapshot.nodes.pods) - _doubtful(snapshot, ledger)
    known = {leaf: entry.fingerprint for entry in ledger.entries for leaf in entry.leaves & annotated}
    for pod in snapshot.nodes.pods:
        seen = present_pod(pod, leaves, snapshot, ledger).authorities if pod.presents_stored and pod.leaf_hash else None
        if seen is not None and len(seen) == 1:
            known.setdefault(pod.leaf_hash, *seen)
    for entry in ledger.entries:
        own = frozenset(leaf for leaf, authority in known.items() if authority == entry.fingerprint)
        if own != entry.leaves:
            ledger = ledger.with_entry(replace(entry, leaves=own))
    return ledger


def _doubtful(snapshot: Snapshot, ledger: Ledger) -> frozenset[str]:
    """Leaves of the successor in whose Secret lies a leaf of another CA."""
    successor = ledger.find(ledger.journal.successor) if ledger.journal else None
    if successor is None:
        return frozenset()
    # Where the Secret holds what the pod was started with, no signature has to be checked.
    changed = [pod for pod in snapshot.nodes.pods if not pod.presents_stored and pod.leaf_hash in successor.leaves]
    asked = {name for pod in changed for name in pod.leaves}
    back = {
        leaf.secret
        for leaf in snapshot.leaves.stored
        if leaf.secret in asked and leaf.chain and successor.fingerprint not in issuers_of(leaf.chain, ledger)
    }
    return frozenset(pod.leaf_hash for pod in changed if not back.isdisjoint(pod.leaves))


def forget_removed(snapshot: Snapshot, ledger: Ledger) -> Ledger:
    """Forget a removed CA when every pod that started with it is gone, and no listener that was asked accepts it.

    As long as it is back where processes read CAs, all pods may know it.

    Where the listeners of such a pod were seen to refuse it, the ledger remembers that the rest of the process knows
    it, unless nothing but listeners verifies there. Another pod may accept it too: it started while the operator had the CA in the bundle once more.
    """
    remembered = (_after_removal(removed, snapshot) for removed in ledger.removed)
    return replace(ledger, removed=tuple(removed for removed in remembered if removed))


def _after_removal(removed: RemovedEntry, snapshot: Snapshot) -> RemovedEntry | None:
    if removed.awaiting and removed.fingerprint in snapshot.ca.projected:
        return replace(removed, awaiting=snapshot.uids or removed.awaiting)
    if pods_trusting_removed(removed, snapshot):
        return removed
    lingering = (removed.awaiting | removed.lingering) & snapshot.uids - verifying_only(snapshot)
    return replace(removed, awaiting=frozenset(), lingering=lingering) if lingering else None


def forget_held(snapshot: Snapshot, ledger: Ledger) -> Ledger:
    """Forget a held leaf when the pod that started with it is gone.

    Where the listeners of this pod were seen to present the stored leaf, the ledger remembers that the rest of the
    process holds the other one, unless it was started with an earlier one.
    """
    # Computed once for all held leaves: there are as many as nodes.
    renewed = presenting_stored(snapshot) if ledger.held else frozenset()
    stored = _stored(snapshot)
    # A leaf is noted before another takes its place. As long as it is still the stored one, listeners have nothing to
    # read.
    remembered = (
        _after_renewal(
            held,
            snapshot,
            frozenset() if held.certificate in stored else renewed,
            held.read_only_by_listeners(ledger.held),
        )
        for held in ledger.held
    )
    return replace(ledger, held=tuple(held for held in remembered if held.holders))


def _after_renewal(
    held: HeldLeaf, snapshot: Snapshot, renewed: frozenset[str], by_listeners: frozenset[str]
) -> HeldLeaf:
    """by_listeners: as of ``read_only_by_listeners``."""
    awaiting, lingering = held.awaiting & snapshot.uids, held.lingering & snapshot.uids
    return replace(held, awaiting=awaiting - renewed, lingering=lingering | ((awaiting & renewed) - by_listeners))


def note_held(snapshot: Snapshot, ledger: Ledger, secrets: Collection[str]) -> Ledger:
    """The ledger with a note of the leaves in these Secrets, which are about to be replaced, and of the nodes that were
    started with them.
    """
    return replace(ledger, held=tuple(_noted(snapshot, ledger, secrets)))


def _noted(snapshot: Snapshot, ledger: Ledger, secrets: Collection[str]) -> Iterator[HeldLeaf]:
    replaced = {leaf.secret: leaf.chain[0] for leaf in snapshot.leaves.stored if leaf.chain and leaf.secret in secrets}
    added: dict[Certificate, set[str]] = {}
    for pod in snapshot.nodes.pods:
        for secret in pod.leaves if pod.presents_stored else ():
            if secret in replaced:
                added.setdefault(replaced[secret], set()).add(pod.uid)
    for held in ledger.held:
        yield replace(held, awaiting=held.awaiting | added.pop(held.certificate, set()))
    yield from (HeldLeaf(leaf, frozenset(uids)) for leaf, uids in added.items())


def nodes_yet_to_read(snapshot: Snapshot, ledger: Ledger) -> frozenset[str]:
    """Nodes (UIDs) whose listeners have not read their new leaf yet. There is none where the noted leaf is still the stored one, because a call was killed
    before it put another in its place.
    """
    stored = _stored(snapshot)
    changed = (held for held in ledger.held if held.certificate not in stored)
    return frozenset(uid for held in changed for uid in held.awaiting) & snapshot.uids


def _stored(snapshot: Snapshot) -> frozenset[Certificate]:
    return frozenset(leaf.chain[0] for leaf in snapshot.leaves.stored if leaf.chain)

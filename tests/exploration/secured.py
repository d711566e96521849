"""A run on a cluster whose processes do not verify each other on both sides (docs/operator.md, "Security between
processes").

Its nodes have a listener for clients with TLS, which presents their leaf. What a process keeps and no other sees stays
in its slot, where nothing looks at it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.security import MUTUAL_TLS, ClusterSecurity
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot

from ..tools.support.breaches import Breach
from . import invariants
from .looking import Answers, LookingRunner
from .state import LEDGER, ModelCluster, Secrets, Slot, Write

ONE_WAY, PLAIN = ClusterSecurity(verifies_clients=False), ClusterSecurity(False, False)


@dataclass
class SecuredRunner(LookingRunner):
    security: ClusterSecurity = MUTUAL_TLS

    def snapshot(self, seen: Secrets, listed: tuple[Slot, ...]) -> Snapshot:
        return self._secured(super().snapshot(seen, listed))

    def asked(self, seen: Secrets, listed: tuple[Slot, ...], heard: Answers, circumstances: bool) -> Snapshot:
        return self._secured(super().asked(seen, listed, heard, circumstances))

    def apply(self, write: Write, model: ModelCluster) -> ModelCluster:
        """Without TLS no part of a node keeps to what it was started with."""
        after = super().apply(write, model)
        if write.verb != "reload" or self.security.has_tls or write.slot is None:
            return after
        return after.with_slot(write.slot, after.slots[write.slot]._replace(started=None))

    def _secured(self, snapshot: Snapshot) -> Snapshot:
        """Components are clients; Cruise Control, which serves too, is none of those here."""
        pods = tuple(replace(pod, presents_nothing=pod.component is not Component.KAFKA) for pod in snapshot.nodes.pods)
        listeners = snapshot.nodes.listeners
        told = None if listeners is None else tuple(map(_saying_nothing_of_trust, listeners))
        return replace(snapshot, security=self.security).with_nodes(pods=pods, listeners=told)


def _saying_nothing_of_trust(listener: ObservedListener) -> ObservedListener:
    return replace(listener, accepts=frozenset(), refuses=frozenset(), verifies=False)


def broken_one_way(before: ModelCluster, after: ModelCluster, event: str) -> Breach | None:
    """Nodes present to every process; components and Raft clients present nothing. A CA that a process still knows is
    remembered, by whichever word.
    """
    return (
        _refused_by_processes(after)
        or _refused_by_clients(before, after)
        or (_wrong_in_ledger(before, after, event) or _forgotten(before, after, event))
    )


def broken_plain(before: ModelCluster, after: ModelCluster, event: str) -> Breach | None:
    """Nothing but clients verifies anything."""
    return _refused_by_clients(before, after) or _wrong_in_ledger(before, after, event)


def _refused_by_processes(model: ModelCluster) -> Breach | None:
    running = [(number, slot) for number, slot in enumerate(model.slots) if slot.up]
    for number, node in running:
        for other, verifier in running if node.node else ():
            trusts = [one.trusts for one in verifier.channels] if other != number else []
            if not all(invariants.accepts_leaf(known, node.presents, go=verifier.go) for known in trusts):
                return Breach("I1", "{} does not accept {}", (f"pod {other}", f"node {number}"))
    return None


def _refused_by_clients(before: ModelCluster, after: ModelCluster) -> Breach | None:
    """A client meets listeners alone."""
    seen = after._replace(slots=tuple(slot._replace(started=None, up=slot.up and slot.node) for slot in after.slots))
    return invariants.refused_by_clients(before, seen)


def _wrong_in_ledger(before: ModelCluster, after: ModelCluster, event: str) -> Breach | None:
    return None if after.books == before.books else invariants.illegal_after(before, after)


def _forgotten(before: ModelCluster, after: ModelCluster, event: str) -> Breach | None:
    """I5: the ledger says no more of a process that it may know a CA that has left, and it does."""
    if before.books is None or after.books is None or after.books == before.books or not event.endswith(f"({LEDGER})"):
        return None
    known = {entry.authority for entry in after.books.entries}
    left = {one.authority: one.awaiting | one.lingering for one in after.books.removed}
    for removed in (one for one in before.books.removed if one.authority not in known):
        for number in (removed.awaiting | removed.lingering) - left.get(removed.authority, frozenset()):
            if after.slots[number].up and any(removed.authority in one.trusts for one in after.slots[number].channels):
                return invariants.forgotten(f"pod {number}", removed.authority)
    return None

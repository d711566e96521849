# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The bridge: a new CA's key certified by the CA it replaces (operator-facts, "The bridge").

Leaves are presented with it, so that verifiers that know only the old CA validate them. One roll then brings the new
CA's leaves and its trust at once.
"""

from __future__ import annotations

from dataclasses import replace

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates import refusals, trust_gate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Bridge, Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal, Ledger, LedgerEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import (
    Component,
    Pod,
    PreparedAuthority,
    Snapshot,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.states import TrustState


def is_bridge(entry: LedgerEntry, ledger: Ledger) -> bool:
    """Whether it only certifies the key of a root that the ledger holds as well."""
    return not entry.certificate.self_issued and any(
        other.certificate.self_issued and other.certificate.is_twin_of(entry.certificate) for other in ledger.entries
    )


def crossing(snapshot: Snapshot, ledger: Ledger) -> LedgerEntry | None:
    """The bridge that is the issuing CA now."""
    entry = ledger.find(snapshot.ca.current[0].fingerprint) if snapshot.ca.current else None
    return entry if entry is not None and is_bridge(entry, ledger) else None


def is_crossed(snapshot: Snapshot, ledger: Ledger) -> bool:
    """Whether no process is left that presents anything but what the bridge issued."""
    bridge = crossing(snapshot, ledger)
    return bridge is not None and bridge.state is TrustState.TRUSTED_IN_USE_ALL


def is_to_be_crossed(snapshot: Snapshot, intent: Intent, ledger: Ledger, entry: LedgerEntry) -> bool:
    """Whether this CA's trust comes with the leaves that its bridge issues, so that it needs no roll of its own."""
    bridge = crossing(snapshot, ledger)
    if bridge is not None and bridge.certificate.public_key_sha256 == entry.certificate.public_key_sha256:
        return bridge.state is not TrustState.TRUSTED_IN_USE_ALL
    prepared = _prepared(snapshot, entry)
    if prepared is None or not prepared.bridge or intent.bridge is Bridge.NEVER:
        return False
    if intent.bridge is Bridge.ALWAYS:
        return True
    return not trust_gate(_once_learned(snapshot.as_stored(), ledger, entry), ledger, prepared.bridge)


def learning_first(snapshot: Snapshot, ledger: Ledger, entry: LedgerEntry) -> tuple[Pod, ...]:
    """Who refuses the bridge to this CA until it has restarted and knows the CA itself: a Go program, where the old CA
    allows no CA below it. Never a node; all others hold no state, and restart before the bridge is used."""
    return tuple(_learning(snapshot, ledger, entry))


def who_learns_first(snapshot: Snapshot, ledger: Ledger, entry: LedgerEntry) -> str:
    """The same, each with the reason why it would refuse the bridge; empty when nobody has to restart."""
    return ", ".join(f"pod {pod.name} ({why})" for pod, why in _learning(snapshot, ledger, entry).items())


def _learning(snapshot: Snapshot, ledger: Ledger, entry: LedgerEntry) -> dict[Pod, str]:
    prepared = _prepared(snapshot, entry)
    if prepared is None or not prepared.bridge:
        return {}
    before = snapshot.uids if entry.awaiting is None else entry.awaiting
    others = tuple(pod for pod in snapshot.pods if pod.uid in before and pod.component is not Component.KAFKA)
    found = refusals(replace(snapshot, pods=others), ledger, prepared.bridge)
    return {party.pod: why for party, why in found if party.pod}


def _once_learned(snapshot: Snapshot, ledger: Ledger, entry: LedgerEntry) -> Snapshot:
    """Without those: what they will accept is for the gate to say when they have restarted."""
    learning = learning_first(snapshot, ledger, entry)
    return replace(snapshot, pods=tuple(pod for pod in snapshot.pods if pod not in learning))


def may_be_bridged(snapshot: Snapshot, intent: Intent) -> bool:
    """Whether a certificate for the next key can be made by the CA in use; whether it is used is for its gate to say."""
    return (
        intent.bridge is not Bridge.NEVER and intent.goal is Goal.REPLACE_KEY and not why_not_bridged(snapshot, intent)
    )


def why_not_bridged(snapshot: Snapshot, intent: Intent) -> str:
    """What keeps the CA in use from certifying the next key, as a sentence; nothing where it could."""
    if not snapshot.ca.current:
        return "there is no CA yet."
    current = snapshot.ca.current[0]
    if snapshot.ca.key != current.public_key_sha256:
        return f"the key of {current.subject} is not at hand to certify the new one."
    if intent.supplied is not None and not intent.supplied.chain[0].self_issued:
        return f"the supplied CA {intent.supplied.chain[0].subject} is no root: its own issuer certifies it."
    if snapshot.ledger is not None and crossing(snapshot, snapshot.ledger) is not None:
        return f"{current.subject} is a bridge itself; the flow that made it was abandoned."
    return ""


def may_cross(snapshot: Snapshot, intent: Intent, ledger: Ledger, authority: PreparedAuthority) -> bool:
    """Whether this CA may start to issue now, by its bridge: it has one, and the gate for that holds."""
    if not authority.bridge or intent.bridge is Bridge.NEVER or crossing(snapshot, ledger) is not None:
        return False
    return not trust_gate(snapshot, ledger, authority.bridge)


def why_spread_first(snapshot: Snapshot, intent: Intent, ledger: Ledger, entry: LedgerEntry) -> str:
    """Why a prepared CA is trusted everywhere before it is used, instead of being introduced by a bridge; a sentence."""
    prepared = _prepared(snapshot, entry)
    if prepared is None:
        return ""
    if intent.bridge is Bridge.NEVER:
        return "bridge=never asks for it."
    if not prepared.bridge:
        return why_not_bridged(snapshot, intent) or "it was prepared without a bridge."
    able = _once_learned(snapshot, ledger, entry)
    inside = [f"{party.name} would refuse its bridge: {why}" for party, why in refusals(able, ledger, prepared.bridge)]
    outside = [f"{held.subject} would refuse its bridge" for held in trust_gate(able, ledger, prepared.bridge)]
    found = inside or outside
    more = f", and {len(outside) - 1} more" if len(outside) > 1 else ""
    return f"{found[0]}{more}." if found else ""


def _prepared(snapshot: Snapshot, entry: LedgerEntry) -> PreparedAuthority | None:
    return next((one for one in snapshot.ca.prepared if one.fingerprint == entry.fingerprint), None)

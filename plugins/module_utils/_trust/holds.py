# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""When there is nothing to do although the flow is not at its end: what holds it (unknown evidence fails closed)."""

from __future__ import annotations

from collections.abc import Iterator

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.bridges import is_to_be_crossed
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates import (
    removal_gate,
    trust_gate,
    verifying_parties,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.journal import is_current
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Ledger, LedgerEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.parties import doubts, present_all, still_trusting
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Chain, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.states import TRUSTED_STATES, TrustState
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.violations import Violation


def holds(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> tuple[Violation, ...]:
    """The gates that do not hold while there is no step that could change it."""
    return (
        *_unknown_evidence(snapshot, ledger),
        *_closed_gates(snapshot, intent, ledger),
        *_held_promotions(snapshot, intent, ledger),
    )


def _unknown_evidence(snapshot: Snapshot, ledger: Ledger) -> Iterator[Violation]:
    for seen in present_all(snapshot, ledger):
        if seen.authorities is None:
            yield Violation(
                "evidence", f"Pod {snapshot.namespace}/{seen.party}", f"it cannot be told what it presents: {seen.why}.",
                "Find out who removed or changed this; restarting the pod through the operator renews its annotations.",
            )  # fmt: skip

    for why in doubts(snapshot, ledger):
        yield Violation(
            "evidence", f"Kafka {snapshot.namespace}/{snapshot.cluster}", f"it cannot be told whom a node trusts: {why}.",
            "Find out why this node does not answer as it should, then run the flow again.",
        )  # fmt: skip
    for removed in ledger.removed:
        if still_trusting(removed, snapshot):
            yield Violation(
                "removal", f"Kafka {snapshot.namespace}/{snapshot.cluster}",
                f"some nodes may still trust the removed CA {removed.certificate.subject} "
                f"({removed.certificate.sha256[:16]}).",
                "See what each of them answers in strimzi_ca_info; restart those that accept it, then run the flow again.",
            )  # fmt: skip


def _closed_gates(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Iterator[Violation]:
    for entry in ledger.entries:
        if entry.state is TrustState.UNTRUSTED and snapshot.pods and not _has_arrived(snapshot, ledger, entry):
            yield from trust_gate(snapshot, ledger, _next_presented(snapshot, intent, ledger, entry))
        elif entry.state is TrustState.PHASE_OUT and snapshot.pods:
            yield from removal_gate(snapshot, ledger, entry.fingerprint)


def _next_presented(snapshot: Snapshot, intent: Intent, ledger: Ledger, entry: LedgerEntry) -> Chain:
    """What its leaves would be presented with first."""
    bridges = [one.bridge for one in snapshot.ca.prepared if one.fingerprint == entry.fingerprint and one.bridge]
    return bridges[0] if bridges and is_to_be_crossed(snapshot, intent, ledger, entry) else entry.chain


def _held_promotions(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Iterator[Violation]:
    """Every node trusts the prepared CA, and still its gate is closed: outside clients, or what came later."""
    prepared = {authority.fingerprint for authority in snapshot.ca.prepared}
    for entry in ledger.entries:
        if entry.fingerprint in prepared and entry.state in TRUSTED_STATES and not is_current(snapshot, entry):
            yield from trust_gate(snapshot, ledger, _next_presented(snapshot, intent, ledger, entry))


def _has_arrived(snapshot: Snapshot, ledger: Ledger, entry: LedgerEntry) -> bool:
    """Every verifier holds this CA and nothing is to be issued by it here: one that has expired, or is no CA, would keep
    every flow from its end for ever."""
    issuing = (snapshot.ca.current, *(prepared.chain for prepared in snapshot.ca.prepared))
    if any(chain[:1] == entry.chain[:1] for chain in issuing):
        return False
    return all(entry.certificate in party.anchors for party in verifying_parties(snapshot, ledger))

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Whether a cluster is in the state that a task asks for."""

from __future__ import annotations

from .._pki.certificates import Chain
from .._trust.evidence.parties import presenters
from .._trust.evidence.stored import issuers_of
from .._trust.model.intent import Selection
from .._trust.model.ledger import Layout, Ledger
from .._trust.model.pools import Scaling
from .._trust.model.snapshot import Component, IssuedBy, Snapshot
from .._trust.model.states import TrustState
from .._trust.plan.forecast import Reached


def is_switched(snapshot: Snapshot) -> bool:
    """Whether the operator has been switched to every prepared CA."""
    return all(prepared.chain[:1] == snapshot.ca.in_use for prepared in snapshot.ca.prepared)


def is_absent(fingerprint: str) -> Reached:
    """Whether the CA has left the ledger, and the Secret from which processes read CAs."""

    def reached(snapshot: Snapshot) -> bool:
        known = (snapshot.ledger or Ledger()).find(fingerprint)
        return known is None and fingerprint not in snapshot.ca.projected

    return reached


def is_trusted(trusting: tuple[Chain, ...]) -> Reached:
    """Whether every CA of the ledger is trusted, and these are among them."""

    def reached(snapshot: Snapshot) -> bool:
        ledger = snapshot.ledger or Ledger()
        untrusted = any(entry.state is TrustState.UNTRUSTED for entry in ledger.entries) and bool(snapshot.nodes.pods)
        return not untrusted and all(ledger.find(chain[0].fingerprint) for chain in trusting)

    return reached


def are_issued(wanted: Selection) -> Reached:
    """Whether all of these leaves exist, and the stored ones are of the CA that is to be used from now on.

    The operator's own leaf does not count: it follows when every process trusts that CA itself. Where the User Operator issues, it
    does so after the switch.
    """

    def reached(snapshot: Snapshot) -> bool:
        if any(wanted.has(name, component) for name, component in snapshot.every_missing.items()):
            return False
        if snapshot.users.issued_by is not IssuedBy.THIS_COLLECTION:
            return is_switched(snapshot) and not any(one.behind for one in presenters(snapshot))
        ledger, next_ = snapshot.ledger or Ledger(), _next_issuer(snapshot)
        leaves = [
            leaf for leaf in snapshot.leaves.stored if leaf.component is not Component.CLUSTER_OPERATOR and leaf.chain
        ]
        return next_ is None or all(next_ in issuers_of(leaf.chain or (), ledger) for leaf in leaves)

    return reached


def are_replaced(unwanted: frozenset[str]) -> Reached:
    """Whether none of these leaves, given by their SHA-256 fingerprints, is stored any more."""
    return lambda snapshot: not any(leaf.chain and leaf.chain[0].sha256 in unwanted for leaf in snapshot.every_leaf)


def is_scaled(scaling: Scaling) -> Reached:
    """Whether the pool is asked for so many nodes."""
    return lambda snapshot: snapshot.pools.replicas.get(scaling.pool) == scaling.replicas


def is_laid_out(layout: Layout) -> Reached:
    """Whether the ledger is kept in these Secrets, and in no others."""

    def reached(snapshot: Snapshot) -> bool:
        ledger = snapshot.ledger
        return ledger is not None and ledger.layout is layout and not ledger.untidy

    return reached


def _next_issuer(snapshot: Snapshot) -> str | None:
    """Fingerprint of the prepared CA, else of the one in use; None where there is no CA or no ledger."""
    chains = [prepared.chain for prepared in snapshot.ca.prepared] or [snapshot.ca.current]
    return chains[0][0].fingerprint if chains[0] and snapshot.ledger else None

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Results about nodes: certificates of a cluster, requests for them, what ends soon, and node pools: how far each can
grow without waiting, and what becomes of certificates when it shrinks. Public facts only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from .._leaves.request import LeafRequest, LeafState, Standing, next_try, state_of
from .._leaves.trigger import Due, IssueReason
from .._trust.evidence.stored import authority_of
from .._trust.ledger.enrolment import as_seen
from .._trust.ledger.journal import in_flight
from .._trust.ledger.target import due_from
from .._trust.model.goals import Goal
from .._trust.model.ledger import Ledger
from .._trust.model.names import listed, named
from .._trust.model.pools import PoolNode
from .._trust.model.snapshot import Snapshot, StoredLeaf
from .._trust.rules.expiring import Expiring, first_to_end
from .arguments import time_text


def describe_leaves(snapshot: Snapshot, due: Mapping[str, Due]) -> dict[str, Any]:
    """The leaves, with the reasons ``due`` why some have to be issued again, by their Secret."""
    states, ledger = {name: _state(name, snapshot, due) for name in _names(snapshot)}, as_seen(snapshot)
    return {
        "leaves": [_leaf(leaf, snapshot, ledger) for leaf in snapshot.every_leaf],
        "leaf_states": [_life(name, state, snapshot, due.get(name)) for name, state in sorted(states.items())],
        "leaf_requests": [
            _request(request, states[name]) for name, request in sorted(snapshot.leaves.requests.items())
        ],
        "renewals": [_renewal(snapshot.leaves.standing[name], snapshot) for name in sorted(snapshot.leaves.standing)],
    }


def _names(snapshot: Snapshot) -> set[str]:
    return {*(leaf.secret for leaf in snapshot.every_leaf), *snapshot.every_missing_leaf, *snapshot.leaves.requests}


def _state(name: str, snapshot: Snapshot, due: Mapping[str, Due]) -> LeafState:
    stored, request = (
        snapshot.every_leaf_by_secret.get(name),
        snapshot.leaves.requests.get(name),
    )
    needed = stored is not None or name in snapshot.every_missing_leaf
    served = stored is not None and stored.chain is not None and name not in due and request is None
    return state_of(request, needed=needed, served=served)


def _life(name: str, state: LeafState, snapshot: Snapshot, due: Due | None) -> dict[str, Any]:
    missing = Due(IssueReason.MISSING, "there is none") if name in snapshot.every_missing_leaf else None
    reason = due or missing
    return {
        "secret": name,
        "state": state.value,
        "meaning": state.meaning,
        "reason": reason.reason.value if reason else "",
        "why": reason.explanation if reason else "",
    }


def _leaf(leaf: StoredLeaf, snapshot: Snapshot, ledger: Ledger) -> dict[str, Any]:
    entry = ledger.find(authority_of(leaf, leaf.generation, ledger)[0])
    return {
        "secret": leaf.secret,
        "component": leaf.component.value,
        "subject": leaf.chain[0].subject if leaf.chain else None,
        "issuer": leaf.chain[0].issuer if leaf.chain else None,
        "ca": named(entry.certificate) if entry else "",
        "ca_sha256": entry.certificate.sha256 if entry else None,
        "sha256": leaf.chain[0].sha256 if leaf.chain else None,
        "not_after": time_text(leaf.chain[0].not_after) if leaf.chain else None,
        "generation": leaf.generation,
        "misnamed": snapshot.leaves.misnamed.get(leaf.secret, ""),
    }


def _request(request: LeafRequest, state: LeafState) -> dict[str, Any]:
    failure = request.failure
    return {
        "secret": request.secret,
        "state": state.value,
        "issuer": request.issuer,
        "asked_at": time_text(request.asked_at),
        "waiting": request.waiting,
        "outdated": request.outdated,
        "failure": failure.reason if failure else "",
        "next_try": time_text(next_try(failure, request.secret)) if failure and not request.is_open else None,
    }


def _renewal(standing: Standing, snapshot: Snapshot) -> dict[str, Any]:
    latest = standing.latest[0] if standing.latest else None
    stored = (leaf.chain[0] for leaf in snapshot.every_leaf if leaf.chain and leaf.secret == standing.secret)
    return {
        "secret": standing.secret,
        "sha256": latest.sha256 if latest else None,
        "not_after": time_text(latest.not_after) if latest else None,
        "in_use": latest is not None and latest in stored,
        "usable": bool(standing.authority),
        "problem": " ".join(filter(None, (standing.sentences, standing.written_back))),
        "differs": standing.differs,
    }


def describe_upkeep(snapshot: Snapshot) -> dict[str, Any] | None:
    """The ledger's record of how the CA in use is renewed; None if there is none."""
    upkeep, current = snapshot.ledger_or_empty.upkeep, snapshot.ca.in_use
    if upkeep is None or not current:
        return None
    return {
        "policy": upkeep.policy.value,
        "days": upkeep.window.days,
        "since": time_text(upkeep.since),
        "due_from": time_text(due_from(current[0], upkeep.window)),
    }


def describe_expiring(expiring: Expiring, now: datetime) -> dict[str, Any]:
    """A CA or a leaf that ends soon."""
    return {
        "name": expiring.name,
        "is_ca": expiring.is_authority,
        "sha256": expiring.certificate.sha256,
        "not_after": time_text(expiring.certificate.not_after),
        "days_left": (expiring.certificate.not_after - now).days,
        "renewed_by": expiring.renewed_by,
        "remedy": expiring.remedy,
        "refusal": expiring.refusal,
    }


def describe_first_to_end(snapshot: Snapshot) -> dict[str, Any]:
    """The certificates that end first, by kind; null if there is none."""
    ends = first_to_end(snapshot)
    kinds = {"ca": ends.authority, "certificate": ends.leaf, "user": ends.user, "other_ca": ends.other_ca}
    return {kind: describe_expiring(expiring, snapshot.now) if expiring else None for kind, expiring in kinds.items()}


def describe_other_authority(snapshot: Snapshot) -> dict[str, Any] | None:
    """The other CA of the cluster, as the looks of this call show it; None if there is none."""
    other = snapshot.other_ca
    if other is None or not other.ca.in_use:
        return None
    certificate, ledger = other.ca.in_use[0], other.ledger
    entry, begun = ledger.find(certificate.fingerprint) if ledger else None, in_flight(ledger)
    flow = (Goal.ABORT if begun.is_abort else begun.goal) if begun else None
    return {
        "name": other.names.ca,
        "subject": certificate.subject,
        "sha256": certificate.sha256,
        "generated": other.generated,
        "state": entry.state.value if entry else None,
        "meaning": entry.state.meaning if entry else "",
        "flow": flow.value if flow else None,
    }


def describe_pools(before: Snapshot, snapshot: Snapshot) -> list[dict[str, Any]]:
    """The node pools; ``before`` is the cluster as the call found it, but with the size that it gives a pool. The
    operator may have removed nodes before the call looks for the last time.
    """
    return [_pool(name, before, snapshot) for name in sorted(snapshot.pools.replicas)]


def _pool(name: str, before: Snapshot, snapshot: Snapshot) -> dict[str, Any]:
    """A node pool, the numbers of its next nodes whose certificates are stored already, and the numbers whose
    certificates are missing.
    """
    spare = {
        node.node_id: _is_ready_to_import(secret, snapshot)
        for secret, node in _nodes_of_pool(snapshot.spare_leaf_nodes, name).items()
    }
    return {
        "name": name,
        "replicas": snapshot.pools.replicas[name],
        "at_hand": [number for number, ready in spare.items() if ready],
        "awaited": [number for number, ready in spare.items() if not ready],
        "leaving": [node.node_id for node in _nodes_of_pool(before.pools.leaving, name).values()],
        "when_added": _when_added(name, snapshot),
        "when_removed": " ".join(_when_removed(name, before)),
    }


def _nodes_of_pool(nodes: Mapping[str, PoolNode], pool: str) -> dict[str, PoolNode]:
    return {name: node for name, node in nodes.items() if node.pool == pool}


def _is_ready_to_import(secret: str, snapshot: Snapshot) -> bool:
    request, current = snapshot.leaves.requests.get(secret), snapshot.ca.current
    if request is None or request.answer is None or request.outdated or not request.is_recorded:
        return False
    return request.authority == current[0].fingerprint


def _when_added(name: str, snapshot: Snapshot) -> str:
    """A sentence about the next nodes with listeners that have no address yet; empty if there are none. The operator
    gives listeners addresses, then compares the names of leaves, then starts nodes.
    """
    nodes = {secret: node for secret, node in snapshot.pools.unaddressed.items() if node.pool == name}
    listeners = sorted({listener for node in nodes.values() for listener in node.listeners})
    if not nodes:
        return ""
    return (
        f"The certificate of {listed(list(nodes))} is issued without the address of listener {listed(listeners)}, "
        "which is not known before the operator has made it; the operator then stands still, and the next reconcile "
        "has the certificate issued again, before the node starts."
    )


def _when_removed(name: str, snapshot: Snapshot) -> Iterator[str]:
    """Sentences about the certificates of nodes that leave. The operator deletes the Secrets of these nodes. This
    collection deletes requests, and what waits beside them.
    """
    leaving, later = (
        list(_nodes_of_pool(snapshot.pools.leaving, name)),
        list(_nodes_of_pool(snapshot.pools.spare_later, name)),
    )
    if leaving:
        yield (
            f"The operator removes {listed(leaving)} and deletes the Secrets of that name with certificates and keys, "
            "unless it refuses to because Kafka keeps partitions there. The certificates stay valid until they end."
        )
    if not snapshot.pools.leaving:
        return
    given_up = [
        secret
        for secret in _nodes_of_pool(snapshot.spare_leaf_nodes, name)
        if secret in snapshot.leaves.requests and secret not in later
    ]
    if given_up:
        yield (
            f"The first run of any flow after that forgets requests and certificates that wait for {listed(given_up)}."
        )
    kept = [secret for secret in later if secret in snapshot.leaves.requests]
    if kept:
        yield f"Requests and certificates that wait for {listed(kept)} stay for the next nodes."
    lacking = [secret for secret in later if secret not in snapshot.leaves.requests]
    if lacking:
        yield f"A certificate for {listed(lacking)} is requested again then, because the pool gets that number next."

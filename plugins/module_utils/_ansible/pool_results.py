# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Results about node pools: how far each can grow without waiting, and what becomes of certificates when it shrinks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .._trust.model.names import listed
from .._trust.model.pools import PoolNode
from .._trust.model.snapshot import Snapshot


def describe_pools(before: Snapshot, snapshot: Snapshot) -> list[dict[str, Any]]:
    """before: as the call found the cluster, but with the size that it gives a pool. The operator may have removed nodes before
    the call looks for the last time.
    """
    return [_pool(name, before, snapshot) for name in sorted(snapshot.pools.replicas)]


def _pool(name: str, before: Snapshot, snapshot: Snapshot) -> dict[str, Any]:
    """A node pool, and the numbers of its next nodes by whether their certificates are at hand."""
    spare = {one.node_id: _is_at_hand(secret, snapshot) for secret, one in _of(snapshot.spare_wanted, name).items()}
    return {
        "name": name,
        "replicas": snapshot.pools.replicas[name],
        "at_hand": [number for number, ready in spare.items() if ready],
        "awaited": [number for number, ready in spare.items() if not ready],
        "leaving": [one.node_id for one in _of(before.pools.leaving, name).values()],
        "when_added": _when_added(name, snapshot),
        "when_removed": " ".join(_when_removed(name, before)),
    }


def _of(nodes: Mapping[str, PoolNode], pool: str) -> dict[str, PoolNode]:
    return {name: one for name, one in nodes.items() if one.pool == pool}


def _is_at_hand(secret: str, snapshot: Snapshot) -> bool:
    request, current = snapshot.leaves.requests.get(secret), snapshot.ca.current
    if request is None or request.answer is None or request.outdated or not request.is_recorded:
        return False
    return request.authority == current[0].fingerprint


def _when_added(name: str, snapshot: Snapshot) -> str:
    """The operator gives listeners addresses, then compares the names of leaves, then starts nodes."""
    nodes = {secret: one for secret, one in snapshot.pools.unaddressed.items() if one.pool == name}
    listeners = sorted({listener for one in nodes.values() for listener in one.listeners})
    if not nodes:
        return ""
    return (
        f"The certificate of {listed(list(nodes))} is issued without the address of listener {listed(listeners)}, which is not known before "
        "the operator has made it; the operator then stands still, and the next reconcile has the certificate issued anew, "
        "before the node starts."
    )


def _when_removed(name: str, snapshot: Snapshot) -> Iterator[str]:
    """The Secrets of the nodes are the operator's to delete; what waits beside the requests is this collection's."""
    leaving, later = list(_of(snapshot.pools.leaving, name)), list(_of(snapshot.pools.spare_later, name))
    if leaving:
        yield (
            f"The operator removes {listed(leaving)} and deletes the Secrets of that name with certificates and keys, unless it refuses to "
            "because Kafka keeps partitions there. The certificates stay valid until they end."
        )
    if not snapshot.pools.leaving:
        return
    given_up = [one for one in _of(snapshot.spare_wanted, name) if one in snapshot.leaves.requests and one not in later]
    if given_up:
        yield f"What waits for {listed(given_up)} is forgotten by the first run of any flow after that."
    kept = [one for one in later if one in snapshot.leaves.requests]
    if kept:
        yield f"What waits for {listed(kept)} is kept for the next nodes."
    lacking = [one for one in later if one not in snapshot.leaves.requests]
    if lacking:
        yield f"A certificate for {listed(lacking)} is asked for anew then, because the pool gets that number next."

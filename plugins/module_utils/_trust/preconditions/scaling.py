# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Preconditions on the scaling of a node pool."""

from __future__ import annotations

from collections.abc import Iterator

from ..ledger.journal import in_flight
from ..model.intent import Intent
from ..model.pools import MOST_NODES
from ..model.snapshot import Snapshot
from ..model.violations import Condition, Violation


def pool_is_known(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    if intent.scaling is None or intent.scaling.pool in snapshot.pools.replicas:
        return
    yield Violation(
        Condition.POOL_IS_KNOWN, snapshot.names.kafka, f"has no node pool {intent.scaling.pool}.",
        f"Its node pools are: {', '.join(sorted(snapshot.pools.replicas)) or 'none'}.",
    )  # fmt: skip


def pools_are_of_a_size(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """A certificate is asked for, for each node that is wanted."""
    for pool, replicas in sorted(snapshot.pools.replicas.items()):
        if replicas > MOST_NODES:
            yield Violation(
                Condition.POOLS_ARE_OF_A_SIZE, f"KafkaNodePool {snapshot.names.namespace}/{pool}",
                f"asks for {replicas} nodes, and certificates are made ready for at most {MOST_NODES} of a pool.",
                "Correct its spec.replicas.",
            )  # fmt: skip


def nothing_is_begun(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Certificates of a CA that is about to leave would be asked for."""
    scaling = intent.scaling
    if scaling is None or not snapshot.ca.in_use_elsewhere:
        return
    begun = in_flight(snapshot.ledger)
    grows = scaling.replicas > snapshot.pools.replicas.get(scaling.pool, scaling.replicas)
    if grows and (begun or snapshot.ca.prepared):
        yield Violation(
            Condition.NOTHING_IS_BEGUN, snapshot.names.kafka, "is in the middle of a flow that changes its CA, whose key is kept elsewhere.",
            "Finish it with the reconcile playbook, then scale.",
        )  # fmt: skip

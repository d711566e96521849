# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Preconditions on the scaling of a node pool."""

from __future__ import annotations

from collections.abc import Iterator

from ..ledger.journal import in_flight
from ..model.intent import Intent
from ..model.snapshot import Snapshot
from ..model.violations import Condition, Violation


def pool_is_known(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    if intent.scaling is None or intent.scaling.pool in snapshot.pools:
        return
    yield Violation(
        Condition.POOL_IS_KNOWN, snapshot.names.kafka, f"has no node pool {intent.scaling.pool}.",
        f"Its node pools are: {', '.join(sorted(snapshot.pools)) or 'none'}.",
    )  # fmt: skip


def nothing_is_begun(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """Certificates of a CA that is about to leave would be asked for."""
    scaling = intent.scaling
    if scaling is None or not snapshot.ca.in_use_elsewhere:
        return
    begun, grows = in_flight(snapshot.ledger), scaling.replicas > snapshot.pools.get(scaling.pool, scaling.replicas)
    if grows and (begun or snapshot.ca.prepared):
        yield Violation(
            Condition.NOTHING_IS_BEGUN, snapshot.names.kafka, "is in the middle of a flow that changes its CA, whose key is kept elsewhere.",
            "Finish it with the reconcile playbook, then scale.",
        )  # fmt: skip

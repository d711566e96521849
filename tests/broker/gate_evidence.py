# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Running nodes as the gates see them: what their listeners show, beside what is stored for them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timezone

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    Ledger,
    LedgerEntry,
    TrustState,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    CaSecrets,
    InPlaceObstacles,
    Leaves,
    Nodes,
    Pod,
    Reconciliation,
    Snapshot,
    StoredLeaf,
)

from ..unit._trust.builders import NAMES
from .certificates import Issued
from .listening import VERIFYING, certificate_of, inquiry_about, look
from .nodes import KafkaNodes
from .stores import pod_of


def uid(node: int) -> str:
    return f"uid-{node}"


def ledger_of(nodes: KafkaNodes, issuing: Issued, reloaded: Issued) -> Ledger:
    """All processes have started with the issuing CA; the other one came to them while they ran."""
    running = frozenset(map(uid, nodes.roles))
    used = (certificate_of(issuing),), TrustState.TRUSTED_IN_USE_ALL, frozenset({0}), frozenset[str]()
    return Ledger(
        (LedgerEntry(*used), LedgerEntry((certificate_of(reloaded),), TrustState.UNTRUSTED, awaited_pods=running))
    )


def snapshot_of(nodes: KafkaNodes, issuing: Issued, *others: Issued) -> Snapshot:
    """The bundle contains all of these CAs."""
    listeners = seen(nodes, issuing, *others)
    presented = {one.pod: one.presents for one in listeners}
    first, *more = map(certificate_of, (issuing, *others))
    pods = list(map(pod_of, nodes.roles))
    return Snapshot(
        names=NAMES,
        now=datetime.now(timezone.utc),
        ca=CaSecrets((first,), {f"{one.fingerprint}.crt": (one,) for one in more}, key=first.public_key_sha256),
        ledger=None,
        bundle=frozenset(one.fingerprint for one in (first, *more)),
        nodes=Nodes(
            pods=tuple(Pod(pod_of(one), uid(one), Component.KAFKA, 0, (pod_of(one),), True) for one in nodes.roles),
            listeners=listeners,
            in_place_obstacles=InPlaceObstacles(),
        ),
        leaves=Leaves(tuple(StoredLeaf(pod, f"{pod}.crt", Component.KAFKA, presented[pod], 0) for pod in pods)),
        reconciliation=Reconciliation(),
    )


def seen(nodes: KafkaNodes, *authorities: Issued) -> tuple[ObservedListener, ...]:
    """The listeners that verify clients, as handshakes show them: whether they trust these CAs."""
    return tuple(_seen(nodes, node, authorities, port) for node in nodes.roles for port in _verifying(nodes, node))


def _verifying(nodes: KafkaNodes, node: int) -> list[int]:
    return [port for port in nodes.listeners(node) if port in VERIFYING]


def _seen(nodes: KafkaNodes, node: int, authorities: Sequence[Issued], port: int) -> ObservedListener:
    one = look(nodes, node, port, inquiry_about(authorities))
    return ObservedListener(
        pod_of(node), uid(node), port, one.presented, one.trusts, one.distrusts, source="handshake", failure=one.failure
    )

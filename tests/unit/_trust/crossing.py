# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The replacement of a CA's key by a bridge, as a cluster looks after each step. OLD leaves, NEW comes.

Beside the nodes there are an entity operator and the Cluster Operator's own leaf.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import LedgerEntry, RemovedEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import (
    Component,
    Pod,
    Snapshot,
    StoredLeaf,
)

from .._pki.hierarchy import Entity
from .._pki.hierarchy import leaf as issue_leaf
from .builders import (
    NEW,
    OLD,
    PODS,
    a_journal,
    a_leaf,
    a_pod,
    bridged,
    cluster,
    entry,
    ledger,
    name_of,
    others,
    pods,
    prepared,
    secrets,
    uid_of,
)
from .rotation import ALL, ANY, PHASE_OUT, UNTRUSTED, UNUSED

BRIDGE = bridged(NEW, OLD)
TOPICS, OWN = "demo-entity-topic-operator-certs", "demo-cluster-operator-certs"
UIDS = tuple(frozenset({*(uid_of(name, start) for name in PODS), uid_of("topics", start)}) for start in range(3))


def processes(generation: int, start: int) -> tuple[Pod, ...]:
    topics = a_pod("topics", generation, start=start, component=Component.ENTITY_OPERATOR, leaves=(TOPICS,))
    return (*pods(generation, start=start), topics)


def stored(generation: int, **issuers: Entity) -> tuple[StoredLeaf, ...]:
    """nodes, topics, own: who issued them; what is of NEW was issued while its bridge stood for it, and names the same."""
    nodes = tuple(_leaf(name, issuers["nodes"], generation, Component.KAFKA) for name in PODS)
    topics = _leaf(TOPICS, issuers["topics"], generation, Component.ENTITY_OPERATOR)
    return (*nodes, topics, _leaf(OWN, issuers["own"], generation, Component.CLUSTER_OPERATOR))


def _leaf(name: str, issuer: Entity, generation: int, component: Component) -> StoredLeaf:
    above = BRIDGE if issuer is NEW and component is not Component.CLUSTER_OPERATOR else ()
    return a_leaf(name, issuer, generation, component=component, chain=(issue_leaf(issuer), *above))


def _ledger(*entries: LedgerEntry, removed: tuple[RemovedEntry, ...] = ()) -> Mapping[str, object]:
    return {"ledger": ledger(*entries, removed=removed, journal=a_journal())}


_WAITS = (replace(prepared(NEW), bridge=BRIDGE),)
_BY_BRIDGE = secrets(
    BRIDGE, others=others(OLD, NEW), prepared=_WAITS, certificate_generation=1, kept_keys=frozenset({name_of(OLD)})
)
_ALL_OLD = {"nodes": OLD, "topics": OLD, "own": OLD}
_OLD, _NEW = entry(OLD, generations={0}), entry(NEW, UNTRUSTED, awaiting=UIDS[0])
_CROSSED = (entry(BRIDGE, ALL, {1}), entry(NEW, UNUSED))

READY = cluster(
    ca=secrets(prepared=_WAITS, others=others(NEW)),
    pods=processes(0, 0),
    leaves=stored(0, **_ALL_OLD),
    **_ledger(_OLD, _NEW),
)
KEPT = replace(READY, leaves=(*stored(0, **_ALL_OLD)[:-1], stored(1, **_ALL_OLD)[-1]))
ISSUING = replace(
    KEPT,
    ca=_BY_BRIDGE,
    bundle=READY.ca.projected,
    **_ledger(_OLD, _NEW, entry(BRIDGE, UNUSED, {1}, awaiting=None)),
)
BOOKS = ISSUING.ledger or ledger()
ISSUED = replace(ISSUING, leaves=(*KEPT.leaves[:3], stored(1, nodes=NEW, topics=NEW, own=OLD)[3], KEPT.leaves[4]))
IN_BUNDLE = replace(
    ISSUED,
    bundle=_BY_BRIDGE.projected,
    pods=tuple(replace(pod, presents_stored=pod.name != "topics") for pod in processes(0, 0)),
    **_ledger(_OLD, _NEW, entry(BRIDGE, UNUSED, {1}, awaiting=UIDS[0])),
)
HALF = replace(
    IN_BUNDLE,
    pods=(processes(1, 1)[0], *IN_BUNDLE.pods[1:]),
    leaves=stored(1, nodes=NEW, topics=NEW, own=OLD),
    **_ledger(
        entry(OLD, ANY, {0}),
        entry(NEW, UNTRUSTED, awaiting=UIDS[0] - {uid_of(PODS[0])}),
        entry(BRIDGE, ANY, {1}, awaiting=UIDS[0] - {uid_of(PODS[0])}),
    ),
)
HALF = replace(HALF, pods=tuple(replace(pod, presents_stored=pod.generation == 1) for pod in HALF.pods))
CROSSED = cluster(
    ca=_BY_BRIDGE,
    pods=processes(1, 1),
    leaves=stored(1, nodes=NEW, topics=NEW, own=OLD),
    **_ledger(entry(OLD, PHASE_OUT, {0}), *_CROSSED),
)
RENEWED = replace(CROSSED, leaves=stored(1, nodes=NEW, topics=NEW, own=NEW))
WITHDRAWN = replace(
    RENEWED,
    ca=replace(_BY_BRIDGE, others=others(NEW)),
    **_ledger(*_CROSSED, removed=(RemovedEntry(OLD.certificate, UIDS[1]),)),
)
WITHDRAWN = replace(WITHDRAWN, bundle=WITHDRAWN.ca.projected)
ALONE = replace(
    WITHDRAWN,
    ca=secrets(NEW, others={"ca-bridge.crt": BRIDGE}, certificate_generation=2),
    **_ledger(entry(NEW, UNUSED, {2}), entry(BRIDGE, ALL, {1}), removed=(RemovedEntry(OLD.certificate, UIDS[1]),)),
)

STAGES: dict[str, Snapshot] = {name: value for name, value in globals().items() if isinstance(value, Snapshot)}

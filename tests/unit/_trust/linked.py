# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The replacement of a CA's key behind a link certificate, as a cluster looks after each step. OLD leaves, NEW comes.

Beside the nodes, which can read again what has changed, there are a topic operator and the Cluster Operator's own leaf.
NEW was published an hour ago.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import LedgerEntry, RemovedEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    InPlaceObstacles,
    LinkCertificates,
    Pod,
    Snapshot,
    StoredLeaf,
)

from ...tools.support.certificates import HOUR, NOW, Entity
from ...tools.support.certificates import leaf as issue_leaf
from .authorities import NEW, OLD, chain_of, link_of, names_of, stored_chain
from .builders import PAUSED, RUNS, answering, changed, cluster, others, prepared, secrets
from .ledgers import ALL, ANY, PHASE_OUT, UNTRUSTED, UNUSED, a_journal, entry, ledger
from .nodes import PODS, a_leaf, a_pod, hash_of, hashes_of, uid_of
from .unlinked import nodes

TOPICS, OWN = "demo-entity-topic-operator-certs", "demo-cluster-operator-certs"
#: Of all pods.
NAMES = (*PODS, "topics")
#: Of all Secrets whose leaves are presented with a chain.
CHAINED = tuple(sorted((*PODS, TOPICS)))
LINK, BACK = link_of(NEW, OLD), link_of(OLD, NEW)
#: When NEW was read back from the trust bundle.
PUBLISHED_AT = NOW - HOUR


def uids(start: int = 0) -> frozenset[str]:
    return frozenset(uid_of(name, start) for name in NAMES)


def processes(issuer: Entity, generation: int, start: int, **fields: Any) -> tuple[Pod, ...]:
    """issuer: of the leaves that they were started with."""
    made: dict[str, Any] = {"leaf_hash": hash_of(issuer, "topics"), "key_generation": generation, **fields}
    topics = a_pod("topics", generation, start=start, component=Component.ENTITY_OPERATOR, leaves=(TOPICS,), **made)
    return (*nodes(issuer, generation, start, **fields), topics)


def stored(issuer: Entity, generation: int, *behind: Entity, own: Entity | None = None) -> tuple[StoredLeaf, ...]:
    """behind: the CA that is sent behind its link certificate; none where the issuer is in use itself. Then nodes send the link certificates of
    NEW before it.

    own: the issuer of the Cluster Operator's leaf, where that is another one. It is presented alone.
    """
    sent = (LINK, *chain_of(*behind)) if behind else chain_of(issuer)
    chain = (stored_chain(issuer)[0], *sent)
    of_node = (chain[0], LINK, BACK, *sent) if issuer == NEW and not behind else chain
    of_nodes = tuple(a_leaf(name, issuer, generation, chain=of_node) for name in PODS)
    topics = a_leaf(TOPICS, issuer, generation, component=Component.ENTITY_OPERATOR, chain=chain)
    alone = (_own_leaf(own or issuer), *chain_of(own or issuer))
    return (*of_nodes, topics, a_leaf(OWN, OLD, generation, component=Component.CLUSTER_OPERATOR, chain=alone))


@cache
def _own_leaf(issuer: Entity) -> Certificate:
    return issue_leaf(issuer, "cluster-operator")


def _books(*entries: LedgerEntry, removed: tuple[RemovedEntry, ...] = ()) -> dict[str, Any]:
    return {"ledger": ledger(*entries, removed_cas=removed, journal=a_journal())}


_OLD, _WAITS = entry(OLD, generations={0}, leaf_hashes=hashes_of(OLD, *NAMES)), (prepared(NEW, LINK, BACK),)
_AGREED = entry(NEW, UNUSED, awaited_pods=uids(), published_at=PUBLISHED_AT)
_SHARED = (
    replace(_OLD, state=ANY, leaf_hashes=hashes_of(OLD, *NAMES[1:])),
    replace(_AGREED, state=ANY, awaited_pods=uids() - {uid_of(PODS[0])}, leaf_hashes=hashes_of(NEW, PODS[0])),
)
_LEAVING = entry(OLD, PHASE_OUT, {0})
_IN_USE = entry(NEW, ALL, published_at=PUBLISHED_AT, leaf_hashes=hashes_of(NEW, *NAMES))
_ISSUING = replace(_IN_USE, generations=frozenset({1}))
_GONE = RemovedEntry(OLD.certificate, uids(1))
_BEFORE = secrets(prepared=_WAITS, kept_keys=names_of(NEW))
_AFTER = secrets(NEW, certificate_generation=1, key_generation=1)

SETTLED = cluster(
    in_place_obstacles=InPlaceObstacles(), pods=processes(OLD, 0, 0), leaves=stored(OLD, 0), ledger=ledger(_OLD)
)  # fmt: skip
PREPARED = replace(SETTLED, ca=_BEFORE)
ENROLLED = replace(PREPARED, **_books(_OLD, entry(NEW, UNTRUSTED, awaited_pods=None)))
PROJECTED = replace(ENROLLED, ca=replace(_BEFORE, other_entries=others(NEW)))
IN_BUNDLE = replace(PROJECTED, bundle=names_of(OLD, NEW), now=PUBLISHED_AT)
TRUSTED = replace(IN_BUNDLE, now=NOW, **_books(_OLD, _AGREED))
ISSUED = changed(TRUSTED, leaves=stored(NEW, 0, OLD, own=OLD), pods=processes(OLD, 0, 0, presents_stored=False))
HALF_USED = changed(ISSUED, pods=(processes(NEW, 0, 1)[0], *ISSUED.nodes.pods[1:]))
SHARED = replace(HALF_USED, **_books(*_SHARED))
USED = changed(SHARED, pods=processes(NEW, 0, 1))
PHASED_OUT = replace(USED, **_books(_LEAVING, _IN_USE))
ALONE = changed(PHASED_OUT, leaves=stored(NEW, 0, OLD, own=NEW))
HALTED = replace(ALONE, reconciliation=PAUSED)
SWITCHED = replace(HALTED, ca=replace(_AFTER, prepared=_WAITS, kept_keys=names_of(OLD, NEW)))
LEARNED = replace(SWITCHED, **_books(_LEAVING, _ISSUING))
OUT_OF_BUNDLE = replace(LEARNED, bundle=names_of(NEW))
STRUCK = replace(OUT_OF_BUNDLE, **_books(_ISSUING, removed=(_GONE,)))
#: Only nodes' leaves end with ``ca.crt``; others keep what was sent behind them.
_KEPT = tuple(replace(leaf, generation=1) for leaf in stored(NEW, 0, OLD, own=NEW)[len(PODS) :])
RECHAINED = changed(STRUCK, leaves=(*stored(NEW, 1)[: len(PODS)], *_KEPT))
STAMPED = changed(
    RECHAINED, pods=(*nodes(NEW, 1, 1), replace(processes(NEW, 0, 1)[-1], key_generation=1))
)  # fmt: skip
RESUMED = replace(STAMPED, reconciliation=RUNS)
TIDIED = replace(RESUMED, ca=replace(_AFTER, kept_links={_WAITS[0].fingerprint: LinkCertificates(LINK, BACK)}))
REMOVED = changed(TIDIED, pods=(*nodes(NEW, 1, 1), processes(NEW, 1, 2)[-1]))
READ_AGAIN = answering(REMOVED, accepting=names_of(NEW), refusing=names_of(OLD))
FINISHED = replace(
    READ_AGAIN,
    ledger=ledger(
        _ISSUING,
        removed_cas=(
            replace(_GONE, awaited_pods=frozenset(), lingering_pods=frozenset(pod.uid for pod in nodes(NEW, 1, 1))),
        ),
        journal=a_journal(finished_at=NOW),
    ),
)

STAGES: dict[str, Snapshot] = {name: value for name, value in globals().items() if isinstance(value, Snapshot)}

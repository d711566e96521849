# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The replacement of a CA's key without a link certificate, as a cluster looks after each step. OLD leaves, NEW comes.

Nodes alone, which can read again what has changed. NEW was published an hour ago.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import LedgerEntry, RemovedEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    InPlaceObstacles,
    Pod,
    Snapshot,
)

from ...tools.support.certificates import HOUR, NOW, Entity
from .authorities import NEW, OLD, names_of
from .builders import PAUSED, RUNS, changed, cluster, others, prepared, secrets
from .ledgers import ALL, ANY, PHASE_OUT, UNTRUSTED, UNUSED, a_journal, entry, ledger
from .nodes import PODS, a_pod, hash_of, hashes_of, leaves, uids_of


def nodes(issuer: Entity, generation: int, start: int, **fields: Any) -> tuple[Pod, ...]:
    """issuer: of the leaves that they were started with. Their key generation is the same, unless it is said otherwise."""
    made: dict[str, Any] = {"key_generation": generation, **fields}
    return tuple(a_pod(name, generation, start=start, leaf_hash=hash_of(issuer, name), **made) for name in PODS)


def _books(old: LedgerEntry, new: LedgerEntry) -> dict[str, Any]:
    return {"ledger": ledger(old, new, journal=a_journal())}


_CAN_READ_AGAIN: dict[str, Any] = {"in_place_obstacles": InPlaceObstacles(), "pods": nodes(OLD, 0, 0)}
_OLD, _WAITS = entry(OLD, generations={0}, leaf_hashes=hashes_of(OLD)), (prepared(NEW),)
_UNKNOWN = entry(NEW, UNTRUSTED, awaited_pods=None)
_AGREED = entry(NEW, UNUSED, published_at=NOW - HOUR)
_ISSUING = replace(_AGREED, generations=frozenset({1}))
_IN_USE = replace(_ISSUING, state=ALL, leaf_hashes=hashes_of(NEW))
_BEFORE = secrets(prepared=_WAITS, kept_keys=names_of(NEW))
_BESIDE = replace(_BEFORE, other_entries=others(NEW))
_AFTER = secrets(NEW, other_entries=others(OLD), certificate_generation=1, key_generation=1, kept_keys=names_of(OLD))
_USED: dict[str, Any] = {**_CAN_READ_AGAIN, "leaves": leaves(NEW, 1), "pods": nodes(NEW, 1, 2)}

SETTLED = cluster(**_CAN_READ_AGAIN, ledger=ledger(_OLD))
PREPARED = replace(SETTLED, ca=_BEFORE)
ENROLLED = replace(PREPARED, **_books(_OLD, _UNKNOWN))
PROJECTED = replace(ENROLLED, ca=_BESIDE)
IN_BUNDLE = replace(PROJECTED, bundle=names_of(OLD, NEW), now=NOW - HOUR)
READ_BACK = replace(
    IN_BUNDLE, now=NOW, **_books(_OLD, entry(NEW, UNTRUSTED, awaited_pods=uids_of(), published_at=NOW - HOUR))
)
HALF_RESTARTED = changed(READ_BACK, pods=(nodes(OLD, 0, 1)[0], *READ_BACK.nodes.pods[1:]))
RESTARTED = changed(READ_BACK, pods=nodes(OLD, 0, 1))
TRUSTED = replace(RESTARTED, **_books(_OLD, _AGREED))
PUBLISHED_NOW = replace(TRUSTED, **_books(_OLD, replace(_AGREED, published_at=NOW)))
HALTED = replace(TRUSTED, reconciliation=PAUSED)
SWITCHED = replace(HALTED, ca=replace(_AFTER, prepared=_WAITS, kept_keys=names_of(OLD, NEW)))
LEARNED = replace(SWITCHED, **_books(_OLD, _ISSUING))
ISSUED = changed(LEARNED, leaves=leaves(NEW, 1), pods=nodes(OLD, 0, 1, presents_stored=False))
STAMPED = changed(ISSUED, pods=nodes(OLD, 0, 1, presents_stored=False, key_generation=1))
RESUMED = replace(STAMPED, reconciliation=RUNS)
TIDIED = replace(RESUMED, ca=_AFTER)
HALF_USED = changed(TIDIED, pods=(nodes(NEW, 1, 2)[0], *TIDIED.nodes.pods[1:]))
SHARED = replace(
    HALF_USED,
    **_books(
        replace(_OLD, state=ANY, leaf_hashes=hashes_of(OLD, *PODS[1:])),
        replace(_ISSUING, state=ANY, leaf_hashes=hashes_of(NEW, PODS[0])),
    ),
)
USED = changed(SHARED, **_USED)
PHASED_OUT = replace(USED, **_books(entry(OLD, PHASE_OUT, {0}), _IN_USE))
RETIRING = replace(PHASED_OUT, reconciliation=PAUSED)
WITHDRAWN = replace(RETIRING, ca=replace(_AFTER, other_entries={}))
OUT_OF_BUNDLE = replace(WITHDRAWN, bundle=names_of(NEW))
STRUCK = replace(
    OUT_OF_BUNDLE,
    ledger=ledger(_IN_USE, removed_cas=(RemovedEntry(OLD.certificate, uids_of(start=2)),), journal=a_journal()),
)
REMOVED = replace(STRUCK, reconciliation=RUNS)
CLEAN = replace(REMOVED, ca=replace(REMOVED.ca, kept_keys=frozenset()))
HALF_RETIRED = changed(CLEAN, pods=(nodes(NEW, 1, 3)[0], *CLEAN.nodes.pods[1:]))
RETIRED = changed(CLEAN, pods=nodes(NEW, 1, 3))
FINISHED = replace(RETIRED, ledger=ledger(_IN_USE, journal=a_journal(finished_at=NOW)))

STAGES: dict[str, Snapshot] = {name: value for name, value in globals().items() if isinstance(value, Snapshot)}

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The replacement of a CA's key, as a cluster looks after each step. OLD leaves, NEW comes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Ledger, LedgerEntry, RemovedEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.states import TrustState

from .._pki.hierarchy import NOW
from .builders import (
    NEW,
    OLD,
    PODS,
    a_journal,
    a_leaf,
    a_pod,
    cluster,
    entry,
    leaves,
    ledger,
    names_of,
    others,
    pods,
    prepared,
    secrets,
    uids_of,
)

UNTRUSTED, UNUSED = TrustState.UNTRUSTED, TrustState.TRUSTED_UNUSED
ANY, ALL, PHASE_OUT = TrustState.TRUSTED_IN_USE_ANY, TrustState.TRUSTED_IN_USE_ALL, TrustState.PHASE_OUT


def books_of(snapshot: Snapshot) -> Ledger:
    return snapshot.ledger or Ledger()


def _books(old: LedgerEntry, new: LedgerEntry) -> dict[str, Any]:
    return {"ledger": ledger(old, new, journal=a_journal())}


_OLD, _WAITS = entry(OLD, generations={0}), (prepared(NEW),)
_BEFORE = secrets(prepared=_WAITS)
_BESIDE = secrets(prepared=_WAITS, others=others(NEW))
_AFTER = secrets(NEW, others=others(OLD), certificate_generation=1, key_generation=1)
_ALONE = replace(_AFTER, others={})
_AGREED = entry(NEW, UNUSED)
_ISSUING = entry(NEW, UNUSED, {1})
_IN_USE = entry(NEW, ALL, {1})
_MIXED: dict[str, Any] = {"pods": (a_pod(generation=1, start=2), *pods(0, start=1, names=PODS[1:]))}
_USING: dict[str, Any] = {"pods": pods(1, start=2), "leaves": leaves(NEW, 1)}
_GONE = RemovedEntry(OLD.certificate, uids_of(start=2))

SETTLED = cluster()
PREPARED = cluster(ca=_BEFORE)
ENROLLED = cluster(ca=_BEFORE, **_books(_OLD, entry(NEW, UNTRUSTED, awaiting=None)))
PROJECTED = cluster(ca=_BESIDE, bundle=names_of(OLD), **_books(_OLD, entry(NEW, UNTRUSTED, awaiting=None)))
IN_BUNDLE = cluster(ca=_BESIDE, **_books(_OLD, entry(NEW, UNTRUSTED, awaiting=None)))
READ_BACK = cluster(ca=_BESIDE, **_books(_OLD, entry(NEW, UNTRUSTED, awaiting=uids_of())))
HALF_RESTARTED = replace(READ_BACK, pods=(a_pod(start=1), *pods(names=PODS[1:])))
RESTARTED = replace(READ_BACK, pods=pods(start=1))
TRUSTED = cluster(ca=_BESIDE, pods=pods(start=1), **_books(_OLD, _AGREED))
PROMOTED = cluster(ca=replace(_AFTER, prepared=_WAITS), pods=pods(start=1), **_books(_OLD, _AGREED))
LEARNED = cluster(ca=replace(_AFTER, prepared=_WAITS), pods=pods(start=1), **_books(_OLD, _ISSUING))
TIDIED = cluster(ca=_AFTER, pods=pods(start=1), **_books(_OLD, _ISSUING))
ISSUED = replace(
    TIDIED, pods=tuple(replace(pod, presents_stored=False) for pod in pods(start=1)), leaves=leaves(NEW, 1)
)
HALF_USED = replace(TIDIED, leaves=(a_leaf(PODS[0], NEW, 1), *leaves(names=PODS[1:])), **_MIXED)
SHARED = replace(HALF_USED, **_books(entry(OLD, ANY, {0}), entry(NEW, ANY, {1})))
USED = replace(SHARED, **_USING)
PHASED_OUT = cluster(ca=_AFTER, **_USING, **_books(entry(OLD, PHASE_OUT, {0}), _IN_USE))
WITHDRAWN = replace(PHASED_OUT, ca=_ALONE)
OUT_OF_BUNDLE = replace(WITHDRAWN, bundle=names_of(NEW))
REMOVED = replace(OUT_OF_BUNDLE, ledger=ledger(_IN_USE, removed=(_GONE,), journal=a_journal()))
HALF_RETIRED = replace(REMOVED, pods=(a_pod(generation=1, start=3), *pods(1, start=2, names=PODS[1:])))
RETIRED = replace(REMOVED, pods=pods(1, start=3))
FINISHED = replace(RETIRED, ledger=ledger(_IN_USE, journal=a_journal(finished_at=NOW)))

STAGES: dict[str, Snapshot] = {name: value for name, value in globals().items() if isinstance(value, Snapshot)}

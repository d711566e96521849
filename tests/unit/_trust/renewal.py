# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The renewal of a CA with its key, as a cluster looks after each step from its publication on. OLD leaves, RENEWED comes.

Nodes alone, which can read again what has changed.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import FormerLeaf, LedgerEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot

from ...tools.support.certificates import HOUR, NOW
from . import unlinked
from .authorities import OLD, RENEWED, names_of, stored_chain
from .builders import PAUSED, RUNS, answering, changed, others, prepared, secrets
from .ledgers import ALL, PHASE_OUT, UNUSED, a_journal, entry, ledger
from .nodes import hashes_of, leaves, uids_of
from .unlinked import nodes

_JOURNAL = a_journal(Goal.RENEW, OLD, RENEWED)
_FORMER = FormerLeaf(stored_chain(OLD)[0], uids_of())
_FORMER_STILL = replace(_FORMER, awaited_pods=frozenset(), lingering_pods=uids_of())
_WAITS = (prepared(RENEWED),)


def _books(*entries: LedgerEntry, former: tuple[FormerLeaf, ...] = (), **journal: Any) -> dict[str, Any]:
    return {"ledger": ledger(*entries, former_leaves=former, journal=replace(_JOURNAL, **journal))}


_OLD = entry(OLD, generations={0}, leaf_hashes=hashes_of(OLD))
_AGREED = entry(RENEWED, UNUSED, awaited_pods=uids_of(), published_at=NOW - HOUR)
_ISSUING = replace(_AGREED, generations=frozenset({1}))
_IN_USE = replace(_ISSUING, state=ALL, leaf_hashes=hashes_of(RENEWED))
_LEFT = replace(_IN_USE, awaited_pods=frozenset())
_AFTER = secrets(RENEWED, certificate_generation=1)

TRUSTED = replace(
    unlinked.SETTLED,
    ca=secrets(prepared=_WAITS, other_entries=others(RENEWED), kept_keys=names_of(RENEWED)),
    bundle=names_of(OLD, RENEWED),
    **_books(_OLD, _AGREED),
)
HALTED = replace(TRUSTED, reconciliation=PAUSED)
SWITCHED = replace(HALTED, ca=replace(_AFTER, other_entries=others(OLD), prepared=_WAITS, kept_keys=names_of(RENEWED)))
LEARNED = replace(SWITCHED, **_books(_OLD, _ISSUING))
NOTED = replace(LEARNED, **_books(_OLD, _ISSUING, former=(_FORMER,)))
ISSUED = changed(
    NOTED, leaves=leaves(RENEWED, 1), pods=nodes(OLD, 0, 0, presents_stored=False)
)  # fmt: skip
STAMPED = changed(ISSUED, pods=nodes(RENEWED, 1, 0, key_generation=0))
PHASED_OUT = replace(STAMPED, **_books(entry(OLD, PHASE_OUT, {0}), _IN_USE, former=(_FORMER,)))
WITHDRAWN = replace(PHASED_OUT, ca=replace(PHASED_OUT.ca, other_entries={}))
OUT_OF_BUNDLE = replace(WITHDRAWN, bundle=names_of(RENEWED))
STRUCK = replace(OUT_OF_BUNDLE, **_books(_LEFT, former=(_FORMER,)))
RESUMED = replace(STRUCK, reconciliation=RUNS)
READ_AGAIN = answering(RESUMED, accepting=names_of(RENEWED))
READ = replace(READ_AGAIN, **_books(_LEFT, former=(_FORMER_STILL,)))
TIDIED = replace(READ, ca=_AFTER)
FINISHED = replace(TIDIED, **_books(_LEFT, former=(_FORMER_STILL,), finished_at=NOW))

STAGES: dict[str, Snapshot] = {name: value for name, value in globals().items() if isinstance(value, Snapshot)}

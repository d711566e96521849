# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The replacement of a CA's key for which no node restarts, as a cluster looks after each step; ``linked`` shows the rest.

OLD leaves when every node has restarted for another reason, and in three months at the latest.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import FormerLeaf, LedgerEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot

from ...tools.support.certificates import DAY, NOW
from . import linked
from .authorities import NEW, OLD, names_of, stored_chain
from .builders import PAUSED, RUNS, answering, changed
from .ledgers import ALL, ANY, PHASE_OUT, UNUSED, a_journal, entry, ledger
from .linked import processes
from .nodes import PODS, hashes_of, uid_of, uids_of
from .unlinked import nodes

RETIRE_BY = NOW + 90 * DAY
_JOURNAL = a_journal(retire=RETIRE_BY)
_OLD_LEAF = stored_chain(OLD)[0]
_FORMER_OF_ALL = FormerLeaf(_OLD_LEAF, linked.uids())


def _books(*entries: LedgerEntry, former: tuple[FormerLeaf, ...] = ()) -> dict[str, Any]:
    return {"ledger": ledger(*entries, former_leaves=former, journal=_JOURNAL)}


_OLD = entry(OLD, generations={0}, leaf_hashes=hashes_of(OLD, *linked.NAMES))
_NEW = entry(NEW, UNUSED, awaited_pods=linked.uids(), published_at=linked.PUBLISHED_AT)
_MIXED = (
    replace(_OLD, state=ANY, leaf_hashes=hashes_of(OLD, "topics")),
    replace(_NEW, state=ANY, leaf_hashes=hashes_of(NEW)),
)
_LEFT = (replace(_MIXED[0], leaf_hashes=frozenset()), replace(_MIXED[1], leaf_hashes=hashes_of(NEW, *linked.NAMES)))
_FORMER_STILL = FormerLeaf(_OLD_LEAF, frozenset({uid_of("topics")}), uids_of())

AGREED = replace(linked.TRUSTED, **_books(_OLD, _NEW))
HALTED = replace(AGREED, reconciliation=PAUSED)
NOTED = replace(HALTED, **_books(_OLD, _NEW, former=(_FORMER_OF_ALL,)))
ISSUED = changed(NOTED, leaves=linked.ISSUED.leaves.stored, pods=linked.ISSUED.nodes.pods)
STAMPED = changed(ISSUED, pods=(*nodes(NEW, 0, 0), ISSUED.nodes.pods[-1]))
MIXED = replace(STAMPED, **_books(*_MIXED, former=(_FORMER_OF_ALL,)))
RESUMED = replace(MIXED, reconciliation=RUNS)
READ_AGAIN = answering(RESUMED, accepting=names_of(OLD, NEW))
IN_USE = replace(READ_AGAIN, **_books(*_MIXED, former=(_FORMER_STILL,)))
RESTARTED = changed(IN_USE, pods=(*nodes(NEW, 0, 0), processes(NEW, 0, 1)[-1]))
WAITING = replace(RESTARTED, **_books(*_LEFT, former=(replace(_FORMER_STILL, awaited_pods=frozenset()),)))
HALF_RESTARTED = changed(WAITING, listeners=None, pods=(nodes(NEW, 0, 1)[0], *WAITING.nodes.pods[1:]))
HALF_WAITING = replace(
    HALF_RESTARTED, **_books(*_LEFT, former=(FormerLeaf(_OLD_LEAF, frozenset(), uids_of(*PODS[1:])),))
)  # fmt: skip
ALL_RESTARTED = changed(HALF_WAITING, pods=processes(NEW, 0, 1))
PHASED_OUT = replace(
    ALL_RESTARTED,
    **_books(entry(OLD, PHASE_OUT, {0}), replace(_LEFT[1], state=ALL, awaited_pods=frozenset())),
)

STAGES: dict[str, Snapshot] = {name: value for name, value in globals().items() if isinstance(value, Snapshot)}

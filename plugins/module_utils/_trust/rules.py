# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""What to do next, one rule a function, in the order in which they are asked. Each yields steps or nothing.

The books are already kept when these are asked: ``ledger`` is what the Secret says.
"""

from __future__ import annotations

from collections.abc import Callable

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.leaf_issuance import (
    issue_leaves,
    rechain_leaves,
    renew_kept_leaves,
    stamp_pods,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.leaf_renewal import (
    await_operators_roll,
    due_leaves,
    pause_to_renew,
    read_renewed,
    renew_leaves,
    restart_holders,
    stamp_renewed,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal, Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.outside_waits import await_outside
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.promotable import promotable
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.promotion import (
    prepare,
    promote,
    settle_key,
    take_over_authority,
    tidy,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.publication import publish
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.spreading import (
    await_bundle,
    project,
    retire,
    spread_removal,
    spread_trust,
    spread_use,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import Resume, Steps

Rule = Callable[[Snapshot, Intent, Ledger], Steps]


def resume(snapshot: Snapshot, intent: Intent, ledger: Ledger) -> Steps:
    """Our pause ends as soon as what comes next does not need it; handing back ends its own."""
    if not snapshot.reconciliation.paused_by_us or intent.goal is Goal.DOWNGRADE:
        return ()
    if renew_kept_leaves(snapshot, intent, ledger) or due_leaves(snapshot, intent, ledger):
        return ()
    promoting = promotable(snapshot, intent) is not None and not retire(snapshot, intent, ledger)
    return () if promoting else (Resume(),)


RULES: tuple[Rule, ...] = (
    settle_key,
    rechain_leaves,
    issue_leaves,
    stamp_pods,
    renew_leaves,
    stamp_renewed,
    resume,
    take_over_authority,
    prepare,
    project,
    await_bundle,
    publish,
    spread_trust,
    renew_kept_leaves,
    retire,
    promote,
    tidy,
    spread_use,
    spread_removal,
    pause_to_renew,
    await_operators_roll,
    read_renewed,
    restart_holders,
    await_outside,
)

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Which steps are only taken after a look at the running processes: those that a gate stands before."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import (
    IssueLeaves,
    Pause,
    Promote,
    Resume,
    Roll,
    RollReason,
    Step,
    Withdraw,
    WriteLedger,
)


def needs_a_look(step: Step, snapshot: Snapshot) -> bool:
    """Before a leaf is used, before a CA leaves, and before it is said that nobody trusts it any more.

    A pause is made for one of them: while its gate is closed it would be made and ended again for ever. And it ends when
    nothing is left that needs it, which the nodes have a say in.
    Where no node runs there is nobody to look at.
    """
    if not snapshot.pods:
        return False
    if isinstance(step, WriteLedger):
        return bool(set((snapshot.ledger or Ledger()).removed) - set(step.ledger.removed))
    if isinstance(step, Roll):
        # What they refuse already, or can re-read, takes no restart.
        return step.reason is RollReason.RETIRE
    return isinstance(step, (Pause, Promote, IssueLeaves, Resume, Withdraw))

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Which steps are only taken after a look at the running processes: those that a gate stands before."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal, Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import (
    IssueLeaves,
    Pause,
    Promote,
    RechainLeaves,
    Reload,
    Resume,
    Roll,
    RollReason,
    StampPods,
    Step,
    Withdraw,
    WriteLedger,
)


def needs_a_look(step: Step, snapshot: Snapshot) -> bool:
    """Before a leaf is used, before a CA leaves, and before it is said that nobody trusts it any more.

    A pause is made for one of them: while its gate is closed it would be made and ended again for ever. And it ends when
    nothing is left that needs it, which the nodes have a say in.
    A node that reads its leaf again, or forgets a CA, takes no restart.
    Where no node runs there is nobody to look at.
    """
    if not snapshot.pods:
        return False
    if isinstance(step, WriteLedger):
        return bool(set((snapshot.ledger or Ledger()).removed) - set(step.ledger.removed))
    if isinstance(step, Roll):
        return step.reason in (RollReason.RETIRE, RollReason.LEAF)
    return isinstance(step, (Pause, Promote, IssueLeaves, Resume, Withdraw))


def needs_a_fresh_look(step: Step, snapshot: Snapshot) -> bool:
    """Before a gate. To make a pause or to end one, what the same processes have said a moment ago is good enough."""
    return needs_a_look(step, snapshot) and not isinstance(step, (Pause, Resume))


def rests_on_a_reload(step: Step, intent: Intent) -> bool:
    """Before a node is told anything; before the promotion (or its pause) that saves a roll if all nodes can be; and in
    every step of a renewal of leaves, which takes none then."""
    if intent.goal is Goal.RENEW_LEAVES:
        return True
    if isinstance(step, (Pause, Promote)):
        return step.phase is Phase.RETIRE
    return isinstance(step, (RechainLeaves, StampPods, Reload))

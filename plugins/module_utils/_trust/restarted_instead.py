# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Restarts that a reload would have spared: they are said, and where a reload was asked for they are not made."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent, Phase, Spread
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.leaf_renewal import awaiting_renewed, due_leaves
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.promotable import promotable
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.reloading import nodes_of, why_restarted
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.sentences import name_of
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import (
    IssueLeaves,
    Pause,
    Promote,
    Roll,
    RollReason,
    Step,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.violations import Violation


def why_restarted_instead(step: Step, snapshot: Snapshot, intent: Intent) -> str:
    """That, and why, this step makes nodes restart for what they could re-read, as a sentence; nothing if it does not."""
    if isinstance(step, Roll) and step.reason is RollReason.RETIRE and nodes_of(snapshot, step.uids):
        return f"Nodes are restarted to forget {name_of(step.authority, snapshot)}: {why_restarted(snapshot, intent)}"
    if isinstance(step, Roll) and step.reason is RollReason.LEAF and step.uids & _renewed(snapshot):
        return f"Nodes are restarted with their renewed certificates: {why_restarted(snapshot, intent)}"
    why = why_restarted(snapshot, intent) or _why_not_stamped(snapshot)
    if why and isinstance(step, Promote) and step.phase is Phase.RETIRE:
        return f"Nodes are restarted when {name_of(step.fingerprint, snapshot)} takes the place of its bridge: {why}"
    if why and isinstance(step, (Pause, IssueLeaves)) and due_leaves(snapshot, intent, snapshot.ledger or Ledger()):
        return f"Nodes are restarted with their renewed certificates: {why}"
    return ""


def _renewed(snapshot: Snapshot) -> frozenset[str]:
    return awaiting_renewed(snapshot, snapshot.ledger or Ledger())


def _why_not_stamped(snapshot: Snapshot) -> str:
    if snapshot.unpredicted is None:
        return "nobody has looked whether the Cluster Operator would restart them whatever it is told."
    if not snapshot.unpredicted:
        return ""
    return f"the Cluster Operator would restart {', '.join(snapshot.unpredicted)} whatever it is told."


def refused_restart(steps: tuple[Step, ...], snapshot: Snapshot, intent: Intent) -> tuple[Violation, ...]:
    """spread=reload holds before a restart that is only made because nodes cannot be told, or asked, from here.

    Before the pause that it begins with. Who has not looked yet does not know: nothing is held then.
    """
    if intent.spread is not Spread.RELOAD or not snapshot.unreloadable:
        return ()
    found = (why_restarted_instead(_led_to(step, snapshot, intent), snapshot, intent) for step in steps)
    return tuple(
        Violation(
            "reload", f"Kafka {snapshot.namespace}/{snapshot.cluster}", f"spread=reload forbids this. {why}",
            "Remove this obstacle, or run the flow with spread=auto or spread=restart to have the nodes restarted.",
        )
        for why in found if why
    )  # fmt: skip


def _led_to(step: Step, snapshot: Snapshot, intent: Intent) -> Step:
    return (promotable(snapshot, intent) or step) if isinstance(step, Pause) else step

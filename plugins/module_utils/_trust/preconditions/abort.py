# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Preconditions before a flow is undone."""

from __future__ import annotations

from collections.abc import Iterator

from ..ledger.journal import in_flight
from ..ledger.undoing import Obstacle, obstacle_to_undoing
from ..model.goals import Goal
from ..model.intent import Intent
from ..model.snapshot import Snapshot
from ..model.violations import Condition, Violation


def flow_can_be_undone(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    """The obstacle is told when nothing is half done any more: a pause of the flow comes to its end first."""
    begun, ledger, names = in_flight(snapshot.ledger), snapshot.ledger, snapshot.names
    if intent.goal is not Goal.ABORT or begun is None or begun.is_abort or ledger is None:
        return
    obstacle = obstacle_to_undoing(snapshot, begun, ledger)
    if obstacle is None or snapshot.reconciliation.paused_by_us:
        return
    subject, message, remedy = {
        Obstacle.FIRST: (
            names.ledger, "records a flow that makes the first CA: there is none to go back to.",
            "Finish it with the create playbook.",
        ),
        Obstacle.LEFT: (
            names.certificate_secret, "holds the CA that was replaced no more: processes are about to forget it.",
            "Finish the flow with the reconcile playbook. To have that CA back, supply its certificate and key to the replace_key playbook.",
        ),
        Obstacle.KEY: (
            names.key_secret, f"holds no key of the CA that was replaced, {begun.replaces}.",
            f"Put it there as {begun.replaces}.key; or finish the flow with the reconcile playbook.",
        ),
    }[obstacle]  # fmt: skip
    yield Violation(Condition.FLOW_CAN_BE_UNDONE, subject, message, remedy)

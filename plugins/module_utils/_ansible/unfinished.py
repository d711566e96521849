# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""A flow that was left half-way, which a call goes on with instead of the one that it is asked for (docs/design.md, I10)."""

from __future__ import annotations

from .._trust.ledger.journal import in_flight
from .._trust.model.goals import ROTATIONS, Goal
from .._trust.model.names import FLOW_NAMES, flow_named
from .._trust.model.snapshot import Snapshot


def unfinished_flow(snapshot: Snapshot, goal: Goal) -> str:
    """Sentences about a flow that comes before one with this goal; empty where none does, or it has the same goal."""
    begun = in_flight(snapshot.ledger)
    if begun is None or goal not in ROTATIONS or (begun.goal is goal and not begun.is_abort):
        return ""
    return (
        f"{snapshot.names.kafka}: a flow of {begun.started_at:%Y-%m-%d} ({flow_named(begun)}) has not finished, so this task goes on with that one and begins "
        f"none of its own ({FLOW_NAMES[goal]}). Run it again for its own when that has finished."
    )

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Outside the maintenance windows of the Kafka resource nothing is begun that restarts a pod (docs/design.md, "Maintenance windows")."""

from __future__ import annotations

from ..decide import ENGINE, Engine, decide
from ..model.decision import Decision
from ..model.intent import Intent
from ..model.snapshot import Snapshot
from ..model.steps.base import StandIn, Steps
from ..rules.pause import restarted_by_operator


def respect_windows(
    decision: Decision, snapshot: Snapshot, intent: Intent, stand_in: StandIn, engine: Engine = ENGINE
) -> Decision:
    """The decision, or one without steps that waits for the next window, where its steps lead to restarts and no window is open."""
    if not decision.steps or not waits_for_window(snapshot, intent) or snapshot.reconciliation.paused_by_us:
        # A pause is brought to its end, whatever the time is.
        return decision
    uids = _restarted(decision.steps, snapshot, intent, stand_in, engine) - restarted_by_operator(snapshot)
    if not uids:
        return decision
    left = tuple(step.as_left() for step in decision.steps)
    pods = tuple(pod.name for pod in snapshot.nodes.pods if pod.uid in uids)
    return Decision(pending=left, waiting=(_told(snapshot, pods),), asked=decision.asked)


def waits_for_window(snapshot: Snapshot, intent: Intent) -> bool:
    """Whether no pod may restart now."""
    windows = snapshot.reconciliation.windows
    return windows is not None and not windows.is_open and not intent.ignores_windows


def describe_next_window(snapshot: Snapshot) -> str:
    """The rest of a sentence about the Kafka resource, for a plan with restarts of which none may come about now."""
    windows = snapshot.reconciliation.windows
    opens = f", which opens on {windows.opens_at:%Y-%m-%d at %H:%M} UTC" if windows and windows.opens_at else ""
    return (
        f"is outside its maintenance windows: a run goes as far as no pod restarts, and waits for the next window{opens}. "
        "ignore_maintenance_windows (strimzi_ignore_maintenance_windows) goes on without that."
    )


def _restarted(steps: Steps, snapshot: Snapshot, intent: Intent, stand_in: StandIn, engine: Engine) -> frozenset[str]:
    """UIDs of the pods that these steps restart, or that the operator does because of them. Where they begin a pause, what is done in it counts: the
    operator sees all of that at once when it ends.
    """
    uids: frozenset[str] = frozenset()
    while steps:
        for step in steps:
            uids |= step.restarts
            snapshot = step.effect(snapshot, stand_in)
        if not snapshot.reconciliation.paused_by_us:
            break
        steps = decide(snapshot, intent, engine).steps
    return uids | restarted_by_operator(snapshot)


def _told(snapshot: Snapshot, pods: tuple[str, ...]) -> str:
    windows = snapshot.reconciliation.windows
    opens = windows.opens_at if windows else None
    problem = f" In spec.maintenanceTimeWindows, {windows.problem}." if windows and windows.problem else ""
    when = f"The next one opens on {opens:%Y-%m-%d at %H:%M} UTC" if opens else "None is going to open"
    return (
        f"is outside its maintenance windows, and the next step restarts {', '.join(pods) or 'pods'}. {when}; the same call goes on "
        f"then, or now with ignore_maintenance_windows (strimzi_ignore_maintenance_windows).{problem}"
    )

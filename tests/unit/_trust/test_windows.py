# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A decision outside the maintenance windows: nothing that leads to a restart, and everything else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Decision
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    MaintenanceWindows,
    Reconciliation,
    Snapshot,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Roll, RollReason
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.plan import (
    describe_next_window,
    forecast,
    respect_windows,
    waits_for_window,
)

from ...tools.support.certificates import DAY, HOUR, NOW
from ...tools.support.intents import changed_intent
from . import linked
from .builders import PAUSED, changed, cluster
from .nodes import PODS, pods
from .rules.asking import FLOWS, RECONCILE, REPLACE_KEY
from .stand_in import MadeHere

CLOSED, OPEN = MaintenanceWindows(False, NOW + HOUR), MaintenanceWindows(True, NOW + DAY)
IGNORING = changed_intent(REPLACE_KEY, ignores_windows=True)


def within(windows: MaintenanceWindows | None, state: Reconciliation | None = None) -> Snapshot:
    return cluster(reconciliation=replace(state or Reconciliation(), windows=windows))


@pytest.mark.parametrize(
    ("windows", "intent", "waits"),
    [(CLOSED, REPLACE_KEY, True), (OPEN, REPLACE_KEY, False), (None, REPLACE_KEY, False), (CLOSED, IGNORING, False)],
)
def test_pods_wait_for_a_window(windows: MaintenanceWindows | None, intent: Intent, waits: bool) -> None:
    assert waits_for_window(within(windows), intent) is waits


#: The pods that the steps at these stages lead to the restart of; at no other stage a pod restarts that the operator would not restart anyway.
RESTARTED = {
    "linked TRUSTED": linked.NAMES,
    "linked ALONE": ("topics",),
    "unlinked READ_BACK": PODS,
    "unlinked HALF_RESTARTED": PODS[1:],
    "unlinked TRUSTED": PODS,
    "patient AGREED": ("topics",),
}


@pytest.mark.parametrize("stage", FLOWS)
def test_each_stage_waits_where_its_steps_restart_a_pod(stage: str) -> None:
    snapshot, intent = FLOWS[stage]
    shut = replace(snapshot, reconciliation=replace(snapshot.reconciliation, windows=CLOSED))
    decision, names = decide(shut, intent), RESTARTED.get(stage)
    found = respect_windows(decision, shut, intent, MadeHere())
    if names is None:
        assert found is decision
    else:
        assert (found.steps, found.done, found.violations) == ((), False, ())
        assert found.pending == tuple(step.describe_as_left() for step in decision.steps)
        assert found.waiting == (
            f"is outside its maintenance windows, and the next step restarts {', '.join(names)}. The next window opens on {NOW + HOUR:%Y-%m-%d at %H:%M} UTC; "
            "the same call goes on then, or now with ignore_maintenance_windows (strimzi_ignore_maintenance_windows).",
        )
    assert respect_windows(decision, shut, changed_intent(intent, ignores_windows=True), MadeHere()) is decision


def test_where_no_window_is_to_come_the_reason_is_told() -> None:
    shut = within(MaintenanceWindows(False, None, "'x' cannot be read"))
    found = respect_windows(Decision(steps=(restart(RollReason.TRUST, shut),)), shut, REPLACE_KEY, MadeHere())
    (told,) = found.waiting
    assert ". None is going to open; the same call goes on then" in told
    assert told.endswith(" In spec.maintenanceTimeWindows, 'x' cannot be read.")


def restart(reason: RollReason, snapshot: Snapshot) -> Roll:
    return Roll(reason=reason, uids=snapshot.uids, authority=None, phase=Phase.TRUST)


def test_nodes_with_ended_certificates_wait_for_no_window() -> None:
    """They serve no client meanwhile."""
    behind = tuple(replace(pod, presents_stored=False) for pod in pods())
    for shut in (within(CLOSED), changed(within(CLOSED), pods=behind)):
        decision = Decision(steps=(restart(RollReason.ENDED, shut),))
        assert respect_windows(decision, shut, REPLACE_KEY, MadeHere()) is decision


@pytest.mark.parametrize(
    ("windows", "intent", "told"),
    [
        pytest.param(CLOSED, REPLACE_KEY, True, id="nodes alone restart"),
        pytest.param(OPEN, REPLACE_KEY, False, id="a window is open"),
        pytest.param(CLOSED, RECONCILE, False, id="nothing restarts"),
    ],
)
def test_a_plan_whose_restarts_wait_says_so_once(windows: MaintenanceWindows, intent: Intent, told: bool) -> None:
    seen = within(windows)
    sentence = f"{seen.names.kafka} {describe_next_window(seen)}"
    assert forecast(seen, intent, MadeHere()).choices.count(sentence) == int(told)


def test_a_pause_is_brought_to_its_end() -> None:
    shut = within(CLOSED, PAUSED)
    decision = decide(shut, REPLACE_KEY)
    assert respect_windows(decision, shut, REPLACE_KEY, MadeHere()) is decision


@pytest.mark.parametrize(
    ("windows", "told"),
    [(CLOSED, "opens on"), (MaintenanceWindows(False, None, "'x' cannot be read"), "waits for the next window.")],
)
def test_a_plan_says_when(windows: MaintenanceWindows, told: str) -> None:
    assert told in describe_next_window(within(windows))

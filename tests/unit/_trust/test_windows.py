# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A decision outside the maintenance windows: nothing that leads to a restart, and everything else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.nodes import MaintenanceWindows
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Reconciliation, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.plan import (
    describe_next_window,
    respect_windows,
    waits_for_window,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.pause import restarted_by_operator

from ...tools.support.certificates import DAY, HOUR, NOW
from ...tools.support.intents import changed_intent
from .builders import PAUSED, cluster
from .rules.asking import FLOWS, REPLACE_KEY
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


@pytest.mark.parametrize("stage", FLOWS)
def test_each_stage_waits_where_its_steps_restart_a_pod(stage: str) -> None:
    snapshot, intent = FLOWS[stage]
    shut = replace(snapshot, reconciliation=replace(snapshot.reconciliation, windows=CLOSED))
    decision = decide(shut, intent)
    found = respect_windows(decision, shut, intent, MadeHere())
    # Pods that the operator restarts already, because of what an earlier call has written, are waited for.
    restarts = any(step.restarts - restarted_by_operator(shut) for step in decision.steps)
    if not decision.steps or shut.reconciliation.paused_by_us:
        assert found is decision
    elif restarts or found is not decision:
        assert (found.steps, found.done, found.violations) == ((), False, ())
        assert found.pending == tuple(step.describe_as_left() for step in decision.steps)
        assert any(f"{NOW + HOUR:%Y-%m-%d at %H:%M}" in one for one in found.waiting)
    assert respect_windows(decision, shut, changed_intent(intent, ignores_windows=True), MadeHere()) is decision


def test_stages_that_restart_pods_wait_for_a_window() -> None:
    waiting = set()
    for stage, (snapshot, intent) in FLOWS.items():
        shut = replace(snapshot, reconciliation=replace(snapshot.reconciliation, windows=CLOSED))
        decision = decide(shut, intent)
        if decision.steps and respect_windows(decision, shut, intent, MadeHere()) is not decision:
            waiting.add(stage)
    assert waiting
    assert len(waiting) < len(FLOWS) / 2


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

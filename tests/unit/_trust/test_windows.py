# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A decision outside the maintenance windows: nothing that leads to a restart, and everything else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition, Decision
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import FormerLeaf
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
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.expiring import describe_late_window
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.pause import waits_for_window

from ...tools.support.certificates import DAY, HOUR, NOW
from ...tools.support.certificates import leaf as issue_leaf
from ...tools.support.golden import GoldenFiles
from ...tools.support.intents import changed_intent
from . import linked
from .authorities import OLD
from .builders import PAUSED, changed, cluster
from .nodes import PODS, pods
from .rules.asking import FLOWS, RECONCILE, REPLACE_KEY
from .stand_in import MadeHere

RECOVER = Intent(Goal.RECOVER)
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


def test_a_recovery_waits_for_no_window_until_nothing_in_use_has_ended() -> None:
    """The rest of the flow that it goes on with waits as any other."""
    shut, ended = within(CLOSED), issue_leaf(OLD, begin=NOW - 9 * DAY, end=NOW - DAY)
    stored = tuple(replace(leaf, chain=(ended, OLD.certificate)) for leaf in shut.leaves.stored)
    presenting = replace(shut, leaves=replace(shut.leaves, stored=stored))
    after = replace(shut, now=OLD.certificate.not_after + DAY)
    assert [waits_for_window(seen, RECOVER) for seen in (shut, presenting, after)] == [True, False, False]
    assert all(waits_for_window(seen, REPLACE_KEY) for seen in (shut, presenting, after))


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
def test_each_stage_waits_where_its_steps_restart_a_pod(stage: str, golden: GoldenFiles) -> None:
    snapshot, intent = FLOWS[stage]
    shut = replace(snapshot, reconciliation=replace(snapshot.reconciliation, windows=CLOSED))
    decision, names = decide(shut, intent), RESTARTED.get(stage)
    found = respect_windows(decision, shut, intent, MadeHere())
    if names is None:
        assert found is decision
    else:
        assert (found.steps, found.done, found.violations) == ((), False, ())
        assert found.pending == tuple(step.describe_as_left() for step in decision.steps)
        (waiting,) = found.waiting
        assert ", ".join(names) in waiting
        assert f"{NOW + HOUR:%Y-%m-%d at %H:%M}" in waiting
        golden.compare_said("stops_in_rules", waiting.replace(", ".join(names), "<pods>"))
    assert respect_windows(decision, shut, changed_intent(intent, ignores_windows=True), MadeHere()) is decision


END = min(certificate.not_after for certificate in cluster().ca.current)


@pytest.mark.parametrize(
    ("windows", "told"),
    [
        (MaintenanceWindows(False, None), "none is going to open."),
        (
            MaintenanceWindows(False, None, "'x' cannot be read"),
            "none is going to open. In spec.maintenanceTimeWindows, 'x' cannot be read.",
        ),
        (MaintenanceWindows(False, END - 2 * DAY), ""),
        (MaintenanceWindows(False, END - 2 * DAY + HOUR), f" ends on {END:%Y-%m-%d at %H:%M} UTC."),
    ],
)
def test_a_call_is_held_where_no_window_comes_in_time(windows: MaintenanceWindows, told: str) -> None:
    """Nothing that a call waits for: a schedule would be content until the CA has ended. The plan says it as well."""
    shut = within(windows)
    found = respect_windows(Decision(steps=(restart(RollReason.TRUST, shut),)), shut, REPLACE_KEY, MadeHere())
    assert (found.steps, found.done, bool(found.waiting)) == ((), False, not told)
    assert [(one.condition, one.message.endswith(told)) for one in found.violations] == (
        [(Condition.RENEWAL_COMES_IN_TIME, True)] if told else []
    )
    assert ("fails there, because " in describe_next_window(shut, Goal.RECONCILE)) is bool(told)


def test_a_former_leaf_that_ends_before_the_next_window_counts() -> None:
    leaf = FormerLeaf(issue_leaf(OLD, end=NOW + 3 * DAY), frozenset({"a"}))
    shut = within(MaintenanceWindows(False, NOW + 2 * DAY))
    held = changed(shut, ledger=replace(shut.ledger_or_empty, former_leaves=(leaf,)))
    assert (describe_late_window(shut), bool(describe_late_window(held))) == ("", True)


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
    sentence = f"{seen.names.kafka} {describe_next_window(seen, Goal.RECONCILE)}"
    assert forecast(seen, intent, MadeHere()).choices.count(sentence) == int(told)


def test_a_pause_is_brought_to_its_end() -> None:
    shut = within(CLOSED, PAUSED)
    decision = decide(shut, REPLACE_KEY)
    assert respect_windows(decision, shut, REPLACE_KEY, MadeHere()) is decision


@pytest.mark.parametrize(
    ("windows", "told"),
    [
        (CLOSED, "waits for the next window, which opens on"),
        (MaintenanceWindows(False, None, "'x' cannot be read"), "'x' cannot be read"),
    ],
)
def test_a_plan_says_when(windows: MaintenanceWindows, told: str) -> None:
    assert told in describe_next_window(within(windows), Goal.RECONCILE)

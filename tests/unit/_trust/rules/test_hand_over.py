# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Chapter "Hand over": the CA is given to the operator with true generations, and the ledger goes last."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.nodes import MaintenanceWindows
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    IssuedBy,
    Reconciliation,
    Snapshot,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import (
    RaiseKeyGeneration,
    SetGenerated,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.base import Steps
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import DeleteLedger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.retire import (
    foresee_operator_renewal,
    hand_over,
    raise_key_generation,
)

from ....support.certificates import NOW, Entity, key, make
from ..builders import DAY, NEW, PAUSED, ROOT, RUNS, changed, cluster, entry, leaves, ledger, pods, secrets, uids_of
from .asking import pause_for, situation

DOWNGRADE = Intent(Goal.DOWNGRADE)
GENERATED = Reconciliation(generated=True)
GIVEN = (SetGenerated(generated=True, ca="cluster CA", phase=Phase.RETIRE),)
RAISED = RaiseKeyGeneration(generation=1)


def handing_back(key_generation: int, state: Reconciliation = RUNS, authority: Entity = NEW) -> Snapshot:
    """The CA in use is called v1; key_generation: what the key Secret says."""
    return cluster(
        ca=secrets(authority, certificate_generation=1, key_generation=key_generation),
        ledger=ledger(entry(authority, generations={1})),
        pods=pods(1),
        leaves=leaves(authority, 1),
        reconciliation=state,
    )


@pytest.mark.parametrize(
    ("snapshot", "expected"),
    [
        pytest.param(handing_back(1), GIVEN, id="the key generation is true"),
        pytest.param(handing_back(7), GIVEN, id="ahead of the name"),
        pytest.param(handing_back(0), pause_for(RAISED), id="behind the name: another tool replaced the CA"),
        pytest.param(handing_back(0, PAUSED), (RAISED,), id="behind the name, paused"),
        pytest.param(handing_back(0, authority=ROOT), GIVEN, id="a name without a number"),
        pytest.param(handing_back(1, GENERATED), (DeleteLedger(),), id="given"),
        pytest.param(replace(handing_back(1, GENERATED), ledger=None), (), id="done"),
        pytest.param(replace(handing_back(0), ca=secrets(None)), GIVEN, id="no CA in use"),
    ],
)
def test_handing_back(snapshot: Snapshot, expected: Steps) -> None:
    assert hand_over(situation(snapshot, DOWNGRADE)) == expected


@pytest.mark.parametrize("goal", [goal for goal in Goal if goal is not Goal.DOWNGRADE])
def test_no_other_goal_hands_over(goal: Goal) -> None:
    at = situation(handing_back(0), Intent(goal))
    assert hand_over(at) == raise_key_generation(at) == ()


#: A CA that ends in the operator's time for renewal.
ENDING = make("cluster-ca v1", key(1), end=NOW + 20 * DAY)


@pytest.mark.parametrize(
    ("state", "restarted", "told"),
    [
        (RUNS, uids_of(), "in its next reconcile the operator renews it"),
        (
            replace(RUNS, windows=MaintenanceWindows(False, None)),
            frozenset(),
            "in its next maintenance window the operator renews it",
        ),
        (replace(RUNS, replaces_key=True), uids_of(), "the operator makes a new key"),
    ],
)
def test_the_restarts_that_follow_are_told(state: Reconciliation, restarted: frozenset[str], told: str) -> None:
    (step,) = hand_over(situation(handing_back(1, state, ENDING), DOWNGRADE))
    assert step.restarts == restarted
    assert told in step.because


def test_users_are_issued_anew_where_it_is_theirs() -> None:
    users = changed(handing_back(1, authority=ENDING), issued_by=IssuedBy.USER_OPERATOR)
    assert foresee_operator_renewal(users).endswith("the operator renews it, and restarts each node once.")
    replacing = replace(users, reconciliation=replace(RUNS, replaces_key=True))
    assert "has the certificate of every user issued anew" in foresee_operator_renewal(replacing)
    assert foresee_operator_renewal(handing_back(1)) == ""

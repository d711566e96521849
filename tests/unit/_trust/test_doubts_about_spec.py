# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An operator that does otherwise than ``spec`` says may have plugins, from Strimzi 1.3 on: each message about it says
so, and no other does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition, Wait, steps_of
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    FailedReconcile,
    MaintenanceWindows,
    OperatorStatus,
    Reconciliation,
    Snapshot,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.leaves import (
    leaves_outlast_the_window,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.expiring import expiring
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.pause import await_verdict
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.requests import describe_awaited_leaves

from ...tools.support.certificates import DAY, NOW
from .builders import PAUSED, changed, cluster
from .nodes import PODS
from .preconditions.test_lives import RENEW, until
from .requested import a_request
from .rules.asking import RECONCILE, situation
from .rules.test_requests import LASTING, MISNAMED, at, with_requests
from .rules.test_verdict import OTHER
from .stand_in import MadeHere

BEFORE, AFTER = "1.2.0", "1.3.0"
PLUGINS = "STRIMZI_GATEKEEPER_CUSTOM_PLUGINS"


def run_by(snapshot: Snapshot, version: str, **operator: object) -> Snapshot:
    state = snapshot.reconciliation
    return replace(
        snapshot, reconciliation=replace(state, operator=replace(state.operator, version=version, **operator))
    )


@pytest.mark.parametrize(
    ("version", "may"),
    [
        ("", False),
        ("1.0.1", False),
        ("1.2.0", False),
        ("1.3.0", True),
        ("1.3.0-SNAPSHOT", True),
        ("1.10.0", True),
        ("2.0.0", True),
        ("0.51.0", False),
        ("latest", False),
    ],
)
def test_operators_with_plugins(version: str, may: bool) -> None:
    found = OperatorStatus(version=version).doubt_about_spec
    assert (PLUGINS in found) is may
    assert found == "" or (found[0], found[-1]) == (" ", ".")


def verdict(snapshot: Snapshot) -> str:
    """The remedy once the operator has looked again."""
    (step,) = steps_of(await_verdict(situation(snapshot, RECONCILE), work_is_left=False))
    turn = await_verdict(situation(step.effect(snapshot, MadeHere()), RECONCILE), work_is_left=False)
    assert isinstance(turn, Wait)
    (violation,) = turn.violations
    assert violation.condition is Condition.VERDICT
    return violation.remedy


def refusing(version: str, failure: FailedReconcile) -> Snapshot:
    return cluster(
        reconciliation=Reconciliation(operator=OperatorStatus(is_ready=False, failure=failure, version=version))
    )


REFUSED = FailedReconcile("InvalidResourceException", "The certificate of a node cannot be used", NOW - DAY)


@pytest.mark.parametrize(("version", "said"), [(BEFORE, False), (AFTER, True)])
def test_a_refusal_that_nothing_in_spec_explains(version: str, said: bool) -> None:
    assert (PLUGINS in verdict(refusing(version, REFUSED))) is said


def test_a_refusal_that_a_difference_explains() -> None:
    found = verdict(changed(refusing(AFTER, REFUSED), misnamed={PODS[0]: "it lacks a.example"}))
    assert PLUGINS not in found


def awaited(snapshot: Snapshot) -> str:
    return " ".join(describe_awaited_leaves(at(with_requests(snapshot, a_request(issuer=LASTING)), RECONCILE)))


@pytest.mark.parametrize(
    ("version", "operator", "said"),
    [(BEFORE, {}, False), (AFTER, {}, True), (AFTER, {"is_ready": False}, False), (AFTER, {"failure": OTHER}, False)],
)
def test_an_operator_that_is_ready_with_other_names(version: str, operator: dict[str, object], said: bool) -> None:
    assert (PLUGINS in awaited(run_by(MISNAMED, version, **operator))) is said


def held_by_window(snapshot: Snapshot) -> str:
    (violation,) = leaves_outlast_the_window(snapshot, RENEW)
    return violation.remedy


def told_of_end(snapshot: Snapshot) -> str:
    (found,) = expiring(snapshot)
    assert bool(found.renewed_by) is not bool(found.remedy)
    return found.remedy


OVERDUE = cluster(leaves=(until(NOW + 20 * DAY),))
CLOSED = MaintenanceWindows(False, NOW + DAY)


@pytest.mark.parametrize("tell", [held_by_window, told_of_end])
@pytest.mark.parametrize(
    ("seen", "said"),
    [
        pytest.param(run_by(OVERDUE, AFTER), True, id="for days"),
        pytest.param(run_by(OVERDUE, BEFORE), False, id="without plugins"),
        pytest.param(run_by(OVERDUE, AFTER, is_ready=False), False, id="it is not ready"),
        pytest.param(run_by(OVERDUE, AFTER, has_observed=False), False, id="it has yet to look"),
        pytest.param(
            run_by(changed(OVERDUE, leaves=(until(NOW + 30 * DAY - timedelta(hours=23)),)), AFTER),
            False,
            id="for hours",
        ),
        pytest.param(
            run_by(replace(OVERDUE, reconciliation=replace(OVERDUE.reconciliation, windows=CLOSED)), AFTER),
            False,
            id="it waits for a window",
        ),
        pytest.param(run_by(replace(OVERDUE, reconciliation=PAUSED), AFTER), False, id="it is paused"),
    ],
)
def test_a_certificate_that_the_operator_leaves_alone_in_its_time_for_renewal(
    tell: Callable[[Snapshot], str], seen: Snapshot, said: bool
) -> None:
    assert (PLUGINS in tell(seen)) is said

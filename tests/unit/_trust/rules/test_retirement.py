# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When nodes give up the CA that is replaced: which end comes first, and until when nobody restarts for it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import HeldLeaf
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.pause import (
    RESTART_BEFORE,
    is_ending,
    is_patient,
    latest_restart,
)

from ....support.certificates import NOW, YEAR
from ....support.certificates import leaf as issue_leaf
from ..builders import (
    ANY,
    DAY,
    HOUR,
    NEW,
    OLD,
    THIRD,
    a_journal,
    a_leaf,
    changed,
    cluster,
    entry,
    ledger,
    secrets,
    uids_of,
)
from ..requested import elsewhere
from .asking import situation


#: A leaf that a process holds, with this much time left.
def held(left: timedelta) -> HeldLeaf:
    return HeldLeaf(issue_leaf(OLD, "held", end=NOW + left), uids_of())


def waiting(*leaves: HeldLeaf, **journal: Any) -> Snapshot:
    made = a_journal(**{"retire": Retire.WHEN_RESTARTED, **journal})
    return cluster(ledger=ledger(entry(OLD, ANY), entry(NEW, ANY), held=leaves, journal=made))


OF_THE_CA = OLD.certificate.not_after - RESTART_BEFORE


@pytest.mark.parametrize(
    ("snapshot", "latest"),
    [
        pytest.param(waiting(), OF_THE_CA, id="the end of the old CA"),
        pytest.param(waiting(retire=NOW + DAY), NOW + DAY, id="what was asked for"),
        pytest.param(waiting(retire=NOW + 2 * YEAR), OF_THE_CA, id="asked for too late"),
        pytest.param(waiting(held(30 * DAY)), NOW + 23 * DAY, id="the end of a leaf that somebody holds"),
        pytest.param(waiting(held(30 * DAY), held(20 * DAY)), NOW + 13 * DAY, id="the first of them"),
        pytest.param(waiting(replaces=None), None, id="nothing ends"),
    ],
)
def test_the_latest_restart(snapshot: Snapshot, latest: datetime | None) -> None:
    at = situation(snapshot)
    assert at.begun is not None
    assert latest_restart(at, at.begun) == latest


NEAR = a_leaf(chain=(issue_leaf(OLD, begin=NOW - 40 * DAY, end=NOW + 50 * DAY),))


@pytest.mark.parametrize(
    ("snapshot", "latest"),
    [
        pytest.param(elsewhere(waiting(), OLD), NOW + 5 * DAY, id="the operator can issue none, and comes near to it"),
        pytest.param(waiting(), OF_THE_CA, id="the operator renews it"),
        pytest.param(
            replace(waiting(), ca=secrets(THIRD)), NOW + 5 * DAY, id="the operator puts one of another CA in its place"
        ),
        pytest.param(replace(waiting(), ca=secrets(None)), OF_THE_CA, id="no CA is in use"),
        pytest.param(
            elsewhere(replace(waiting(), ca=secrets(NEW)), NEW), OF_THE_CA, id="of the next CA, any run renews it"
        ),
    ],
)
def test_the_latest_restart_before_the_operator_issues_or_stands_still(snapshot: Snapshot, latest: datetime) -> None:
    at = situation(changed(snapshot, leaves=(a_leaf(chain=None), NEAR)))
    assert at.begun is not None
    assert latest_restart(at, at.begun) == latest


def test_where_a_component_has_another_window_that_one_counts() -> None:
    at = situation(changed(elsewhere(waiting(), OLD), leaves=(replace(NEAR, renewal_window=20 * DAY),)))
    assert at.begun is not None
    assert latest_restart(at, at.begun) == NOW + 15 * DAY


@pytest.mark.parametrize(
    ("snapshot", "patient"),
    [
        pytest.param(waiting(), True, id="until the CA ends"),
        pytest.param(waiting(retire=NOW + HOUR), True, id="until it is wanted"),
        pytest.param(waiting(retire=NOW), False, id="now it is wanted"),
        pytest.param(waiting(retire=NOW - HOUR), False, id="it was wanted before"),
        pytest.param(waiting(held(timedelta(days=7))), False, id="a held leaf ends"),
        pytest.param(waiting(held(timedelta(days=7, seconds=1))), True, id="a held leaf ends soon"),
        pytest.param(waiting(replaces=None), True, id="nothing ends"),
        pytest.param(waiting(retire=Retire.NOW), False, id="at once"),
        pytest.param(waiting(goal=Goal.RENEW), False, id="a renewal needs none"),
        pytest.param(waiting(finished_at=NOW), False, id="the flow has finished"),
        pytest.param(cluster(), False, id="no flow"),
    ],
)
def test_patience(snapshot: Snapshot, patient: bool) -> None:
    assert is_patient(situation(snapshot)) is patient


@pytest.mark.parametrize(("left", "ending"), [(timedelta(days=7), False), (timedelta(days=6), True), (-DAY, True)])
def test_who_holds_a_leaf_restarts_before_it_ends(left: timedelta, ending: bool) -> None:
    assert is_ending(held(left), situation(cluster())) is ending

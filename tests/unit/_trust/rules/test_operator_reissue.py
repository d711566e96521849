# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaves that the operator is going to renew, where it cannot."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.trigger import is_signed_by
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Component, StoredLeaf
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.leaves import leaves_can_be_renewed
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.due import (
    due_leaves,
    leaves_before_operator_window,
    nears_operator_window,
)

from ....support.certificates import NOW, YEAR, leaf
from ..builders import DAY, NEW, a_journal, books_of, changed, entry, ledger, secrets
from ..requested import elsewhere
from .test_due import LASTING, SHORT, leaf_with, settled

NEAR = leaf_with(44 * DAY)


@pytest.mark.parametrize(
    ("life", "window", "left", "near"),
    [
        pytest.param(365, 30, 45.01, False, id="fifteen days before the window"),
        pytest.param(365, 30, 44.99, True, id="less than fifteen days before it"),
        pytest.param(365, 30, 29, True, id="in the window"),
        pytest.param(365, 30, -1, True, id="expired"),
        pytest.param(365, 10, 25.01, False, id="a smaller window"),
        pytest.param(365, 10, 24.99, True, id="less than fifteen days before a smaller window"),
        pytest.param(40, 30, 35.01, False, id="half of the time that is left before the window"),
        pytest.param(40, 30, 34.99, True, id="more than half of that time has passed"),
        pytest.param(30, 30, 15.01, False, id="as long as the window: half of its life"),
        pytest.param(30, 30, 14.99, True, id="as long as the window, in its second half"),
        pytest.param(1, 30, 0.51, False, id="a day, in its first half"),
        pytest.param(1, 30, 0.49, True, id="a day, in its second half"),
    ],
)
def test_how_near_a_leaf_has_come(life: float, window: int, left: float, near: bool) -> None:
    made = leaf(LASTING, begin=NOW + left * DAY - life * DAY, end=NOW + left * DAY)
    assert nears_operator_window(made, window * DAY, NOW) is near


@pytest.mark.parametrize("life", [timedelta(hours=1), 2 * DAY, 29 * DAY, 30 * DAY, 31 * DAY, 90 * DAY, YEAR])
@pytest.mark.parametrize("window", [DAY, 30 * DAY, 60 * DAY])
def test_a_new_leaf_is_never_near(life: timedelta, window: timedelta) -> None:
    """Every run would renew it again."""
    assert not nears_operator_window(leaf(LASTING, begin=NOW, end=NOW + life), window, NOW)


@pytest.mark.parametrize("goal", [one for one in Goal if one is not Goal.RENEW_LEAVES])
@pytest.mark.parametrize(
    ("stored", "near"),
    [
        pytest.param(NEAR, True, id="of a node"),
        pytest.param(leaf_with(44 * DAY, component=Component.KAFKA_EXPORTER), True, id="of a component"),
        pytest.param(leaf_with(46 * DAY), False, id="not near yet"),
        pytest.param(leaf_with(44 * DAY, issuer=NEW), False, id="of another CA"),
        pytest.param(replace(NEAR, chain=None), False, id="unreadable"),
    ],
)
def test_they_are_due_for_every_goal(stored: StoredLeaf, near: bool, goal: Goal) -> None:
    snapshot = elsewhere(settled(stored), LASTING)
    expected = (stored,) if near else ()
    assert leaves_before_operator_window(snapshot) == expected
    # A leaf that no process could use is due as well, whenever the operator would look at it.
    unfit = not is_signed_by(stored.chain, LASTING.certificate)
    assert due_leaves(snapshot, Intent(goal), books_of(snapshot)) == ((stored,) if near or unfit else ())


@pytest.mark.parametrize("goal", list(Goal))
def test_misnamed_leaves_are_due_for_every_goal_also_at_the_end_of_their_ca(goal: Goal) -> None:
    stored = leaf_with(20 * DAY, issuer=SHORT)
    settled_ = settled(stored, ca=secrets(SHORT), ledger=ledger(entry(SHORT, generations={0})))
    snapshot = changed(elsewhere(settled_, SHORT), misnamed={stored.secret: "it lacks a.example"})
    assert due_leaves(snapshot, Intent(goal), books_of(snapshot)) == (stored,)


def test_a_leaf_is_issued_once_for_all_reasons() -> None:
    snapshot = changed(elsewhere(settled(NEAR), LASTING), misnamed={NEAR.secret: "it lacks a.example"})
    assert due_leaves(snapshot, Intent(Goal.RENEW_LEAVES), books_of(snapshot)) == (NEAR,)


def test_none_where_the_operator_has_the_key() -> None:
    assert leaves_before_operator_window(settled(NEAR)) == ()
    assert leaves_before_operator_window(settled(NEAR, ca=secrets())) == ()


def test_none_while_a_flow_is_in_flight() -> None:
    books = ledger(entry(LASTING, generations={0}), journal=a_journal())
    snapshot = elsewhere(settled(NEAR, ledger=books), LASTING)
    assert due_leaves(snapshot, Intent(Goal.RECONCILE), books_of(snapshot)) == ()


def test_a_leaf_that_ends_with_its_ca_holds_no_flow() -> None:
    """The CA is to be renewed, and that flow must not be held."""
    stored = leaf_with(20 * DAY, issuer=SHORT)
    snapshot = elsewhere(settled(stored, ca=secrets(SHORT), ledger=ledger(entry(SHORT, generations={0}))), SHORT)
    for goal in (Goal.RECONCILE, Goal.RENEW):
        assert due_leaves(snapshot, Intent(goal), books_of(snapshot)) == ()
        assert list(leaves_can_be_renewed(snapshot, Intent(goal))) == []
    assert leaves_before_operator_window(snapshot) == (stored,)

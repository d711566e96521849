# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaves that their issuer renews by itself: which of its certificates are taken up, and when it is corrected."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.request import Standing
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot, StoredLeaf
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import CorrectOrders
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.due import (
    correct_orders,
    due_leaves,
    ending_leaves,
    renewed_leaves,
)

from ....support.certificates import NOW, YEAR
from ....support.certificates import leaf as issue_leaf
from ....support.intents import an_intent
from ..builders import DAY, NEW, PODS, books_of, changed, prepared, secrets
from ..requested import elsewhere
from .asking import situation
from .test_due import LASTING, leaf_with, settled

GOALS = (Goal.RENEW_LEAVES, Goal.RECONCILE)
OTHERS = tuple(set(Goal) - set(GOALS))
STORED = leaf_with(300 * DAY)
#: Issued yesterday.
LATER = (issue_leaf(LASTING, begin=NOW - DAY, end=NOW + YEAR), LASTING.certificate)
#: Issued before the stored one.
EARLIER = (issue_leaf(LASTING, begin=NOW - YEAR, end=NOW + YEAR), LASTING.certificate)
NAME = STORED.secret


def kept(**fields: Any) -> Standing:
    made: dict[str, Any] = {"latest": LATER, "authority": LASTING.certificate.fingerprint, **fields}
    return Standing(NAME, **made)


def with_kept(standing: Standing | None, stored: StoredLeaf = STORED, **fields: Any) -> Snapshot:
    found = {} if standing is None else {NAME: standing}
    return changed(elsewhere(settled(stored, **fields), LASTING), standing=found)


@pytest.mark.parametrize(
    ("standing", "stored", "is_taken_up"),
    [
        pytest.param(kept(), STORED, True, id="a later one"),
        pytest.param(None, STORED, False, id="nothing is kept"),
        pytest.param(kept(latest=(), authority=""), STORED, False, id="nothing was issued"),
        pytest.param(kept(authority="", told="It waits."), STORED, False, id="one that has not passed every check"),
        pytest.param(kept(authority=NEW.certificate.fingerprint), STORED, False, id="one of another CA"),
        pytest.param(kept(latest=EARLIER), STORED, False, id="one that this leaf has replaced"),
        pytest.param(kept(), replace(STORED, chain=LATER), False, id="the stored one"),
        pytest.param(kept(), replace(STORED, generation=7), False, id="of another generation"),
        pytest.param(kept(), replace(STORED, chain=None), False, id="unreadable"),
    ],
)
def test_which_renewals_are_taken_up(standing: Standing | None, stored: StoredLeaf, is_taken_up: bool) -> None:
    snapshot = with_kept(standing, stored)
    # A leaf that cannot be read is due for every goal, and for another reason.
    unreadable = () if stored.chain else (stored,)
    for goal in GOALS:
        expected = (stored,) if is_taken_up else ()
        assert renewed_leaves(snapshot, Intent(goal)) == expected
        assert due_leaves(snapshot, Intent(goal), books_of(snapshot)) == expected + unreadable
        assert ending_leaves(snapshot, Intent(goal)) == ()
    for goal in OTHERS:
        assert due_leaves(snapshot, Intent(goal), books_of(snapshot)) == unreadable


def test_nothing_is_taken_up_while_a_ca_waits() -> None:
    """The leaf would be of the CA that is being replaced."""
    snapshot = with_kept(kept(), ca=secrets(LASTING, prepared=(prepared(NEW),)))
    assert due_leaves(snapshot, Intent(Goal.RECONCILE), books_of(snapshot)) == ()


def test_a_renewal_that_ends_with_its_ca_is_taken_up() -> None:
    """The collection would not make it, but it is there, and the stored one ends sooner."""
    short = issue_leaf(LASTING, begin=NOW - DAY, end=NOW + 300 * DAY + timedelta(hours=1))
    snapshot = with_kept(kept(latest=(short, LASTING.certificate)))
    assert due_leaves(snapshot, Intent(Goal.RECONCILE), books_of(snapshot)) == (STORED,)


@pytest.mark.parametrize("goal", Goal)
def test_what_differs_is_corrected_by_flows_about_leaves(goal: Goal) -> None:
    snapshot = with_kept(kept(latest=STORED.chain or (), differs="its duration is not as wanted"))
    step = CorrectOrders(secrets=(NAME,), asked="an issuer", phase=Phase.PREPARE)
    assert correct_orders(situation(snapshot, an_intent(goal, asked="an issuer"))) == ((step,) if goal in GOALS else ())


def test_what_does_not_differ_is_left_alone() -> None:
    assert correct_orders(situation(with_kept(kept()), Intent(Goal.RECONCILE))) == ()


def test_of_a_ca_whose_key_is_here_nothing_is_corrected() -> None:
    snapshot = changed(settled(STORED), standing={NAME: kept(differs="it is not there")})
    assert correct_orders(situation(snapshot, Intent(Goal.RECONCILE))) == ()


def test_what_is_corrected_does_not_differ_any_more() -> None:
    differing = kept(differs="it is not there")
    snapshot = changed(settled(STORED), standing={NAME: differing, PODS[1]: replace(differing, secret=PODS[1])})
    step = CorrectOrders(secrets=(NAME,), asked="an issuer", phase=Phase.PREPARE)
    after = step.effect(snapshot, None)  # type: ignore[arg-type]
    assert {name for name, one in after.leaves.standing.items() if one.differs} == {PODS[1]}
    assert step.sentence() == f"correct what an issuer is to renew for {NAME}"

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps about parties outside the cluster: their sentences, and what a forecast makes of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import ReissuePause
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.presenters import (
    AwaitKept,
    AwaitPickUp,
    AwaitReissue,
    PauseReissue,
    ResumeReissue,
)

from ...builders import NEW, names_of
from ...of_users import ORDERS, PAYMENTS, STAGES
from ...stand_in import MadeHere

NEW_NAME = named(NEW.certificate)


def test_sentences() -> None:
    reissue = AwaitReissue(names=(ORDERS, PAYMENTS), authority=NEW.certificate)
    assert reissue.sentence() == f"have the User Operator issue 2 certificates of {NEW_NAME}"
    assert replace(reissue, batch=3).sentence().endswith(f"{NEW_NAME}, 3 at a time")
    pause, resume = PauseReissue(names=(ORDERS,)), ResumeReissue(names=(ORDERS, PAYMENTS))
    assert pause.sentence() == "keep the User Operator from issuing 1 certificate until it is their turn"
    assert resume.sentence() == "let the User Operator issue 2 certificates again"
    kept = AwaitKept(names=(ORDERS,), authority=NEW.certificate)
    assert kept.sentence() == f"see that the User Operator keeps 1 certificate of {NEW_NAME}"
    pick_up = AwaitPickUp(names=("KafkaConnect kafka/a",), authority=NEW.certificate)
    assert pick_up.sentence() == f"wait until KafkaConnect kafka/a present certificates of {NEW_NAME}"


@pytest.mark.parametrize("step", [AwaitReissue, AwaitPickUp])
def test_a_forecast_takes_them_for_done(step: type[AwaitReissue | AwaitPickUp]) -> None:
    after = step(names=(ORDERS,), authority=NEW.certificate).effect(STAGES["switched"], MadeHere())
    found = {one.name: (one.authorities == names_of(NEW), one.behind) for one in after.presenters}
    assert (found[ORDERS], found[PAYMENTS]) == ((True, False), (False, True))


def test_a_pause_is_of_those_that_are_named_and_ends_with_their_turn() -> None:
    def pauses(step: PauseReissue | ResumeReissue | AwaitReissue | AwaitKept) -> dict[str, ReissuePause]:
        found = step.effect(paused, MadeHere()).presenters
        return {one.name: one.pause for one in found if one.name in (ORDERS, PAYMENTS)}

    ours, none = ReissuePause.OURS, ReissuePause.NONE
    paused = STAGES["trusted"]
    assert pauses(PauseReissue(names=(ORDERS,))) == {ORDERS: ours, PAYMENTS: none}
    paused = PauseReissue(names=(ORDERS, PAYMENTS)).effect(STAGES["switched"], MadeHere())
    assert pauses(ResumeReissue(names=(ORDERS,))) == {ORDERS: none, PAYMENTS: ours}
    assert pauses(AwaitReissue(names=(ORDERS,), authority=NEW.certificate)) == {ORDERS: none, PAYMENTS: ours}
    assert pauses(AwaitKept(names=(ORDERS,), authority=NEW.certificate)) == {ORDERS: none, PAYMENTS: ours}

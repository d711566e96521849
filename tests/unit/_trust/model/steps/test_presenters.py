# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps about parties outside the cluster: their sentences, and what a forecast makes of them."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.presenters import (
    AwaitPickUp,
    AwaitReissue,
)

from ...builders import NEW, names_of
from ...of_users import ORDERS, PAYMENTS, STAGES
from ...stand_in import MadeHere

NEW_NAME = named(NEW.certificate)


def test_sentences() -> None:
    reissue = AwaitReissue(names=(ORDERS, PAYMENTS), authority=NEW.certificate)
    assert reissue.sentence() == f"have the User Operator issue 2 certificates of {NEW_NAME}"
    pick_up = AwaitPickUp(names=("KafkaConnect kafka/a",), authority=NEW.certificate)
    assert pick_up.sentence() == f"wait until KafkaConnect kafka/a present certificates of {NEW_NAME}"


@pytest.mark.parametrize("step", [AwaitReissue, AwaitPickUp])
def test_a_forecast_takes_them_for_done(step: type[AwaitReissue | AwaitPickUp]) -> None:
    after = step(names=(ORDERS,), authority=NEW.certificate).effect(STAGES["switched"], MadeHere())
    found = {one.name: (one.authorities == names_of(NEW), one.behind) for one in after.presenters}
    assert (found[ORDERS], found[PAYMENTS]) == ((True, False), (False, True))

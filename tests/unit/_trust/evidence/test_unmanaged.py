# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Listeners that trust whom their owner says: the owner is told what is up to them, and they hold nothing."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence.stored import (
    describe_unmanaged_listeners,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent

from ..builders import changed
from ..of_users import STAGES, users

BESIDE = ("listener own (9094)", "listener other (9095)")


def test_a_sentence_for_each() -> None:
    own, other = describe_unmanaged_listeners(users(unmanaged=BESIDE))
    assert own == (
        "Kafka kafka/demo: this collection neither asks nor reloads listener own (9094), because its owner says whom it trusts: if it verifies "
        "clients by the clients CA, have it trust a next CA with another key, by a reload or a restart of its nodes, before the phase use "
        "(until_phase=trust ends before that), or it refuses clients with new certificates; and have it give up the old CA afterwards."
    )
    assert other == own.replace(BESIDE[0], BESIDE[1])
    assert describe_unmanaged_listeners(users()) == ()


@pytest.mark.parametrize("stage", STAGES)
def test_they_hold_nothing(stage: str) -> None:
    intent = Intent(Goal.REPLACE_KEY)
    assert decide(changed(STAGES[stage], unmanaged=BESIDE), intent) == decide(STAGES[stage], intent)

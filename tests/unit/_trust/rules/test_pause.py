# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps that the operator must not see half-way are done while it is paused by us."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Reconciliation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.pause import Pause
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import Withdraw, WriteBundle
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.pause import in_pause

from ..builders import OLD, PAUSED, cluster
from .asking import situation

WORK = WriteBundle(phase=Phase.RETIRE, avoidable="Nodes are restarted: no.")
MORE = Withdraw(certificate=OLD.certificate, phase=Phase.USE)


@pytest.mark.parametrize(
    "state",
    [
        pytest.param(Reconciliation(), id="the operator works"),
        pytest.param(Reconciliation(paused=True, paused_by_us=True), id="it has not confirmed our pause"),
        pytest.param(Reconciliation(paused=True, pause_effective=True), id="somebody else has paused it"),
    ],
)
def test_the_pause_comes_first_and_says_what_for(state: Reconciliation) -> None:
    at = situation(cluster(reconciliation=state))
    paused = Pause(phase=Phase.RETIRE, purpose=WORK.sentence(), avoidable=WORK.avoidable)
    assert in_pause(at, WORK, MORE) == (paused,)
    assert in_pause(at, replace(WORK, avoidable=""), WORK) == (paused,)
    assert in_pause(at) == ()


def test_paused_they_are_done() -> None:
    assert in_pause(situation(cluster(reconciliation=PAUSED)), WORK, MORE) == (WORK, MORE)

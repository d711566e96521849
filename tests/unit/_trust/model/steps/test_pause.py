# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps that pause the operator and let it on again."""

from __future__ import annotations

from dataclasses import replace

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import FailedReconcile
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import (
    AwaitVerdict,
    Pause,
    Resume,
)

from ... import linked
from ...stand_in import MadeHere

FOR = Pause(phase=Phase.RETIRE, purpose="take something out")


def test_in_words() -> None:
    """The purpose of the pause is left to do, and not the pause."""
    assert (FOR.sentence(), FOR.as_left()) == ("pause the operator", "take something out")
    assert Resume(phase=Phase.RETIRE).sentence() == "let the operator go on"


def test_what_comes_of_it() -> None:
    assert FOR.effect(linked.ALONE, MadeHere()) == linked.HALTED
    assert Resume(phase=Phase.RETIRE).effect(linked.STAMPED, MadeHere()) == linked.RESUMED


def test_a_verdict_is_asked_for_once_and_assumed_to_stay() -> None:
    assert AwaitVerdict(phase=Phase.USE).sentence() == "wait until the operator has reconciled what is stored"
    failure = FailedReconcile("RuntimeException", "no")
    state = replace(linked.ALONE.reconciliation, resuming=True, request="before", failure=failure)
    snapshot = replace(linked.ALONE, reconciliation=state)
    resumed = AwaitVerdict(phase=Phase.USE).effect(snapshot, MadeHere()).reconciliation
    assert (resumed.resuming, resumed.request, resumed.failure) == (False, "before", failure)
    asked = AwaitVerdict(phase=Phase.USE, request="again").effect(snapshot, MadeHere()).reconciliation
    assert (asked.resuming, asked.request, asked.failure) == (False, "again", failure)

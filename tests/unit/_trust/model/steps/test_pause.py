# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps that pause the operator and let it on again."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.pause import Pause, Resume

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

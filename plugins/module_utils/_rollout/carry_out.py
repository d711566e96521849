# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The functions that carry out restarts and reloads, by the type of the step."""

from __future__ import annotations

from collections.abc import Mapping

from .._strimzi.carry_out import CarryOut
from .._strimzi.observe import Observation
from .._strimzi.work import Work
from .._trust.model.steps.base import Step
from .._trust.model.steps.nodes import AwaitAnswers, Reload, Roll
from .answers import await_answers
from .roll import carry_out_roll


def _reload(step: Reload, observation: Observation, work: Work) -> None:
    # Imported only for a reload: most calls make none, and all of this code speaks to Kafka.
    from .reloading import carry_out_reload

    carry_out_reload(step, observation, work)


CARRY_OUT: Mapping[type[Step], CarryOut] = {Roll: carry_out_roll, Reload: _reload, AwaitAnswers: await_answers}

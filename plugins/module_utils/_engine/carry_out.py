# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The table of functions that carry out steps, by the type of the step."""

from __future__ import annotations

from .._issuing.carry_out import CARRY_OUT as _LEAVES
from .._rollout.carry_out import CARRY_OUT as _UPTAKE
from .._strimzi.carry_out import CARRY_OUT as _CLUSTER
from .._strimzi.observe import Observation
from .._strimzi.work import Work
from .._trust.model.steps.base import Step

_CARRY_OUT = {**_CLUSTER, **_LEAVES, **_UPTAKE}


def carry_out(step: Step, observation: Observation, work: Work) -> None:
    """Carry out the step; in a dry run only record its actions. Raises StepError, KubeError."""
    _CARRY_OUT[type(step)](step, observation, work)

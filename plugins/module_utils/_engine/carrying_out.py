# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The function that carries out each step, by the type of the step."""

from __future__ import annotations

from collections.abc import Mapping

from .._issuing.issue import CARRY_OUT as _LEAVES
from .._rollout.roll import CARRY_OUT as _UPTAKE
from .._strimzi.apply.carry_out import CARRY_OUT as _CLUSTER
from .._strimzi.apply.carry_out import CarryOut
from .._trust.model.steps.base import Step

CARRY_OUT: Mapping[type[Step], CarryOut] = {**_CLUSTER, **_LEAVES, **_UPTAKE}

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The pause around steps that the operator must not see half-way."""

from __future__ import annotations

from ..model.steps.base import Step, Steps
from ..model.steps.pause import Pause
from .situation import Situation


def in_pause(at: Situation, *steps: Step) -> Steps:
    """These steps where the operator is paused by this collection; else the step that pauses it."""
    if at.is_paused or not steps:
        return steps
    avoidable = next((step.avoidable for step in steps if step.avoidable), "")
    return (Pause(phase=steps[0].phase, purpose=steps[0].sentence(), avoidable=avoidable),)

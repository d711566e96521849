# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The steps of the roll's face."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.roll import carry_out_roll
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.actions import Action
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.shared_steps import carry_out_shared
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.stamping import stamp_pods
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import Reload, Roll, StampPods, Step


def carry_out_spread(step: Step, observation: Observation, work: Work) -> list[Action]:
    """A roll, what takes its place, or a step of every face. Raises TypeError for a step of another."""
    if isinstance(step, Roll):
        return carry_out_roll(step, observation, work)
    if isinstance(step, StampPods):
        return stamp_pods(step.generation, step.phase.value, observation, work)
    if isinstance(step, Reload):
        # Loaded only where somebody reloads: most calls do not.
        from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.reloading import carry_out_reload

        return carry_out_reload(step, observation, work)
    return carry_out_shared(step, observation, work)

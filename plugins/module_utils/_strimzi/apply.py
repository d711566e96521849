# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Carrying out the steps of the trust, authority and reconciliation faces."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi import (
    authority_writes,
    operator,
    outside_waiting,
    publishing,
    trust_writes,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.actions import Action
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.key_generation import raise_key_generation
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.shared_steps import carry_out_shared
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.writes import Write, write_all
from ansible_collections.trustops.strimzi.plugins.module_utils._trust import steps


def carry_out(step: steps.Step, observation: Observation, work: Work) -> list[Action]:
    """One step of a face that this layer serves; the others are served by ``_rollout`` and ``_issuing``."""
    if isinstance(step, steps.AwaitBundle):
        return operator.await_bundle(step, observation, work)
    if isinstance(step, steps.AwaitOutside):
        return outside_waiting.await_outside(step, observation, work)
    if isinstance(step, steps.SHARED):
        return carry_out_shared(step, observation, work)
    if isinstance(step, steps.SetGenerated):
        return operator.set_generated(step, observation, work)
    if isinstance(step, steps.TrueKeyGeneration):
        return raise_key_generation(step, observation, work)
    return write_all(_writes(step, observation, work), work, step.phase.value)


def _writes(step: steps.Step, observation: Observation, work: Work) -> tuple[Write, ...]:
    if isinstance(step, steps.DeleteLedger):
        return trust_writes.delete_ledger(observation)
    if isinstance(step, steps.Project):
        return trust_writes.project(step, observation)
    if isinstance(step, steps.Withdraw):
        return trust_writes.withdraw(step, observation)
    if isinstance(step, steps.Publish):
        return publishing.publish(step, observation, work.clock.now())
    if isinstance(step, steps.PrepareAuthority):
        return authority_writes.prepare(step, observation, work)
    if isinstance(step, steps.Promote):
        return authority_writes.promote(step, observation)
    if isinstance(step, steps.RestoreKey):
        return authority_writes.restore_key(step, observation)
    raise TypeError(f"{type(step).__name__} is not carried out here")

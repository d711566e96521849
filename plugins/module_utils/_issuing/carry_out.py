# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""The steps of the leaves' face."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.issue import carry_out_issue
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.keep import carry_out_keep, carry_out_rechain
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.actions import Action
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.shared_steps import carry_out_shared
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import (
    IssueLeaves,
    KeepLeaves,
    RechainLeaves,
    Step,
)


def carry_out_leaves(step: Step, observation: Observation, work: Work) -> list[Action]:
    """One step of this face, or of every face. Raises TypeError for one of another."""
    if isinstance(step, IssueLeaves):
        return carry_out_issue(step, observation, work)
    if isinstance(step, KeepLeaves):
        return carry_out_keep(step, observation, work)
    if isinstance(step, RechainLeaves):
        return carry_out_rechain(step, observation, work)
    return carry_out_shared(step, observation, work)

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Private to this collection: not a public interface, may change at any time.
"""Ending a pause of ours outside of any flow."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.engine import Outcome, look
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.operator import resume
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import Resume


def resume_ours(work: Work, intent: Intent) -> Outcome:
    """End a pause of ours, if there is one, whatever the flow is at."""
    outcome = look(work, intent)
    if outcome.observation.snapshot.reconciliation.paused_by_us:
        outcome.actions += resume(Resume(), outcome.observation, work)
    return outcome

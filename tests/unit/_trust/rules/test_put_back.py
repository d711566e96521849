# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A CA that somebody has swapped in and that is adopted: the one in use takes its place again, until the gates are open."""

from __future__ import annotations

from dataclasses import replace

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import PutBack
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import WriteLedger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.retire import put_back

from ..builders import NEW, OLD, PAUSED, chain_of, changed, name_of, pods
from ..ledger.test_swap import ADOPT, swapped
from ..stand_in import MadeHere
from .asking import RECONCILE, pause_for, situation

BACK = PutBack(chain=chain_of(OLD), generation=0, key_generation=0)
SWAPPED = swapped()
HALTED = replace(SWAPPED, reconciliation=PAUSED)


def test_in_a_pause_because_the_operator_would_issue_leaves_of_it() -> None:
    assert put_back(situation(SWAPPED, ADOPT)) == pause_for(BACK)
    assert put_back(situation(HALTED, ADOPT)) == (BACK,)


def test_the_key_generation_is_that_which_pods_were_started_with() -> None:
    """The person who swapped the CA may have raised it: the operator would restart everything for trust, in its own way."""
    raised = replace(HALTED, ca=replace(HALTED.ca, key_generation=5))
    started = tuple(replace(pod, key_generation=4) for pod in pods())
    assert put_back(situation(changed(raised, pods=started), ADOPT)) == (replace(BACK, key_generation=4),)


def test_only_what_is_to_be_adopted_and_has_not_reached_every_process() -> None:
    assert put_back(situation(SWAPPED, RECONCILE)) == ()
    assert put_back(situation(swapped(pods=pods(1)), ADOPT)) == ()


def test_it_comes_before_the_books() -> None:
    """The books would take the CA that lies there for the one in use."""
    assert decide(SWAPPED, ADOPT).steps == pause_for(BACK)
    assert decide(HALTED, ADOPT).steps == (BACK,)


def test_afterwards_a_flow_is_about_it() -> None:
    (step,) = decide(BACK.effect(HALTED, MadeHere()), ADOPT).steps
    assert isinstance(step, WriteLedger)
    assert step.ledger.journal is not None
    assert (step.ledger.journal.replaces, step.ledger.journal.successor) == (name_of(OLD), name_of(NEW))


def test_a_call_that_was_killed_in_the_pause_leaves_a_hold_and_the_pause() -> None:
    """The operator, let on, would issue leaves of the other CA."""
    found = decide(HALTED, RECONCILE)
    assert (found.steps, [one.condition for one in found.violations]) == ((), [Condition.AUTHORITY_IS_KNOWN])

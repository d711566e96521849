# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The answers of a rule: about one cluster, asked alone, and at the stages of all flows at which it is its turn."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import list_holds
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import GATES, Gates
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.update import update_ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import (
    Step,
    Steps,
    Violation,
    Wait,
    steps_of,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Pause
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.order import RULES, Rule
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.situation import Situation

from .. import linked, patient, renewal, unlinked

REPLACE_KEY, RENEW, RECONCILE = Intent(Goal.REPLACE_KEY), Intent(Goal.RENEW), Intent(Goal.RECONCILE)

#: The stages of every flow as "<flow> <stage>", and what was asked for.
FLOWS: dict[str, tuple[Snapshot, Intent]] = {
    f"{flow} {stage}": (snapshot, intent)
    for flow, stages, intent in (
        ("linked", linked.STAGES, REPLACE_KEY),
        ("unlinked", unlinked.STAGES, REPLACE_KEY),
        ("patient", patient.STAGES, REPLACE_KEY),
        ("renewal", renewal.STAGES, RENEW),
    )
    for stage, snapshot in stages.items()
}


def situation(snapshot: Snapshot, intent: Intent = REPLACE_KEY, gates: Gates = GATES) -> Situation:
    return Situation(snapshot, intent, snapshot.ledger_or_empty, gates)


def turns(rule: Rule) -> dict[str, Steps]:
    """The steps of this rule at each stage where the ledger is up to date and no rule before it has any.

    It asks the rules each time: a test that found remembered answers would not notice a change of a rule.
    """
    found = {stage: first_turn(stage) for stage in FLOWS}
    return {stage: first[1] for stage, first in found.items() if first is not None and first[0] is rule}


def first_turn(stage: str) -> tuple[Rule, Steps] | None:
    """The first rule that has steps at this stage, and these; None where no rule has any, or the ledger is to be written first."""
    snapshot, intent = FLOWS[stage]
    at = situation(snapshot, intent)
    if update_ledger(snapshot, intent, GATES)[0] != at.ledger:
        return None
    said = ((rule, steps_of(rule(at))) for rule in RULES)
    return next((answer for answer in said if answer[1]), None)


def waits(at: Situation) -> tuple[Wait, ...]:
    """The reasons why rules wait, also where other rules have steps."""
    return tuple(turn for rule in RULES if isinstance(turn := rule(at), Wait))


def holds(at: Situation) -> tuple[Violation, ...]:
    """The violations that hold the flow, also where other rules have steps."""
    return list_holds(at, waits(at))[0]


def pause_for(step: Step) -> Steps:
    """The steps in the place of a step for which the operator has to be paused first."""
    return (Pause(phase=step.phase, purpose=step.sentence(), avoidable_restart=step.avoidable_restart),)

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What every precondition is asked: does it alone hold the flow, what does it say, is anything written then?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple, cast

import pytest
from _pytest.mark import ParameterSet

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decision import Decision
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions import PRECONDITIONS, Precondition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import Resume

from .builders import cluster

RENEW, REPLACE_KEY = Intent(Goal.RENEW), Intent(Goal.REPLACE_KEY)
CREATE, UPGRADE, DOWNGRADE = Intent(Goal.CREATE), Intent(Goal.UPGRADE), Intent(Goal.DOWNGRADE)


class Refusal(NamedTuple):
    """texts: the violations as people read them: object, cause, remedy."""

    rule: Precondition
    snapshot: Snapshot
    intent: Intent
    gate: str
    texts: tuple[str, ...]


def refusal(
    rule: Precondition, gate: str, *texts: str, name: str, intent: Intent = REPLACE_KEY, **fields: Any
) -> ParameterSet:
    return pytest.param(Refusal(rule, cluster(**fields), intent, gate, texts), id=f"{rule.__name__}: {name}")


def rules_of(cases: Iterable[ParameterSet]) -> set[Precondition]:
    return {cast(Refusal, case.values[0]).rule for case in cases}


def assert_refused(case: Refusal) -> None:
    """This rule and no other is violated, with this text; nothing is written and no transition taken."""
    assert [rule for rule in PRECONDITIONS if tuple(rule(case.snapshot, case.intent))] == [case.rule]
    found = decide(case.snapshot, case.intent)
    assert tuple(map(str, found.violations)) == case.texts
    assert {violation.gate for violation in found.violations} == {case.gate}
    assert found == Decision(violations=found.violations)


def assert_only_resumed(case: Refusal) -> None:
    """Where our pause is set it ends, and nothing else is done."""
    state = replace(case.snapshot.reconciliation, paused=True, paused_by_us=True, pause_effective=True)
    found = decide(replace(case.snapshot, reconciliation=state), case.intent)
    assert found == Decision(steps=(Resume(),), violations=found.violations)
    assert tuple(map(str, found.violations)) == case.texts

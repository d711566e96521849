# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The questions that ``test_order`` asks about every refusal: does its rule alone hold the flow, what does it say, is anything written then?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple, cast

import pytest
from _pytest.mark.structures import ParameterSet

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import (
    Condition,
    Decision,
    Violation,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import PreparedAuthority, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Resume
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.plan import foreseeing
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.order import (
    PRECONDITIONS,
    Precondition,
    check,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.pause import finds_work

from ....tools.support.certificates import Entity
from ....tools.support.intents import an_intent, changed_intent
from ..authorities import EARLY, EXPIRED, chain_of
from ..builders import PAUSED, cluster
from ..stand_in import MadeHere

RENEW, REPLACE_KEY, RECONCILE = Intent(Goal.RENEW), Intent(Goal.REPLACE_KEY), Intent(Goal.RECONCILE)
CREATE, UPGRADE, DOWNGRADE = an_intent(Goal.CREATE, before_kafka=True), Intent(Goal.UPGRADE), Intent(Goal.DOWNGRADE)


TOO_EARLY = "Wait until then, or check the clock of the machine that made it and of this machine."
ORDER = "Put the issuing CA first and the root last, each once, and unrelated CAs under keys of their own."
EXPIRED_NAME, EARLY_NAME = EXPIRED.certificate.subject, EARLY.certificate.subject


#: The engine of a call.
FORESEEING = foreseeing(MadeHere())


def violations_of(rule: Precondition, snapshot: Snapshot, intent: Intent, *beside: Entity) -> tuple[Violation, ...]:
    """The violations of this precondition that matter to the call.

    beside: more CAs that can issue.
    """
    return check(snapshot, intent, (rule,), foreseeing(MadeHere(*beside)).restarts_nodes)


class Refusal(NamedTuple):
    rule: Precondition
    snapshot: Snapshot
    intent: Intent
    #: The violations as people read them: object, cause, remedy.
    texts: tuple[str, ...]


def refusal(rule: Precondition, *texts: str, name: str, intent: Intent = REPLACE_KEY, **fields: Any) -> ParameterSet:
    return pytest.param(Refusal(rule, cluster(**fields), intent, texts), id=f"{rule.__name__}: {name}")


def supplying(*chain: Entity, key: str | None = "") -> Intent:
    """A replacement by a CA that the caller brings. key: "" stands for the right one."""
    own = chain[0].certificate.public_key_sha256 if key == "" else key
    return changed_intent(REPLACE_KEY, supplied=PreparedAuthority(chain_of(*chain), own))


def out_of_order(subject: str, lower: Entity, upper: Entity) -> str:
    return (
        f"{subject}: the chain is out of order: {lower.certificate.subject} was not issued by "
        f"{upper.certificate.subject}. {ORDER}"
    )


def rules_of(cases: Iterable[ParameterSet]) -> set[Precondition]:
    return {cast(Refusal, case.values[0]).rule for case in cases}


def assert_refused(case: Refusal) -> None:
    """This rule and no other is violated, under its own name and with this text; nothing is written and no transition taken."""
    assert [rule for rule in PRECONDITIONS if violations_of(rule, case.snapshot, case.intent)] == [case.rule]
    found = decide(case.snapshot, case.intent, FORESEEING)
    assert tuple(map(str, found.violations)) == case.texts
    assert {violation.condition for violation in found.violations} == {Condition(case.rule.__name__)}
    assert found == Decision(violations=found.violations)


def assert_only_resumed(case: Refusal) -> None:
    """Where our pause is set it ends, unless the operator would find work, and nothing else is done."""
    state = replace(case.snapshot.reconciliation, pause=PAUSED.pause)
    found = decide(replace(case.snapshot, reconciliation=state), case.intent)
    ends = () if finds_work(case.snapshot) else (Resume(phase=Phase.USE),)
    assert found == Decision(steps=ends, violations=found.violations)
    assert tuple(map(str, found.violations)) == case.texts

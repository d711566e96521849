# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operator's verdict: it is waited for when nothing else is left to do, and no call is done while it is against what is stored."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide, decide_at_the_end
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import (
    Condition,
    Decision,
    Wait,
    steps_of,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    FailedReconcile,
    OperatorStatus,
    Reconciliation,
    Snapshot,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import AwaitVerdict, Resume
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.pause import (
    await_verdict,
    failure_that_holds_nothing,
)

from ....tools.support.certificates import DAY, NOW
from ....tools.support.certificates import leaf as issue_leaf
from ....tools.support.golden import GoldenFiles
from ....tools.support.intents import changed_intent
from .. import linked
from ..authorities import OLD
from ..builders import PAUSED, changed, cluster
from ..ledgers import a_journal, entry, ledger
from ..nodes import a_leaf
from ..stand_in import MadeHere
from .asking import RECONCILE, REPLACE_KEY, situation

MINUTE = timedelta(minutes=1)
EMPTY = "Could not parse certificate: java.io.IOException: Empty input"
BROKEN = FailedReconcile("RuntimeException", EMPTY, NOW - 9 * DAY)
OTHER = FailedReconcile("InvalidResourceException", "storage may not be shrunk", NOW - 9 * DAY)


def failing(failure: FailedReconcile = BROKEN, **fields: object) -> Snapshot:
    return cluster(reconciliation=Reconciliation(operator=OperatorStatus(is_ready=False, failure=failure)), **fields)


def asked(snapshot: Snapshot, intent: Intent = RECONCILE) -> Snapshot:
    """The operator has looked at it once more, and says the same."""
    (step,) = decide(snapshot, intent).steps
    assert isinstance(step, AwaitVerdict)
    return step.effect(snapshot, MadeHere())


def refused(snapshot: Snapshot, intent: Intent = RECONCILE) -> list[str]:
    decision = decide(snapshot, intent)
    assert not decision.done
    assert {one.condition for one in decision.violations} == {Condition.VERDICT}
    return [one.message for one in decision.violations]


@pytest.mark.parametrize(
    "goal", [goal for goal in Goal if goal not in (Goal.ABORT, Goal.RENEW, Goal.REPLACE_KEY, Goal.DOWNGRADE)]
)
def test_the_operator_looks_once_more_and_then_no_call_is_done(goal: Goal) -> None:
    snapshot = asked(failing(), Intent(goal))
    assert [EMPTY in message for message in refused(snapshot, Intent(goal))] == [True]


def test_the_operator_looks_again_when_another_leaf_is_stored() -> None:
    before = asked(failing())
    after = changed(
        before,
        leaves=(
            *before.leaves.stored[1:],
            a_leaf(before.leaves.stored[0].secret, chain=(issue_leaf(OLD, "another"), OLD.certificate)),
        ),
    )
    assert decide(before, RECONCILE).steps == ()
    (step,) = decide(after, RECONCILE).steps
    assert isinstance(step, AwaitVerdict)
    assert step.request not in ("", before.reconciliation.request)


def test_a_flow_that_starts_waits_for_the_reconcile_after_a_pause_in_which_the_resource_changed() -> None:
    """Without a pause before it, the flow is held: no operator may be at work."""
    idle = cluster()
    changed = replace(
        idle,
        reconciliation=replace(idle.reconciliation, operator=replace(idle.reconciliation.operator, has_observed=False)),
    )
    assert [one.condition for one in decide(changed, REPLACE_KEY).violations] == [Condition.OPERATOR_IS_WORKING]
    resuming = replace(
        changed,
        reconciliation=replace(changed.reconciliation, pause=replace(changed.reconciliation.pause, is_ending=True)),
    )
    (step,) = decide(resuming, REPLACE_KEY).steps
    assert isinstance(step, AwaitVerdict)
    assert decide(step.effect(resuming, MadeHere()), REPLACE_KEY) == decide(idle, REPLACE_KEY)


@pytest.mark.parametrize("stage", linked.STAGES)
def test_the_reconcile_after_a_pause_is_waited_for_where_nothing_is_left(stage: str) -> None:
    """Steps that are left come first: they show the restarts that the operator makes in that reconcile."""
    snapshot = linked.STAGES[stage]
    resuming = replace(
        snapshot,
        reconciliation=replace(snapshot.reconciliation, pause=replace(snapshot.reconciliation.pause, is_ending=True)),
    )
    now, then = decide(snapshot, REPLACE_KEY), decide(resuming, REPLACE_KEY)
    assert decide_at_the_end(resuming, REPLACE_KEY) == Decision(done=True)
    if now.steps:
        assert then == now
        return
    (step,) = then.steps
    assert isinstance(step, AwaitVerdict)
    assert step.request == ""
    assert decide(step.effect(resuming, MadeHere()), REPLACE_KEY) == now


@pytest.mark.parametrize(
    "message",
    [
        EMPTY,
        "Cluster CA should not be generated, but the secrets were not found.",
        "The CA chain in ca.crt is not valid",
        "SSL handshake failed",
        "PKIX path building failed",
    ],
)
def test_words_about_certificates(message: str) -> None:
    failure = FailedReconcile("Exception", message, None)
    assert refused(asked(failing(failure)))


def test_a_failure_of_the_operator_for_another_reason_is_reported_and_holds_nothing(golden: GoldenFiles) -> None:
    snapshot = failing(OTHER)
    decision = decide(snapshot, RECONCILE)
    assert (decision.done, decision.steps, decision.violations) == (True, (), ())
    golden.compare_said("stops_in_rules", failure_that_holds_nothing(snapshot, decision))
    assert failure_that_holds_nothing(cluster(), decision) == ""
    assert failure_that_holds_nothing(snapshot, replace(decision, waiting=("for leaves",))) == ""
    broken = asked(failing())
    assert failure_that_holds_nothing(broken, decide(broken, RECONCILE)) == ""


_BEGAN = NOW - 2 * DAY
_ENDED = NOW - DAY


@pytest.mark.parametrize(
    ("since", "finished", "concerns"),
    [
        (_BEGAN - MINUTE, _ENDED, False),
        (_BEGAN, _ENDED, True),
        (_ENDED + 9 * MINUTE, _ENDED, True),
        (_ENDED + 10 * MINUTE, _ENDED, False),
        (NOW, _ENDED, False),
        (_BEGAN - MINUTE, None, False),
        (NOW, None, True),
        (None, None, False),
    ],
)
def test_a_failure_that_began_with_a_flow_is_of_the_flow(since: object, finished: object, concerns: bool) -> None:
    """Its words do not matter: an operator that meets certificates that it cannot use does not always say so."""
    journal = a_journal(started_at=_BEGAN, finished_at=finished)
    snapshot = failing(replace(OTHER, since=since), ledger=ledger(entry(OLD), journal=journal))
    assert bool(decide_at_the_end(snapshot, RECONCILE).steps) is concerns


def test_a_refusal_by_the_operator_holds_no_step() -> None:
    """The steps that are left are taken all the same; they may be what mends it."""
    for stage, snapshot in linked.STAGES.items():
        state = replace(snapshot.reconciliation, operator=OperatorStatus(failure=BROKEN))
        steps = decide(snapshot, REPLACE_KEY).steps
        assert steps == () or decide(replace(snapshot, reconciliation=state), REPLACE_KEY).steps == steps, stage


def test_a_flow_that_stops_after_a_phase_is_not_done_either() -> None:
    until = changed_intent(REPLACE_KEY, last_phase=Phase.PREPARE)
    stage = next(
        snapshot for snapshot in linked.STAGES.values() if (found := decide(snapshot, until)).done and found.pending
    )
    older, failure = replace(BROKEN, since=stage.now - 999 * DAY), replace(BROKEN, since=stage.now)
    before = replace(stage, reconciliation=replace(stage.reconciliation, operator=OperatorStatus(failure=older)))
    assert decide(before, until) == decide(stage, until), "what is left may be what mends it"
    snapshot = asked(
        replace(stage, reconciliation=replace(stage.reconciliation, operator=OperatorStatus(failure=failure))), until
    )
    assert refused(snapshot, until)
    assert decide(snapshot, until).pending == decide(stage, until).pending


@pytest.mark.parametrize(
    "lacking",
    [
        {"missing": {"demo-nodes-9": Component.KAFKA}},
        {"misnamed": {"demo-nodes-0": "it lacks x"}},
        {"leaves": (a_leaf(chain=None),)},
    ],
    ids=["missing", "misnamed", "unreadable"],
)
def test_a_leaf_that_is_yet_to_be_issued_explains_the_failure_of_the_operator(lacking: dict[str, Any]) -> None:
    """The operator stood still before the leaf was issued, and the next call issues it."""
    journal = a_journal(started_at=NOW - 10 * DAY)
    snapshot = failing(ledger=ledger(entry(OLD), journal=journal), **lacking)
    assert decide_at_the_end(snapshot, RECONCILE) == Decision(done=True)
    assert decide_at_the_end(
        changed(snapshot, **{name: type(value)() for name, value in lacking.items()}), RECONCILE
    ).steps


def test_the_operator_is_not_asked_for_its_verdict_during_a_pause_of_ours() -> None:
    state = replace(PAUSED, operator=OperatorStatus(failure=BROKEN))
    assert decide_at_the_end(cluster(reconciliation=state), RECONCILE) == Decision(done=True)
    assert any(isinstance(step, Resume) for step in decide(cluster(reconciliation=state), RECONCILE).steps)


def test_names_and_dates_that_differ_are_told(golden: GoldenFiles) -> None:
    ending = issue_leaf(OLD, end=NOW + 30 * DAY)
    snapshot = failing(
        leaves=(
            a_leaf("demo-broker-0", chain=None, problem="it has 12 certificates"),
            a_leaf("demo-nodes-0"),
            a_leaf("demo-nodes-1", generation=7),
            a_leaf("demo-nodes-2", chain=(ending, OLD.certificate)),
        ),
        missing={"demo-nodes-3": Component.KAFKA},
        misnamed={"demo-nodes-0": "it lacks the name x"},
    )
    (look,) = steps_of(await_verdict(situation(snapshot), work_is_left=False))
    verdict = await_verdict(situation(look.effect(snapshot, MadeHere())), work_is_left=False)
    assert isinstance(verdict, Wait)
    (violation,) = verdict.violations
    assert f"{ending.not_after:%Y-%m-%d}" in violation.message
    golden.compare_said("stops_in_rules", violation)

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster without pods shows nothing: a flow that was begun is not at its end (I5, I10)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import GATES
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.books import keep_books
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.journal import in_flight
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Decision
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot

from ...support.intents import changed_intent
from . import of_users
from .builders import changed
from .rules.asking import FLOWS, RECONCILE, REPLACE_KEY

ABORT = Intent(Goal.ABORT)
BEGUN = {
    **{stage: snapshot for stage, (snapshot, _intent) in FLOWS.items() if in_flight(snapshot.ledger)},
    **{f"users {stage}": snapshot for stage, snapshot in of_users.STAGES.items()},
}


def books_kept(snapshot: Snapshot, intent: Intent) -> Snapshot:
    while (kept := keep_books(snapshot, intent, GATES)[0]) != snapshot.ledger:
        snapshot = replace(snapshot, ledger=kept)
    return snapshot


def decided(stage: str, intent: Intent) -> Decision:
    return decide(books_kept(changed(BEGUN[stage], pods=()), intent), intent)


@pytest.mark.parametrize("intent", [RECONCILE, REPLACE_KEY, ABORT], ids=lambda one: one.goal.value)
@pytest.mark.parametrize("stage", BEGUN)
def test_a_flow_that_was_begun_is_never_done(stage: str, intent: Intent) -> None:
    decision = decided(stage, intent)
    assert not decision.done
    assert decision.steps or decision.violations


@pytest.mark.parametrize("stage", ["users published", "users switched", "users issued"])
def test_it_is_held_with_a_sentence(stage: str) -> None:
    (told,) = map(str, decided(stage, RECONCILE).violations)
    assert told == (
        "Kafka kafka/demo: has no pod that verifies by the clients CA, so nothing shows how far the flow (replace_key) has come. Find out why there is "
        "none; when there are pods again, run the flow again."
    )


def test_not_where_the_caller_asks_for_no_more_than_a_new_ca() -> None:
    decision = decided("users published", changed_intent(RECONCILE, until=Phase.PREPARE))
    assert (decision.done, decision.violations) == (True, ())


@pytest.mark.parametrize("stage", ["linked FINISHED", "unlinked FINISHED", "renewal FINISHED"])
def test_what_is_done_stays_done(stage: str) -> None:
    finished, _intent = FLOWS[stage]
    decision = decide(books_kept(changed(finished, pods=(), leaves=()), RECONCILE), RECONCILE)
    assert (decision.done, decision.violations) == (True, ())

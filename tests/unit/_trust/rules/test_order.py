# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rule whose turn it is at each stage of each flow, and the order of the rules."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.journal import in_flight
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent, Selection
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import HeldLeaf, TrustState
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Component, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Resume
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import WriteLedger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.leaves import (
    await_restarts,
    issue_missing,
    read_again,
    replace_leaves,
    restart_holders,
    use_by_operator,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.order import Rule, end_pause
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.prepare import prepare, restart_to_trust
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.retire import (
    forget,
    hand_over,
    tidy,
    withdraw,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.switch import (
    await_arrival,
    await_bundle,
    project,
    publish,
    switch,
)

from ....support.engines import without
from ....support.intents import changed_intent
from .. import linked, patient, unlinked
from ..builders import (
    OLD,
    PHASE_OUT,
    THIRD,
    UNTRUSTED,
    books_of,
    changed,
    cluster,
    entry,
    leaves,
    ledger,
    names_of,
    others,
    uids_of,
)
from .asking import FLOWS, REPLACE_KEY, situation, turns

#: The rule that speaks at each stage; BOOKS: the ledger is written first; NOBODY: the flow waits or is done.
BOOKS, NOBODY = "books", "nobody"
STORY: dict[str, dict[str, Rule | str]] = {
    "linked": {
        "SETTLED": prepare,
        "PREPARED": BOOKS,
        "ENROLLED": project,
        "PROJECTED": await_bundle,
        "IN_BUNDLE": BOOKS,
        "TRUSTED": replace_leaves,
        "ISSUED": await_restarts,
        "HALF_USED": BOOKS,
        "SHARED": await_restarts,
        "USED": BOOKS,
        "PHASED_OUT": use_by_operator,
        "ALONE": switch,
        "HALTED": end_pause,
        "SWITCHED": BOOKS,
        "LEARNED": end_pause,
        "OUT_OF_BUNDLE": BOOKS,
        "STRUCK": end_pause,
        "RECHAINED": end_pause,
        "STAMPED": end_pause,
        "RESUMED": tidy,
        "TIDIED": await_restarts,
        "REMOVED": forget,
        "READ_AGAIN": BOOKS,
        "FINISHED": NOBODY,
    },
    "unlinked": {
        "SETTLED": prepare,
        "PREPARED": BOOKS,
        "ENROLLED": project,
        "PROJECTED": await_bundle,
        "IN_BUNDLE": BOOKS,
        "READ_BACK": restart_to_trust,
        "HALF_RESTARTED": restart_to_trust,
        "RESTARTED": BOOKS,
        "PUBLISHED_NOW": await_arrival,
        "TRUSTED": switch,
        "HALTED": end_pause,
        "SWITCHED": BOOKS,
        "LEARNED": end_pause,
        "ISSUED": end_pause,
        "STAMPED": end_pause,
        "RESUMED": tidy,
        "TIDIED": await_restarts,
        "HALF_USED": BOOKS,
        "SHARED": await_restarts,
        "USED": BOOKS,
        "PHASED_OUT": withdraw,
        "RETIRING": end_pause,
        "WITHDRAWN": end_pause,
        "OUT_OF_BUNDLE": BOOKS,
        "STRUCK": end_pause,
        "REMOVED": tidy,
        "CLEAN": forget,
        "HALF_RETIRED": forget,
        "RETIRED": BOOKS,
        "FINISHED": NOBODY,
    },
    "patient": {
        "AGREED": replace_leaves,
        "HALTED": end_pause,
        "NOTED": end_pause,
        "ISSUED": end_pause,
        "STAMPED": BOOKS,
        "MIXED": end_pause,
        "RESUMED": read_again,
        "READ_AGAIN": BOOKS,
        "IN_USE": await_restarts,
        "RESTARTED": BOOKS,
        "WAITING": NOBODY,
        "HALF_RESTARTED": BOOKS,
        "HALF_WAITING": NOBODY,
        "ALL_RESTARTED": BOOKS,
        "PHASED_OUT": use_by_operator,
    },
    "renewal": {
        "TRUSTED": switch,
        "HALTED": end_pause,
        "SWITCHED": BOOKS,
        "LEARNED": end_pause,
        "NOTED": end_pause,
        "ISSUED": end_pause,
        "STAMPED": BOOKS,
        "PHASED_OUT": end_pause,
        "WITHDRAWN": end_pause,
        "OUT_OF_BUNDLE": BOOKS,
        "STRUCK": end_pause,
        "RESUMED": read_again,
        "READ_AGAIN": BOOKS,
        "READ": tidy,
        "TIDIED": BOOKS,
        "FINISHED": NOBODY,
    },
}
TOLD = {f"{flow} {stage}": speaker for flow, stages in STORY.items() for stage, speaker in stages.items()}
#: Stages after which the written ledger is not the one that the next stage begins with: the clock goes on, or somebody else acts.
FOLLOWS = {"linked IN_BUNDLE": "linked TRUSTED", "unlinked RESTARTED": "unlinked TRUSTED"}


def test_every_stage_is_told() -> None:
    assert set(TOLD) == set(FLOWS)


@pytest.mark.parametrize("stage", [name for name, speaker in TOLD.items() if speaker is not BOOKS])
def test_whose_turn_it_is(stage: str) -> None:
    snapshot, intent = FLOWS[stage]
    decision, speaker = decide(snapshot, intent), TOLD[stage]
    assert decision.violations == ()
    if callable(speaker):
        assert (decision.steps, decision.done) == (speaker(situation(snapshot, intent)), False)
        assert stage in turns(speaker)
    else:
        assert (decision.steps, decision.done) == ((), True)


def _next(stage: str) -> str:
    names = list(FLOWS)
    return FOLLOWS.get(stage, names[names.index(stage) + 1])


@pytest.mark.parametrize("stage", [name for name, speaker in TOLD.items() if speaker is BOOKS])
def test_what_was_reached_is_written_down_before_anything_else(stage: str) -> None:
    snapshot, intent = FLOWS[stage]
    decision = decide(snapshot, intent)
    (written,) = decision.steps
    assert isinstance(written, WriteLedger)
    assert written.before == books_of(snapshot)
    expected = books_of(FLOWS[_next(stage)][0])
    if stage.endswith("PREPARED"):
        # The journal begins with this write.
        assert written.ledger.journal is not None
        assert written.ledger.journal.started_at == snapshot.now
        expected = replace(expected, journal=written.ledger.journal)
    assert written.ledger == expected


def leading_on(snapshot: Snapshot) -> Snapshot:
    """The cluster where the journal says that a replacement follows the renewal in flight."""
    books = books_of(snapshot)
    assert books.journal is not None
    return replace(snapshot, ledger=replace(books, journal=replace(books.journal, to_replace=True)))


@pytest.mark.parametrize("goal", [goal for goal in Goal if goal is not Goal.ABORT])
@pytest.mark.parametrize(
    "stage", [name for name, speaker in TOLD.items() if callable(speaker) and in_flight(FLOWS[name][0].ledger)]
)
def test_a_flow_that_was_begun_is_continued_by_every_goal_but_handing_back(stage: str, goal: Goal) -> None:
    snapshot, intent = FLOWS[stage]
    found = decide(snapshot, Intent(goal))
    expected = decide(snapshot, intent)
    if goal is Goal.REPLACE_KEY and intent.goal is Goal.RENEW:
        # It is the first part of a replacement then, and its journal says so before anything else happens.
        [noted] = found.steps
        assert isinstance(noted, WriteLedger)
        assert noted.ledger.journal == books_of(leading_on(snapshot)).journal
        found, expected = (decide(leading_on(snapshot), one) for one in (Intent(goal), intent))
        expected = replace(expected, steps=tuple(replace(step, phase=Phase.PREPARE) for step in expected.steps))
    if goal is not Goal.DOWNGRADE:
        assert found == expected
    else:
        assert {type(step) for step in found.steps} <= {Resume}
        assert found.violations


def with_third(snapshot: Snapshot, state: TrustState, awaiting: frozenset[str] = frozenset()) -> Snapshot:
    """A CA beside those of the flow."""
    third = entry(THIRD, state, awaiting=awaiting)
    everywhere = {**snapshot.ca.others, **others(THIRD)}
    return replace(
        snapshot,
        ca=replace(snapshot.ca, others=everywhere),
        bundle=(snapshot.bundle or frozenset()) | names_of(THIRD),
        ledger=books_of(snapshot).with_entry(third),
    )


def missing(snapshot: Snapshot) -> Snapshot:
    return changed(snapshot, missing={"demo-nodes-9": Component.KAFKA})


DOWNGRADE = Intent(Goal.DOWNGRADE)
HOLDING = cluster(
    ledger=ledger(entry(OLD, generations={0}), held=(HeldLeaf(leaves()[0].chain[0], frozenset(), uids_of()),)),
    leaves=leaves(),
)


@pytest.mark.parametrize(
    ("snapshot", "intent", "first", "second"),
    [
        pytest.param(
            unlinked.READ_BACK, changed_intent(REPLACE_KEY, publish=True), publish, restart_to_trust,
            id="clients are told before processes restart",
        ),
        pytest.param(
            with_third(unlinked.PUBLISHED_NOW, UNTRUSTED, uids_of(start=1)), REPLACE_KEY, restart_to_trust, await_arrival,
            id="processes restart while clients get their time",
        ),
        pytest.param(
            missing(linked.TRUSTED), changed_intent(REPLACE_KEY, missing=Selection()), issue_missing, replace_leaves,
            id="a missing leaf needs no next CA",
        ),
        pytest.param(
            with_third(unlinked.TRUSTED, PHASE_OUT), REPLACE_KEY, withdraw, switch,
            id="no node restarts twice for a CA that nobody uses",
        ),
        pytest.param(linked.TIDIED, REPLACE_KEY, await_restarts, forget, id="nobody forgets who restarts anyway"),
        pytest.param(patient.RESUMED, REPLACE_KEY, read_again, await_restarts, id="listeners have it at once"),
        pytest.param(HOLDING, DOWNGRADE, restart_holders, hand_over, id="nothing is handed over that is not done"),
    ],
)  # fmt: skip
def test_what_stands_before_what(snapshot: Snapshot, intent: Intent, first: Rule, second: Rule) -> None:
    at = situation(snapshot, intent)
    assert decide(snapshot, intent).steps == first(at) != ()
    assert second(at)


def test_a_rule_that_is_taken_out_is_not_asked() -> None:
    """The same flow without its trust roll: nobody would be restarted, and nothing would be switched either."""
    assert decide(unlinked.READ_BACK, REPLACE_KEY, without(restart_to_trust)).steps == ()
    assert decide(linked.TRUSTED, REPLACE_KEY, without(replace_leaves)).steps == ()

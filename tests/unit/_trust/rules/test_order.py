# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rule whose turn it is at each stage of each flow, the order of the rules, stamps, and chapter "Hand over"."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.journal import in_flight
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Steps
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase, Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent, Selection, Spread
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    FlowOptions,
    FormerLeaf,
    TrustState,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    InPlaceObstacles,
    IssuedBy,
    MaintenanceWindows,
    Reconciliation,
    Snapshot,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import (
    RaiseKeyGeneration,
    SetGenerated,
    Switch,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Resume, StampPods
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import DeleteLedger, WriteLedger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.leaves import (
    await_restarts,
    issue_missing,
    issue_operator_leaf,
    reload_leaves,
    replace_leaves,
    restart_holders,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.order import Rule, end_pause, stamp_pods
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.prepare import prepare, restart_to_trust
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.retire import (
    foresee_operator_renewal,
    forget_removed_authorities,
    hand_over,
    raise_key_generation,
    tidy_keys,
    withdraw,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.switch import (
    await_arrival,
    await_bundle,
    project,
    publish,
    switch,
)

from ....tools.support.certificates import DAY, NOW, Entity, key, make
from ....tools.support.engines import without
from ....tools.support.intents import changed_intent
from .. import linked, patient, renewal, unlinked
from ..authorities import NEW, OLD, ROOT, THIRD, chain_of, names_of
from ..builders import PAUSED, RUNS, answering, changed, cluster, others, secrets
from ..ledgers import PHASE_OUT, UNTRUSTED, entry, ledger
from ..nodes import PODS, a_pod, leaves, pods, uids_of
from .asking import FLOWS, RECONCILE, REPLACE_KEY, first_turn, pause_for, situation, turns

#: The first rule with steps at each stage; BOOKS: the ledger is written first; NO_RULE: the flow waits or is done.
BOOKS, NO_RULE = "books", "no rule"
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
        "PHASED_OUT": issue_operator_leaf,
        "ALONE": switch,
        "HALTED": end_pause,
        "SWITCHED": BOOKS,
        "LEARNED": end_pause,
        "OUT_OF_BUNDLE": BOOKS,
        "STRUCK": end_pause,
        "RECHAINED": end_pause,
        "STAMPED": end_pause,
        "RESUMED": tidy_keys,
        "TIDIED": await_restarts,
        "REMOVED": forget_removed_authorities,
        "READ_AGAIN": BOOKS,
        "FINISHED": NO_RULE,
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
        "RESUMED": tidy_keys,
        "TIDIED": await_restarts,
        "HALF_USED": BOOKS,
        "SHARED": await_restarts,
        "USED": BOOKS,
        "PHASED_OUT": withdraw,
        "RETIRING": end_pause,
        "WITHDRAWN": end_pause,
        "OUT_OF_BUNDLE": BOOKS,
        "STRUCK": end_pause,
        "REMOVED": tidy_keys,
        "CLEAN": forget_removed_authorities,
        "HALF_RETIRED": forget_removed_authorities,
        "RETIRED": BOOKS,
        "FINISHED": NO_RULE,
    },
    "patient": {
        "AGREED": replace_leaves,
        "HALTED": end_pause,
        "NOTED": end_pause,
        "ISSUED": end_pause,
        "STAMPED": BOOKS,
        "MIXED": end_pause,
        "RESUMED": reload_leaves,
        "READ_AGAIN": BOOKS,
        "IN_USE": await_restarts,
        "RESTARTED": BOOKS,
        "WAITING": NO_RULE,
        "HALF_RESTARTED": BOOKS,
        "HALF_WAITING": NO_RULE,
        "ALL_RESTARTED": BOOKS,
        "PHASED_OUT": issue_operator_leaf,
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
        "RESUMED": reload_leaves,
        "READ_AGAIN": BOOKS,
        "READ": tidy_keys,
        "TIDIED": BOOKS,
        "FINISHED": NO_RULE,
    },
}
TOLD = {f"{flow} {stage}": speaker for flow, stages in STORY.items() for stage, speaker in stages.items()}


#: Stages after which the written ledger is not the one that the next stage begins with: the clock goes on, or another program acts.
FOLLOWS = {"linked IN_BUNDLE": "linked TRUSTED", "unlinked RESTARTED": "unlinked TRUSTED"}


def test_the_table_has_every_stage() -> None:
    assert set(TOLD) == set(FLOWS)


def test_each_test_of_turns_asks_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """With remembered answers a test would pass although the rule has changed since."""
    before = turns(prepare)
    monkeypatch.setattr(prepare, "__code__", (lambda at: ()).__code__)
    assert turns(prepare) == {} != before


@pytest.mark.parametrize("stage", [name for name, speaker in TOLD.items() if speaker is not BOOKS])
def test_the_rule_that_decides_at_each_stage(stage: str) -> None:
    snapshot, intent = FLOWS[stage]
    decision, speaker = decide(snapshot, intent), TOLD[stage]
    assert decision.violations == ()
    if callable(speaker):
        assert (decision.steps, decision.done) == (speaker(situation(snapshot, intent)), False)
        assert first_turn(stage) == (speaker, decision.steps)
    else:
        assert (decision.steps, decision.done) == ((), True)


def _next(stage: str) -> str:
    names = list(FLOWS)
    return FOLLOWS.get(stage, names[names.index(stage) + 1])


@pytest.mark.parametrize("stage", [name for name, speaker in TOLD.items() if speaker is BOOKS])
def test_the_ledger_is_written_before_any_other_step(stage: str) -> None:
    snapshot, intent = FLOWS[stage]
    decision = decide(snapshot, intent)
    (written,) = decision.steps
    assert isinstance(written, WriteLedger)
    assert written.before == snapshot.ledger_or_empty
    expected = FLOWS[_next(stage)][0].ledger_or_empty
    if stage.endswith("PREPARED"):
        # The journal begins with this write.
        assert written.ledger.journal is not None
        assert written.ledger.journal.started_at == snapshot.now
        expected = replace(expected, journal=written.ledger.journal)
    assert written.ledger == expected


def leading_on(snapshot: Snapshot) -> Snapshot:
    """The cluster where the journal says that a replacement follows the renewal in flight."""
    books = snapshot.ledger_or_empty
    assert books.journal is not None
    return replace(
        snapshot, ledger=replace(books, journal=replace(books.journal, options=FlowOptions(precedes_replacement=True)))
    )


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
        assert noted.ledger.journal == leading_on(snapshot).ledger_or_empty.journal
        found, expected = (decide(leading_on(snapshot), one) for one in (Intent(goal), intent))
        expected = replace(expected, steps=tuple(replace(step, phase=Phase.PREPARE) for step in expected.steps))
    if goal is not Goal.DOWNGRADE:
        assert found == expected
    else:
        assert {type(step) for step in found.steps} <= {Resume}
        assert found.violations


def with_third(snapshot: Snapshot, state: TrustState, awaiting: frozenset[str] = frozenset()) -> Snapshot:
    """A CA beside those of the flow."""
    third = entry(THIRD, state, awaited_pods=awaiting)
    everywhere = {**snapshot.ca.other_entries, **others(THIRD)}
    return replace(
        snapshot,
        ca=replace(snapshot.ca, other_entries=everywhere),
        bundle=(snapshot.bundle or frozenset()) | names_of(THIRD),
        ledger=snapshot.ledger_or_empty.with_entry(third),
    )


def missing(snapshot: Snapshot) -> Snapshot:
    return changed(snapshot, missing={"demo-nodes-9": Component.KAFKA})


DOWNGRADE = Intent(Goal.DOWNGRADE)
HOLDING = cluster(
    ledger=ledger(
        entry(OLD, generations={0}), former_leaves=(FormerLeaf(leaves()[0].chain[0], frozenset(), uids_of()),)
    ),
    leaves=leaves(),
)


@pytest.mark.parametrize(
    ("snapshot", "intent", "first", "second"),
    [
        pytest.param(
            unlinked.READ_BACK, changed_intent(REPLACE_KEY, publishes_bundle=True), publish, restart_to_trust,
            id="clients are told before processes restart",
        ),
        pytest.param(
            with_third(unlinked.PUBLISHED_NOW, UNTRUSTED, uids_of(start=1)), REPLACE_KEY, restart_to_trust, await_arrival,
            id="processes restart while clients get their time",
        ),
        pytest.param(
            missing(linked.TRUSTED), changed_intent(REPLACE_KEY, missing_leaves=Selection()), issue_missing, replace_leaves,
            id="a missing leaf needs no next CA",
        ),
        pytest.param(
            with_third(unlinked.TRUSTED, PHASE_OUT), REPLACE_KEY, withdraw, switch,
            id="no node restarts twice for a CA that no node uses",
        ),
        pytest.param(linked.TIDIED, REPLACE_KEY, await_restarts, forget_removed_authorities, id="a node that restarts anyway is not told to forget"),
        pytest.param(patient.RESUMED, REPLACE_KEY, reload_leaves, await_restarts, id="listeners have it at once"),
        pytest.param(HOLDING, DOWNGRADE, restart_holders, hand_over, id="nothing is handed over that is not done"),
    ],
)  # fmt: skip
def test_of_two_rules_with_steps_the_first_in_the_order_takes_its_turn(
    snapshot: Snapshot, intent: Intent, first: Rule, second: Rule
) -> None:
    at = situation(snapshot, intent)
    assert decide(snapshot, intent).steps == first(at) != ()
    assert second(at)


def test_a_rule_that_is_taken_out_is_not_asked() -> None:
    """The same flow without its trust roll: no pod would be restarted, and nothing would be switched either."""
    assert decide(unlinked.READ_BACK, REPLACE_KEY, without(restart_to_trust)).steps == ()
    assert decide(linked.TRUSTED, REPLACE_KEY, without(replace_leaves)).steps == ()


# Stamps tell the paused operator about nodes, so that it finds nothing to restart; and the cases in which no stamp tells it.

BLOCKED, UNPREDICTED = (
    InPlaceObstacles(reload="no."),
    InPlaceObstacles(stamps="the operator would restart them despite new annotations."),
)


def stamp(generation: int | None, key_generation: int, phase: Phase = Phase.USE) -> Steps:
    return (StampPods(generation=generation, key_generation=key_generation, phase=phase),)


def one_restarts(snapshot: Snapshot) -> Snapshot:
    """The ledger does not know what one of the nodes presents: its restart is not ours to hide."""
    former = tuple(
        replace(one, awaited_pods=one.awaited_pods - uids_of(PODS[2])) for one in snapshot.ledger_or_empty.former_leaves
    )
    return replace(snapshot, ledger=replace(snapshot.ledger_or_empty, former_leaves=former))


ISSUED = renewal.ISSUED


#: A leaf is of a generation to come: another program has written it.
AHEAD = changed(
    linked.RECHAINED,
    leaves=(replace(linked.RECHAINED.leaves.stored[0], generation=2), *linked.RECHAINED.leaves.stored[1:]),
)


#: A component that waits for its restart; its name comes after that of nodes.
EXPORTER = a_pod("exporter", 0, component=Component.KAFKA_EXPORTER, presents_stored=False, key_generation=0)


@pytest.mark.parametrize(
    ("snapshot", "expected"),
    [
        pytest.param(
            linked.RECHAINED, stamp(1, 1, Phase.RETIRE), id="nodes present what is stored, with another chain"
        ),
        pytest.param(patient.ISSUED, stamp(0, 0), id="nodes are to read it again"),
        pytest.param(ISSUED, stamp(1, 0), id="the same, of another generation"),
        pytest.param(unlinked.ISSUED, stamp(None, 1), id="nodes are to restart: only the key generation"),
        pytest.param(
            changed(linked.RECHAINED, in_place_obstacles=BLOCKED), stamp(None, 1, Phase.RETIRE), id="cannot read again"
        ),
        pytest.param(
            changed(linked.RECHAINED, in_place_obstacles=UNPREDICTED), stamp(None, 1, Phase.RETIRE), id="not believed"
        ),
        pytest.param(changed(ISSUED, in_place_obstacles=BLOCKED), (), id="cannot read again, and the key is the same"),
        pytest.param(one_restarts(ISSUED), (), id="one of them waits for its restart"),
        pytest.param(replace(ISSUED, reconciliation=RUNS), pause_for(stamp(1, 0)[0]), id="never beside the operator"),
        pytest.param(linked.STRUCK, (), id="leaves are still of another generation"),
        pytest.param(
            changed(
                linked.RECHAINED, pods=tuple(replace(pod, key_generation=1) for pod in linked.RECHAINED.nodes.pods)
            ),
            stamp(1, 1, Phase.RETIRE),
            id="only their generation is behind",
        ),
        pytest.param(
            changed(
                linked.RECHAINED,
                pods=tuple(replace(pod, generation=2, key_generation=1) for pod in linked.RECHAINED.nodes.pods),
            ),
            stamp(1, 1, Phase.RETIRE),
            id="only their generation is ahead",
        ),
        pytest.param(AHEAD, (), id="a leaf is of a later generation"),
        pytest.param(
            changed(linked.RECHAINED, pods=(*linked.RECHAINED.nodes.pods, EXPORTER)),
            stamp(1, 1, Phase.RETIRE),
            id="a component that restarts is in no node's way",
        ),
        pytest.param(linked.STAMPED, (), id="told already"),
        pytest.param(renewal.STAMPED, (), id="told already, the key is the same"),
        pytest.param(cluster(pods=pods()), (), id="pods without a key generation are not behind"),
    ],
)
def test_pods_are_stamped_with_these_generations(snapshot: Snapshot, expected: Steps) -> None:
    assert stamp_pods(situation(snapshot)) == expected


def test_a_node_that_started_during_the_pause_is_stamped_once_its_listeners_answer() -> None:
    """The node was started with the new leaf, and has the annotations of the earlier leaf. Before it answers, nothing shows which leaf it was started with."""
    started = replace(one_restarts(ISSUED).nodes.pods[2], uid="another")
    snapshot = changed(ISSUED, pods=(*ISSUED.nodes.pods[:2], started))
    assert stamp_pods(situation(snapshot)) == ()
    assert stamp_pods(situation(answering(snapshot))) == stamp(1, 0)


def test_no_pod_is_stamped_where_the_caller_wants_restarts() -> None:
    assert stamp_pods(situation(ISSUED, changed_intent(RECONCILE, spread=Spread.RESTART))) == ()


# Chapter "Hand over": the CA is given to the operator with true generations, and the ledger goes last.

GENERATED = Reconciliation(generated=True)
GIVEN = (SetGenerated(generated=True, ca="cluster CA", phase=Phase.RETIRE),)
RAISED = RaiseKeyGeneration(generation=1)
SECOND = timedelta(seconds=1)


def handing_back(key_generation: int, state: Reconciliation = RUNS, authority: Entity = NEW) -> Snapshot:
    """The CA in use is called v1; key_generation: what the key Secret says."""
    return cluster(
        ca=secrets(authority, certificate_generation=1, key_generation=key_generation),
        ledger=ledger(entry(authority, generations={1})),
        pods=pods(1),
        leaves=leaves(authority, 1),
        reconciliation=state,
    )


@pytest.mark.parametrize(
    ("snapshot", "expected"),
    [
        pytest.param(handing_back(1), GIVEN, id="the key generation is true"),
        pytest.param(handing_back(7), GIVEN, id="ahead of the name"),
        pytest.param(handing_back(0), pause_for(RAISED), id="behind the name: another tool replaced the CA"),
        pytest.param(handing_back(0, PAUSED), (RAISED,), id="behind the name, paused"),
        pytest.param(handing_back(0, authority=ROOT), GIVEN, id="a name without a number"),
        pytest.param(handing_back(1, GENERATED), (DeleteLedger(),), id="given"),
        pytest.param(replace(handing_back(1, GENERATED), ledger=None), (), id="done"),
        pytest.param(replace(handing_back(0), ca=secrets(None)), GIVEN, id="no CA in use"),
    ],
)
def test_handing_back(snapshot: Snapshot, expected: Steps) -> None:
    assert hand_over(situation(snapshot, DOWNGRADE)) == expected


@pytest.mark.parametrize("goal", [goal for goal in Goal if goal is not Goal.DOWNGRADE])
def test_no_other_goal_hands_over(goal: Goal) -> None:
    at = situation(handing_back(0), Intent(goal))
    assert hand_over(at) == raise_key_generation(at) == ()


#: A CA that ends in the operator's time for renewal.
ENDING = make("cluster-ca v1", key(1), end=NOW + 20 * DAY)


@pytest.mark.parametrize(
    ("state", "restarted", "told"),
    [
        (RUNS, uids_of(), "in its next reconcile the operator renews it"),
        (
            replace(RUNS, windows=MaintenanceWindows(False, None)),
            frozenset(),
            "in its next maintenance window the operator renews it",
        ),
        (replace(RUNS, replaces_key=True), uids_of(), "the operator makes a new key"),
    ],
)
def test_the_restarts_that_follow_are_told(state: Reconciliation, restarted: frozenset[str], told: str) -> None:
    (step,) = hand_over(situation(handing_back(1, state, ENDING), DOWNGRADE))
    assert step.restarts == restarted
    assert told in step.because


def foreseen(left: timedelta, **fields: Any) -> str:
    """The end of the sentence where the CA in use has so long left, in an operator's window of 30 days."""
    ending = make("cluster-ca v1", key(1), end=NOW + left)
    told = foresee_operator_renewal(changed(handing_back(1, authority=ending), **fields))
    beginning = (
        f"contains the CA {ending.certificate.subject}, which ends on {NOW + left:%Y-%m-%d}, in the operator's time for renewal (30 days by "
        "spec.clusterCa.renewalDays): "
    )
    assert not told or told.startswith(beginning)
    return told.removeprefix(beginning)


OF_USERS = {"issued_by": IssuedBy.USER_OPERATOR}
UNCHECKED = "without a check that the new CA is trusted"


@pytest.mark.parametrize(
    ("fields", "renewal"),
    [
        ({}, "in its next reconcile the operator renews it, and restarts each pod once."),
        (OF_USERS, "in its next reconcile the operator renews it, and restarts each node once."),
        (
            {"reconciliation": replace(RUNS, replaces_key=True)},
            f"in its next reconcile the operator makes a new key (certificateExpirationPolicy), restarts each node up to three times, {UNCHECKED}: "
            "clients that trust only the present CA refuse the nodes.",
        ),
        (
            {"reconciliation": replace(RUNS, replaces_key=True, windows=MaintenanceWindows(False, None)), **OF_USERS},
            "in its next maintenance window the operator makes a new key (certificateExpirationPolicy), restarts each node, and has the certificate of "
            f"every user issued again, {UNCHECKED}: users with certificates of the present CA are refused.",
        ),
    ],
)
def test_the_renewal_by_the_operator_is_foreseen(fields: dict[str, Any], renewal: str) -> None:
    assert foreseen(20 * DAY, **fields) == renewal


@pytest.mark.parametrize(
    ("left", "is_foreseen"),
    [(31 * DAY, True), (31 * DAY + SECOND, False), (SECOND, True), (timedelta(0), False), (-DAY, False)],
)
def test_until_when_the_operator_keeps_the_ca(left: timedelta, is_foreseen: bool) -> None:
    """Handing back takes up to a day. An ended CA is not renewed by it."""
    assert bool(foreseen(left)) is is_foreseen


def test_the_operator_renews_the_ca_in_use_whatever_is_above_it() -> None:
    below = make("cluster-ca v1", key(1), ROOT, end=NOW + 20 * DAY)
    told = foresee_operator_renewal(cluster(ca=secrets(chain_of(below, ROOT))))
    assert [fact in told for fact in (below.certificate.subject, "2026-06-21")] == [True, True]
    assert foresee_operator_renewal(cluster(ca=secrets(None))) == ""


@pytest.mark.parametrize(
    ("retire", "spread", "switches"),
    [
        (Retire.NOW, Spread.RESTART, True),
        (Retire.WHEN_RESTARTED, Spread.AUTO, True),
        (Retire.WHEN_RESTARTED, Spread.RESTART, False),
    ],
)
def test_a_pause_ends_without_a_switch_whose_restarts_an_option_forbids(
    retire: Retire, spread: Spread, switches: bool
) -> None:
    """The option holds the flow before the next pause. If it held the flow in the pause, a step that needs a pause for itself would
    begin one pause after the other."""
    begun = in_flight(unlinked.HALTED.ledger)
    assert begun is not None
    journal = replace(begun, retire=retire)
    snapshot = replace(unlinked.HALTED, ledger=replace(unlinked.HALTED.ledger_or_empty, journal=journal))
    steps = end_pause(situation(snapshot, changed_intent(RECONCILE, spread=spread)))
    assert any(isinstance(step, Switch) for step in steps) is switches
    assert isinstance(steps[0], Resume) is not switches

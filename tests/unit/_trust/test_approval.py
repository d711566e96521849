# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An approval is valid for the plan that was shown, for the rest of it, and for no other."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.request import LeafRequest
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.approval import (
    MORE_AT_A_TIME,
    PARTS,
    check_approval,
    is_plan_hash,
    plan_hash,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import OutsideClient
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import (
    ONE_BY_ONE,
    BatchLimit,
    Intent,
    Selection,
    Strategy,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import FlowOptions
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.rounds import Bound, Round, no_rounds
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    CaSecrets,
    PreparedAuthority,
    Reconciliation,
    Snapshot,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import (
    AskForLeaves,
    ForgetRequests,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import RollReason
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import WriteLedger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.plan import forecast

from ...tools.support.certificates import DAY, NOW, YEAR, Entity
from ...tools.support.certificates import leaf as issue_leaf
from ...tools.support.intents import an_intent, changed_intent
from . import linked, renewal, unlinked
from .authorities import NEW, OLD, THIRD, name_of
from .builders import a_backup, changed, cluster, secrets
from .ledgers import ALL, a_journal, entry, ledger
from .nodes import PODS, a_leaf, leaves, pods
from .requested import ISSUER, a_request, answered, elsewhere, with_requests
from .rules.test_recover import presenting
from .stand_in import MadeHere
from .test_plan import BLOCKED

REPLACE_KEY, RENEW = Intent(Goal.REPLACE_KEY), Intent(Goal.RENEW)
CA, STEPS, RESTARTS, OBSTACLES = PARTS
STRANGER = OutsideClient("Secret kafka/app", (THIRD.certificate,), declared=True)


def hash_of(snapshot: Snapshot, intent: Intent = REPLACE_KEY) -> str:
    planned = forecast(snapshot, intent, MadeHere())
    return plan_hash(intent.goal, snapshot, planned)


APPROVED = hash_of(linked.SETTLED)
#: Nodes restart in the place of a reload.
NO_RELOAD = changed(linked.SETTLED, in_place_obstacles=BLOCKED)


def refusals(approved: str, snapshot: Snapshot, intent: Intent = REPLACE_KEY) -> list[str]:
    """The parts that a refusal names; empty where there is none."""
    planned = forecast(snapshot, intent, MadeHere())
    found = check_approval(approved, intent.goal, snapshot, planned)
    assert [one.condition for one in found] in ([], [Condition.PLAN_IS_APPROVED])
    return [part for part in (*PARTS, MORE_AT_A_TIME) for one in found if part in one.message]


def test_a_hash_has_a_form() -> None:
    assert is_plan_hash(APPROVED)
    for other in ("", "x", APPROVED[:-1], APPROVED + "-00000000", APPROVED + "-", APPROVED + "-ten"):
        assert not is_plan_hash(other)


def batches_of(limit: BatchLimit, intent: Intent = REPLACE_KEY) -> Intent:
    return changed_intent(intent, strategy=Strategy.DIRECT, batch=limit)


@pytest.mark.parametrize("limit", [BatchLimit(nodes=10), BatchLimit(percent=25), BatchLimit(one_rack=True)])
def test_the_limit_of_batches_follows_the_hash(limit: BatchLimit) -> None:
    found = hash_of(NO_RELOAD, batches_of(limit))
    assert found == f"{hash_of(NO_RELOAD, batches_of(ONE_BY_ONE))}-{limit.text}"
    assert is_plan_hash(found)
    assert hash_of(linked.FINISHED, batches_of(limit)) == hash_of(linked.FINISHED), "no node restarts"


@pytest.mark.parametrize("begun", [False, True], ids=["not begun", "begun"])
def test_a_plan_with_more_nodes_at_a_time_is_another_plan_and_a_plan_with_fewer_is_not(begun: bool) -> None:
    """Also if the flow is begun: the approval was about this danger, and not about its beginning alone."""
    seen = changed(linked.TRUSTED, in_place_obstacles=BLOCKED) if begun else NO_RELOAD
    approved = hash_of(NO_RELOAD, batches_of(BatchLimit(nodes=10)))
    fewer, more = (batches_of(BatchLimit(nodes=nodes)) for nodes in (9, 11))
    one = batches_of(ONE_BY_ONE)
    assert refusals(approved, seen, fewer) == refusals(approved, seen, one) == []
    assert refusals(approved, seen, more) == [MORE_AT_A_TIME]
    assert refusals(hash_of(NO_RELOAD, one), seen, fewer) == [MORE_AT_A_TIME]


def test_restarts_of_the_collection_in_a_pause_are_another_plan_than_restarts_of_the_operator() -> None:
    one = batches_of(ONE_BY_ONE)
    assert {"the steps", "the pods that restart"} <= set(refusals(hash_of(NO_RELOAD), NO_RELOAD, one))
    assert {"the steps", "the pods that restart"} <= set(refusals(hash_of(NO_RELOAD, one), NO_RELOAD))


def test_the_rounds_within_the_limit_change_no_hash() -> None:
    """They follow the state of Kafka, which changes by itself."""
    intent = batches_of(BatchLimit(nodes=10))
    planned = [forecast(NO_RELOAD, intent, MadeHere(), rounds=rounds) for rounds in (no_rounds, all_at_once)]
    assert planned[0] != planned[1]
    assert len({plan_hash(intent.goal, NO_RELOAD, each) for each in planned}) == 1


def all_at_once(_reason: RollReason, nodes: Collection[str]) -> tuple[Round, ...]:
    return (Round(tuple(sorted(nodes)), Bound.ALL),)


def test_time_and_restarts_do_not_change_the_plan_hash() -> None:
    """Time passes, and pods restart: neither is a reason to ask for another approval."""
    before = linked.SETTLED
    later = replace(before, now=before.now + timedelta(days=7))
    assert hash_of(later) == hash_of(before)
    assert refusals(hash_of(before), later) == []


def test_a_pod_of_a_deployment_that_was_made_again_changes_no_hash() -> None:
    """It has another name then; an eviction over the weekend is no reason to ask for another approval."""
    before = linked.SETTLED
    *nodes, topics = before.nodes.pods
    assert topics.name in {name for step in forecast(before, REPLACE_KEY, MadeHere()).whole for name in step.others}
    later = before.with_nodes(pods=(*nodes, replace(topics, name="topics-5d4f8", uid="another")))
    assert refusals(hash_of(before), later) == []


def supplied(authority: Entity, **fields: Any) -> Intent:
    made = PreparedAuthority((authority.certificate,), authority.certificate.public_key_sha256, **fields)
    return changed_intent(REPLACE_KEY, supplied=made)


@pytest.mark.parametrize(
    ("approved", "intent"),
    [
        pytest.param(REPLACE_KEY, supplied(NEW), id="a CA that the caller brings"),
        pytest.param(supplied(NEW), supplied(THIRD), id="another CA that the caller brings"),
        pytest.param(supplied(NEW), REPLACE_KEY, id="a CA that is made here"),
    ],
)
def test_an_approval_is_of_the_ca_that_was_shown(approved: Intent, intent: Intent) -> None:
    assert refusals(hash_of(linked.SETTLED, approved), linked.SETTLED, intent) == [STEPS]


def test_an_approval_is_of_the_issuer_that_was_shown() -> None:
    """A leaf is missing that only an issuer can sign."""
    kept = elsewhere(
        cluster(
            ca=secrets(NEW), ledger=ledger(entry(NEW, generations={0})), leaves=leaves(NEW, names=PODS[1:]), missing={PODS[0]: Component.KAFKA},
        )
    )  # fmt: skip
    reconcile = Intent(Goal.RECONCILE)
    approved, other = (
        changed_intent(reconcile, external_issuer=issuer, missing_leaves=Selection())
        for issuer in ("Vault a", "Vault b")
    )
    assert refusals(hash_of(kept, approved), kept, approved) == []
    assert refusals(hash_of(kept, approved), kept, other) == [STEPS]


def test_an_approval_of_a_recovery_is_of_the_ca_that_was_to_come_back() -> None:
    recovery = Intent(Goal.RECOVER)
    lost = cluster(ca=secrets(None), ledger=None, leaves=(), pods=(), backups=(a_backup(),))
    approved = hash_of(lost, recovery)
    assert refusals(approved, lost, recovery) == []
    assert OLD.certificate.sha256[:12] in forecast(lost, recovery, MadeHere()).steps[0].what
    half = changed(lost, ca=secrets(None, key=OLD.certificate.public_key_sha256))
    assert refusals(approved, half, recovery) == [], "a killed call goes on"
    assert refusals(approved, changed(lost, backups=(a_backup(secrets(THIRD)),)), recovery) == [CA]


@pytest.mark.parametrize(
    ("lost", "back"),
    [
        pytest.param({"ca": secrets(None), "ledger": None}, {"ledger": None}, id="the CA Secrets are back"),
        pytest.param({"ca": secrets(None), "ledger": None}, {}, id="all are back"),
        pytest.param({"ca": secrets(key=None), "ledger": None}, {"ledger": None}, id="the key is back"),
        pytest.param({"ledger": None}, {}, id="the ledger is back"),
    ],
)
def test_a_recovery_that_was_killed_goes_on(lost: dict[str, Any], back: dict[str, Any]) -> None:
    """The CA has ended and is renewed afterwards, so that there is something left to do."""
    recovery, backups = Intent(Goal.RECOVER), (a_backup(),)
    whole = cluster(ledger=ledger(entry(OLD, generations={0})), backups=backups, now=OLD.certificate.not_after)
    approved = hash_of(changed(whole, **lost), recovery)
    assert forecast(whole, recovery, MadeHere()).whole
    assert refusals(approved, changed(whole, **back), recovery) == []


def test_an_approved_recovery_is_none_of_what_comes_to_be_left_later() -> None:
    recovery = Intent(Goal.RECOVER)
    whole = cluster(ledger=ledger(entry(OLD, generations={0})), backups=(a_backup(),))
    approved = hash_of(changed(whole, ca=secrets(None), ledger=None), recovery)
    later = replace(whole, now=OLD.certificate.not_after)
    assert forecast(later, recovery, MadeHere()).whole
    assert STEPS in refusals(approved, later, recovery)


GENERATED = cluster(ledger=None, reconciliation=Reconciliation(generated=True))
TAKEN = changed(GENERATED, reconciliation=Reconciliation())
MANAGED = cluster(ledger=ledger(entry(OLD, ALL, generations={0})))
GIVEN = changed(MANAGED, reconciliation=Reconciliation(generated=True))


def test_an_adoption_that_was_killed_goes_on() -> None:
    upgrade = Intent(Goal.UPGRADE)
    approved = hash_of(GENERATED, upgrade)
    assert forecast(TAKEN, upgrade, MadeHere()).whole
    assert refusals(approved, TAKEN, upgrade) == []
    (record, *_rest) = decide(TAKEN, upgrade).steps
    recorded = record.effect(TAKEN, MadeHere())
    assert [step.kind for step in forecast(recorded, upgrade, MadeHere()).whole] == [WriteLedger.__name__]
    assert refusals(approved, recorded, upgrade) == []
    other = changed(TAKEN, ca=secrets(THIRD), leaves=leaves(THIRD))
    assert CA in refusals(approved, other, upgrade)


def test_a_hand_back_that_was_killed_goes_on() -> None:
    downgrade = Intent(Goal.DOWNGRADE)
    assert forecast(MANAGED, downgrade, MadeHere()).violations == ()
    assert forecast(GIVEN, downgrade, MadeHere()).whole
    assert refusals(hash_of(MANAGED, downgrade), GIVEN, downgrade) == []
    keeping = changed_intent(downgrade, keeps_authority=True)
    assert refusals(hash_of(MANAGED, keeping), MANAGED, downgrade) == [STEPS]


BACKED = changed(MANAGED, backups=(a_backup(),))
LOST = changed(BACKED, ca=CaSecrets(current=()), ledger=None)


@pytest.mark.parametrize(
    ("before", "now"), [(GENERATED, TAKEN), (MANAGED, GIVEN), (LOST, BACKED)], ids=["taken", "given back", "put back"]
)
def test_an_approved_replacement_is_none_of_a_ca_that_was_taken_from_the_operator_or_came_back(
    before: Snapshot, now: Snapshot
) -> None:
    assert refusals(hash_of(before), now) != []


@pytest.mark.parametrize(
    ("snapshot", "intent", "parts"),
    [
        pytest.param(
            changed(linked.SETTLED, pods=pods(names=PODS[1:])), REPLACE_KEY, [RESTARTS], id="a node less"
        ),
        pytest.param(changed(linked.SETTLED, in_place_obstacles=BLOCKED), REPLACE_KEY, [STEPS, RESTARTS], id="no reload"),
        pytest.param(
            changed(linked.SETTLED, outside_clients=(STRANGER,)), REPLACE_KEY, [STEPS, OBSTACLES], id="a client that would refuse"
        ),
        pytest.param(linked.FINISHED, changed_intent(REPLACE_KEY, fresh_for=timedelta(0)), [CA], id="another CA"),
        pytest.param(linked.SETTLED, RENEW, [CA, STEPS, RESTARTS], id="another goal"),
    ],
)  # fmt: skip
def test_the_parts_that_changed_are_named(snapshot: Snapshot, intent: Intent, parts: list[str]) -> None:
    found = refusals(APPROVED, snapshot, intent)
    assert set(parts) <= set(found)
    assert found


@pytest.mark.parametrize("stage", linked.STAGES)
def test_a_flow_that_was_begun_goes_on(stage: str) -> None:
    assert refusals(APPROVED, linked.STAGES[stage]) == []


@pytest.mark.parametrize("stage", renewal.STAGES)
def test_a_renewal_that_replaces_a_key_afterwards_goes_on(stage: str) -> None:
    """It is the first part of the approved replacement."""
    before = renewal.STAGES[stage]
    assert before.ledger is not None
    assert before.ledger.journal is not None
    begun = replace(
        before,
        ledger=replace(
            before.ledger, journal=replace(before.ledger.journal, options=FlowOptions(precedes_replacement=True))
        ),
    )
    assert refusals(APPROVED, begun, changed_intent(REPLACE_KEY, replaces=name_of(OLD))) == []


@pytest.mark.parametrize("stage", renewal.STAGES)
def test_a_renewal_that_was_begun_goes_on(stage: str) -> None:
    again = changed_intent(RENEW, replaces=name_of(OLD))
    assert refusals(hash_of(linked.SETTLED, RENEW), renewal.STAGES[stage], again) == []


@pytest.mark.parametrize("stage", ["ENROLLED", "TRUSTED"])
def test_an_abort_that_was_begun_goes_on(stage: str) -> None:
    abort, before = Intent(Goal.ABORT), unlinked.STAGES[stage]
    assert before.ledger is not None
    journal = a_journal(Goal.REPLACE_KEY, NEW, OLD, is_abort=True)
    begun = replace(before, ledger=replace(before.ledger, journal=journal))
    assert hash_of(before, abort) != hash_of(begun, abort)
    assert refusals(hash_of(before, abort), begun, abort) == []


RENEWING = an_intent(Goal.RENEW_LEAVES, external_issuer=ISSUER, renew_before=YEAR)
DUE = elsewhere(
    cluster(
        ledger=ledger(entry(OLD, generations={0})),
        leaves=tuple(
            a_leaf(name, chain=(issue_leaf(OLD, begin=NOW - YEAR, end=NOW + DAY), OLD.certificate)) for name in PODS
        ),
    ),
    OLD,
)  # fmt: skip


@pytest.mark.parametrize(
    "requests",
    [
        pytest.param([a_request(name, OLD) for name in PODS], id="all are open"),
        pytest.param([a_request(PODS[0], OLD)], id="one is open"),
        pytest.param([answered(PODS[0], OLD), a_request(PODS[1], OLD)], id="one is answered, and one open"),
        pytest.param([answered(PODS[0], OLD)], id="one is answered"),
        pytest.param([answered(name, OLD, recorded=False) for name in PODS], id="all are answered"),
        pytest.param([answered(name, OLD) for name in PODS], id="all are recorded"),
    ],
)
def test_a_renewal_of_leaves_that_waits_for_an_issuer_goes_on(requests: list[LeafRequest]) -> None:
    assert refusals(hash_of(DUE, RENEWING), with_requests(DUE, *requests), RENEWING) == []


def test_a_renewal_of_leaves_does_not_go_on_with_those_of_another_issuer() -> None:
    other = an_intent(Goal.RENEW_LEAVES, external_issuer="Vault b", renew_before=YEAR)
    answers = [replace(answered(name, OLD), issuer="Vault b") for name in PODS]
    assert refusals(hash_of(DUE, RENEWING), with_requests(DUE, *answers), other) == [STEPS]


def test_an_open_request_is_no_approval_of_the_others() -> None:
    waiting = with_requests(DUE, a_request(PODS[0], OLD))
    assert [step.kind for step in forecast(waiting, RENEWING, MadeHere()).whole] == [AskForLeaves.__name__]
    assert CA in refusals(hash_of(DUE, Intent(Goal.RECOVER)), waiting, RENEWING)


@pytest.mark.parametrize("request_", [a_request(PODS[1], OLD), answered(PODS[1], OLD)], ids=["open", "answered"])
def test_requests_that_another_call_has_left_change_no_plan_hash(request_: LeafRequest) -> None:
    """The plan only forgets them, whenever that is, and another call may do so first."""
    recovery = an_intent(Goal.RECOVER, external_issuer="Vault a")
    without = elsewhere(presenting(PODS[0]), OLD)
    left = with_requests(without, request_)
    assert [step.kind for step in forecast(left, recovery, MadeHere()).whole][-1] == ForgetRequests.__name__
    assert refusals(hash_of(left, recovery), without, recovery) == []
    assert refusals(hash_of(without, recovery), left, recovery) == []
    settled = with_requests(elsewhere(cluster(ledger=ledger(entry(OLD, generations={0}))), OLD), request_)
    assert refusals(APPROVED, settled, replace(recovery, goal=Goal.RECONCILE)) == [], "nothing else is left"


def test_an_approved_renewal_is_none_of_the_renewed_ca() -> None:
    """Another run has renewed the CA meanwhile."""
    again = changed_intent(RENEW, fresh_for=timedelta(0))
    assert CA in refusals(hash_of(linked.SETTLED, RENEW), renewal.FINISHED, again)


@pytest.mark.parametrize("is_upkeep", [True, False])
def test_a_reconciliation_goes_on_with_what_it_has_begun_and_with_nothing_else(is_upkeep: bool) -> None:
    reconcile, stage = Intent(Goal.RECONCILE), renewal.TRUSTED
    assert stage.ledger is not None
    assert stage.ledger.journal is not None
    begun = replace(stage, ledger=replace(stage.ledger, journal=replace(stage.ledger.journal, is_upkeep=is_upkeep)))
    assert (refusals(hash_of(linked.SETTLED, reconcile), begun, reconcile) == []) is is_upkeep


@pytest.mark.parametrize("stage", ["TRUSTED", "READ_BACK"])
def test_a_flow_of_another_goal_does_not(stage: str) -> None:
    """The approved renewal is no approval of the replacement in flight, and the other way round."""
    assert refusals(hash_of(linked.SETTLED, RENEW), unlinked.STAGES[stage]) != []
    assert refusals(APPROVED, renewal.HALTED, RENEW) != []


def test_an_empty_plan_needs_no_approval() -> None:
    reconcile = Intent(Goal.RECONCILE)
    assert forecast(linked.SETTLED, reconcile, MadeHere()).whole == ()
    assert refusals(APPROVED, linked.SETTLED, reconcile) == []


def test_an_obstacle_does_not_stand_for_an_approval() -> None:
    """It may be gone a second later, when the flow begins."""
    held = changed(
        linked.SETTLED, pods=(replace(linked.SETTLED.nodes.pods[0], ready=False), *linked.SETTLED.nodes.pods[1:])
    )
    planned = forecast(held, REPLACE_KEY, MadeHere())
    assert (planned.whole, bool(planned.violations)) == ((), True)
    assert refusals(APPROVED, held) != []
    assert refusals(hash_of(held), held) == []

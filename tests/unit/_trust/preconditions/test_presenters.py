# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Before a flow on a CA whose certificates parties outside the cluster present."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import Waiver
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    FailedReconcile,
    IssuedBy,
    OperatorStatus,
    Reconciliation,
    Snapshot,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.leaves import (
    presenters_are_known,
    presenters_are_served,
    presenters_can_be_issued_to,
    users_have_an_issuer,
    verifiers_are_known,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.order import Precondition

from ....tools.support.certificates import DAY, NOW
from ....tools.support.intents import changed_intent
from ..authorities import NEW
from ..builders import PAUSED, changed, prepared
from ..of_users import ORDERS, STAGES, presenter, presenting, users
from .refusals import DOWNGRADE, RECONCILE, RENEW, REPLACE_KEY, UPGRADE, Refusal, violations_of

UNKNOWN = users(presenters=presenting(presenter(issuer=None, evidence="no issuer is recorded")))
UNSERVED = users(presenters=presenting(presenter(hindrance="it is paused")))
CUSTOM = users(has_verifiers=False, unmanaged_listeners=("listener own (9094)", "listener b (9)"))
FAILED = users(
    has_verifiers=False,
    reconciliation=Reconciliation(operator=OperatorStatus(is_ready=False, failure=FailedReconcile("Invalid", "no"))),
)
UNSEEN = changed(
    STAGES["switched"], has_verifiers=False, reconciliation=Reconciliation(operator=OperatorStatus(has_observed=False))
)
ALONE = users(issued_by=IssuedBy.NONE)
LEFT_BEHIND = changed(ALONE, has_verifiers=False, presenters=presenting(presenter()))
NO_USERS = changed(ALONE, has_verifiers=False, presenters=presenting())
ELSEWHERE = changed_intent(REPLACE_KEY, supplied=replace(prepared(NEW), key_is_elsewhere=True))


#: Of certificates of NEW, without anything above it.
ROOM = 1024 * 1024 // (2200 + len(NEW.certificate.pem))
MANY = presenting(*(presenter(f"KafkaUser kafka/user-{number}", secret=f"user-{number}") for number in range(ROOM + 1)))
NAMED = users(namesakes=("KafkaUser kafka/cluster-operator",), presenters=presenting(presenter(secret="orders")))
FOREIGN = users(presenters=presenting(presenter("KafkaUser other/orders"), presenter(secret="orders")))
_TOO_MANY = (
    f"Kafka kafka/demo: has {ROOM + 1} users with certificates of the clients CA. The Secret in which certificates of the next CA wait until all have "
    f"come has room for about {ROOM}, because its key would be kept elsewhere. Supply the CA with its key, or none, then one is made; the User Operator "
    "issues for any number of users."
)
_NAMESAKE = (
    "KafkaUser kafka/cluster-operator: has the name of one of Strimzi's own processes, and gets no certificate of an issuer elsewhere: an issuer that adds "
    "their organization would let it do everything in Kafka. Give the user another name."
)
_CUSTOM = (
    "Kafka kafka/demo: has no listener with the authentication tls, which could answer whether it trusts the clients CA. Its owner alone knows "
    "which CAs other listeners trust: listener own (9094), listener b (9). Have the next CA trusted there before users are issued again, and the old "
    "CA until no "
    "certificate of it is left; and add a listener with the authentication tls for the time of the flow. If no flow is in flight and no client logs in "
    "there with certificates of this CA, replace the CA in any way."
)
_STILL = (
    "Kafka kafka/demo: has no listener with the authentication tls, and brokers may still run with one, which verifies clients by the clients CA: {}. "
    "Wait until the Kafka resource is Ready, or see in its status why it is not; then run the flow again."
)
CASES = [
    pytest.param(Refusal(rule, snapshot, intent, (text,)), id=name)
    for name, rule, snapshot, intent, text in (
        (
            "unknown", presenters_are_known, UNKNOWN, REPLACE_KEY,
            f"{ORDERS}: the run cannot tell which CA has issued the certificate that it presents: no issuer is recorded. Wait.",
        ),
        ("only the owners of listeners know whom these trust", verifiers_are_known, CUSTOM, REPLACE_KEY, _CUSTOM),
        (
            "brokers that may still verify", verifiers_are_known, FAILED, REPLACE_KEY,
            _STILL.format("the operator's last reconcile has failed"),
        ),
        (
            "brokers that may still verify, at first", verifiers_are_known,
            changed(FAILED, reconciliation=Reconciliation(operator=OperatorStatus(is_ready=False, is_first=True))), REPLACE_KEY,
            _STILL.format("the operator's first reconcile is under way"),
        ),
        (
            "brokers that may still verify, in the middle", verifiers_are_known, UNSEEN, RECONCILE,
            _STILL.format("the operator has not acted on the resource in its present form"),
        ),
        (
            "no operator issues", users_have_an_issuer, ALONE, REPLACE_KEY,
            "Kafka kafka/demo: has no User Operator, which would issue certificates of the next clients CA. Add "
            "spec.entityOperator.userOperator and a KafkaUser for each user, then run the flow again.",
        ),
        (
            "no operator issues, and no listener verifies", users_have_an_issuer, LEFT_BEHIND, REPLACE_KEY,
            f"{ORDERS}: may have a certificate of the present clients CA, and Kafka kafka/demo has no User Operator, which would issue the next. Where "
            "it is not used any more, delete it with its Secret. Add spec.entityOperator.userOperator and a KafkaUser for each user, then run the "
            "flow again.",
        ),
        (
            "a user that is not served", presenters_are_served, UNSERVED, REPLACE_KEY,
            f"{ORDERS}: would get no certificate of the next clients CA: it is paused. Wait.",
        ),
        ("more users than have room", presenters_can_be_issued_to, users(presenters=MANY), ELSEWHERE, _TOO_MANY),
        ("a user named as a process", presenters_can_be_issued_to, NAMED, ELSEWHERE, _NAMESAKE),
        (
            "a user of another User Operator", presenters_can_be_issued_to, FOREIGN, ELSEWHERE,
            "KafkaUser other/orders: is served by a User Operator of another namespace, which could sign nothing: the key of the next CA "
            "would be kept elsewhere. Move the user to the namespace of the cluster's own User Operator; or supply the CA with its key, or none, then one is "
            "made.",
        ),
    )
]  # fmt: skip


@pytest.mark.parametrize(
    "fields",
    [{"namesakes": ("KafkaUser other/orders",)}, {"unnameable_users": {"KafkaUser other/orders": "it is too long"}}],
    ids=["the name of a process", "no issuer can name it"],
)
def test_a_user_that_gets_no_certificate_of_any_issuer_is_not_asked_to_move(fields: dict[str, Any]) -> None:
    found = texts(presenters_can_be_issued_to, changed(FOREIGN, **fields), ELSEWHERE)
    assert not [one for one in found if "another namespace" in one]


def texts(rule: Precondition, snapshot: Snapshot, intent: Intent) -> list[str]:
    return [str(one) for one in violations_of(rule, snapshot, intent)]


@pytest.mark.parametrize(("rule", "snapshot"), [
    (presenters_are_known, UNKNOWN), (presenters_are_served, UNSERVED), (verifiers_are_known, CUSTOM), (verifiers_are_known, FAILED),
    (users_have_an_issuer, ALONE),
])  # fmt: skip
@pytest.mark.parametrize("intent", [UPGRADE, RECONCILE, DOWNGRADE], ids=["adopting", "reconciling", "handing back"])
def test_a_goal_that_begins_no_rotation_is_not_held(rule: Precondition, snapshot: Snapshot, intent: Intent) -> None:
    assert texts(rule, snapshot, intent) == []


@pytest.mark.parametrize("rule", [presenters_are_known, presenters_are_served, users_have_an_issuer])
def test_a_flow_in_flight_goes_on(rule: Precondition) -> None:
    seen = changed(STAGES["trusted"], presenters=UNKNOWN.presenters, issued_by=IssuedBy.NONE)
    assert texts(rule, seen, REPLACE_KEY) == []


@pytest.mark.parametrize(
    "rule", [presenters_are_known, presenters_are_served, verifiers_are_known, users_have_an_issuer]
)
def test_a_cluster_with_everything(rule: Precondition) -> None:
    assert texts(rule, users(), REPLACE_KEY) == []


@pytest.mark.parametrize(
    "snapshot",
    [
        pytest.param(users(has_verifiers=False), id="no listener verifies"),
        pytest.param(
            users(has_verifiers=False, reconciliation=PAUSED), id="the operator has said so before it was paused"
        ),
        pytest.param(
            users(unmanaged_listeners=("external",), reconciliation=FAILED.reconciliation),
            id="an unmanaged listener verifies",
        ),
    ],
)
def test_the_verifiers_are_known(snapshot: Snapshot) -> None:
    assert texts(verifiers_are_known, snapshot, REPLACE_KEY) == []


def test_a_ca_without_verifiers_and_without_certificates_needs_no_user_operator() -> None:
    assert texts(users_have_an_issuer, NO_USERS, REPLACE_KEY) == []
    listened = changed(NO_USERS, unmanaged_listeners=("listener own (9094)",))
    assert len(texts(users_have_an_issuer, listened, REPLACE_KEY)) == 1


def test_a_waiver_lets_a_flow_begin_although_a_presenter_is_unknown() -> None:
    waived = changed(UNKNOWN, waivers=(Waiver(ORDERS, NOW + DAY, "told by phone"),))
    assert texts(presenters_are_known, waived, REPLACE_KEY) == []


@pytest.mark.parametrize(
    ("snapshot", "intent"),
    [
        pytest.param(users(presenters=MANY[:-1]), ELSEWHERE, id="as many as have room"),
        pytest.param(changed(NAMED, presenters=MANY), REPLACE_KEY, id="the key is made here"),
        pytest.param(changed(NAMED, presenters=MANY), RENEW, id="the key is here"),
        pytest.param(
            changed(NAMED, presenters=MANY),
            changed_intent(REPLACE_KEY, supplied=prepared(NEW)),
            id="the key is supplied",
        ),
        pytest.param(changed(STAGES["trusted"], presenters=MANY), ELSEWHERE, id="a flow is under way"),
        pytest.param(changed(NAMED, presenters=MANY), RECONCILE, id="nothing begins"),
        pytest.param(users(presenters=MANY), replace(ELSEWHERE, goal=Goal.RENEW), id="a renewal keeps what there is"),
    ],
)
def test_a_flow_begins_where_every_user_can_be_issued_to(snapshot: Snapshot, intent: Intent) -> None:
    assert texts(presenters_can_be_issued_to, snapshot, intent) == []

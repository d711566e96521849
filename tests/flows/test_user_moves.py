# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A user moves to certificates of another issuer and back: what programs read stays where it is, whenever a call is killed."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import OperatorSilent, StepError
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply import user_authentication
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.user_authentication import (
    ChangeOfAuthentication,
    SeenUser,
    UserStep,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.ca_secrets import read_ca_secrets
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.secrets import read_clients_ca
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.users import Authentication
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..tools.operator.user_operator import UserOperatorDouble
from ..tools.support.clients_cluster import CERTIFICATES, KEYS, ClientsCluster
from ..tools.support.completing import MARK, SAYS, Completing, When
from ..tools.support.golden import GoldenFiles
from ..tools.support.killing import Killed, KillingTransport
from ..tools.support.memory_api import Change
from ..tools.support.roles import ByRoles, permissions
from ..tools.support.users import kafka_user
from ..tools.support.watched_cluster import CLUSTER
from .test_clients_ca import held
from .test_roles import ROLES

TLS, EXTERNAL = Authentication.TLS, Authentication.TLS_EXTERNAL


@pytest.fixture
def cluster(clients_cluster: ClientsCluster) -> ClientsCluster:
    clients_cluster.begin()
    clients_cluster.memory.api.listeners.append(never_deleted)
    return clients_cluster


def never_deleted(change: Change) -> None:
    assert (change.verb, change.name) != ("delete", "orders"), "programs that mount it could not start any more"


def move(
    cluster: ClientsCluster, wanted: Authentication, transport: Any = None, *, check: bool = False, user: str = "orders"
) -> list[Any]:
    """Returns what was done."""
    work = cluster.work(transport=transport)
    work.dry_run = check
    found = cluster.memory.api.find("secrets", "kafka", CERTIFICATES)
    keys = cluster.memory.api.find("secrets", "kafka", KEYS)
    elsewhere = read_ca_secrets(found, keys, work.scope.certificate_generation).in_use_elsewhere
    change = ChangeOfAuthentication("kafka", user, user, read_clients_ca(found), work, lambda: None, elsewhere)
    change.carry_out(wanted)
    return [action.what for action in work.actions]


def state(cluster: ClientsCluster) -> tuple[str, dict[str, str], bool]:
    """The authentication, annotations, and whether the Secret is the User Operator's."""
    user = cluster.memory.api.find("kafkausers", "kafka", "orders") or {}
    labels = (cluster.memory.api.find("secrets", "kafka", "orders") or {})["metadata"].get("labels") or {}
    return user["spec"]["authentication"]["type"], cluster.marks("orders"), "strimzi.io/kind" in labels


def test_a_user_moves_to_another_issuer_and_back(cluster: ClientsCluster) -> None:
    content = cluster.secret("orders")
    assert move(cluster, EXTERNAL) == [
        step.value
        for step in (
            UserStep.PAUSE, UserStep.AWAIT_PAUSE, UserStep.LET_GO, UserStep.AWAIT_HEARING, UserStep.CHANGE, UserStep.AWAIT,
        )
    ]  # fmt: skip
    cluster.memory.settle(2)
    assert (state(cluster), cluster.secret("orders")) == (("tls-external", {}, False), content)
    assert move(cluster, EXTERNAL) == []
    assert move(cluster, TLS) == [UserStep.CHANGE.value, UserStep.AWAIT.value]
    assert state(cluster) == ("tls", {}, True)
    assert cluster.secret("orders")["user.crt"] != content["user.crt"]
    assert move(cluster, TLS) == []


def test_rights_and_quotas_of_a_user_stay(cluster: ClientsCluster) -> None:
    rule = {"resource": {"type": "topic", "name": "orders"}, "operations": ["Read"]}
    beside = {"quotas": {"requestPercentage": 20}, "authorization": {"type": "simple", "acls": [rule]}}
    cluster.change("kafkausers", "orders", {"spec": beside})
    for wanted in (EXTERNAL, TLS):
        move(cluster, wanted)
        user = cluster.memory.api.find("kafkausers", "kafka", "orders") or {}
        assert user["spec"] == {**beside, "authentication": {"type": wanted.value}}


@pytest.mark.parametrize("when", When, ids=lambda one: one.value)
def test_what_another_program_adds_to_each_written_object_is_no_difference(cluster: ClientsCluster, when: When) -> None:
    start = cluster.memory.moment()
    moves = (EXTERNAL, EXTERNAL, TLS, TLS)
    wanted = [move(cluster, one) for one in moves]
    cluster.memory.go_to(start)
    completing = Completing(cluster.memory.api, when)
    completing.begin()
    assert [move(cluster, one) for one in moves] == wanted
    assert state(cluster) == ("tls", {MARK: SAYS}, True)
    assert completing.seen == {"secrets", "kafkausers"}


def test_other_owners_and_labels_of_the_secret_stay(cluster: ClientsCluster) -> None:
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "other", "uid": "1"}
    cluster.users_run = False
    found = cluster.memory.api.find("secrets", "kafka", "orders") or {}
    owners = [*found["metadata"]["ownerReferences"], owner]
    cluster.change("secrets", "orders", {"metadata": {"labels": {"team": "a"}, "ownerReferences": owners}})
    status = {"observedGeneration": 1, "conditions": [{"type": "ReconciliationPaused", "status": "True"}]}
    marks = {"strimzi.io/pause-reconciliation": "true", "trustops.strimzi/paused-for-authentication": "tls-external"}
    cluster.change("kafkausers", "orders", {"metadata": {"annotations": marks}, "status": status})
    with pytest.raises(OperatorSilent, match=UserStep.AWAIT.value):
        move(cluster, EXTERNAL)
    metadata = (cluster.memory.api.find("secrets", "kafka", "orders") or {})["metadata"]
    assert (metadata["labels"], metadata["ownerReferences"]) == (
        {"team": "a", "trustops.strimzi/kept-of": "demo"}, [owner],
    )  # fmt: skip


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("wanted", list(Authentication))
def test_killed_at_any_write(cluster: ClientsCluster, wanted: Authentication, after: bool) -> None:
    if wanted is TLS:
        move(cluster, EXTERNAL)
    start, number = cluster.memory.moment(), 0
    while True:
        number += 1
        cluster.memory.go_to(start)
        transport = KillingTransport(cluster.memory.api, number, after)
        try:
            move(cluster, wanted, transport)
        except Killed:
            cluster.memory.settle(2)
            move(cluster, wanted)
            cluster.memory.settle(2)
            assert state(cluster) == (wanted.value, {}, wanted is TLS)
            continue
        assert (transport.killed, transport.unconditional) == (False, [])
        break
    assert number == (4 if wanted is EXTERNAL else 2)


def test_after_a_lost_reply_the_user_operator_hears_first_that_the_secret_is_not_its_own(
    cluster: ClientsCluster,
) -> None:
    with pytest.raises(Killed):
        move(cluster, EXTERNAL, KillingTransport(cluster.memory.api, 2, after=True))
    assert state(cluster)[2] is False
    left = [step.value for step in (UserStep.AWAIT_HEARING, UserStep.CHANGE, UserStep.AWAIT)]
    assert move(cluster, EXTERNAL, check=True) == left
    assert move(cluster, EXTERNAL) == left


def test_labels_that_come_back_while_the_user_operator_hears_begin_its_time_again(
    cluster: ClientsCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    work, labels = cluster.work(), [{"strimzi.io/kind": "KafkaUser", "strimzi.io/cluster": "demo"}]
    sleep, clients_ca = work.clock.sleep, read_clients_ca(cluster.memory.api.find("secrets", "kafka", CERTIFICATES))

    def sleep_and_restore(seconds: float) -> None:
        sleep(seconds)
        if labels and not state(cluster)[2]:
            cluster.change("secrets", "orders", {"metadata": {"labels": labels.pop()}})

    monkeypatch.setattr(work.clock, "sleep", sleep_and_restore)
    ChangeOfAuthentication("kafka", "orders", "orders", clients_ca, work, lambda: None).carry_out(EXTERNAL)
    of_secret = [action.what for action in work.actions if action.object == "Secret kafka/orders"]
    assert of_secret == [UserStep.LET_GO.value, UserStep.AWAIT_HEARING.value] * 2
    assert state(cluster) == ("tls-external", {}, False)


def test_the_status_of_an_earlier_pause_is_no_confirmation(cluster: ClientsCluster) -> None:
    """The User Operator may be at work on the user, and would write its Secret with the labels."""
    paused = {"observedGeneration": 1, "conditions": [{"type": "ReconciliationPaused", "status": "True"}]}
    cluster.users_run = False
    cluster.change("kafkausers", "orders", {"status": paused})
    with pytest.raises(OperatorSilent, match=UserStep.AWAIT_LOOK.value):
        move(cluster, EXTERNAL)
    assert state(cluster) == ("tls", {}, True)
    cluster.users_run = True
    assert UserStep.AWAIT_PAUSE.value in move(cluster, EXTERNAL)
    assert state(cluster) == ("tls-external", {}, False)


@pytest.mark.parametrize("is_paused", [False, True], ids=["named in the status", "after a killed change"])
def test_a_user_whose_secret_has_another_name(cluster: ClientsCluster, is_paused: bool, golden: GoldenFiles) -> None:
    """The Secret would go, were the authentication changed without taking it from the User Operator. The status of a paused user names no Secret."""
    theirs = UserOperatorDouble(cluster.memory.api, "team", CLUSTER, prefix="k-", ca_namespace="kafka")
    cluster.memory.api.request(
        "POST", "/apis/kafka.strimzi.io/v1/namespaces/team/kafkausers", body=kafka_user("remote", "team")
    )
    cluster.memory.neighbours.append(theirs.reconcile)
    cluster.memory.settle(1)
    if is_paused:
        work = cluster.work(transport=KillingTransport(cluster.memory.api, 1, after=True))
        with pytest.raises(Killed):
            ChangeOfAuthentication("team", "remote", "k-remote", read_clients_ca(None), work, lambda: None).carry_out(
                EXTERNAL
            )
        cluster.memory.settle(1)
    change = ChangeOfAuthentication("team", "remote", "remote", read_clients_ca(None), cluster.work(), lambda: None)
    with pytest.raises(StepError) as refused:
        change.carry_out(EXTERNAL)
    golden.compare_said("flows", refused.value)
    cluster.memory.settle(1)
    assert cluster.memory.api.find("secrets", "team", "k-remote")


def test_a_killed_change_can_be_taken_back(cluster: ClientsCluster) -> None:
    with pytest.raises(Killed):
        move(cluster, EXTERNAL, KillingTransport(cluster.memory.api, 2, after=True))
    move(cluster, TLS)
    assert state(cluster) == ("tls", {}, True)


def test_check_mode_tells_what_would_be_done_and_does_nothing(cluster: ClientsCluster) -> None:
    before = cluster.memory.api.version
    planned = move(cluster, EXTERNAL, check=True)
    assert cluster.memory.api.version == before
    assert planned == move(cluster, EXTERNAL)


def test_a_flow_on_the_clients_ca_waits_for_its_end(cluster: ClientsCluster) -> None:
    with pytest.raises(Killed):
        move(cluster, EXTERNAL, KillingTransport(cluster.memory.api, 1, after=True))
    assert (Condition.PRESENTERS_ARE_SERVED, "KafkaUser kafka/orders") in held(cluster.run(Goal.REPLACE_KEY))


def test_the_role_for_users_is_enough(cluster: ClientsCluster) -> None:
    """And each rule of it is used."""
    cluster.add("partner")
    own = ROLES["user"]
    permitted = ByRoles(
        cluster.memory.api, [rule for role in ("looking", "users", "clients-ca") for rule in ROLES[role]] + own
    )
    for wanted in (EXTERNAL, TLS):
        move(cluster, wanted, permitted, user="partner")
    assert permitted.refused == []
    assert permissions(own) <= permitted.used


def test_a_user_operator_that_stands_still_is_named(cluster: ClientsCluster, golden: GoldenFiles) -> None:
    cluster.users_run = False
    with pytest.raises(OperatorSilent, match=UserStep.AWAIT_PAUSE.value) as silent:
        move(cluster, EXTERNAL)
    golden.compare_said("flows", silent.value)
    cluster.users_run = True
    move(cluster, EXTERNAL)
    assert state(cluster) == ("tls-external", {}, False)


def test_a_user_that_is_not_there(cluster: ClientsCluster, golden: GoldenFiles) -> None:
    work = cluster.work()
    change = ChangeOfAuthentication("kafka", "absent", "absent", read_clients_ca(None), work, lambda: None)
    with pytest.raises(StepError) as refused:
        change.carry_out(EXTERNAL)
    golden.compare_said("flows", refused.value)


def test_without_its_order_the_secret_is_deleted(cluster: ClientsCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """The observer sees what the order is there for."""

    def at_once(seen: SeenUser, wanted: Authentication) -> tuple[UserStep, ...]:
        return () if seen.authentication == wanted.value else (UserStep.CHANGE,)

    monkeypatch.setattr(user_authentication, "steps_left", at_once)
    move(cluster, EXTERNAL)
    with pytest.raises(AssertionError, match="programs that mount"):
        cluster.memory.settle(1)

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flows on the clients CA: users are let in after every single write, and no node restarts where listeners can read again."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.results import describe_snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect, plan
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import OperatorSilent, RollStuck
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.lease import TrustLease
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_chain
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import load_key
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply import user_pausing
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.clients import (
    NO_OUTSIDE_OPTIONS,
    OutsideOptions,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import NamedSecret, Waiver
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition, Violation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Layout
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.prepare import restart_to_trust

from ..tools.operator import clusters
from ..tools.support.access_operator import AccessOperator
from ..tools.support.authorities import Authority
from ..tools.support.breaches import InvariantBroken
from ..tools.support.certificates import YEAR
from ..tools.support.clients_cluster import CERTIFICATES, KEYS, LEDGER, ClientsCluster
from ..tools.support.engines import leaving_open, without
from ..tools.support.flows import FlowResult
from ..tools.support.golden import GoldenFiles
from ..tools.support.killing import Killed, KillingTransport
from ..tools.support.ledgers import KEYED, SINGLE, STATES
from ..tools.support.logging_in import LoggingIn
from ..tools.support.memory_api import Change
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.roles import ByRoles, permissions
from ..tools.support.watched_cluster import CLUSTER, IN_USE
from .cases import roles_apart
from .test_roles import ROLES


@pytest.fixture
def cluster(clients_cluster: ClientsCluster) -> ClientsCluster:
    return clients_cluster


def assert_only(cluster: ClientsCluster, fingerprint: str) -> None:
    cluster.memory.settle(1)
    assert cluster.current == fingerprint
    assert cluster.states == {fingerprint: IN_USE}
    assert cluster.accepted == {fingerprint}
    assert cluster.remembered("removed") == {}
    assert set(cluster.secret(KEYS)) == {"ca.key"}


@pytest.mark.parametrize("goal", [Goal.REPLACE_KEY, Goal.RENEW])
def test_costs(cluster: ClientsCluster, uptake: bool, goal: Goal) -> None:
    cluster.begin()
    old, users = cluster.current, cluster.programs.stored()
    cluster.finish(goal)
    assert cluster.current != old
    told = cluster.nodes.told if cluster.nodes else []
    twice = goal is Goal.REPLACE_KEY
    assert cluster.counts() == dict.fromkeys(cluster.counts(), 2 if twice and not uptake else 0)
    assert {told.count(node) for node in cluster.memory.kubelet.nodes} == {2 if twice and uptake else 0}
    assert all(leaf != users[user] for user, leaf in cluster.programs.stored().items())
    if twice:
        assert_only(cluster, cluster.current)
    assert cluster.programs.logins > 50


def test_controllers_alone_verify_no_users(cluster: ClientsCluster, uptake: bool) -> None:
    """They have no listener for users: nothing of the flow is about them."""
    cluster.begin(manifests=roles_apart())
    cluster.finish(Goal.REPLACE_KEY)
    assert_only(cluster, cluster.current)
    assert {name for name, count in cluster.counts().items() if "controller" in name and count} == set()


@pytest.mark.parametrize("goal", [Goal.REPLACE_KEY, Goal.RENEW])
def test_the_plan_comes_true(cluster: ClientsCluster, uptake: bool, goal: Goal) -> None:
    cluster.begin()
    work, intent = cluster.work(), cluster.intent(goal)
    planned = plan(work, inspect(work, intent), intent)
    assert planned.violations == ()
    rolls = sum(len(step.nodes) for step in planned.steps)
    cluster.finish(goal)
    assert sum(cluster.counts().values()) == rolls


def test_the_operators_own_number_stays(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    """Another one would restart every node; this collection counts beside it."""
    cluster.begin()
    cluster.finish(Goal.REPLACE_KEY)
    found = cluster.memory.api.find("secrets", "kafka", CERTIFICATES) or {}
    assert found["metadata"]["annotations"]["strimzi.io/ca-cert-generation"] == "0"
    assert found["metadata"]["annotations"]["trustops.strimzi/ca-cert-generation"] == "1"
    assert cluster.pauses == 2


@pytest.mark.parametrize("about", CaKind)
def test_the_other_ca_of_the_cluster_is_not_brought_in(cluster: ClientsCluster, about: CaKind) -> None:
    cluster.begin()
    own, other = (cluster.secret(f"demo-{kind}-ca-cert")["ca.crt"] for kind in ("clients", "cluster"))
    keys = {kind: cluster.secret(f"demo-{kind}-ca")["ca.key"] for kind in ("clients", "cluster")}
    cluster.ca = about
    of, pem = ("cluster", other) if about is CaKind.CLIENTS else ("clients", own)
    supplied = Authority(parse_chain(pem), (load_key(keys[of]),))
    result = cluster.run(Goal.REPLACE_KEY, supplied)
    (found,) = result.outcome.decision.violations
    assert (found.condition, result.changes) == (Condition.AUTHORITIES_ARE_APART, [])
    assert f"Secret kafka/demo-{of}-ca-cert" in found.message


def test_several_rotations_in_a_row(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    cluster.begin()
    for goal in (Goal.REPLACE_KEY, Goal.RENEW, Goal.REPLACE_KEY):
        cluster.finish(goal, fresh_for=timedelta(0), replaces=cluster.current)
    assert_only(cluster, cluster.current)
    assert cluster.rolls == {0}


def test_created_before_the_cluster(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    for ca in CaKind:
        cluster.ca = ca
        cluster.run(Goal.CREATE)
    pool, kafka = clusters.dual_role(CLUSTER, "kafka", replicas=2, generated=False)
    kafka["spec"]["clientsCa"] = {"generateCertificateAuthority": False}
    cluster.deploy([pool, kafka])
    cluster.add("orders")
    for ca in CaKind:
        cluster.ca = ca
        cluster.finish(Goal.CREATE)
    assert_only(cluster, cluster.current)
    cluster.finish(Goal.REPLACE_KEY)
    assert_only(cluster, cluster.current)


def test_killed_when_the_first_ca_is_prepared_it_is_remembered_where_to_look(cluster: ClientsCluster) -> None:
    named = NamedSecret("apps", "partner-tls")
    cluster.outside = OutsideOptions(presenting_secrets=(named,))
    cluster.permitted = KillingTransport(cluster.memory.api, 1, after=True)
    with pytest.raises(Killed):
        cluster.run(Goal.CREATE)
    cluster.permitted, cluster.outside = cluster.memory.api, NO_OUTSIDE_OPTIONS
    assert cluster.work().observe().snapshot.outside_clients.named_places.presenting_secrets == (named,)


def test_adopted_rotated_and_handed_back(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    cluster.begin(generated=True)
    for goal in (Goal.UPGRADE, Goal.REPLACE_KEY, Goal.DOWNGRADE):
        cluster.finish(goal)
    assert cluster.kafka["spec"]["clientsCa"]["generateCertificateAuthority"] is True
    assert (cluster.rolls, cluster.states) == ({0}, {})
    cluster.memory.settle(3)
    assert cluster.rolls == {0}


def test_a_ca_that_the_operator_has_replaced_stays_until_programs_have_read_again(
    cluster: ClientsCluster, nodes: ReloadingNodes, golden: GoldenFiles
) -> None:
    """It was in use before the adoption, and the operator keeps it until it expires."""
    cluster.begin(generated=True)
    replaced = cluster.current
    start(cluster, "billing", "payments")
    cluster.change("secrets", KEYS, {"metadata": {"annotations": {"strimzi.io/force-replace": "true"}}})
    cluster.memory.settle(6)
    assert replaced != cluster.current
    cluster.finish(Goal.UPGRADE)
    violation = held(cluster.run(Goal.RECONCILE, leaving_ca=replaced))[Condition.REMOVAL, "Pod kafka/billing"]
    golden.compare_stop("removal, a program has a certificate", violation)
    stop(cluster, "billing")
    start(cluster, "billing", "payments")
    cluster.finish(Goal.RECONCILE, leaving_ca=replaced)
    assert_only(cluster, cluster.current)


def test_a_generated_ca_is_not_rotated(cluster: ClientsCluster) -> None:
    cluster.begin(generated=True)
    refused = held(cluster.run(Goal.REPLACE_KEY))
    assert refused.keys() == {(Condition.AUTHORITY_IS_USER_MANAGED, "Kafka kafka/demo")}


def held(result: FlowResult) -> dict[tuple[Condition, str], Violation]:
    """The violations that hold a run that has not come to its end."""
    assert not result.outcome.decision.done
    return result.refusals


def test_the_cluster_ca_goes_its_own_way(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    cluster.begin()
    cluster.finish(Goal.REPLACE_KEY)
    clients, cluster.ca = cluster.secret(LEDGER), CaKind.CLUSTER
    cluster.finish(Goal.REPLACE_KEY)
    assert cluster.secret(LEDGER) == clients
    cluster.ca = CaKind.CLIENTS
    assert_only(cluster, cluster.current)


def test_a_ca_that_the_operator_would_not_keep_is_not_handed_back(
    cluster: ClientsCluster, nodes: ReloadingNodes, golden: GoldenFiles
) -> None:
    cluster.begin()
    cluster.change("kafkas", CLUSTER, {"spec": {"clientsCa": {"validityDays": 3650, "renewalDays": 365}}})
    cluster.memory.settle(2)
    cluster.look_away()
    (violation,) = held(cluster.run(Goal.DOWNGRADE)).values()
    assert violation.condition is Condition.OPERATOR_KEEPS_AUTHORITY
    golden.compare_stop("operator_keeps_authority, clients CA", violation)
    assert cluster.writes == 0
    cluster.finish(Goal.RENEW)
    cluster.finish(Goal.DOWNGRADE)
    cluster.memory.settle(3)
    assert cluster.rolls == {0}


@pytest.mark.parametrize("ca", list(CaKind))
def test_neither_flow_works_in_a_pause_of_the_other(cluster: ClientsCluster, ca: CaKind, golden: GoldenFiles) -> None:
    cluster.begin()
    cluster.ca = ca
    other = cluster.work().scope.other_ca
    marks = {"strimzi.io/pause-reconciliation": "true", other.paused_by: "another run"}
    cluster.change("kafkas", CLUSTER, {"metadata": {"annotations": marks}})
    cluster.memory.settle(1)
    refused = held(cluster.run(Goal.REPLACE_KEY))
    violation = refused[Condition.NOT_PAUSED_BY_OTHERS, "Kafka kafka/demo"]
    golden.compare_stop(f"not_paused_by_others, a flow on the {other.ca.value} CA", violation)
    assert (cluster.writes, cluster.paused) == (0, True)


def test_a_cluster_without_a_user_operator_holds_the_flow(cluster: ClientsCluster) -> None:
    cluster.begin()
    cluster.change("kafkas", CLUSTER, {"spec": {"entityOperator": None}})
    cluster.memory.settle(1)
    refused = held(cluster.run(Goal.REPLACE_KEY))
    assert refused.keys() == {(Condition.USERS_HAVE_AN_ISSUER, "Kafka kafka/demo")}
    assert cluster.writes == 0


def test_a_user_whose_certificates_another_issuer_issues_holds_the_flow(
    cluster: ClientsCluster, nodes: ReloadingNodes, golden: GoldenFiles
) -> None:
    cluster.begin()
    cluster.add("partner", kind="tls-external")
    violation = held(cluster.run(Goal.REPLACE_KEY))[Condition.PRESENTERS_ARE_KNOWN, "KafkaUser kafka/partner"]
    golden.compare_stop("presenters_are_known, tls-external", violation)
    assert cluster.writes == 0
    now = cluster.work().clock.now()
    cluster.outside = OutsideOptions(
        waivers=(Waiver("KafkaUser kafka/partner", now + timedelta(days=1), "told by phone"),)
    )
    cluster.finish(Goal.REPLACE_KEY)
    assert_only(cluster, cluster.current)


def test_a_user_that_another_program_has_paused_holds_the_flow(
    cluster: ClientsCluster, nodes: ReloadingNodes, golden: GoldenFiles
) -> None:
    cluster.begin()
    pause = {"metadata": {"annotations": {"strimzi.io/pause-reconciliation": "true"}}}
    cluster.change("kafkausers", "orders", pause)
    violation = held(cluster.run(Goal.REPLACE_KEY))[Condition.PRESENTERS_ARE_SERVED, "KafkaUser kafka/orders"]
    golden.compare_stop("presenters_are_served, a paused user", violation)
    assert cluster.writes == 0
    cluster.change("kafkausers", "orders", {"metadata": {"annotations": {"strimzi.io/pause-reconciliation": None}}})
    cluster.memory.settle(1)
    cluster.finish(Goal.REPLACE_KEY)
    assert_only(cluster, cluster.current)


def test_a_program_that_reads_its_secret_only_at_its_start(
    cluster: ClientsCluster, nodes: ReloadingNodes, golden: GoldenFiles
) -> None:
    cluster.begin()
    old = cluster.current
    start(cluster, "billing", "payments")
    violation = held(cluster.run(Goal.REPLACE_KEY))[Condition.REMOVAL, "Pod kafka/billing"]
    golden.compare_stop("removal, a program has not read its certificate again", violation)
    assert cluster.accepted == {old, cluster.current}
    stop(cluster, "billing")
    start(cluster, "billing", "payments")
    cluster.finish(Goal.RECONCILE)
    assert_only(cluster, cluster.current)


_DATE = re.compile(r"\d{4}-\d\d-\d\d")


class TestTheEndOfWhatAProgramHasRead:
    """The program does not restart, and brokers refuse its certificate from then on whichever CA is trusted."""

    LIFE = 60

    def begin(self, cluster: ClientsCluster) -> datetime:
        """A program that reads its certificate, which ends then, once; and a rotation that waits for it."""
        cluster.begin()
        cluster.change("kafkas", CLUSTER, {"spec": {"clientsCa": {"validityDays": self.LIFE, "renewalDays": 15}}})
        cluster.add("reports")
        start(cluster, "billing", "reports")
        # The next CA outlives what the User Operator issues.
        cluster.validity = YEAR
        violation = held(cluster.run(Goal.REPLACE_KEY))[Condition.REMOVAL, "Pod kafka/billing"]
        end = cluster.work().clock.now() + timedelta(days=self.LIFE + 1)
        assert _DATE.findall(violation.message) == [f"{end:%Y-%m-%d}"]
        (shown,) = describe_snapshot(cluster.work().observe().snapshot)["presenters"]["others"]
        assert (shown["name"], shown["evidence"] in violation.message) == ("Pod kafka/billing", True)
        return end

    def pass_time(self, cluster: ClientsCluster, until: datetime) -> None:
        """The User Operator goes on renewing certificates."""
        while left := max(until - cluster.work().clock.now(), timedelta(0)):
            cluster.memory.seconds += min(left, timedelta(days=10)) / timedelta(seconds=1)
            cluster.memory.settle(1)

    def test_until_then_it_holds_the_ca(self, cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
        end, old = self.begin(cluster) - timedelta(days=2), self.old(cluster)
        self.pass_time(cluster, end)
        assert (Condition.REMOVAL, "Pod kafka/billing") in held(cluster.run(Goal.RECONCILE))
        assert old in cluster.accepted

    def test_the_ca_leaves_after_the_end_of_what_a_program_has_read(
        self, cluster: ClientsCluster, nodes: ReloadingNodes
    ) -> None:
        end = self.begin(cluster)
        cluster.programs.stop("billing")
        self.pass_time(cluster, end + timedelta(minutes=10))
        cluster.finish(Goal.RECONCILE)
        assert_only(cluster, cluster.current)

    def test_a_program_that_was_late_before_the_switch_holds_it_for_good(
        self, cluster: ClientsCluster, nodes: ReloadingNodes
    ) -> None:
        """No run has seen which certificate it had read."""
        cluster.begin()
        start(cluster, "billing", "payments")
        cluster.memory.seconds += 1
        cluster.change("secrets", "payments", {"metadata": {"annotations": {"strimzi.io/force-renew": "true"}}})
        cluster.memory.settle(1)
        violation = held(cluster.run(Goal.REPLACE_KEY))[Condition.REMOVAL, "Pod kafka/billing"]
        assert _DATE.findall(violation.message) == []

    @staticmethod
    def old(cluster: ClientsCluster) -> str:
        (found,) = cluster.accepted - {cluster.current}
        return found


def test_a_flow_that_stops_after_use_does_not_fail_for_it(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    """The phase in which the program would have to be restarted is not asked for."""
    cluster.begin()
    old = cluster.current
    start(cluster, "billing", "payments")
    decision = cluster.run(Goal.REPLACE_KEY, last_phase=Phase.USE).outcome.decision
    assert (decision.done, decision.violations) == (True, ())
    assert any("Pod kafka/billing" in sentence for sentence in decision.pending)
    assert cluster.accepted == {old, cluster.current}
    assert (Condition.REMOVAL, "Pod kafka/billing") in held(cluster.run(Goal.RECONCILE))


def test_a_renewal_with_the_same_key_does_not_wait_for_it(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    """Brokers accept the certificate that it has read under the new dates as well."""
    cluster.begin()
    old = cluster.current
    start(cluster, "billing", "payments")
    cluster.finish(Goal.RENEW)
    assert old != cluster.current
    assert cluster.states == {cluster.current: IN_USE}


def test_a_connect_that_logs_in_as_a_user_is_waited_for(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    """The Cluster Operator restarts it when the user's Secret has changed; not at once."""
    cluster.begin()
    connect = LoggingIn(cluster.memory, "payments")
    result = cluster.finish(Goal.REPLACE_KEY)
    assert_only(cluster, cluster.current)
    assert connect.restarts == 1
    assert "KafkaConnect kafka/connect" in [action.object for action in result.actions]


@pytest.mark.parametrize(
    ("follower", "name"), [(LoggingIn, "KafkaConnect kafka/connect"), (AccessOperator, "KafkaAccess kafka/access")]
)
def test_an_operator_that_does_not_follow_holds_the_flow(
    cluster: ClientsCluster, nodes: ReloadingNodes, follower: type[LoggingIn | AccessOperator], name: str
) -> None:
    cluster.begin()
    operator = follower(cluster.memory, "payments")
    old, operator.running = cluster.current, False
    with pytest.raises(OperatorSilent) as silent:
        cluster.run(Goal.REPLACE_KEY)
    assert silent.value.object == name
    assert cluster.accepted == {old, cluster.current}
    operator.running = True
    cluster.finish(Goal.RECONCILE)
    assert_only(cluster, cluster.current)


def test_a_kafka_access_that_copies_a_certificate_is_waited_for(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    cluster.begin()
    access = AccessOperator(cluster.memory, "payments")
    before = access.copied
    result = cluster.finish(Goal.REPLACE_KEY)
    assert_only(cluster, cluster.current)
    assert access.copied == cluster.secret("payments")["user.crt"] != before
    assert "KafkaAccess kafka/access" in [action.object for action in result.actions]


def test_a_connect_that_logs_in_with_a_binding_is_waited_for(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    """The Access Operator copies first, then the Cluster Operator restarts it."""
    cluster.begin()
    AccessOperator(cluster.memory, "payments")
    connect = LoggingIn(cluster.memory, "access-binding")
    result = cluster.finish(Goal.REPLACE_KEY)
    assert_only(cluster, cluster.current)
    assert connect.restarts == 1
    both = ", ".join(("KafkaAccess kafka/access", "KafkaConnect kafka/connect"))
    assert both in [action.object for action in result.actions]


def test_a_connect_that_presents_a_certificate_for_which_its_operator_does_not_restart_it(
    cluster: ClientsCluster, nodes: ReloadingNodes
) -> None:
    """It logs in as one user, and restarts for that user before the other user has its next certificate."""
    cluster.begin()
    connect = LoggingIn(cluster.memory, "orders", mounts=["payments"], every=1)
    cluster.programs.start("the connector", "payments")
    old = cluster.current
    refused = held(cluster.run(Goal.REPLACE_KEY, user_batch=1))
    assert connect.restarts == 1
    assert "user payments" in refused[Condition.REMOVAL, "Pod kafka/connect-connect-0"].message
    assert cluster.accepted == {old, cluster.current}
    cluster.programs.stop("the connector")
    connect.restart()
    cluster.finish(Goal.RECONCILE)
    assert_only(cluster, cluster.current)


def test_a_kafka_access_that_is_not_bound_holds_nothing(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    """Its operator has copied nothing yet."""
    cluster.begin()
    AccessOperator(cluster.memory, "payments", bound=False)
    cluster.finish(Goal.REPLACE_KEY)
    assert_only(cluster, cluster.current)


def test_a_waived_program_delays_no_flow(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    """It is cut off when the CA leaves, as its waiver says."""
    cluster.begin()
    start(cluster, "billing", "payments")
    cluster.programs.stop("billing")
    now = cluster.work().clock.now()
    cluster.outside = OutsideOptions(
        waivers=(Waiver("Pod kafka/billing", now + timedelta(days=1), "not in use any more"),)
    )
    cluster.finish(Goal.REPLACE_KEY)
    assert_only(cluster, cluster.current)


def test_a_user_operator_that_stands_still(cluster: ClientsCluster, nodes: ReloadingNodes, golden: GoldenFiles) -> None:
    cluster.begin()
    old, cluster.users_run = cluster.current, False
    with pytest.raises(OperatorSilent) as silent:
        cluster.run(Goal.REPLACE_KEY)
    golden.compare_said("flows", silent.value)
    assert cluster.accepted == {old, cluster.current}
    asked = {user: "trustops.strimzi/reconcile-request" in cluster.marks(user) for user in ("orders", "payments")}
    assert asked == {"orders": True, "payments": False}, "one user first"
    cluster.users_run = True
    cluster.finish(Goal.RECONCILE)
    assert_only(cluster, cluster.current)


def test_users_are_asked_for_some_at_a_time(
    cluster: ClientsCluster, nodes: ReloadingNodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The User Operator's queue drops what does not fit in, so each batch waits for the one before."""
    monkeypatch.setattr(user_pausing, "AT_ONCE", 2)
    cluster.begin(*(f"user-{number}" for number in range(6)))
    waiting: list[int] = []
    read, operator = list(cluster.users.issued), cluster.users

    def count(change: Change) -> None:
        if change.plural == "kafkausers" and "trustops.strimzi/reconcile-request" in str(change.new):
            touched = sum("trustops.strimzi/reconcile-request" in cluster.marks(f"user-{n}") for n in range(6))
            waiting.append(touched - len(operator.issued) + len(read))

    cluster.memory.neighbours.clear()
    cluster.memory.neighbours.append(
        lambda: operator.reconcile(*(f"user-{n}" for n in range(6) if cluster.marks(f"user-{n}")))
    )
    cluster.memory.api.listeners.append(count)
    cluster.finish(Goal.REPLACE_KEY)
    assert (waiting[0], max(waiting)) == (1, 2)
    assert_only(cluster, cluster.current)


def test_a_broker_that_goes_on_as_before(cluster: ClientsCluster, nodes: ReloadingNodes, golden: GoldenFiles) -> None:
    """It takes the request, and does not trust the next CA: no certificate of that is issued."""
    cluster.begin()
    old, nodes.deaf = cluster.current, {"demo-kafka-1"}
    with pytest.raises(RollStuck) as stuck:
        cluster.run(Goal.REPLACE_KEY)
    golden.compare_said("flows", stuck.value)
    assert cluster.current == old
    nodes.deaf = set()
    cluster.finish(Goal.RECONCILE)
    assert cluster.current != old


def test_a_broker_that_cannot_be_told_restarts(
    cluster: ClientsCluster, nodes: ReloadingNodes, golden: GoldenFiles
) -> None:
    cluster.begin()
    nodes.configured = False
    for node in cluster.memory.kubelet.nodes:
        cluster.memory.api.request("DELETE", f"/api/v1/namespaces/kafka/configmaps/{node}")
    result = cluster.finish(Goal.REPLACE_KEY)
    assert cluster.rolls == {2}
    golden.compare_said("flows", result.warnings[0])


def test_without_the_gate_before_use_users_are_refused(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    """The observer sees what the gate is there for: certificates of a CA that brokers have not read."""
    cluster.begin()
    cluster.engine = replace(leaving_open("trust", "alone"), rules=without(restart_to_trust).rules)
    with pytest.raises(InvariantBroken) as broken:
        cluster.run(Goal.REPLACE_KEY)
    assert (broken.value.breach.rule, broken.value.breach.parties[-1]) == ("logins", "orders")


def test_a_program_that_is_waived_by_mistake_is_refused(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    """The observer sees what the gate before removal is there for: a waiver opens it for one program."""
    cluster.begin()
    start(cluster, "billing", "payments")
    now = cluster.work().clock.now()
    cluster.outside = OutsideOptions(waivers=(Waiver("Pod kafka/billing", now + timedelta(days=1), "a mistake"),))
    with pytest.raises(InvariantBroken) as broken:
        cluster.run(Goal.REPLACE_KEY)
    assert (broken.value.breach.rule, broken.value.breach.parties[-1]) == ("logins", "billing")


def test_five_roles_are_enough(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    """And each rule of the one for the clients CA is used."""
    cluster.begin(generated=True)
    cluster.backs_up = cluster.audits = True
    roles = ("looking", "flows", "reload", "users", "clients-ca")
    permitted = ByRoles(cluster.memory.api, [rule for role in roles for rule in ROLES[role]])
    cluster.permitted = permitted
    for goal, layout in (
        (Goal.UPGRADE, Layout.SPLIT), (Goal.REPLACE_KEY, Layout.KEYED), (Goal.RENEW, Layout.SPLIT), (Goal.DOWNGRADE, None),
    ):  # fmt: skip
        cluster.finish(goal, publishes_bundle=True)
        if layout:
            cluster.run(Goal.RECONCILE, layout=layout)
            cluster.run(goal, layout=layout, publishes_bundle=True)
    lease = TrustLease(
        cluster.work().client, "kafka", cluster.work().scope.lease, "me", now=cluster.work().clock.now,
        monotonic=cluster.work().clock.monotonic, cluster=CLUSTER, labels=cluster.work().scope.labels,
    )  # fmt: skip
    lease.acquire()
    lease.release()
    assert lease.delete()
    assert (permitted.refused, cluster.rolls) == ([], {0})
    waiting_for_it = {("list", "leases", "demo-trust.clients"), ("watch", "leases", "demo-trust.clients")}
    assert permissions(ROLES["clients-ca"]) <= permitted.used | waiting_for_it


@pytest.mark.parametrize("layout", [Layout.SPLIT, Layout.KEYED])
def test_the_ledger_of_the_clients_ca_in_other_secrets(
    cluster: ClientsCluster, nodes: ReloadingNodes, layout: Layout
) -> None:
    cluster.begin()
    cluster.run(Goal.RECONCILE)
    cluster.run(Goal.RECONCILE, layout=layout)
    cluster.finish(Goal.REPLACE_KEY)
    assert_only(cluster, cluster.current)
    assert cluster.ledgers == ({SINGLE, STATES} if layout is Layout.SPLIT else {KEYED})
    assert cluster.rolls == {0}


def test_without_the_permission_to_touch_users_it_takes_longer(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    cluster.begin()
    roles = ("looking", "flows", "reload", "users", "clients-ca")
    rules = [rule for role in roles for rule in ROLES[role] if rule["resources"] != ["kafkausers"] or role == "users"]
    cluster.permitted = ByRoles(cluster.memory.api, rules)
    cluster.finish(Goal.REPLACE_KEY)
    assert_only(cluster, cluster.current)


def start(cluster: ClientsCluster, program: str, user: str) -> None:
    """A pod that mounts the Secret of a user and reads it once."""
    volumes = [{"name": "user", "secret": {"secretName": user}}]
    cluster.memory.seconds += 1
    cluster.memory.apply(
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": program}, "spec": {"volumes": volumes}}
    )
    cluster.programs.start(program, user)


def stop(cluster: ClientsCluster, program: str) -> None:
    cluster.memory.api.request("DELETE", f"/api/v1/namespaces/kafka/pods/{program}")
    cluster.memory.settle(1)
    cluster.programs.stop(program)

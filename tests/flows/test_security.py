# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every flow beside each combination of encryption and authentication between the processes of a cluster
(docs/operator.md, "Security between processes").

The answers of nodes refuse a look at a port without TLS, and the requests to nodes refuse a connection that does not
speak what the node speaks.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.results import describe_snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect, plan
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import ROTATIONS, Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent, Spread
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import RollReason
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.cluster import describe_security

from ..tools.operator import certs, clusters
from ..tools.operator.authority import ReconcileFailed
from ..tools.operator.releases import STRIMZI_1_3
from ..tools.operator.security import MUTUAL, ONE_WAY, PLAIN, Security
from ..tools.support.clients_cluster import ClientsCluster
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.restarts import cost_of
from ..tools.support.watched_cluster import CLUSTER, IN_USE, NAMESPACE, WatchedCluster, assert_only
from .cases import Case, Layout, Object
from .test_abort import assert_undone
from .test_forecasts_come_true import assert_comes_true, forecast_of
from .test_recovering import NODES, create, lasting, outlive_leaves

NEXT = STRIMZI_1_3
#: By the word with which the table of costs names them.
OTHERS = {"one-way": ONE_WAY, "plain": PLAIN}
EACH = pytest.mark.parametrize("security", [MUTUAL, ONE_WAY, PLAIN], ids=str)
#: No broker has a listener for clients with TLS.
WITHOUT_LISTENERS = [{"name": "plain", "port": 9092, "type": "internal", "tls": False}]


@pytest.fixture(autouse=True)
def _next_release(request: pytest.FixtureRequest) -> None:
    for name in ("cluster", "clients_cluster"):
        if name in request.fixturenames:
            request.getfixturevalue(name).memory.use_release(NEXT)


def secured(security: Security, *, apart: bool = False, listeners: list[Object] | None = None) -> Layout:
    make = clusters.separate_roles if apart else clusters.dual_role

    def manifests(*, generated: bool = False) -> list[Object]:
        *pools, kafka = make(CLUSTER, NAMESPACE, replicas=2, generated=generated, security=security)
        kafka["spec"]["kafka"] |= {"listeners": listeners} if listeners else {}
        return [*pools, kafka]

    return manifests


@EACH
@pytest.mark.parametrize("apart", [False, True], ids=["dual-role", "separate controllers"])
@pytest.mark.usefixtures("uptake")
def test_a_life(cluster: WatchedCluster, security: Security, apart: bool) -> None:
    """Adopted, renewed, replaced, handed back: at the cost that the combination has, and the CA before it trusted by no
    process.
    """
    cluster.deploy(secured(security, apart=apart)(generated=True))
    told = {ONE_WAY: "one-way", PLAIN: "plain"}.get(security, "")
    for goal in (Goal.UPGRADE, Goal.RENEW, Goal.REPLACE_KEY, Goal.DOWNGRADE):
        cluster.look_away()
        before = cluster.current
        cluster.finish(goal)
        cost = cluster.cost(goal, told if goal is Goal.REPLACE_KEY else "")
        assert (cluster.rolls, cluster.pauses) == ({cost.restarts}, cost.pauses)
        if goal in ROTATIONS and security.has_tls:
            assert_only(cluster, cluster.current, {before} if goal is Goal.RENEW else set())
        assert (cluster.remembered("removed"), cluster.remembered("leaf")) == ({}, {}) or security.has_tls


@pytest.mark.usefixtures("uptake")
@pytest.mark.parametrize("circumstance", ["one-way", "plain", "one-way, unlinked"])
def test_the_plan_comes_true(cluster: WatchedCluster, circumstance: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_planned(cluster, circumstance, monkeypatch)


@pytest.mark.parametrize("circumstance", ["when_restarted, one-way", "when_restarted, plain"])
def test_the_plan_comes_true_where_nodes_wait(
    cluster: WatchedCluster, nodes: ReloadingNodes, circumstance: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_planned(cluster, circumstance, monkeypatch)


@pytest.mark.usefixtures("uptake")
def test_without_a_link_certificate_no_node_restarts_to_trust_a_ca_that_none_verifies_by(
    cluster: WatchedCluster,
) -> None:
    """The operator restarts Deployments as soon as it goes on, before the run looks: steps are not compared."""
    flow = Case(Goal.REPLACE_KEY, "plain, unlinked").begin(cluster, secured(PLAIN))
    planned = forecast_of(flow)
    flow.finish()
    assert cluster.paid == flow.cost
    assert Counter(name for step in planned.steps for name in step.nodes) == +Counter(cluster.counts())


def assert_planned(cluster: WatchedCluster, circumstance: str, monkeypatch: pytest.MonkeyPatch) -> None:
    security = next(found for word, found in OTHERS.items() if word in circumstance)
    flow = Case(Goal.REPLACE_KEY, circumstance).begin(cluster, secured(security))
    assert_comes_true(flow, monkeypatch)


def test_a_node_that_keeps_a_leaf_restarts_for_another_reason(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    """Processes that do not verify each other: after one restart of each node the old CA leaves, and what nodes still
    know of it they forget in their next.
    """
    flow = Case(Goal.REPLACE_KEY, "when_restarted, one-way").begin(cluster, secured(ONE_WAY))
    flow.run()
    for node in cluster.memory.kubelet.nodes:
        cluster.restart(node)
    cluster.memory.settle(2)
    cluster.look_away()
    cluster.finish(Goal.RECONCILE)
    assert cluster.rolls == {0}
    assert cluster.states == {cluster.current: IN_USE}
    ((known, pods),) = cluster.remembered("removed").items()
    assert (known != cluster.current, pods) == (True, cluster.node_uids)


def test_a_reload_alone_cannot_show_what_is_forgotten(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    """spread=reload forbids the restart, and the plan says so before anything is written."""
    flow = Case(Goal.REPLACE_KEY, "one-way").begin(cluster, secured(ONE_WAY))
    found = forecast_of(flow, spread=Spread.RELOAD)
    assert [one.condition for one in found.violations] == [Condition.IN_PLACE]


@EACH
@pytest.mark.parametrize("until", [Phase.PREPARE, Phase.TRUST, Phase.USE])
def test_undone(cluster: WatchedCluster, nodes: ReloadingNodes, security: Security, until: Phase) -> None:
    flow = Case(Goal.REPLACE_KEY).begin(cluster, secured(security))
    old = cluster.current
    flow.run(last_phase=until)
    cluster.look_away()
    cluster.finish(Goal.ABORT)
    # Where nodes do not show which CAs they trust, they restart to forget the new CA, as where they cannot be asked.
    restarts = {MUTUAL: 0, ONE_WAY: 1, PLAIN: 0}[security] + (until is Phase.USE and security.has_tls)
    assert cluster.rolls == {restarts}
    assert_undone(cluster, old)


@EACH
def test_status_and_plan_say_what_follows(cluster: WatchedCluster, nodes: ReloadingNodes, security: Security) -> None:
    """Neither a wait for an answer that no listener gives, nor a restart so that a process trusts what it verifies
    nothing by.
    """
    flow = Case(Goal.REPLACE_KEY).begin(cluster, secured(security))
    seen = inspect(cluster.work(), Intent(Goal.RECONCILE)).observation.snapshot
    found = describe_snapshot(seen)
    told = describe_security(seen)
    assert bool(told) is (security != MUTUAL)
    assert found["cluster"]["security"] == told
    (ca,) = found["cas"]
    assert (ca["trusted_by_count"], ca["used_by_count"]) == (5 if security.has_tls else 0, 5)
    assert {bool(pod["trusts"]) for pod in found["pods"]} == {security.has_tls}
    planned = forecast_of(flow)
    assert (planned.violations, not told or told in planned.choices) == ((), True)
    kinds = {step.kind for step in planned.steps}
    assert "AwaitAnswers" not in kinds
    assert RollReason.TRUST not in {step.reason for step in planned.steps}


@EACH
def test_leaves_are_renewed_without_a_restart(
    cluster: WatchedCluster, nodes: ReloadingNodes, security: Security
) -> None:
    flow = Case(Goal.RENEW_LEAVES).begin(cluster, secured(security))
    flow.finish()
    assert cluster.paid == cost_of(Goal.RENEW_LEAVES, reload=True)
    assert bool(cluster.remembered("leaf")) is security.has_tls


@pytest.mark.usefixtures("uptake")
def test_nothing_in_the_cluster_has_tls(cluster: WatchedCluster) -> None:
    """No process presents a certificate, and none verifies: what is stored counts alone, and the operator has nothing
    to restart.
    """
    layout = secured(PLAIN, listeners=WITHOUT_LISTENERS)
    flow = Case(Goal.REPLACE_KEY).begin(cluster, layout)
    old = cluster.current
    flow.finish()
    assert cluster.current != old
    assert cluster.states == {cluster.current: IN_USE}
    assert cluster.rolls == {0 if cluster.nodes else 1}
    assert cluster.nodes is None or cluster.nodes.told == []


@pytest.mark.parametrize("security", [ONE_WAY, PLAIN], ids=str)
def test_recovered(cluster: WatchedCluster, nodes: ReloadingNodes, security: Security) -> None:
    """Nodes that verify each other restart at the same time; nodes without TLS go on, and the operator can ask them."""
    create(cluster, manifests=lasting(secured(security)))
    outlive_leaves(cluster)
    cluster.memory.settle(2)
    result = cluster.run(Goal.RECOVER)
    assert result.outcome.decision.done, result.outcome.decision.violations
    cluster.memory.settle(3)
    assert cluster.ready
    assert cluster.memory.kubelet.ended(certs.now()) == []
    assert sorted(nodes.signals) == ([(node, "TERM") for node in NODES] if security.has_tls else [])


def test_nodes_without_tls_are_restarted_one_after_the_other(
    cluster: WatchedCluster, nodes: ReloadingNodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operator has stored other certificates, and was killed before it restarted a node."""
    create(cluster, manifests=lasting(secured(PLAIN)))
    outlive_leaves(cluster)
    roller, killed = cluster.memory.operator.roller, [True, True]
    roll = roller.roll

    def rolled(*about: Any) -> None:
        if killed:
            killed.pop()
            raise ReconcileFailed("Interrupted", "the operator was restarted")
        roll(*about)

    monkeypatch.setattr(roller, "roll", rolled)
    cluster.memory.settle(2)
    assert cluster.memory.kubelet.ended(certs.now()) == NODES
    planned = plan(cluster.work(), inspect(cluster.work(), Intent(Goal.RECOVER)), Intent(Goal.RECOVER))
    assert [(step.reason, set(step.nodes)) for step in planned.steps if step.nodes] == [(RollReason.USE, set(NODES))]
    result = cluster.run(Goal.RECOVER)
    assert result.outcome.decision.done, result.outcome.decision.violations
    assert (nodes.signals, cluster.rolls, cluster.memory.kubelet.ended(certs.now())) == ([], {1}, [])


@EACH
@pytest.mark.parametrize("goal", [Goal.RENEW, Goal.REPLACE_KEY])
def test_users_change_their_ca_without_a_restart(
    clients_cluster: ClientsCluster, monkeypatch: pytest.MonkeyPatch, security: Security, goal: Goal
) -> None:
    """Listeners for users verify in each combination; the request to read again goes by the listener between nodes."""
    cluster = clients_cluster
    cluster.nodes = ReloadingNodes(cluster.memory)
    cluster.nodes.replace_requests(monkeypatch)
    cluster.begin(manifests=secured(security)())
    old = cluster.current
    cluster.finish(goal)
    assert cluster.current != old
    assert cluster.rolls == {0}
    assert bool(cluster.nodes.told) is (goal is Goal.REPLACE_KEY)


@pytest.mark.parametrize(
    "found",
    [
        {"encryption": {"type": "mesh"}, "authentication": {"type": "strimzi-mtls"}},
        {"encryption": {"type": "none"}, "authentication": {"type": "strimzi-mtls"}},
        {"encryption": {"type": "strimzi-tls"}},
        "none",
    ],
    ids=str,
)
@pytest.mark.parametrize(
    "goal", [Goal.UPGRADE, Goal.RENEW, Goal.REPLACE_KEY, Goal.DOWNGRADE, Goal.RECOVER, Goal.RECONCILE]
)
@pytest.mark.each_once
def test_an_unknown_type_holds_every_flow(
    cluster: WatchedCluster, nodes: ReloadingNodes, goal: Goal, found: Any
) -> None:
    if goal is Goal.UPGRADE:
        cluster.deploy(secured(MUTUAL)(generated=True))
    else:
        cluster.create(manifests=secured(MUTUAL)())
    cluster.memory.operator_runs = False
    cluster.change_status({"clusterSecurity": found})
    before = nodes.answers.asked
    result = cluster.run(goal)
    assert [one.condition for one in result.outcome.decision.violations] == [Condition.SECURITY_IS_KNOWN]
    assert (cluster.writes, nodes.answers.asked) == (0, before)

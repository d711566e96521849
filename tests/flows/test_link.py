# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The link certificate: the next CA's key certified by the one in use, so that no process has to restart to trust it first
(docs/operator.md, "Link certificates")."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import look, plan
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase

from ..tools.operator import certs
from ..tools.support.checker import verifies
from ..tools.support.memory_api import Change
from ..tools.support.restarts import Cost
from ..tools.support.watched_cluster import CERTIFICATES, KEYS, NAMESPACE, WatchedCluster, assert_only
from .cases import Object, roles_together

NEW_NAME = "CN=cluster-ca v1,O=io.strimzi"


def without_exporter() -> list[Object]:
    *pools, kafka = roles_together()
    del kafka["spec"]["kafkaExporter"]
    return [*pools, kafka]


def links(cluster: WatchedCluster) -> Iterator[tuple[str, str, int]]:
    """Where there are certificates of the next CA by another one: Secret, entry and position."""
    for secret in cluster.memory.api.all("secrets", NAMESPACE):
        name = secret["metadata"]["name"]
        for key, value in cluster.secret(name).items():
            for position, one in enumerate(certs.load(value) if b"BEGIN CERTIFICATE" in value else ()):
                if one.subject.rfc4514_string() == NEW_NAME and one.issuer != one.subject:
                    yield name, key, position


@pytest.mark.usefixtures("uptake")
def test_a_link_certificate_is_presented_behind_leaves_and_is_nowhere_else(cluster: WatchedCluster) -> None:
    """After every write: not where a process loads CAs from, and in no ledger."""
    cluster.create()
    seen: set[str] = set()

    def look(change: Change) -> None:
        found = list(links(cluster)) if change.plural == "secrets" else []
        misplaced = [one for one in found if one[2] != 1 and not (one[0] == KEYS and one[1].endswith(".link.crt"))]
        assert misplaced == [], f"after {change.verb} of {change.name}"
        seen.update(secret for secret, _key, _position in found)

    cluster.memory.api.listeners.append(look)
    cluster.finish(Goal.REPLACE_KEY, publishes_bundle=True)
    others = {"entity-topic-operator", "entity-user-operator", "cruise-control", "kafka-exporter"}
    assert seen == {KEYS, *cluster.memory.kubelet.nodes, *(f"demo-{one}-certs" for one in others)}
    # It stays for clients that know only the old CA, and in components as long as their leaf.
    assert {KEYS, *cluster.memory.kubelet.nodes} <= {secret for secret, _key, _position in links(cluster)}


@pytest.mark.parametrize(
    ("length", "manifests", "learning"),
    [
        # The exporter is a Go program, and applies the path length of the CA that it trusts (docs/operator.md,
        # "Path lengths").
        pytest.param(0, roles_together, {"kafka-exporter"}, id="0, an exporter"),
        pytest.param(1, roles_together, set(), id="1, an exporter"),
        pytest.param(None, roles_together, set(), id="none, an exporter"),
        pytest.param(0, without_exporter, set(), id="0, JVMs only"),
    ],
)
def test_a_component_that_would_refuse_the_link_restarts_before_the_link_is_used(
    cluster: WatchedCluster, length: int | None, manifests: Callable[[], list[Object]], learning: set[str]
) -> None:
    """Clients get no time, so the CA in use is not renewed first."""
    cluster.path_length = length
    cluster.create(manifests=manifests())
    processes = cluster.memory.kubelet.processes
    before = set(processes)
    cluster.run(Goal.REPLACE_KEY, client_grace=timedelta(0), last_phase=Phase.TRUST)
    assert {process.component for uid, process in processes.items() if uid not in before} == learning
    cluster.finish(Goal.REPLACE_KEY, client_grace=timedelta(0))
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY)
    assert_only(cluster, cluster.current)


@pytest.mark.parametrize("length", [0, 1])
def test_the_plan_says_who_restarts_before_it_is_used_and_why(cluster: WatchedCluster, length: int) -> None:
    cluster.path_length = length
    cluster.create()
    work, intent = cluster.work(), cluster.intent(Goal.REPLACE_KEY, client_grace=timedelta(0))
    planned = plan(work, look(work, intent), intent)
    restarted = [(step.nodes, *step.others) for step in planned.steps if step.phase is Phase.TRUST and step.others]
    (exporter,) = [one.pod for one in cluster.memory.kubelet.processes.values() if one.component == "kafka-exporter"]
    assert restarted == ([((), exporter)] if length == 0 else [])
    why = f"by a restart, to pod {exporter} (CN=cluster-ca v0,O=io.strimzi allows 0 CAs below it"
    assert any(why in choice for choice in planned.choices) is (length == 0), planned.choices


@pytest.mark.usefixtures("uptake")
@pytest.mark.parametrize(("phase", "goes_on_as"), [(Phase.TRUST, "unlinked"), (Phase.USE, "")], ids=str)
def test_a_flow_goes_on_when_its_link_certificate_is_deleted(
    cluster: WatchedCluster, phase: Phase, goes_on_as: str
) -> None:
    """Before it is used every process restarts to trust the new CA; afterwards no process needs the link certificate."""
    cluster.create()
    cluster.run(Goal.REPLACE_KEY, last_phase=phase)
    (link,) = [key for key in cluster.secret(KEYS) if key.endswith(".link.crt")]
    cluster.change("secrets", KEYS, {"data": {link: None}})
    cluster.finish(Goal.REPLACE_KEY)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY, goes_on_as)
    assert_only(cluster, cluster.current)


@pytest.mark.usefixtures("uptake")
def test_the_operator_stays_on_the_old_ca_until_the_switch(cluster: WatchedCluster) -> None:
    cluster.create()
    old = cluster.current
    stopped = cluster.run(Goal.REPLACE_KEY, last_phase=Phase.USE).outcome.decision
    assert stopped.done
    assert stopped.pending
    assert cluster.paid == Cost(1)
    assert cluster.issuers() == {NEW_NAME}
    assert (cluster.current, cluster.annotation("secrets", CERTIFICATES, "ca-cert-generation")) == (old, "0")
    assert old in cluster.trusted
    cluster.finish(Goal.RECONCILE)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY)
    assert_only(cluster, cluster.current)


@pytest.mark.parametrize("jvm", [True, False], ids=["JVM", "OpenSSL"])
@pytest.mark.parametrize("length", [0, 1])
def test_a_client_that_trusts_only_the_old_ca(cluster: WatchedCluster, length: int, jvm: bool) -> None:
    """It validates what every node presents until the old CA has left the trust; that is what a link is for."""
    cluster.path_length = length
    cluster.create(manifests=without_exporter())
    old, trusted = cluster.current, cluster.secret(CERTIFICATES)["ca.crt"]
    refused: list[str] = []

    def connect(change: Change) -> None:
        if old not in cluster.states:
            return
        for process in cluster.memory.kubelet.processes.values():
            for _secret, chain in process.presented if process.component == "kafka" else ():
                if not verifies(chain, trusted, jvm=jvm):
                    refused.append(f"{process.pod} after {change.verb} of {change.name}")

    cluster.memory.api.listeners.append(connect)
    cluster.finish(Goal.REPLACE_KEY, client_grace=timedelta(0))
    assert bool(refused) is (length == 0 and not jvm), refused[:1]


@pytest.mark.usefixtures("uptake")
def test_several_flows_in_a_row(cluster: WatchedCluster) -> None:
    """Replaced, replaced again, renewed, handed back: Raft clients know what they were started with, all the way."""
    cluster.create()
    for goal in (Goal.REPLACE_KEY, Goal.REPLACE_KEY, Goal.RENEW, Goal.REPLACE_KEY):
        old = cluster.current
        cluster.look_away()
        cluster.finish(goal, replaces=old)
        assert cluster.paid == cluster.cost(goal)
        assert_only(cluster, cluster.current, {old} if goal is Goal.RENEW else set())
        known = {old: cluster.node_uids} if cluster.nodes and goal is Goal.REPLACE_KEY else {}
        assert cluster.remembered("removed").get(old, set()) == known.get(old, set())
    cluster.finish(Goal.DOWNGRADE)
    cluster.memory.settle(3)
    assert cluster.ready
    assert cluster.issuers() == {"CN=cluster-ca v3,O=io.strimzi"}

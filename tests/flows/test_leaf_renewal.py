# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes' leaves are renewed under the same CA: read again by their listeners, without a restart."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.results import describe_snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import look
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import ReloadImpossible, RollStuck
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent, Spread

from ..tools.support.authorities import Authority, root
from ..tools.support.flows import START, FlowResult, work_on
from ..tools.support.golden import GoldenFiles
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.watched_cluster import IN_USE, LEDGER, NAMESPACE, Object, WatchedCluster, fingerprints
from .cases import DAY, LATER, Case, Layout, roles_apart, roles_together
from .test_kept_elsewhere import ASKED, elsewhere, moved


def leaves(cluster: WatchedCluster) -> dict[str, bytes]:
    """The stored leaf of each node."""
    return {pod: cluster.secret(pod)[f"{pod}.crt"] for pod in cluster.memory.restarts()}


def holders(cluster: WatchedCluster, stored: dict[str, bytes]) -> dict[str, set[str]]:
    """The ledger's record of the processes that present each leaf, when every running node was started with these leaves."""
    uids = {process.pod: uid for uid, process in cluster.memory.kubelet.processes.items()}
    return {fingerprints(pem)[0]: {uids[pod]} for pod, pem in stored.items()}


def renew(cluster: WatchedCluster, **intent: Any) -> FlowResult:
    return cluster.finish(Goal.RENEW_LEAVES, renew_before=timedelta(days=400), **intent)


@pytest.mark.parametrize("layout", [roles_together, roles_apart])
def test_nothing_restarts(cluster: WatchedCluster, nodes: ReloadingNodes, lasting: Authority, layout: Layout) -> None:
    cluster.create(lasting, manifests=layout())
    before = leaves(cluster)
    cluster.memory.seconds += LATER
    renew(cluster)
    cluster.memory.settle(3)
    assert cluster.paid == cluster.cost(Goal.RENEW_LEAVES), "the operator found something to restart"
    assert cluster.states == {lasting.fingerprint: IN_USE}
    assert all(leaves(cluster)[pod] != pem for pod, pem in before.items())
    assert cluster.remembered("leaf") == holders(cluster, before)
    assert set().union(*cluster.remembered("leaf", "pods").values()) == set()
    assert cluster.ready


def test_leaves_before_their_time_for_renewal_stay(
    cluster: WatchedCluster, nodes: ReloadingNodes, lasting: Authority
) -> None:
    """Half of its life is left, or more than was asked for."""
    cluster.create(lasting)
    before = leaves(cluster)
    cluster.memory.seconds += 150 * DAY
    renew(cluster)
    cluster.memory.seconds += 50 * DAY
    cluster.finish(Goal.RENEW_LEAVES, renew_before=timedelta(days=100))
    assert (leaves(cluster), cluster.rolls, nodes.told) == (before, {0}, [])


def test_restarted_where_nodes_cannot_be_told(
    cluster: WatchedCluster, nodes: ReloadingNodes, lasting: Authority
) -> None:
    cluster.create(lasting)
    before = leaves(cluster)
    cluster.memory.seconds += LATER
    renew(cluster, spread=Spread.RESTART)
    assert all(leaves(cluster)[pod] != pem for pod, pem in before.items())
    assert (cluster.rolls, nodes.told, cluster.remembered("leaf")) == ({1}, [], {})


def test_restarted_where_a_node_refuses(cluster: WatchedCluster, nodes: ReloadingNodes, lasting: Authority) -> None:
    """The refusal shows when the operator has been told already: the flow asks for the restarts."""

    def refuse(pod: str) -> None:
        raise ReloadImpossible(f"Kafka node {pod}", "does not read its certificates again: no", "Restart it.")

    nodes.before = refuse
    cluster.create(lasting)
    cluster.memory.seconds += LATER
    result = renew(cluster)
    assert (cluster.rolls, cluster.remembered("leaf")) == ({1}, {})
    assert any("restarted instead" in warning for warning in result.warnings)


def test_a_node_that_goes_on_as_before_holds_the_flow(
    cluster: WatchedCluster, nodes: ReloadingNodes, lasting: Authority, golden: GoldenFiles
) -> None:
    cluster.create(lasting)
    before = leaves(cluster)
    cluster.memory.seconds += LATER
    nodes.deaf = {"demo-kafka-1"}
    with pytest.raises(RollStuck) as stuck:
        renew(cluster)
    golden.compare_said("flows", stuck.value)
    assert cluster.remembered("leaf", "pods") == holders(cluster, before)
    nodes.deaf = set()
    renew(cluster)
    assert (cluster.rolls, cluster.remembered("leaf")) == ({0}, holders(cluster, before))


def test_former_leaves_are_forgotten_with_their_processes(
    cluster: WatchedCluster, nodes: ReloadingNodes, lasting: Authority
) -> None:
    cluster.create(lasting)
    cluster.memory.seconds += LATER
    renew(cluster)
    for left in (1, 0):
        cluster.restart(f"demo-kafka-{left}")
        cluster.run(Goal.RECONCILE)
        assert len(cluster.remembered("leaf")) == left
    assert cluster.states == {lasting.fingerprint: IN_USE}


def test_a_lost_ledger_comes_back_with_the_leaves_that_processes_hold(
    cluster: WatchedCluster, nodes: ReloadingNodes, lasting: Authority
) -> None:
    """A new ledger, made from evidence, would forget them: no call would restart their processes before they end."""
    cluster.create(lasting)
    cluster.memory.seconds += LATER
    cluster.backs_up = True
    renew(cluster)
    known = cluster.remembered("leaf")
    assert known
    cluster.look_elsewhere()
    cluster.memory.api.request("DELETE", f"/api/v1/namespaces/{NAMESPACE}/secrets/{LEDGER}")
    (held,) = cluster.run(Goal.RECONCILE).outcome.decision.violations
    assert held.condition is Condition.SECRETS_ARE_COMPLETE
    cluster.finish(Goal.RECOVER)
    cluster.finish(Goal.RECONCILE)
    assert cluster.remembered("leaf") == known


def with_a_lasting_clients_ca() -> list[Object]:
    """A clients CA that lasts: the operator would renew it by itself, and restart all nodes for it."""
    made = roles_together()
    for manifest in made:
        if manifest["kind"] == "Kafka":
            manifest["spec"]["clientsCa"] = {"validityDays": 3650}
    return made


@pytest.mark.parametrize("goal", [Goal.RECONCILE, Goal.RENEW_LEAVES])
def test_a_restart_is_asked_for_before_a_former_leaf_ends(
    cluster: WatchedCluster, nodes: ReloadingNodes, lasting: Authority, goal: Goal
) -> None:
    cluster.create(lasting, manifests=with_a_lasting_clients_ca())
    ends = 365 * DAY - cluster.memory.seconds
    cluster.memory.seconds += LATER
    renew(cluster)
    cluster.memory.seconds += ends - LATER - 8 * DAY
    cluster.finish(goal)
    assert cluster.rolls == {0}
    cluster.memory.seconds += 2 * DAY
    cluster.finish(goal)
    assert (cluster.rolls, cluster.remembered("leaf")) == ({1}, {})


def test_a_renewed_ca_leaves_them_to_their_processes(
    cluster: WatchedCluster, nodes: ReloadingNodes, lasting: Authority
) -> None:
    """The renewed CA has the key of the one before, so that no process has to give its leaf up for it."""
    cluster.create(lasting)
    stored = leaves(cluster)
    cluster.memory.seconds += LATER
    renew(cluster)
    cluster.finish(Goal.RENEW)
    assert cluster.rolls == {cluster.cost(Goal.RENEW).restarts}
    assert holders(cluster, stored).items() <= cluster.remembered("leaf").items()


def test_a_replacement_restarts_them(cluster: WatchedCluster, nodes: ReloadingNodes, lasting: Authority) -> None:
    """A former leaf is a leaf in use: its CA cannot leave while a Raft client presents it (I2)."""
    cluster.create(lasting)
    cluster.memory.seconds += LATER
    renew(cluster)
    cluster.finish(Goal.REPLACE_KEY)
    assert cluster.rolls == {cluster.cost(Goal.REPLACE_KEY).restarts}
    assert cluster.remembered("leaf") == {}
    assert cluster.states == {cluster.current: IN_USE}


def test_handing_back_leaves_none(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    """The operator would not know of the former leaves."""
    Case(Goal.RENEW_LEAVES).begin(cluster)
    renew(cluster)
    cluster.look_away()
    cluster.finish(Goal.DOWNGRADE)
    assert cluster.paid == cluster.cost(Goal.DOWNGRADE, "after a renewal")


def test_leaves_that_end_with_their_ca(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    """Nothing can be gained under this CA, and the caller has to know."""
    cluster.create(root(end=START + timedelta(days=300)))
    cluster.finish(Goal.REPLACE_KEY, root("Second Root", end=START + timedelta(days=300)))
    cluster.memory.seconds += 250 * DAY
    decision = cluster.run(Goal.RENEW_LEAVES, renew_before=timedelta(days=400)).outcome.decision
    assert {violation.condition for violation in decision.violations} == {Condition.LEAVES_CAN_BE_RENEWED}
    assert "renew playbook" in decision.violations[0].remedy


def remainders(cluster: WatchedCluster) -> list[list[str]]:
    """Pods by remainder, as ``status`` shows them; it writes nothing."""
    shown = describe_snapshot(look(work_on(cluster.memory), Intent(Goal.RECONCILE)).observation.snapshot)
    return [one["pods"] + one["lingering"] for one in (*shown["removed"], *shown["former_leaves"])]


def test_status_shows_what_is_left_until_its_pod_has_ended(
    cluster: WatchedCluster, nodes: ReloadingNodes, lasting: Authority
) -> None:
    cluster.create()
    cluster.finish(Goal.REPLACE_KEY, lasting)
    cluster.memory.seconds += LATER
    renew(cluster)
    both = ["demo-kafka-0", "demo-kafka-1"]
    assert sorted(remainders(cluster)) == [both[:1], both, both[1:]]
    cluster.restart(both[0])
    assert sorted(remainders(cluster)) == [both[1:], both[1:]]
    cluster.restart(both[1])
    assert remainders(cluster) == []


def sha256_of(cluster: WatchedCluster, secret: str) -> str:
    """Of the certificate in this Secret of a leaf."""
    (pem,) = (value for key, value in cluster.secret(secret).items() if key.endswith(".crt") and key != "ca.crt")
    return parse_certificates(pem)[0].sha256


@pytest.mark.parametrize("signed_here", [True, False])
@pytest.mark.parametrize("secret", ["demo-kafka-0", "demo-entity-topic-operator-certs", "demo-cruise-control-certs"])
@pytest.mark.each_once
def test_a_good_leaf_is_issued_again_where_the_intent_asks_for_it(
    cluster: WatchedCluster, nodes: ReloadingNodes, secret: str, signed_here: bool
) -> None:
    """Only that one, and once a call. A node reads it again, and the pod of a component restarts."""
    cluster.create()
    signing = None if signed_here else moved(cluster, elsewhere(root("Corporate Root")))
    others = {"demo-kafka-0", "demo-kafka-1", "demo-kafka-exporter-certs"} - {secret}
    before, kept = sha256_of(cluster, secret), {name: sha256_of(cluster, name) for name in others}
    intent = {
        "unwanted_leaves": frozenset({before}),
        "renew_before": timedelta(0),
        "external_issuer": "" if signed_here else ASKED,
    }
    nodes.told.clear()
    if signing:
        asked = cluster.run(Goal.RENEW_LEAVES, **intent)
        assert (asked.outcome.decision.done, sha256_of(cluster, secret)) == (False, before)
        signing.work()
    cluster.finish(Goal.RENEW_LEAVES, **intent)
    cluster.memory.settle(2)
    assert sha256_of(cluster, secret) != before
    assert {name: sha256_of(cluster, name) for name in others} == kept
    assert cluster.rolls == {0}
    assert set(nodes.told) == {secret} & {"demo-kafka-0"}

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaves and CA changed without a restart, and the operator told: it re-issues nothing and rolls nothing.

The end of a linked key replacement, as in docs/operator.md, "Link certificates", made by hand: old CA A, new CA
B, X is B's key certified by A.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import ReloadImpossible
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.stamping import stamp_pods
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import observe
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import StampPods

from ..tools.operator import certs, clusters
from ..tools.support.authorities import Authority, root, under
from ..tools.support.flows import work_on
from ..tools.support.golden import GoldenFiles
from ..tools.support.killing import KillingTransport
from ..tools.support.watched_cluster import CERTIFICATES, CLUSTER, KEYS, NAMESPACE, WatchedCluster, subject

Object = dict[str, Any]

OPERATOR = "demo-cluster-operator-certs"
SHAPES = {"dual role": clusters.dual_role, "separate controllers": clusters.separate_roles}


@dataclass(frozen=True)
class Reloaded:
    """A paused cluster: CA Secrets, node Secrets and the operator's say generation 1, nodes were not restarted for it."""

    cluster: WatchedCluster
    new: Authority
    #: Pods and StrimziPodSets as they are, by plural and name.
    untold: dict[tuple[str, str], Object]

    @property
    def nodes(self) -> list[str]:
        return sorted(self.cluster.memory.kubelet.nodes)

    def tell(self, generation: int | None = 1) -> int:
        """Tells the operator by ``stamp_pods``, which is under test here. Returns how many writes it took."""
        transport = KillingTransport(self.cluster.memory.api)
        work = work_on(self.cluster.memory, transport)
        observation = observe(work.client, work.scope, work.clock.now())
        stamp_pods(StampPods(phase=Phase.RETIRE, generation=generation, key_generation=1), observation, work)
        assert transport.unconditional == []
        return transport.writes

    def resume(self) -> dict[str, int]:
        """How often each node was restarted, from the hand-made changes on until the operator is quiet."""
        pause(self.cluster, None)
        self.cluster.memory.settle(4)
        assert self.cluster.ready
        return self.cluster.counts()

    def put_back(self, plural: str, name: str, annotations: Callable[[Object, Object], Object]) -> None:
        """annotations: from those of the untold pod and those of the present one, for each pod in this object."""
        old, new = self.untold[plural, name], self.cluster.memory.api.find(plural, NAMESPACE, name)
        assert new
        if plural == "pods":
            change(self.cluster, plural, name, {"metadata": {"annotations": annotations(marks(old), marks(new))}})
            return
        pods = [
            {**pod, "metadata": {**pod["metadata"], "annotations": annotations(marks(bare), marks(pod))}}
            for bare, pod in zip(old["spec"]["pods"], new["spec"]["pods"], strict=True)
        ]
        change(self.cluster, plural, name, {"spec": {"pods": pods}})


def marks(pod: Object) -> Object:
    found: Object = pod["metadata"]["annotations"]
    return found


def change(cluster: WatchedCluster, plural: str, name: str, patch: Object) -> None:
    root_path = "/apis/core.strimzi.io/v1" if plural == "strimzipodsets" else "/api/v1"
    path = f"{root_path}/namespaces/{NAMESPACE}/{plural}/{name}"
    response = cluster.memory.api.request("PATCH", path, body=patch, content_type="application/merge-patch+json")
    assert response.status == 200, response.body


def pause(cluster: WatchedCluster, value: str | None) -> None:
    cluster.change("kafkas", CLUSTER, {"metadata": {"annotations": {"strimzi.io/pause-reconciliation": value}}})
    cluster.memory.settle(1)


def mark(cluster: WatchedCluster, secret: str, **annotations: str) -> None:
    named = {f"strimzi.io/{key.replace('_', '-')}": value for key, value in annotations.items()}
    cluster.change("secrets", secret, {"metadata": {"annotations": named}})


def issue(cluster: WatchedCluster, secret: str, entry: str, issuer: Authority, behind: bytes) -> None:
    """Stores a new leaf in the place of the one that is there, with its names."""
    before, key = certs.load(cluster.secret(secret)[f"{entry}.crt"])[0], certs.new_leaf_key()
    signing = certs.load_key(issuer.keys[0].reveal())
    own = certs.leaf(before.subject, certs.names_of(before), key, issuer.pem, signing, 365)
    assert own
    cluster.put(secret, **{f"{entry}_crt": own + behind, f"{entry}_key": certs.key_pem(key)})


def use(cluster: WatchedCluster, old: Authority, new: Authority) -> None:
    """The one roll that there is: nodes present leaf, X and A, and trust A and B."""
    cluster.put(CERTIFICATES, b_crt=new.pem)
    cluster.memory.settle(1)
    for node in cluster.memory.kubelet.nodes:
        issue(cluster, node, node, new, under(old, new).pem)
    cluster.memory.settle(3)
    assert cluster.ready
    assert cluster.rolls == {1}


def switch(cluster: WatchedCluster, new: Authority) -> None:
    """B alone: the operator's certificate is issued again, the nodes' stay and lose X and A behind them."""
    issue(cluster, OPERATOR, "cluster-operator", new, b"")
    mark(cluster, OPERATOR, cluster_ca_cert_generation="1")
    for node in cluster.memory.kubelet.nodes:
        leaf = certs.pem(certs.load(cluster.secret(node)[f"{node}.crt"])[0])
        cluster.put(node, **{f"{node}_crt": leaf + new.pem})
        mark(cluster, node, cluster_ca_cert_generation="1")
    cluster.put(KEYS, ca_key=new.keys[0].reveal())
    mark(cluster, KEYS, ca_key_generation="1")
    cluster.put(CERTIFICATES, ca_crt=new.pem)
    cluster.change("secrets", CERTIFICATES, {"data": {"b.crt": None}})
    mark(cluster, CERTIFICATES, ca_cert_generation="1")


@pytest.fixture(params=SHAPES.values(), ids=SHAPES)
def reloaded(request: pytest.FixtureRequest, cluster: WatchedCluster) -> Reloaded:
    old, new = root("A"), root("B")
    cluster.store(old)
    cluster.deploy(request.param(CLUSTER, NAMESPACE, replicas=3, components=False))
    cluster.look_away()
    use(cluster, old, new)
    pause(cluster, "true")
    switch(cluster, new)
    cluster.look_away()
    untold = {
        (plural, one["metadata"]["name"]): one
        for plural in ("pods", "strimzipodsets")
        for one in cluster.memory.api.all(plural, NAMESPACE)
    }
    return Reloaded(cluster, new, untold)


def only(reloaded: Reloaded, restarted: dict[str, int]) -> dict[str, int]:
    return {**dict.fromkeys(reloaded.nodes, 0), **restarted}


def test_when_all_is_told_nothing_is_issued_and_nothing_rolled(reloaded: Reloaded) -> None:
    cluster = reloaded.cluster
    kept = {name: cluster.secret(name) for name in (*reloaded.nodes, OPERATOR)}
    sets = {name for plural, name in reloaded.untold if plural == "strimzipodsets"}
    assert reloaded.tell() == len(sets) + len(reloaded.nodes)
    told = {name: cluster.memory.api.find("strimzipodsets", NAMESPACE, name) for name in sets}
    assert reloaded.resume() == only(reloaded, {})
    assert cluster.issued_by_operator == []
    assert {name: cluster.secret(name) for name in kept} == kept
    assert cluster.secret("demo-trustbundle")["cluster-ca.crt"] == reloaded.new.pem
    assert cluster.issuers() == {subject(reloaded.new.pem)}
    # The operator's own model is what it was told: it had nothing to write.
    assert {name: cluster.memory.api.find("strimzipodsets", NAMESPACE, name) for name in sets} == told


def test_a_node_that_restarts_later_comes_back_the_same(reloaded: Reloaded) -> None:
    """The pod and its StrimziPodSet are both told, so it also holds while nothing is reconciled."""
    name = reloaded.nodes[0]
    reloaded.tell()
    reloaded.cluster.memory.api.request("DELETE", f"/api/v1/namespaces/{NAMESPACE}/pods/{name}")
    reloaded.cluster.memory.settle(1)
    assert reloaded.resume() == only(reloaded, {name: 1})
    assert reloaded.cluster.issued_by_operator == []


def test_told_before_it_is_told_again(reloaded: Reloaded) -> None:
    reloaded.tell()
    assert reloaded.tell() == 0


def test_without_a_word_every_node_is_rolled_for_trust_and_for_use(reloaded: Reloaded) -> None:
    assert reloaded.resume() == dict.fromkeys(reloaded.nodes, 2)


def test_where_they_are_to_restart_the_key_generation_alone_spares_the_roll_for_trust(reloaded: Reloaded) -> None:
    reloaded.tell(generation=None)
    assert reloaded.resume() == dict.fromkeys(reloaded.nodes, 1)


def test_without_the_revision_every_node_is_rolled(reloaded: Reloaded) -> None:
    """Generation and leaf are told, in both places: it is not enough (docs/operator.md, "Pod sets")."""
    key = "strimzi.io/revision"
    reloaded.tell()
    for plural, name in reloaded.untold:
        reloaded.put_back(plural, name, lambda old, new: {**new, key: old[key]})
    assert reloaded.resume() == dict.fromkeys(reloaded.nodes, 1)


def test_a_live_pod_that_was_not_told_of_is_rolled_alone(reloaded: Reloaded) -> None:
    name = reloaded.nodes[1]
    reloaded.tell()
    reloaded.put_back("pods", name, lambda old, new: old)
    assert reloaded.resume() == only(reloaded, {name: 1})


@pytest.mark.parametrize("recreated", [False, True])
def test_an_entry_that_was_not_told_of_costs_what_it_would_have_spared_once_its_pod_is_recreated(
    recreated: bool, reloaded: Reloaded
) -> None:
    """While nothing is reconciled a pod comes back as its StrimziPodSet has it; the resumed operator writes that again."""
    pod_set = next(name for plural, name in reloaded.untold if plural == "strimzipodsets")
    name = reloaded.untold["strimzipodsets", pod_set]["spec"]["pods"][0]["metadata"]["name"]
    reloaded.tell()
    reloaded.put_back("strimzipodsets", pod_set, lambda old, new: old)
    if recreated:
        reloaded.cluster.memory.api.request("DELETE", f"/api/v1/namespaces/{NAMESPACE}/pods/{name}")
        reloaded.cluster.memory.settle(1)
    assert reloaded.resume() == only(reloaded, {name: 3} if recreated else {})


def test_a_restart_that_is_due_for_another_reason_is_not_hidden(reloaded: Reloaded, golden: GoldenFiles) -> None:
    """The operator raises the generation of the clients CA in spec.pods before it rolls; caught in between, nothing is told."""
    pod_set = next(name for plural, name in reloaded.untold if plural == "strimzipodsets")
    raised = {"strimzi.io/clients-ca-cert-generation": "1"}
    reloaded.put_back("strimzipodsets", pod_set, lambda old, new: {**new, **raised})
    with pytest.raises(ReloadImpossible) as refused:
        reloaded.tell()
    golden.compare_said("flows", refused.value, min(reloaded.nodes))
    assert reloaded.resume() == dict.fromkeys(reloaded.nodes, 2)

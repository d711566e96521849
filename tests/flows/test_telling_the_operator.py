# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaves and CA changed without a restart, and the operator told: it re-issues nothing and rolls nothing.

The end of a bridged key replacement, as in operator-facts, "The reload": old CA A, new CA B, X is B's key certified by A.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.errors import RollNeeded
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.observe import observe
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.stamping import stamp_pods
from ansible_collections.trustops.strimzi.tests.fakes.flows import work_on
from ansible_collections.trustops.strimzi.tests.faults.killing import KillingTransport
from ansible_collections.trustops.strimzi.tests.operator import certs, clusters

from .authorities import Authority, root, under
from .scene import CERTIFICATES, CLUSTER, KEYS, NAMESPACE, Scene, subject

Object = dict[str, Any]

OPERATOR = "demo-cluster-operator-certs"
SHAPES = {"dual role": clusters.dual_role, "separate controllers": clusters.separate_roles}


@dataclass(frozen=True)
class Reloaded:
    """Paused; CA Secrets, node Secrets and the operator's say generation 2, nodes were not restarted for it.

    bridged: pods and StrimziPodSets as they are, by plural and name.
    """

    scene: Scene
    new: Authority
    bridged: dict[tuple[str, str], Object]

    @property
    def nodes(self) -> list[str]:
        return sorted(self.scene.world.kubelet.nodes)

    def tell(self, generation: int = 2) -> int:
        """What is under test. How many writes it took."""
        transport = KillingTransport(self.scene.world.api)
        work = work_on(self.scene.world, transport)
        observation = observe(work.client, work.scope, work.clock.now())
        stamp_pods(generation, "use", observation, work)
        assert transport.unconditional == []
        return transport.writes

    def resume(self) -> dict[str, int]:
        """How often each node was restarted, from the hand-made changes on until the operator is quiet."""
        pause(self.scene, None)
        self.scene.world.settle(4)
        assert self.scene.ready
        return self.scene.counts()

    def put_back(self, plural: str, name: str, annotations: Callable[[Object, Object], Object]) -> None:
        """annotations: from those of the bridged pod and those of the present one, for each pod in this object."""
        old, new = self.bridged[plural, name], self.scene.world.api.find(plural, NAMESPACE, name)
        assert new
        if plural == "pods":
            change(self.scene, plural, name, {"metadata": {"annotations": annotations(marks(old), marks(new))}})
            return
        pods = [
            {**pod, "metadata": {**pod["metadata"], "annotations": annotations(marks(bare), marks(pod))}}
            for bare, pod in zip(old["spec"]["pods"], new["spec"]["pods"], strict=True)
        ]
        change(self.scene, plural, name, {"spec": {"pods": pods}})


def marks(pod: Object) -> Object:
    found: Object = pod["metadata"]["annotations"]
    return found


def change(scene: Scene, plural: str, name: str, patch: Object) -> None:
    root_path = "/apis/core.strimzi.io/v1" if plural == "strimzipodsets" else "/api/v1"
    path = f"{root_path}/namespaces/{NAMESPACE}/{plural}/{name}"
    response = scene.world.api.request("PATCH", path, body=patch, content_type="application/merge-patch+json")
    assert response.status == 200, response.body


def pause(scene: Scene, value: str | None) -> None:
    scene.change("kafkas", CLUSTER, {"metadata": {"annotations": {"strimzi.io/pause-reconciliation": value}}})
    scene.world.settle(1)


def mark(scene: Scene, secret: str, **annotations: str) -> None:
    named = {f"strimzi.io/{key.replace('_', '-')}": value for key, value in annotations.items()}
    scene.change("secrets", secret, {"metadata": {"annotations": named}})


def bridge(scene: Scene, old: Authority, new: Authority) -> None:
    """The one roll that there is: nodes present leaf, X and A, and trust A and B."""
    pause(scene, "true")
    scene.put(CERTIFICATES, ca_crt=under(old, new).pem, a_crt=old.pem, b_crt=new.pem)
    scene.put(KEYS, ca_key=new.keys[0].reveal())
    mark(scene, CERTIFICATES, ca_cert_generation="1")
    mark(scene, OPERATOR, cluster_ca_cert_generation="1")
    pause(scene, None)
    scene.world.settle(3)
    assert scene.ready
    assert scene.rolls == {1}


def take_over(scene: Scene, new: Authority) -> None:
    """B alone: the operator's certificate is issued anew, the nodes' stay and lose X and A behind them."""
    key = certs.new_leaf_key()
    own = certs.leaf(certs.name("cluster-operator"), (), key, new.pem, certs.load_key(new.keys[0].reveal()), 365)
    assert own
    scene.put(OPERATOR, **{"cluster-operator_crt": own, "cluster-operator_key": certs.key_pem(key)})
    for node in scene.world.kubelet.nodes:
        leaf = certs.pem(certs.load(scene.secret(node)[f"{node}.crt"])[0])
        scene.put(node, **{f"{node}_crt": leaf + new.pem})
        mark(scene, node, cluster_ca_cert_generation="2")
    mark(scene, OPERATOR, cluster_ca_cert_generation="2")
    scene.put(CERTIFICATES, ca_crt=new.pem)
    scene.change("secrets", CERTIFICATES, {"data": {"a.crt": None, "b.crt": None}})
    mark(scene, CERTIFICATES, ca_cert_generation="2")


@pytest.fixture(params=SHAPES.values(), ids=SHAPES)
def reloaded(request: pytest.FixtureRequest, scene: Scene) -> Reloaded:
    old, new = root("A"), root("B")
    scene.store(old)
    scene.deploy(request.param(CLUSTER, NAMESPACE, replicas=3, components=False))
    scene.look_away()
    bridge(scene, old, new)
    pause(scene, "true")
    take_over(scene, new)
    scene.look_away()
    bridged = {
        (plural, one["metadata"]["name"]): one
        for plural in ("pods", "strimzipodsets")
        for one in scene.world.api.all(plural, NAMESPACE)
    }
    return Reloaded(scene, new, bridged)


def only(reloaded: Reloaded, restarted: dict[str, int]) -> dict[str, int]:
    return {**dict.fromkeys(reloaded.nodes, 0), **restarted}


def test_when_all_is_told_nothing_is_issued_and_nothing_rolled(reloaded: Reloaded) -> None:
    scene = reloaded.scene
    kept = {name: scene.secret(name) for name in (*reloaded.nodes, OPERATOR)}
    sets = {name for plural, name in reloaded.bridged if plural == "strimzipodsets"}
    assert reloaded.tell() == len(sets) + len(reloaded.nodes)
    told = {name: scene.world.api.find("strimzipodsets", NAMESPACE, name) for name in sets}
    assert reloaded.resume() == only(reloaded, {})
    assert scene.issued_by_operator == []
    assert {name: scene.secret(name) for name in kept} == kept
    assert scene.secret("demo-trustbundle")["cluster-ca.crt"] == reloaded.new.pem
    assert scene.issuers() == {subject(reloaded.new.pem)}
    # The operator's own model is what it was told: it had nothing to write.
    assert {name: scene.world.api.find("strimzipodsets", NAMESPACE, name) for name in sets} == told


def test_a_node_that_restarts_later_comes_back_the_same(reloaded: Reloaded) -> None:
    """Both places: also while nothing is reconciled."""
    name = reloaded.nodes[0]
    reloaded.tell()
    reloaded.scene.world.api.request("DELETE", f"/api/v1/namespaces/{NAMESPACE}/pods/{name}")
    reloaded.scene.world.settle(1)
    assert reloaded.resume() == only(reloaded, {name: 1})
    assert reloaded.scene.issued_by_operator == []


def test_told_before_it_is_told_again(reloaded: Reloaded) -> None:
    reloaded.tell()
    assert reloaded.tell() == 0


def test_without_a_word_every_node_is_rolled(reloaded: Reloaded) -> None:
    assert reloaded.resume() == dict.fromkeys(reloaded.nodes, 1)


def test_without_the_revision_every_node_is_rolled(reloaded: Reloaded) -> None:
    """Generation and leaf are told, in both places: it is not enough (strimzi.md 5.4)."""
    key = "strimzi.io/revision"
    reloaded.tell()
    for plural, name in reloaded.bridged:
        reloaded.put_back(plural, name, lambda old, new: {**new, key: old[key]})
    assert reloaded.resume() == dict.fromkeys(reloaded.nodes, 1)


def test_a_live_pod_that_was_not_told_of_is_rolled_alone(reloaded: Reloaded) -> None:
    name = reloaded.nodes[1]
    reloaded.tell()
    reloaded.put_back("pods", name, lambda old, new: old)
    assert reloaded.resume() == only(reloaded, {name: 1})


@pytest.mark.parametrize("recreated", [False, True])
def test_an_entry_that_was_not_told_of_costs_a_roll_once_its_pod_is_recreated(
    recreated: bool, reloaded: Reloaded
) -> None:
    """While nothing is reconciled a pod comes back as its StrimziPodSet has it; the resumed operator writes that anew."""
    pod_set = next(name for plural, name in reloaded.bridged if plural == "strimzipodsets")
    name = reloaded.bridged["strimzipodsets", pod_set]["spec"]["pods"][0]["metadata"]["name"]
    reloaded.tell()
    reloaded.put_back("strimzipodsets", pod_set, lambda old, new: old)
    if recreated:
        reloaded.scene.world.api.request("DELETE", f"/api/v1/namespaces/{NAMESPACE}/pods/{name}")
        reloaded.scene.world.settle(1)
    assert reloaded.resume() == only(reloaded, {name: 2} if recreated else {})


def test_a_restart_that_is_due_for_another_reason_is_not_hidden(reloaded: Reloaded) -> None:
    """The operator raises the key generation in spec.pods before it rolls; caught in between, nothing is told."""
    pod_set = next(name for plural, name in reloaded.bridged if plural == "strimzipodsets")
    raised = {"strimzi.io/cluster-ca-key-generation": "1"}
    reloaded.put_back("strimzipodsets", pod_set, lambda old, new: {**new, **raised})
    with pytest.raises(RollNeeded):
        reloaded.tell()
    assert reloaded.resume() == dict.fromkeys(reloaded.nodes, 1)

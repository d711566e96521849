# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Listeners whose addresses the platform gives: a new node's is known when the operator has made it, and not when its leaf is issued."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.node_pools import Growth
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..tools.operator import clusters
from ..tools.support.authorities import root
from ..tools.support.memory_cluster import MemoryCluster
from ..tools.support.signing_office import SigningOffice
from ..tools.support.watched_cluster import CLUSTER, NAMESPACE, WatchedCluster
from .test_kept_elsewhere import ASKED, elsewhere, moved, names_in, run
from .test_kept_elsewhere import scale as scale_by_hand
from .test_scaling import replicas, scale_to
from .test_spare_leaves import NEXT

pytestmark = [
    pytest.mark.usefixtures("uptake"),
    pytest.mark.parametrize("uptake", [True], ids=["reload"], indirect=True),
]
LISTENER = {"name": "lb", "port": 9095, "type": "loadbalancer", "tls": True}
SERVICES = f"/api/v1/namespaces/{NAMESPACE}/services"
BOOTSTRAP, OWN = "demo-kafka-lb-bootstrap", "demo-kafka-lb-2"


def host(service: str) -> str:
    return f"{service}.lb.example"


def cloud(memory: MemoryCluster) -> None:
    """A cloud gives each load balancer an address, some time after it was made."""
    for service in memory.api.request("GET", SERVICES).body["items"]:
        if service["spec"].get("type") == "LoadBalancer" and not service.get("status"):
            give_address(memory, service["metadata"]["name"], host(service["metadata"]["name"]))


def give_address(memory: MemoryCluster, service: str, address: str) -> None:
    body = {"status": {"loadBalancer": {"ingress": [{"hostname": address}]}}}
    path, media = f"{SERVICES}/{service}/status", "application/merge-patch+json"
    assert memory.api.request("PATCH", path, body=body, content_type=media).status == 200


@pytest.fixture
def signing(cluster: WatchedCluster) -> SigningOffice:
    """Two nodes behind load balancers; an outside issuer keeps the key of the CA, and a certificate for the next node is at hand."""
    pool, kafka = clusters.dual_role(CLUSTER, NAMESPACE, replicas=2)
    kafka["spec"]["kafka"]["listeners"] = [*clusters.LISTENERS, LISTENER]
    cluster.memory.neighbours.append(lambda: cloud(cluster.memory))
    cluster.create(manifests=[pool, kafka])
    office = moved(cluster, elsewhere(root("Corporate Root")))
    assert {host(BOOTSTRAP), host("demo-kafka-lb-0")} <= names_in(cluster, "demo-kafka-0")
    cluster.growth = Growth(1)
    run(cluster, Goal.RECONCILE)
    office.work()
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    office.signed.clear()
    cluster.look_away()
    return office


def unaddressed(cluster: WatchedCluster) -> dict[str, Any]:
    return dict(run(cluster, Goal.RECONCILE).outcome.observation.snapshot.pools.unaddressed)


def heal(cluster: WatchedCluster, office: SigningOffice) -> None:
    """Nothing restarts: the operator starts the node when its certificate is right."""
    assert not cluster.ready
    assert NEXT not in cluster.memory.kubelet.nodes
    office.work()
    run(cluster, Goal.RECONCILE)
    cluster.memory.settle(2)
    assert (cluster.ready, cluster.rolls) == (True, {0})
    assert NEXT in cluster.memory.kubelet.nodes
    assert {host(BOOTSTRAP), host(OWN)} <= names_in(cluster, NEXT)
    assert "demo-kafka-0" not in office.signed


def test_the_next_run_has_a_new_node_certified_with_its_address(
    cluster: WatchedCluster, signing: SigningOffice
) -> None:
    scale_to(cluster, 3)
    assert (replicas(cluster), signing.signed) == (3, [])
    cluster.memory.settle(2)
    asked = run(cluster, Goal.RECONCILE).outcome.decision
    assert f"{NEXT}: it lacks {host(OWN)}" in asked.waiting[1]
    heal(cluster, signing)
    assert unaddressed(cluster) == {}


def test_the_same_holds_where_a_user_scales_by_hand(cluster: WatchedCluster, signing: SigningOffice) -> None:
    scale_by_hand(cluster, 3)
    cluster.memory.settle(2)
    run(cluster, Goal.RECONCILE)
    heal(cluster, signing)


def test_while_there_is_no_address_nothing_is_asked_for(cluster: WatchedCluster, signing: SigningOffice) -> None:
    """The names that are stored are kept: the operator itself waits for the address."""
    cluster.memory.neighbours.clear()
    scale_to(cluster, 3)
    cluster.memory.settle(2)
    assert not cluster.ready
    seen = run(cluster, Goal.RECONCILE).outcome.observation.snapshot
    assert (seen.leaves.misnamed, set(seen.pools.unaddressed)) == ({}, {NEXT})


def test_an_address_that_changes_is_followed(cluster: WatchedCluster, signing: SigningOffice) -> None:
    """The old one leaves: the operator wants exactly the addresses that there are."""
    give_address(cluster.memory, "demo-kafka-lb-1", "other.lb.example")
    cluster.memory.settle(1)
    assert not cluster.ready
    run(cluster, Goal.RECONCILE)
    signing.work()
    run(cluster, Goal.RECONCILE)
    cluster.memory.settle(2)
    assert cluster.ready
    names = names_in(cluster, "demo-kafka-1")
    assert ("other.lb.example" in names, host("demo-kafka-lb-1") in names) == (True, False)

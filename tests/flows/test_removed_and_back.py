# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Another writer puts a CA back that has left the trust: it is removed again, and each pod that may have read it meanwhile forgets it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import RollStuck
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Chain, parse_chain
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase

from ..tools.support.authorities import below, root
from ..tools.support.checker import entries
from ..tools.support.killing import Killed, KillingTransport
from ..tools.support.memory_api import Change, Response
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.watched_cluster import (
    CERTIFICATES,
    CLUSTER,
    IN_USE,
    LEDGER,
    NAMESPACE,
    UNUSED,
    WatchedCluster,
    assert_only,
)

Object = dict[str, Any]


def removing(cluster: WatchedCluster, nodes: ReloadingNodes) -> Chain:
    """The CA that has left, of which the listeners have yet to hear."""
    cluster.create()
    gone = parse_chain(cluster.secret(CERTIFICATES)["ca.crt"])
    cluster.run(Goal.REPLACE_KEY, last_phase=Phase.USE)
    nodes.deaf = set(cluster.memory.kubelet.nodes)
    with pytest.raises(RollStuck, match="still accept"):
        cluster.run(Goal.REPLACE_KEY)
    nodes.deaf = set()
    return gone


def test_a_ca_that_has_just_left_is_removed_again(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    """A pod that starts meanwhile knows it as well."""
    (gone,) = removing(cluster, nodes)
    cluster.put(CERTIFICATES, ours_crt=gone.pem)
    cluster.memory.settle(2)
    cluster.restart("demo-kafka-0")
    assert gone.fingerprint in cluster.trusted
    cluster.look_away()
    cluster.finish(Goal.RECONCILE)
    assert_only(cluster, cluster.current)
    assert cluster.remembered("removed") == {gone.fingerprint: cluster.node_uids}
    assert cluster.rolls == {0}


def of_component(cluster: WatchedCluster, component: str) -> tuple[str, str]:
    """Name and UID of its pod."""
    ((name, uid),) = (
        (pod["metadata"]["name"], pod["metadata"]["uid"])
        for pod in cluster.memory.api.all("pods", NAMESPACE)
        if pod["metadata"]["name"].startswith(f"{CLUSTER}-{component}-")
    )
    return name, uid


EXPORTER, ENTITY_OPERATOR = "kafka-exporter", "entity-operator"


@dataclass
class Starting:
    """The API server, where a pod of this component starts once: right before the first write of a run that the test means."""

    cluster: WatchedCluster
    component: str
    #: Whether it is this write, by its path and body.
    is_meant: Callable[[str, Object], bool]
    #: The UID of the pod that has started; empty before that.
    uid: str = ""

    def __post_init__(self) -> None:
        self._api = self.cluster.permitted
        self.cluster.permitted = self

    def request(self, method: str, path: str, **arguments: Any) -> Response:
        if not self.uid and method != "GET" and self.is_meant(path, arguments.get("body") or {}):
            name, before = of_component(self.cluster, self.component)
            self.cluster.restart(name)
            self.uid = of_component(self.cluster, self.component)[1]
            assert self.uid != before
        return cast(Response, self._api.request(method, path, **arguments))

    def stream(self, path: str, **arguments: Any) -> Iterator[Any]:
        return cast("Iterator[Any]", self._api.stream(path, **arguments))


def takes_it_from_the_bundle(path: str, _body: Object) -> bool:
    return path.endswith("/secrets/demo-trustbundle")


def records_that_it_has_left(path: str, body: Object) -> bool:
    return path.endswith(f"/secrets/{LEDGER}") and any(
        key.endswith(".returned") and content is None for key, content in (body.get("data") or {}).items()
    )


@pytest.mark.parametrize("component", [EXPORTER, ENTITY_OPERATOR])
def test_a_component_that_starts_while_a_removed_ca_is_back_restarts_once_more(
    cluster: WatchedCluster, nodes: ReloadingNodes, component: str
) -> None:
    """It starts after the last look that finds the CA in the bundle."""
    (gone,) = removing(cluster, nodes)
    cluster.put(CERTIFICATES, ours_crt=gone.pem)
    cluster.memory.settle(2)
    started = Starting(cluster, component, takes_it_from_the_bundle)
    cluster.finish(Goal.RECONCILE)
    assert started.uid
    assert_only(cluster, cluster.current)
    assert of_component(cluster, component)[1] != started.uid


@pytest.mark.parametrize("component", [EXPORTER, ENTITY_OPERATOR])
def test_a_component_that_starts_when_a_removed_ca_has_left_again_does_not_restart(
    cluster: WatchedCluster, nodes: ReloadingNodes, component: str
) -> None:
    """It starts after the look that finds the CA gone."""
    (gone,) = removing(cluster, nodes)
    cluster.put(CERTIFICATES, ours_crt=gone.pem)
    cluster.memory.settle(2)
    started = Starting(cluster, component, records_that_it_has_left)
    cluster.finish(Goal.RECONCILE)
    assert_only(cluster, cluster.current)
    assert of_component(cluster, component)[1] == started.uid


def stop_all(cluster: WatchedCluster) -> None:
    """No pod runs, and the operator is away."""
    memory, core = cluster.memory, f"/apis/core.strimzi.io/v1/namespaces/{NAMESPACE}/strimzipodsets"
    memory.operator_runs = False
    cluster.look_elsewhere()
    for pod_set in memory.api.all("strimzipodsets", NAMESPACE):
        path = f"{core}/{pod_set['metadata']['name']}"
        memory.api.request("PATCH", path, body={"spec": {"pods": []}}, content_type="application/merge-patch+json")
    for deployment in memory.api.all("deployments", NAMESPACE):
        memory.api.request(
            "DELETE", f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/{deployment['metadata']['name']}"
        )
    for pod in memory.api.all("pods", NAMESPACE):
        memory.api.request("DELETE", f"/api/v1/namespaces/{NAMESPACE}/pods/{pod['metadata']['name']}")
    while memory.quiet_round():
        pass
    assert memory.api.all("pods", NAMESPACE) == []


def test_a_removed_ca_that_comes_and_goes_while_no_pod_runs_is_removed_again(
    cluster: WatchedCluster, nodes: ReloadingNodes
) -> None:
    """A run finds it gone, and no pod that could know it; then pods start with it."""
    (gone,) = removing(cluster, nodes)
    cluster.put(CERTIFICATES, ours_crt=gone.pem)
    cluster.memory.settle(2)
    run_until_recorded(cluster, ".returned", lambda: cluster.run(Goal.RECONCILE))
    cluster.change("secrets", CERTIFICATES, {"data": {"ours.crt": None}})
    cluster.memory.settle(2)
    stop_all(cluster)
    cluster.run(Goal.RECONCILE)
    cluster.put(CERTIFICATES, ours_crt=gone.pem)
    cluster.memory.operator_runs = True
    cluster.memory.settle(3)
    assert gone.fingerprint in cluster.trusted
    cluster.look_away()
    cluster.finish(Goal.RECONCILE)
    assert_only(cluster, cluster.current)


def run_until_recorded(cluster: WatchedCluster, suffix: str, run: Callable[[], object]) -> None:
    """The run is killed before its next write, once the ledger has an entry with this suffix."""
    before = KillingTransport(cluster.permitted)

    def kill(change: Change) -> None:
        if change.name == LEDGER and any(key.endswith(suffix) for key in entries(change.new)):
            before.at = before.writes + 1

    cluster.memory.api.listeners.append(kill)
    permitted, cluster.permitted = cluster.permitted, before
    with pytest.raises(Killed):
        run()
    cluster.memory.api.listeners.remove(kill)
    cluster.permitted = permitted


def test_a_ca_that_has_just_left_is_trusted_again_when_every_process_has_forgotten_it(
    cluster: WatchedCluster, nodes: ReloadingNodes
) -> None:
    gone = removing(cluster, nodes)
    cluster.finish(Goal.RECONCILE, additional_cas=(gone,))
    assert cluster.states == {cluster.current: IN_USE, gone[0].fingerprint: UNUSED}
    assert cluster.trusted == {cluster.current, gone[0].fingerprint}


def test_a_replacement_is_undone_when_its_old_ca_is_back_and_a_component_has_started_without_it(
    cluster: WatchedCluster,
) -> None:
    """Clients read the CA for longer than processes do, so that it is still in the ledger. The checker looks after each write."""
    cluster.create()
    old, new = cluster.secret(CERTIFICATES)["ca.crt"], below(root("Next Root"))
    cluster.run(Goal.RECONCILE, publishes_bundle=True)
    run_until_recorded(cluster, ".knowing", lambda: cluster.run(Goal.REPLACE_KEY, new, publishes_bundle=True))
    cluster.restart(of_component(cluster, ENTITY_OPERATOR)[0])
    cluster.put(CERTIFICATES, ours_crt=old)
    cluster.memory.settle(2)
    cluster.finish(Goal.ABORT)
    assert_only(cluster, parse_chain(old)[0].fingerprint)

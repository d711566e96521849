# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster that is scaled up in the middle of a flow: the operator issues the new node's leaf from the CA that it knows.

The checker looks after every write: no process refuses the new node, and the new node refuses no process.
"""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase

from ..tools.operator import certs
from ..tools.support.memory_api import Change
from ..tools.support.watched_cluster import CERTIFICATES, CLUSTER, NAMESPACE, WatchedCluster, public_key, subject
from .cases import CASES, REPLACEMENTS, Case, mostly_long

POOL = "kafka"
#: Writes of the collection between one new node and the next.
EVERY = 5


def add_a_node(cluster: WatchedCluster) -> None:
    pool = cluster.memory.api.find("kafkanodepools", NAMESPACE, POOL)
    assert pool
    cluster.change("kafkanodepools", POOL, {"spec": {"replicas": pool["spec"]["replicas"] + 1}})


def assert_alike(cluster: WatchedCluster) -> None:
    """Nothing tells the nodes apart: who issued their leaves, what they trust, what the operator was told of them."""
    cluster.memory.settle(2)
    assert cluster.ready
    nodes = [one for one in cluster.memory.kubelet.processes.values() if one.component == "kafka"]
    seen = {(issuer(one.presented[0][1]), keys(one.trusted), *generations(cluster, one.pod)) for one in nodes}
    assert len(seen) == 1, seen


def issuer(leaf: bytes) -> str:
    return certs.load(leaf)[0].issuer.rfc4514_string()


def keys(trusted: bytes) -> frozenset[bytes]:
    """A renewed CA and its predecessor are one to path validation."""
    return frozenset(public_key(certs.pem(one)) for one in certs.load(trusted))


def generations(cluster: WatchedCluster, pod: str) -> list[str | None]:
    return [cluster.annotation("pods", pod, f"cluster-ca-{kind}-generation") for kind in ("cert", "key")]


@pytest.mark.usefixtures("uptake")
@pytest.mark.parametrize("phase", list(Phase)[:-1], ids=lambda phase: f"after {phase.value}")
@pytest.mark.parametrize("case", mostly_long(CASES))
@pytest.mark.each_once
def test_after_each_phase(cluster: WatchedCluster, case: Case, phase: Phase) -> None:
    flow = case.begin(cluster)
    before = set(cluster.counts())
    flow.run(last_phase=phase)
    add_a_node(cluster)
    cluster.memory.settle(1)
    flow.finish()
    assert_alike(cluster)
    counts = cluster.counts()
    (new,) = counts.keys() - before
    assert {counts[node] for node in before} == {flow.cost.restarts}
    assert counts[new] <= flow.cost.restarts


@pytest.mark.usefixtures("uptake")
@pytest.mark.parametrize("first", range(EVERY))
@pytest.mark.parametrize("case", mostly_long([*REPLACEMENTS, Case(Goal.RENEW)]))
@pytest.mark.each_once
def test_after_any_write(cluster: WatchedCluster, case: Case, first: int) -> None:
    """The operator sees it at once, or when it is not paused any more; one at a time."""
    flow = case.begin(cluster)
    writes: list[str] = []

    def count(change: Change) -> None:
        if cluster.memory.operator.is_reconciling or change.plural not in ("secrets", "kafkas"):
            return
        writes.append(change.name)
        asked = cluster.memory.api.find("kafkanodepools", NAMESPACE, POOL)["spec"]["replicas"]
        if len(writes) % EVERY == first and asked == len(cluster.node_uids):
            add_a_node(cluster)
            cluster.memory.operator.reconcile(CLUSTER)
            while cluster.memory.quiet_round():
                pass

    cluster.memory.api.listeners.append(count)
    flow.run()
    cluster.memory.api.listeners.remove(count)
    assert len(writes) > 4 * EVERY
    flow.finish()
    assert_alike(cluster)
    assert cluster.issuers() == {subject(cluster.secret(CERTIFICATES)["ca.crt"])}

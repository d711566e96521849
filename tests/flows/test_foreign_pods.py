# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A user labels a pod of another application as a process of the cluster, in the middle of a flow. The flow holds, says so, and goes on when
the labels are gone; the pod is neither restarted nor annotated, and gets no certificate. A pod of the cluster that has lost its owner holds
a flow before its first write.
"""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import IN_PODS
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..tools.support.flows import FlowResult
from ..tools.support.memory_api import Change
from ..tools.support.strangers import NAME, label_stranger, labels_of, run_stranger, stranger, unlabel_stranger
from ..tools.support.watched_cluster import WatchedCluster
from .cases import REPLACEMENTS, Case

EVERY = 7


def held_pods(result: FlowResult) -> list[str]:
    """The pods that hold the flow because nothing of the cluster owns them."""
    decision = result.outcome.decision
    assert not decision.done
    return [one.subject for one in decision.violations if one.condition is Condition.PODS_ARE_OWNED]


def assert_held(result: FlowResult) -> None:
    assert held_pods(result) == [f"Pod kafka/{NAME}"]


@pytest.mark.parametrize("component", ["kafka", "entity-operator"])
@pytest.mark.parametrize("first", range(0, EVERY, 3))
@pytest.mark.parametrize("case", [REPLACEMENTS[0], Case(Goal.RENEW)], ids=str)
@pytest.mark.each_once
def test_after_any_write(cluster: WatchedCluster, case: Case, first: int, component: str) -> None:
    flow, writes, api = case.begin(cluster), [0], cluster.memory.api
    run_stranger(api)

    def label(change: Change) -> None:
        if change.plural in ("secrets", "kafkas") and not cluster.memory.operator.is_reconciling:
            writes[0] += 1
            if writes[0] % EVERY == first:
                label_stranger(api, labels_of(component))

    api.listeners.append(label)
    assert_held(flow.run())
    api.listeners.remove(label)
    before = stranger(api)
    assert cluster.paused is bool(cluster.pause_left)
    assert_held(flow.run())
    assert stranger(api) == before
    unlabel_stranger(api)
    flow.finish()
    assert stranger(api)["metadata"]["uid"] == before["metadata"]["uid"]
    assert stranger(api)["metadata"]["annotations"] == {}
    assert api.find("secrets", "kafka", NAME) is None


@pytest.mark.parametrize("phase", ["Pending", "Running", "Succeeded", "Failed", "Unknown", ""])
@pytest.mark.parametrize("component", [one.value for one in IN_PODS])
@pytest.mark.each_once
def test_a_pod_without_its_owner_is_found_before_the_first_write(
    cluster: WatchedCluster, component: str, phase: str
) -> None:
    flow, api = REPLACEMENTS[0].begin(cluster), cluster.memory.api
    name = next(
        one["metadata"]["name"]
        for one in api.all("pods", "kafka")
        if one["metadata"]["labels"]["strimzi.io/name"] == f"demo-{component}"
    )
    orphaned = {"metadata": {"ownerReferences": None}, "status": {"phase": phase or None}}
    path = f"/api/v1/namespaces/kafka/pods/{name}"
    for part in (path, f"{path}/status"):
        answer = api.request("PATCH", part, body=orphaned, content_type="application/merge-patch+json")
        assert answer.status == 200, answer.body
    result = flow.run()
    assert held_pods(result) == [f"Pod kafka/{name}"]
    assert (cluster.writes, result.changes) == (0, [])
    # As the remedy says; its owner makes it again.
    assert api.request("DELETE", path).status == 200
    cluster.memory.settle()
    flow.finish()

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Restarts that a call has not waited for are told live, each once; those that it has waited for are told already."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.course import Restarted
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.engine import run
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Action
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import RaiseKeyGeneration
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.base import Steps
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.situation import Situation

from ...support.watched_cluster import WatchedCluster
from .test_engine import RECONCILE, ruled_by, take_nothing


def told(lines: list[str]) -> list[str]:
    return [line.removeprefix("[kafka/demo] ") for line in lines if "another program" in line]


@pytest.mark.parametrize("asked", [True, False])
def test_what_a_call_waits_for_is_told_once(cluster: WatchedCluster, asked: bool) -> None:
    """A node restarts by the call, or by the operator alone while the call writes something else."""
    node, lines, passes = sorted(cluster.memory.kubelet.nodes)[0], list[str](), list[int]()
    work = cluster.work()
    work.report = lines.append

    def rule(at: Situation) -> Steps:
        passes.append(1)
        if len(passes) > 1:
            return ()
        cluster.restart(node)
        if asked:
            work.record(Action("restart", f"Pod kafka/{node}", "trust roll", "trust"))
        return (RaiseKeyGeneration(generation=7),)

    run(work, RECONCILE, take_nothing, engine=ruled_by(rule))
    assert len(told(lines)) == (0 if asked else 1)
    assert not told(lines) or told(lines)[0].startswith(
        f"{node} was restarted by the Cluster Operator or another program"
    )


def seen(cluster: WatchedCluster, **uids: str) -> Observation:
    """The cluster with these UIDs, by the name of the pod; one without a UID is not there."""
    observation = cluster.work().observe()
    pods = tuple(
        replace(pod, uid=uids.get(pod.name.replace("-", "_"), pod.uid))
        for pod in observation.snapshot.nodes.pods
        if uids.get(pod.name.replace("-", "_")) != ""
    )
    return replace(observation, snapshot=observation.snapshot.with_nodes(pods=pods))


def test_a_pod_that_is_away_for_some_passes_is_told_of_when_it_is_back(cluster: WatchedCluster) -> None:
    lines: list[str] = []
    work = cluster.work()
    work.report = lines.append
    restarted = Restarted(work, seen(cluster, demo_kafka_0="a"))
    for uid, count in (("a", 0), ("", 0), ("", 0), ("b", 1), ("b", 1), ("c", 2)):
        restarted.see(seen(cluster, demo_kafka_0=uid))
        assert len(told(lines)) == count


def test_a_component_comes_back_under_another_name(cluster: WatchedCluster) -> None:
    lines: list[str] = []
    work = cluster.work()
    work.report = lines.append
    before = seen(cluster)
    restarted = Restarted(work, before)
    pods = [
        replace(pod, uid="new", name="demo-entity-operator-new") if pod.component is Component.ENTITY_OPERATOR else pod
        for pod in before.snapshot.nodes.pods
    ]
    (old,) = [pod.name for pod in before.snapshot.nodes.pods if pod.component is Component.ENTITY_OPERATOR]
    restarted.see(replace(before, snapshot=before.snapshot.with_nodes(pods=tuple(pods))))
    (line,) = told(lines)
    assert line.startswith(f"{old}, now demo-entity-operator-new, was restarted by")

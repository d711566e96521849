# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods and StrimziPodSets as Kafka nodes: what is not said of a node makes nobody less careful with it."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import RollStuck
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.nodes import (
    kafka_pods,
    read_node,
)

from .._strimzi.bench import Bench, Object, pod


def existing(name: str, **labels: str) -> Object:
    body = pod(name)
    body["metadata"]["uid"] = "uid-1"
    body["metadata"]["labels"].update({f"strimzi.io/{key}": value for key, value in labels.items()})
    return body


@pytest.mark.parametrize(
    ("labels", "controller", "broker"),
    [
        pytest.param({"controller-role": "true", "broker-role": "true"}, True, True, id="combined"),
        pytest.param({"controller-role": "true", "broker-role": "false"}, True, False, id="controller"),
        pytest.param({"controller-role": "false", "broker-role": "true"}, False, True, id="broker"),
        pytest.param({}, True, True, id="not said: both, so that both checks have to pass"),
    ],
)
def test_roles(labels: dict[str, str], controller: bool, broker: bool) -> None:
    found = read_node(existing("demo-pool-a-12", **labels))
    assert (found.pod, found.uid, found.node_id, found.ready) == ("demo-pool-a-12", "uid-1", 12, True)
    assert (found.controller, found.broker) == (controller, broker)


@pytest.mark.parametrize("name", ["demo-kafka", "demo-kafka-x1", "demo-kafka--1x"])
def test_a_pod_without_a_node_id_is_refused_by_name(name: str) -> None:
    with pytest.raises(RollStuck, match=f"The name of pod {name} does not end with a node id"):
        read_node(existing(name))


def test_pods_whose_processes_have_ended_and_other_components_are_no_nodes() -> None:
    bench = Bench()
    ended = {**pod("demo-kafka-1"), "status": {"phase": "Failed"}}
    for one in (pod("demo-kafka-0"), ended, pod("demo-entity-operator-a", "entity-operator")):
        bench.create("pods", one)
    found = kafka_pods(bench.api.all("pods", "kafka"), bench.observe().owners)
    assert [one["metadata"]["name"] for one in found] == ["demo-kafka-0"]

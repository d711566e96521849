# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node pool is scaled: what the module says, does, predicts and refuses."""

from __future__ import annotations

from typing import Any

import pytest

from ...tools.support.golden import GoldenFiles
from ...tools.support.memory_cluster import MemoryCluster
from . import stages
from .running import Ended, call
from .test_kept_elsewhere import THEIRS, office, replace_key

POOL = {"pool": "kafka"}


def scale(memory: MemoryCluster, replicas: int, **options: Any) -> Ended:
    return call("strimzi_node_pool", memory, **{**POOL, "replicas": replicas, **options})


def size(memory: MemoryCluster) -> int:
    pool: Any = memory.api.find("kafkanodepools", memory.namespace, "kafka")
    return int(pool["spec"]["replicas"])


def elsewhere() -> MemoryCluster:
    """An outside issuer keeps the key of the CA in use."""
    memory = stages.managed()
    replace_key(memory)
    office(memory).work()
    assert not replace_key(memory).failed
    return memory


def reconcile(memory: MemoryCluster, spare: int) -> Ended:
    ended = call("strimzi_trusted_certs", memory, state="retired", spare_leaves=spare)
    assert not ended.failed
    return ended


def test_the_size_is_predicted_and_set_once() -> None:
    memory = stages.managed()
    predicted = scale(memory, 4, check=True, diff=True)
    assert (predicted.writes, predicted.result["changed"], size(memory)) == ([], True, 3)
    (difference,) = predicted.result["diff"]
    assert (difference["before"], difference["after"]) == ({"replicas": 3}, {"replicas": 4})
    assert scale(memory, 4).result["changed"]
    assert size(memory) == 4
    again = scale(memory, 4)
    assert (again.result["changed"], again.writes) == (False, [])


def test_a_phase_before_that_of_the_size_is_named_as_what_is_in_the_way(golden: GoldenFiles) -> None:
    memory = stages.managed()
    ended = scale(memory, 4, until_phase="trust")
    golden.compare_said("calls", ended.result["msg"])
    assert size(memory) == 3


def test_without_certificates_nothing_is_scaled_and_nothing_fails() -> None:
    memory = elsewhere()
    waiting = scale(memory, 4)
    assert (waiting.failed, waiting.result["changed"], size(memory)) == (False, True, 3)
    assert "demo-kafka-3" in waiting.result["waiting"][0]
    assert "PATCH kafkas/demo" not in waiting.writes
    office(memory).work()
    assert not scale(memory, 4).failed
    assert size(memory) == 4


def test_how_far_pools_can_be_scaled_is_told() -> None:
    memory = elsewhere()
    assert reconcile(memory, 2).result["node_pools"] == [
        {
            "name": "kafka",
            "replicas": 3,
            "at_hand": [],
            "awaited": [3, 4],
            "leaving": [],
            "when_added": "",
            "when_removed": "",
        }
    ]
    office(memory).work()
    reconcile(memory, 2)
    (told,) = call("strimzi_ca_info", memory, spare_leaves=2).result["node_pools"]
    assert (told["at_hand"], told["awaited"]) == ([3, 4], [])
    assert call("strimzi_ca_info", stages.managed()).result["node_pools"] == []


def test_scaling_names_listeners_whose_addresses_are_unknown(golden: GoldenFiles) -> None:
    memory = elsewhere()
    path, media = "/apis/kafka.strimzi.io/v1/namespaces/kafka/kafkas/demo", "application/merge-patch+json"
    listeners = [{"name": "lb", "port": 9095, "type": "loadbalancer", "tls": True}]
    memory.api.request("PATCH", path, body={"spec": {"kafka": {"listeners": listeners}}}, content_type=media)
    (pool,) = scale(memory, 4, check=True).result["node_pools"]
    golden.compare_said("calls", pool["when_added"])


def test_check_mode_names_the_secrets_that_shrinking_leaves(golden: GoldenFiles) -> None:
    memory = elsewhere()
    reconcile(memory, 2)
    office(memory).work()
    reconcile(memory, 2)
    predicted, done = (scale(memory, 2, check=check, spare_leaves=2) for check in (True, False))
    (pool,) = predicted.result["node_pools"]
    assert (pool["leaving"], size(memory), done.result["done"], done.result["pending"]) == ([2], 2, True, [])
    told = pool["when_removed"]
    assert done.result["waiting"] == [told]
    golden.compare_said("calls", told)
    memory.settle(2)
    (pool,) = scale(memory, 2, spare_leaves=2).result["node_pools"]
    assert (pool["leaving"], pool["when_removed"]) == ([], "")


def test_a_run_that_the_operator_overtakes_names_the_secrets_that_shrinking_leaves(golden: GoldenFiles) -> None:
    memory = stages.managed()

    def overtake(method: str, path: str) -> None:
        if method == "GET" and path.endswith("/kafkanodepools") and size(memory) == 2:
            memory.settle(2)

    done = scale(memory, 2, answer=overtake)
    assert done.result["waiting"] == [done.result["node_pools"][0]["when_removed"]]
    golden.compare_said("calls", done.result["waiting"][0])
    assert scale(memory, 2).result["waiting"] == []


def test_with_a_key_of_the_cluster_only_the_operator_has_something_to_remove() -> None:
    (pool,) = scale(stages.managed(), 1).result["node_pools"]
    told = "removes demo-kafka-1, demo-kafka-2 and deletes the Secrets of that name"
    assert (pool["leaving"], told in pool["when_removed"]) == ([1, 2], True)
    assert not any(word in pool["when_removed"] for word in ("waits", "asked"))


def test_requests_for_nodes_that_are_yet_to_come_are_carried_by_hand_too() -> None:
    memory = elsewhere()
    reconcile(memory, 5)
    requests = call("strimzi_csr", memory).result["requests"]
    assert {one["secret"]: one["problem"] for one in requests} == {f"demo-kafka-{number}": "" for number in range(3, 8)}
    assert {one["authority"]["sha256"] for one in requests} == {THEIRS.chain[0].sha256}


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"replicas": -1}, "replicas: -1 is too small. Give 0 or more"),
        ({"replicas": 3, "spare_leaves": -1}, "spare_leaves: -1 is too small. Give 0 or more"),
        ({"replicas": 3, "spare_leaves": 101}, "spare_leaves: 101 is too large. Give 100 or less"),
        ({"replicas": 3, "pool": "brokers"}, "has no node pool brokers. Its node pools are: kafka."),
    ],
)
def test_scaling_refuses_sizes_out_of_bounds(options: dict[str, Any], why: str) -> None:
    ended = call("strimzi_node_pool", stages.managed(), **{**POOL, **options})
    assert ended.failed
    assert why in ended.result["msg"]

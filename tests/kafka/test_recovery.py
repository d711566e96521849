"""Real nodes whose certificates have really ended: the operator stores others and cannot restart a node, and ``recover`` brings all of them back."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import NamedTuple

import pytest

from ..api.running import Runner
from ..tools.cluster.kube import Object, wait_for
from ..tools.operator import clusters
from ..tools.operator.api import ready
from .aged_leaves import store_leaf
from .tier import PATIENCE, Tier, kafka_tier

NODES = [f"demo-kafka-{number}" for number in range(3)]
#: Enough for all nodes to start with certificates that end so soon.
LIFE = timedelta(seconds=150)

pytestmark = pytest.mark.long


class Ended(NamedTuple):
    tier: Tier
    runner: Runner
    pods: dict[str, str]


@pytest.fixture(scope="module", params=["adopted", "generated"])
def ended(request: pytest.FixtureRequest) -> Iterator[Ended]:
    with kafka_tier(f"kafka-recovery-{request.param}", clusters.dual_role) as tier:
        runner = Runner(tier.cluster, patience=PATIENCE)
        if request.param == "adopted":
            runner.flow("upgrade").check()
        topics(tier, "--create", "--topic", "kept", "--partitions", "6", "--replication-factor", "3")
        end = outlive_leaves(tier)
        pause(tier, None)
        wait_for(
            lambda: all(tier.node_chain(node)[0].not_valid_after_utc > end for node in NODES), "new certificates", 120
        )
        wait_for(lambda: not is_ready(tier.cluster.get("kafkas", "demo")), "an operator that cannot go on", 120)
        yield Ended(tier, runner, tier.cluster.node_uids("demo"))


def pause(tier: Tier, value: str | None) -> None:
    """As a person pauses the operator; None ends it."""
    path = f"/apis/kafka.strimzi.io/v1/namespaces/{tier.cluster.namespace}/kafkas/demo"
    body = {"metadata": {"annotations": {"strimzi.io/pause-reconciliation": value}}}
    answer = tier.cluster.kube.request("PATCH", path, body=body, content_type="application/merge-patch+json")
    assert answer.status == 200, answer.body


def outlive_leaves(tier: Tier) -> datetime:
    """All nodes start with certificates that end soon, while the operator is paused, and run until these have ended. When that was."""
    pause(tier, "true")
    wait_for(lambda: not is_ready(tier.cluster.get("kafkas", "demo")), "the pause", 60)
    before, begin = tier.cluster.node_uids("demo"), datetime.now(timezone.utc)
    end = begin + LIFE
    for node in NODES:
        store_leaf(tier, node, begin - timedelta(days=1), end)
    for node in NODES:
        tier.cluster.kube.request("DELETE", f"/api/v1/namespaces/{tier.cluster.namespace}/pods/{node}")
    tier.await_restarts(before)
    assert datetime.now(timezone.utc) < end, "the nodes took longer to start than their certificates last"
    for node in NODES:
        assert tier.shake_hands(node, 9091).chain[0].not_valid_after_utc == end.replace(microsecond=0)
    time.sleep((end - datetime.now(timezone.utc)).total_seconds() + 1)
    return end


def topics(tier: Tier, *arguments: str) -> str:
    """The answer of Kafka's own tool."""
    asked = tier.pods.administer(
        NODES[0], "org.apache.kafka.tools.TopicCommand", "--bootstrap-server", f"{tier.host(NODES[0])}:9091", *arguments
    )
    assert asked.code == 0, asked.output
    return asked.output


def is_ready(kafka: Object) -> bool:
    return any(one["type"] == "Ready" and one["status"] == "True" for one in kafka["status"]["conditions"])


def starts(tier: Tier) -> list[int]:
    """How often the container of each node was started again."""
    pods = [tier.cluster.get("pods", node) for node in NODES]
    return [one["restartCount"] for pod in pods for one in pod["status"]["containerStatuses"] if one["name"] == "kafka"]


def test_every_flow_holds_until_recover_has_brought_the_nodes_back(ended: Ended) -> None:
    tier, runner, pods = ended
    found = runner.module("strimzi_ca_info", goal="recover")
    held = runner.module("strimzi_ca_info", goal="renew")["violations"]
    assert "leaves_in_use_are_valid" in [one["gate"] for one in held]
    assert found["plan"][1]["restarts"] == NODES, found["plan"]
    console = runner.flow("recover").check().output
    print(console)
    assert tier.cluster.node_uids("demo") == pods, "a pod was deleted"
    assert starts(tier) == [1, 1, 1]
    for node in NODES:
        for port in (9090, 9091):
            assert tier.shake_hands(node, port).chain == tier.node_chain(node)
    tier.cluster.wait_until_ready("demo", 120)
    assert all(ready(tier.cluster.find("pods", node)) for node in NODES)
    wait_for(
        lambda: "kept" not in topics(tier, "--describe", "--under-replicated-partitions"), "every replica in sync", 120
    )
    assert topics(tier, "--describe", "--topic", "kept").count("Leader:") == 6
    assert set(tier.quorum(NODES[0], "--bootstrap-controller", f"{tier.host(NODES[0])}:9090").values()) == {"voter"}
    again = runner.module("strimzi_ca", state="recovered")
    assert again["changed"] is False

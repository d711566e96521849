"""Real nodes whose certificates have really ended: the operator stores others and cannot restart a node, and ``recover`` brings all of them back."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from functools import partial
from threading import Event, Thread
from typing import NamedTuple

import pytest

from ..api.running import Runner
from ..tools.cluster.kube import wait_for
from ..tools.cluster.slow_way import slow_kubeconfig
from ..tools.cluster.tls import Rules, client_context
from ..tools.cluster.versions import KAFKA, OTHER_KAFKAS
from ..tools.operator import clusters
from ..tools.operator.api import ready
from ..tools.traffic.handshakes import Outcome, attempt
from .aged_leaves import outlive_leaves, starts
from .tier import PATIENCE, Tier, kafka_tier

NODES = [f"demo-kafka-{number}" for number in range(3)]
#: Enough for all nodes to start with certificates that end so soon.
LIFE = timedelta(seconds=150)

pytestmark = pytest.mark.long


class Ended(NamedTuple):
    tier: Tier
    runner: Runner
    pods: dict[str, str]
    # Whether each answer of the API server takes its time on the way to the collection.
    is_slow: bool


#: Seconds for each answer of a slow API server.
SLOW = 3.0


@pytest.fixture(
    scope="module",
    params=[
        ("adopted", KAFKA), ("generated", KAFKA), ("slow", KAFKA), *(("adopted", version) for version in OTHER_KAFKAS)
    ],
    ids=lambda param: f"{param[0]}-kafka-{param[1]}",
)  # fmt: skip
def ended(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ended]:
    kind, version = request.param
    name = f"kafka-recovery-{kind}-{version}"
    with kafka_tier(name, clusters.dual_role, version) as tier, ExitStack() as stack:
        runner = Runner(tier.cluster, patience=PATIENCE)
        if kind != "generated":
            runner.flow("upgrade").check()
        topics(tier, "--create", "--topic", "kept", "--partitions", "6", "--replication-factor", "3")
        outlive_leaves(tier, LIFE)
        if kind == "slow":
            way = slow_kubeconfig(tier.cluster.bed.kubeconfig, tmp_path_factory.mktemp("slow"), SLOW)
            runner = replace(runner, kubeconfig=stack.enter_context(way), patience=2 * PATIENCE)
        yield Ended(tier, runner, tier.cluster.node_uids("demo"), kind == "slow")


def topics(tier: Tier, *arguments: str) -> str:
    """The answer of Kafka's own tool."""
    asked = tier.pods.administer(
        NODES[0], "org.apache.kafka.tools.TopicCommand", "--bootstrap-server", f"{tier.host(NODES[0])}:9091", *arguments
    )
    assert asked.code == 0, asked.output
    return asked.output


class OutsideOptions:
    """A client outside that trusts the CA certificate Secret and makes a new connection to each node all the time. served: when the client was first served,
    by the node.
    """

    PORT = 9094

    def __init__(self, tier: Tier) -> None:
        context = client_context(tier.secret("demo-cluster-ca-cert")["ca.crt"], rules=Rules.OPENSSL)
        self._connect = {
            node: partial(attempt, context, tier.pods.address(node), self.PORT, tier.host(node)) for node in NODES
        }
        self.served: dict[str, datetime] = {}
        self._end = Event()
        self._thread = Thread(target=self._go_on, daemon=True)

    def verdicts(self) -> set[Outcome]:
        return {connect().outcome for connect in self._connect.values()}

    def __enter__(self) -> OutsideOptions:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._end.set()
        self._thread.join(20)

    def _go_on(self) -> None:
        while not self._end.wait(0.2):
            for node, connect in self._connect.items():
                if node not in self.served and connect().outcome is Outcome.DONE:
                    self.served[node] = datetime.now(timezone.utc)


def process_ends(tier: Tier) -> dict[str, datetime]:
    """When the process of each node ended last."""
    states = {node: one for node in NODES for one in tier.cluster.get("pods", node)["status"]["containerStatuses"]}
    return {
        node: datetime.fromisoformat(one["lastState"]["terminated"]["finishedAt"].replace("Z", "+00:00"))
        for node, one in states.items()
    }


def test_every_flow_holds_until_recover_has_brought_the_nodes_back(ended: Ended) -> None:
    tier, runner, pods = ended.tier, ended.runner, ended.pods
    found = runner.module("strimzi_ca_info", goal="recover")
    held = runner.module("strimzi_ca_info", goal="renew")["violations"]
    assert "leaves_in_use_are_valid" in [one["gate"] for one in held]
    assert [step["restarts"] for step in found["plan"] if step["restarts"]] == [NODES], found["plan"]
    outside = OutsideOptions(tier)
    assert outside.verdicts() == {Outcome.FAILED}
    before = starts(tier)
    with outside:
        # The operator confirms a pause when it has given up a restart.
        console = runner.flow("recover", strimzi_operator_timeout=900).check().output
    print(console)
    ends = process_ends(tier)
    print({node: (outside.served.get(node), ends[node]) for node in NODES})
    assert sorted(outside.served) == NODES
    # The restart follows the confirmation of the pause, however few nodes have taken a request by then.
    before_restart = [node for node in NODES if outside.served[node] < ends[node]]
    assert before_restart or ended.is_slow, "no client was served before the restart"
    said = re.findall(
        r"(demo-kafka-\d) (?:has taken the request, and )?(?:presents|has not shown) its next certificate", console
    )
    assert sorted(said) == NODES
    assert tier.cluster.node_uids("demo") == pods, "a pod was deleted"
    once_more = {node: count + 1 for node, count in before.items()}
    assert starts(tier) == once_more, [tier.pods.logs(node, of_the_process_before=True)[-4000:] for node in NODES]
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

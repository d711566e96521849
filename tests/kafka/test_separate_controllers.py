"""Three controllers and three brokers: each opens its own ports only, and brokers follow the controllers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ..api.running import Runner
from ..tools.cluster.kube import wait_for
from ..tools.cluster.versions import KAFKA, OTHER_KAFKAS
from ..tools.operator import clusters
from ..tools.operator.api import ready
from .tier import PATIENCE, Tier, kafka_tier

pytestmark = pytest.mark.long

BROKERS = [f"demo-broker-{number}" for number in range(3)]
CONTROLLERS = [f"demo-controller-{number}" for number in range(3, 6)]


@pytest.fixture(scope="module", params=(KAFKA, *OTHER_KAFKAS), ids="kafka-{}".format)
def tier(request: pytest.FixtureRequest) -> Iterator[Tier]:
    with kafka_tier(f"kafka-apart-{request.param}", clusters.separate_roles, request.param) as one:
        yield one


@pytest.mark.parametrize(
    ("node", "port"),
    [*((node, 9090) for node in CONTROLLERS), *((node, port) for node in BROKERS for port in (9091, 9093, 9094))],
)
def test_a_listener_presents_the_chain_of_its_secret(tier: Tier, node: str, port: int) -> None:
    assert tier.shake_hands(node, port).chain == tier.node_chain(node)


@pytest.mark.parametrize(("node", "port"), [(CONTROLLERS[0], 9091), (CONTROLLERS[0], 9093), (BROKERS[0], 9090)])
def test_a_node_does_not_listen_for_a_role_that_it_lacks(tier: Tier, node: str, port: int) -> None:
    with pytest.raises(ConnectionRefusedError):
        tier.shake_hands(node, port)


@pytest.mark.parametrize(
    ("option", "node", "port"),
    [("--bootstrap-controller", CONTROLLERS[0], 9090), ("--bootstrap-server", BROKERS[0], 9091)],
)
def test_controllers_vote_and_brokers_observe(tier: Tier, option: str, node: str, port: int) -> None:
    voters, observers = dict.fromkeys("345", "voter"), dict.fromkeys("012", "observer")
    assert tier.quorum(BROKERS[1], option, f"{tier.host(node)}:{port}") == {**voters, **observers}


def test_a_key_is_replaced_in_one_roll(tier: Tier) -> None:
    """Last, because it changes what the others look at.

    Listeners forget the old CA without a restart. A controller that starts again then has to be let in by Raft clients
    that still know both, and has to let them in.
    """
    runner = Runner(
        tier.cluster, variables={"strimzi_evidence": "handshake", "strimzi_spread": "reload"}, patience=PATIENCE
    )
    runner.flow("upgrade").check()
    old, pods = tier.subject("cluster"), tier.cluster.node_uids("demo")
    runner.flow("rotate-cluster-ca").check()
    assert runner.restarts_since(pods) == len(BROKERS + CONTROLLERS)
    for node, port in [*((node, 9090) for node in CONTROLLERS), *((node, 9091) for node in BROKERS)]:
        shown = tier.shake_hands(node, port)
        assert old not in shown.accepted
        assert shown.chain == tier.node_chain(node)
    started = tier.cluster.get("pods", CONTROLLERS[0])["metadata"]["uid"]
    tier.delete("pods", CONTROLLERS[0])
    wait_for(lambda: _is_back(tier, CONTROLLERS[0], started), f"another pod {CONTROLLERS[0]}", 180)
    # Only refusals of nodes count: clients that ask from outside show certificates of strangers, too.
    nodes = CONTROLLERS + BROKERS
    peers = {tier.pods.address(node) for node in nodes}
    assert [tier.refused_peers(node) & peers for node in nodes] == [set()] * 6
    (removed,) = runner.module("strimzi_ca_info")["removed"]
    assert (removed["pods"], removed["lingering"]) == ([], sorted({*BROKERS, *CONTROLLERS} - {CONTROLLERS[0]}))


def _is_back(tier: Tier, node: str, before: str) -> bool:
    pod = tier.cluster.find("pods", node)
    return pod is not None and pod["metadata"]["uid"] != before and ready(pod)

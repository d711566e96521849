"""The Kafka tier itself: three nodes become ready, each listener is what its configuration says, one node is rolled."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ..tools.cluster.kube import wait_for
from ..tools.cluster.versions import KAFKA, OTHER_KAFKAS
from ..tools.operator import clusters
from ..tools.operator.api import ready
from .listeners import handshake
from .tier import Tier, kafka_tier

NODES = [f"demo-kafka-{number}" for number in range(3)]
#: The CA whose certificates a listener wants of its clients.
CLIENTS = {9090: "cluster", 9091: "cluster", 9093: "clients", 9094: None}


# An upgrade to the other versions is tested in every run (test_rotation.py).
@pytest.fixture(
    scope="module",
    params=[KAFKA, *(pytest.param(version, marks=pytest.mark.long) for version in OTHER_KAFKAS)],
    ids="kafka-{}".format,
)
def tier(request: pytest.FixtureRequest) -> Iterator[Tier]:
    with kafka_tier(f"kafka-test-{request.param}", clusters.dual_role, request.param) as one:
        yield one


@pytest.mark.parametrize("port", CLIENTS)
@pytest.mark.parametrize("node", NODES)
def test_a_listener_presents_the_chain_of_its_secret(tier: Tier, node: str, port: int) -> None:
    assert tier.shake_hands(node, port).chain == tier.node_chain(node)


@pytest.mark.parametrize("port", CLIENTS)
@pytest.mark.parametrize("node", NODES)
def test_a_listener_names_the_ca_whose_clients_it_accepts(tier: Tier, node: str, port: int) -> None:
    ca = CLIENTS[port]
    assert tier.shake_hands(node, port).accepted == ({tier.subject(ca)} if ca else set())


@pytest.mark.parametrize(("port", "refusal"), [(9090, ""), (9091, ""), (9093, "tls alert certificate unknown")])
def test_the_operators_certificate_opens_what_the_cluster_ca_guards(tier: Tier, port: int, refusal: str) -> None:
    own = tier.secret("demo-cluster-operator-certs")
    shown = tier.shake_hands(NODES[0], port, own["cluster-operator.crt"], own["cluster-operator.key"])
    assert shown.refusal == refusal


@pytest.mark.parametrize("port", [9090, 9091, 9093])
def test_without_a_certificate_a_client_is_refused(tier: Tier, port: int) -> None:
    assert tier.shake_hands(NODES[0], port).refusal.endswith("certificate required")


def test_the_service_of_a_broker_leads_to_it(tier: Tier) -> None:
    service = tier.cluster.kube.request("GET", f"/api/v1/namespaces/kafka/services/{NODES[1]}").body
    shown = handshake(service["spec"]["clusterIP"], 9094)
    assert (shown.chain, shown.refusal) == (tier.node_chain(NODES[1]), "")


def test_nodes_know_each_other_by_name_and_agree(tier: Tier) -> None:
    rows = tier.quorum(NODES[0], "--bootstrap-controller", f"{tier.host(NODES[1])}:9090")
    assert rows == {"0": "voter", "1": "voter", "2": "voter"}


def test_no_node_refuses_another(tier: Tier) -> None:
    """The machine, which has no certificate to show, is refused: were logs not read, no refusal would be seen."""
    machine = tier.cluster.bed.addresses.api
    for node in NODES:
        tier.shake_hands(node, 9091)
        wait_for(lambda node=node: machine in tier.refused_peers(node), f"the refusal in the log of {node}")
        assert tier.refused_peers(node) == {machine}


def test_a_node_is_rolled_and_presents_its_chain_again(tier: Tier) -> None:
    before = tier.cluster.node_uids("demo")
    tier.ask_for_roll(NODES[2])

    def rolled() -> bool:
        pod = tier.cluster.find("pods", NODES[2])
        return pod is not None and pod["metadata"]["uid"] != before[NODES[2]] and ready(pod)

    wait_for(rolled, f"{NODES[2]} being rolled", 180)
    after = tier.cluster.node_uids("demo")
    assert [name for name in NODES if after[name] != before[name]] == [NODES[2]]
    assert tier.shake_hands(NODES[2], 9091).chain == tier.node_chain(NODES[2])

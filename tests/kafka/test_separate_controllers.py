"""Three controllers and three brokers: each opens its own ports only, and brokers follow the controllers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ..operator import clusters
from .tier import Tier, kafka_tier

BROKERS = [f"demo-broker-{number}" for number in range(3)]
CONTROLLERS = [f"demo-controller-{number}" for number in range(3, 6)]


@pytest.fixture(scope="module")
def tier() -> Iterator[Tier]:
    with kafka_tier("kafka-apart", clusters.separate_roles) as one:
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

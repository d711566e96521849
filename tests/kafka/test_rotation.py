"""A whole rotation on real nodes: the gates ask them, and in the end they say themselves that the old CA is gone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ..api.running import Runner
from ..operator import clusters
from .aged_leaves import age_leaves
from .tier import PATIENCE, Tier, kafka_tier

NODES = [f"demo-kafka-{number}" for number in range(3)]


@pytest.fixture(scope="module")
def rotated() -> Iterator[tuple[Tier, Runner, bytes]]:
    """An adopted cluster, its CA replaced in one roll; and the name of the CA that it had."""
    with kafka_tier("kafka-rotation", clusters.dual_role) as tier:
        runner = Runner(tier.scene, variables={"strimzi_evidence": "handshake"}, patience=PATIENCE)
        runner.flow("upgrade").check()
        old = tier.subject("cluster")
        pods = tier.scene.node_uids("demo")
        runner.flow("rotate-cluster-ca").check()
        assert runner.restarts_since(pods) == len(NODES)
        yield tier, runner, old


@pytest.mark.parametrize("port", [9090, 9091])
@pytest.mark.parametrize("node", NODES)
def test_no_listener_accepts_the_removed_ca(rotated: tuple[Tier, Runner, bytes], node: str, port: int) -> None:
    tier, _runner, old = rotated
    shown = tier.shake_hands(node, port)
    assert old not in shown.accepted
    assert tier.subject("cluster") in shown.accepted
    assert shown.chain == tier.node_chain(node)


def test_the_matrix_says_what_the_nodes_say(rotated: tuple[Tier, Runner, bytes]) -> None:
    _tier, runner, _old = rotated
    found = runner.module("strimzi_ca_info", evidence="handshake")
    assert found["evidence"]["source"] == "handshake"
    (issuing,) = found["cas"]
    name = f"cluster-ca v1 ({issuing['sha256'][:12]})"
    asked = [one for one in found["listeners"] if one["port"] in (9090, 9091)]
    assert {(one["pod"], one["port"]) for one in asked} == {(node, port) for node in NODES for port in (9090, 9091)}
    assert [one["trusts"] for one in asked] == [[name]] * 6
    assert [one["why"] for one in found["listeners"]] == [[]] * len(found["listeners"])
    assert found["violations"] == []


def test_nodes_say_the_same_when_they_are_asked_by_their_addresses(rotated: tuple[Tier, Runner, bytes]) -> None:
    _tier, runner, _old = rotated
    forwarded, direct = (
        runner.module("strimzi_ca_info", evidence="handshake", pod_access=access)["listeners"]
        for access in ("port_forward", "direct")
    )
    assert direct
    assert direct == forwarded


def test_what_has_not_read_its_trust_again_is_named(rotated: tuple[Tier, Runner, bytes]) -> None:
    """Raft clients and agents do at their next restart only."""
    _tier, runner, _old = rotated
    (removed,) = runner.module("strimzi_ca_info")["removed"]
    assert (removed["pods"], removed["lingering"]) == ([], NODES)


def test_leaves_are_renewed_without_a_restart(rotated: tuple[Tier, Runner, bytes]) -> None:
    """All listeners present the new ones; what Raft clients and agents present is remembered. The operator rests."""
    tier, runner, _old = rotated
    age_leaves(tier, NODES)
    before = {node: tier.node_chain(node)[0] for node in NODES}
    pods = tier.scene.node_uids("demo")
    runner.flow("renew_leaves", strimzi_renew_before_days="300").check()
    for node in NODES:
        for port in (9090, 9091):
            shown = tier.shake_hands(node, port)
            assert shown.chain == tier.node_chain(node)
            assert shown.chain[0] != before[node]
    found = runner.module("strimzi_ca_info")
    assert sorted(name for leaf in found["held_leaves"] for name in leaf["lingering"]) == NODES
    assert found["cluster"]["ready"] is True
    assert runner.restarts_since(pods) == 0


def test_taking_over_works_with_real_nodes_too(rotated: tuple[Tier, Runner, bytes]) -> None:
    """Last, because it changes what the others look at: leaves issued here are kept by the operator and by Kafka."""
    tier, runner, _old = rotated
    before = {node: tier.node_chain(node)[0] for node in NODES}
    pods = tier.scene.node_uids("demo")
    runner.flow("renew", strimzi_way="takeover").check()
    assert runner.restarts_since(pods) == 3
    found = runner.module("strimzi_ca_info")
    assert (found["removed"], found["held_leaves"]) == ([], [])
    for node in NODES:
        shown = tier.shake_hands(node, 9091)
        assert shown.chain == tier.node_chain(node)
        assert shown.chain[0] != before[node]
    assert runner.module("strimzi_ca_info")["cluster"]["paused"] is False

"""A whole rotation on real nodes: the gates ask them, and in the end they say themselves that the old CA is gone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, cast

import pytest

from ..api.running import Runner
from ..tools.cluster.versions import OTHER_KAFKAS
from ..tools.operator import clusters
from ..tools.support.users import added_clients_ca
from .aged_leaves import age_leaves
from .bed import KafkaBed
from .schedule import await_end, await_start, import_image, scheduled, start
from .tier import PATIENCE, Tier, kafka_tier

NODES = [f"demo-kafka-{number}" for number in range(3)]


class Rotated(NamedTuple):
    """An adopted cluster, its CA replaced in one roll."""

    tier: Tier
    runner: Runner
    #: The name of the CA that it had.
    old: bytes
    #: The console as a person sees it.
    console: str


@pytest.fixture(scope="module")
def rotated() -> Iterator[Rotated]:
    with kafka_tier("kafka-rotation", clusters.dual_role, other_kafkas=OTHER_KAFKAS) as tier:
        runner = Runner(tier.cluster, variables={"strimzi_evidence": "handshake"}, patience=PATIENCE)
        runner.flow("upgrade").check()
        old = tier.subject("cluster")
        pods = tier.cluster.node_uids("demo")
        console = runner.flow("rotate-cluster-ca").check().output
        assert runner.restarts_since(pods) == len(NODES)
        yield Rotated(tier, runner, old, console)


def test_the_console_tells_what_is_done(rotated: Rotated) -> None:
    """In few lines, for a terminal and for a log alike."""
    lines = [line for line in rotated.console.splitlines() if line.strip()]
    # How often a wait is reported depends on the speed of the machine.
    assert len([line for line in lines if "still waiting" not in line]) <= 34, rotated.console
    assert all(character.isprintable() for line in lines for character in line)
    # The line of a restart is missing where the operator has restarted the node between two tasks.
    assert all(f"CN=cluster-ca v{generation},O=io.strimzi" in rotated.console for generation in (0, 1)), rotated.console


@pytest.mark.parametrize("port", [9090, 9091])
@pytest.mark.parametrize("node", NODES)
def test_no_listener_accepts_the_removed_ca(rotated: Rotated, node: str, port: int) -> None:
    tier, _runner, old, _console = rotated
    shown = tier.shake_hands(node, port)
    assert old not in shown.accepted
    assert tier.subject("cluster") in shown.accepted
    assert shown.chain == tier.node_chain(node)


def test_the_matrix_says_what_the_nodes_say(rotated: Rotated) -> None:
    _tier, runner, _old, _console = rotated
    found = runner.module("strimzi_ca_info", evidence="handshake")
    assert found["evidence"]["source"] == "handshake"
    (issuing,) = found["cas"]
    name = f"cluster-ca v1 ({issuing['sha256'][:12]})"
    asked = [one for one in found["listeners"] if one["port"] in (9090, 9091)]
    assert {(one["pod"], one["port"]) for one in asked} == {(node, port) for node in NODES for port in (9090, 9091)}
    assert [one["trusts"] for one in asked] == [[name]] * 6
    assert [one["why"] for one in found["listeners"]] == [[]] * len(found["listeners"])
    assert found["violations"] == []


def test_nodes_say_the_same_when_they_are_asked_by_their_addresses(rotated: Rotated) -> None:
    _tier, runner, _old, _console = rotated
    forwarded, direct = (
        runner.module("strimzi_ca_info", evidence="handshake", pod_access=access)["listeners"]
        for access in ("port_forward", "direct")
    )
    assert direct
    assert direct == forwarded


def test_a_process_that_has_not_read_its_trust_again_is_named(rotated: Rotated) -> None:
    """Raft clients and agents do at their next restart only."""
    _tier, runner, _old, _console = rotated
    (removed,) = runner.module("strimzi_ca_info")["removed"]
    assert (removed["pods"], removed["lingering"]) == ([], NODES)


@pytest.mark.long
def test_leaves_are_renewed_without_a_restart(rotated: Rotated) -> None:
    """All listeners present the new ones; what Raft clients and agents present is remembered. The operator rests."""
    tier, runner, _old, _console = rotated
    age_leaves(tier, NODES)
    before = {node: tier.node_chain(node)[0] for node in NODES}
    pods = tier.cluster.node_uids("demo")
    runner.flow("renew_leaves", strimzi_renew_before_days="300").check()
    for node in NODES:
        for port in (9090, 9091):
            shown = tier.shake_hands(node, port)
            assert shown.chain == tier.node_chain(node)
            assert shown.chain[0] != before[node]
    found = runner.module("strimzi_ca_info")
    assert sorted(name for leaf in found["former_leaves"] for name in leaf["lingering"]) == NODES
    assert found["cluster"]["ready"] is True
    assert runner.restarts_since(pods) == 0


def test_a_key_is_replaced_without_any_restart(rotated: Rotated) -> None:
    """The new CA is in use on every listener at once; the old one leaves when the nodes have restarted for other
    reasons: Kafka is upgraded. The tests after this have nodes of that version.
    """
    tier, runner, _old, _console = rotated
    before, pods = tier.subject("cluster"), tier.cluster.node_uids("demo")
    runner.flow("replace_key", strimzi_retire="when_restarted", strimzi_fresh_for_hours=0).check()
    assert runner.restarts_since(pods) == 0
    found = runner.module("strimzi_ca_info", evidence="handshake")
    assert [ca["state"] for ca in found["cas"]] == ["TRUSTED_IN_USE_ANY", "TRUSTED_IN_USE_ANY"]
    assert any("until" in sentence for sentence in found["waiting"])
    for node in NODES:
        for port in (9090, 9091):
            shown = tier.shake_hands(node, port)
            assert before in shown.accepted
            assert shown.chain == tier.node_chain(node)
    for version in OTHER_KAFKAS:
        pods = tier.cluster.node_uids("demo")
        tier.upgrade(version)
        tier.await_restarts(pods)
        assert {tier.kafka_version(node) for node in NODES} == {version}
    pods = tier.cluster.node_uids("demo")
    runner.flow("reconcile").check()
    assert runner.restarts_since(pods) == 0
    (issuing,) = runner.module("strimzi_ca_info", evidence="handshake")["cas"]
    assert issuing["state"] == "TRUSTED_IN_USE_ALL"
    assert all(before not in tier.shake_hands(node, port).accepted for node in NODES for port in (9090, 9091))


def test_brokers_say_which_users_they_accept(rotated: Rotated) -> None:
    """A clients CA that lies in the bundle and that no broker has read yet is refused."""
    tier, runner, _old, _console = rotated
    (own,) = runner.module("strimzi_user_info", evidence="handshake")["clients_cas"]
    tier.cluster.kube.apply([added_clients_ca(tier.cluster.namespace)])
    found = runner.module("strimzi_user_info", evidence="handshake")
    (added,) = (one["sha256"][:12] for one in found["clients_cas"] if one["sha256"] != own["sha256"])
    told = [(one["name"], one["port"], one["pod"], one["trusts"], one["refuses"]) for one in found["user_listeners"]]
    accepted, refused = f"clients-ca v0 ({own['sha256'][:12]})", f"clients-ca v9 ({added})"
    assert told == [("tls", 9093, node, [accepted], [refused]) for node in NODES]
    assert (found["unasked"], found["problems"]) == ("", [])


def test_schedules_run_in_the_cluster(rotated: Rotated, tmp_path: Path) -> None:
    """In pods of their own, with the tokens of their ServiceAccount and the shipped Roles: "reconcile" by its schedule, "status" at once."""
    tier, _runner, _old, _console = rotated
    import_image(cast(KafkaBed, tier.cluster.bed), tmp_path)
    pods = tier.cluster.node_uids("demo")
    with scheduled(tier, "trustops-strimzi-reconcile", "* * * * *"):
        reconcile = await_end(tier, await_start(tier, "trustops-strimzi-reconcile", 120), PATIENCE)
        status = await_end(tier, start(tier, "trustops-strimzi-status"), PATIENCE)
    assert reconcile.succeeded, reconcile.log
    assert "WARNING" not in reconcile.log
    assert status.succeeded, status.log
    assert re.search(r"localhost +: ok=\d+ +changed=0 ", status.log), status.log
    assert tier.cluster.node_uids("demo") == pods


def test_handing_back_takes_no_restart(rotated: Rotated) -> None:
    """Last, because it changes what the others look at."""
    tier, runner, _old, _console = rotated
    pods = tier.cluster.node_uids("demo")
    runner.flow("downgrade").check()
    tier.cluster.wait_until_ready("demo", 300)
    assert runner.restarts_since(pods) == 0

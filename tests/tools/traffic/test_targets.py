"""A party connects to the same servers as in a real cluster: nodes and components to nodes, clients to brokers, and two to Cruise Control."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ..operator import clusters
from .scenario import LAYOUTS, Layout
from .targets import Target, of_clients_ca, of_cluster_ca, parties

COMBINED = Layout("dual-role", clusters.combined())
NODES = COMBINED.nodes
COMPONENTS = ("entity-topic-operator", "entity-user-operator", "cruise-control", "kafka-exporter")
KINDS = ("openssl", "go", "jvm")
READERS = (
    *(f"reader-{kind}{order}" for kind in KINDS for order in ("", "-backwards")),
    *(f"ca.crt-{kind}-{when}" for kind in KINDS for when in ("anew", "late", "kept")),
)
ASKING = {("entity-topic-operator", "cruise-control", 9090), ("cluster-operator", "cruise-control", 9090)}


def test_targets() -> None:
    between = {(node, other, port) for node in NODES for other in NODES if node != other for port in (9090, 9091)}
    operator = {("cluster-operator", node, port) for node in NODES for port in (9090, 9091)}
    components = {(component, node, 9091) for component in COMPONENTS for node in NODES}
    clients = {(client, node, 9094) for client in ("client", *READERS) for node in NODES}
    found = [(target.identity, target.node, target.port) for target in of_cluster_ca(COMBINED)]
    assert set(found) == between | operator | components | clients | ASKING
    assert len(set(found)) == len(found)


def test_a_node_is_asked_on_the_ports_of_its_roles_only() -> None:
    (apart,) = [layout for layout in LAYOUTS if layout.name == "separate"]
    asked = {(target.node, target.port) for target in of_cluster_ca(apart)}
    assert asked == {
        *((f"demo-controller-{number}", 9090) for number in (3, 4, 5)),
        *((f"demo-broker-{number}", port) for number in (0, 1, 2) for port in (9091, 9094)),
        ("cruise-control", 9090),
    }
    identities = {*apart.nodes, *COMPONENTS, "cluster-operator", "client", *READERS}
    assert {target.identity for target in of_cluster_ca(apart)} == identities


def test_who_asks_cruise_control_is_counted_apart() -> None:
    apart = {f"{identity} to cruise-control" for identity in ("entity-topic-operator", "cluster-operator")}
    assert parties(of_cluster_ca(COMBINED)) == {*NODES, *COMPONENTS, "cluster-operator", "client", *READERS} | apart


def test_users_and_programs_log_in_to_every_broker_and_to_no_controller() -> None:
    (apart,) = [layout for layout in LAYOUTS if layout.name == "separate"]
    identities = {"user orders", "user payments", "user pipeline", "application", "pipeline-connect-0"}
    found = [(target.identity, target.node, target.port) for target in of_clients_ca(apart)]
    assert set(found) == {
        (identity, node, port) for identity in identities for node in apart.brokers for port in (9093, 9095)
    }
    assert len(found) == len(set(found))
    assert parties(of_clients_ca(apart)) == identities


@pytest.mark.parametrize(
    ("target", "host"),
    [
        (Target("client", "demo-kafka-0", 9094), "demo-kafka-0.ns.svc"),
        (Target("application", "demo-kafka-0", 9095), "demo-kafka-users-0.ns.svc"),
        (Target("application", "demo-kafka-0", 9093), "demo-kafka-0.nodes"),
        (Target("kafka-exporter", "demo-kafka-0", 9091), "demo-kafka-0.nodes"),
        (Target("cluster-operator", "cruise-control", 9090), "demo-cruise-control.ns.svc"),
    ],
)
def test_names_are_those_by_which_each_is_called(target: Target, host: str) -> None:
    tier: Any = SimpleNamespace(name="demo", cluster=SimpleNamespace(namespace="ns"), host=lambda node: f"{node}.nodes")
    assert target.host(tier) == host

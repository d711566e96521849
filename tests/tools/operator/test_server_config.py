# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``server.config`` of a node whose pod runs Kafka (docs/operator.md, "What each process trusts", "Kafka image")."""

from __future__ import annotations

import copy

import pytest

from . import clusters
from .podsets import Node
from .security import MUTUAL, ONE_WAY, PLAIN, Security
from .server_config import server_config

DUAL = [Node("kafka", number, ("controller", "broker"), f"demo-kafka-{number}") for number in range(3)]
BROKER = Node("broker", 0, ("broker",), "demo-broker-0")
CONTROLLER = Node("controller", 3, ("controller",), "demo-controller-3")
APART = [BROKER, CONTROLLER]


def options(node: Node, nodes: list[Node], security: Security = MUTUAL, **kafka: object) -> dict[str, str]:
    resource = copy.deepcopy(clusters.kafka("demo", "ns", security=security))
    resource["spec"]["kafka"].update(kafka)
    return dict(line.split("=", 1) for line in server_config(resource, node, nodes).splitlines())


@pytest.mark.parametrize(
    ("node", "nodes", "roles", "ports"),
    [
        (DUAL[1], DUAL, "broker,controller", ["9090", "9091", "9092", "9093", "9094"]),
        (BROKER, APART, "broker", ["9091", "9092", "9093", "9094"]),
        (CONTROLLER, APART, "controller", ["9090"]),
    ],
)
def test_a_node_listens_for_its_roles(node: Node, nodes: list[Node], roles: str, ports: list[str]) -> None:
    found = options(node, nodes)
    assert found["process.roles"] == roles
    assert [listener.rsplit(":", 1)[1] for listener in found["listeners"].split(",")] == ports
    assert [listener.rsplit(":", 1)[1] for listener in found["advertised.listeners"].split(",")] == ports


def test_every_controller_votes_and_no_broker() -> None:
    host = "demo-controller-3.demo-kafka-brokers.ns.svc.cluster.local"
    assert options(BROKER, APART)["controller.quorum.voters"] == f"3@{host}:9090"


@pytest.mark.parametrize(
    ("listener", "trusted"),
    [
        ("controlplane-9090", "cluster-ca.crt"),
        ("replication-9091", "cluster-ca.crt"),
        ("tls-9093", "clients-ca.crt"),
        ("external-9094", None),
    ],
)
def test_a_listener_reads_leaf_and_trust_from_secrets(listener: str, trusted: str | None) -> None:
    found, prefix = options(DUAL[0], DUAL), f"listener.name.{listener}.ssl"
    secret = "${strimzisecrets:ns/demo-kafka-0:demo-kafka-0"
    assert found[f"{prefix}.keystore.certificate.chain"] == f"{secret}.crt}}"
    assert found[f"{prefix}.keystore.key"] == f"{secret}.key}}"
    bundle = f"${{strimzisecrets:ns/demo-trustbundle:{trusted}}}" if trusted else None
    assert found.get(f"{prefix}.truststore.certificates") == bundle
    assert found.get(f"{prefix}.client.auth") == ("required" if trusted else None)


INSIDE = ("controlplane-9090", "replication-9091")


@pytest.mark.parametrize("security", [MUTUAL, ONE_WAY, PLAIN], ids=str)
def test_nodes_speak_among_each_other_as_the_annotation_says(security: Security) -> None:
    """docs/operator.md, "Security between processes": without authentication both stores stay, because a node also
    connects to others with them.
    """
    found = options(DUAL[0], DUAL, security)
    protocols = dict(entry.split(":") for entry in found["listener.security.protocol.map"].split(","))
    for listener in INSIDE:
        prefix = f"listener.name.{listener}.ssl"
        assert protocols[listener.upper()] == ("SSL" if security.has_tls else "PLAINTEXT")
        for store in ("keystore.certificate.chain", "keystore.key", "truststore.certificates"):
            assert (f"{prefix}.{store}" in found) is security.has_tls
        assert (f"{prefix}.client.auth" in found) is security.verifies_clients
    assert (protocols["TLS-9093"], protocols["EXTERNAL-9094"]) == ("SSL", "SSL")
    assert found["listener.name.tls-9093.ssl.client.auth"] == "required"


@pytest.mark.parametrize("security", [ONE_WAY, PLAIN], ids=str)
def test_without_authentication_each_client_may_do_everything(security: Security) -> None:
    assert options(DUAL[0], DUAL, security)["super.users"] == "User:ANONYMOUS"


def test_a_cluster_ip_listener_is_advertised_by_the_service_of_its_broker() -> None:
    advertised = options(DUAL[2], DUAL)["advertised.listeners"].split(",")
    assert "EXTERNAL-9094://demo-kafka-2.ns.svc:9094" in advertised
    assert "TLS-9093://demo-kafka-2.demo-kafka-brokers.ns.svc:9093" in advertised


def test_an_advertised_host_of_the_resource_wins() -> None:
    brokers = [{"broker": 2, "advertisedHost": "two.example.com"}]
    listener = {"name": "tls", "port": 9093, "type": "internal", "tls": True, "configuration": {"brokers": brokers}}
    assert "TLS-9093://two.example.com:9093" in options(DUAL[2], DUAL, listeners=[listener])["advertised.listeners"]
    assert "example.com" not in options(DUAL[1], DUAL, listeners=[listener])["advertised.listeners"]


@pytest.mark.parametrize("user", ["demo-kafka", "cluster-operator", "demo-entity-user-operator"])
def test_nodes_operator_and_components_may_do_everything(user: str) -> None:
    assert f"User:CN={user},O=io.strimzi" in options(DUAL[0], DUAL)["super.users"].split(";")


@pytest.mark.parametrize(
    ("node", "value"), [(DUAL[0], "${strimzienv:RACK}"), (BROKER, "${strimzienv:RACK}"), (CONTROLLER, None)]
)
def test_brokers_read_their_rack_from_their_environment(node: Node, value: str | None) -> None:
    found = options(node, [node], rack={"type": "environment-variable", "envVarName": "RACK"})
    assert found.get("broker.rack") == value
    assert "strimzienv" in found["config.providers"].split(",")


def test_a_broker_without_a_rack() -> None:
    assert "broker.rack" not in options(BROKER, APART)


def test_without_authorization_no_superuser_is_named() -> None:
    found = options(DUAL[0], DUAL, authorization=None)
    assert "super.users" not in found
    assert "authorizer.class.name" not in found


def test_the_configuration_of_the_resource_comes_last() -> None:
    wanted = {"log.cleaner.dedupe.buffer.size": 8388608, "min.insync.replicas": 2}
    found = options(DUAL[0], DUAL, config=wanted)
    assert {key: found[key] for key in wanted} == {key: str(value) for key, value in wanted.items()}

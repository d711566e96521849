# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The security between the processes of a cluster, by the status of the Kafka resource, and the ports that a call asks
for it.
"""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.kafka import read_security
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.listeners import endpoints_of
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.specified_listeners import (
    own_ports,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.security import MUTUAL_TLS, ClusterSecurity

from ..bench import Bench, kafka, pod
from .test_observe import bench_with

ONE_WAY, PLAIN = ClusterSecurity(verifies_clients=False), ClusterSecurity(False, False)
ANNOTATION = {"strimzi.io/internal-cluster-security": "whatever it says"}
#: A port that presents the leaf of the node, one that presents a certificate of the user, and one without TLS.
LISTENERS = [
    {"name": "plain", "port": 9092, "type": "internal", "tls": False},
    {"name": "tls", "port": 9093, "type": "internal", "tls": True},
    {
        "name": "own",
        "port": 9094,
        "type": "internal",
        "tls": True,
        "configuration": {"brokerCertChainAndKey": {"secretName": "own"}},
    },
]


def said(encryption: object, authentication: object) -> dict[str, Any]:
    return {"clusterSecurity": {"encryption": {"type": encryption}, "authentication": {"type": authentication}}}


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (said("strimzi-tls", "strimzi-mtls"), MUTUAL_TLS),
        (said("tls", "mtls"), MUTUAL_TLS),
        (said("strimzi-tls", "none"), ONE_WAY),
        (said("tls", "none"), ONE_WAY),
        (said("none", "none"), PLAIN),
        ({}, MUTUAL_TLS),
        (None, MUTUAL_TLS),
    ],
)
def test_the_status_says_it(status: dict[str, Any] | None, expected: ClusterSecurity) -> None:
    assert read_security(kafka(status)) == expected


def test_there_is_none_without_the_resource() -> None:
    assert read_security(None) == MUTUAL_TLS


@pytest.mark.parametrize(
    "status",
    [
        said("none", "strimzi-mtls"),
        said("mesh", "none"),
        said("strimzi-tls", "spiffe"),
        said(None, "none"),
        said("STRIMZI-TLS", "strimzi-mtls"),
        {"clusterSecurity": {"encryption": {"type": "none"}}},
        {"clusterSecurity": {"encryption": "none", "authentication": "none"}},
        {"clusterSecurity": "none"},
        {"clusterSecurity": {}},
    ],
    ids=str,
)
def test_any_other_type_is_unknown(status: dict[str, Any]) -> None:
    found = read_security(kafka(status))
    assert found.problem
    assert not found.may_ask


@pytest.mark.parametrize(
    ("version", "is_known"),
    [
        ("1.0.1", True),
        ("1.1.0", True),
        ("1.2.0", True),
        ("1.3.0", False),
        ("1.20.0", False),
        ("2.0.0", False),
        ("", False),
    ],
)
def test_an_annotation_without_a_status_counts_from_the_release_on_that_knows_it(version: str, is_known: bool) -> None:
    """An administrator takes the status away to change it, while no pod runs; with earlier releases the annotation says
    nothing.
    """
    status = {"operatorLastSuccessfulVersion": version} if version else {}
    assert (not read_security(kafka(status, ANNOTATION)).problem) is is_known
    assert read_security(kafka({**status, **said("none", "none")}, ANNOTATION)) == PLAIN


def secured(status: dict[str, Any]) -> Bench:
    bench = bench_with(1)
    bench.change("kafkas", "demo", {"spec": {"kafka": {"listeners": LISTENERS}}})
    bench.change("kafkas", "demo", {"status": status}, "status")
    return bench


@pytest.mark.parametrize(
    ("status", "asked"),
    [
        (said("tls", "mtls"), {9090: True, 9091: True, 9093: False}),
        (said("tls", "none"), {9090: False, 9091: False, 9093: False}),
        (said("none", "none"), {9093: False}),
        (said("mesh", "none"), {9093: False}),
    ],
    ids=str,
)
def test_a_port_that_may_speak_no_tls_is_not_asked(status: dict[str, Any], asked: dict[int, bool]) -> None:
    """By port, whether it can show which CAs the node trusts."""
    assert {one.port: one.verifies for one in endpoints_of(secured(status).observe())} == asked


COMPONENTS = ("kafka", "cruise-control", "entity-operator", "kafka-exporter")


@pytest.mark.parametrize(
    ("status", "silent"),
    [
        (said("tls", "mtls"), set()),
        (said("tls", "none"), {"entity-operator", "kafka-exporter"}),
        (said("none", "none"), {"cruise-control", "entity-operator", "kafka-exporter"}),
    ],
    ids=["both sides", "servers", "no TLS"],
)
def test_a_client_presents_nothing_where_no_server_verifies_it(status: dict[str, Any], silent: set[str]) -> None:
    bench = secured(status)
    for component in COMPONENTS[1:]:
        bench.create("pods", pod(f"demo-{component}-1", component))
    found = {one.component.value for one in bench.observe().snapshot.nodes.pods if one.presents_nothing}
    assert found == silent


@pytest.mark.parametrize("listeners", [LISTENERS[:1], [LISTENERS[2]], []], ids=["plain", "another certificate", "none"])
def test_a_node_without_a_listener_of_its_own_certificate_presents_nothing(listeners: list[dict[str, Any]]) -> None:
    bench = secured(said("none", "none"))
    bench.change("kafkas", "demo", {"spec": {"kafka": {"listeners": listeners}}})
    observation = bench.observe()
    assert own_ports(observation.kafka or {}) == ()
    assert [one.presents_nothing for one in observation.snapshot.nodes.pods] == [True]
    assert endpoints_of(observation) == ()


def test_a_controller_has_no_listener_for_clients() -> None:
    bench = secured(said("none", "none"))
    bench.change("pods", "demo-kafka-0", {"metadata": {"labels": {"strimzi.io/broker-role": "false"}}})
    assert [one.presents_nothing for one in bench.observe().snapshot.nodes.pods] == [True]

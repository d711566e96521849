# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Alternative names of Kafka nodes, listener by listener (docs/operator.md, "Node names"): one too many or too few, and the operator
issues the leaf anew."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.subjects import (
    NodeIdentity,
    node_names,
    unaddressed_listeners,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames

from ...operator import clusters, leaves

SCOPE = ClusterNames("ns", "c")
NODE = NodeIdentity("c-pool-1", "pool", "1", broker=True)
DOMAIN = "cluster.local"


def four(service: str, domain: str = DOMAIN) -> set[str]:
    return {service, f"{service}.ns", f"{service}.ns.svc", f"{service}.ns.svc.{domain}"}


def every_node(pod: str = "c-pool-1", domain: str = DOMAIN) -> set[str]:
    host = f"{pod}.c-kafka-brokers.ns.svc"
    return four("c-kafka-bootstrap", domain) | four("c-kafka-brokers", domain) | {host, f"{host}.{domain}"}


def kafka(*listeners: dict[str, Any], status: dict[str, Any] | None = None) -> dict[str, Any]:
    resource = {"metadata": {"name": "c", "namespace": "ns"}, "spec": {"kafka": {"listeners": list(listeners)}}}
    return {**resource, "status": status} if status else resource


def listener(
    kind: str, *, tls: bool = True, name: str = "ext", port: int = 9095, **configuration: Any
) -> dict[str, Any]:
    return {"name": name, "port": port, "type": kind, "tls": tls, "configuration": configuration}


def added(*listeners: dict[str, Any], status: dict[str, Any] | None = None, node: NodeIdentity = NODE) -> set[str]:
    return set(node_names(SCOPE, node, kafka(*listeners, status=status), DOMAIN)) - every_node(node.pod)


def test_every_node_has_the_names_of_both_services_and_its_own() -> None:
    assert node_names(SCOPE, NODE, kafka(), DOMAIN) == every_node()
    assert node_names(SCOPE, NODE, None, DOMAIN) == every_node()


def test_domain_of_the_cluster() -> None:
    assert node_names(SCOPE, NODE, kafka(), "corp.example") == every_node(domain="corp.example")


HOSTS = {
    "bootstrap": {"host": "boot.example", "alternativeNames": ["alt.example", "192.0.2.7", "2001:db8::7"]},
    "brokers": [
        {"broker": 0, "host": "zero.example", "advertisedHost": "adv0.example"},
        {"broker": 1, "host": "one.example", "advertisedHost": "adv1.example"},
    ],
}  # fmt: skip
ALTERNATIVE = {"alt.example", "192.0.2.7", "2001:db8::7"}


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("internal", {"adv1.example"}),
        ("cluster-ip", {"adv1.example", "c-pool-ext-1.ns.svc", *four("c-kafka-ext-bootstrap")}),
        ("loadbalancer", {"adv1.example"}),
        ("nodeport", {"adv1.example"}),
        ("route", {"adv1.example", "boot.example", "one.example"}),
        ("tlsroute", {"adv1.example", "boot.example", "one.example"}),
        ("ingress", {"adv1.example", "boot.example", "one.example"}),
    ],
)
def test_listener_with_overrides(kind: str, names: set[str]) -> None:
    """Of the brokers' overrides only this broker's own."""
    assert added(listener(kind, **HOSTS)) == names | ALTERNATIVE


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("internal", set()),
        ("cluster-ip", set()),
        ("loadbalancer", {"adv1.example"}),
        ("nodeport", {"adv1.example"}),
    ],
)
def test_listener_without_tls(kind: str, names: set[str]) -> None:
    """The operator asks for TLS with internal and cluster-ip listeners only; alternative names count anyway."""
    assert added(listener(kind, tls=False, **HOSTS)) == names | ALTERNATIVE


@pytest.mark.parametrize("kind", ["internal", "loadbalancer", "nodeport", "route", "tlsroute", "ingress"])
def test_listener_without_overrides_adds_nothing(kind: str) -> None:
    bare = listener(kind)
    assert added(bare) == set()
    del bare["configuration"]
    assert added(bare) == set()


@pytest.mark.parametrize(
    ("name", "port", "service"),
    [
        ("ext", 9095, "c-pool-ext-1"),
        ("external", 9094, "c-pool-1"),
        ("external", 9095, "c-pool-external-1"),
        ("ext", 9094, "c-pool-ext-1"),
    ],
)
def test_cluster_ip_service_of_a_broker(name: str, port: int, service: str) -> None:
    expected = four(f"c-kafka-{name}-bootstrap")
    assert added(listener("cluster-ip", name=name, port=port)) == {f"{service}.ns.svc"} | expected
    with_domain = listener("cluster-ip", name=name, port=port, useServiceDnsDomain=True)
    assert added(with_domain) == {f"{service}.ns.svc.{DOMAIN}"} | expected


@pytest.mark.parametrize("kind", ["loadbalancer", "route", "ingress", "nodeport", "cluster-ip", "internal"])
def test_addresses_that_the_platform_assigned(kind: str) -> None:
    """Reported in the status: host names and IP addresses of the bootstrap Service or Route of this listener."""
    status = {
        "listeners": [
            {"name": "ext", "addresses": [{"host": "lb.example", "port": 1}, {"host": "192.0.2.9", "port": 1}, {}]},
            {"name": "other", "addresses": [{"host": "other.example", "port": 1}]},
        ]
    }
    without = added(listener(kind))
    reported = {"lb.example", "192.0.2.9"} if kind in ("loadbalancer", "route") else set()
    assert added(listener(kind), status=status) - without == reported


def test_without_a_bootstrap_service_the_status_reports_the_brokers_instead() -> None:
    """All of them; they are not names of each broker."""
    status = {"listeners": [{"name": "ext", "addresses": [{"host": "b0.example"}, {"host": "b1.example"}]}]}
    assert added(listener("loadbalancer", createBootstrapService=False), status=status) == set()


ASSIGNED = {
    ("loadbalancer", "c-kafka-ext-bootstrap"): "boot.lb.example",
    ("loadbalancer", "c-pool-ext-1"): "192.0.2.11",
    ("loadbalancer", "c-pool-ext-2"): "of.another.node",
    ("loadbalancer", "c-kafka-external-bootstrap"): "old.lb.example",
    ("loadbalancer", "c-pool-1"): "one.lb.example",
    ("route", "c-kafka-ext-bootstrap"): "boot.route.example",
    ("route", "c-pool-ext-1"): "one.route.example",
    ("route", "c-kafka-bootstrap"): "old.route.example",
    ("route", "c-pool-1"): "own.route.example",
}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (listener("loadbalancer"), {"boot.lb.example", "192.0.2.11"}),
        (listener("loadbalancer", tls=False), {"boot.lb.example", "192.0.2.11"}),
        (listener("loadbalancer", createBootstrapService=False), {"192.0.2.11"}),
        (listener("loadbalancer", name="external", port=9094), {"old.lb.example", "one.lb.example"}),
        (listener("route"), {"boot.route.example", "one.route.example"}),
        (listener("route", name="external", port=9094), {"old.route.example", "own.route.example"}),
        (listener("loadbalancer", name="other"), set()),
        *((listener(kind), set()) for kind in ("ingress", "tlsroute", "nodeport", "internal")),
    ],
)
def test_addresses_of_services_and_routes(given: dict[str, Any], expected: set[str]) -> None:
    """The addresses that the operator has reported do not count then: they may be outdated."""
    reported = {"listeners": [{"name": given["name"], "addresses": [{"host": "reported.example"}]}]}
    names = node_names(SCOPE, NODE, kafka(given, status=reported), DOMAIN, ASSIGNED)
    assert names - every_node() == expected
    lacking = unaddressed_listeners(SCOPE, NODE, kafka(given), ASSIGNED)
    assert lacking == (("other (loadbalancer)",) if given["name"] == "other" else ())


@pytest.mark.parametrize("kind", ["loadbalancer", "route"])
@pytest.mark.parametrize("gone", ["c-kafka-ext-bootstrap", "c-pool-ext-1"])
def test_a_listener_lacks_an_address_as_long_as_one_is_missing(kind: str, gone: str) -> None:
    assigned = {one: address for one, address in ASSIGNED.items() if one[1] != gone}
    asked = kafka(listener(kind), listener("internal", name="tls"))
    assert unaddressed_listeners(SCOPE, NODE, asked, assigned) == (f"ext ({kind})",)
    controller = NodeIdentity("c-pool-1", "pool", "1", broker=False)
    assert unaddressed_listeners(SCOPE, controller, asked, assigned) == ()


@pytest.mark.parametrize("kind", ["route", "ingress", "tlsroute"])
def test_host_templates(kind: str) -> None:
    templates = {"hostTemplate": "b-{nodeId}.example", "advertisedHostTemplate": "{nodePodName}.example"}
    assert added(listener(kind, **templates)) == {"b-1.example", "c-pool-1.example"}
    overridden = listener(
        kind, **templates, brokers=[{"broker": 1, "host": "own.example", "advertisedHost": "a.example"}]
    )
    assert added(overridden) == {"own.example", "a.example"}


@pytest.mark.parametrize(
    ("entries", "names"),
    [
        ([{"advertisedHost": "a.example"}, {"host": "h.example"}], {"a.example", "h.example"}),
        ([{"host": "h.example"}, {"advertisedHost": "a.example"}], {"a.example", "h.example"}),
        ([{"host": "h.example"}, {"host": "late.example", "advertisedHost": "a.example"}], {"a.example", "h.example"}),
        ([{"host": None}, {"host": "h.example"}, {"advertisedHost": "a.example"}], {"a.example", "h.example"}),
        ([{"annotations": {}}, {"advertisedPort": 1}], {"b-1.example", "c-pool-1.example"}),
    ],
)
def test_several_entries_for_one_broker(entries: list[dict[str, Any]], names: set[str]) -> None:
    """Each field is that of the first entry which has it; the templates serve where none has."""
    templates = {"hostTemplate": "b-{nodeId}.example", "advertisedHostTemplate": "{nodePodName}.example"}
    others = [{"broker": 0, "host": "zero.example", "advertisedHost": "adv0.example"}, {"host": "lost.example"}]
    own = [{"broker": 1, **one} for one in entries]
    assert added(listener("ingress", **templates, brokers=[*others, *own])) == names


def test_controllers_have_nothing_of_the_listeners() -> None:
    controller = NodeIdentity("c-pool-1", "pool", "1", broker=False)
    every = [listener(kind, **HOSTS) for kind in ("internal", "cluster-ip", "route", "loadbalancer")]
    assert added(*every, node=controller) == set()


def test_several_listeners_add_up() -> None:
    found = added(listener("internal", **HOSTS), listener("ingress", bootstrap={"host": "two.example"}))
    assert found == {"adv1.example", "two.example"} | ALTERNATIVE


@pytest.mark.parametrize("broker", [True, False])
def test_same_names_as_the_operator_double(broker: bool) -> None:
    """Two readings of the same source, written apart."""
    resource = clusters.kafka("c", "ns")
    node = NodeIdentity("c-pool-1", "pool", "1", broker)
    assert node_names(SCOPE, node, resource, DOMAIN) == leaves.node_names(resource, "pool", 1, broker)

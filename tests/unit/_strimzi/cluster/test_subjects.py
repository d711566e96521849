# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Subjects of leaves, alternative names of Kafka nodes, and the names that a leaf has to have."""

from __future__ import annotations

import base64
from datetime import timedelta
from typing import Any

import pytest
from cryptography import x509

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import DistinguishedName
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import sign_leaf
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.usability import Purpose
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.leaves import (
    component_leaves,
    node_leaf,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.subjects import (
    NodeIdentity,
    names_of_services,
    node_names,
    service_names,
    subject_like,
    subject_of,
    subject_of_user,
    subjects_for,
    unaddressed_listeners,
    wanted_names,
    with_misnamed,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import ClusterNames
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component

from ....tools.operator import clusters, leaves
from ....tools.support.certificates import NOW, YEAR, Entity, key, make
from ....tools.support.golden import GoldenFiles
from ..._issuing.elsewhere import elsewhere
from ..._issuing.office import BY_SECRET, CA, NODES, OLD, issue, names_of, office, presented
from ..bench import Bench, conditions, pem, pod

LEAVES = [*component_leaves("c"), node_leaf("c", "c-kafka-0")]


@pytest.mark.parametrize("leaf", LEAVES, ids=lambda leaf: leaf.secret)
def test_organization_comes_before_the_common_name(leaf: object) -> None:
    subject = subject_of(leaf.component, leaf.common_name, frozenset({"a.example"}))  # type: ignore[attr-defined]
    attributes = [(one.oid.dotted_string, one.value) for one in subject.distinguished_name.as_name()]
    assert attributes == [("2.5.4.10", "io.strimzi"), ("2.5.4.3", leaf.common_name)]  # type: ignore[attr-defined]
    # UTF8String, as openssl writes it: a name in another string type is another name for a byte comparison.
    assert subject.distinguished_name.der.count(b"\x0c\x0aio.strimzi") == 1


@pytest.mark.parametrize(
    ("component", "common_name", "printed"),
    [
        (Component.KAFKA, "c-kafka", "CN=c-kafka,O=io.strimzi"),
        (Component.CLUSTER_OPERATOR, "cluster-operator", "CN=cluster-operator,O=io.strimzi"),
        (Component.ENTITY_OPERATOR, "c-entity-user-operator", "CN=c-entity-user-operator,O=io.strimzi"),
    ],
)
def test_printed_form_is_that_of_super_users(component: Component, common_name: str, printed: str) -> None:
    assert subject_of(component, common_name, frozenset()).distinguished_name.as_name().rfc4514_string() == printed


@pytest.mark.parametrize(
    ("component", "serves"),
    [
        (Component.KAFKA, True),
        (Component.CRUISE_CONTROL, True),
        (Component.ENTITY_OPERATOR, False),
        (Component.KAFKA_EXPORTER, False),
        (Component.CLUSTER_OPERATOR, False),
    ],
)
def test_pure_clients_have_no_names(component: Component, serves: bool) -> None:
    names = frozenset({"a.example", "192.0.2.1"})
    assert subject_of(component, "x", names).names == (names if serves else frozenset())


def test_a_user_has_no_organization_and_is_a_client() -> None:
    found = subject_of_user("orders", timedelta(days=30))
    assert found.distinguished_name.text == "CN=orders"
    assert (found.names, found.purposes, found.outlasts) == (frozenset(), {Purpose.CLIENT}, timedelta(days=30))


@pytest.mark.parametrize("written", ["2001:DB8::1", "2001:db8:0:0:0:0:0:1", "2001:0db8::0001"])
def test_an_ipv6_address_is_the_same_in_all_its_forms(written: str) -> None:
    """A certificate contains 16 bytes; compared as text, the leaf would never be the wanted one."""
    assert subject_of(Component.KAFKA, "x", frozenset({written})).names == {"2001:db8::1"}


def test_a_name_that_looks_like_an_address_stays_a_name() -> None:
    names = frozenset({"10.example", "1.2.3", "x2001:db8::1"})
    assert subject_of(Component.KAFKA, "x", names).names == names


def test_cruise_control_names() -> None:
    scope = ClusterNames("ns", "c")
    assert names_of_services(Component.CRUISE_CONTROL, scope, "dom") == {
        "c-cruise-control", "c-cruise-control.ns", "c-cruise-control.ns.svc", "c-cruise-control.ns.svc.dom", "localhost",
    }  # fmt: skip
    assert service_names("s", "n", "d") == ("s", "s.n", "s.n.svc", "s.n.svc.d")


def test_names_are_equal_to_what_x509_makes_of_them() -> None:
    name = subject_of(Component.KAFKA, "c-kafka", frozenset()).distinguished_name
    assert x509.Name.from_rfc4514_string("CN=c-kafka,O=io.strimzi").public_bytes() == name.der


# Alternative names of Kafka nodes, listener by listener (docs/operator.md, "Node names"): one too many or too few, and the operator issues
# the leaf again.

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
def test_node_names_are_those_of_the_operator_double(broker: bool) -> None:
    """Two readings of the same source, written apart."""
    resource = clusters.kafka("c", "ns")
    node = NodeIdentity("c-pool-1", "pool", "1", broker)
    assert node_names(SCOPE, node, resource, DOMAIN) == leaves.node_names(resource, "pool", 1, broker)


# The names that a leaf has to have: those the operator put there, and where they cannot be read, what follows from the Kafka resource.


def spoil(bench: Bench, secret: str) -> Bench:
    bench.change("secrets", secret, {"data": {f"{BY_SECRET[secret].entry}.crt": "YnJva2Vu"}})
    return bench


def recreate(bench: Bench, name: str, **labels: str) -> None:
    bench.remove("pods", name)
    body = pod(name)
    body["metadata"]["labels"] |= {f"strimzi.io/{key.replace('_', '-')}": value for key, value in labels.items()}
    bench.create("pods", body)


@pytest.mark.parametrize("secret", BY_SECRET)
def test_names_of_the_stored_leaf_are_kept(secret: str) -> None:
    assert wanted_names(BY_SECRET[secret], office().observe()) == names_of(secret)


STRANGER = make("stranger", key(3))
_LEAF = make("demo-kafka", key(4), OLD, ca=False)


def forged(issuer: Entity, subject: str = "demo-kafka") -> bytes:
    """A leaf for names that an attacker would like to have, and the CA that signed it."""
    name, names = DistinguishedName(subject), ["vault.corp.example", "192.0.2.66"]
    leaf = sign_leaf(
        key(50).public_key, name, names, issuer.certificate, issuer.key, not_before=NOW - YEAR / 2, validity=YEAR / 2
    )
    return pem(leaf, issuer.certificate)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(forged(STRANGER), id="of a foreign CA"),
        pytest.param(forged(_LEAF), id="signed by a leaf of this cluster"),
        pytest.param(forged(OLD, "tools"), id="of this cluster's CA, for another purpose"),
    ],
)
def test_names_of_another_leaf_are_not_copied(content: bytes) -> None:
    bench = office()
    data = {f"{NODES[0]}.crt": base64.b64encode(content).decode()}
    bench.change("secrets", NODES[0], {"data": data})
    assert wanted_names(BY_SECRET[NODES[0]], bench.observe()) == expected()
    issue(bench, NODES[0])
    assert presented(bench, NODES[0])[0].subject_alternative_names == expected()


def derived(bench: Bench, secret: str = NODES[0]) -> frozenset[str]:
    return wanted_names(BY_SECRET[secret], spoil(bench, secret).observe())


def expected(pool: str = "kafka", node_id: int = 0, broker: bool = True) -> set[str]:
    return leaves.node_names(office().find("kafkas", "demo"), pool, node_id, broker)


def test_unreadable_node_leaf_gets_the_names_of_the_kafka_resource() -> None:
    assert derived(office()) == expected()


@pytest.mark.parametrize(("role", "broker"), [("true", True), ("false", False)])
def test_role_of_the_node_is_told_by_its_pod(role: str, broker: bool) -> None:
    bench = office()
    recreate(bench, NODES[0], pool_name="kafka", broker_role=role)
    assert derived(bench) == expected(broker=broker)


def test_without_its_pod_the_pool_is_told_by_the_name() -> None:
    bench = office()
    bench.remove("pods", NODES[1])
    assert derived(bench, NODES[1]) == expected(node_id=1)


def test_pool_with_dashes() -> None:
    leaf = node_leaf("demo", "demo-big-pool-12")
    assert wanted_names(leaf, office().observe()) == expected("big-pool", 12)


@pytest.mark.parametrize("secret", [one for one in BY_SECRET if one not in NODES])
def test_unreadable_component_leaf(secret: str) -> None:
    assert derived(office(), secret) == names_of(secret)


def test_issued_leaf_has_the_derived_names() -> None:
    bench = spoil(office(), NODES[0])
    issue(bench, NODES[0])
    assert parse_certificates(bench.data(NODES[0])[f"{NODES[0]}.crt"])[0].subject_alternative_names == expected()


@pytest.mark.parametrize("written", ["2001:DB8:0:0::1", "192.0.2.1", "Mixed.Example"])
def test_an_advertised_address_is_accepted_in_the_form_in_which_it_was_written(written: str) -> None:
    bench = spoil(office(), NODES[0])
    brokers = {"configuration": {"brokers": [{"broker": 0, "advertisedHost": written}]}}
    listener = {"name": "tls", "port": 9093, "type": "internal", "tls": True, **brokers}
    bench.change("kafkas", "demo", {"spec": {"kafka": {"listeners": [listener]}}})
    issue(bench, NODES[0])
    names = parse_certificates(bench.data(NODES[0])[f"{NODES[0]}.crt"])[0].subject_alternative_names
    assert {"2001:DB8:0:0::1": "2001:db8::1"}.get(written, written) in names


# An operator without the key of the CA stands still where it wants other names.

STANDING_STILL: dict[str, Any] = {"conditions": conditions("NotReady"), "observedGeneration": 1}
TLS: dict[str, Any] = {"name": "tls", "port": 9093, "type": "internal", "tls": True}


def helpless(
    status: dict[str, Any] | None = None, *listeners: dict[str, Any], bench: Bench | None = None, **pool: Any
) -> Bench:
    """status: of the Kafka resource."""
    bench = bench or elsewhere()
    patch: dict[str, Any] = {"spec": {"kafka": {"listeners": list(listeners) or [TLS]}}}
    bench.change("kafkas", "demo", patch)
    bench.change("kafkas", "demo", {"status": {**STANDING_STILL, **(status or {})}}, "status")
    generation = bench.find("kafkas", "demo")["metadata"].get("generation")
    bench.change("kafkas", "demo", {"status": {"observedGeneration": generation, **(status or {})}}, "status")
    metadata = {"name": "kafka", "labels": {"strimzi.io/cluster": "demo"}}
    spec = {"replicas": 2, "roles": ["broker"], **pool}
    bench.create("kafkanodepools", {"metadata": metadata, "spec": spec})
    return bench


def of_resource(bench: Bench, broker: bool = True) -> set[str]:
    return leaves.node_names(bench.find("kafkas", "demo"), "kafka", 0, broker)


def test_an_operator_without_a_key_that_is_not_ready_may_want_the_names_of_the_kafka_resource() -> None:
    bench = helpless()
    assert wanted_names(BY_SECRET[NODES[0]], bench.observe()) == of_resource(bench) != names_of(NODES[0])


@pytest.mark.parametrize(
    "bench",
    [
        pytest.param(lambda: helpless({"conditions": conditions("Ready")}), id="it is ready"),
        pytest.param(lambda: helpless({"observedGeneration": 0}), id="it has not looked yet"),
        pytest.param(lambda: helpless(bench=office()), id="it has the key"),
        pytest.param(lambda: helpless(replicas=0), id="the node is not wanted"),
    ],
)
def test_in_other_cases_the_names_in_the_stored_leaf_count(bench: Any) -> None:
    assert wanted_names(BY_SECRET[NODES[0]], bench().observe()) == names_of(NODES[0])


def test_the_status_of_a_paused_cluster_does_not_count() -> None:
    bench = helpless()
    bench.change("kafkas", "demo", {"metadata": {"annotations": {"strimzi.io/pause-reconciliation": "true"}}})
    assert wanted_names(BY_SECRET[NODES[0]], bench.observe()) == names_of(NODES[0])


def subject_names(bench: Bench) -> list[frozenset[str]]:
    return [subject.names for subject in subjects_for(BY_SECRET[NODES[0]], bench.observe())]


@pytest.mark.parametrize(
    ("status", "annotations"),
    [
        pytest.param({}, {"strimzi.io/pause-reconciliation": "true"}, id="it is paused"),
        pytest.param({"observedGeneration": 0}, {}, id="it has not looked yet"),
    ],
)
def test_while_nothing_shows_what_the_operator_wants_certificates_may_have_both_names(
    status: dict[str, Any], annotations: dict[str, str]
) -> None:
    """A new request has the names of the stored leaf; one that was made before is judged by the names that it has."""
    bench = helpless(status)
    bench.change("kafkas", "demo", {"metadata": {"annotations": annotations}})
    assert subject_names(bench) == [names_of(NODES[0]), of_resource(bench)]
    seen, leaf = bench.observe(), BY_SECRET[NODES[0]]
    assert subject_like(frozenset(of_resource(bench)), leaf, seen).names == of_resource(bench)
    assert subject_like(frozenset({"elsewhere.example"}), leaf, seen).names == names_of(NODES[0])


@pytest.mark.parametrize(
    "bench",
    [
        pytest.param(lambda: helpless({"conditions": conditions("Ready")}), id="it is ready"),
        pytest.param(lambda: helpless({"observedGeneration": 0}, bench=office()), id="it has the key"),
        pytest.param(lambda: helpless({"observedGeneration": 0}, replicas=0), id="the node is not wanted"),
    ],
)
def test_in_other_cases_certificates_may_have_the_names_in_the_stored_leaf_alone(bench: Any) -> None:
    assert subject_names(bench()) == [names_of(NODES[0])]


@pytest.mark.parametrize("kind", ["loadbalancer", "route"])
def test_addresses_of_the_platform_are_kept(kind: str) -> None:
    bench = helpless(None, {**TLS, "type": kind})
    wanted = wanted_names(BY_SECRET[NODES[0]], bench.observe())
    assert names_of(NODES[0]) < wanted
    assert f"{NODES[0]}.demo-kafka-brokers.kafka.svc" in wanted


@pytest.mark.parametrize("roles", [["broker"], ["controller"], ["broker", "controller"]])
def test_the_role_of_a_wanted_node_is_told_by_its_pool(roles: list[str]) -> None:
    bench = helpless(
        None, {**TLS, "configuration": {"bootstrap": {"alternativeNames": ["kafka.example"]}}}, roles=roles
    )
    wanted = wanted_names(BY_SECRET[NODES[0]], bench.observe())
    assert wanted == of_resource(bench, "broker" in roles)
    assert ("kafka.example" in wanted) is ("broker" in roles)


def test_the_domain_of_services_is_the_one_that_the_operator_has_put_into_leaves() -> None:
    bench = helpless()
    name = DistinguishedName("demo-kafka")
    names = ["demo-kafka-brokers.kafka.svc", "demo-kafka-brokers.kafka.svc.corp.local"]
    leaf = sign_leaf(
        key(50).public_key, name, names, OLD.certificate, OLD.key, not_before=NOW - YEAR / 2, validity=YEAR
    )
    data = {f"{NODES[1]}.crt": base64.b64encode(pem(leaf)).decode()}
    bench.change("secrets", NODES[1], {"data": data})
    wanted = wanted_names(BY_SECRET[NODES[0]], bench.observe())
    assert wanted == {one.replace("cluster.local", "corp.local") for one in of_resource(bench)}


# Leaves with other names than an operator wants that cannot issue them.


def stored(bench: Bench, *names: str, by: Entity = CA) -> Bench:
    """A leaf with these names for the first node."""
    name = DistinguishedName("demo-kafka")
    leaf = sign_leaf(key(50).public_key, name, names, by.certificate, by.key, not_before=NOW - YEAR / 2, validity=YEAR)
    data = {f"{NODES[0]}.crt": base64.b64encode(pem(leaf)).decode()}
    bench.change("secrets", NODES[0], {"data": data})
    return bench


def misnamed(bench: Bench) -> dict[str, str]:
    return dict(with_misnamed(bench.observe()).snapshot.leaves.misnamed)


WANTED = of_resource(helpless())


@pytest.mark.parametrize(
    ("case", "names"),
    [
        ("a name too few", WANTED - {"demo-kafka-brokers"}),
        ("a name too many", WANTED | {"old.example"}),
        ("both", (WANTED - {"demo-kafka-brokers"}) | {"a", "b"}),
    ],
)
def test_the_difference_is_told(case: str, names: set[str], golden: GoldenFiles) -> None:
    ((secret_name, why),) = misnamed(stored(helpless(), *names)).items()
    assert secret_name == NODES[0]
    golden.compare_said("cluster", why, case)


def test_the_right_names() -> None:
    assert misnamed(stored(helpless(), *WANTED)) == {}


@pytest.mark.parametrize(
    "bench",
    [
        pytest.param(lambda: helpless({"conditions": conditions("Ready")}), id="the operator is ready"),
        pytest.param(lambda: helpless(bench=office()), id="it has the key"),
        pytest.param(elsewhere, id="there is no such node any more"),
    ],
)
def test_wrong_names_do_not_matter_where_the_operator_issues_them(bench: type[Bench]) -> None:
    assert misnamed(stored(bench(), "old.example")) == {}


def test_a_leaf_of_another_ca_is_another_matter() -> None:
    assert misnamed(stored(helpless(), "old.example", by=OLD)) == {}


@pytest.mark.parametrize(("domain", "told"), [("cluster.local", {}), ("corp.internal", True)])
def test_cruise_control_has_names_too(domain: str, told: object) -> None:
    """Its domain is that of the nodes."""
    bench, where = stored(helpless(), *WANTED), BY_SECRET["demo-cruise-control-certs"]
    names = names_of_services(Component.CRUISE_CONTROL, bench.observe().scope, domain)
    leaf = sign_leaf(
        key(50).public_key, DistinguishedName(where.common_name), names, CA.certificate, CA.key, not_before=NOW - YEAR / 2, validity=YEAR
    )  # fmt: skip
    content = {f"{where.entry}.crt": base64.b64encode(pem(leaf)).decode()}
    bench.change("secrets", where.secret, {"data": content})
    wrong = {
        where.secret: "it lacks demo-cruise-control.kafka.svc.cluster.local and should not have demo-cruise-control.kafka.svc.corp.internal"
    }
    assert misnamed(bench) == (wrong if told else {})

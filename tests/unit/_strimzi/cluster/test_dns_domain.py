# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The DNS domain of the Kubernetes cluster, from what shows it."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import DistinguishedName
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import sign_leaf
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.dns_domain import is_domain, read_domain
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import DnsDomain, DomainSource

from ....tools.support.certificates import NOW, YEAR, key, make
from ..bench import SCOPE, Bench, pem, secret

CA = make("cluster-ca v0", key(0))


def named_leaf(common_name: str, *names: str) -> bytes:
    subject = DistinguishedName(common_name)
    made = sign_leaf(
        key(1).public_key, subject, names, CA.certificate, CA.key, not_before=NOW - YEAR, validity=2 * YEAR
    )
    return pem(made, CA)


def node(bench: Bench, name: str, domain: str, cluster: str = "demo", common_name: str = "") -> None:
    names = (name, f"{cluster}-kafka-bootstrap.kafka.svc", f"{cluster}-kafka-brokers.kafka.svc.{domain}")
    content = named_leaf(common_name or f"{cluster}-kafka", *names)
    labels = {"strimzi.io/cluster": cluster, "strimzi.io/name": f"{cluster}-kafka"}
    bench.create("secrets", secret(name, {f"{name}.crt": content}, labels=labels))


def cruise_control(bench: Bench, domain: str) -> None:
    content = named_leaf("demo-cruise-control", "localhost", f"demo-cruise-control.kafka.svc.{domain}")
    bench.create("secrets", secret("demo-cruise-control-certs", {"cruise-control.crt": content}))


def operator(
    bench: Bench, name: str = "strimzi-cluster-operator", *, watches: str = "", container: Any = None, **env: str
) -> None:
    """A pod of a Cluster Operator in the namespace of the cluster."""
    variables: list[Any] = [{"name": key, "value": value} for key, value in env.items()]
    own = {"fieldRef": {"fieldPath": "metadata.namespace"}}
    variables.append({"name": "STRIMZI_NAMESPACE", **({"value": watches} if watches else {"valueFrom": own})})
    labels = {"name": "strimzi-cluster-operator", "strimzi.io/kind": "cluster-operator"}
    bench.create("pods", {
        "metadata": {"name": name, "namespace": "kafka", "labels": labels},
        "spec": {"containers": [{"name": "strimzi-cluster-operator", "env": variables, **(container or {})}]},
    })  # fmt: skip


def found(bench: Bench, given: str = "", *, look_around: bool = True, is_accepted: bool = True) -> DnsDomain:
    leaves = bench.observe().snapshot.leaves.stored
    return read_domain(bench.client(), SCOPE, given, leaves, look_around=look_around, is_accepted=is_accepted)


NOTHING = DnsDomain("cluster.local", DomainSource.DEFAULT)


def test_where_nothing_shows_it_the_operators_default() -> None:
    assert found(Bench()) == NOTHING


def test_the_domain_of_the_caller_comes_first() -> None:
    bench = Bench()
    node(bench, "demo-kafka-0", "corp.internal")
    assert found(bench, "k8s.example") == DnsDomain("k8s.example", DomainSource.CALLER)


def test_nodes_show_it_by_majority_and_before_cruise_control() -> None:
    bench = Bench()
    cruise_control(bench, "cluster.local")
    assert found(bench) == DnsDomain("cluster.local", DomainSource.OWN_CERTIFICATES)
    for number, domain in enumerate(("a.example", "corp.internal", "corp.internal")):
        node(bench, f"demo-kafka-{number}", domain)
    assert found(bench) == DnsDomain("corp.internal", DomainSource.OWN_CERTIFICATES)


def test_another_cluster_of_the_namespace_shows_it_too() -> None:
    bench = Bench()
    node(bench, "other-kafka-0", "corp.internal", "other")
    assert found(bench) == DnsDomain("corp.internal", DomainSource.OTHER_CLUSTERS)
    assert found(bench, look_around=False) == NOTHING
    node(bench, "demo-kafka-0", "k8s.example")
    assert found(bench) == DnsDomain("k8s.example", DomainSource.OWN_CERTIFICATES)


def test_the_operator_of_the_namespace_shows_it_before_other_clusters() -> None:
    bench = Bench()
    node(bench, "other-kafka-0", "k8s.example", "other")
    operator(bench, KUBERNETES_SERVICE_DNS_DOMAIN="corp.internal")
    assert found(bench) == DnsDomain("corp.internal", DomainSource.OPERATOR)
    assert found(bench, look_around=False) == NOTHING


def test_certificates_that_the_operator_does_not_accept_show_less_than_its_environment() -> None:
    bench = Bench()
    node(bench, "demo-kafka-0", "cluster.local")
    operator(bench, KUBERNETES_SERVICE_DNS_DOMAIN="corp.internal")
    assert found(bench) == DnsDomain("cluster.local", DomainSource.OWN_CERTIFICATES)
    assert found(bench, is_accepted=False) == DnsDomain("corp.internal", DomainSource.OPERATOR)
    assert found(bench, "k8s.example", is_accepted=False).source is DomainSource.CALLER


@pytest.mark.parametrize("watches", ["", "*", "kafka", "other, kafka"])
def test_an_operator_that_sets_none_has_the_default(watches: str) -> None:
    bench = Bench()
    operator(bench, watches=watches)
    assert found(bench) == DnsDomain("cluster.local", DomainSource.OPERATOR)


@pytest.mark.parametrize(
    "others",
    [
        {"watches": "other"},
        {"container": {"envFrom": [{"configMapRef": {"name": "settings"}}]}},
        {"container": {"env": [{"name": "KUBERNETES_SERVICE_DNS_DOMAIN", "valueFrom": {"configMapKeyRef": {}}}]}},
        {"KUBERNETES_SERVICE_DNS_DOMAIN": "*.corp"},
    ],
)
def test_an_operator_whose_domain_is_not_seen_shows_none(others: Any) -> None:
    bench = Bench()
    operator(bench, **others)
    assert found(bench) == NOTHING


def test_operators_that_differ_show_none() -> None:
    bench = Bench()
    operator(bench, KUBERNETES_SERVICE_DNS_DOMAIN="corp.internal")
    operator(bench, "another", KUBERNETES_SERVICE_DNS_DOMAIN="k8s.example")
    assert found(bench) == NOTHING


@pytest.mark.parametrize("common_name", ["tools", "demo-kafka"])
def test_a_certificate_that_is_none_of_its_nodes_shows_nothing(common_name: str) -> None:
    bench = Bench()
    node(bench, "other-kafka-0", "corp.internal", "other", common_name)
    assert found(bench) == NOTHING


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("cluster.local", True),
        ("corp", True),
        ("k8s.eu-1.example.com", True),
        ("", False),
        ("corp.", False),
        (".corp", False),
        ("Corp.Internal", False),
        ("corp internal", False),
        ("-a.example", False),
        (f"{'a' * 64}.example", False),
        (".".join(["a" * 60] * 5), False),
    ],
)
def test_domains(text: str, is_one: bool) -> None:
    assert is_domain(text) is is_one


def test_no_other_text_is_taken_for_a_domain() -> None:
    bench = Bench()
    node(bench, "demo-kafka-0", "*.corp")
    assert found(bench) == NOTHING

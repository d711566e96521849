# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The DNS domain of the Kubernetes cluster, as leaves show it, and where they are looked for."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import DistinguishedName
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import sign_leaf
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import is_domain, read_domain

from ...support.certificates import NOW, YEAR, key, make
from .bench import SCOPE, Bench, pem, secret

CA = make("cluster-ca v0", key(0))


def leaf(common_name: str, *names: str) -> bytes:
    subject = DistinguishedName(common_name)
    made = sign_leaf(
        key(1).public_key, subject, names, CA.certificate, CA.key, not_before=NOW - YEAR, validity=2 * YEAR
    )
    return pem(made, CA)


def node(bench: Bench, name: str, domain: str, cluster: str = "demo", common_name: str = "") -> None:
    names = (name, f"{cluster}-kafka-bootstrap.kafka.svc", f"{cluster}-kafka-brokers.kafka.svc.{domain}")
    content = leaf(common_name or f"{cluster}-kafka", *names)
    labels = {"strimzi.io/cluster": cluster, "strimzi.io/name": f"{cluster}-kafka"}
    bench.create("secrets", secret(name, {f"{name}.crt": content}, labels=labels))


def cruise_control(bench: Bench, domain: str) -> None:
    content = leaf("demo-cruise-control", "localhost", f"demo-cruise-control.kafka.svc.{domain}")
    bench.create("secrets", secret("demo-cruise-control-certs", {"cruise-control.crt": content}))


def found(bench: Bench, given: str = "", *, look_around: bool = True) -> str:
    return read_domain(bench.client(), SCOPE, given, bench.observe().snapshot.leaves.stored, look_around=look_around)


def test_where_nothing_shows_it_the_operators_default() -> None:
    assert found(Bench()) == "cluster.local"


def test_what_the_caller_gives_comes_first() -> None:
    bench = Bench()
    node(bench, "demo-kafka-0", "corp.internal")
    assert found(bench, "k8s.example") == "k8s.example"


def test_nodes_show_it_by_majority_and_before_cruise_control() -> None:
    bench = Bench()
    cruise_control(bench, "cluster.local")
    assert found(bench) == "cluster.local"
    for number, domain in enumerate(("a.example", "corp.internal", "corp.internal")):
        node(bench, f"demo-kafka-{number}", domain)
    assert found(bench) == "corp.internal"


def test_another_cluster_of_the_namespace_shows_it_too() -> None:
    bench = Bench()
    node(bench, "other-kafka-0", "corp.internal", "other")
    assert found(bench) == "corp.internal"
    assert found(bench, look_around=False) == "cluster.local"
    node(bench, "demo-kafka-0", "k8s.example")
    assert found(bench) == "k8s.example"


@pytest.mark.parametrize("common_name", ["tools", "demo-kafka"])
def test_a_certificate_that_is_none_of_its_nodes_shows_nothing(common_name: str) -> None:
    bench = Bench()
    node(bench, "other-kafka-0", "corp.internal", "other", common_name)
    assert found(bench) == "cluster.local"


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
    assert found(bench) == "cluster.local"

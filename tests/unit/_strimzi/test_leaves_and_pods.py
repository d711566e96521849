# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaves in their Secrets, and what a pod's annotations say about them (docs/operator.md, "Leaves", "Pod annotations"). No guess where one is
missing or garbled: unknown."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.leaves import (
    component_leaves,
    expected_leaves,
    leaf_secrets,
    node_leaf,
    read_leaf,
    server_cert_hash,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.pods import (
    component_of,
    is_final,
    is_ready,
    read_pod,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Component, Pod, StoredLeaf

from ...support.certificates import key, leaf, make
from .bench import SCOPE, kafka, pem, pod, secret

CA = make("cluster-ca v0", key(0))
LEAF, OTHER = leaf(CA, "one"), leaf(CA, "two")
TOPIC, USER = "demo-entity-topic-operator-certs", "demo-entity-user-operator-certs"
CLUSTER_LABEL = {"strimzi.io/name": "demo-kafka"}


def sha1(certificate: Any) -> str:
    return hashlib.sha1(certificate.der, usedforsecurity=False).hexdigest()


def stored(component: Component, secret_name: str = "demo-kafka-0", certificate: Any = LEAF) -> StoredLeaf:
    chain = (certificate,) if certificate else None
    return StoredLeaf(secret_name, "x.crt", component, chain, 0)


def test_leaves_are_found_by_label_and_by_name() -> None:
    secrets = {
        "demo-kafka-10": secret("demo-kafka-10", {"demo-kafka-10.crt": pem(LEAF)}, labels=CLUSTER_LABEL),
        "demo-kafka-0": secret("demo-kafka-0", {"demo-kafka-0.crt": pem(LEAF)}, labels=CLUSTER_LABEL),
        "demo-kafka-jmx": secret("demo-kafka-jmx", {"jmx-password": b"x"}, labels=CLUSTER_LABEL),
        "mine": secret("mine", {"mine.crt": pem(LEAF)}),
        "another's-0": secret("another's-0", {"another's-0.crt": pem(LEAF)}, labels=CLUSTER_LABEL),
        USER: secret(USER, {"entity-operator.crt": pem(LEAF)}),
        "demo-cluster-ca-cert": secret("demo-cluster-ca-cert", {"ca.crt": pem(CA)}),
    }
    assert [one.secret for one in leaf_secrets(SCOPE, secrets, lambda name: name.startswith("demo-kafka-"))] == [
        "demo-kafka-0",
        "demo-kafka-10",
        USER,
    ]


@pytest.mark.parametrize(
    ("private_key", "beside", "problem"),
    [
        (key(7).reveal(), key(7).public_key_sha256, ""),
        (b"", "", "the private key beside it cannot be used: not a readable unencrypted private key in PEM form"),
    ],
)
def test_node_leaf_is_a_chain_and_a_key(private_key: bytes, beside: str, problem: str) -> None:
    generation = {"strimzi.io/cluster-ca-cert-generation": "4"}
    content = secret("n", {"n.crt": pem(LEAF, CA), "n.key": private_key}, generation)
    assert read_leaf(node_leaf("demo", "n"), content) == StoredLeaf(
        "n", "n.crt", Component.KAFKA, (LEAF, CA.certificate), 4, problem, beside
    )


@pytest.mark.parametrize("content", [{}, {"n.crt": b""}, {"n.crt": b"broken"}, {"other.crt": pem(LEAF)}])
@pytest.mark.parametrize("generation", [None, "", "four"])
def test_unreadable_leaf_or_generation_is_unknown(content: dict[str, bytes], generation: str | None) -> None:
    annotations = {} if generation is None else {"strimzi.io/cluster-ca-cert-generation": generation}
    found = read_leaf(node_leaf("demo", "n"), secret("n", content, annotations))
    assert (found.chain, found.generation) == (None, None)


@pytest.mark.parametrize(
    ("component", "leaves", "expected"),
    [
        (Component.KAFKA, [("demo-kafka-0", LEAF)], sha1(LEAF)),
        (Component.CRUISE_CONTROL, [("demo-cruise-control-certs", LEAF)], sha1(LEAF)[:8]),
        (Component.KAFKA_EXPORTER, [("demo-kafka-exporter-certs", LEAF)], sha1(LEAF)[:8]),
        (Component.ENTITY_OPERATOR, [(TOPIC, LEAF), (USER, OTHER)], sha1(LEAF)[:8] + sha1(OTHER)[:8]),
        (Component.ENTITY_OPERATOR, [(USER, OTHER), (TOPIC, LEAF)], sha1(LEAF)[:8] + sha1(OTHER)[:8]),
        (Component.ENTITY_OPERATOR, [(TOPIC, LEAF)], sha1(LEAF)[:8] + "null"),
        (Component.ENTITY_OPERATOR, [(USER, LEAF)], "null" + sha1(LEAF)[:8]),
        (Component.KAFKA, [("demo-kafka-0", None)], ""),
        (Component.CRUISE_CONTROL, [], ""),
    ],
)
def test_server_cert_hash(component: Component, leaves: list[tuple[str, Any]], expected: str) -> None:
    known = [stored(component, name, certificate) for name, certificate in leaves]
    assert server_cert_hash(component, known, SCOPE) == expected


def read(raw: dict[str, Any], *leaves: StoredLeaf, component: Component = Component.KAFKA) -> Pod:
    raw["metadata"].setdefault("uid", "uid-1")
    return read_pod(raw, component, leaves, SCOPE)


@pytest.mark.parametrize(
    ("found", "presents"), [(sha1(LEAF), True), (sha1(OTHER), False), (sha1(LEAF)[:8], False), ("", False)]
)
def test_node_presents_what_its_hash_says(found: str, presents: bool) -> None:
    assert read(pod("demo-kafka-0", server_cert_hash=found), stored(Component.KAFKA)).presents_stored is presents


def test_pod_without_hash_or_generation_is_unknown() -> None:
    found = read(pod("demo-kafka-0"), stored(Component.KAFKA))
    assert (found.presents_stored, found.generation) == (None, None)


@pytest.mark.parametrize("text", ["", "latest", "1e3"])
def test_garbled_generation_of_a_pod_is_unknown(text: str) -> None:
    assert read(pod("demo-kafka-0", cluster_ca_cert_generation=text)).generation is None


def test_generation_of_a_pod_is_that_of_the_certificate_not_of_the_key() -> None:
    found = read(pod("demo-kafka-0", cluster_ca_cert_generation="3", cluster_ca_key_generation="9"))
    assert found.generation == 3


def test_node_presents_only_its_own_leaf() -> None:
    leaves = (stored(Component.KAFKA, "demo-kafka-1", OTHER), stored(Component.KAFKA))
    found = read(pod("demo-kafka-0", server_cert_hash=sha1(LEAF)), *leaves)
    assert found.leaves == ("demo-kafka-0",)
    assert found.presents_stored is True


def test_entity_operator_presents_both_leaves() -> None:
    leaves = (stored(Component.ENTITY_OPERATOR, TOPIC), stored(Component.ENTITY_OPERATOR, USER, OTHER))
    raw = pod("demo-entity-operator-x", "entity-operator", server_cert_hash=sha1(LEAF)[:8] + sha1(OTHER)[:8])
    found = read(raw, *leaves, stored(Component.KAFKA), component=Component.ENTITY_OPERATOR)
    assert found.leaves == (TOPIC, USER)
    assert found.presents_stored is True


@pytest.mark.parametrize(
    ("label", "component"),
    [
        ("demo-kafka", Component.KAFKA),
        ("demo-entity-operator", Component.ENTITY_OPERATOR),
        ("demo-cruise-control", Component.CRUISE_CONTROL),
        ("demo-kafka-exporter", Component.KAFKA_EXPORTER),
        ("other-kafka", None),
        ("demo-connect", None),
        ("", None),
    ],
)
def test_component_of_a_pod(label: str, component: Component | None) -> None:
    assert component_of({"metadata": {"labels": {"strimzi.io/name": label}}}, SCOPE) is component
    assert component_of({"metadata": {}}, SCOPE) is None


@pytest.mark.parametrize(
    ("status", "ready"),
    [
        ({}, False),
        ({"conditions": None}, False),
        ({"conditions": [{"type": "Ready", "status": "False"}]}, False),
        ({"conditions": [{"type": "Ready", "status": "Unknown"}]}, False),
        ({"conditions": [{"type": "ContainersReady", "status": "True"}]}, False),
        ({"conditions": [{"type": "PodScheduled"}, {"type": "Ready", "status": "True"}]}, True),
    ],
)
def test_ready(status: dict[str, Any], ready: bool) -> None:
    assert is_ready({"metadata": {}, "status": status}) is ready


@pytest.mark.parametrize(
    ("phase", "final"),
    [("Pending", False), ("Running", False), ("Unknown", False), ("Succeeded", True), ("Failed", True)],
)
def test_only_a_process_that_has_ended_is_no_party(phase: str, final: bool) -> None:
    assert is_final({"metadata": {}, "status": {"phase": phase}}) is final


def test_terminating_pod_is_still_a_party_and_says_so() -> None:
    raw = pod("demo-kafka-0")
    assert read(raw).terminating is False
    raw["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert read(raw).terminating is True


def test_every_component_leaf_belongs_to_a_component_other_than_the_nodes() -> None:
    assert Component.KAFKA not in {one.component for one in component_leaves("demo")}


def running(*components: Component) -> dict[str, Component]:
    return {f"demo-{one.value}-{number}": one for number, one in enumerate(components)}


OPERATORS = {"entityOperator": {"topicOperator": {}, "userOperator": {}}}


@pytest.mark.parametrize(
    ("components", "spec", "expected"),
    [
        ([], OPERATORS, set()),
        ([Component.KAFKA, Component.KAFKA], OPERATORS, {"demo-kafka-0", "demo-kafka-1"}),
        ([Component.KAFKA, Component.ENTITY_OPERATOR], OPERATORS, {"demo-kafka-0", TOPIC, USER}),
        ([Component.ENTITY_OPERATOR], {"entityOperator": {"topicOperator": {}}}, {TOPIC}),
        ([Component.ENTITY_OPERATOR], {"entityOperator": {"userOperator": {}, "topicOperator": None}}, {USER}),
        ([Component.CRUISE_CONTROL], {}, {"demo-cruise-control-certs"}),
        ([Component.KAFKA_EXPORTER], {}, {"demo-kafka-exporter-certs"}),
    ],
)
def test_a_running_cluster_has_a_leaf_for_each_component_and_for_the_operator(
    components: list[Component], spec: dict[str, Any], expected: set[str]
) -> None:
    found = {leaf.secret for leaf in expected_leaves(SCOPE, kafka(**spec), running(*components))}
    assert found == (expected | {"demo-cluster-operator-certs"} if components else set())


def test_a_cluster_without_its_kafka_resource_is_expected_to_have_none() -> None:
    assert expected_leaves(SCOPE, None, running(Component.KAFKA)) == ()

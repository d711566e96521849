# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that the operator and its users know (docs/operator.md, "CA Secrets", "Leaves"): a wrong name is a Secret that neither of them finds."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi import names
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.leaves import (
    component_leaves,
    node_leaf,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import (
    KAFKAS,
    STRIMZI_POD_SETS,
    CaKind,
    ClusterNames,
)

LONGEST = "a" * 63


@pytest.mark.parametrize("ca", list(CaKind), ids=lambda one: str(one.value))
@pytest.mark.parametrize("cluster", ["my-cluster", "c", LONGEST])
def test_objects_of_a_ca(cluster: str, ca: CaKind) -> None:
    """Nothing is cut: the operator derives the same names, whatever their length."""
    scope, stem = ClusterNames("kafka", cluster).of(ca), f"{cluster}-{ca.value}-ca"
    assert (scope.ca_key_secret, scope.ca_certificate_secret) == (stem, f"{stem}-cert")
    assert scope.ledger_secrets == tuple(f"{stem}-{one}" for one in ("trusted-certs", "trust-state", "trust"))
    assert scope.client_bundle_secret == f"{stem}-bundle"
    assert (scope.bundle_entry, scope.ca_common_name) == (f"{ca.value}-ca.crt", f"{ca.value}-ca")
    assert scope.ca_specification == f"{ca.value}Ca"


@pytest.mark.parametrize("cluster", ["my-cluster", "c", LONGEST])
def test_objects_of_a_cluster(cluster: str) -> None:
    scope = ClusterNames("kafka", cluster)
    assert scope.trust_bundle_secret == f"{cluster}-trustbundle"
    assert scope.lease == f"{cluster}-trust"
    assert scope.node_name_label == f"{cluster}-kafka"


def test_operator_finds_secrets_by_two_labels() -> None:
    scope = ClusterNames("kafka", "demo")
    assert scope.labels == {"strimzi.io/kind": "Kafka", "strimzi.io/cluster": "demo"}
    assert sorted(scope.selector.split(",")) == sorted(f"{key}={value}" for key, value in scope.labels.items())


def test_labels_of_one_ca_do_not_select_objects_of_the_other() -> None:
    """A run that tidies up after one CA would remove objects that the other needs."""
    cluster, clients = (ClusterNames("kafka", "demo").of(ca) for ca in CaKind)
    assert cluster.own_labels == {"app.kubernetes.io/managed-by": "trustops.strimzi", "strimzi.io/cluster": "demo"}
    assert clients.own_labels == {**cluster.own_labels, "app.kubernetes.io/managed-by": "trustops.strimzi-clients-ca"}


@pytest.mark.parametrize("ca", list(CaKind), ids=lambda one: str(one.value))
def test_no_operator_finds_what_is_kept_beside_its_own(ca: CaKind) -> None:
    """The User Operator deletes Secrets with both of its labels that belong to no user (docs/operator.md, "Users")."""
    found = ClusterNames("kafka", "demo").of(ca).beside_labels
    assert "strimzi.io/kind" not in found
    assert ca is CaKind.CLUSTER or not any(label.startswith("strimzi.io/") for label in found)


def test_labels_stay_out_of_the_deletion_trap() -> None:
    """A Secret with all four node labels that is no node's is deleted by the operator (docs/operator.md, "Leaves")."""
    scope = ClusterNames("kafka", "demo")
    assert not {"strimzi.io/name", "strimzi.io/component-type"} & set(scope.labels)


def test_a_nodes_leaf_has_all_four() -> None:
    """By these labels the operator deletes the leaf of a node that is gone (docs/operator.md, "Tried by hand", 8)."""
    assert ClusterNames("kafka", "demo").node_leaf_labels == {
        "strimzi.io/kind": "Kafka", "strimzi.io/cluster": "demo", "strimzi.io/name": "demo-kafka",
        "strimzi.io/component-type": "kafka",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("constant", "text"),
    [
        (names.CA_CERT_GENERATION, "strimzi.io/ca-cert-generation"),
        (names.CA_KEY_GENERATION, "strimzi.io/ca-key-generation"),
        (names.CLUSTER_CA_CERT_GENERATION, "strimzi.io/cluster-ca-cert-generation"),
        (names.CLUSTER_CA_KEY_GENERATION, "strimzi.io/cluster-ca-key-generation"),
        (names.SERVER_CERT_HASH, "strimzi.io/server-cert-hash"),
        (names.REVISION, "strimzi.io/revision"),
        (names.FORCE_RENEW, "strimzi.io/force-renew"),
        (names.FORCE_REPLACE, "strimzi.io/force-replace"),
        (names.MANUAL_ROLLING_UPDATE, "strimzi.io/manual-rolling-update"),
        (names.DELETE_POD_AND_PVC, "strimzi.io/delete-pod-and-pvc"),
        (names.PAUSE_RECONCILIATION, "strimzi.io/pause-reconciliation"),
        (names.POOL_LABEL, "strimzi.io/pool-name"),
    ],
)
def test_words_of_the_operator(constant: str, text: str) -> None:
    assert constant == text


@pytest.mark.parametrize("name", [names.PAUSED_BY, names.PAUSED_FOR, names.RECONCILE_REQUEST, names.JOURNAL])
def test_our_own_annotations_are_not_in_the_operators_domain(name: str) -> None:
    assert name.split("/")[0] == "trustops.strimzi"


def test_component_leaves() -> None:
    found = {(leaf.secret, leaf.entry, leaf.common_name) for leaf in component_leaves("c")}
    assert found >= {
        ("c-cluster-operator-certs", "cluster-operator", "cluster-operator"),
        ("c-entity-topic-operator-certs", "entity-operator", "c-entity-topic-operator"),
        ("c-entity-user-operator-certs", "entity-operator", "c-entity-user-operator"),
        ("c-cruise-control-certs", "cruise-control", "c-cruise-control"),
        ("c-kafka-exporter-certs", "kafka-exporter", "c-kafka-exporter"),
    }


def test_node_leaf_is_named_after_its_pod_and_all_share_one_subject() -> None:
    leaf = node_leaf("c", "c-pool-7")
    assert (leaf.secret, leaf.entry, leaf.common_name) == ("c-pool-7", "c-pool-7", "c-kafka")


def test_api_paths() -> None:
    assert KAFKAS.path("ns", "c") == "/apis/kafka.strimzi.io/v1/namespaces/ns/kafkas/c"
    assert STRIMZI_POD_SETS.path("ns") == "/apis/core.strimzi.io/v1/namespaces/ns/strimzipodsets"

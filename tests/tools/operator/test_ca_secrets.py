# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CA Secrets: what is in them, how they are found, what of a stranger's stays in them (docs/operator.md, "CA Secrets")."""

from __future__ import annotations

from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import pkcs12

from . import clusters
from .conftest import Clock
from .operated_cluster import CLUSTER, OperatedCluster, certificates, common_name, encode

SECRETS = ["demo-cluster-ca-cert", "demo-cluster-ca", "demo-clients-ca-cert", "demo-clients-ca"]


@pytest.mark.parametrize("kind", ["cluster", "clients"])
def test_generated_secrets(kind: str, generated: OperatedCluster) -> None:
    """docs/operator.md, "CA Secrets": names, entries, generations from 0, subject."""
    certificate, key = (generated.existing("secrets", f"demo-{kind}-{suffix}") for suffix in ("ca-cert", "ca"))
    assert set(certificate["data"]) == {"ca.crt", "ca.p12", "ca.password"}
    assert set(key["data"]) == {"ca.key"}
    assert certificate["type"] == key["type"] == "Opaque"
    assert certificate["metadata"]["annotations"] == {"strimzi.io/ca-cert-generation": "0"}
    assert key["metadata"]["annotations"] == {"strimzi.io/ca-key-generation": "0"}
    (ca,) = certificates(generated.entries(f"demo-{kind}-ca-cert")["ca.crt"])
    assert common_name(ca) == f"O=io.strimzi,CN={kind}-ca v0"


@pytest.mark.parametrize("secret", SECRETS)
def test_labels_and_owner(secret: str, generated: OperatedCluster) -> None:
    """docs/operator.md, "CA Secrets"."""
    metadata = generated.existing("secrets", secret)["metadata"]
    kafka = generated.existing("kafkas", CLUSTER)
    assert metadata["labels"] == {
        "strimzi.io/kind": "Kafka",
        "strimzi.io/cluster": "demo",
        "strimzi.io/name": "strimzi",
        "strimzi.io/component-type": "certificate-authority",
        "app.kubernetes.io/name": "certificate-authority",
        "app.kubernetes.io/instance": "demo",
        "app.kubernetes.io/part-of": "strimzi-demo",
        "app.kubernetes.io/managed-by": "strimzi-cluster-operator",
    }
    (owner,) = metadata["ownerReferences"]
    assert (owner["kind"], owner["uid"]) == ("Kafka", kafka["metadata"]["uid"])
    assert (owner["controller"], owner["blockOwnerDeletion"]) == (False, True)


def test_labels_of_the_kafka_resource_are_passed_on(generated: OperatedCluster) -> None:
    """docs/operator.md, "CA Secrets": labels of the Kafka CR plus the operator's own."""
    generated.change("kafkas", CLUSTER, {"metadata": {"labels": {"team": "a"}}})
    generated.step()
    for secret in SECRETS:
        labels = generated.existing("secrets", secret)["metadata"]["labels"]
        assert (labels["team"], labels["strimzi.io/kind"]) == ("a", "Kafka")


def test_owner_reference_can_be_left_out(generated: OperatedCluster) -> None:
    """docs/operator.md, "CA Secrets": generateSecretOwnerReference, per CA."""
    generated.change("kafkas", CLUSTER, {"spec": {"clientsCa": {"generateSecretOwnerReference": False}}})
    generated.step()
    owners = {name: bool(generated.existing("secrets", name)["metadata"].get("ownerReferences")) for name in SECRETS}
    assert owners == dict(zip(SECRETS, (True, True, False, False), strict=True))


def test_aliases_in_the_truststore(generated: OperatedCluster, clock: Clock) -> None:
    """docs/operator.md, "CA Secrets": ca.crt and ca-<notAfter>.crt, under the password beside it."""
    clock.pass_days(10)
    generated.annotate("secrets", "demo-cluster-ca", force_replace="true")
    generated.memory.operator.reconcile(CLUSTER)
    entries = generated.entries("demo-cluster-ca-cert")
    store = pkcs12.load_pkcs12(entries["ca.p12"], entries["ca.password"])
    assert {c.friendly_name: c.certificate for c in store.additional_certs} == {
        key.encode(): certificates(entries[key])[0] for key in ("ca.crt", "ca-2027-06-01T12-00-00Z.crt")
    }


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize(
    "foreign",
    [
        {"metadata": {"labels": {"mine": "1"}}},
        {"metadata": {"annotations": {"mine": "1"}}},
        {"metadata": {"ownerReferences": []}},
        {"data": encode({"abc.state": b"TRUSTED"})},
    ],
    ids=["label", "annotation", "owner", "entry"],
)
def test_foreign_entries_vanish_from_generated_secrets(
    foreign: dict[str, Any], secret: str, generated: OperatedCluster
) -> None:
    """docs/operator.md, "CA Secrets", "Generated CA": labels, annotations and entries that are no certificates; each
    alone is seen.
    """
    before = generated.existing("secrets", secret)
    generated.change("secrets", secret, foreign)
    generated.step()
    after = generated.existing("secrets", secret)
    for found in (before, after):
        for kept_by_the_api in ("resourceVersion", "managedFields"):
            del found["metadata"][kept_by_the_api]
    assert after == before


def test_an_idle_reconcile_writes_nothing(generated: OperatedCluster) -> None:
    """docs/operator.md, "CA Secrets": written only when different from the desired object."""
    before = {plural: generated.versions(plural) for plural in ("secrets", "strimzipodsets", "deployments", "kafkas")}
    generated.step(3)
    assert before == {plural: generated.versions(plural) for plural in before}
    assert generated.rolls() == [0, 0, 0]


@pytest.mark.parametrize("label", ["strimzi.io/kind", "strimzi.io/cluster"])
@pytest.mark.parametrize("secret", SECRETS[:2])
def test_a_users_secret_without_both_labels_is_not_found(secret: str, label: str, managed: OperatedCluster) -> None:
    """docs/operator.md, "CA Secrets": CaReconciler.reconcileCas lists by label and picks by name."""
    managed.change("secrets", secret, {"metadata": {"labels": {label: None}}})
    managed.step()
    assert managed.condition()["type"] == "NotReady"
    managed.change("secrets", secret, {"metadata": {"labels": {label: "Kafka" if "kind" in label else "demo"}}})
    managed.step()
    assert managed.is_ready()


def test_labels_of_another_cluster_are_not_looked_at(cluster: OperatedCluster) -> None:
    """docs/operator.md, "CA Secrets": the label decides, not the name."""
    cluster.bring("cluster", cluster.ca("first"))
    cluster.change("secrets", "demo-cluster-ca-cert", {"metadata": {"labels": {"strimzi.io/cluster": "other"}}})
    cluster.memory.apply(*clusters.dual_role(CLUSTER, "kafka"))
    cluster.step()
    assert cluster.condition()["type"] == "NotReady"
    assert cluster.pods() == []

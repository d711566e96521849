# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading a cluster: in an order that cannot hide a process, with every Secret that has a known name."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import LAYOUT
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import UnlabelledSecret

from ....tools.support.certificates import key, leaf, make
from ..bench import SCOPE, Bench, kafka, pem, pod, secret

OLD, NEW = make("cluster-ca v0", key(0)), make("cluster-ca v1", key(1))
NODE = {"strimzi.io/name": "demo-kafka"}


def bench_with(nodes: int) -> Bench:
    bench = Bench()
    bench.create("kafkas", kafka())
    bench.authority(NEW, old=OLD)
    for number in range(nodes):
        name = f"demo-kafka-{number}"
        bench.create("secrets", secret(name, {f"{name}.crt": pem(leaf(NEW, name), NEW)}, labels=NODE))
        bench.create("pods", pod(name))
    return bench


#: The Secrets that are looked for by their names where they are not among those with the labels of the cluster.
NAMED_SECRETS = (
    "demo-cluster-ca-cert", "demo-cluster-ca", "demo-clients-ca-cert", "demo-trustbundle", "demo-cluster-ca-trusted-certs",
)  # fmt: skip


@pytest.mark.parametrize(("nodes", "requests"), [(0, 5), (3, 8), (100, 8)])
def test_the_number_of_requests_does_not_depend_on_pods(nodes: int, requests: int) -> None:
    """Five for the cluster and, where nodes run, one for each kind of client outside of it."""
    bench = bench_with(nodes)
    for name in (*NAMED_SECRETS, *(["demo-cluster-operator-certs"] if nodes else [])):
        if bench.api.find("secrets", "kafka", name) is None:
            bench.create("secrets", secret(name, {}))
    bench.api.requests.clear()
    snapshot = bench.observe().snapshot
    assert (len(snapshot.nodes.pods), len(snapshot.leaves.stored)) == (nodes, nodes + bool(nodes))
    assert len(bench.api.requests) == requests


def test_secrets_are_read_before_pods() -> None:
    """A pod that is missing in the list then started after the trust was read: it cannot have missed it."""
    bench = bench_with(1)
    bench.api.requests.clear()
    bench.observe()
    plurals = [path.rsplit("/", 1)[-1] for _method, path in bench.api.requests]
    assert plurals.index("secrets") < plurals.index("pods")


def test_nothing_there_is_an_observation_too() -> None:
    snapshot = Bench().observe().snapshot
    assert (snapshot.nodes.pods, snapshot.leaves.stored, snapshot.ledger, snapshot.bundle) == ((), (), None, None)
    assert snapshot.reconciliation.exists is False
    assert snapshot.objects.sizes == {}


def test_other_clusters_in_the_namespace_are_not_seen() -> None:
    bench = bench_with(1)
    foreign = {"strimzi.io/cluster": "other", "strimzi.io/name": "other-kafka"}
    bench.create("secrets", secret("other-kafka-0", {"other-kafka-0.crt": pem(NEW)}, labels=foreign))
    stranger = pod("other-kafka-0")
    stranger["metadata"]["labels"].update(foreign)
    bench.create("pods", stranger)
    observation = bench.observe()
    assert [one.name for one in observation.snapshot.nodes.pods] == ["demo-kafka-0"]
    assert "other-kafka-0" not in observation.secrets


def test_ended_pods_and_unknown_components_are_no_parties() -> None:
    bench = bench_with(1)
    ended = pod("demo-kafka-9")
    ended["status"]["phase"] = "Failed"
    bench.create("pods", ended)
    bench.create("pods", pod("demo-connect-0", "connect"))
    observation = bench.observe()
    assert [one.name for one in observation.snapshot.nodes.pods] == ["demo-kafka-0"]
    assert set(observation.pods) == {"demo-kafka-0", "demo-kafka-9"}


def test_parties_are_sorted_and_of_all_components() -> None:
    bench = Bench()
    for name, component in [
        ("demo-kafka-1", "kafka"), ("demo-cruise-control-a", "cruise-control"), ("demo-kafka-0", "kafka"),
        ("demo-kafka-exporter-b", "kafka-exporter"), ("demo-entity-operator-c", "entity-operator"),
    ]:  # fmt: skip
        bench.create("pods", pod(name, component))
    assert [one.component for one in bench.observe().snapshot.nodes.pods] == [
        Component.CRUISE_CONTROL, Component.ENTITY_OPERATOR, Component.KAFKA, Component.KAFKA,
        Component.KAFKA_EXPORTER,
    ]  # fmt: skip


def bundle(bench: Bench, content: bytes) -> frozenset[str] | None:
    bench.create("secrets", secret(SCOPE.trust_bundle_secret, {"cluster-ca.crt": content}))
    return bench.observe().snapshot.bundle


def test_bundle_holds_all_certificates_of_its_entry() -> None:
    fingerprints = {OLD.certificate.fingerprint, NEW.certificate.fingerprint}
    assert bundle(Bench(), pem(OLD, NEW)) == fingerprints


@pytest.mark.parametrize("content", [b"", b"broken", pem(OLD) + b"-----BEGIN CERTIFICATE-----\n"])
def test_unreadable_bundle_trusts_no_ca(content: bytes) -> None:
    """Not "no bundle": then the certificate Secret itself would count as what is trusted."""
    assert bundle(Bench(), content) == frozenset()


def test_sizes_of_the_guarded_secrets() -> None:
    bench = bench_with(2)
    sizes = bench.observe().snapshot.objects.sizes
    assert set(sizes) == {SCOPE.ca_certificate_secret, SCOPE.ca_key_secret}
    data = bench.data(SCOPE.ca_key_secret)
    assert sizes[SCOPE.ca_key_secret] == sum(len(name) + len(value) for name, value in data.items())


def test_snapshot_is_of_its_time_and_has_no_private_key() -> None:
    bench = bench_with(1)
    bench.clock.seconds = 90
    observation = bench.observe()
    assert observation.snapshot.now == bench.clock.now()
    assert observation.snapshot.now - timedelta(seconds=90) == Bench().clock.now()
    assert "PRIVATE" not in repr(observation.snapshot)
    assert NEW.key.reveal().decode() not in repr(observation)


def test_the_leaves_that_are_missing_are_told_with_what_they_belong_to() -> None:
    bench = bench_with(2)
    bench.remove("secrets", "demo-kafka-1")
    assert bench.observe().snapshot.leaves.missing == {
        "demo-kafka-1": Component.KAFKA, "demo-cluster-operator-certs": Component.CLUSTER_OPERATOR,
    }  # fmt: skip


def test_objects_are_named_for_people() -> None:
    names = Bench().observe().snapshot.names
    assert (names.kafka, names.pod("a"), names.secret("b")) == ("Kafka kafka/demo", "Pod kafka/a", "Secret kafka/b")
    assert names.certificate_secret == "Secret kafka/demo-cluster-ca-cert"
    assert names.key_secret == "Secret kafka/demo-cluster-ca"
    assert names.ledger == "Secret kafka/demo-cluster-ca-trusted-certs"


def test_where_the_cluster_does_not_exist_those_that_do_are_named() -> None:
    bench = Bench()
    for name in ("prod", "dev"):
        bench.create("kafkas", {"kind": "Kafka", "metadata": {"name": name}, "spec": {}})
    assert bench.observe().snapshot.reconciliation.neighbours == ("dev", "prod")
    bench.create("kafkas", kafka())
    assert bench.observe().snapshot.reconciliation.neighbours == ()


# No Secret with a known name is overlooked because it lacks a label.

KIND, CLUSTER, NAME = "strimzi.io/kind=Kafka", "strimzi.io/cluster=demo", "strimzi.io/name=demo-kafka"
COMPONENT = "strimzi.io/component-type=kafka"
FOUND, OURS = "by which the Cluster Operator finds it", "by which this collection knows what it has made"
ANEW = "without which the Cluster Operator issues another certificate in its place"
BACK = "which the Cluster Operator puts back with its next reconcile"
CERTIFICATES, KEYS, BUNDLE = "demo-cluster-ca-cert", "demo-cluster-ca", "demo-trustbundle"
LEDGER, STATES, KEYED = "demo-cluster-ca-trusted-certs", "demo-cluster-ca-trust-state", "demo-cluster-ca-trust"
OPERATORS_LEAF, EXPORTERS = "demo-cluster-operator-certs", "demo-kafka-exporter-certs"
NODES = "demo-kafka-0"
OF_NODES = {"strimzi.io/name": "demo-kafka", "strimzi.io/component-type": "kafka"}


def stripped(bench: Bench, name: str, lost: Iterable[str]) -> None:
    body = {"metadata": {"labels": {one.partition("=")[0]: None for one in lost}}}
    path = f"/api/v1/namespaces/kafka/secrets/{name}"
    assert bench.api.request("PATCH", path, body=body, content_type="application/merge-patch+json").status == 200


def whole(bench: Bench) -> None:
    """A node and the exporter, with everything that belongs to them."""
    bench.create("kafkas", kafka(kafkaExporter={}))
    bench.create("secrets", secret(CERTIFICATES, {"ca.crt": pem(NEW)}, {"strimzi.io/ca-cert-generation": "3"}))
    bench.create("secrets", secret(KEYS, {"ca.key": NEW.key.reveal()}))
    bench.create("secrets", secret(BUNDLE, {"cluster-ca.crt": pem(NEW)}))
    bench.create("secrets", secret(LEDGER, {}))
    bench.create("secrets", secret("demo-clients-ca-cert", {}))
    for name, entry, labels in (
        (NODES, NODES, OF_NODES), (OPERATORS_LEAF, "cluster-operator", {}), (EXPORTERS, "kafka-exporter", {})
    ):  # fmt: skip
        bench.create("secrets", secret(name, {f"{entry}.crt": pem(leaf(NEW, name))}, labels=labels))
    bench.create("pods", pod(NODES))
    bench.create("pods", pod("demo-kafka-exporter-a", "kafka-exporter"))


@pytest.mark.parametrize("lost", [(KIND,), (CLUSTER,), (KIND, CLUSTER)], ids=" ".join)
@pytest.mark.parametrize(
    ("name", "why", "holds"),
    [
        (CERTIFICATES, FOUND, True),
        (KEYS, FOUND, True),
        (LEDGER, OURS, True),
        (BUNDLE, BACK, False),
        (NODES, ANEW, True),
        (OPERATORS_LEAF, ANEW, True),
        (EXPORTERS, BACK, False),
    ],
)
def test_a_secret_without_its_labels_is_read(name: str, why: str, holds: bool, lost: tuple[str, ...]) -> None:
    bench = Bench()
    whole(bench)
    before = bench.observe().snapshot
    assert before.objects.unlabelled_secrets == {}
    stripped(bench, name, lost)
    bench.api.requests.clear()
    after = bench.observe().snapshot
    assert after.objects.unlabelled_secrets == {name: UnlabelledSecret(lost, why, holds)}
    assert (after.ca, after.bundle, after.ledger, after.leaves.stored, after.nodes.pods, after.leaves.missing) == (
        before.ca, before.bundle, before.ledger, before.leaves.stored, before.nodes.pods, {},
    )  # fmt: skip
    assert sum(path.endswith("/secrets") for _method, path in bench.api.requests) == 1 + (3 if name == LEDGER else 1)


@pytest.mark.parametrize("lost", [(NAME,), (COMPONENT,), (NAME, COMPONENT), (KIND, CLUSTER, NAME, COMPONENT)])
def test_labels_of_a_nodes_leaf(lost: tuple[str, ...]) -> None:
    bench = Bench()
    whole(bench)
    stripped(bench, NODES, lost)
    snapshot = bench.observe().snapshot
    assert snapshot.objects.unlabelled_secrets == {NODES: UnlabelledSecret(lost, ANEW)}
    assert (NODES, Component.KAFKA) in [(one.secret, one.component) for one in snapshot.leaves.stored]
    assert snapshot.leaves.missing == {}


def test_a_deleted_secret_is_missing() -> None:
    bench = Bench()
    whole(bench)
    for name in (NODES, EXPORTERS):
        bench.api.request("DELETE", f"/api/v1/namespaces/kafka/secrets/{name}")
    snapshot = bench.observe().snapshot
    assert (snapshot.leaves.missing, snapshot.objects.unlabelled_secrets) == (
        {NODES: Component.KAFKA, EXPORTERS: Component.KAFKA_EXPORTER}, {},
    )  # fmt: skip


@pytest.mark.parametrize("name", [LEDGER, STATES])
def test_a_half_of_a_ledger_in_two_secrets(name: str) -> None:
    bench = Bench()
    for one in (LEDGER, STATES):
        bench.create("secrets", secret(one, {}, {LAYOUT: "split"}))
    stripped(bench, name, (KIND,))
    snapshot = bench.observe().snapshot
    assert snapshot.ledger is not None
    assert (snapshot.ledger.problems, snapshot.objects.unlabelled_secrets) == (
        (),
        {name: UnlabelledSecret((KIND,), OURS)},
    )


def test_a_secret_of_another_program_under_a_name_of_the_ledger_is_left_alone() -> None:
    """Of the later layouts, the annotation tells what this collection has made."""
    bench = Bench()
    bench.create("secrets", secret(KEYED, {"notes": b"theirs"}))
    stripped(bench, KEYED, (KIND, CLUSTER))
    snapshot = bench.observe().snapshot
    assert (snapshot.ledger, snapshot.objects.unlabelled_secrets) == (None, {})


def test_many_that_are_missing_take_one_list() -> None:
    bench = Bench()
    whole(bench)
    stripped(bench, NODES, (KIND,))
    for number in range(1, 40):
        bench.create("pods", pod(f"demo-kafka-{number}"))
    bench.api.requests.clear()
    snapshot = bench.observe().snapshot
    assert (len(snapshot.leaves.missing), snapshot.objects.unlabelled_secrets) == (
        39,
        {NODES: UnlabelledSecret((KIND,), ANEW)},
    )
    assert sum(path.endswith("/secrets") for _method, path in bench.api.requests) == 2

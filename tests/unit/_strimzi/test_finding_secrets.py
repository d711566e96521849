# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""No Secret with a known name is overlooked because it lacks a label."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import LAYOUT
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Component, UnlabelledSecret

from ...support.certificates import leaf
from .bench import Bench, kafka, pem, pod, secret
from .test_observe import NEW

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
def test_what_has_lost_its_labels_is_read_all_the_same(name: str, why: str, holds: bool, lost: tuple[str, ...]) -> None:
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


def test_what_is_really_missing_stays_missing() -> None:
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

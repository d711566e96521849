# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Entity Operator, Cruise Control, Kafka Exporter: who restarts their pods, and when (docs/operator.md,
"Pod annotations", "CA reconcile", "Restart reasons").
"""

from __future__ import annotations

from typing import Any

import pytest

from .operated_cluster import CERTIFICATE, CLUSTER, DEPLOYMENTS, KEY, OperatedCluster

LEAVES = {
    "demo-cruise-control": ["demo-cruise-control-certs"],
    "demo-entity-operator": ["demo-entity-topic-operator-certs", "demo-entity-user-operator-certs"],
    "demo-kafka-exporter": ["demo-kafka-exporter-certs"],
}


def changed(cluster: OperatedCluster, before: dict[str, str]) -> set[str]:
    return {name for name, uid in cluster.uids().items() if before.get(name) != uid and name in DEPLOYMENTS}


def restarts(cluster: OperatedCluster) -> dict[str, int]:
    """How many pods each Deployment has had."""
    return {
        deployment: sum(
            len(uids) for pod, uids in cluster.memory.kubelet.started.items() if pod.startswith(f"{deployment}-")
        )
        for deployment in DEPLOYMENTS
    }


@pytest.mark.parametrize("deployment", DEPLOYMENTS)
def test_selector_labels_strategy_and_owner(deployment: str, generated: OperatedCluster) -> None:
    """docs/operator.md, "Restart reasons", "Kafka resource": EO is Recreate, CC and KE RollingUpdate maxSurge 1,
    maxUnavailable 0.
    """
    found = generated.existing("deployments", deployment)
    labels = {
        "strimzi.io/cluster": "demo",
        "strimzi.io/kind": "Kafka",
        "strimzi.io/name": deployment,
        "strimzi.io/component-type": deployment.removeprefix("demo-"),
    }
    assert found["spec"]["selector"]["matchLabels"] == found["spec"]["template"]["metadata"]["labels"] == labels
    expected: dict[str, Any] = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}
    assert found["spec"]["strategy"] == ({"type": "Recreate"} if "entity" in deployment else expected)
    kafka = generated.existing("kafkas", CLUSTER)
    assert [owner["uid"] for owner in found["metadata"]["ownerReferences"]] == [kafka["metadata"]["uid"]]


def test_a_component_outside_the_resource_is_not_deployed(cluster: OperatedCluster) -> None:
    """docs/operator.md, "Restart reasons"."""
    cluster.start(generated=True, components=False)
    assert cluster.api.all("deployments", "kafka") == []
    assert not any(secret in cluster.versions("secrets") for secrets in LEAVES.values() for secret in secrets)
    cluster.annotate("secrets", "demo-cluster-ca", force_replace="true")
    cluster.step(3)
    assert cluster.is_ready()
    assert cluster.rolls() == [3, 3, 3]


@pytest.mark.parametrize(("deployment", "secret"), [(d, s) for d, secrets in LEAVES.items() for s in secrets])
def test_a_new_leaf_rolls_its_deployment(deployment: str, secret: str, generated: OperatedCluster) -> None:
    """docs/operator.md, "Re-issue", "Restart reasons": the thumbprint changes the template, Kubernetes does the rest."""
    before = generated.uids()
    generated.delete("secrets", secret)
    generated.step(2)
    assert changed(generated, before) == {deployment}
    assert generated.rolls() == [0, 0, 0]


def test_a_renewed_ca_rolls_each_once(generated: OperatedCluster) -> None:
    """docs/operator.md, "Sequences": one roll, new certificates for all; afterwards all carry the generation."""
    generated.annotate("secrets", "demo-cluster-ca-cert", force_renew="true")
    generated.step(3)
    assert restarts(generated) == dict.fromkeys(DEPLOYMENTS, 2)
    for component in ("cruise-control", "entity-operator", "kafka-exporter"):
        (pod,) = generated.pods(component)
        assert pod["metadata"]["annotations"][CERTIFICATE] == "1"


def test_a_replaced_key_rolls_each_twice(generated: OperatedCluster) -> None:
    """docs/operator.md, "CA reconcile", step 5; 4.3: trust and use; not on removal."""
    generated.annotate("secrets", "demo-cluster-ca", force_replace="true")
    generated.step(4)
    assert restarts(generated) == dict.fromkeys(DEPLOYMENTS, 3)


def test_the_trust_roll_recreates_pods_from_the_old_template(generated: OperatedCluster) -> None:
    """docs/operator.md, "CA reconcile", step 5: the pod is deleted, the Deployment is not changed; the new marks come
    with the leaves.
    """
    seen = []

    def look(change: Any) -> None:
        if (change.plural, change.verb) == ("pods", "create") and change.name.startswith("demo-cruise-control-"):
            marks = change.new["metadata"]["annotations"]
            seen.append((marks[KEY], marks[CERTIFICATE]))

    generated.api.listeners.append(look)
    generated.annotate("secrets", "demo-cluster-ca", force_replace="true")
    generated.step(2)
    assert seen == [("0", "0"), ("1", "1")]


def test_a_raised_generation_of_a_users_ca_rolls_all(managed: OperatedCluster) -> None:
    """docs/operator.md, "Sequences"."""
    before = managed.uids()
    managed.bring("cluster", managed.ca("second"), generations=(1, 0))
    managed.step()
    assert changed(managed, before) == set(DEPLOYMENTS)


@pytest.mark.parametrize("deployment", DEPLOYMENTS)
def test_a_restart_of_kubectls_is_reverted_and_rolls_once_more(deployment: str, generated: OperatedCluster) -> None:
    """docs/operator.md, "Phases by hand": hence pods are to be deleted instead."""
    mark = {"kubectl.kubernetes.io/restartedAt": "2026-06-01T12:00:00Z"}
    body = {"spec": {"template": {"metadata": {"annotations": mark}}}}
    before = restarts(generated)[deployment]
    generated.memory.operator_runs = False
    generated.change("deployments", deployment, body)
    generated.step()
    assert restarts(generated)[deployment] == before + 1
    generated.memory.operator_runs = True
    generated.step(2)
    template = generated.existing("deployments", deployment)["spec"]["template"]["metadata"]
    assert set(template["annotations"]).isdisjoint(mark)
    assert restarts(generated)[deployment] == before + 2


@pytest.mark.parametrize("deployment", DEPLOYMENTS)
def test_a_deleted_pod_comes_back_without_the_operator(deployment: str, generated: OperatedCluster) -> None:
    """docs/operator.md, "Pause": the Deployment controller is Kubernetes' own."""
    generated.memory.operator_runs = False
    before = generated.uids()
    (pod,) = generated.pods(deployment.removeprefix("demo-"))
    generated.delete("pods", pod["metadata"]["name"])
    generated.step()
    assert changed(generated, before) == {deployment}


def test_they_come_after_the_nodes(generated: OperatedCluster) -> None:
    """docs/operator.md, "CA reconcile": reconcileKafka, then Cruise Control, Entity Operator, Kafka Exporter."""
    order: list[str] = []

    def note(change: Any) -> None:
        if change.plural == "pods" and change.verb == "create":
            order.append(change.name)

    generated.api.listeners.append(note)
    generated.annotate("secrets", "demo-cluster-ca-cert", force_renew="true")
    generated.step()
    assert sorted(order[:3]) == [f"demo-kafka-{i}" for i in range(3)]
    assert [name.rsplit("-", 2)[0] for name in order[3:]] == [
        "demo-cruise-control",
        "demo-entity-operator",
        "demo-kafka-exporter",
    ]


def test_a_deployment_that_does_not_get_ready_fails_the_reconcile(
    generated: OperatedCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """docs/operator.md, "CA reconcile", step 5; 6: readiness is awaited; the nodes are done by then."""
    (pod,) = generated.pods("cruise-control")
    with monkeypatch.context() as stopped:
        stopped.setattr(generated.memory.kubelet, "_deployments", lambda: False)
        generated.delete("pods", pod["metadata"]["name"])
        generated.step()
    assert generated.condition()["type"] == "NotReady"
    assert "demo-cruise-control" in generated.condition()["message"]
    generated.step()
    assert generated.is_ready()

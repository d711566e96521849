# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Leaves in their Secrets and the pods that present them (docs/operator.md, "Leaves", "Pod annotations"): no guess, and no process overlooked."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import Forbidden
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.leaves import (
    component_leaves,
    expected_leaves,
    leaf_secrets,
    node_leaf,
    read_leaf,
    server_cert_hash,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.listeners import endpoints_of
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import observe
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.pods import (
    Exposure,
    Owners,
    component_of,
    is_final,
    is_ready,
    names_of_nodes,
    read_pod,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import IN_PODS, Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Pod, StoredLeaf

from ....tools.support.certificates import NOW, key, leaf, make
from ....tools.support.memory_api import Response
from ..bench import SCOPE, Bench, kafka, pem, pod, secret
from .test_observe import bench_with

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


def read(
    raw: dict[str, Any],
    *leaves: StoredLeaf,
    component: Component = Component.KAFKA,
    asked: frozenset[str] = frozenset(),
) -> Pod:
    raw["metadata"].setdefault("uid", "uid-1")
    return read_pod(raw, component, leaves, Owners(SCOPE, {}, frozenset(), frozenset(), asked), Exposure())


@pytest.mark.parametrize(
    ("marks", "owner", "expected"),
    [
        ({}, "demo-kafka", False),
        ({"manual_rolling_update": "true"}, "demo-kafka", True),
        ({"manual_rolling_update": "True"}, "demo-kafka", True),
        ({"manual_rolling_update": "false"}, "demo-kafka", False),
        ({"delete_pod_and_pvc": "true"}, "demo-kafka", True),
        ({}, "demo-other", True),
    ],
)
def test_a_pod_awaits_a_restart_where_it_or_its_pod_set_is_marked(
    marks: dict[str, str], owner: str, expected: bool
) -> None:
    raw = pod("demo-kafka-0", **marks)
    raw["metadata"]["ownerReferences"] = [{"kind": "StrimziPodSet", "name": owner, "uid": "set", "controller": True}]
    assert read(raw, asked=frozenset({"demo-other"})).awaits_restart is expected


@pytest.mark.parametrize(
    ("mark", "manager", "expected"), [("true", "trustops.strimzi", True), ("false", "trustops.strimzi", False), ("true", "kubectl", False)]
)  # fmt: skip
def test_a_pod_is_asked_here_where_this_collection_has_marked_it(mark: str, manager: str, expected: bool) -> None:
    raw = pod("demo-kafka-0", manual_rolling_update=mark)
    fields = {"f:metadata": {"f:annotations": {"f:strimzi.io/manual-rolling-update": {}}}}
    raw["metadata"]["managedFields"] = [{"manager": manager, "operation": "Update", "fieldsV1": fields}]
    assert read(raw).asked_here is expected


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


@pytest.mark.parametrize(
    ("marks", "version"), [({}, ""), ({"kafka_version": "4.4.0"}, "4.4.0"), ({"kafka_version": "4.5"}, "4.5")]
)
def test_a_node_runs_the_kafka_that_its_pod_was_made_with(marks: dict[str, str], version: str) -> None:
    assert read(pod("demo-kafka-0", **marks)).kafka_version == version


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


@pytest.mark.parametrize(
    ("ready", "since", "restarts", "expected"),
    [
        ("True", "2026-01-01T00:00:42Z", 0, timedelta(seconds=42)),
        ("True", "2026-01-01T01:00:00Z", 0, timedelta(hours=1)),
        ("True", "2026-01-01T01:00:01Z", 0, None),
        ("True", "2026-01-01T00:00:00Z", 0, None),
        ("True", "2026-01-01T00:00:42Z", 1, None),
        ("False", "2026-01-01T00:00:42Z", 0, None),
        ("True", None, 0, None),
    ],
    ids=["seen", "slow", "away later", "no time", "started again", "not ready", "no times"],
)
def test_the_start_of_a_pod_is_known_where_nothing_came_between(
    ready: str, since: str | None, restarts: int, expected: timedelta | None
) -> None:
    raw = pod("demo-kafka-0", "kafka", ready=True)
    raw["status"] |= {
        "startTime": "2026-01-01T00:00:00Z",
        "conditions": [{"type": "Ready", "status": ready, "lastTransitionTime": since}],
        "containerStatuses": [{"name": "kafka", "restartCount": restarts}],
    }
    assert read(raw).started_in == expected
    assert read(raw).restarts == restarts


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


# No process is overlooked because a user has changed a label.

NAME, CLUSTER, KIND = "strimzi.io/name=demo-kafka", "strimzi.io/cluster=demo", "strimzi.io/kind=Kafka"


def relabel(bench: Bench, name: str, labels: Mapping[str, str | None]) -> None:
    body = {"metadata": {"labels": dict(labels)}}
    path = f"/api/v1/namespaces/kafka/pods/{name}"
    assert bench.api.request("PATCH", path, body=body, content_type="application/merge-patch+json").status == 200


def pod_set(*pods: str) -> dict[str, Any]:
    spec = {"pods": [{"metadata": {key: pod(name)["metadata"][key] for key in ("name", "labels")}} for name in pods]}
    return {"kind": "StrimziPodSet", "metadata": {"name": "demo-kafka", "labels": SCOPE.labels}, "spec": spec}


@pytest.mark.parametrize("value", [None, "another"])
@pytest.mark.parametrize(
    "lost", [(NAME,), (CLUSTER,), (KIND,), (KIND, CLUSTER), (KIND, CLUSTER, NAME)], ids=" ".join
)  # fmt: skip
def test_a_node_without_its_labels_is_a_party_all_the_same(lost: tuple[str, ...], value: str | None) -> None:
    bench = bench_with(3)
    relabel(bench, "demo-kafka-1", {label.partition("=")[0]: value for label in lost})
    seen = bench.observe()
    parties = [(one.name, one.component, one.leaves) for one in seen.snapshot.nodes.pods]
    assert parties == [(f"demo-kafka-{n}", Component.KAFKA, (f"demo-kafka-{n}",)) for n in range(3)]
    assert seen.snapshot.nodes.unlabelled_pods == {"demo-kafka-1": lost}
    assert {"demo-kafka-0", "demo-kafka-1", "demo-kafka-2"} == set(seen.pods)


def test_a_node_without_a_leaf_is_known_from_its_pod_set() -> None:
    bench = Bench()
    bench.create("strimzipodsets", pod_set("demo-kafka-0", "demo-kafka-1"))
    bench.create("pods", pod("demo-kafka-0"))
    relabel(bench, "demo-kafka-0", {"strimzi.io/cluster": None})
    snapshot = bench.observe().snapshot
    assert ([one.name for one in snapshot.nodes.pods], snapshot.nodes.unlabelled_pods) == (
        ["demo-kafka-0"],
        {"demo-kafka-0": (CLUSTER,)},
    )


def test_a_pod_of_a_deployment_without_its_name_is_a_party_all_the_same() -> None:
    bench = bench_with(1)
    bench.create("pods", pod("demo-entity-operator-a", "entity-operator"))
    relabel(bench, "demo-entity-operator-a", {"strimzi.io/name": None})
    snapshot = bench.observe().snapshot
    assert [one.component for one in snapshot.nodes.pods] == [Component.ENTITY_OPERATOR, Component.KAFKA]
    assert snapshot.nodes.unlabelled_pods == {"demo-entity-operator-a": ("strimzi.io/name=demo-entity-operator",)}


def test_a_node_that_is_away_costs_a_request_and_is_no_party() -> None:
    bench = bench_with(3)
    bench.api.request("DELETE", "/api/v1/namespaces/kafka/pods/demo-kafka-1")
    bench.api.requests.clear()
    snapshot = bench.observe().snapshot
    assert ([one.name for one in snapshot.nodes.pods], snapshot.nodes.unlabelled_pods) == (
        ["demo-kafka-0", "demo-kafka-2"],
        {},
    )
    assert len([path for _method, path in bench.api.requests if path.endswith("/pods")]) == 2


def test_an_ended_process_needs_no_labels() -> None:
    bench = bench_with(1)
    ended = pod("demo-kafka-9")
    ended["status"]["phase"] = "Failed"
    bench.create("pods", ended)
    relabel(bench, "demo-kafka-9", {"strimzi.io/name": None})
    assert bench.observe().snapshot.nodes.unlabelled_pods == {}


def owned_by(bench: Bench, which: str, **owner: Any) -> None:
    """The pod has this owner and no other."""
    owners = [{"kind": "StrimziPodSet", **bench.pod_set("demo-kafka"), "controller": True, **owner}] if owner else []
    bench.change("pods", which, {"metadata": {"ownerReferences": owners}})


@pytest.mark.parametrize(
    "owner",
    [
        pytest.param({}, id="no owner"),
        pytest.param({"uid": "another"}, id="a StrimziPodSet that was there before"),
        pytest.param({"name": "demo-other"}, id="another name"),
        pytest.param({"controller": False}, id="no controller"),
        pytest.param({"kind": "StatefulSet"}, id="another kind"),
        pytest.param({"kind": "ReplicaSet", "name": "demo-kafka-5d9c"}, id="a Deployment"),
    ],
)
@pytest.mark.parametrize("name", ["demo-kafka-1", "victim-db-0"])
def test_a_pod_that_has_only_the_labels_of_a_node_is_foreign(name: str, owner: dict[str, Any]) -> None:
    bench = bench_with(1)
    bench.create("pods", pod(name))
    bench.create("secrets", secret(name, {f"{name}.crt": b""}, labels={"strimzi.io/name": "demo-kafka"}))
    owned_by(bench, name, **owner)
    seen = bench.observe()
    assert ([one.name for one in seen.snapshot.nodes.pods], seen.snapshot.nodes.foreign_pods) == (
        ["demo-kafka-0"],
        {name: Component.KAFKA},
    )
    assert name not in seen.pods
    assert name not in {one.secret for one in seen.expected_leaves}
    assert ("victim-db-0" in {one.secret for one in seen.stored_leaves}) is False


@pytest.mark.parametrize("phase", ["Pending", "Running", "Succeeded", "Failed", "Unknown", None])
@pytest.mark.parametrize("component", [one.value for one in IN_PODS])
def test_a_foreign_pod_is_one_in_every_phase(component: str, phase: str | None) -> None:
    bench = bench_with(1)
    bench.create("pods", {**pod("victim-db-0", component), "status": {"phase": phase} if phase else {}})
    owned_by(bench, "victim-db-0")
    assert bench.observe().snapshot.nodes.foreign_pods == {"victim-db-0": Component(component)}


def test_the_name_of_a_pod_that_no_pool_could_have_is_none_of_a_node() -> None:
    """The maker of a pod writes what it likes into it, the true UID of the StrimziPodSet included."""
    bench = bench_with(1)
    bench.create("pods", pod("victim-db-0"))
    owned_by(bench, "victim-db-0", kind="StrimziPodSet")
    assert bench.observe().snapshot.nodes.foreign_pods == {"victim-db-0": Component.KAFKA}


@pytest.mark.parametrize("kind", ["Kafka", "KafkaNodePool"])
@pytest.mark.parametrize("uid", ["its own", "another"])
def test_a_pod_set_is_owned_too(kind: str, uid: str) -> None:
    bench = bench_with(1)
    above = bench.find("kafkas", "demo") if kind == "Kafka" else bench.find("kafkanodepools", "kafka")
    owner = {"kind": kind, "name": "x", "uid": above["metadata"]["uid"] if uid == "its own" else uid}
    bench.change("strimzipodsets", "demo-kafka", {"metadata": {"ownerReferences": [owner]}})
    assert len(bench.observe().snapshot.nodes.pods) == (uid == "its own")


@pytest.mark.parametrize(
    ("kind", "name", "own"),
    [
        ("ReplicaSet", "demo-entity-operator-5d9c", True),
        ("ReplicaSet", "demo-entity-operator", False),
        ("ReplicaSet", "demo-entity-operator-x-5d9c", False),
        ("ReplicaSet", "other-5d9c", False),
        ("StatefulSet", "demo-entity-operator-5d9c", False),
    ],
)
def test_a_pod_of_a_component_is_of_the_operators_deployment(kind: str, name: str, own: bool) -> None:
    bench = bench_with(1)
    bench.create("pods", pod("demo-entity-operator-a", "entity-operator"))
    owned_by(bench, "demo-entity-operator-a", kind=kind, name=name)
    snapshot = bench.observe().snapshot
    assert (Component.ENTITY_OPERATOR in {one.component for one in snapshot.nodes.pods}) is own
    assert snapshot.nodes.foreign_pods == ({} if own else {"demo-entity-operator-a": Component.ENTITY_OPERATOR})


class _Forbidding:
    """An API server that shows none of these, as a Role for looking may have it."""

    def __init__(self, api: Any, plural: str) -> None:
        self._api, self._plural = api, plural

    def request(self, method: str, path: str, **arguments: Any) -> Any:
        if self._plural in path:
            return Response(403, {"reason": "Forbidden", "message": "no", "code": 403})
        return self._api.request(method, path, **arguments)


@pytest.mark.parametrize(("plural", "kind"), [("strimzipodsets", "StrimziPodSet"), ("kafkanodepools", "KafkaNodePool")])
def test_without_the_permission_to_see_owners_the_observation_fails(plural: str, kind: str) -> None:
    client: Any = KubeClient(_Forbidding(bench_with(2).api, plural), sleep=lambda seconds: None)  # type: ignore[arg-type]
    with pytest.raises(Forbidden, match=kind):
        observe(client, SCOPE, NOW + timedelta(0))


def test_the_nodes_that_are_to_be_there() -> None:
    pools = [
        pod_set("demo-a-0", "demo-a-1"),
        pod_set("demo-b-2"),
        {"spec": {"pods": [pod("demo-connect-0", "connect")]}},
        {"spec": {}},
    ]
    assert names_of_nodes(pools, SCOPE) == {"demo-a-0", "demo-a-1", "demo-b-2"}


@pytest.mark.parametrize(
    ("roles", "ports"),
    [
        ({}, [9090, 9091]),
        ({"controller-role": "true"}, [9090, 9091]),
        ({"broker-role": "true"}, [9090, 9091]),
        ({"broker-role": "false"}, [9090]),
        ({"controller-role": "false"}, [9091]),
        ({"controller-role": "true", "broker-role": "false"}, [9090]),
    ],
)
def test_a_node_that_does_not_say_its_roles_is_asked_as_both(roles: dict[str, str], ports: list[int]) -> None:
    """As it is restarted: a listener that no run asks could trust and present anything."""
    bench = bench_with(1)
    relabel(bench, "demo-kafka-0", {f"strimzi.io/{role}": value for role, value in roles.items()})
    assert [one.port for one in endpoints_of(bench.observe())] == ports

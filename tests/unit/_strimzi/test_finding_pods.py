# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""No process is overlooked because somebody has changed a label."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import Forbidden
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.client import KubeClient
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.looking import endpoints_of
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import observe
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.pods import names_of_nodes
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Component

from ...support.certificates import NOW
from ...support.memory_api import Response
from .bench import SCOPE, Bench, pod, secret
from .test_observe import bench_with

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
    assert seen.snapshot.nodes.unlabelled == {"demo-kafka-1": lost}
    assert {"demo-kafka-0", "demo-kafka-1", "demo-kafka-2"} == set(seen.pods)


def test_a_node_without_a_leaf_is_known_from_its_pod_set() -> None:
    bench = Bench()
    bench.create("strimzipodsets", pod_set("demo-kafka-0", "demo-kafka-1"))
    bench.create("pods", pod("demo-kafka-0"))
    relabel(bench, "demo-kafka-0", {"strimzi.io/cluster": None})
    snapshot = bench.observe().snapshot
    assert ([one.name for one in snapshot.nodes.pods], snapshot.nodes.unlabelled) == (
        ["demo-kafka-0"],
        {"demo-kafka-0": (CLUSTER,)},
    )


def test_a_pod_of_a_deployment_without_its_name_is_a_party_all_the_same() -> None:
    bench = bench_with(1)
    bench.create("pods", pod("demo-entity-operator-a", "entity-operator"))
    relabel(bench, "demo-entity-operator-a", {"strimzi.io/name": None})
    snapshot = bench.observe().snapshot
    assert [one.component for one in snapshot.nodes.pods] == [Component.ENTITY_OPERATOR, Component.KAFKA]
    assert snapshot.nodes.unlabelled == {"demo-entity-operator-a": ("strimzi.io/name=demo-entity-operator",)}


def test_a_node_that_is_away_costs_a_request_and_is_no_party() -> None:
    bench = bench_with(3)
    bench.api.request("DELETE", "/api/v1/namespaces/kafka/pods/demo-kafka-1")
    bench.api.requests.clear()
    snapshot = bench.observe().snapshot
    assert ([one.name for one in snapshot.nodes.pods], snapshot.nodes.unlabelled) == (
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
    assert bench.observe().snapshot.nodes.unlabelled == {}


def owned_by(bench: Bench, which: str, **owner: Any) -> None:
    """The pod has this owner and no other."""
    owners = [{"kind": "StrimziPodSet", **bench.pod_set("demo-kafka"), "controller": True, **owner}] if owner else []
    bench.change("pods", which, {"metadata": {"ownerReferences": owners}})


@pytest.mark.parametrize(
    "owner",
    [
        pytest.param({}, id="nobody"),
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
    assert ([one.name for one in seen.snapshot.nodes.pods], seen.snapshot.nodes.foreign) == (
        ["demo-kafka-0"],
        {name: Component.KAFKA},
    )
    assert name not in seen.pods
    assert name not in {one.secret for one in seen.expected}
    assert ("victim-db-0" in {one.secret for one in seen.stored}) is False


def test_the_name_of_a_pod_that_no_pool_could_have_is_none_of_a_node() -> None:
    """The maker of a pod writes what it likes into it, the true UID of the StrimziPodSet included."""
    bench = bench_with(1)
    bench.create("pods", pod("victim-db-0"))
    owned_by(bench, "victim-db-0", kind="StrimziPodSet")
    assert bench.observe().snapshot.nodes.foreign == {"victim-db-0": Component.KAFKA}


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
    assert snapshot.nodes.foreign == ({} if own else {"demo-entity-operator-a": Component.ENTITY_OPERATOR})


class _Forbidding:
    """An API server that shows none of these, as a Role for looking may have it."""

    def __init__(self, api: Any, plural: str) -> None:
        self._api, self._plural = api, plural

    def request(self, method: str, path: str, **arguments: Any) -> Any:
        if self._plural in path:
            return Response(403, {"reason": "Forbidden", "message": "no", "code": 403})
        return self._api.request(method, path, **arguments)


@pytest.mark.parametrize(("plural", "kind"), [("strimzipodsets", "StrimziPodSet"), ("kafkanodepools", "KafkaNodePool")])
def test_without_the_permission_to_see_owners_no_pod_is_anybodys(plural: str, kind: str) -> None:
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
    """As it is restarted: a listener that nobody asks could trust and present anything."""
    bench = bench_with(1)
    relabel(bench, "demo-kafka-0", {f"strimzi.io/{role}": value for role, value in roles.items()})
    assert [one.port for one in endpoints_of(bench.observe())] == ports

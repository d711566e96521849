"""StrimziPodSets, their pods and the controller that keeps them (docs/operator.md, "Pod annotations", "Pod sets",
"Kafka resource").
"""

from __future__ import annotations

import copy
import hashlib
import json
from dataclasses import dataclass
from typing import Any

from ..cluster.versions import KAFKA
from .api import Api, ApiError, Object
from .authority import owner
from .releases import STRIMZI_1_2, Release

#: The annotation of StrimziPodSets and pods with the version of Kafka that their nodes run (docs/operator.md, "Pod
#: annotations").
KAFKA_VERSION = "strimzi.io/kafka-version"


@dataclass(frozen=True)
class Node:
    pool: str
    node_id: int
    roles: tuple[str, ...]
    pod: str
    storage: str = "ephemeral"
    #: The variables of its container, with their values, that the template of its pool sets.
    environment: tuple[tuple[str, str], ...] = ()

    @property
    def controller(self) -> bool:
        return "controller" in self.roles

    @property
    def broker(self) -> bool:
        return "broker" in self.roles


def nodes_of(api: Api, cluster: str) -> list[Node]:
    """Node ids are cluster-wide: known ones stay, new ones follow."""
    pools = sorted(api.list("kafkanodepools", f"strimzi.io/cluster={cluster}"), key=lambda p: p["metadata"]["name"])
    taken = {i for pool in pools for i in (pool.get("status") or {}).get("nodeIds") or []}
    found = []
    for pool in pools:
        name, roles = pool["metadata"]["name"], tuple(pool["spec"]["roles"])
        ids = list((pool.get("status") or {}).get("nodeIds") or [])[: pool["spec"]["replicas"]]
        while len(ids) < pool["spec"]["replicas"]:
            ids.append(next(i for i in range(10000) if i not in taken))
            taken.add(ids[-1])
        if ids != (pool.get("status") or {}).get("nodeIds"):
            api.patch(
                "kafkanodepools",
                name,
                {"status": {"nodeIds": ids, "replicas": len(ids), "roles": list(roles)}},
                "status",
            )
        storage = (pool["spec"].get("storage") or {}).get("type", "ephemeral")
        environment = _environment(pool)
        found += [Node(name, i, roles, f"{cluster}-{name}-{i}", storage, environment) for i in sorted(ids)]
    return found


def _environment(pool: Object) -> tuple[tuple[str, str], ...]:
    container = (pool["spec"].get("template") or {}).get("kafkaContainer") or {}
    return tuple((one["name"], one["value"]) for one in container.get("env") or [])


def kafka_version(kafka: Object) -> str:
    """The version of Kafka that nodes are to run; a resource that names none gets the newest that this operator
    knows.
    """
    return str(kafka["spec"]["kafka"].get("version", KAFKA))


def revision(pod: Object) -> str:
    """PodRevision: of the pod without resources of (init) containers and the revision annotations (docs/operator.md,
    "Reload", 3).
    """
    bare = copy.deepcopy(pod)
    for key in ("strimzi.io/revision", "strimzi.io/resource-revision"):
        bare["metadata"].get("annotations", {}).pop(key, None)
    for container in _containers(bare):
        container.pop("resources", None)
    return _stub(bare)


def whole_revision(pod: Object) -> str:
    """PodRevision up to 0.51: of the pod before it has a revision."""
    return _stub(pod)


def resource_revision(pod: Object) -> str:
    """PodRevision: of what the other one leaves out, init containers first."""
    return _stub([container["resources"] for container in _containers(pod) if "resources" in container])


def _containers(pod: Object) -> list[Object]:
    return [*pod["spec"].get("initContainers", []), *pod["spec"].get("containers", [])]


def _stub(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha1(text.encode()).hexdigest()[:8]


def build_pod(kafka: Object, node: Node, annotations: dict[str, str], release: Release = STRIMZI_1_2) -> Object:
    cluster = kafka["metadata"]["name"]
    pod: Object = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": node.pod,
            "namespace": kafka["metadata"]["namespace"],
            "labels": {
                "strimzi.io/cluster": cluster, "strimzi.io/kind": "Kafka", "strimzi.io/name": f"{cluster}-kafka",
                "strimzi.io/component-type": "kafka", "strimzi.io/pool-name": node.pool,
                "strimzi.io/pod-name": node.pod, "strimzi.io/controller": "strimzipodset",
                "strimzi.io/controller-name": f"{cluster}-{node.pool}",
                "strimzi.io/broker-role": str(node.broker).lower(),
                "strimzi.io/controller-role": str(node.controller).lower(),
                "statefulset.kubernetes.io/pod-name": node.pod,
            },
            "annotations": dict(annotations),
        },
        "spec": {
            "hostname": node.pod, "subdomain": f"{cluster}-kafka-brokers", "automountServiceAccountToken": False,
            "containers": [{"name": "kafka", "image": f"kafka:{kafka_version(kafka)}", "imagePullPolicy": "Never", **_resources(kafka)}],
            "terminationGracePeriodSeconds": 30,
        },
    }  # fmt: skip
    if node.environment:
        pod["spec"]["containers"][0]["env"] = [{"name": name, "value": value} for name, value in node.environment]
    revisions = {"strimzi.io/revision": whole_revision(pod)}
    if release.has_resource_revision:
        revisions = {"strimzi.io/revision": revision(pod), "strimzi.io/resource-revision": resource_revision(pod)}
    pod["metadata"]["annotations"].update(revisions)
    return pod


def _resources(kafka: Object) -> Object:
    """Up to 0.51 a node pool without resources takes those of the Kafka resource, which v1 does not have."""
    resources = kafka["spec"]["kafka"].get("resources")
    return {"resources": resources} if resources else {}


def write_pod_sets(api: Api, kafka: Object, nodes: list[Node], pods: dict[str, Object]) -> None:
    """A StrimziPodSet for each pool, which owns it, replaced when it differs from the model: foreign changes vanish."""
    cluster = kafka["metadata"]["name"]
    pools = {pool["metadata"]["name"]: pool for pool in api.list("kafkanodepools", f"strimzi.io/cluster={cluster}")}
    for pool in sorted({node.pool for node in nodes}):
        name = f"{cluster}-{pool}"
        labels = {"strimzi.io/cluster": cluster, "strimzi.io/kind": "Kafka", "strimzi.io/name": f"{cluster}-kafka"}
        body: Object = {
            "apiVersion": f"core.strimzi.io/{api.version}",
            "kind": "StrimziPodSet",
            "metadata": {
                "name": name,
                "labels": {**labels, "strimzi.io/component-type": "kafka", "strimzi.io/pool-name": pool},
                "annotations": {KAFKA_VERSION: kafka_version(kafka)},
                "ownerReferences": owner({**pools[pool], "kind": "KafkaNodePool"}),
            },
            "spec": {
                "selector": {"matchLabels": {**labels, "strimzi.io/pool-name": pool}},
                "pods": [pods[node.pod] for node in nodes if node.pool == pool],
            },
        }
        existing = api.get("strimzipodsets", name)
        if existing is None:
            api.create("strimzipodsets", body)
        elif (
            existing["spec"] != body["spec"]
            or existing["metadata"].get("annotations") != body["metadata"]["annotations"]
        ):
            body["metadata"]["resourceVersion"] = existing["metadata"]["resourceVersion"]
            api.replace("strimzipodsets", body)


def control_pod_sets(api: Api) -> bool:
    """The StrimziPodSet controller: creates what is missing, deletes what is surplus; a pause means nothing to it."""
    moved = False
    pods = {pod["metadata"]["name"]: pod for pod in api.list("pods", "strimzi.io/controller=strimzipodset")}
    for pod_set in api.list("strimzipodsets"):
        wanted = {pod["metadata"]["name"]: pod for pod in pod_set["spec"]["pods"]}
        for name, pod in wanted.items():
            if name not in pods:
                moved |= _create(api, pod_set, pod)
        own = [
            n
            for n, p in pods.items()
            if p["metadata"]["labels"]["strimzi.io/controller-name"] == pod_set["metadata"]["name"]
        ]
        for name in own:
            if name not in wanted or (pods[name].get("status") or {}).get("phase") in ("Failed", "Succeeded"):
                api.delete("pods", name)
                moved = True
    return moved


def _create(api: Api, pod_set: Object, pod: Object) -> bool:
    body: dict[str, Any] = copy.deepcopy(pod)
    body["metadata"]["ownerReferences"] = [{
        "apiVersion": f"core.strimzi.io/{api.version}", "kind": "StrimziPodSet", "name": pod_set["metadata"]["name"],
        "uid": pod_set["metadata"]["uid"], "controller": True, "blockOwnerDeletion": False,
    }]  # fmt: skip
    try:
        api.create("pods", body)
    except ApiError as error:
        if error.status != 409:
            raise
        return False
    return True

"""Configuration, services, permissions and volumes of pods that are processes of Kafka (docs/operator.md,
"Kafka image").
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from pathlib import Path

from .api import Api, Object
from .leaves import broker_service
from .podsets import Node, kafka_version, revision
from .server_config import server_config

#: Data of pools with persistent storage is kept there on the node.
DATA = "/var/lib/kafka-data"
ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
#: The configuration of the logs of nodes.
LOGGING = Path(__file__).with_name("log4j2.properties")


def cluster_id(kafka: Object) -> str:
    """Always the same for a cluster of this name."""
    name = f"{kafka['metadata']['namespace']}/{kafka['metadata']['name']}"
    return "k" + base64.urlsafe_b64encode(hashlib.sha256(name.encode()).digest()[:16]).decode()[1:22]


def metadata_version(kafka: Object) -> str:
    """The first version of Kafka's metadata that comes with the Kafka of this resource."""
    return f"{kafka_version(kafka).rpartition('.')[0]}-IV0"


class RealPods:
    """The profile of the double for a node that runs containers; without it, pods are only entries in the API."""

    def __init__(self, heap: str = "-Xms128m -Xmx256m") -> None:
        self.heap = heap

    def prepare(self, api: Api, kafka: Object, nodes: list[Node]) -> None:
        """All that belongs to the cluster beside its Secrets and pods."""
        for plural, body in self._objects(kafka, nodes):
            api.apply(plural, body)

    def configuration_hash(self, kafka: Object, node: Node, nodes: list[Node]) -> str:
        return hashlib.sha1(server_config(kafka, node, nodes).encode()).hexdigest()[:8]

    def complete(self, pod: Object, kafka: Object, node: Node) -> Object:
        """A pod of the double, made one that runs Kafka."""
        cluster = kafka["metadata"]["name"]
        data: Object = {"name": "data", "emptyDir": {}}
        if node.storage != "ephemeral":
            path = f"{DATA}/{kafka['metadata']['namespace']}/{node.pod}"
            data = {"name": "data", "hostPath": {"path": path, "type": "DirectoryOrCreate"}}
        pod["spec"]["serviceAccountName"] = f"{cluster}-kafka"
        pod["spec"]["volumes"] = [
            {"name": "strimzi-tmp", "emptyDir": {"medium": "Memory", "sizeLimit": "5Mi"}},
            {"name": "kafka-metrics-and-logging", "configMap": {"name": node.pod}},
            {"name": "strimzi-sa", "projected": {"sources": _account()}},
            data,
        ]
        container = pod["spec"]["containers"][0]
        container["command"] = ["/opt/kafka/kafka_run.sh"]
        container["env"] = [
            {"name": "KAFKA_CLUSTER_NAME", "value": cluster}, {"name": "KAFKA_HEAP_OPTS", "value": self.heap},
            *container.get("env", []),
        ]  # fmt: skip
        container["volumeMounts"] = [
            {"name": "strimzi-tmp", "mountPath": "/tmp"},
            {"name": "kafka-metrics-and-logging", "mountPath": "/opt/kafka/custom-config/"},
            {"name": "strimzi-sa", "mountPath": ACCOUNT, "readOnly": True},
            {"name": "data", "mountPath": "/var/lib/kafka/data"},
        ]
        container.update(_probes(kafka["spec"]["kafka"].get("readinessProbe")))
        pod["metadata"]["annotations"]["strimzi.io/revision"] = revision(pod)
        return pod

    def _objects(self, kafka: Object, nodes: list[Node]) -> Iterator[tuple[str, Object]]:
        name = f"{kafka['metadata']['name']}-kafka"
        yield "serviceaccounts", {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}}
        yield "roles", _role(kafka, nodes)
        yield "rolebindings", _binding(kafka)
        for node in nodes:
            yield "configmaps", {
                "apiVersion": "v1", "kind": "ConfigMap",
                "metadata": {"name": node.pod, "labels": {"strimzi.io/cluster": kafka["metadata"]["name"]}},
                "data": {
                    "server.config": server_config(kafka, node, nodes), "cluster.id": cluster_id(kafka),
                    "metadata.version": metadata_version(kafka), LOGGING.name: LOGGING.read_text(),
                },
            }  # fmt: skip
        yield from (("services", body) for body in _services(kafka, nodes))


def _probes(readiness: Object | None) -> Object:
    """readiness: as the Kafka resource says. Where it says nothing, nodes are found ready sooner than by the operator's
    own probe: a process is started for each, often while it matters, seldom afterwards."""
    found = {"livenessProbe": _probe("liveness", periodSeconds=30)}
    if readiness is not None:
        return {**found, "readinessProbe": _probe("readiness", **readiness)}
    return {
        **found,
        "startupProbe": _probe("readiness", periodSeconds=2, initialDelaySeconds=5, failureThreshold=120),
        "readinessProbe": _probe("readiness", periodSeconds=10),
    }


def _probe(script: str, **how: int) -> Object:
    return {"exec": {"command": [f"/opt/kafka/kafka_{script}.sh"]}, "timeoutSeconds": 5, **how}


def _account() -> list[Object]:
    """Token, CA and namespace, as the API server would mount them itself."""
    field = {"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}
    return [
        {"serviceAccountToken": {"path": "token", "expirationSeconds": 3600}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
        {"downwardAPI": {"items": [field]}},
    ]


def _role(kafka: Object, nodes: list[Node]) -> Object:
    """Exactly the Secrets that brokers may read (docs/operator.md, "What each process trusts")."""
    cluster = kafka["metadata"]["name"]
    names = [f"{cluster}-cluster-ca-cert", f"{cluster}-clients-ca-cert", f"{cluster}-trustbundle"]
    rule = {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": f"{cluster}-kafka"},
        "rules": [{**rule, "resourceNames": names + [node.pod for node in nodes]}],
    }  # fmt: skip


def _binding(kafka: Object) -> Object:
    name = f"{kafka['metadata']['name']}-kafka"
    subject = {"kind": "ServiceAccount", "name": name, "namespace": kafka["metadata"]["namespace"]}
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": name},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name}, "subjects": [subject],
    }  # fmt: skip


def _services(kafka: Object, nodes: list[Node]) -> Iterator[Object]:
    cluster, listeners = kafka["metadata"]["name"], kafka["spec"]["kafka"].get("listeners") or []
    internal = [listener["port"] for listener in listeners if listener["type"] == "internal"]
    brokers = {"strimzi.io/broker-role": "true"}
    yield _service(cluster, f"{cluster}-kafka-bootstrap", [9091, *internal], brokers)
    headless = _service(cluster, f"{cluster}-kafka-brokers", [9090, 9091, 8443, *internal], {})
    # Nodes find each other before they are ready.
    headless["spec"].update({"clusterIP": "None", "publishNotReadyAddresses": True})
    yield headless
    for listener in (listener for listener in listeners if listener["type"] == "cluster-ip"):
        yield _service(cluster, f"{cluster}-kafka-{listener['name']}-bootstrap", [listener["port"]], brokers)
        for node in (node for node in nodes if node.broker):
            name = broker_service(listener, f"{cluster}-{node.pool}", node.node_id)
            yield _service(cluster, name, [listener["port"]], {"strimzi.io/pod-name": node.pod})


def _service(cluster: str, name: str, ports: list[int], selector: dict[str, str]) -> Object:
    common = {"strimzi.io/cluster": cluster, "strimzi.io/kind": "Kafka", "strimzi.io/name": f"{cluster}-kafka"}
    return {
        "apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "labels": {"strimzi.io/cluster": cluster}},
        "spec": {
            "selector": {**common, **selector},
            "ports": [{"name": f"tcp-{port}", "port": port, "targetPort": port} for port in ports],
        },
    }  # fmt: skip

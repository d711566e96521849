"""Manifests of Kafka clusters for tests and the demo."""

from __future__ import annotations

import copy
from typing import Any

from ..cluster.versions import KAFKA
from .security import ANNOTATION, MUTUAL, Security

Object = dict[str, Any]

LISTENERS: list[Object] = [
    {"name": "plain", "port": 9092, "type": "internal", "tls": False},
    {"name": "tls", "port": 9093, "type": "internal", "tls": True, "authentication": {"type": "tls"}},
    {"name": "external", "port": 9094, "type": "cluster-ip", "tls": True},
]
STORAGE: dict[bool, Object] = {False: {"type": "ephemeral"}, True: {"type": "persistent-claim", "size": "1Gi"}}
COMPONENTS: Object = {
    "entityOperator": {"topicOperator": {}, "userOperator": {}},
    "cruiseControl": {},
    "kafkaExporter": {},
}


def kafka(
    name: str,
    namespace: str,
    *,
    generated: bool = False,
    components: bool = True,
    version: str = KAFKA,
    security: Security = MUTUAL,
) -> Object:
    chosen = {} if security == MUTUAL else {"annotations": {f"strimzi.io/{ANNOTATION}": security.annotation}}
    return {
        "apiVersion": "kafka.strimzi.io/v1",
        "kind": "Kafka",
        "metadata": {"name": name, "namespace": namespace, **chosen},
        "spec": {
            "kafka": {"version": version, "listeners": LISTENERS, "authorization": {"type": "simple"}},
            "clusterCa": {"generateCertificateAuthority": generated},
            **(COMPONENTS if components else {}),
        },
    }


def pool(
    cluster: str, namespace: str, name: str, replicas: int, roles: list[str], *, persistent: bool = False
) -> Object:
    return {
        "apiVersion": "kafka.strimzi.io/v1",
        "kind": "KafkaNodePool",
        "metadata": {"name": name, "namespace": namespace, "labels": {"strimzi.io/cluster": cluster}},
        "spec": {"replicas": replicas, "roles": roles, "storage": STORAGE[persistent]},
    }


def before_v1(manifests: list[Object]) -> list[Object]:
    """The same as people wrote them for v1beta2, with fields of the Kafka resource that v1 does not have."""
    older = copy.deepcopy(manifests)
    for manifest in older:
        manifest["apiVersion"] = "kafka.strimzi.io/v1beta2"
        if manifest["kind"] == "Kafka":
            manifest["spec"]["kafka"].update(
                replicas=3, storage={"type": "ephemeral"}, resources={"requests": {"memory": "4Gi"}}
            )
    return older


def dual_role(
    name: str, namespace: str, *, node_pool: str = "kafka", replicas: int = 3, persistent: bool = False, **options: Any
) -> list[Object]:
    """Nodes that are controller and broker. node_pool: the name of the KafkaNodePool, of which a namespace has one, whatever cluster it belongs to."""
    return [
        pool(name, namespace, node_pool, replicas, ["controller", "broker"], persistent=persistent),
        kafka(name, namespace, **options),
    ]


def separate_roles(
    name: str, namespace: str, *, replicas: int = 3, persistent: bool = False, **options: Any
) -> list[Object]:
    """As many controllers as brokers."""
    return [
        pool(name, namespace, "broker", replicas, ["broker"], persistent=persistent),
        pool(name, namespace, "controller", replicas, ["controller"], persistent=persistent),
        kafka(name, namespace, **options),
    ]

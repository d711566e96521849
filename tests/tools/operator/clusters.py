"""Manifests of Kafka clusters for tests and the demo."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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


#: The probe that Strimzi sets where a Kafka resource says nothing (docs/operator.md, "Kafka image"); the length of a
#: restart depends on it, and the double sets a quicker one.
STRIMZI_READINESS = {"initialDelaySeconds": 15, "timeoutSeconds": 5, "periodSeconds": 10}
#: The environment variable with the rack of a broker (docs/operator.md, "Racks").
RACK = "BROKER_RACK"


@dataclass(frozen=True)
class Pool:
    """A KafkaNodePool."""

    #: Its name; a namespace has one pool of a name, whatever cluster it belongs to.
    name: str
    #: How many nodes it has.
    replicas: int
    #: The roles of each node.
    roles: tuple[str, ...]
    #: The rack in which all of its nodes are; empty for none.
    rack: str = ""


def node_names(cluster: str, pools: Sequence[Pool], role: str) -> tuple[str, ...]:
    """The pods with this role of a new cluster: pools get their node ids in the order of their names."""
    nodes = [one for one in sorted(pools, key=lambda pool: pool.name) for _node in range(one.replicas)]
    return tuple(f"{cluster}-{one.name}-{number}" for number, one in enumerate(nodes) if role in one.roles)


def of_pools(
    name: str, namespace: str, pools: Sequence[Pool], *, persistent: bool = False, **options: Any
) -> list[Object]:
    """A cluster of these pools."""
    made = kafka(name, namespace, **options)
    if any(one.rack for one in pools):
        made["spec"]["kafka"]["rack"] = {"type": "environment-variable", "envVarName": RACK}
    return [*(_node_pool(name, namespace, one, persistent) for one in pools), made]


def kafka(
    name: str,
    namespace: str,
    *,
    generated: bool = False,
    components: bool = True,
    version: str = KAFKA,
    security: Security = MUTUAL,
    readiness: Object | None = None,
) -> Object:
    """readiness: the probe of its nodes; the operator's own if there is none."""
    chosen = {} if security == MUTUAL else {"annotations": {f"strimzi.io/{ANNOTATION}": security.annotation}}
    return {
        "apiVersion": "kafka.strimzi.io/v1",
        "kind": "Kafka",
        "metadata": {"name": name, "namespace": namespace, **chosen},
        "spec": {
            "kafka": {
                "version": version,
                "listeners": LISTENERS,
                "authorization": {"type": "simple"},
                **({"readinessProbe": readiness} if readiness else {}),
            },
            "clusterCa": {"generateCertificateAuthority": generated},
            **(COMPONENTS if components else {}),
        },
    }


def _node_pool(cluster: str, namespace: str, pool: Pool, persistent: bool) -> Object:
    in_rack = {"template": {"kafkaContainer": {"env": [{"name": RACK, "value": pool.rack}]}}} if pool.rack else {}
    return {
        "apiVersion": "kafka.strimzi.io/v1",
        "kind": "KafkaNodePool",
        "metadata": {"name": pool.name, "namespace": namespace, "labels": {"strimzi.io/cluster": cluster}},
        "spec": {
            "replicas": pool.replicas,
            "roles": list(pool.roles),
            "storage": STORAGE[persistent],
            **in_rack,
        },
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


def combined(name: str = "kafka", replicas: int = 3) -> tuple[Pool, ...]:
    """The pool of nodes that are controller and broker."""
    return (Pool(name, replicas, ("controller", "broker")),)


def separate(replicas: int = 3) -> tuple[Pool, ...]:
    """The pools of as many controllers as brokers."""
    return Pool("broker", replicas, ("broker",)), Pool("controller", replicas, ("controller",))


def in_racks(racks: Sequence[str], replicas: int) -> tuple[Pool, ...]:
    """The pools of so many brokers in each rack, and of three controllers."""
    return (*_brokers(racks, replicas), Pool("controller", 3, ("controller",)))


def in_racks_with_controllers(racks: Sequence[str], replicas: int) -> tuple[Pool, ...]:
    """The pools of so many brokers in each rack, of which one is a controller too."""
    both = (Pool(f"controller-{rack}", 1, ("controller", "broker"), rack) for rack in racks)
    return (*_brokers(racks, replicas - 1), *both)


def _brokers(racks: Sequence[str], replicas: int) -> Iterator[Pool]:
    return (Pool(f"broker-{rack}", replicas, ("broker",), rack) for rack in racks)


def dual_role(
    name: str, namespace: str, *, node_pool: str = "kafka", replicas: int = 3, persistent: bool = False, **options: Any
) -> list[Object]:
    """Nodes that are controller and broker."""
    return of_pools(name, namespace, combined(node_pool, replicas), persistent=persistent, **options)


def separate_roles(
    name: str, namespace: str, *, replicas: int = 3, persistent: bool = False, **options: Any
) -> list[Object]:
    """As many controllers as brokers."""
    return of_pools(name, namespace, separate(replicas), persistent=persistent, **options)

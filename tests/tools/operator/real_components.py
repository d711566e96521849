"""Pods of components on a node that runs containers: what a process presents and trusts is what it found at its start.

The programs themselves are not there. Each container copies what is mounted into memory, and stays (docs/operator.md,
"What each process trusts").
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..cluster.versions import KAFKA
from .api import Object

#: Where a container keeps what it has read: the folders ``leaf`` and ``trust``.
MEMORY = "/memory"
_COMPLETE = "complete"
#: Of the folders of leaf, trust and memory. A shell that is the first process of a container ends for a signal that it
#: waits for, and for no other.
START = f"""\
set -e
umask 077
trap 'exit 0' TERM
mkdir "$3/leaf" "$3/trust"
cp -L "$1"/* "$3/leaf"
cp -L "$2"/* "$3/trust"
touch "$3/{_COMPLETE}"
sleep infinity & wait
"""


@dataclass(frozen=True)
class Process:
    """A container of the Deployment of a component. The operators in the Entity Operator read their Secrets from the API when they start; their volumes
    stand in for that, but for the volume of which the Topic Operator reads a file.
    """

    component: str
    container: str
    #: The owner of its leaf, by the name of the Secret and the common name.
    identity: str
    #: The path at which its leaf is mounted.
    leaf_path: str
    #: The Secret with the CAs that it trusts, without the cluster's name.
    trust: str
    #: The path at which that Secret is mounted.
    trust_path: str

    def volumes(self, cluster: str) -> Iterator[Object]:
        leaf, trust = f"{cluster}-{self.identity}-certs", f"{cluster}-{self.trust}"
        return remembering_volumes(self.container, {"secretName": leaf}, {"secretName": trust})

    def container_spec(self) -> Object:
        return remembering_container(self.container, self.leaf_path, self.trust_path)


def remembering_volumes(container: str, leaf: Object, trust: Object) -> Iterator[Object]:
    """leaf, trust: the sources of volumes of the type ``secret``."""
    yield {"name": f"{container}-leaf", "secret": leaf}
    yield {"name": f"{container}-trust", "secret": trust}
    yield {"name": f"{container}-memory", "emptyDir": {"medium": "Memory", "sizeLimit": "1Mi"}}


def remembering_container(name: str, leaf_path: str, trust_path: str) -> Object:
    """It keeps what was mounted when it started."""
    paths = {"leaf": leaf_path, "trust": trust_path}
    mounts: list[Object] = [
        {"name": f"{name}-{what}", "mountPath": path, "readOnly": True} for what, path in paths.items()
    ]
    return {
        "name": name, "image": f"kafka:{KAFKA}", "imagePullPolicy": "Never",
        "command": ["sh", "-c", START, "sh", leaf_path, trust_path, MEMORY],
        "resources": {"requests": {"cpu": "1m", "memory": "4Mi"}},
        "volumeMounts": [*mounts, {"name": f"{name}-memory", "mountPath": MEMORY}],
        # Once it has all, it has it for good: the kubelet asks no more.
        "startupProbe": {
            "exec": {"command": ["test", "-e", f"{MEMORY}/{_COMPLETE}"]}, "periodSeconds": 1, "failureThreshold": 120,
        },
    }  # fmt: skip


PROCESSES = (
    Process(
        "entity-operator", "topic-operator", "entity-topic-operator",
        "/from-api/leaf", "cluster-ca-cert", "/etc/cluster-ca-certs",
    ),
    Process(
        "entity-operator", "user-operator", "entity-user-operator",
        "/from-api/leaf", "cluster-ca-cert", "/from-api/trust",
    ),
    Process(
        "cruise-control", "cruise-control", "cruise-control",
        "/etc/cruise-control/cc-certs", "cluster-ca-cert", "/etc/cruise-control/cluster-ca-certs",
    ),
    Process(
        "kafka-exporter", "kafka-exporter", "kafka-exporter",
        "/etc/kafka-exporter/kafka-exporter-certs", "trustbundle", "/etc/kafka-exporter/cluster-ca-certs",
    ),
)  # fmt: skip
#: Where an operator in the Entity Operator is asked for.
_ASKED = {"entity-topic-operator": "topicOperator", "entity-user-operator": "userOperator"}


def real_pod(kafka: Object, component: str) -> Object:
    """The specification of the pod of a component."""
    cluster = kafka["metadata"]["name"]
    processes = [process for process in PROCESSES if process.component == component and _wanted(kafka, process)]
    return {
        "automountServiceAccountToken": False,
        "containers": [process.container_spec() for process in processes],
        "volumes": [volume for process in processes for volume in process.volumes(cluster)],
    }


def _wanted(kafka: Object, process: Process) -> bool:
    part = _ASKED.get(process.identity)
    return part is None or part in kafka["spec"]["entityOperator"]

"""A bed, the operator double beside it and a Kafka cluster on it, for the length of a ``with`` block."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from cryptography import x509

from ..tools.cluster.bed_cluster import PATHS, BedCluster
from ..tools.cluster.kube import Object, wait_for
from ..tools.cluster.versions import KAFKA, STRIMZI
from ..tools.operator.api import ready
from .bed import KafkaBed
from .listeners import Shown, handshake
from .pods import Pods
from .traces import machine_state, traces


class Layout(Protocol):
    """Makes the manifests of a cluster. options: those of clusters.kafka, each of which a layout passes on."""

    def __call__(self, name: str, namespace: str, /, **options: Any) -> list[Object]: ...


#: Seconds that a playbook may take on real nodes, which share the machine with other checks.
PATIENCE = 900


@dataclass(frozen=True)
class Tier:
    cluster: BedCluster
    name: str

    @property
    def pods(self) -> Pods:
        return Pods(self.cluster)

    def secret(self, name: str) -> dict[str, bytes]:
        data = self.cluster.get("secrets", name)["data"]
        return {key: base64.b64decode(value) for key, value in data.items()}

    def node_chain(self, node: str) -> list[x509.Certificate]:
        """The certificates in the node's Secret."""
        return x509.load_pem_x509_certificates(self.secret(node)[f"{node}.crt"])

    def subject(self, ca: str) -> bytes:
        """DER of the name of the CA ``cluster`` or ``clients``."""
        certificate = x509.load_pem_x509_certificate(self.secret(f"{self.name}-{ca}-ca-cert")["ca.crt"])
        return certificate.subject.public_bytes()

    def shake_hands(self, node: str, port: int, certificates: bytes = b"", key: bytes = b"") -> Shown:
        return handshake(self.pods.address(node), port, certificates, key)

    def quorum(self, pod: str, *bootstrap: str) -> dict[str, str]:
        """Node ids and what they are in the quorum (voter or observer), asked by Kafka's own tool in a pod."""
        tool = "org.apache.kafka.tools.MetadataQuorumCommand"
        asked = self.pods.administer(pod, tool, *bootstrap, "describe", "--replication")
        if asked.code:
            raise AssertionError(asked.output)
        roles = {"Leader": "voter", "Follower": "voter", "Observer": "observer"}
        rows = [line.split() for line in asked.output.splitlines()]
        return {row[0]: roles[row[-1]] for row in rows if row and row[-1] in roles}

    def refusals(self, node: str) -> list[str]:
        """The addresses whose TLS this node has refused since its start, each as often as it did; 127.0.0.1 stands for port-forwards."""
        return re.findall(r"Failed authentication with /([0-9.]+) ", self.pods.logs(node))

    def refused_peers(self, node: str) -> set[str]:
        return set(self.refusals(node))

    def ask_for_roll(self, pod: str) -> None:
        """The annotation that the operator acts on (docs/operator.md, "Manual rolling update")."""
        self.patch("pods", pod, {"metadata": {"annotations": {"strimzi.io/manual-rolling-update": "true"}}})

    def kafka_version(self, node: str) -> str:
        """The version of Kafka whose jars its pod has."""
        listed = self.pods.execute(node, "ls", "/opt/kafka/libs").output
        (version,) = re.findall(r"^kafka-server-([0-9.]+)\.jar$", listed, re.MULTILINE)
        return str(version)

    def upgrade(self, version: str) -> None:
        """Asks the operator for another version of Kafka: it restarts the nodes one by one."""
        self.patch("kafkas", self.name, {"spec": {"kafka": {"version": version}}})

    def patch(self, plural: str, name: str, body: Object) -> None:
        """Merges this into a Kafka resource, or an object of the core API group."""
        path = f"{PATHS[plural]}/namespaces/{self.cluster.namespace}/{plural}/{name}"
        answer = self.cluster.kube.request("PATCH", path, body=body, content_type="application/merge-patch+json")
        if answer.status >= 300:
            raise AssertionError(answer.body)

    def delete(self, plural: str, name: str) -> None:
        """Deletes an object of the core API group, which may be gone already."""
        path = f"/api/v1/namespaces/{self.cluster.namespace}/{plural}/{name}"
        answer = self.cluster.kube.request("DELETE", path)
        if answer.status not in (200, 202, 404):
            raise AssertionError(answer.body)

    def await_restarts(self, before: dict[str, str], seconds: float = 400) -> None:
        """Waits until all nodes are others than before (UIDs by name), and ready. Raises TimeoutError."""

        def restarted() -> bool:
            now = self.cluster.node_uids(self.name)
            replaced = len(now) == len(before) and not set(now.values()) & set(before.values())
            return replaced and all(ready(self.cluster.find("pods", node)) for node in now)

        wait_for(restarted, "the operator restarting the nodes", seconds)

    def host(self, node: str) -> str:
        """The name by which nodes call each other."""
        return f"{node}.{self.name}-kafka-brokers.{self.cluster.namespace}.svc"


@contextmanager
def bed_cluster_of_nodes(
    bed_name: str, other_kafkas: tuple[str, ...] = (), release: str = STRIMZI
) -> Iterator[BedCluster]:
    """release: of the operator. A bed and the operator double beside it. When the block has ended, nothing may be left
    on the machine.
    """
    before = machine_state()
    with KafkaBed(bed_name, other_kafkas=other_kafkas) as bed:
        link = bed.network.link
        cluster = BedCluster(bed, "kafka", real_pods=True, release=release)
        cluster.start(interval=5)
        try:
            yield cluster
        finally:
            cluster.stop_operator()
    left = [*traces(bed), *(set(machine_state(link)) ^ set(before))]
    if left:
        raise AssertionError(f"after {bed.name} there is left: {left}")


def kafka_cluster(
    cluster: BedCluster,
    layout: Layout,
    *,
    generated: bool,
    components: bool = False,
    name: str = "demo",
    version: str = KAFKA,
) -> Tier:
    """Makes a cluster, and waits until it is Ready; with components, Entity Operator, Cruise Control and Kafka Exporter belong to it."""
    how = {"persistent": True, "generated": generated, "components": components, "version": version}
    cluster.kube.apply(layout(name, cluster.namespace, **how))
    cluster.wait_until_ready(name, 400)
    return Tier(cluster, name)


@contextmanager
def kafka_tier(
    bed_name: str,
    layout: Layout,
    version: str = KAFKA,
    *,
    other_kafkas: tuple[str, ...] = (),
    release: str = STRIMZI,
) -> Iterator[Tier]:
    """A tier with a Ready cluster whose CAs are the operator's. other_kafkas: the versions of Kafka to which it can be
    upgraded. release: of the operator.
    """
    images = tuple(dict.fromkeys(one for one in (version, *other_kafkas) if one != KAFKA))
    with bed_cluster_of_nodes(bed_name, images, release) as cluster:
        yield kafka_cluster(cluster, layout, generated=True, version=version)

"""A bed, the operator double beside it and a Kafka cluster on it, for the length of a ``with`` block."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from cryptography import x509

from ..cluster.kube import Object
from ..cluster.scene import Scene
from .bed import KafkaBed
from .listeners import Shown, handshake
from .pods import Pods
from .traces import machine_state, traces

Layout = Callable[..., list[Object]]


#: Seconds that a playbook may take on real nodes, which share the machine with other checks.
PATIENCE = 900


@dataclass(frozen=True)
class Tier:
    scene: Scene
    cluster: str

    @property
    def pods(self) -> Pods:
        return Pods(self.scene)

    def secret(self, name: str) -> dict[str, bytes]:
        data = self.scene.get("secrets", name)["data"]
        return {key: base64.b64decode(value) for key, value in data.items()}

    def node_chain(self, node: str) -> list[x509.Certificate]:
        """What is in the node's Secret."""
        return x509.load_pem_x509_certificates(self.secret(node)[f"{node}.crt"])

    def subject(self, ca: str) -> bytes:
        """DER of the name of the CA ``cluster`` or ``clients``."""
        certificate = x509.load_pem_x509_certificate(self.secret(f"{self.cluster}-{ca}-ca-cert")["ca.crt"])
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

    def refused_peers(self, node: str) -> set[str]:
        """Addresses whose TLS this node has refused since its start; 127.0.0.1 is who came by a port-forward."""
        return set(re.findall(r"Failed authentication with /([0-9.]+) ", self.pods.logs(node)))

    def ask_for_roll(self, pod: str) -> None:
        """The annotation that the operator acts on (strimzi.md 5.2)."""
        path = f"/api/v1/namespaces/{self.scene.namespace}/pods/{pod}"
        wanted = {"metadata": {"annotations": {"strimzi.io/manual-rolling-update": "true"}}}
        answer = self.scene.kube.request("PATCH", path, body=wanted, content_type="application/merge-patch+json")
        if answer.status >= 300:
            raise AssertionError(answer.body)

    def host(self, node: str) -> str:
        """The name by which nodes call each other."""
        return f"{node}.{self.cluster}-kafka-brokers.{self.scene.namespace}.svc"


@contextmanager
def kafka_scene(bed_name: str) -> Iterator[Scene]:
    """A bed and the operator double beside it. When the block has ended, nothing may be left on the machine."""
    before = machine_state()
    with KafkaBed(bed_name) as bed:
        link = bed.network.link
        scene = Scene(bed, "kafka", real_pods=True)
        scene.raise_curtain(interval=5)
        try:
            yield scene
        finally:
            scene.stop_operator()
    left = [*traces(bed), *(set(machine_state(link)) ^ set(before))]
    if left:
        raise AssertionError(f"after {bed.name} there is left: {left}")


def kafka_cluster(
    scene: Scene, layout: Layout, *, generated: bool, components: bool = False, cluster: str = "demo"
) -> Tier:
    """Made, and Ready; with components, Entity Operator, Cruise Control and Kafka Exporter belong to it."""
    scene.kube.apply(layout(cluster, scene.namespace, persistent=True, generated=generated, components=components))
    scene.wait_until_ready(cluster, 400)
    return Tier(scene, cluster)


@contextmanager
def kafka_tier(bed_name: str, layout: Layout) -> Iterator[Tier]:
    """A scene with a Ready cluster whose CAs are the operator's."""
    with kafka_scene(bed_name) as scene:
        yield kafka_cluster(scene, layout, generated=True)

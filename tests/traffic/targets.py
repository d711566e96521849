"""Who shakes hands with whom while flows run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..kafka.tier import Tier
from ..operator.real_components import PROCESSES
from .scenario import REPLICATION, Layout

CLIENT_PORT = 9094
OPERATOR, EXPORTER = "cluster-operator", "kafka-exporter"
#: What an application is; all others are Strimzi's.
CLIENT = "client"
#: A client of brokers that has a REST API too, and who asks that.
CRUISE_CONTROL, REST_API, ASKING = "cruise-control", 9090, ("entity-topic-operator", OPERATOR)


@dataclass(frozen=True)
class Target:
    """identity: the node or component that connects, or the operator, or ``client``, which presents nothing.

    node: or Cruise Control.
    """

    identity: str
    node: str
    port: int

    def __str__(self) -> str:
        return f"{self.identity} to {self.node}:{self.port}"

    @property
    def party(self) -> str:
        """What it is counted as: who presents a certificate to nodes, or has Cruise Control present one."""
        return f"{self.identity} to {self.node}" if self.node == CRUISE_CONTROL else self.identity

    def host(self, tier: Tier) -> str:
        if self.node == CRUISE_CONTROL:
            return f"{tier.cluster}-{self.node}.{tier.scene.namespace}.svc"
        return f"{self.node}.{tier.scene.namespace}.svc" if self.port == CLIENT_PORT else tier.host(self.node)


def targets(layout: Layout) -> list[Target]:
    """Each asks all whom it asks in earnest, as often as anybody else."""
    return [*_nodes(layout), *_components(layout), *(Target(CLIENT, node, CLIENT_PORT) for node in layout.brokers)]


def parties(layout: Layout) -> set[str]:
    return {target.party for target in targets(layout)}


def _nodes(layout: Layout) -> Iterator[Target]:
    """Nodes and the operator ask all others."""
    identities, listeners = (*layout.nodes, OPERATOR), list(layout.internal_listeners())
    yield from (Target(one, node, port) for one in identities for node, port in listeners if one != node)


def _components(layout: Layout) -> Iterator[Target]:
    yield from (Target(process.identity, node, REPLICATION) for process in PROCESSES for node in layout.brokers)
    yield from (Target(identity, CRUISE_CONTROL, REST_API) for identity in ASKING)

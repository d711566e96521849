"""The handshakes while flows run: which party asks which listener."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...kafka.tier import Tier
from ..cluster.tls import Rules
from ..operator.real_components import PROCESSES
from .listeners import PUBLIC, USERS
from .logging_in import LOGGING_IN, PORTS, PROGRAMS, by_secret
from .scenario import REPLICATION, Layout
from .trust import Reading

OPERATOR, EXPORTER = "cluster-operator", "kafka-exporter"
#: An application that reads what is published for it.
CLIENT = "client"
#: Applications that mount the CA certificate Secret and load every ``*.crt`` of it, in either order, by each library's rules.
READERS = {
    f"reader-{rules.value}{'-backwards' if backwards else ''}": (rules, backwards)
    for rules in Rules
    for backwards in (False, True)
}
#: Applications that load ``ca.crt`` and nothing else, by their library and by when they read it.
CA_CRT_READERS = {f"ca.crt-{library.value}-{when.value}": (library, when) for library in Rules for when in Reading}
#: A client of brokers that has a REST API too, and the identities that ask that.
CRUISE_CONTROL, REST_API, ASKING = "cruise-control", 9090, ("entity-topic-operator", OPERATOR)


@dataclass(frozen=True)
class Target:
    #: The node or component that connects, or the operator, or ``client``, which presents nothing.
    identity: str
    #: A node, or Cruise Control.
    node: str
    port: int

    def __str__(self) -> str:
        return f"{self.identity} to {self.node}:{self.port}"

    @property
    def party(self) -> str:
        """The name under which we count it: the party that presents a certificate to nodes, or has Cruise Control present one."""
        return f"{self.identity} to {self.node}" if self.node == CRUISE_CONTROL else self.identity

    def host(self, tier: Tier) -> str:
        if self.node == CRUISE_CONTROL:
            return f"{tier.name}-{self.node}.{tier.cluster.namespace}.svc"
        for listener in (PUBLIC, USERS):
            if self.port == listener.port:
                return f"{listener.service(self.node)}.{tier.cluster.namespace}.svc"
        return tier.host(self.node)


def of_cluster_ca(layout: Layout) -> list[Target]:
    """Each party asks all whom it asks in earnest, as often as any other party."""
    clients = (
        Target(identity, node, PUBLIC.port)
        for identity in (CLIENT, *READERS, *CA_CRT_READERS)
        for node in layout.brokers
    )
    return [*_nodes(layout), *_components(layout), *clients]


def of_clients_ca(layout: Layout) -> list[Target]:
    """Users with what their Secrets contain at that moment, and programs with what they have read, log in to every broker on each listener."""
    identities = (*map(by_secret, LOGGING_IN), *PROGRAMS)
    return [Target(identity, node, port) for identity in identities for node in layout.brokers for port in PORTS]


def parties(targets: Iterable[Target]) -> set[str]:
    return {target.party for target in targets}


def _nodes(layout: Layout) -> Iterator[Target]:
    """Nodes and the operator ask all others."""
    identities, listeners = (*layout.nodes, OPERATOR), list(layout.internal_listeners())
    yield from (Target(identity, node, port) for identity in identities for node, port in listeners if identity != node)


def _components(layout: Layout) -> Iterator[Target]:
    yield from (Target(process.identity, node, REPLICATION) for process in PROCESSES for node in layout.brokers)
    yield from (Target(identity, CRUISE_CONTROL, REST_API) for identity in ASKING)

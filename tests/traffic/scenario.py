"""What flows are measured on: a way of working, a layout of nodes, and how a new key is brought to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from ..cluster.kube import Object
from ..operator import clusters

WAYS = ("cooperate", "takeover")
CONTROL_PLANE, REPLICATION = 9090, 9091
_SAFE = {
    "offsets.topic.replication.factor": "3", "transaction.state.log.replication.factor": "3",
    "transaction.state.log.min.isr": "2", "default.replication.factor": "3", "min.insync.replicas": "2",
    "auto.create.topics.enable": "false", "group.initial.rebalance.delay.ms": "0",
}  # fmt: skip


@dataclass(frozen=True)
class Layout:
    """controllers, brokers: names of pods; one may be both. make: the manifests, as ``clusters`` has them."""

    name: str
    make: Callable[..., list[Object]]
    controllers: tuple[str, ...]
    brokers: tuple[str, ...]

    @property
    def nodes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.brokers, *self.controllers)))

    def internal_listeners(self) -> Iterator[tuple[str, int]]:
        """Node and port: nodes listen for the roles that they have."""
        for node in self.nodes:
            yield from ((node, port) for port, own in self._of_role() if node in own)

    def _of_role(self) -> Iterable[tuple[int, tuple[str, ...]]]:
        return (CONTROL_PLANE, self.controllers), (REPLICATION, self.brokers)

    def manifests(self, cluster: str, namespace: str, **options: bool) -> list[Object]:
        """Brokers whose records survive the restart of one, for clients that need no certificate."""
        made = self.make(cluster, namespace, **options)
        for manifest in made:
            if manifest["kind"] == "Kafka":
                manifest["spec"]["kafka"] = {
                    **manifest["spec"]["kafka"], "config": _SAFE,
                    "authorization": {"type": "simple", "superUsers": ["ANONYMOUS"]},
                }  # fmt: skip
        return made


_COMBINED = tuple(f"demo-kafka-{number}" for number in range(3))
LAYOUTS = (
    Layout("dual-role", clusters.dual_role, _COMBINED, _COMBINED),
    Layout(
        "separate",
        clusters.separate_roles,
        tuple(f"demo-controller-{number}" for number in range(3, 6)),
        tuple(f"demo-broker-{number}" for number in range(3)),
    ),
)


@dataclass(frozen=True)
class Variant:
    """bridge, spread: what the flows are told. rolls: restarts of each node that a new key takes."""

    name: str
    bridge: str
    spread: str
    rolls: int

    @property
    def reloads(self) -> bool:
        return self.spread != "restart"

    @property
    def variables(self) -> dict[str, str]:
        return {"strimzi_bridge": self.bridge, "strimzi_spread": self.spread}


VARIANTS = (
    Variant("plain", "never", "restart", rolls=3),
    Variant("bridge", "auto", "restart", rolls=2),
    Variant("reload", "auto", "auto", rolls=1),
)


@dataclass(frozen=True)
class Scenario:
    """path_length: of the CAs that the flows make."""

    way: str
    layout: Layout
    variant: Variant
    path_length: int = 1

    def __str__(self) -> str:
        return f"{self.way} {self.layout.name} {self.variant.name}"

    @property
    def patient(self) -> frozenset[str]:
        """Libraries whose clients accept a bridge while they trust the old CA only: OpenSSL looks at its path length."""
        if self.variant.bridge == "never":
            return frozenset()
        return frozenset({"jvm"} if self.path_length == 0 else {"jvm", "rdkafka"})

    @property
    def foreseen(self) -> frozenset[str]:
        """Parties whose handshakes fail between two restarts whatever anybody does: the Topic Operator trusts the one
        certificate for Cruise Control that it has read when it started (CruiseControlClientImpl), and without a bridge no
        certificate of Cruise Control is validated by both the old CA and the new one."""
        return frozenset({"entity-topic-operator to cruise-control"} if self.variant.bridge == "never" else ())

    @property
    def row(self) -> dict[str, str | int]:
        """How it is named in the file of a measurement."""
        return {
            "way": self.way, "layout": self.layout.name, "variant": self.variant.name, "path_length": self.path_length,
        }  # fmt: skip

    @property
    def variables(self) -> dict[str, str]:
        """Of every playbook."""
        own = {"strimzi_way": self.way, "strimzi_path_length": str(self.path_length)}
        return {**own, **self.variant.variables, "strimzi_evidence": "handshake", "strimzi_client_bundle": "true"}


def scenarios(ways: Iterable[str], layouts: Iterable[str], variants: Iterable[str], length: int) -> list[Scenario]:
    """Every combination of these names, in their order."""
    layout_of, variant_of = {one.name: one for one in LAYOUTS}, {one.name: one for one in VARIANTS}
    return [
        Scenario(way, layout_of[layout], variant_of[variant], length)
        for layout, variant, way in product(layouts, variants, ways)
    ]

"""The scenarios in which flows are measured: a layout of nodes, and how a new key is brought to them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import product
from typing import Any

from ...kafka.supplied import supplied_authority
from ..cluster.bed_cluster import BedCluster
from ..cluster.kube import Object
from ..operator import clusters
from ..support.outside_authority import OutsideOptions, in_cert_manager, in_vault
from .listeners import PUBLIC, USERS
from .logging_in import LOGGING_IN

CONTROL_PLANE, REPLICATION = 9090, 9091


@dataclass(frozen=True)
class Layout:
    """The nodes of a cluster."""

    name: str
    #: Its node pools.
    pools: tuple[clusters.Pool, ...]
    #: The name of the Kafka resource.
    cluster: str = "demo"

    @property
    def controllers(self) -> tuple[str, ...]:
        """The pods that are controllers."""
        return clusters.node_names(self.cluster, self.pools, "controller")

    @property
    def brokers(self) -> tuple[str, ...]:
        """The pods that are brokers; a pod may be both."""
        return clusters.node_names(self.cluster, self.pools, "broker")

    @property
    def nodes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.brokers, *self.controllers)))

    def internal_listeners(self) -> Iterator[tuple[str, int]]:
        """Node and port: nodes listen for the roles that they have."""
        for node in self.nodes:
            yield from ((node, port) for port, own in self._of_role() if node in own)

    def _of_role(self) -> Iterable[tuple[int, tuple[str, ...]]]:
        return (CONTROL_PLANE, self.controllers), (REPLICATION, self.brokers)

    def manifests(self, cluster: str, namespace: str, **options: Any) -> list[Object]:
        """Brokers whose records survive the restart of one where there are three, for clients with a certificate and without."""
        made = clusters.of_pools(cluster, namespace, self.pools, **options)
        superusers = ["ANONYMOUS", *(f"CN={user}" for user in LOGGING_IN)]
        for manifest in made:
            if manifest["kind"] == "Kafka":
                kafka = manifest["spec"]["kafka"]
                others = [listener for listener in kafka["listeners"] if listener["name"] != PUBLIC.name]
                manifest["spec"]["kafka"] = {
                    **kafka, "config": _config(len(self.brokers)), "listeners": [*others, PUBLIC.manifest, USERS.manifest],
                    "authorization": {"type": "simple", "superUsers": superusers},
                }  # fmt: skip
        return made


def _config(brokers: int) -> dict[str, str]:
    """All that is stored has three replicas where there are as many brokers, and one of them may be away."""
    replicas = min(3, brokers)
    factors = (
        "offsets.topic.replication.factor",
        "transaction.state.log.replication.factor",
        "default.replication.factor",
    )
    minimums = ("transaction.state.log.min.isr", "min.insync.replicas")
    return {
        **dict.fromkeys(factors, str(replicas)), **dict.fromkeys(minimums, str(min(2, replicas))),
        "auto.create.topics.enable": "false", "group.initial.rebalance.delay.ms": "0",
    }  # fmt: skip


#: Nine brokers in three racks: beside three controllers, and with one controller among the brokers of each rack.
_RACKS = ("a", "b", "c")
IN_RACKS = (
    Layout("racks", clusters.in_racks(_RACKS, 3)),
    Layout("racks-dual-role", clusters.in_racks_with_controllers(_RACKS, 3)),
)
LAYOUTS = (Layout("dual-role", clusters.combined()), Layout("separate", clusters.separate()), *IN_RACKS)


@contextmanager
def in_the_cluster(_cluster: BedCluster) -> Iterator[OutsideOptions]:
    """The flows make their CAs."""
    yield OutsideOptions({})


@contextmanager
def supplied(_cluster: BedCluster) -> Iterator[OutsideOptions]:
    """A CA is brought with its key."""
    yield OutsideOptions(supplied_authority())


@dataclass(frozen=True)
class Variant:
    """How a new key comes to the nodes."""

    name: str
    #: The variables of the flows.
    options: Mapping[str, str]
    #: The place outside the cluster that the flows take their CAs from; None: the flows make them.
    outside: Callable[[BedCluster], AbstractContextManager[OutsideOptions]] = in_the_cluster
    #: Whether a link certificate introduces it; a CA below a root of its own gets none.
    links: bool = True
    #: Whether the issuer that has brought it keeps its key, and issues all certificates.
    issues: bool = False
    #: Whether that issuer certifies the CA that follows.
    introduces: bool = False
    #: Whether nodes are told to read again.
    reloads: bool = False
    #: Whether the old CA stays until the nodes have restarted for other reasons.
    patient: bool = False


VARIANTS = (
    Variant("supplied", {"strimzi_spread": "restart"}, supplied, links=False),
    Variant("restart", {"strimzi_spread": "restart"}),
    Variant("reload", {"strimzi_spread": "auto"}, reloads=True),
    Variant("when-restarted", {"strimzi_retire": "when_restarted"}, reloads=True, patient=True),
    Variant("cert-manager", {"strimzi_spread": "auto"}, in_cert_manager, issues=True, reloads=True),
    Variant("vault", {"strimzi_spread": "auto"}, in_vault, links=False, issues=True, introduces=True, reloads=True),
)


@dataclass(frozen=True)
class Scenario:
    layout: Layout
    variant: Variant
    #: The path length of the CAs that the flows make.
    path_length: int = 1

    def __str__(self) -> str:
        return f"{self.layout.name} {self.variant.name}"

    @property
    def accept_links(self) -> frozenset[str]:
        """Libraries whose clients accept a link certificate while they trust the old CA only: OpenSSL looks at the path
        length of the old CA."""
        return frozenset({"jvm"} if self.path_length == 0 else {"jvm", "rdkafka"})

    @property
    def row(self) -> dict[str, str | int]:
        """How it is named in the file of a measurement."""
        return {"layout": self.layout.name, "variant": self.variant.name, "path_length": self.path_length}

    @property
    def variables(self) -> dict[str, str]:
        """The variables of every playbook. Clients that load ``ca.crt`` get the time that the collection gives them by default."""
        own = {
            "strimzi_path_length": str(self.path_length), "strimzi_evidence": "handshake", "strimzi_client_grace": "",
        }  # fmt: skip
        return {**own, **self.variant.options, "strimzi_client_bundle": "true"}


def scenarios(layouts: Iterable[str], variants: Iterable[str], length: int) -> list[Scenario]:
    """Every combination of these names, in their order."""
    layout_of, variant_of = {layout.name: layout for layout in LAYOUTS}, {variant.name: variant for variant in VARIANTS}
    return [Scenario(layout_of[layout], variant_of[variant], length) for layout, variant in product(layouts, variants)]

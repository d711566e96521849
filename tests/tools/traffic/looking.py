"""The certificates that every party presents and trusts now, and the addresses of nodes."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from ssl import SSLContext

from ...kafka.tier import Tier
from ..cluster.kube import Object
from ..cluster.tls import Rules, client_context, server_context
from ..operator.real_programs import LABEL
from .components import Components, Loaded
from .handshakes import Connects, GoClient, Verdict, attempt, attempt_in_memory
from .logging_in import LOGGING_IN, by_secret
from .scenario import Layout
from .targets import (
    ASKING,
    CA_CRT_READERS,
    CLIENT,
    CRUISE_CONTROL,
    EXPORTER,
    OPERATOR,
    READERS,
    Target,
    of_clients_ca,
    of_cluster_ca,
)
from .trust import CaCrtHistory, anchors, in_use, published

Made = tuple[bytes, ...]
#: The rules of parties that are no JVMs.
_RULES = {CLIENT: Rules.OPENSSL, EXPORTER: Rules.GO}


@dataclass(frozen=True)
class View:
    #: Of parties that connect to nodes, by identity; asking: of parties that ask Cruise Control; api: Cruise Control's own.
    contexts: Mapping[str, SSLContext | Connects]
    asking: dict[str, SSLContext]
    api: SSLContext | None
    #: The addresses of nodes; a party whose pod restarts is missing.
    addresses: dict[str, str]

    def attempt(self, target: Target, host: str) -> Verdict | None:
        """None when one of the two is not there."""
        if target.node == CRUISE_CONTROL:
            asking = self.asking.get(target.identity)
            return attempt_in_memory(asking, self.api, host) if asking and self.api else None
        context, address = self.contexts.get(target.identity), self.addresses.get(target.node)
        if not context or not address:
            return None
        if isinstance(context, SSLContext):
            return attempt(context, address, target.port, host)
        return context(address, target.port, host)


class Looking(ABC):
    """Reads Secrets and pods; makes a context anew when its files have changed.

    pods: when each pod of a node, by UID, was first seen.
    """

    def __init__(self, tier: Tier, layout: Layout) -> None:
        self.tier, self.layout = tier, layout
        self.pods: dict[str, float] = {}
        self._components = Components(tier)
        self._made: dict[str, tuple[Made, SSLContext]] = {}

    @property
    @abstractmethod
    def targets(self) -> list[Target]:
        """All pairs of a party that connects and a listener that it connects to."""

    @abstractmethod
    def look(self) -> View: ...

    def _context(self, identity: str, *parts: bytes) -> SSLContext:
        return self._kept(identity, parts, partial(client_context, rules=_RULES.get(identity, Rules.JVM)))

    def _kept(self, name: str, parts: Made, make: Callable[..., SSLContext]) -> SSLContext:
        if name not in self._made or self._made[name][0] != parts:
            self._made[name] = (parts, make(*parts))
        return self._made[name][1]

    def _addresses(self, pods: list[Object]) -> dict[str, str]:
        name = f"{self.tier.name}-kafka"
        nodes = [pod for pod in pods if pod["metadata"]["labels"].get("strimzi.io/name") == name]
        for pod in nodes:
            self.pods.setdefault(pod["metadata"]["uid"], time.monotonic())
        return {pod["metadata"]["name"]: pod["status"].get("podIP", "") for pod in nodes}


class LookingByClusterCa(Looking):
    """Looks at the parties that present certificates of the cluster CA, or trust it."""

    def __init__(self, tier: Tier, layout: Layout) -> None:
        super().__init__(tier, layout)
        self.ca_crt = CaCrtHistory()

    @property
    def targets(self) -> list[Target]:
        return of_cluster_ca(self.layout)

    def look(self) -> View:
        pods = self.tier.cluster.pods(f"strimzi.io/cluster={self.tier.name}")
        loaded = self._components.loaded(pods)
        secret = self.tier.secret(f"{self.tier.name}-cluster-ca-cert")
        known = anchors(secret)
        self.ca_crt.record(time.monotonic(), secret["ca.crt"])
        readers = {**self._of_readers(secret), **self._of_ca_crt_readers()}
        return View(
            {**self._own(known), **readers, **self._of_components(loaded)},
            {asking: self._context(f"{asking} asks", ca) for asking, ca in _asking(loaded, known)},
            self._server(loaded.get(CRUISE_CONTROL)),
            self._addresses(pods),
        )

    def _own(self, known: bytes) -> dict[str, SSLContext]:
        """The contexts of clients, nodes and the operator, which read what is there."""
        bundle = self.tier.secret(f"{self.tier.name}-trustbundle")["cluster-ca.crt"]
        of_clients = (published(self.tier) or in_use(self.tier)).pem
        contexts = {CLIENT: self._context(CLIENT, of_clients)}
        for node in self.layout.nodes:
            own = self.tier.secret(node)
            contexts[node] = self._context(node, bundle, own[f"{node}.crt"], own[f"{node}.key"])
        own = self.tier.secret(f"{self.tier.name}-{OPERATOR}-certs")
        contexts[OPERATOR] = self._context(OPERATOR, known, own[f"{OPERATOR}.crt"], own[f"{OPERATOR}.key"])
        return contexts

    def _of_readers(self, secret: Mapping[str, bytes]) -> dict[str, SSLContext]:
        files = [secret[name] for name in sorted(secret) if name.endswith(".crt")]
        return {
            reader: self._kept(
                reader, (b"".join(reversed(files) if backwards else files),), partial(client_context, rules=rules)
            )
            for reader, (rules, backwards) in READERS.items()
        }

    def _of_ca_crt_readers(self) -> dict[str, SSLContext | Connects]:
        at, found = time.monotonic(), dict[str, SSLContext | Connects]()
        for reader, (library, when) in CA_CRT_READERS.items():
            trusted = self.ca_crt.read(at, when)
            if library is Rules.GO:
                found[reader] = GoClient(trusted)
            else:
                found[reader] = self._kept(reader, (trusted,), partial(client_context, rules=library))
        return found

    def _of_components(self, loaded: dict[str, Loaded]) -> dict[str, SSLContext]:
        return {
            name: self._context(name, component.trusted, component.certificates, component.key)
            for name, component in loaded.items()
        }

    def _server(self, loaded: Loaded | None) -> SSLContext | None:
        """Cruise Control's end: a party that asks it shows no certificate but a password."""
        return self._kept("api", (loaded.certificates, loaded.key), server_context) if loaded else None


class LookingByClientsCa(Looking):
    """Looks at the parties that log in with a certificate: what the Secrets of users contain, and what programs have read of them."""

    @property
    def targets(self) -> list[Target]:
        return of_clients_ca(self.layout)

    def look(self) -> View:
        pods = self.tier.cluster.pods(f"strimzi.io/cluster={self.tier.name}")
        trusted = in_use(self.tier).pem
        contexts = {}
        for user in LOGGING_IN:
            own = self.tier.secret(user)
            contexts[by_secret(user)] = self._context(user, trusted, own["user.crt"], own["user.key"])
        for name, found in self._components.programs(self.tier.cluster.pods(LABEL)).items():
            contexts[name] = self._context(name, found.trusted, found.certificates, found.key)
        return View(contexts, {}, None, self._addresses(pods))


def _asking(loaded: dict[str, Loaded], known: bytes) -> list[tuple[str, bytes]]:
    """The Topic Operator trusts the ``ca.crt`` that it has read at its start and nothing else (docs/operator.md,
    "What each process trusts").
    """
    trusted = {OPERATOR: known, **{name: component.ca for name, component in loaded.items()}}
    return [(component, trusted[component]) for component in ASKING if component in trusted]

"""Many handshakes a second: clients at every broker; nodes and the operator, with their certificates, at every node."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from ssl import SSLContext

from ..cluster.tls import client_context
from ..kafka.tier import Tier
from .handshakes import Outcome, Verdict, attempt
from .scenario import Layout
from .trust import in_use, published, trusted_by_operator

CLIENT_PORT = 9094
OPERATOR = "cluster-operator"
#: What an application is; all others are JVMs.
CLIENT = "client"
#: Of all workers together; and seconds between looks at Secrets and pods.
RATE, LOOK = 40.0, 1.0
_WORKERS = 6


@dataclass(frozen=True)
class Target:
    """identity: the node that connects, or the operator, or ``client``, which presents nothing."""

    identity: str
    node: str
    port: int

    def __str__(self) -> str:
        return f"{self.identity} to {self.node}:{self.port}"

    def host(self, tier: Tier) -> str:
        return f"{self.node}.{tier.scene.namespace}.svc" if self.port == CLIENT_PORT else tier.host(self.node)


def targets(layout: Layout) -> list[Target]:
    """Each asks all others, as often as anybody else."""
    identities, listeners = (*layout.nodes, OPERATOR), list(layout.internal_listeners())
    between = [Target(one, node, port) for one in identities for node, port in listeners if one != node]
    return [*between, *(Target(CLIENT, node, CLIENT_PORT) for node in layout.brokers)]


@dataclass(frozen=True)
class View:
    """What identities present and trust now, and where nodes are."""

    contexts: dict[str, SSLContext]
    addresses: dict[str, str]


class Looking:
    """Reads Secrets and pods; a context is made anew when what it is made of has changed.

    pods: when each, by UID, was first seen.
    """

    def __init__(self, tier: Tier, layout: Layout) -> None:
        self.tier, self.layout = tier, layout
        self.pods: dict[str, float] = {}
        self._made: dict[str, tuple[tuple[bytes, ...], SSLContext]] = {}

    def look(self) -> View:
        bundle = self.tier.secret(f"{self.tier.cluster}-trustbundle")["cluster-ca.crt"]
        of_clients = (published(self.tier) or in_use(self.tier)).pem
        contexts = {CLIENT: self._context(CLIENT, of_clients)}
        for node in self.layout.nodes:
            own = self.tier.secret(node)
            contexts[node] = self._context(node, bundle, own[f"{node}.crt"], own[f"{node}.key"])
        own = self.tier.secret(f"{self.tier.cluster}-{OPERATOR}-certs")
        known = trusted_by_operator(self.tier)
        contexts[OPERATOR] = self._context(OPERATOR, known, own[f"{OPERATOR}.crt"], own[f"{OPERATOR}.key"])
        return View(contexts, self._addresses())

    def _context(self, identity: str, *parts: bytes) -> SSLContext:
        if identity not in self._made or self._made[identity][0] != parts:
            self._made[identity] = (parts, client_context(*parts, jvm=identity != CLIENT))
        return self._made[identity][1]

    def _addresses(self) -> dict[str, str]:
        scene = self.tier.scene
        query = {"labelSelector": f"strimzi.io/name={self.tier.cluster}-kafka"}
        pods = scene.kube.request("GET", f"/api/v1/namespaces/{scene.namespace}/pods", query=query).body["items"]
        for pod in pods:
            self.pods.setdefault(pod["metadata"]["uid"], time.monotonic())
        return {pod["metadata"]["name"]: pod["status"].get("podIP", "") for pod in pods}


@dataclass
class Load:
    looking: Looking
    results: list[tuple[float, Outcome]] = field(default_factory=list)
    failures: list[tuple[float, str]] = field(default_factory=list)
    last: dict[Target, Verdict] = field(default_factory=dict)
    _end: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def start(self) -> None:
        self._view = self.looking.look()
        self._targets = cycle(targets(self.looking.layout))
        self._threads = [threading.Thread(target=self._refresh, daemon=True)]
        self._threads += [threading.Thread(target=self._work, daemon=True) for _round in range(_WORKERS)]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._end.set()
        for thread in self._threads:
            thread.join(20)

    def counts(self, begin: float, end: float = float("inf")) -> Counter[Outcome]:
        with self._lock:
            return Counter(outcome for at, outcome in self.results if begin <= at < end)

    def failed(self, begin: float, end: float = float("inf")) -> list[str]:
        with self._lock:
            return [text for at, text in self.failures if begin <= at < end]

    def restarts(self, begin: float, end: float) -> int:
        return sum(begin <= at < end for at in self.looking.pods.values())

    def unsettled(self) -> list[str]:
        """Whose last attempt did not succeed: what is interrupted for good is no restart."""
        with self._lock:
            found = {target: self.last.get(target) for target in targets(self.looking.layout)}
        return [f"{target}: {last}" for target, last in found.items() if not last or last.outcome is not Outcome.DONE]

    def _refresh(self) -> None:
        while not self._end.wait(LOOK):
            try:
                self._view = self.looking.look()
            except Exception as problem:  # a pod or a Secret is being replaced: the next look will do
                print(f"not seen: {problem!r}", flush=True)

    def _work(self) -> None:
        while not self._end.is_set():
            began = time.monotonic()
            self._shake_hands()
            self._end.wait(max(0.0, began + _WORKERS / RATE - time.monotonic()))

    def _shake_hands(self) -> None:
        with self._lock:
            target = next(self._targets)
        view, at = self._view, time.monotonic()
        address = view.addresses.get(target.node)
        if not address:
            return
        verdict = attempt(view.contexts[target.identity], address, target.port, target.host(self.looking.tier))
        with self._lock:
            self.results.append((at, verdict.outcome))
            self.last[target] = verdict
            if verdict.outcome is Outcome.FAILED:
                self.failures.append((at, f"{target}: {verdict.detail}"))


@contextmanager
def handshake_load(tier: Tier, layout: Layout) -> Iterator[Load]:
    load = Load(Looking(tier, layout))
    load.start()
    try:
        yield load
    finally:
        load.stop()

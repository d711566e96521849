"""An independent observer: after every single write, do the invariants of the design hold?

It reads the API server and what the processes really loaded, and validates certificate paths with OpenSSL. It shares no
code with the collection, and it does not trust the ledger.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from typing import Any

from cryptography.exceptions import InvalidSignature
from OpenSSL import crypto

from ..edges import EDGES
from ..fakes.memory_api import Change
from ..fakes.world import World
from ..operator import certs

Object = dict[str, Any]
OPERATOR = "cluster-operator"


class InvariantBroken(AssertionError):
    """The text says which invariant, between whom, after which write."""


def verifies(presented: bytes, trusted: bytes, *, jvm: bool = True) -> bool:
    """Whether OpenSSL accepts the presented chain under one of these anchors, at the time of the operator double: like
    Go programs and JVMs it is to try each. A JVM does not apply the path length of an anchor itself (operator-facts,
    "The bridge")."""
    return _verifies_on(presented, trusted, jvm, (certs.now() + timedelta(days=1)).date())


@lru_cache(maxsize=200_000)
def _verifies_on(presented: bytes, trusted: bytes, jvm: bool, day: date) -> bool:
    """At its beginning."""
    chain = _parse(presented)
    return bool(chain) and any(_verifies(chain, anchor, jvm, day) for anchor in _parse(trusted))


def _verifies(chain: tuple[crypto.X509, ...], anchor: crypto.X509, jvm: bool, day: date) -> bool:
    store = crypto.X509Store()
    store.set_time(datetime.combine(day, time()))
    store.set_flags(crypto.X509StoreFlags.PARTIAL_CHAIN)
    store.add_cert(anchor)
    for sent in chain[1:]:
        if jvm and _issued(sent, anchor):
            store.add_cert(sent)
    try:
        crypto.X509StoreContext(store, chain[0], list(chain[1:])).verify_certificate()
    except crypto.X509StoreContextError:
        return False
    return True


def _issued(certificate: crypto.X509, issuer: crypto.X509) -> bool:
    try:
        certificate.to_cryptography().verify_directly_issued_by(issuer.to_cryptography())
    except (ValueError, TypeError, InvalidSignature):
        return False
    return True


@lru_cache(maxsize=50_000)
def _parse(pem: bytes) -> tuple[crypto.X509, ...]:
    end = b"-----END CERTIFICATE-----"
    blocks = [block + end for block in pem.split(end) if b"BEGIN" in block]
    return tuple(crypto.load_certificate(crypto.FILETYPE_PEM, block) for block in blocks)


@lru_cache(maxsize=50_000)
def _decoded(value: str) -> bytes:
    return base64.b64decode(value)


def entries(secret: Object | None) -> dict[str, bytes]:
    return {key: _decoded(value) for key, value in ((secret or {}).get("data") or {}).items()}


def first(pem: bytes) -> bytes:
    """The anchor of an entry is its first certificate (strimzi.md 1.4)."""
    end = b"-----END CERTIFICATE-----"
    return pem.split(end)[0] + end + b"\n"


@dataclass(frozen=True)
class Party:
    """presented: what others see of it; trusted: what it accepts; jvm: or else a Go program.

    node: it has listeners. agent: of a node; nobody but the operator talks to it.
    """

    name: str
    node: bool
    presented: tuple[bytes, ...]
    trusted: bytes
    jvm: bool = True
    agent: bool = False

    def meets(self, other: Party) -> bool:
        if self.agent or other.agent:
            return OPERATOR in (self.name, other.name)
        return self.name != other.name and (self.node or other.node)

    def accepts(self, chain: bytes) -> bool:
        return verifies(chain, self.trusted, jvm=self.jvm)


@dataclass
class Checker:
    """Attach to a world; raises InvariantBroken out of the very write that breaks something."""

    world: World
    writes: int = 0
    enabled: bool = True
    foreign: dict[str, Object] = field(default_factory=dict)

    def attach(self) -> None:
        self.world.api.listeners.append(self._after)

    def plant_foreign(self, *secrets: str) -> None:
        """Something of somebody else on Secrets that are worked on: it has to stay."""
        for name in secrets:
            mark = {
                "data": {"somebody-elses": base64.b64encode(name.encode()).decode()},
                "metadata": {"labels": {"team": "a"}, "annotations": {"example.com/owner": "b"}},
            }
            path = f"/api/v1/namespaces/{self.world.namespace}/secrets/{name}"
            self.world.api.request("PATCH", path, body=mark, content_type="application/merge-patch+json")
            self.foreign[name] = mark

    def _after(self, change: Change) -> None:
        self.writes += 1
        if not self.enabled:
            return
        self._legal_edges(change)
        self._nothing_foreign_lost(change)
        if change.plural in ("secrets", "pods"):
            where = f"after {change.verb} of {change.plural}/{change.name}"
            # A pod's status and annotations say nothing about what its process loaded when it started.
            if change.plural == "secrets" or change.verb != "update":
                self._everybody_verifies(where)
                self._stored_leaves_are_safe(where)
            self._one_node_down(where)

    def parties(self) -> Iterator[Party]:
        for process in list(self.world.kubelet.processes.values()):
            chains = tuple(pem for _secret, pem in process.presented if pem)
            jvm = process.component != "kafka-exporter"
            yield Party(process.pod, process.component == "kafka", chains, process.trusted, jvm)
            if process.kept:
                started = tuple(pem for _secret, pem in process.kept.presented)
                yield Party(f"the Raft client of {process.pod}", False, started, process.kept.trusted)
                yield Party(f"the agent of {process.pod}", False, started, process.kept.trusted, agent=True)
        operator = self._secret("cluster-operator-certs")
        if operator:
            yield Party(OPERATOR, False, (entries(operator)["cluster-operator.crt"],), self._projected())

    def _secret(self, suffix: str) -> Object | None:
        return self.world.api.find("secrets", self.world.namespace, f"{self.world.cluster}-{suffix}")

    def _projected(self) -> bytes:
        data = entries(self._secret("cluster-ca-cert"))
        return b"".join(first(value) for key, value in sorted(data.items()) if key.endswith(".crt"))

    def _everybody_verifies(self, where: str) -> None:
        """I1: nodes verify everybody, everybody verifies nodes."""
        known = list(self.parties())
        for presenter in known:
            for verifier in known:
                if not presenter.meets(verifier):
                    continue
                for chain in presenter.presented:
                    if not verifier.accepts(chain):
                        raise InvariantBroken(f"I1: {verifier.name} does not accept {presenter.name}, {where}")

    def _stored_leaves_are_safe(self, where: str) -> None:
        """I2 and I3: a leaf in its Secret can be put to use by any restart, so everybody has to accept it now."""
        verifiers = [party for party in self.parties() if party.trusted]
        for secret in self.world.api.all("secrets", self.world.namespace):
            name = secret["metadata"]["name"]
            leaves = [v for k, v in entries(secret).items() if k.endswith(".crt") and self._is_leaf(name)]
            for leaf in leaves:
                for verifier in verifiers:
                    if not verifier.accepts(leaf):
                        raise InvariantBroken(f"I3: {verifier.name} would not accept the leaf in {name}, {where}")
                projected = self._projected()
                if projected and not verifies(leaf, projected):
                    raise InvariantBroken(f"I2: the leaf in {name} relies on a CA that left the trust, {where}")

    def _is_leaf(self, secret: str) -> bool:
        node = secret in self.world.kubelet.nodes
        return node or (
            secret.startswith(f"{self.world.cluster}-") and secret.endswith("-certs") and "trusted" not in secret
        )

    def _one_node_down(self, where: str) -> None:
        """I4: one Kafka node at a time."""
        down = [name for name in self.world.kubelet.nodes if not self._is_up(name)]
        created = all(len(uids) for uids in self.world.kubelet.started.values())
        if created and len(down) > 1 and self._was_complete:
            raise InvariantBroken(f"I4: {', '.join(down)} are down together, {where}")
        if not down and self.world.kubelet.nodes:
            self._was_complete = True

    _was_complete: bool = False

    def _is_up(self, name: str) -> bool:
        pod = self.world.api.find("pods", self.world.namespace, name)
        conditions = ((pod or {}).get("status") or {}).get("conditions") or []
        return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)

    def _legal_edges(self, change: Change) -> None:
        """I5: in the ledger Secret as it was and as it is."""
        if not change.name.endswith("-cluster-ca-trusted-certs") or change.verb == "delete":
            return
        before, after = _states(change.old), _states(change.new)
        for fingerprint in before.keys() | after.keys():
            edge = (before.get(fingerprint), after.get(fingerprint))
            if edge[0] != edge[1] and edge not in EDGES:
                raise InvariantBroken(f"I5: {fingerprint} went from {edge[0]} to {edge[1]}")

    def _nothing_foreign_lost(self, change: Change) -> None:
        """I6: what is not ours is still there."""
        mark = self.foreign.get(change.name)
        if mark is None or change.plural != "secrets" or change.new is None:
            return
        metadata = change.new["metadata"]
        kept = (
            mark["data"].items() <= change.new.get("data", {}).items()
            and mark["metadata"]["labels"].items() <= (metadata.get("labels") or {}).items()
            and mark["metadata"]["annotations"].items() <= (metadata.get("annotations") or {}).items()
        )
        if not kept:
            raise InvariantBroken(f"I6: something foreign was lost from Secret {change.name}")


def _states(secret: Object | None) -> dict[str, str]:
    found = entries(secret)
    return {key.removesuffix(".state"): value.decode() for key, value in found.items() if key.endswith(".state")}

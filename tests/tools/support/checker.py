"""An independent observer: after every single write, do the invariants of the design hold?

It reads the API server and what the processes really loaded, and validates certificate paths with OpenSSL. It shares no
code with the collection, and it does not trust the ledger.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from .breaches import Breach, InvariantBroken
from .edges import EDGES, ON_REQUEST
from .kubelet import AGENT, RAFT_CLIENT
from .ledgers import LEDGERS, about, layout_of, states_of
from .memory_api import Change
from .memory_cluster import MemoryCluster
from .verification import allows_none_below, parse, refused_by_a_client, rests_on_ended, verifies

Object = dict[str, Any]
OPERATOR = "cluster-operator"


@lru_cache(maxsize=50_000)
def _decoded(value: str) -> bytes:
    return base64.b64decode(value)


def entries(secret: Object | None) -> dict[str, bytes]:
    return {key: _decoded(value) for key, value in ((secret or {}).get("data") or {}).items()}


def first(pem: bytes) -> bytes:
    """The anchor of an entry is its first certificate (docs/operator.md, "User-managed CA")."""
    end = b"-----END CERTIFICATE-----"
    return pem.split(end)[0] + end + b"\n"


@dataclass(frozen=True)
class Party:
    name: str
    #: Whether it has listeners.
    node: bool
    #: The certificates that it presents.
    presented: tuple[bytes, ...]
    #: The certificates that it trusts, as PEM.
    trusted: bytes
    jvm: bool = True
    #: Whether it is the agent of a node: only the operator connects to it.
    agent: bool = False
    #: The Secrets that its pod starts with: the leaf in such a Secret is presented by its next process, which reads its trust again.
    secrets: frozenset[str] = frozenset()

    def meets(self, other: Party) -> bool:
        if self.agent or other.agent:
            return OPERATOR in (self.name, other.name)
        return self.name != other.name and (self.node or other.node)

    def accepts(self, chain: bytes) -> bool:
        """Also what a Go program has refused since the CA ended: nothing makes that worse."""
        return verifies(chain, self.trusted, jvm=self.jvm) or (not self.jvm and rests_on_ended(chain, self.trusted))


@dataclass
class Checker:
    """Attach to a cluster; raises InvariantBroken out of the very write that breaks something."""

    memory: MemoryCluster
    #: For how many seconds a client may go on with its copy of the CA certificate Secret.
    copies_last: float = 0.0
    #: Fingerprints of CAs that a call has asked to leave.
    leaving: set[str] = field(default_factory=set)
    #: The kind of client that the first CA does not serve on any day.
    unserved: str = ""
    writes: int = 0
    enabled: bool = True
    foreign: dict[str, Object] = field(default_factory=dict)
    #: The nodes with replicas of each partition, and how many of them have to be up.
    replicas: tuple[tuple[frozenset[str], int], ...] = ()
    #: The controllers, beside partitions to look at.
    voters: frozenset[str] = frozenset()
    #: The ``ca.crt`` that was in use before the present one, where both certify each other.
    _replaced: bytes = b""
    #: The certificates of the CA in use by that one, and of that one by the CA in use.
    _links: tuple[bytes, ...] = ()
    _is_linked: bool = True
    #: Leaves that the operator has issued by itself: it knows no link certificates.
    _of_operator: set[bytes] = field(default_factory=set)
    #: Earlier contents of the CA certificate Secret, each with the time at which another took its place.
    _copies: list[tuple[float, frozenset[bytes]]] = field(default_factory=list)

    def attach(self) -> None:
        self.memory.api.listeners.append(self._after)

    def go_on_from_here(self) -> None:
        """Another checker has watched the cluster until now: its nodes have been there together."""
        self._was_complete = bool(self.memory.kubelet.nodes)

    def plant_foreign(self, *secrets: str) -> None:
        """An entry, a label and an annotation of another owner on Secrets that flows write: they have to stay."""
        for name in secrets:
            mark = {
                "data": {"another-owners": base64.b64encode(name.encode()).decode()},
                "metadata": {"labels": {"team": "a"}, "annotations": {"example.com/owner": "b"}},
            }
            path = f"/api/v1/namespaces/{self.memory.namespace}/secrets/{name}"
            self.memory.api.request("PATCH", path, body=mark, content_type="application/merge-patch+json")
            self.foreign[name] = mark

    def _after(self, change: Change) -> None:
        self.writes += 1
        self._note_authority(change)
        self._note_leaf(change)
        if not self.enabled:
            return
        self._legal_edges(change)
        self._nothing_foreign_lost(change)
        self._keep_copy(change)
        if change.plural in ("secrets", "pods"):
            where = f"after {change.verb} of {change.plural}/{change.name}"
            # A pod's status and annotations say nothing about what its process loaded when it started.
            if change.plural == "secrets" or change.verb != "update":
                parties = list(self.parties())
                listeners = {chain for party in parties if party.node for chain in party.presented}
                self._nodes_and_others_verify(parties, where)
                self._clients_verify(listeners, where)
                self._clients_of_one_authority_verify(listeners, where)
                self._stored_leaves_are_safe(parties, where)
            self._kafka_serves(where)

    def parties(self) -> Iterator[Party]:
        """Without TLS among each other none of them meets another: only what nodes present to clients is left."""
        security = self.memory.kubelet.security
        for process in list(self.memory.kubelet.processes.values()):
            chains = tuple(pem for _secret, pem in process.presented if pem)
            jvm, secrets = process.component != "kafka-exporter", frozenset(name for name, _pem in process.presented)
            yield Party(process.pod, process.component == "kafka", chains, process.trusted, jvm, secrets=secrets)
            if process.kept and security.has_tls:
                started = tuple(pem for _secret, pem in process.kept.presented)
                sent = started if security.verifies_clients else ()
                if RAFT_CLIENT not in process.following:
                    yield Party(f"the Raft client of {process.pod}", False, sent, process.kept.trusted, secrets=secrets)
                if AGENT not in process.following:
                    agent = f"the agent of {process.pod}"
                    yield Party(agent, False, started, process.kept.trusted, agent=True, secrets=secrets)
        operator = self._secret("cluster-operator-certs")
        if operator and security.has_tls:
            own = (entries(operator)["cluster-operator.crt"],) if security.verifies_clients else ()
            yield Party(OPERATOR, False, own, self._projected())

    def _secret(self, suffix: str) -> Object | None:
        return self._find_secret(f"{self.memory.cluster}-{suffix}")

    def _projected(self) -> bytes:
        data = entries(self._secret("cluster-ca-cert"))
        return b"".join(first(value) for key, value in sorted(data.items()) if key.endswith(".crt"))

    def _nodes_and_others_verify(self, known: list[Party], where: str) -> None:
        """I1: nodes verify every party, every party verifies nodes."""
        for presenter in known:
            for verifier in known:
                if not presenter.meets(verifier) or not self.memory.kubelet.security.has_tls:
                    continue
                for chain in presenter.presented:
                    if not verifier.accepts(chain):
                        both = verifier.name, presenter.name
                        raise InvariantBroken(Breach("I1", "{} does not accept {}", both), where)

    def _keep_copy(self, change: Change) -> None:
        if change.old and change.plural == "secrets" and change.name == f"{self.memory.cluster}-cluster-ca-cert":
            before = _certificates(change.old)
            if before and before != _certificates(change.new):
                self._copies.append((self.memory.seconds, before))

    def _clients_verify(self, listeners: set[bytes], where: str) -> None:
        """I1: a client that loads every certificate of the CA certificate Secret refuses no listener."""
        now, limit = _certificates(self._secret("cluster-ca-cert")), self.memory.seconds - self.copies_last
        copies = {*([now] if now else []), *(copy for end, copy in self._copies if end > limit)}
        for copy in copies:
            for chain in listeners:
                client = refused_by_a_client(chain, copy)
                if client not in ("", self.unserved):
                    refused = "{} that loads the CA certificate Secret refuses a node"
                    raise InvariantBroken(Breach("I1", refused, (client,)), where)

    def _note_authority(self, change: Change) -> None:
        """The CA before the CA in use, as long as the two certify each other; a renewal has the same key."""
        if change.plural != "secrets" or change.name != f"{self.memory.cluster}-cluster-ca-cert":
            return
        before, present = entries(change.old).get("ca.crt", b""), entries(change.new).get("ca.crt", b"")
        if before and present and _key_of(present) != _key_of(before):
            links = [value for key, value in entries(self._secret("cluster-ca")).items() if key.endswith(".link.crt")]
            both = [tuple(_blocks(pem)) for pem in links]
            own = [pair for pair in both if [*map(_key_of, pair)] == [_key_of(present), _key_of(before)]]
            self._is_linked = bool(own)
            self._replaced, self._links = (before, own[0]) if own else (b"", ())

    def _note_leaf(self, change: Change) -> None:
        if change.plural == "secrets" and self.memory.operator.is_reconciling:
            before = entries(change.old)
            written = [(k, v) for k, v in entries(change.new).items() if k.endswith(".crt") and v != before.get(k)]
            self._of_operator |= {first(pem) for key, pem in written if f"{key[:-4]}.key" in entries(change.new)}

    def _clients_of_one_authority_verify(self, listeners: set[bytes], where: str) -> None:
        """I12: clients that load ``ca.crt`` alone refuse no listener, whether they have read the present one or the one before it, unless
        it came in the place of one without both certifying each other. A CA that allows none below it serves JVMs only.
        """
        in_use = entries(self._secret("cluster-ca-cert")).get("ca.crt", b"")
        for chain in sorted(listeners) if self._is_linked else ():
            # Behind leaves of the next CA, those who know the CA before the one in use would have two CAs below it.
            is_ours = first(chain) not in self._of_operator and verifies(first(chain), in_use)
            goes_back = is_ours and self._leads_back(in_use)
            for which, anchor in (("in use", in_use), ("before the one in use", self._replaced if goes_back else b"")):
                client = refused_by_a_client(chain, [anchor]) if anchor else ""
                if client not in ("", self.unserved) and (client == "a JVM" or not allows_none_below(anchor)):
                    refused = "{} that knows the CA {} alone refuses a node"
                    raise InvariantBroken(Breach("I12", refused, (client, which)), where)

    def _leads_back(self, in_use: bytes) -> bool:
        """Whether neither link certificate has ended."""
        issuers = (self._replaced, in_use)
        return bool(self._links) and all(verifies(*link) for link in zip(self._links, issuers, strict=True))

    def _stored_leaves_are_safe(self, parties: list[Party], where: str) -> None:
        """I2 and I3: a leaf in its Secret can be put to use by any restart, so every other party has to accept it now."""
        verifiers = [party for party in parties if party.trusted]
        projected = self._projected()
        for secret in self.memory.api.all_stored("secrets", self.memory.namespace):
            name = secret["metadata"]["name"]
            if not self._is_leaf(name):
                continue
            for leaf in (value for key, value in entries(secret).items() if key.endswith(".crt")):
                for verifier in verifiers:
                    if name not in verifier.secrets and not verifier.accepts(leaf):
                        refused = "{} would not accept the leaf in {}"
                        raise InvariantBroken(Breach("I3", refused, (verifier.name, name)), where)
                if projected and not verifies(leaf, projected):
                    relies = "the leaf in {} relies on a CA that left the trust"
                    raise InvariantBroken(Breach("I2", relies, (name,)), where)

    def _is_leaf(self, secret: str) -> bool:
        node = secret in self.memory.kubelet.nodes
        return node or (
            secret.startswith(f"{self.memory.cluster}-") and secret.endswith("-certs") and "trusted" not in secret
        )

    def _kafka_serves(self, where: str) -> None:
        """I4: every partition that can keeps its least number of replicas, and the quorum keeps its majority. Without partitions to
        look at, one Kafka node is down at a time.
        """
        down = {name for name in self.memory.kubelet.nodes if not self._is_up(name)}
        created = all(len(uids) for uids in self.memory.kubelet.started.values())
        if created and self._was_complete:
            if len(down) > 1 and not self.replicas:
                raise InvariantBroken(Breach("I4", "{} are down together", (", ".join(sorted(down)),)), where)
            for nodes, least in self.replicas:
                # A partition that can never keep them gives up one replica at a time.
                if len(nodes - down) < (least if len(nodes) > least else len(nodes) - 1):
                    raise InvariantBroken(Breach("I4", "of {} too few are up", (", ".join(sorted(nodes)),)), where)
            if self.voters and 2 * len(self.voters - down) <= len(self.voters):
                raise InvariantBroken(Breach("I4", "the quorum has no majority"), where)
        if not down and self.memory.kubelet.nodes:
            self._was_complete = True

    _was_complete: bool = False

    def _find_secret(self, name: str) -> Object | None:
        return self.memory.api.stored("secrets", self.memory.namespace, name)

    def _is_up(self, name: str) -> bool:
        pod = self.memory.api.stored("pods", self.memory.namespace, name)
        conditions = ((pod or {}).get("status") or {}).get("conditions") or []
        return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)

    def _legal_edges(self, change: Change) -> None:
        """I5: in the ledger as it was and as it is, in whichever layout. A ledger that is gone has no states any more."""
        ca = "clients" if "-clients-ca-" in change.name else "cluster"
        if change.name.replace("-clients-ca-", "-cluster-ca-") not in LEDGERS:
            return
        find = about(ca, self._find_secret)
        if not layout_of(find):
            return
        earlier = about(ca, lambda name: change.old if name == change.name else self._find_secret(name))
        before, after = states_of(earlier), states_of(find)
        for fingerprint in before.keys() | after.keys():
            edge = (before.get(fingerprint), after.get(fingerprint))
            asked = edge in ON_REQUEST and fingerprint in self.leaving
            if edge[0] != edge[1] and edge not in EDGES and not asked:
                went = f"{{}} went from {edge[0]} to {edge[1]}"
                raise InvariantBroken(Breach("I5", went, (fingerprint,)))

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
            raise InvariantBroken(Breach("I6", "something foreign was lost from Secret {}", (change.name,)))


def _blocks(pem: bytes) -> list[bytes]:
    end = b"-----END CERTIFICATE-----"
    return [block + end + b"\n" for block in pem.split(end) if b"BEGIN" in block]


@lru_cache(maxsize=10_000)
def _key_of(pem: bytes) -> bytes:
    """SubjectPublicKeyInfo of the first certificate."""
    (certificate, *_others) = parse(pem)
    return certificate.to_cryptography().public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def _certificates(secret: Object | None) -> frozenset[bytes]:
    return frozenset(value for key, value in entries(secret).items() if key.endswith(".crt"))

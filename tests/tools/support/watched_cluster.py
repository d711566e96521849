# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster on which whole flows are run, watched from outside after every single write."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import KeySpec, KeyType
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Display, Work
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.ca_source import CaSourceReference
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.clients import (
    NO_OUTSIDE_OPTIONS,
    OutsideOptions,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.node_pools import NO_GROWTH, Growth
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import Surroundings
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.issuer_settings import (
    ExternalIssuer,
    IssuerSettings,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import ENGINE, Engine
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import (
    ONE_BY_ONE,
    BatchLimit,
    Intent,
    Strategy,
)

from ..operator import certs, clusters
from .authorities import EC256, Authority
from .checker import Checker, entries
from .flows import START, WISHES, FlowResult, run_flow, with_settings, work_on
from .intents import an_intent
from .killing import Killed, KillingTransport
from .kubelet import Process
from .ledgers import LEDGERS, entries_of, states_of
from .memory_api import Change
from .memory_cluster import MemoryCluster, Moment
from .permissions import Restricted
from .reloads import ReloadingNodes
from .restarts import Cost, cost_of

Object = dict[str, Any]

NAMESPACE, CLUSTER = "kafka", "demo"
CERTIFICATES, KEYS, LEDGER = "demo-cluster-ca-cert", "demo-cluster-ca", "demo-cluster-ca-trusted-certs"
LABELS = {"strimzi.io/kind": "Kafka", "strimzi.io/cluster": CLUSTER}


#: Clusters as tests begin with them, by what tells them apart.
_PREPARED: dict[str, Moment] = {}


def fingerprints(pem: bytes) -> list[str]:
    return [certs.thumbprint(certs.pem(certificate)) for certificate in certs.load(pem)]


def subject(pem: bytes) -> str:
    return certs.load(pem)[0].subject.rfc4514_string()


def public_key(pem: bytes) -> bytes:
    """Of the first certificate."""
    return certs.load(pem)[0].public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def expired_name(authority: Authority) -> str:
    """Where a CA that is not in use any more is kept (docs/operator.md, "CA Secrets")."""
    return certs.old_name(authority.pem)


@dataclass
class WatchedCluster:
    """A cluster in memory, the runs of the collection on it, and the invariants that are watched after each write."""

    memory: MemoryCluster = field(default_factory=MemoryCluster)
    #: The leaf Secrets that the operator wrote.
    issued_by_operator: list[str] = field(default_factory=list)
    ca_key: KeySpec = EC256
    leaf_key: KeySpec = EC256
    #: The life of CAs and leaves that are made here.
    validity: timedelta | None = None
    #: The path length of CAs that are made here.
    path_length: int | None = 1
    #: The statements of the user about clients outside the cluster.
    outside: OutsideOptions = NO_OUTSIDE_OPTIONS
    #: The object that contains the CAs to trust.
    source: CaSourceReference | None = None
    #: The nodes that the caller is about to add.
    growth: Growth = NO_GROWTH
    #: The DNS domain of the Kubernetes cluster, where the caller gives it.
    dns_domain: str = ""
    #: Whether runs keep backups.
    backs_up: bool = False
    #: Whether runs write the audit trail.
    audits: bool = False
    #: The engine, from which a test may have taken a part out.
    engine: Engine = ENGINE
    #: The issuer of leaves.
    issuer: IssuerSettings = field(default_factory=ExternalIssuer)
    #: The number of writes of the last run.
    writes: int = 0
    #: How often a run paused the operator.
    pauses: int = 0
    #: The running nodes, where they answer requests.
    nodes: ReloadingNodes | None = None
    #: The CA that flows are about.
    ca: CaKind = CaKind.CLUSTER
    #: How far the clock of the machine that runs the collection is ahead.
    clock_ahead: timedelta = timedelta(0)
    #: The program that restarts nodes in runs: the operator, or the collection.
    strategy: Strategy = Strategy.OPERATOR
    #: How many nodes restart at a time where the collection restarts them.
    batch: BatchLimit = ONE_BY_ONE
    #: Whether runs take the Lease.
    is_leased: bool = False
    #: The sentences of the last run about a pause that it left.
    pause_left: str = ""
    #: The lines and warnings of all runs.
    said: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.checker = Checker(self.memory)
        self.checker.attach()
        self.memory.api.listeners.append(self._note_leaves)
        self.memory.api.listeners.append(self._note_pauses)
        self._pods = self.memory.restarts()
        #: The API server as runs may use it, or a transport before it that a test has put there.
        self.permitted: Any = Restricted(self.memory.api)

    def _note_pauses(self, change: Change) -> None:
        was, now = (
            (item or {"metadata": {}})["metadata"].get("annotations") or {} for item in (change.old, change.new)
        )
        if change.plural == "kafkas" and "strimzi.io/pause-reconciliation" in now and was != now:
            self.pauses += "strimzi.io/pause-reconciliation" not in was

    def _note_leaves(self, change: Change) -> None:
        is_leaf = change.plural == "secrets" and any(key.endswith(".key") for key in entries(change.new))
        if is_leaf and change.name != KEYS and self.memory.operator.is_reconciling:
            self.issued_by_operator.append(change.name)

    # Actions of a person.

    def deploy(self, manifests: list[Object] | None = None, *, generated: bool = False) -> None:
        self.memory.apply(*(manifests or clusters.dual_role(CLUSTER, NAMESPACE, replicas=2, generated=generated)))
        self.memory.settle(2)

    def store(self, authority: Authority, others: dict[str, bytes] | None = None, **annotations: str) -> None:
        """CA Secrets made by hand, as Strimzi's documentation has them made."""
        for name, data, kind in (
            (CERTIFICATES, {"ca.crt": authority.pem, **(others or {})}, "cert"),
            (KEYS, {"ca.key": authority.keys[0].reveal()}, "key"),
        ):
            generation = annotations.get(kind, "0")
            self.memory.apply({
                "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
                "metadata": {
                    "name": name, "labels": LABELS, "annotations": {f"strimzi.io/ca-{kind}-generation": generation},
                },
                "data": {key: base64.b64encode(value).decode() for key, value in data.items()},
            })  # fmt: skip

    def change(self, plural: str, name: str, patch: Object) -> None:
        version = self.memory.operator.release.api_version
        root = f"/apis/kafka.strimzi.io/{version}" if plural.startswith("kafka") else "/api/v1"
        path = f"{root}/namespaces/{NAMESPACE}/{plural}/{name}"
        response = self.memory.api.request("PATCH", path, body=patch, content_type="application/merge-patch+json")
        assert response.status == 200, response.body

    def change_status(self, patch: Object) -> None:
        """Of the Kafka resource."""
        path = f"/apis/kafka.strimzi.io/v1/namespaces/{NAMESPACE}/kafkas/{CLUSTER}/status"
        body = {"status": dict.fromkeys(patch)}, {"status": patch}
        for each in body:
            response = self.memory.api.request("PATCH", path, body=each, content_type="application/merge-patch+json")
            assert response.status == 200, response.body

    def put(self, name: str, **data: bytes) -> None:
        """Entries of a Secret; ``_`` stands for ``.`` in their names."""
        encoded = {key.replace("_", "."): base64.b64encode(value).decode() for key, value in data.items()}
        self.change("secrets", name, {"data": encoded})

    def restart(self, pod: str) -> None:
        """A crash, an eviction, an impatient administrator; the operator does not look meanwhile."""
        self.memory.api.request("DELETE", f"/api/v1/namespaces/{NAMESPACE}/pods/{pod}")
        while self.memory.quiet_round():
            pass

    # Runs of the collection.

    def run(
        self, goal: Goal, supplied: Authority | None = None, *, in_one_call: bool = False, **intent: Any
    ) -> FlowResult:
        """A playbook run; in_one_call: a call of the module in its place."""
        transport, asked = KillingTransport(self.permitted), self.intent(goal, supplied, **intent)
        self.checker.leaving |= {asked.trust.leaving_ca} if asked.trust.leaving_ca else set()
        self.checker.leaving |= self.prepared if goal is Goal.ABORT else set()
        work = self.work(supplied, transport)
        try:
            result = run_flow(work, asked, self.engine, is_leased=self.is_leased, in_one_call=in_one_call)
        finally:
            self.pause_left = work.left_behind.pauses
        self.writes = transport.writes
        self.said += result.warnings
        assert transport.unconditional == []
        return result

    def is_killed_at(self, write: int, after: bool, run: Callable[[], object]) -> bool:
        """Whether this run came as far as this write, before or after which it is killed."""
        self.permitted, permitted = KillingTransport(self.memory.api, write, after), self.permitted
        try:
            run()
        except Killed:
            return True
        finally:
            self.permitted = permitted
        return False

    def work(self, supplied: Authority | None = None, transport: Any = None) -> Work:
        """As a playbook run on this cluster has it."""
        settings = with_settings(
            surroundings=Surroundings(self.outside, self.source, self.growth, self.dns_domain), issuer=self.issuer
        )
        wishes = WISHES.changed(
            supplied=supplied.prepared if supplied else None,
            key_type=KeyType(self.ca_key.name),
            leaf_key=self.leaf_key,
            validity=self.validity,
            path_length=self.path_length,
            backs_up=self.backs_up,
            audits=self.audits,
            strategy=self.strategy,
            batch=self.batch,
        )
        work = work_on(self.memory, transport or self.permitted, settings, wishes, ahead=self.clock_ahead)
        work.supplied_key = supplied.supplied.key if supplied else None
        work.display = Display(report=self.said.append)
        work.client.tell = self.said.append
        return self.nodes.attach(work) if self.nodes else work

    def intent(self, goal: Goal, supplied: Authority | None = None, **intent: Any) -> Intent:
        usual = {"before_kafka": goal is Goal.CREATE, "validity": self.validity, "strategy": self.strategy}
        return an_intent(goal, supplied=supplied.prepared if supplied else None, **{**usual, **intent})

    def finish(self, goal: Goal, supplied: Authority | None = None, **intent: Any) -> FlowResult:
        """Run to the end, and once more: the second run has nothing to do. It is one call; the kill tests have it phase by phase."""
        result = self.run(goal, supplied, **intent)
        decision = result.outcome.decision
        assert decision.done, [str(violation) for violation in decision.violations]
        again = self.run(goal, supplied, in_one_call=True, **intent)
        assert again.outcome.decision.done
        assert (self.writes, again.changes) == (0, []), "a second run wrote something (I9)"
        assert not self.paused
        return result

    def create(self, supplied: Authority | None = None, **options: Any) -> None:
        """As the create playbook does: the CA first, then the cluster, then the books. Each usual cluster is created once, and then
        only copied.
        """
        if not self._is_usual or supplied:
            self._create(supplied, **options)
        else:
            self.copy_of(repr((self._kind, sorted(options.items()))), lambda: self._create(None, **options))
        self.look_away()

    def copy_of(self, kind: str, prepare: Callable[[], object]) -> None:
        """Brings an empty cluster to where ``prepare`` takes it: the first one of this kind by that, and every other one as its copy."""
        if kind not in _PREPARED:
            prepare()
            _PREPARED[kind] = self.memory.moment()
        self.memory.go_to(_PREPARED[kind])
        self.checker.go_on_from_here()

    @property
    def _kind(self) -> tuple[object, ...]:
        """Tells usual clusters apart: clusters of one kind begin alike, also by the clock of their operator, which some tests set."""
        operator_ahead = round((certs.now() - START) / timedelta(hours=1))
        return (
            type(self).__name__, self.memory.operator.release, self.ca_key, self.validity, self.path_length, self.nodes is not None, operator_ahead,
        )  # fmt: skip

    @property
    def _is_usual(self) -> bool:
        """Nothing is there yet, and the test has set nothing that its creation might depend on."""
        usual = type(self)()
        listening = len(usual.memory.api.listeners) + (self.nodes is not None)
        return (
            self.memory.api.version == usual.memory.api.version
            and len(self.memory.api.listeners) == listening
            and (self.nodes is None or self.nodes.configured)
            and all(
                getattr(self, name) == getattr(usual, name)
                for name in ("outside", "source", "growth", "dns_domain", "engine", "issuer")
            )
        )

    def _create(self, supplied: Authority | None, **options: Any) -> None:
        self.run(Goal.CREATE, supplied)
        self.deploy(**options)
        self.finish(Goal.CREATE, supplied)

    def look_elsewhere(self) -> None:
        """From here on invariants are not watched: another program writes what breaks them."""
        self.memory.api.listeners = [
            listener
            for listener in self.memory.api.listeners
            if getattr(listener, "__self__", None) is not self.checker
        ]

    def look_away(self) -> None:
        """From here on restarts, reloads, pauses and leaves are counted again."""
        self._pods = self.memory.restarts()
        if self.nodes:
            self.nodes.told.clear()
        self.issued_by_operator.clear()
        self.pauses = 0

    # Facts to look at.

    def secret(self, name: str) -> dict[str, bytes]:
        return entries(self.memory.api.find("secrets", NAMESPACE, name))

    def annotation(self, plural: str, name: str, key: str) -> str | None:
        found = self.memory.api.find(plural, NAMESPACE, name) or {"metadata": {}}
        return (found["metadata"].get("annotations") or {}).get(f"strimzi.io/{key}")

    @property
    def kafka(self) -> Object:
        return self.memory.api.find("kafkas", NAMESPACE, CLUSTER) or {}

    @property
    def ready(self) -> bool:
        return [condition["type"] for condition in self.kafka["status"]["conditions"]] == ["Ready"]

    @property
    def paused(self) -> bool:
        return self.annotation("kafkas", CLUSTER, "pause-reconciliation") is not None

    @property
    def prepared(self) -> set[str]:
        """Fingerprints of the CAs that wait in the key Secret."""
        return {
            key.partition(".")[0]
            for key in self.secret(f"demo-{self.ca.value}-ca")
            if re.fullmatch(r"[0-9a-f]{40}\.crt", key)
        }

    @property
    def current(self) -> str:
        return fingerprints(self.secret(CERTIFICATES)["ca.crt"])[0]

    @property
    def states(self) -> dict[str, str]:
        """The ledger: state by fingerprint."""
        return states_of(self._find_ledger)

    def _find_ledger(self, name: str) -> Object | None:
        return self.memory.api.find("secrets", NAMESPACE, name)

    @property
    def ledger(self) -> dict[str, bytes]:
        """Its entries, under the names of the layout ``single``."""
        return entries_of(self._find_ledger)

    @property
    def ledgers(self) -> set[str]:
        """The Secrets that it is kept in."""
        return {name for name in LEDGERS if self._find_ledger(name)}

    @property
    def trusted(self) -> set[str]:
        """Fingerprints of the cluster's CAs that any process trusts."""
        return {
            fingerprint
            for process in self.memory.kubelet.processes.values()
            for fingerprint in fingerprints(process.trusted)
        }

    def remembered(self, kind: str, channels: str = "lingering") -> dict[str, set[str]]:
        """UIDs of processes by the fingerprint of what they know and no Secret contains any more, as recorded.

        kind: "removed" for CAs, "leaf" for leaves. channels: "pods" where listeners may know it, "lingering" where only
        Raft client and agent do.
        """
        found = self.ledger
        names = [key.removesuffix(f".{kind}") for key in found if key.endswith(f".{kind}")]
        return {name: set(found.get(f"{name}.{channels}", b"").decode().split()) for name in names}

    @property
    def node_uids(self) -> set[str]:
        """UIDs of the Kafka nodes that run."""
        return {uid for uid, process in self.memory.kubelet.processes.items() if process.component == "kafka"}

    @property
    def paid(self) -> Cost:
        """The cost since the last ``look_away``; every node has to have paid the same."""
        told = self.nodes.told if self.nodes else []
        (restarts,), (reloads,) = self.rolls, {told.count(node) for node in self.memory.kubelet.nodes}
        return Cost(restarts, self.pauses, reloads)

    def cost(self, flow: Goal, circumstance: str = "") -> Cost:
        """The cost that this flow is to have here."""
        return cost_of(flow, circumstance, reload=self.nodes is not None)

    def counts(self) -> dict[str, int]:
        """How often each node was started again since looking away."""
        return {name: count - self._pods.get(name, 0) for name, count in self.memory.restarts().items()}

    @property
    def links(self) -> dict[str, bytes]:
        """The entries with link certificates beside the key of the CA."""
        return {key: pem for key, pem in self.secret(KEYS).items() if key.endswith(".link.crt")}

    @property
    def rolls(self) -> set[int]:
        """Numbers of restarts: a single one when all nodes were restarted equally often."""
        return set(self.counts().values())

    def issuers(self) -> set[str]:
        """Subjects of the CAs that signed what the processes present."""
        return _issuers_of(self.memory.kubelet.processes.values())

    @property
    def issuers_of_nodes(self) -> set[str]:
        """Subjects of the CAs that signed what the Kafka nodes present."""
        return _issuers_of(one for one in self.memory.kubelet.processes.values() if one.component == "kafka")


def _issuers_of(processes: Iterable[Process]) -> set[str]:
    presented = (pem for process in processes for _secret, pem in process.presented)
    return {certs.load(pem)[0].issuer.rfc4514_string() for pem in presented if pem}


def is_of(links: bytes, authority: bytes) -> bool:
    """Whether these are a certificate of this CA by another one, and one of that other one by this CA."""
    (own, *_above), (new, old) = certs.load(authority), certs.load(links)
    subjects = (own.subject, new.subject, new.issuer, old.subject, old.issuer)
    return subjects == (own.subject, own.subject, old.subject, old.subject, own.subject) and public_key(
        links
    ) == public_key(authority)


IN_USE, UNUSED = "TRUSTED_IN_USE_ALL", "TRUSTED_UNUSED"


def assert_only(cluster: WatchedCluster, fingerprint: str, twins: frozenset[str] | set[str] = frozenset()) -> None:
    """The end of every rotation: one CA, used by all, and no process trusts another CA.

    twins: certificates with the same name and key; to trust them still adds nothing, and nothing restarts for it.
    """
    cluster.memory.settle(1)
    assert cluster.current == fingerprint
    assert cluster.states == {fingerprint: IN_USE}
    assert cluster.trusted - twins == {fingerprint}
    assert set().union(*cluster.remembered("removed", "pods").values()) == set()
    assert cluster.nodes or not cluster.remembered("removed")
    assert set(cluster.secret(KEYS)) - set(cluster.links) == {"ca.key"}
    assert len(cluster.links) <= 1
    assert all(is_of(link, cluster.secret(CERTIFICATES)["ca.crt"]) for link in cluster.links.values())

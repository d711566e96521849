# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster on which whole flows are run, watched from outside after every single write."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import KeySpec
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Bridge, Intent, Phase, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.tests.fakes.flows import FlowResult, run_flow, with_settings, work_on
from ansible_collections.trustops.strimzi.tests.fakes.memory_api import Change
from ansible_collections.trustops.strimzi.tests.fakes.permissions import Restricted
from ansible_collections.trustops.strimzi.tests.fakes.reloads import ReloadingNodes
from ansible_collections.trustops.strimzi.tests.fakes.world import World
from ansible_collections.trustops.strimzi.tests.faults.checker import Checker, entries
from ansible_collections.trustops.strimzi.tests.faults.killing import KillingTransport
from ansible_collections.trustops.strimzi.tests.operator import certs, clusters

from .authorities import EC256, Authority

Object = dict[str, Any]

NAMESPACE, CLUSTER = "kafka", "demo"
CERTIFICATES, KEYS, LEDGER = "demo-cluster-ca-cert", "demo-cluster-ca", "demo-cluster-ca-trusted-certs"
LABELS = {"strimzi.io/kind": "Kafka", "strimzi.io/cluster": CLUSTER}


def fingerprints(pem: bytes) -> list[str]:
    return [certs.thumbprint(certs.pem(certificate)) for certificate in certs.load(pem)]


def subject(pem: bytes) -> str:
    return certs.load(pem)[0].subject.rfc4514_string()


def public_key(pem: bytes) -> bytes:
    """Of the first certificate."""
    return certs.load(pem)[0].public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def expired_name(authority: Authority) -> str:
    """Where a CA that is not in use any more is kept (strimzi.md 1.1)."""
    return certs.old_name(authority.pem)


#: Rolls that the replacement of a key takes, where nothing stands in the way of a bridge.
REPLACEMENT = {Bridge.NEVER: 3, Bridge.AUTO: 2}
#: For tests that replace keys: the fixture ``scene`` with and without bridges.
EVERY_BRIDGE = pytest.mark.parametrize("scene", REPLACEMENT, indirect=True, ids=lambda bridge: bridge.value)


@dataclass
class Scene:
    """bridge: what every run says about it. nodes: where the running nodes can be asked and told.

    permitted: the API server as the collection may use it.
    validity: of what is made here.
    issued_by_operator: leaf Secrets that changed although the Kafka resource was not paused. writes: of one run.
    """

    bridge: Bridge = Bridge.AUTO
    world: World = field(default_factory=World)
    issued_by_operator: list[str] = field(default_factory=list)
    ca_key: KeySpec = EC256
    validity: timedelta = timedelta(days=365)
    writes: int = 0
    nodes: ReloadingNodes | None = None

    def __post_init__(self) -> None:
        self.checker = Checker(self.world)
        self.checker.attach()
        self.world.api.listeners.append(self._note_leaves)
        self.world.api.listeners.append(self._note_bridges)
        self._pods = self.world.restarts()
        self._bridges: dict[str, bytes] = {}
        self.permitted = Restricted(self.world.api)

    def _note_bridges(self, change: Change) -> None:
        if change.plural == "secrets" and change.name == KEYS:
            made = (value for key, value in entries(change.new).items() if key.endswith(".bridge.crt"))
            self._bridges |= {fingerprints(pem)[0]: public_key(pem) for pem in made}

    def _note_leaves(self, change: Change) -> None:
        is_leaf = change.plural == "secrets" and any(key.endswith(".key") for key in entries(change.new))
        if is_leaf and change.name != KEYS and not self.paused:
            self.issued_by_operator.append(change.name)

    # What a person does.

    def deploy(self, manifests: list[Object] | None = None, *, generated: bool = False) -> None:
        self.world.apply(*(manifests or clusters.dual_role(CLUSTER, NAMESPACE, replicas=2, generated=generated)))
        self.world.settle(2)

    def store(self, authority: Authority, others: dict[str, bytes] | None = None, **annotations: str) -> None:
        """CA Secrets made by hand, as Strimzi's documentation has them made."""
        for name, data, kind in (
            (CERTIFICATES, {"ca.crt": authority.pem, **(others or {})}, "cert"),
            (KEYS, {"ca.key": authority.keys[0].reveal()}, "key"),
        ):
            generation = annotations.get(kind, "0")
            self.world.apply({
                "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
                "metadata": {
                    "name": name, "labels": LABELS, "annotations": {f"strimzi.io/ca-{kind}-generation": generation},
                },
                "data": {key: base64.b64encode(value).decode() for key, value in data.items()},
            })  # fmt: skip

    def change(self, plural: str, name: str, patch: Object) -> None:
        root = "/apis/kafka.strimzi.io/v1" if plural == "kafkas" else "/api/v1"
        path = f"{root}/namespaces/{NAMESPACE}/{plural}/{name}"
        response = self.world.api.request("PATCH", path, body=patch, content_type="application/merge-patch+json")
        assert response.status == 200, response.body

    def put(self, name: str, **data: bytes) -> None:
        """Entries of a Secret; ``_`` stands for ``.`` in their names."""
        encoded = {key.replace("_", "."): base64.b64encode(value).decode() for key, value in data.items()}
        self.change("secrets", name, {"data": encoded})

    # What the collection does.

    def run(self, goal: Goal, way: Way = Way.COOPERATE, supplied: Authority | None = None, **intent: Any) -> FlowResult:
        """One playbook run. writes: what it wrote, whoever noted it."""
        transport = KillingTransport(self.permitted)
        settings = with_settings(
            supplied=supplied.supplied if supplied else None, ca_key=self.ca_key, validity=self.validity
        )
        intent.setdefault("bridge", self.bridge)
        asked = Intent(goal, way, supplied=supplied.prepared if supplied else None, **intent)
        work = work_on(self.world, transport, settings)
        result = run_flow(self.nodes.attach(work) if self.nodes else work, asked)
        self.writes = transport.writes
        assert transport.unconditional == []
        return result

    def finish(
        self, goal: Goal, way: Way = Way.COOPERATE, supplied: Authority | None = None, **intent: Any
    ) -> FlowResult:
        """Run to the end, and once more: the second run has nothing to do."""
        result = self.run(goal, way, supplied, **intent)
        decision = result.outcome.decision
        assert decision.done, [str(violation) for violation in decision.violations]
        again = self.run(goal, way, supplied, **intent)
        assert again.outcome.decision.done
        assert (self.writes, again.changes) == (0, []), "a second run wrote something (I9)"
        assert not self.paused
        return result

    def create(self, supplied: Authority | None = None, way: Way = Way.COOPERATE, **options: Any) -> None:
        """As the create playbook does: the CA first, then the cluster, then the books."""
        self.run(Goal.CREATE, way, supplied)
        self.deploy(**options)
        self.finish(Goal.CREATE, way, supplied)
        self.look_away()

    def look_away(self) -> None:
        """From here on restarts and leaves are counted anew."""
        self._pods = self.world.restarts()
        self.issued_by_operator.clear()

    # What there is to see.

    @property
    def bridges(self) -> set[str]:
        """Those that led to the CA in use: twins of it."""
        own = public_key(self.secret(CERTIFICATES)["ca.crt"])
        return {fingerprint for fingerprint, key in self._bridges.items() if key == own}

    @property
    def replacement(self) -> int:
        """Rolls of the nodes for a new key."""
        return REPLACEMENT[self.bridge]

    def replacement_by(self, supplied: Authority) -> int:
        """The same for a supplied one: an intermediate is certified by its own issuer, and by nobody else."""
        return self.replacement if supplied.chain[0].self_issued else REPLACEMENT[Bridge.NEVER]

    def secret(self, name: str) -> dict[str, bytes]:
        return entries(self.world.api.find("secrets", NAMESPACE, name))

    def annotation(self, plural: str, name: str, key: str) -> str | None:
        found = self.world.api.find(plural, NAMESPACE, name) or {"metadata": {}}
        return (found["metadata"].get("annotations") or {}).get(f"strimzi.io/{key}")

    @property
    def kafka(self) -> Object:
        return self.world.api.find("kafkas", NAMESPACE, CLUSTER) or {}

    @property
    def ready(self) -> bool:
        return [condition["type"] for condition in self.kafka["status"]["conditions"]] == ["Ready"]

    @property
    def paused(self) -> bool:
        return self.annotation("kafkas", CLUSTER, "pause-reconciliation") is not None

    @property
    def current(self) -> str:
        return fingerprints(self.secret(CERTIFICATES)["ca.crt"])[0]

    @property
    def states(self) -> dict[str, str]:
        """The ledger: state by fingerprint."""
        found = self.secret(LEDGER)
        return {key.removesuffix(".state"): value.decode() for key, value in found.items() if key.endswith(".state")}

    @property
    def trusted(self) -> set[str]:
        """What any process loaded when it started, of the cluster's CAs."""
        return {one for process in self.world.kubelet.processes.values() for one in fingerprints(process.trusted)}

    def counts(self) -> dict[str, int]:
        """How often each node was started again since looking away."""
        return {name: count - self._pods.get(name, 0) for name, count in self.world.restarts().items()}

    @property
    def rolls(self) -> set[int]:
        """One number when all nodes were restarted equally often."""
        return set(self.counts().values())

    def issuers(self) -> set[str]:
        """Subjects of the CAs that signed what the processes present."""
        presented = [pem for one in self.world.kubelet.processes.values() for _secret, pem in one.presented]
        return {certs.load(pem)[0].issuer.rfc4514_string() for pem in presented if pem}


IN_USE, UNUSED = "TRUSTED_IN_USE_ALL", "TRUSTED_UNUSED"
PHASES = [Phase.PREPARE, Phase.TRUST, Phase.USE, Phase.RETIRE]
BOTH_WAYS = [Way.COOPERATE, Way.TAKEOVER]


def assert_only(
    scene: Scene, fingerprint: str, way: Way = Way.COOPERATE, twins: frozenset[str] | set[str] = frozenset()
) -> None:
    """The end of every rotation: one CA, used by all, and every other one is trusted by nobody.

    twins: certificates with the same name and key; to trust them still adds nothing, and no roll is spent on it.
    """
    scene.world.settle(1)
    assert scene.current == fingerprint
    assert scene.states == {fingerprint: IN_USE}
    assert scene.trusted - twins == {fingerprint}
    assert not any(key.endswith(".removed") for key in scene.secret(LEDGER))
    assert set(scene.secret(KEYS)) == {"ca.key"}
    if way is Way.TAKEOVER:
        assert scene.issued_by_operator == []

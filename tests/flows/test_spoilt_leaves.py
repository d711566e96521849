# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every reason to issue a leaf again, for the leaf of each component and of a user: either the next ``reconcile`` heals it, or the remedy that it
tells does, wherever the key of the CA is kept.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.links import InternalIssuer
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import DistinguishedName
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_chain
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import PrivateKey, generate_key, load_key
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import build_request
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase

from ..tools.support.authorities import EC256, Authority, root
from ..tools.support.clients_cluster import ClientsCluster
from ..tools.support.flows import START
from ..tools.support.memory_cluster import Moment
from ..tools.support.signing_office import SigningOffice
from ..tools.support.watched_cluster import WatchedCluster
from .cases import Case
from .test_kept_elsewhere import ASKED, elsewhere, moved

DAY = timedelta(days=1)
#: The entries of leaves in which the operator wants names.
NAMED = ("demo-kafka-0", "cruise-control")


@dataclass(frozen=True)
class Leaf:
    secret: str
    #: The name of the entry without ``.crt`` and ``.key``.
    entry: str
    common_name: str


PROCESSES = {
    "node": Leaf("demo-kafka-0", "demo-kafka-0", "demo-kafka"),
    "operator": Leaf("demo-cluster-operator-certs", "cluster-operator", "cluster-operator"),
    "entity operator": Leaf(
        "demo-entity-topic-operator-certs", "entity-operator", "demo-entity-topic-operator"
    ),
    "Cruise Control": Leaf("demo-cruise-control-certs", "cruise-control", "demo-cruise-control"),
    "exporter": Leaf("demo-kafka-exporter-certs", "kafka-exporter", "demo-kafka-exporter"),
}  # fmt: skip
USERS = {"user": Leaf("orders", "user", "orders")}


@dataclass(frozen=True)
class Bench:
    """A cluster, the CA that issues its leaves, and what keeps the key of that CA where it is not in the cluster."""

    cluster: WatchedCluster
    authority: Authority
    office: SigningOffice | None

    def put(self, leaf: Leaf, **entries: bytes | None) -> None:
        """crt, key: the entry; None takes it away."""
        data = {
            f"{leaf.entry}.{end}": None if content is None else base64.b64encode(content).decode()
            for end, content in entries.items()
        }
        self.cluster.change("secrets", leaf.secret, {"data": data})

    def delete(self, leaf: Leaf) -> None:
        self.cluster.memory.api.request("DELETE", f"/api/v1/namespaces/kafka/secrets/{leaf.secret}")

    def issued(
        self, leaf: Leaf, by: Authority, names: frozenset[str] | None = None, left: timedelta = 90 * DAY
    ) -> None:
        """Another leaf is put there. left: how long it is valid from now on."""
        stored = parse_chain(self.cluster.secret(leaf.secret)[f"{leaf.entry}.crt"])[0]
        key, now = generate_key(EC256), START + timedelta(seconds=self.cluster.memory.seconds)
        names = stored.subject_alternative_names if names is None else names
        issuer = InternalIssuer(by.chain, by.keys[0], now - 40 * DAY, left + 40 * DAY)
        # Users' certificates have a name without an organization.
        name = DistinguishedName(leaf.common_name) if leaf.secret != "orders" else DistinguishedName("orders", "")
        made = issuer.sign(build_request(name, names, key)).leaf.pem
        behind = self.authority.pem if leaf is PROCESSES["node"] else b""
        self.put(leaf, crt=made + behind, key=key.reveal())


Spoil = Callable[[Bench, Leaf], None]

TRIGGERS: dict[str, Spoil] = {
    "missing": Bench.delete,
    "unreadable certificate": lambda bench, leaf: bench.put(leaf, crt=b"rubbish"),
    "no certificate": lambda bench, leaf: bench.put(leaf, crt=None),
    "unreadable key": lambda bench, leaf: bench.put(leaf, key=b"rubbish"),
    "no key": lambda bench, leaf: bench.put(leaf, key=None),
    "key of another": lambda bench, leaf: bench.put(leaf, key=generate_key(EC256).reveal()),
    "other CA": lambda bench, leaf: bench.issued(leaf, root("Theirs")),
    "other names": lambda bench, leaf: bench.issued(leaf, bench.authority, frozenset({"vault.corp.example"})),
    "ending": lambda bench, leaf: bench.issued(leaf, bench.authority, left=DAY / 2),
}

#: Clusters before anything is spoilt, by the CA and where its key is.
_MADE: dict[str, tuple[Moment, Authority]] = {}


@pytest.mark.parametrize("trigger", TRIGGERS)
@pytest.mark.parametrize("place", ["elsewhere", "here"])
@pytest.mark.each_once
def test_a_leaf_of_a_process(cluster: WatchedCluster, nodes: object, trigger: str, place: str) -> None:
    _heals(_bench(cluster, place, "cluster", cluster.create), PROCESSES, trigger)


@pytest.mark.parametrize("trigger", TRIGGERS)
@pytest.mark.parametrize("place", ["elsewhere", "here"])
@pytest.mark.each_once
def test_a_leaf_of_a_user(clients_cluster: ClientsCluster, trigger: str, place: str) -> None:
    def begin() -> None:
        clients_cluster.begin("orders", "payments")
        clients_cluster.finish(Goal.RECONCILE)

    _heals(_bench(clients_cluster, place, "clients", begin), USERS, trigger)


@pytest.mark.parametrize("circumstance", ["", "unlinked"])
@pytest.mark.parametrize("until", [None, Phase.PREPARE])
def test_a_leaf_that_is_spoilt_stops_a_flow_before_its_next_restart(
    cluster: WatchedCluster, nodes: object, circumstance: str, until: Phase | None
) -> None:
    """until: the phase after which it is spoilt; None: before the flow begins. The node would not come back, and others would have restarted by then."""
    flow = Case(Goal.REPLACE_KEY, circumstance).begin(cluster)
    if until is not None:
        flow.run(last_phase=until)
    bench, leaf = Bench(cluster, root("Unused"), None), PROCESSES["node"]
    cluster.look_elsewhere()
    bench.issued(leaf, root("Theirs"))
    held = flow.run().outcome.decision
    assert {one.condition for one in held.violations} == {Condition.LEAVES_ARE_OURS}
    assert (cluster.rolls, flow.run().changes, cluster.paused) == ({0}, [], False)
    bench.delete(leaf)
    cluster.memory.settle(2)
    flow.finish()


def _bench(cluster: WatchedCluster, place: str, kind: str, begin: Callable[[], None]) -> Bench:
    if f"{kind} {place}" not in _MADE:
        begin()
        own = Authority(parse_chain(cluster.secret(f"demo-{kind}-ca-cert")["ca.crt"]), ())
        authority = (
            elsewhere(root("Corporate Root")) if place == "elsewhere" else replace(own, keys=(_key(cluster, kind),))
        )
        if place == "elsewhere":
            moved(cluster, authority)
        _MADE[f"{kind} {place}"] = cluster.memory.moment(), authority
    moment, authority = _MADE[f"{kind} {place}"]
    cluster.memory.go_to(moment)
    # Another hand breaks invariants here.
    observers = (cluster.checker, getattr(cluster, "programs", None))
    listeners = cluster.memory.api.listeners
    cluster.memory.api.listeners = [one for one in listeners if getattr(one, "__self__", None) not in observers]
    office = SigningOffice(cluster.memory, authority, START) if place == "elsewhere" else None
    return Bench(cluster, authority, office)


def _key(cluster: WatchedCluster, kind: str) -> PrivateKey:
    return load_key(cluster.secret(f"demo-{kind}-ca")["ca.key"])


def _heals(bench: Bench, leaves: dict[str, Leaf], trigger: str) -> None:
    cluster = bench.cluster
    for leaf in leaves.values():
        TRIGGERS[trigger](bench, leaf)
    cluster.memory.settle(1)
    decision = cluster.run(Goal.RECONCILE, external_issuer=ASKED).outcome.decision
    told = decision.violations
    if bench.office:
        assert [str(one) for one in told] == []
        bench.office.work()
    if leaves is USERS and not bench.office:
        # The User Operator serves them; a flow tells before it begins.
        told = inspect(cluster.work(), cluster.intent(Goal.REPLACE_KEY)).decision.violations
        if trigger == "unreadable certificate":
            # It keeps no flow waiting, because it opens nothing; the User Operator tells of it.
            found = cluster.memory.api.find("kafkausers", "kafka", "orders") or {}
            assert [one["type"] for one in found["status"]["conditions"]] == ["NotReady"]
            return
    for violation in told:
        if "then delete " in violation.remedy:
            bench.delete(next(leaf for leaf in leaves.values() if f"/{leaf.secret}" in f"{violation}"))
    cluster.memory.settle(2)
    decision = cluster.run(Goal.RECONCILE, external_issuer=ASKED).outcome.decision
    assert ([str(one) for one in decision.violations], decision.waiting, decision.done) == ([], (), True)
    cluster.memory.settle(1)
    assert cluster.ready
    assert {name: _problem(bench, leaf) for name, leaf in leaves.items()} == dict.fromkeys(leaves, "")


def _problem(bench: Bench, leaf: Leaf) -> str:
    found = bench.cluster.secret(leaf.secret)
    chain, key = parse_chain(found[f"{leaf.entry}.crt"]), load_key(found[f"{leaf.entry}.key"])
    left = chain[0].not_after - START - timedelta(seconds=bench.cluster.memory.seconds)
    named = leaf.entry in NAMED and "vault.corp.example" in chain[0].subject_alternative_names
    problems = {
        "key": not chain[0].is_for(key),
        "CA": not chain[0].signed_by(bench.authority.chain[0]),
        "names": named,
        "ending": left < 30 * DAY,
    }
    return ", ".join(name for name, holds in problems.items() if holds)

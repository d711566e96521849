# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A CA that allows none below it, as the operator makes them, is renewed before its key is replaced: clients of every library that have read
``ca.crt`` since then accept the link certificate (docs/outside-clients.md)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.results import describe_snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.external.issuer import External
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.paths import validate_path
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.verifiers import Verifier
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules import switch

from ..tools.operator import certs
from ..tools.support.authorities import root
from ..tools.support.checker import entries, verifies
from ..tools.support.clients_cluster import ClientsCluster
from ..tools.support.flows import START
from ..tools.support.golden import GoldenFiles
from ..tools.support.killing import Killed, KillingTransport
from ..tools.support.memory_api import Change
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.watched_cluster import CERTIFICATES, IN_USE, WatchedCluster, assert_only, fingerprints
from .cases import Case

FIRST = Case(Goal.REPLACE_KEY, "renewed first", path_length=0)
#: Seconds that a mounted Secret is late at most.
LATE = 120.0


class ClientRefuses(Exception):
    """A client of ``ca.crt`` refuses a node."""


class ClientsOfOneEntry:
    """Strict clients that load ``ca.crt`` of the certificate Secret alone, again each time or up to 120 seconds late, and reach every node after
    every write, until the operator is switched to the next key.
    """

    def __init__(self, cluster: WatchedCluster) -> None:
        self._cluster, self._key = cluster, _key_of(cluster)
        self._copies: list[tuple[float, bytes]] = []
        self.looks = 0
        cluster.memory.seconds += LATE
        cluster.memory.api.listeners.append(self._look)

    def _look(self, change: Change) -> None:
        memory, cluster = self._cluster.memory, self._cluster
        if change.plural == "secrets" and change.name == CERTIFICATES and change.old:
            self._copies.append((memory.seconds, entries(change.old)["ca.crt"]))
        if _key_of(cluster) != self._key:
            return
        loaded = {
            cluster.secret(CERTIFICATES)["ca.crt"],
            *(one for end, one in self._copies if end > memory.seconds - LATE),
        }
        for chain in _presented(cluster):
            self.looks += 1
            for trusted in loaded:
                if not _is_accepted(chain, trusted, cluster):
                    raise ClientRefuses(f"after {change.verb} of {change.plural}/{change.name}")


def _key_of(cluster: WatchedCluster) -> str:
    return parse_certificates(cluster.secret(CERTIFICATES)["ca.crt"])[0].public_key_sha256


def _presented(cluster: WatchedCluster) -> Iterator[bytes]:
    """The chains of all listeners."""
    yield from {
        chain for one in cluster.memory.kubelet.processes.values() if one.component == "kafka" for _secret, chain in one.presented
    }  # fmt: skip


def _is_accepted(chain: bytes, trusted: bytes, cluster: WatchedCluster) -> bool:
    """By OpenSSL itself, and by what the gates assume of Go and OpenSSL."""
    now = START + timedelta(seconds=cluster.memory.seconds)
    presented, anchors = parse_certificates(chain), parse_certificates(trusted)
    return verifies(chain, trusted, jvm=False) and all(
        validate_path(presented, anchors, at=now, verifier=kind).valid for kind in (Verifier.OPENSSL, Verifier.GO)
    )


def adopted(cluster: WatchedCluster) -> None:
    """As the operator has made it, and this collection has taken it over."""
    cluster.deploy(generated=True)
    cluster.finish(Goal.UPGRADE)
    cluster.look_away()


@pytest.mark.usefixtures("uptake")
def test_strict_clients_of_one_entry_are_never_refused(cluster: WatchedCluster) -> None:
    adopted(cluster)
    clients = ClientsOfOneEntry(cluster)
    cluster.checker.copies_last = LATE
    cluster.finish(Goal.REPLACE_KEY, publishes_bundle=True)
    assert clients.looks > 100
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY, "renewed first")
    assert_only(cluster, cluster.current)


@pytest.mark.usefixtures("nodes")
def test_late_ones_need_the_time_that_they_get(cluster: WatchedCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: without the wait they trust the certificate of before."""
    adopted(cluster)
    ClientsOfOneEntry(cluster)
    monkeypatch.setattr(switch, "renewed_arrives_at", lambda *_anything: None)
    with pytest.raises(ClientRefuses):
        cluster.run(Goal.REPLACE_KEY)


@pytest.mark.usefixtures("nodes")
def test_without_the_renewal_they_are_refused(cluster: WatchedCluster) -> None:
    adopted(cluster)
    ClientsOfOneEntry(cluster)
    with pytest.raises(ClientRefuses):
        cluster.run(Goal.REPLACE_KEY, client_grace=timedelta(0))


@pytest.mark.usefixtures("nodes")
def test_the_time_begins_when_the_first_certificate_is_nowhere_to_be_read(cluster: WatchedCluster) -> None:
    """Neither in the certificate Secret nor in the bundle for clients, where OpenSSL would take it as the first of two of one name."""
    adopted(cluster)
    first = cluster.secret(CERTIFICATES)["ca.crt"]
    gone: list[float] = []

    def look(_change: Change) -> None:
        held = {one for secret in (CERTIFICATES, "demo-cluster-ca-bundle") for one in cluster.secret(secret).values()}
        if not gone and not any(first.strip() in one for one in held):
            gone.append(cluster.memory.seconds)

    cluster.memory.api.listeners.append(look)
    cluster.run(Goal.REPLACE_KEY, publishes_bundle=True, last_phase=Phase.PREPARE)
    cleared = [key for key in cluster.ledger if key.endswith(".cleared")]
    assert [key.partition(".")[0] for key in cleared] == [cluster.current]
    since = datetime.strptime(cluster.ledger[cleared[0]].decode(), "%Y-%m-%dT%H:%M:%S.%f%z")
    assert timedelta() <= since - (START + timedelta(seconds=gone[0])) < timedelta(seconds=LATE / 10)


@pytest.mark.usefixtures("nodes")
@pytest.mark.parametrize("named", ["the first certificate", "the renewed one", ""])
@pytest.mark.parametrize("by", [Goal.REPLACE_KEY, Goal.RECONCILE])
@pytest.mark.each_once
def test_a_renewed_first_flow_goes_on_from_the_state_of_the_cluster_alone(
    cluster: WatchedCluster, named: str, by: Goal, golden: GoldenFiles
) -> None:
    """Whichever certificate of the CA the caller names, and whatever has brought the renewal to its end."""
    flow = FIRST.begin(cluster)
    old = cluster.current
    _stop_in_the_renewal(cluster)
    if by is Goal.RECONCILE:
        for _run in range(2):
            (told,) = cluster.finish(by).outcome.decision.waiting
            golden.compare_said("flows", told)
        assert cluster.states == {cluster.current: IN_USE}
    else:
        cluster.run(by, replaces=old, last_phase=Phase.PREPARE)
    renewed = cluster.current
    assert renewed != old
    replaces = {"the first certificate": old, "the renewed one": renewed}.get(named)
    assert cluster.finish(Goal.REPLACE_KEY, replaces=replaces).outcome.decision.waiting == ()
    assert cluster.paid == flow.cost
    assert_only(cluster, cluster.current)
    for one in (old, renewed):
        again = cluster.run(Goal.REPLACE_KEY, replaces=one)
        assert (again.outcome.decision.done, again.changes) == (True, [])


def _stop_in_the_renewal(cluster: WatchedCluster, write: int = 3, **options: Any) -> None:
    """As a run that was killed after one of its first writes; by the third the renewed certificate is published."""
    cluster.permitted = KillingTransport(cluster.memory.api, write, after=True)
    with pytest.raises(Killed):
        cluster.run(Goal.REPLACE_KEY, **options)
    cluster.permitted = cluster.memory.api
    cluster.memory.settle(2)


@pytest.mark.usefixtures("nodes")
@pytest.mark.parametrize("write", [1, 2, 3])
def test_a_renewed_first_flow_stops_and_is_led_on_as_a_replacement(cluster: WatchedCluster, write: int) -> None:
    """By the call that was to replace the key, and by no renewal, wherever a kill has left it; a schedule opens its journal meanwhile."""
    FIRST.begin(cluster)
    old = cluster.current
    _stop_in_the_renewal(cluster, write, stop_after=Phase.PREPARE)
    if write > 1:
        cluster.run(Goal.RECONCILE)
    if write > 2:
        refused = cluster.run(Goal.RENEW).outcome.decision
        assert [one.condition for one in refused.violations] == [Condition.NOT_STOPPED]
        assert "state=replaced" in refused.violations[0].remedy
    cluster.finish(Goal.REPLACE_KEY)
    assert cluster.current != old
    assert_only(cluster, cluster.current)


@pytest.mark.usefixtures("nodes")
def test_undone_in_the_renewal(cluster: WatchedCluster) -> None:
    FIRST.begin(cluster)
    old = cluster.current
    _stop_in_the_renewal(cluster)
    cluster.finish(Goal.ABORT)
    assert (cluster.current, cluster.states, cluster.rolls) == (old, {old: IN_USE}, {0})


@pytest.mark.usefixtures("nodes")
def test_the_leaf_of_the_renewal_is_no_ones_when_listeners_have_read_the_next(
    cluster: WatchedCluster, nodes: ReloadingNodes
) -> None:
    """The Raft client and agent of a process keep the leaf of its start, and go on presenting that alone."""
    flow = Case(Goal.REPLACE_KEY, "when_restarted, renewed first", path_length=0).begin(cluster)
    started = {
        fingerprints(process.presented[0][1])[0]: {uid}
        for uid, process in cluster.memory.kubelet.processes.items()
        if process.component == "kafka"
    }
    flow.run()
    assert cluster.rolls == {0}
    assert cluster.remembered("leaf") == started
    shown = describe_snapshot(flow.run().outcome.observation.snapshot)["former_leaves"]
    assert sorted(pod for one in shown for pod in one["lingering"]) == sorted(cluster.memory.kubelet.nodes)
    for node in sorted(cluster.memory.kubelet.nodes):
        cluster.restart(node)
    cluster.finish(Goal.RECONCILE)
    assert cluster.remembered("leaf") == {}


def test_a_renewal_alone_makes_room_as_well(cluster: WatchedCluster) -> None:
    """Months before the replacement, so that clients that read their trust at their start have it; nothing is renewed then, and nothing waits."""
    adopted(cluster)
    assert _led_on_since(cluster) is None
    cluster.finish(Goal.RENEW)
    assert parse_certificates(cluster.secret(CERTIFICATES)["ca.crt"])[0].path_length == 1
    since = _led_on_since(cluster)
    assert since is not None
    cluster.look_away()
    cluster.memory.seconds += LATE
    before = cluster.memory.seconds
    cluster.run(Goal.REPLACE_KEY, last_phase=Phase.TRUST)
    assert cluster.memory.seconds - before < LATE / 2
    cluster.finish(Goal.REPLACE_KEY)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY)


# The warning: which clients are refused by what, from when to when, and since when others are safe.


def _warnings(cluster: WatchedCluster, goal: Goal, **options: Any) -> list[str]:
    """The warnings about clients of a run with this goal, each once, as Ansible shows them."""
    return list(dict.fromkeys(cluster.run(goal, **options).client_warnings))


@pytest.mark.usefixtures("uptake")
def test_a_flow_that_renews_first_warns_of_clients_that_keep_the_certificate_of_before(cluster: WatchedCluster) -> None:
    """Each of its runs has the same warning, until a node has taken up the next CA."""
    adopted(cluster)
    (first,) = _warnings(cluster, Goal.REPLACE_KEY, last_phase=Phase.PREPARE)
    assert cluster.rolls == {0}
    (since,) = [cluster.ledger[key].decode() for key in cluster.ledger if key.endswith(".cleared")]
    assert f"from before {since[:10]} {since[11:19]} UTC" in first
    assert "strimzi_raise_path_length" in first
    assert _warnings(cluster, Goal.REPLACE_KEY, last_phase=Phase.TRUST) == [first]
    assert _warnings(cluster, Goal.REPLACE_KEY) == [first]
    assert _warnings(cluster, Goal.RECONCILE) == []


@pytest.mark.usefixtures("nodes")
def test_a_schedule_does_not_warn_again_while_nodes_wait_for_their_next_restart(cluster: WatchedCluster) -> None:
    flow = Case(Goal.REPLACE_KEY, "when_restarted, renewed first", path_length=0).begin(cluster)
    assert len(dict.fromkeys(flow.run().client_warnings)) == 1
    assert cluster.rolls == {0}
    assert _warnings(cluster, Goal.RECONCILE) == []


@pytest.mark.usefixtures("nodes")
@pytest.mark.parametrize("in_one_call", [False, True])
def test_the_warning_of_one_run_is_one(cluster: WatchedCluster, in_one_call: bool) -> None:
    adopted(cluster)
    (told,) = _warnings(cluster, Goal.REPLACE_KEY, in_one_call=in_one_call)
    assert "strimzi_raise_path_length" in told
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY, "renewed first")


@pytest.mark.usefixtures("nodes")
@pytest.mark.parametrize("goal", [Goal.RENEW, Goal.RECONCILE, Goal.ABORT])
def test_flows_after_which_no_client_refuses_a_node_warn_of_none(cluster: WatchedCluster, goal: Goal) -> None:
    """A renewal alone; a cluster at rest; and a replacement that is undone, whose next CA no node presents."""
    adopted(cluster)
    if goal is Goal.ABORT:
        cluster.run(Goal.REPLACE_KEY, last_phase=Phase.PREPARE)
    assert _warnings(cluster, goal) == []
    assert _warnings(cluster, Goal.RECONCILE) == []


@pytest.mark.usefixtures("nodes")
@pytest.mark.parametrize("later", [0.0, LATE / 2, LATE])
def test_a_renewal_before_warns_of_clients_only_while_these_have_not_had_their_time(
    cluster: WatchedCluster, later: float
) -> None:
    adopted(cluster)
    cluster.finish(Goal.RENEW)
    cluster.memory.seconds += later
    warned = _warnings(cluster, Goal.REPLACE_KEY)
    assert bool(warned) is (later < LATE)


@pytest.mark.usefixtures("nodes")
def test_a_ca_that_always_allowed_a_ca_below_it_warns_of_no_client(cluster: WatchedCluster) -> None:
    cluster.create()
    cluster.look_away()
    assert _warnings(cluster, Goal.REPLACE_KEY) == []


@pytest.mark.usefixtures("nodes")
def test_the_clients_that_the_warning_is_about_are_refused_and_no_others(cluster: WatchedCluster) -> None:
    """By OpenSSL: the certificate of before, and the certificate since."""
    adopted(cluster)
    before = cluster.secret(CERTIFICATES)["ca.crt"]
    assert _warnings(cluster, Goal.REPLACE_KEY, last_phase=Phase.PREPARE) != []
    since = cluster.secret(CERTIFICATES)["ca.crt"]
    assert all(verifies(chain, trusted, jvm=False) for chain in _presented(cluster) for trusted in (before, since))
    cluster.run(Goal.REPLACE_KEY, last_phase=Phase.USE)
    assert [verifies(chain, before, jvm=False) for chain in _presented(cluster)] == [False] * 2
    assert all(verifies(chain, before, jvm=True) for chain in _presented(cluster))
    assert all(verifies(chain, since, jvm=False) for chain in _presented(cluster))


@pytest.mark.usefixtures("uptake")
def test_an_adoption_makes_room_where_that_is_asked_for(cluster: WatchedCluster) -> None:
    """The CA does not end earlier for that."""
    cluster.deploy(generated=True)
    cluster.look_away()
    (old,) = parse_certificates(cluster.secret(CERTIFICATES)["ca.crt"])
    clients = ClientsOfOneEntry(cluster)
    cluster.validity = timedelta(days=100)
    cluster.finish(Goal.UPGRADE, raise_path_length=True)
    (new,) = parse_certificates(cluster.secret(CERTIFICATES)["ca.crt"])
    assert (new.path_length, new.not_after >= old.not_after, new.is_twin_of(old)) == (1, True, True)
    assert cluster.paid == cluster.cost(Goal.RENEW)
    assert cluster.states == {new.fingerprint: IN_USE}
    cluster.look_away()
    cluster.validity = timedelta(days=365)
    cluster.memory.seconds += LATE
    assert _warnings(cluster, Goal.REPLACE_KEY) == []
    cluster.finish(Goal.REPLACE_KEY)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY)
    assert clients.looks > 100


def _led_on_since(cluster: WatchedCluster) -> object:
    seen = cluster.run(Goal.RECONCILE).outcome.observation.snapshot
    (since,) = [one["led_on_since"] for one in describe_snapshot(seen)["cas"] if one["current"]]
    return since


@pytest.mark.usefixtures("nodes")
@pytest.mark.parametrize("length", [0, 3])
def test_a_renewal_gives_the_path_length_that_is_asked_for(cluster: WatchedCluster, length: int) -> None:
    cluster.create()
    result = cluster.finish(Goal.RENEW, path_length=length)
    assert result.outcome.observation.snapshot.ca.current[0].path_length == length
    assert cluster.paid == cluster.cost(Goal.RENEW)


@pytest.mark.usefixtures("nodes")
def test_a_ca_is_renewed_first_where_the_next_key_is_elsewhere_too(cluster: WatchedCluster) -> None:
    """The key that signs the link certificate is here."""
    adopted(cluster)
    corporate, renewed = replace(root("Corporate Root", path_length=0), elsewhere=True), _renewals(cluster)
    cluster.run(Goal.REPLACE_KEY, corporate, external_issuer=External.reference, last_phase=Phase.PREPARE)
    assert renewed == {"CN=cluster-ca v0,O=io.strimzi"}
    assert cluster.prepared == {corporate.prepared.fingerprint}


def _renewals(cluster: WatchedCluster) -> set[str]:
    """Subjects of the CAs that come to have two certificates."""
    found: set[str] = set()

    def look(change: Change) -> None:
        if change.name == CERTIFICATES and change.plural == "secrets":
            subjects = [
                certs.load(one)[0].subject.rfc4514_string()
                for key, one in cluster.secret(CERTIFICATES).items()
                if key.endswith(".crt")
            ]
            found.update(one for one in subjects if subjects.count(one) > 1)

    cluster.memory.api.listeners.append(look)
    return found


def test_users_need_none_of_it(clients_cluster: ClientsCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their certificates are sent alone, so there is no link certificate that a CA has to allow."""
    cluster = clients_cluster
    cluster.nodes = ReloadingNodes(cluster.memory)
    cluster.nodes.replace_requests(monkeypatch)
    cluster.begin()
    (current,) = cluster.run(Goal.RECONCILE).outcome.observation.snapshot.ca.current
    assert current.path_length == 0
    cluster.run(Goal.REPLACE_KEY, last_phase=Phase.PREPARE)
    assert len(cluster.states) == 2
    assert {current.fingerprint} < set(cluster.states)
    assert cluster.current == current.fingerprint

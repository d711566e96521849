# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The key of the clients CA is kept elsewhere: its issuer is asked for the certificates of users before the switch, and the User Operator
keeps them (docs/operator.md, "Users").
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, pkcs12

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import KeyAlgorithm, KeySpec, load_key
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.errors import OperatorSilent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.tests.support.flows import START, FlowResult
from ansible_collections.trustops.strimzi.tests.support.reloads import ReloadingNodes

from ..support.authorities import Authority, below, renewed, root
from ..support.clients_cluster import CERTIFICATES, KEYS, ClientsCluster
from ..support.memory_api import Change
from ..support.signing_office import SigningOffice, secrets_of
from ..support.watched_cluster import NAMESPACE, subject
from .test_clients_ca import assert_only

ASKED = "the external issuer"
FIVE = tuple(f"user-{number}" for number in range(5))
DAY = 86400.0


@pytest.fixture
def cluster(clients_cluster: ClientsCluster) -> ClientsCluster:
    return clients_cluster


def elsewhere(authority: Authority) -> Authority:
    return replace(authority, elsewhere=True)


def run(cluster: ClientsCluster, goal: Goal, supplied: Authority | None = None, **intent: Any) -> FlowResult:
    return cluster.run(goal, supplied, asked=ASKED, **intent)


def moved(cluster: ClientsCluster, authority: Authority, **intent: Any) -> SigningOffice:
    """The cluster is brought to a CA whose key is kept elsewhere."""
    office = SigningOffice(cluster.memory, authority, START)
    asked = run(cluster, Goal.REPLACE_KEY, authority, **intent)
    assert not asked.outcome.decision.done
    office.work()
    cluster.finish(Goal.REPLACE_KEY, authority, asked=ASKED, **intent)
    cluster.look_away()
    return office


def users_of(cluster: ClientsCluster) -> dict[str, dict[str, bytes]]:
    """What lies in the Secret of each user."""
    found = cluster.memory.api.all("kafkausers", NAMESPACE)
    return {one["metadata"]["name"]: cluster.secret(one["metadata"]["name"]) for one in found}


def ready(cluster: ClientsCluster, user: str) -> bool:
    """As the User Operator says."""
    found = cluster.memory.api.find("kafkausers", NAMESPACE, user) or {}
    return [one["type"] for one in (found.get("status") or {}).get("conditions") or ()] == ["Ready"]


def requests_left(cluster: ClientsCluster) -> list[str]:
    return [one["metadata"]["name"] for one in secrets_of(cluster.memory) if "-issuing-" in one["metadata"]["name"]]


def assert_served(cluster: ClientsCluster, authority: Authority) -> None:
    """Everybody has a certificate of this CA that the User Operator keeps, and it has issued none."""
    cluster.users.issued.clear()
    before = users_of(cluster)
    cluster.memory.settle(2)
    assert (users_of(cluster), cluster.users.issued) == (before, [])
    for user, content in before.items():
        assert ready(cluster, user), user
        own, *above = parse_certificates(content["user.crt"])
        assert (own.subject, own.issuer) == (f"CN={user}", authority.chain[0].subject)
        assert above == [one for one in authority.chain if not one.self_issued]
        assert load_key(content["user.key"]).matches(own)
        assert content["ca.crt"] == cluster.secret(CERTIFICATES)["ca.crt"]
        key, certificate, others = pkcs12.load_key_and_certificates(content["user.p12"], content["user.password"])
        assert key is not None
        assert certificate is not None
        assert certificate.public_bytes(Encoding.DER) == own.der
        assert [one.public_bytes(Encoding.DER) for one in others] == [one.der for one in above]
    assert requests_left(cluster) == []


SHAPES = {"root": lambda: root("Corporate Root"), "intermediate": lambda: below(root())}


@pytest.mark.parametrize("shape", SHAPES)
def test_there_and_back(cluster: ClientsCluster, uptake: bool, shape: str) -> None:
    """Nobody is refused on the way, which the observer of user programs sees to after every write."""
    cluster.begin(*FIVE)
    supplied = elsewhere(SHAPES[shape]())
    moved(cluster, supplied)
    assert_only(cluster, supplied.fingerprint)
    assert_served(cluster, supplied)
    assert b"PRIVATE" not in cluster.secret(KEYS)["ca.key"]
    cluster.finish(Goal.REPLACE_KEY, replaces=cluster.current, asked=ASKED)
    assert_only(cluster, cluster.current)
    assert b"PRIVATE KEY" in cluster.secret(KEYS)["ca.key"]
    assert cluster.issuers() == {subject(cluster.secret(CERTIFICATES)["ca.crt"])}
    assert requests_left(cluster) == []
    assert cluster.rolls == ({0} if uptake else {2})


def test_asked_for_first_and_nothing_is_held_up_meanwhile(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    cluster.begin()
    before, users, supplied = cluster.current, users_of(cluster), elsewhere(root("Corporate Root"))
    waiting = run(cluster, Goal.REPLACE_KEY, supplied).outcome.decision
    assert (waiting.violations, waiting.done) == ((), False)
    assert waiting.waiting[0].startswith("2 certificates of CN=Corporate Root,O=io.strimzi")
    assert "for orders, payments; nothing else is held up" in waiting.waiting[0]
    assert (cluster.current, users_of(cluster), cluster.paused) == (before, users, False)
    assert cluster.accepted == {before, supplied.fingerprint}, "trust comes first, and waits for nobody"
    assert all("strimzi.io/pause-reconciliation" not in cluster.marks(user) for user in users)
    again = run(cluster, Goal.REPLACE_KEY, supplied)
    assert (cluster.writes, again.outcome.decision.waiting) == (0, waiting.waiting)


def test_one_first_and_then_some_at_a_time(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    cluster.begin(*FIVE)
    supplied, seen = elsewhere(root("Corporate Root")), []

    def note(change: Change) -> None:
        if change.plural == "secrets" and change.name in FIVE and cluster.current == supplied.fingerprint:
            served = [user for user in FIVE if subject_of_issuer(cluster, user) == "CN=Corporate Root,O=io.strimzi"]
            seen.append((len(served), sum(ready(cluster, user) for user in FIVE)))

    cluster.memory.api.listeners.append(note)
    moved(cluster, supplied, user_batch=2)
    # Whoever gets a certificate, the User Operator has looked at all who got theirs before, but for those of the same batch.
    assert seen == [(1, 0), (2, 1), (3, 1), (4, 3), (5, 3)]
    assert_served(cluster, supplied)


def subject_of_issuer(cluster: ClientsCluster, user: str) -> str:
    return parse_certificates(cluster.secret(user)["user.crt"])[0].issuer


def test_the_first_is_not_kept(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    """Where the User Operator is not content with one, nobody else gets any."""
    cluster.begin(*FIVE)
    supplied = elsewhere(root("Corporate Root"))
    run(cluster, Goal.REPLACE_KEY, supplied)
    office = SigningOffice(cluster.memory, supplied, START)
    office.work()
    cluster.users.refusing = {FIVE[0]}
    with pytest.raises(
        OperatorSilent, match=r"not said within 60 s that it keeps the certificates of KafkaUser kafka/user-0\."
    ):
        run(cluster, Goal.REPLACE_KEY, supplied)
    assert [user for user in FIVE if subject_of_issuer(cluster, user) != "CN=clients-ca v0,O=io.strimzi"] == [FIVE[0]]
    cluster.users.refusing = set()
    cluster.finish(Goal.RECONCILE, asked=ASKED)
    assert_served(cluster, supplied)


def test_from_one_to_another(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    cluster.begin()
    moved(cluster, elsewhere(root("First")))
    second = elsewhere(root("Second"))
    moved(cluster, second)
    assert_only(cluster, second.fingerprint)
    assert_served(cluster, second)


def test_a_renewal_keeps_the_certificates(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    cluster.begin(*FIVE)
    first = elsewhere(root("First"))
    moved(cluster, first)
    before = users_of(cluster)
    again = elsewhere(renewed(first))
    cluster.finish(Goal.RENEW, again, asked=ASKED)
    assert cluster.current == again.fingerprint
    assert {user: content["user.crt"] for user, content in users_of(cluster).items()} == {
        user: content["user.crt"] for user, content in before.items()
    }
    assert_served(cluster, again)


def test_a_new_user_is_not_ready_until_a_run_serves_it(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    cluster.begin()
    supplied = elsewhere(root("Corporate Root"))
    office = moved(cluster, supplied)
    # The User Operator makes a PKCS#12 file of such a key only.
    cluster.leaf_key = KeySpec(KeyAlgorithm.RSA, 2048)
    cluster.add("billing")
    assert (cluster.secret("billing"), ready(cluster, "billing")) == ({}, False)
    waiting = run(cluster, Goal.RECONCILE).outcome.decision
    assert (waiting.violations, waiting.done) == ((), False)
    assert "1 certificate of CN=Corporate Root,O=io.strimzi" in waiting.waiting[0]
    assert "for billing; nothing else is held up" in waiting.waiting[0]
    office.work()
    cluster.finish(Goal.RECONCILE, asked=ASKED)
    cluster.memory.settle(2)
    found = cluster.memory.api.find("secrets", NAMESPACE, "billing") or {}
    user = cluster.memory.api.find("kafkausers", NAMESPACE, "billing") or {}
    (owner,) = found["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["name"], owner["uid"]) == ("KafkaUser", "billing", user["metadata"]["uid"])
    assert_served(cluster, supplied)


def test_those_that_are_at_hand_do_not_wait_for_others(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    cluster.begin()
    office = moved(cluster, elsewhere(root("Corporate Root")))
    cluster.leaf_key = KeySpec(KeyAlgorithm.RSA, 2048)
    cluster.add("billing", "audit")
    run(cluster, Goal.RECONCILE)
    (secret, name), _other = office.requests()
    office.put_back(secret, name, office.sign(office.csr(secret, name)))
    waiting = run(cluster, Goal.RECONCILE).outcome.decision
    cluster.memory.settle(1)
    assert [user for user in ("audit", "billing") if ready(cluster, user)] == [name]
    assert not waiting.done


@pytest.mark.parametrize("goal", [Goal.RENEW_LEAVES, Goal.RECONCILE])
def test_certificates_are_renewed_before_the_user_operator_would_try(
    cluster: ClientsCluster, nodes: ReloadingNodes, goal: Goal
) -> None:
    """It would from 30 days before their end on, and could not."""
    cluster.begin()
    supplied = elsewhere(root("Corporate Root"))
    office = moved(cluster, supplied)
    before = users_of(cluster)
    cluster.memory.seconds += 44 * DAY
    assert run(cluster, goal).outcome.decision.done
    cluster.memory.seconds += 2 * DAY
    assert not run(cluster, goal).outcome.decision.done
    office.work()
    cluster.finish(goal, asked=ASKED)
    after = users_of(cluster)
    assert all(content["user.crt"] != before[user]["user.crt"] for user, content in after.items())
    assert_served(cluster, supplied)


def test_a_deleted_secret_is_put_back(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    cluster.begin()
    supplied = elsewhere(root("Corporate Root"))
    office = moved(cluster, supplied)
    cluster.leaf_key = KeySpec(KeyAlgorithm.RSA, 2048)
    cluster.memory.api.request("DELETE", f"/api/v1/namespaces/{NAMESPACE}/secrets/orders")
    cluster.memory.settle(1)
    assert not ready(cluster, "orders")
    run(cluster, Goal.RECONCILE)
    office.work()
    cluster.finish(Goal.RECONCILE, asked=ASKED)
    cluster.memory.settle(2)
    assert_served(cluster, supplied)

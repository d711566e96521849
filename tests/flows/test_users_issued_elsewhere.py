# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The key of the clients CA is kept elsewhere: its issuer is asked for the certificates of users before the switch, and the User Operator
keeps them (docs/operator.md, "Users").
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, pkcs12

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect, plan
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import Forbidden, OperatorSilent, StepError
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import DistinguishedName
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.keys import (
    KeyAlgorithm,
    KeySpec,
    generate_key,
    load_key,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import build_request, parse_request
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.clients import OutsideOptions
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.users.users import Authentication
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import NamedSecret
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions import leaves as preconditions
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.prepare import restart_to_trust

from ..tools.operator import clusters
from ..tools.support.authorities import EC256, Authority, below, renewed, root
from ..tools.support.breaches import InvariantBroken
from ..tools.support.clients_cluster import CERTIFICATES, KEYS, LEDGER, ClientsCluster
from ..tools.support.engines import leaving_open, without
from ..tools.support.flows import START, FlowResult, insisting
from ..tools.support.golden import GoldenFiles
from ..tools.support.memory_api import Change
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.roles import ByRoles, permissions
from ..tools.support.signing_office import SigningOffice, secrets_of
from ..tools.support.users import kafka_user
from ..tools.support.watched_cluster import CLUSTER, NAMESPACE, subject
from .test_ca_source import wants
from .test_clients_ca import assert_only
from .test_named_secrets import NAMED, Partner, external, trusted_beside
from .test_roles import ROLES
from .test_user_moves import move

ASKED = "the external issuer"
FIVE = tuple(f"user-{number}" for number in range(5))
DAY = 86400.0


@pytest.fixture
def cluster(clients_cluster: ClientsCluster) -> ClientsCluster:
    return clients_cluster


def elsewhere(authority: Authority) -> Authority:
    return replace(authority, elsewhere=True)


def run(cluster: ClientsCluster, goal: Goal, supplied: Authority | None = None, **intent: Any) -> FlowResult:
    return cluster.run(goal, supplied, external_issuer=ASKED, **intent)


def moved(cluster: ClientsCluster, authority: Authority, **intent: Any) -> SigningOffice:
    """The cluster is brought to a CA whose key is kept elsewhere."""
    office = SigningOffice(cluster.memory, authority, START)
    asked = run(cluster, Goal.REPLACE_KEY, authority, **intent)
    assert not asked.outcome.decision.done
    office.work()
    cluster.finish(Goal.REPLACE_KEY, authority, external_issuer=ASKED, **intent)
    cluster.look_away()
    return office


def users_of(cluster: ClientsCluster) -> dict[str, dict[str, bytes]]:
    """The entries in the Secret of each user."""
    found = cluster.memory.api.all("kafkausers", NAMESPACE)
    return {one["metadata"]["name"]: cluster.secret(one["metadata"]["name"]) for one in found}


def ready(cluster: ClientsCluster, user: str) -> bool:
    """Whether the User Operator says that the user is Ready."""
    found = cluster.memory.api.find("kafkausers", NAMESPACE, user) or {}
    return [one["type"] for one in (found.get("status") or {}).get("conditions") or ()] == ["Ready"]


def requests_left(cluster: ClientsCluster) -> list[str]:
    return [one["metadata"]["name"] for one in secrets_of(cluster.memory) if "-issuing-" in one["metadata"]["name"]]


def assert_served(cluster: ClientsCluster, authority: Authority) -> None:
    """Every user has a certificate of this CA that the User Operator keeps, and it has issued none."""
    cluster.users.issued.clear()
    before = users_of(cluster)
    cluster.memory.settle(2)
    assert (users_of(cluster), cluster.users.issued) == (before, [])
    for user, content in before.items():
        assert ready(cluster, user), user
        own, *above = parse_certificates(content["user.crt"])
        assert (own.subject, own.issuer) == (f"CN={user}", authority.chain[0].subject)
        assert above == [one for one in authority.chain if not one.self_issued]
        assert own.is_for(load_key(content["user.key"]))
        assert content["ca.crt"] == cluster.secret(CERTIFICATES)["ca.crt"]
        key, certificate, others = pkcs12.load_key_and_certificates(content["user.p12"], content["user.password"])
        assert key is not None
        assert certificate is not None
        assert certificate.public_bytes(Encoding.DER) == own.der
        assert [one.public_bytes(Encoding.DER) for one in others] == [one.der for one in above]
    assert requests_left(cluster) == []


SHAPES = {"root": lambda: root("Corporate Root"), "intermediate": lambda: below(root())}


@pytest.mark.parametrize("shape", SHAPES)
def test_users_move_to_a_ca_with_its_key_elsewhere_and_back(cluster: ClientsCluster, uptake: bool, shape: str) -> None:
    """No program is refused on the way, which the observer of user programs checks after every write."""
    cluster.begin(*FIVE)
    supplied = elsewhere(SHAPES[shape]())
    moved(cluster, supplied)
    assert_only(cluster, supplied.fingerprint)
    assert_served(cluster, supplied)
    assert b"PRIVATE" not in cluster.secret(KEYS)["ca.key"]
    cluster.finish(Goal.REPLACE_KEY, replaces=cluster.current, external_issuer=ASKED)
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
    assert set(waiting.issue_reasons) == {"orders", "payments"}
    assert (cluster.current, users_of(cluster), cluster.paused) == (before, users, False)
    assert cluster.accepted == {before, supplied.fingerprint}, "trust comes first, and waits for no user"
    assert all("strimzi.io/pause-reconciliation" not in cluster.marks(user) for user in users)
    again = run(cluster, Goal.REPLACE_KEY, supplied)
    assert (cluster.writes, again.outcome.decision.waiting) == (0, waiting.waiting)


def test_the_plan_comes_true(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    """There, as far as the issuer answers at once, and back."""
    cluster.begin(*FIVE)
    supplied = elsewhere(root("Corporate Root"))
    wanted = ["AskForLeaves", "PauseReissue", "Switch", "IssueLeaves", "AwaitKept", "IssueLeaves", "AwaitKept"]
    assert [kind for kind in plans(cluster, supplied) if kind in wanted] == wanted
    moved(cluster, supplied)
    back = plans(cluster, None)
    assert ("AskForLeaves" in back, "AwaitReissue" in back) == (False, True)


def plans(cluster: ClientsCluster, supplied: Authority | None) -> list[str]:
    """The kinds of the steps of a plan."""
    work, intent = (
        cluster.work(supplied),
        cluster.intent(Goal.REPLACE_KEY, supplied, external_issuer=ASKED, replaces=cluster.current),
    )
    planned = plan(work, inspect(work, intent), intent)
    assert planned.violations == ()
    return [step.kind for step in planned.steps]


def test_a_user_comes_first_and_then_batches_of_users(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    cluster.begin(*FIVE)
    supplied, seen = elsewhere(root("Corporate Root")), []

    def note(change: Change) -> None:
        if change.plural == "secrets" and change.name in FIVE and cluster.current == supplied.fingerprint:
            served = [user for user in FIVE if subject_of_issuer(cluster, user) == "CN=Corporate Root,O=io.strimzi"]
            seen.append((len(served), sum(ready(cluster, user) for user in FIVE)))

    cluster.memory.api.listeners.append(note)
    moved(cluster, supplied, user_batch=2)
    # When a user gets a certificate, the User Operator has looked at all users that got theirs before, but for those of the same batch.
    assert seen == [(1, 0), (2, 1), (3, 1), (4, 3), (5, 3)]
    assert_served(cluster, supplied)


def test_batches_of_a_user_take_as_many_passes_as_there_are_users(
    cluster: ClientsCluster, nodes: ReloadingNodes
) -> None:
    """Neither the plan nor the run takes that for a circle."""
    cluster.begin(*(f"user-{number}" for number in range(20)))
    supplied, intent = elsewhere(root("Corporate Root")), {"external_issuer": ASKED, "user_batch": 1}
    run(cluster, Goal.REPLACE_KEY, supplied)
    SigningOffice(cluster.memory, supplied, START).work()
    work, asked = cluster.work(supplied), cluster.intent(Goal.REPLACE_KEY, supplied, **intent)
    planned = plan(work, inspect(work, asked), asked)
    assert planned.violations == ()
    assert len(planned.steps) > 2 * 20
    cluster.finish(Goal.REPLACE_KEY, supplied, **intent)
    assert_served(cluster, supplied)


def subject_of_issuer(cluster: ClientsCluster, user: str) -> str:
    return parse_certificates(cluster.secret(user)["user.crt"])[0].issuer


def test_the_first_is_not_kept(cluster: ClientsCluster, nodes: ReloadingNodes, golden: GoldenFiles) -> None:
    """Where the User Operator does not keep the first certificate, no other user gets its certificate."""
    cluster.begin(*FIVE)
    supplied = elsewhere(root("Corporate Root"))
    run(cluster, Goal.REPLACE_KEY, supplied)
    office = SigningOffice(cluster.memory, supplied, START)
    office.work()
    cluster.users.refusing = {FIVE[0]}
    with pytest.raises(OperatorSilent) as silent:
        run(cluster, Goal.REPLACE_KEY, supplied)
    golden.compare_said("flows", silent.value)
    assert [user for user in FIVE if subject_of_issuer(cluster, user) != "CN=clients-ca v0,O=io.strimzi"] == [FIVE[0]]
    cluster.users.refusing = set()
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
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
    cluster.finish(Goal.RENEW, again, external_issuer=ASKED)
    assert cluster.current == again.fingerprint
    assert {user: content["user.crt"] for user, content in users_of(cluster).items()} == {
        user: content["user.crt"] for user, content in before.items()
    }
    assert_served(cluster, again)


def test_a_renewal_keeps_certificates_that_end_before_long_until_others_have_come(
    cluster: ClientsCluster, nodes: ReloadingNodes
) -> None:
    """No user stays paused for an issuer that takes its time."""
    cluster.begin()
    first = elsewhere(root("First"))
    office = moved(cluster, first)
    before = users_of(cluster)
    cluster.memory.seconds += 46 * DAY
    again = elsewhere(renewed(first))
    decision = run(cluster, Goal.RENEW, again).outcome.decision
    assert (decision.violations, decision.done) == ((), False)
    assert set(decision.issue_reasons) == {"orders", "payments"}
    cluster.memory.settle(2)
    for user, content in users_of(cluster).items():
        assert ready(cluster, user), user
        assert content["user.crt"] == before[user]["user.crt"]
        assert "strimzi.io/pause-reconciliation" not in cluster.marks(user)
    office.work()
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    assert all(content["user.crt"] != before[user]["user.crt"] for user, content in users_of(cluster).items())
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
    assert set(waiting.issue_reasons) == {"billing"}
    office.work()
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    cluster.memory.settle(2)
    found = cluster.memory.api.find("secrets", NAMESPACE, "billing") or {}
    user = cluster.memory.api.find("kafkausers", NAMESPACE, "billing") or {}
    (owner,) = found["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["name"], owner["uid"]) == ("KafkaUser", "billing", user["metadata"]["uid"])
    assert_served(cluster, supplied)


def test_certificates_that_are_at_hand_do_not_wait_for_others(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
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


def test_open_requests_of_users_get_the_kind_of_key_of_the_call(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    cluster.begin()
    supplied = elsewhere(root("Corporate Root"))
    office = SigningOffice(cluster.memory, supplied, START)
    run(cluster, Goal.REPLACE_KEY, supplied)
    before = {name: office.csr(secret, name) for secret, name in office.requests()}
    # The User Operator makes a PKCS#12 file of such a key only.
    cluster.leaf_key = KeySpec(KeyAlgorithm.RSA, 3072)
    run(cluster, Goal.REPLACE_KEY, supplied)
    after = {name: office.csr(secret, name) for secret, name in office.requests()}
    assert (set(before), set(after)) == (set(users_of(cluster)), set(before))
    assert {parse_request(csr).public_key.key_size for csr in after.values()} == {3072}
    office.work()
    cluster.finish(Goal.REPLACE_KEY, supplied, external_issuer=ASKED)
    assert_served(cluster, supplied)
    assert {load_key(content["user.key"]).spec for content in users_of(cluster).values()} == {cluster.leaf_key}


@pytest.mark.parametrize("goal", [Goal.RENEW_LEAVES, Goal.RECONCILE])
def test_certificates_are_renewed_before_the_user_operator_would_try(
    cluster: ClientsCluster, nodes: ReloadingNodes, goal: Goal
) -> None:
    """The User Operator would try from 30 days before their end on, and could not renew them."""
    cluster.begin()
    supplied = elsewhere(root("Corporate Root"))
    office = moved(cluster, supplied)
    before = users_of(cluster)
    cluster.memory.seconds += 44 * DAY
    assert run(cluster, goal).outcome.decision.done
    cluster.memory.seconds += 2 * DAY
    assert not run(cluster, goal).outcome.decision.done
    office.work()
    cluster.finish(goal, external_issuer=ASKED)
    after = users_of(cluster)
    assert all(content["user.crt"] != before[user]["user.crt"] for user, content in after.items())
    assert_served(cluster, supplied)


def test_certificates_are_renewed_beside_the_ca_of_a_partner(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    """The certificates of the partner are never of the CA in use, so that this is never in use by all."""
    cluster.begin()
    external(cluster)
    cluster.outside = OutsideOptions(presenting_secrets=(NAMED,))
    partner, theirs = Partner(cluster, "partner"), root("Partner Root")
    trusted_beside(cluster, theirs)
    partner.take(theirs)
    partner.stop()
    partner.start()
    office = moved(cluster, elsewhere(root("Corporate Root")))
    before = cluster.secret("orders")
    cluster.memory.seconds += 46 * DAY
    assert not run(cluster, Goal.RECONCILE).outcome.decision.done
    office.work()
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    assert cluster.secret("orders")["user.crt"] != before["user.crt"]


def test_a_certificate_that_was_kept_for_long_is_written_once_and_renewed(
    cluster: ClientsCluster, nodes: ReloadingNodes
) -> None:
    """It waited for the others until it is due as soon as it is used."""
    cluster.begin()
    supplied = elsewhere(root("Corporate Root"))
    run(cluster, Goal.REPLACE_KEY, supplied)
    office = SigningOffice(cluster.memory, supplied, START)
    (secret, name), _other = office.requests()
    office.put_back(secret, name, office.sign(office.csr(secret, name)))
    run(cluster, Goal.REPLACE_KEY, supplied)
    cluster.memory.seconds += 46 * DAY
    office.work()
    written: list[str] = []
    cluster.memory.api.listeners.append(
        lambda change: written.append(change.name) if change.plural == "secrets" else None
    )
    decision = run(cluster, Goal.REPLACE_KEY, supplied).outcome.decision
    assert set(decision.issue_reasons) == {name}
    assert written.count(name) == 1
    first = users_of(cluster)
    office.work()
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    changed = [user for user, content in users_of(cluster).items() if content != first[user]]
    assert changed == [name]
    assert_served(cluster, supplied)


def test_a_user_with_a_window_of_its_own(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    """The User Operator would try to renew it from 60 days before its end on."""
    cluster.begin()
    days = {"spec": {"authentication": {"type": "tls", "validityDays": 90, "renewalDays": 60}}}
    cluster.change("kafkausers", "orders", days)
    supplied = elsewhere(root("Corporate Root"))
    office = moved(cluster, supplied)
    before = users_of(cluster)
    cluster.memory.seconds += 16 * DAY
    assert not run(cluster, Goal.RECONCILE).outcome.decision.done
    office.work()
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    changed = [user for user, content in users_of(cluster).items() if content != before[user]]
    assert changed == ["orders"]
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
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    cluster.memory.settle(2)
    assert_served(cluster, supplied)


# Undone, created, adopted.


def test_given_up_before_the_switch(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    cluster.begin()
    before, users, supplied = cluster.current, users_of(cluster), elsewhere(root("Corporate Root"))
    run(cluster, Goal.REPLACE_KEY, supplied)
    SigningOffice(cluster.memory, supplied, START).work()
    cluster.finish(Goal.ABORT, external_issuer=ASKED)
    assert_only(cluster, before)
    assert (users_of(cluster), requests_left(cluster)) == (users, [])


def test_given_up_after_the_switch(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    """The key of the old CA was kept: the User Operator issues again."""
    cluster.begin()
    before, supplied = cluster.current, elsewhere(root("Corporate Root"))
    run(cluster, Goal.REPLACE_KEY, supplied)
    SigningOffice(cluster.memory, supplied, START).work()
    assert cluster.run(Goal.REPLACE_KEY, supplied, external_issuer=ASKED, last_phase=Phase.USE).outcome.decision.pending
    assert cluster.current == supplied.fingerprint
    cluster.finish(Goal.ABORT, external_issuer=ASKED)
    assert_only(cluster, before)
    assert cluster.issuers() == {"CN=clients-ca v0,O=io.strimzi"}
    assert requests_left(cluster) == []


def test_certificates_that_end_while_the_caller_stops_before_they_are_renewed_are_told(
    cluster: ClientsCluster, nodes: ReloadingNodes
) -> None:
    """The old CA leaves before users are renewed, and this caller does not let it leave."""
    cluster.begin()
    moved(cluster, elsewhere(root("First")))
    second = elsewhere(root("Second"))
    run(cluster, Goal.REPLACE_KEY, second)
    office = SigningOffice(cluster.memory, second, START)
    office.work()
    pending = run(cluster, Goal.REPLACE_KEY, second, last_phase=Phase.USE).outcome.decision.pending
    assert [one for one in pending if "of users" in one] == []
    cluster.memory.seconds += 46 * DAY
    run(cluster, Goal.RECONCILE, last_phase=Phase.USE)
    office.work()
    pending = run(cluster, Goal.RECONCILE, last_phase=Phase.USE).outcome.decision.pending
    first, end = min(
        (name, parse_certificates(held["user.crt"])[0].not_after) for name, held in users_of(cluster).items()
    )
    told = f"renew {len(users_of(cluster))} certificates of users: {first} ends on {end:%Y-%m-%d}, the first of them"
    assert [one for one in pending if "of users" in one] == [told]
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    assert_only(cluster, second.fingerprint)
    assert_served(cluster, second)


def test_given_up_when_one_has_its_certificate_and_others_do_not(
    cluster: ClientsCluster, nodes: ReloadingNodes
) -> None:
    cluster.begin(*FIVE)
    before, users, supplied = cluster.current, users_of(cluster), elsewhere(root("Corporate Root"))
    run(cluster, Goal.REPLACE_KEY, supplied)
    SigningOffice(cluster.memory, supplied, START).work()
    cluster.users.refusing = {FIVE[0]}
    with pytest.raises(OperatorSilent):
        run(cluster, Goal.REPLACE_KEY, supplied)
    cluster.users.refusing = set()
    cluster.finish(Goal.ABORT, external_issuer=ASKED)
    assert_only(cluster, before)
    changed = [user for user, content in users_of(cluster).items() if content != users[user]]
    assert (changed, requests_left(cluster)) == ([FIVE[0]], [])
    assert all("strimzi.io/pause-reconciliation" not in cluster.marks(user) for user in FIVE)


def test_created_before_the_cluster(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    supplied = elsewhere(root("Corporate Root"))
    cluster.leaf_key = KeySpec(KeyAlgorithm.RSA, 2048)
    cluster.ca = CaKind.CLUSTER
    cluster.run(Goal.CREATE)
    cluster.ca = CaKind.CLIENTS
    run(cluster, Goal.CREATE, supplied)
    pool, kafka = clusters.dual_role(CLUSTER, "kafka", replicas=2, generated=False)
    kafka["spec"]["clientsCa"] = {"generateCertificateAuthority": False}
    cluster.deploy([pool, kafka])
    cluster.add("orders")
    assert not run(cluster, Goal.CREATE, supplied).outcome.decision.done
    SigningOffice(cluster.memory, supplied, START).work()
    cluster.finish(Goal.CREATE, supplied, external_issuer=ASKED)
    cluster.memory.settle(2)
    assert_only(cluster, supplied.fingerprint)
    assert_served(cluster, supplied)


@pytest.mark.parametrize("signing", [0, 1], ids=["the first", "the second"])
def test_of_several_roots_before_the_first_ca_the_certificate_of_the_first_user_tells(
    cluster: ClientsCluster, nodes: ReloadingNodes, signing: int
) -> None:
    """No user has a certificate yet, so any of them comes first; brokers trust all from their first start, and none restarts for another one."""
    roots = sorted((root("One"), root("Other")), key=lambda one: one.chain[0].sha256)
    cluster.leaf_key = KeySpec(KeyAlgorithm.RSA, 2048)
    cluster.ca = CaKind.CLUSTER
    cluster.run(Goal.CREATE)
    cluster.ca = CaKind.CLIENTS
    wants(cluster, *roots)
    told: dict[str, Any] = {"confirmed_roots": frozenset(one.chain[0].sha256 for one in roots)}
    made = run(cluster, Goal.CREATE, **told).outcome.decision
    assert (made.violations, made.done, made.waiting) == ((), True, ())
    pool, kafka = clusters.dual_role(CLUSTER, "kafka", replicas=2, generated=False)
    kafka["spec"]["clientsCa"] = {"generateCertificateAuthority": False}
    cluster.deploy([pool, kafka])
    cluster.add("orders")
    run(cluster, Goal.CREATE, **told)
    assert cluster.accepted == {one.fingerprint for one in roots}
    office = SigningOffice(cluster.memory, roots[signing], START)
    for _answer in range(2):
        office.work()
        run(cluster, Goal.RECONCILE, **told)
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED, **told)
    cluster.memory.settle(2)
    assert (cluster.current, cluster.rolls) == (roots[signing].fingerprint, {0})
    assert len(office.signed) == 1
    assert_served(cluster, roots[signing])


def test_a_cluster_that_lives_with_it_already_is_adopted(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    """The ledger is lost, and nothing else has to change."""
    cluster.begin()
    supplied = elsewhere(root("Corporate Root"))
    moved(cluster, supplied)
    cluster.memory.api.request("DELETE", f"/api/v1/namespaces/{NAMESPACE}/secrets/{LEDGER}")
    cluster.finish(Goal.UPGRADE, external_issuer=ASKED)
    assert_only(cluster, supplied.fingerprint)
    assert_served(cluster, supplied)


def test_a_clients_ca_whose_key_is_kept_elsewhere_is_not_handed_back(
    cluster: ClientsCluster, nodes: ReloadingNodes
) -> None:
    cluster.begin()
    moved(cluster, elsewhere(root("Corporate Root")))
    (violation,) = run(cluster, Goal.DOWNGRADE).outcome.decision.violations
    assert violation.condition is Condition.OPERATOR_COULD_RENEW


# Mistakes and failures.


def test_a_user_named_as_one_of_strimzis_own_gets_none(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    cluster.begin("cluster-operator", "orders")
    supplied = elsewhere(root("Corporate Root"))
    refused = run(cluster, Goal.REPLACE_KEY, supplied).refusals
    assert refused.keys() == {(Condition.PRESENTERS_CAN_BE_ISSUED_TO, "KafkaUser kafka/cluster-operator")}
    assert cluster.writes == 0


def foreign_secret(cluster: ClientsCluster, name: str, kind: str = "Opaque") -> dict[str, Any]:
    """A Secret without the labels of those of users."""
    body = {"apiVersion": "v1", "kind": "Secret", "type": kind, "metadata": {"name": name, "namespace": NAMESPACE}}
    cluster.memory.apply(body)
    return cluster.memory.api.find("secrets", NAMESPACE, name) or {}


@pytest.mark.parametrize("batch", [None, 1])
def test_a_user_with_a_secret_of_another_program_delays_no_run(
    cluster: ClientsCluster, nodes: ReloadingNodes, batch: int | None, golden: GoldenFiles
) -> None:
    """Neither users that are new, nor those whose certificates end."""
    cluster.begin()
    supplied = elsewhere(root("Corporate Root"))
    office = moved(cluster, supplied)
    cluster.leaf_key = KeySpec(KeyAlgorithm.RSA, 2048)
    theirs = {name: foreign_secret(cluster, name, "kubernetes.io/tls") for name in ("alerts", "audit")}
    cluster.add("alerts", "audit", "billing")
    run(cluster, Goal.RECONCILE, user_batch=batch)
    office.work()
    result = run(cluster, Goal.RECONCILE, user_batch=batch)
    alerts, audit = ((Condition.PRESENTERS_CAN_BE_ISSUED_TO, f"KafkaUser kafka/{user}") for user in ("alerts", "audit"))
    assert (list(result.refusals), result.outcome.decision.done) == ([alerts, audit], False)
    golden.compare_stop("presenters_can_be_issued_to, a Secret of another program", result.refusals[alerts])
    cluster.memory.settle(2)
    assert ready(cluster, "billing")
    before = users_of(cluster)
    cluster.memory.seconds += 46 * DAY
    run(cluster, Goal.RENEW_LEAVES, user_batch=batch)
    office.work()
    assert audit in run(cluster, Goal.RENEW_LEAVES, user_batch=batch).refusals
    assert [user for user, content in users_of(cluster).items() if content != before[user]] == [
        "billing",
        "orders",
        "payments",
    ]
    assert {name: cluster.memory.api.find("secrets", NAMESPACE, name) for name in theirs} == theirs
    for name in theirs:
        cluster.memory.api.request("DELETE", f"/api/v1/namespaces/{NAMESPACE}/secrets/{name}")
    run(cluster, Goal.RECONCILE)
    office.work()
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    cluster.memory.settle(2)
    assert_served(cluster, supplied)


def test_after_the_switch_the_first_one_is_another_then(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    """The user and a foreign Secret of that name were made while the issuer took its time."""
    cluster.begin()
    supplied = elsewhere(root("Corporate Root"))
    run(cluster, Goal.REPLACE_KEY, supplied)
    theirs, added = foreign_secret(cluster, "audit"), kafka_user("audit", NAMESPACE)
    added["metadata"]["annotations"] = {"strimzi.io/pause-reconciliation": "true"}
    cluster.memory.apply(added)
    cluster.memory.settle(1)
    run(cluster, Goal.REPLACE_KEY, supplied)
    SigningOffice(cluster.memory, supplied, START).work()
    refused = run(cluster, Goal.REPLACE_KEY, supplied).refusals
    assert (Condition.PRESENTERS_CAN_BE_ISSUED_TO, "KafkaUser kafka/audit") in refused
    assert_only(cluster, supplied.fingerprint)
    assert [ready(cluster, user) for user in ("orders", "payments")] == [True, True]
    assert cluster.memory.api.find("secrets", NAMESPACE, "audit") == theirs


def test_a_certificate_for_a_later_user_named_as_a_process_is_not_asked_for(
    cluster: ClientsCluster, nodes: ReloadingNodes
) -> None:
    cluster.begin()
    office = moved(cluster, elsewhere(root("Corporate Root")))
    cluster.add("demo-kafka")
    refused = run(cluster, Goal.RECONCILE).refusals
    assert (Condition.PRESENTERS_CAN_BE_ISSUED_TO, "KafkaUser kafka/demo-kafka") in refused
    assert (office.requests(), cluster.secret("demo-kafka")) == ([], {})


def test_more_users_than_have_room(
    cluster: ClientsCluster, nodes: ReloadingNodes, monkeypatch: pytest.MonkeyPatch, golden: GoldenFiles
) -> None:
    """The flow is held before anything is written."""
    monkeypatch.setattr(preconditions, "SECRET_LIMIT", 12_000)
    cluster.begin(*FIVE)
    ((where, violation),) = run(cluster, Goal.REPLACE_KEY, elsewhere(root("Corporate Root"))).refusals.items()
    assert where == (Condition.PRESENTERS_CAN_BE_ISSUED_TO, "Kafka kafka/demo")
    golden.compare_stop("presenters_can_be_issued_to, more users than have room", violation)
    assert cluster.writes == 0
    cluster.finish(Goal.REPLACE_KEY)


def test_a_certificate_that_the_user_operator_would_renew_at_once_is_refused(
    cluster: ClientsCluster, nodes: ReloadingNodes, golden: GoldenFiles
) -> None:
    cluster.begin()
    before, supplied = cluster.current, elsewhere(root("Corporate Root"))
    run(cluster, Goal.REPLACE_KEY, supplied)
    SigningOffice(cluster.memory, supplied, START, validity=timedelta(days=30)).work()
    waiting = run(cluster, Goal.REPLACE_KEY, supplied).outcome.decision.waiting
    golden.compare_said("flows", waiting[1])
    assert cluster.current == before
    cluster.change("kafkas", CLUSTER, {"spec": {"clientsCa": {"renewalDays": 10}}})
    cluster.memory.settle(1)
    cluster.run(Goal.REPLACE_KEY, supplied, external_issuer=ASKED, retry_requested_at=insisting(cluster.work()))
    SigningOffice(cluster.memory, supplied, START, validity=timedelta(days=30)).work()
    cluster.finish(Goal.REPLACE_KEY, supplied, external_issuer=ASKED)
    assert_only(cluster, supplied.fingerprint)


def test_a_certificate_with_an_added_organization_is_refused(
    cluster: ClientsCluster, nodes: ReloadingNodes, golden: GoldenFiles
) -> None:
    """Rights and quotas are those of CN=<user>; and O=io.strimzi is what makes superusers."""
    cluster.begin("orders")
    supplied = elsewhere(root("Corporate Root"))
    run(cluster, Goal.REPLACE_KEY, supplied)
    office = SigningOffice(cluster.memory, supplied, START)
    ((secret, name),) = office.requests()
    asked = parse_request(office.csr(secret, name))
    assert asked.subject.rfc4514_string() == "CN=orders"
    stranger = generate_key(EC256)
    other = build_request(DistinguishedName("orders"), frozenset(), stranger)
    office.put_back(secret, name, office.sign(other))
    waiting = run(cluster, Goal.REPLACE_KEY, supplied).outcome.decision.waiting
    golden.compare_said("flows", waiting[1])


def without_keystores(cluster: ClientsCluster) -> None:
    """A User Operator that makes no PKCS#12 files, as its variable says."""
    pool, kafka = clusters.dual_role(CLUSTER, "kafka", replicas=2, generated=False)
    env = [{"name": "STRIMZI_PKCS12_KEYSTORE_GENERATION", "value": "false"}]
    kafka["spec"]["entityOperator"]["template"] = {"userOperatorContainer": {"env": env}}
    cluster.users.keystores = False
    cluster.begin(manifests=[pool, kafka])


def test_without_pkcs12_files_no_certificate_is_ever_empty(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    """The User Operator would store an empty certificate for every user that it looks at with a key that is none."""
    without_keystores(cluster)
    emptied: list[str] = []

    def note(change: Change) -> None:
        if change.plural == "secrets" and (change.new or {}).get("data", {}).get("user.crt") == "":
            emptied.append(change.name)

    cluster.memory.api.listeners.append(note)
    supplied = elsewhere(root("Corporate Root"))
    office = moved(cluster, supplied)
    assert emptied == []
    assert {frozenset(content) for content in users_of(cluster).values()} == {
        frozenset({"ca.crt", "user.crt", "user.key"})
    }
    # A user that is made paused is served before the User Operator looks.
    paused = kafka_user("billing", NAMESPACE)
    paused["metadata"]["annotations"] = {"strimzi.io/pause-reconciliation": "true"}
    cluster.memory.apply(paused)
    cluster.memory.settle(1)
    run(cluster, Goal.RECONCILE)
    office.work()
    run(cluster, Goal.RECONCILE)
    cluster.change("kafkausers", "billing", {"metadata": {"annotations": {"strimzi.io/pause-reconciliation": None}}})
    cluster.memory.settle(2)
    assert (emptied, ready(cluster, "billing")) == ([], True)
    # And a user that is not made paused shows what the pause is for.
    cluster.add("careless")
    assert emptied != []


def test_no_user_goes_back_to_certificates_that_the_user_operator_cannot_sign(
    cluster: ClientsCluster, nodes: ReloadingNodes, golden: GoldenFiles
) -> None:
    """It would put an empty certificate over the one that programs may still read."""
    without_keystores(cluster)
    move(cluster, Authentication.TLS_EXTERNAL)
    cluster.outside = OutsideOptions(presenting_secrets=(NamedSecret(NAMESPACE, "orders", "user.crt"),))
    moved_ca = elsewhere(root("Corporate Root"))
    office = SigningOffice(cluster.memory, moved_ca, START)
    run(cluster, Goal.REPLACE_KEY, moved_ca)
    office.work()
    run(cluster, Goal.REPLACE_KEY, moved_ca)
    kept = cluster.secret("orders")
    with pytest.raises(StepError) as refused:
        move(cluster, Authentication.TLS)
    golden.compare_said("flows", refused.value)
    cluster.memory.settle(2)
    assert cluster.secret("orders") == kept


def test_without_the_gate_a_mistake_would_refuse_a_user(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    """The observer sees what the gate before writing is there for: a certificate of a CA that brokers have not read."""
    cluster.begin()
    supplied = elsewhere(root("Corporate Root"))
    cluster.engine = replace(leaving_open("trust", "alone"), rules=without(restart_to_trust).rules)
    run(cluster, Goal.REPLACE_KEY, supplied)
    SigningOffice(cluster.memory, supplied, START).work()
    with pytest.raises(InvariantBroken) as broken:
        run(cluster, Goal.REPLACE_KEY, supplied)
    assert (broken.value.breach.rule, broken.value.breach.parties[-1]) == ("logins", "orders")


def test_six_roles_are_enough(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    """And each rule of the role for issuing is used."""
    cluster.begin()
    roles = ("looking", "flows", "reload", "users", "clients-ca", "clients-ca-issuing")
    permitted = ByRoles(cluster.memory.api, [rule for role in roles for rule in ROLES[role]])
    cluster.permitted = permitted
    supplied = elsewhere(root("Corporate Root"))
    office = moved(cluster, supplied)
    cluster.memory.api.request("DELETE", f"/api/v1/namespaces/{NAMESPACE}/secrets/orders")
    run(cluster, Goal.RECONCILE)
    office.work()
    run(cluster, Goal.RECONCILE)
    cluster.finish(Goal.REPLACE_KEY, replaces=cluster.current, external_issuer=ASKED)
    assert permitted.refused == []
    assert permissions(ROLES["clients-ca-issuing"]) <= permitted.used


def test_a_user_that_the_role_does_not_name(cluster: ClientsCluster, nodes: ReloadingNodes) -> None:
    """The run says which rule is missing, and goes on when it is there."""
    cluster.begin("billing", "orders")
    roles = ("looking", "flows", "reload", "users", "clients-ca", "clients-ca-issuing")
    cluster.permitted = ByRoles(cluster.memory.api, [rule for role in roles for rule in ROLES[role]])
    supplied = elsewhere(root("Corporate Root"))
    run(cluster, Goal.REPLACE_KEY, supplied)
    SigningOffice(cluster.memory, supplied, START).work()
    with pytest.raises(Forbidden) as refused:
        run(cluster, Goal.REPLACE_KEY, supplied)
    assert "resourceNames: [billing]" in refused.value.remedy
    cluster.permitted = cluster.memory.api
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    assert_only(cluster, supplied.fingerprint)

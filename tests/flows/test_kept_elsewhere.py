# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The key of a CA is kept elsewhere: its issuer is asked for every leaf before anything depends on it, and nothing stands still
meanwhile.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import DistinguishedName
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.requests import build_request
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout import admin
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase, Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Strategy

from ..tools.operator import certs
from ..tools.support.authorities import Authority, below, renewed, root
from ..tools.support.certificates import YEAR
from ..tools.support.flows import START, FlowResult, insisting
from ..tools.support.golden import GoldenFiles
from ..tools.support.kafka import FakeKafka, FakeTopic
from ..tools.support.signing_office import SigningOffice, secrets_of
from ..tools.support.watched_cluster import CERTIFICATES, KEYS, WatchedCluster, assert_only, subject
from .test_link_outside import NAMED, client_reads

pytestmark = pytest.mark.usefixtures("uptake")
ASKED = "the external issuer"


def elsewhere(authority: Authority) -> Authority:
    return replace(authority, elsewhere=True)


def office(cluster: WatchedCluster, authority: Authority) -> SigningOffice:
    return SigningOffice(cluster.memory, authority, START)


def run(cluster: WatchedCluster, goal: Goal, supplied: Authority | None = None) -> FlowResult:
    return cluster.run(goal, supplied, external_issuer=ASKED)


def moved(cluster: WatchedCluster, authority: Authority) -> SigningOffice:
    """The cluster is brought to a CA whose key is kept elsewhere."""
    signing = office(cluster, authority)
    asked = run(cluster, Goal.REPLACE_KEY, authority)
    assert not asked.outcome.decision.done
    signing.work()
    cluster.finish(Goal.REPLACE_KEY, authority, external_issuer=ASKED)
    cluster.look_away()
    return signing


def issuing_secrets(cluster: WatchedCluster) -> list[str]:
    return [one["metadata"]["name"] for one in secrets_of(cluster.memory) if "-issuing-" in one["metadata"]["name"]]


def test_a_replacement_asks_first_and_goes_on_when_the_answers_are_there(cluster: WatchedCluster) -> None:
    cluster.create()
    before, supplied = cluster.current, elsewhere(root("Corporate Root", path_length=0))
    waiting = run(cluster, Goal.REPLACE_KEY, supplied).outcome.decision
    assert (waiting.violations, waiting.done) == ((), False)
    assert NODE in waiting.issue_reasons
    assert cluster.current == before
    assert not cluster.paused
    assert cluster.rolls == {0}
    again = run(cluster, Goal.REPLACE_KEY, supplied)
    assert (cluster.writes, again.outcome.decision.waiting) == (0, waiting.waiting)
    office(cluster, supplied).work()
    cluster.finish(Goal.REPLACE_KEY, supplied, external_issuer=ASKED)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY)
    assert_only(cluster, supplied.fingerprint)
    assert b"PRIVATE" not in cluster.secret(KEYS)["ca.key"]
    assert set(cluster.issued_by_operator) <= {"demo-clients-ca"}
    assert issuing_secrets(cluster) == []


def test_an_intermediate_below_a_corporate_root(cluster: WatchedCluster) -> None:
    cluster.create()
    supplied = elsewhere(below(root()))
    moved(cluster, supplied)
    assert cluster.secret(CERTIFICATES)["ca.crt"] == supplied.pem
    assert_only(cluster, supplied.fingerprint)


def test_from_one_that_is_kept_elsewhere_to_another(cluster: WatchedCluster) -> None:
    cluster.create()
    moved(cluster, elsewhere(root("First")))
    supplied = elsewhere(root("Second"))
    moved(cluster, supplied)
    assert_only(cluster, supplied.fingerprint)
    assert cluster.ready


def test_a_cluster_goes_back_to_a_key_of_its_own(cluster: WatchedCluster) -> None:
    cluster.create()
    moved(cluster, elsewhere(root("First")))
    cluster.finish(Goal.REPLACE_KEY, replaces=cluster.current, external_issuer=ASKED)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY, "unlinked")
    assert cluster.issuers() == {subject(cluster.secret(CERTIFICATES)["ca.crt"])}
    assert b"PRIVATE KEY" in cluster.secret(KEYS)["ca.key"]


def test_a_renewal_needs_no_new_leaves(cluster: WatchedCluster) -> None:
    cluster.create()
    first = elsewhere(root("First"))
    moved(cluster, first)
    again = elsewhere(replace(renewed(first), elsewhere=True))
    cluster.finish(Goal.RENEW, again, external_issuer=ASKED)
    # Nothing is to be read again either: every node presents the leaf that it has.
    assert cluster.paid == replace(cluster.cost(Goal.RENEW), reloads=0)
    assert cluster.current == again.fingerprint
    assert set(cluster.issued_by_operator) <= {"demo-clients-ca"}


def test_a_ca_whose_key_is_kept_elsewhere_is_not_handed_back(cluster: WatchedCluster) -> None:
    cluster.create()
    moved(cluster, elsewhere(root("First")))
    (violation,) = run(cluster, Goal.DOWNGRADE).outcome.decision.violations
    assert violation.condition is Condition.OPERATOR_COULD_RENEW


def scale(cluster: WatchedCluster, replicas: int) -> None:
    path = "/apis/kafka.strimzi.io/v1/namespaces/kafka/kafkanodepools/kafka"
    patch, kind = {"spec": {"replicas": replicas}}, "application/merge-patch+json"
    assert cluster.memory.api.request("PATCH", path, body=patch, content_type=kind).status == 200
    cluster.memory.settle(1)


def test_a_cluster_is_created_with_it(cluster: WatchedCluster) -> None:
    """The operator, which can issue nothing, waits for the leaves; no person has to write them by hand."""
    supplied = elsewhere(root("Corporate Root"))
    run(cluster, Goal.CREATE, supplied)
    cluster.deploy()
    assert not cluster.ready
    signing = office(cluster, supplied)
    asked = run(cluster, Goal.CREATE, supplied).outcome.decision
    assert (asked.violations, asked.done) == ((), False)
    signing.work()
    run(cluster, Goal.CREATE, supplied)
    cluster.memory.settle(2)
    assert cluster.ready
    cluster.finish(Goal.CREATE, supplied, external_issuer=ASKED)
    assert_only(cluster, supplied.fingerprint)
    assert set(cluster.issued_by_operator) <= {"demo-clients-ca"}


def test_a_node_that_is_added_by_hand_starts_after_the_next_run(cluster: WatchedCluster) -> None:
    cluster.create()
    signing = moved(cluster, elsewhere(root("Corporate Root")))
    scale(cluster, 3)
    assert not cluster.ready
    assert set(cluster.memory.kubelet.nodes) == {"demo-kafka-0", "demo-kafka-1"}
    asked = run(cluster, Goal.RECONCILE).outcome.decision
    assert (asked.violations, "demo-kafka-2" in asked.waiting[0]) == ((), True)
    signing.work()
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    cluster.memory.settle(2)
    assert cluster.ready
    assert set(cluster.memory.kubelet.nodes) == {"demo-kafka-0", "demo-kafka-1", "demo-kafka-2"}
    assert cluster.counts()["demo-kafka-0"] == 0


# Listeners get other names, which the operator cannot put into leaves.


def advertise(cluster: WatchedCluster, *names: str) -> None:
    """Every listener of the brokers gets these names."""
    listeners = cluster.kafka["spec"]["kafka"]["listeners"]
    configured = [{**one, "configuration": {"bootstrap": {"alternativeNames": list(names)}}} for one in listeners]
    cluster.change("kafkas", "demo", {"spec": {"kafka": {"listeners": configured}}})
    cluster.memory.settle(1)


def restarting_directly(cluster: WatchedCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on the runs restart the nodes themselves."""
    memory, topics = cluster.memory, [FakeTopic("orders", (0, 1), 1)]
    kafka = FakeKafka(memory.api, lambda: memory.seconds, {0: "cb", 1: "cb"}, topics, active=1)
    monkeypatch.setattr(admin, "connect_to", lambda _bootstrap: lambda _observation: kafka)
    cluster.strategy = Strategy.DIRECT


def names_in(cluster: WatchedCluster, secret: str) -> frozenset[str]:
    return parse_certificates(stored(cluster, secret))[0].subject_alternative_names


def test_other_names_are_asked_for_and_the_operator_goes_on(cluster: WatchedCluster) -> None:
    cluster.create()
    supplied = elsewhere(root("Corporate Root"))
    signing = moved(cluster, supplied)
    signing.signed.clear()
    before = {name: stored(cluster, name) for name in cluster.memory.kubelet.nodes}
    advertise(cluster, "kafka.corp.example")
    assert not cluster.ready
    asked = run(cluster, Goal.RECONCILE).outcome
    assert (asked.decision.violations, asked.decision.done) == ((), False)
    assert "it lacks kafka.corp.example" in asked.decision.waiting[1]
    assert set(asked.observation.snapshot.leaves.misnamed) == set(before)
    # The operator stands still, and touches nothing.
    assert {name: stored(cluster, name) for name in before} == before
    assert (cluster.rolls, cluster.paused) == ({0}, False)
    signing.work()
    assert set(signing.signed) == set(before)
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    cluster.memory.settle(1)
    assert cluster.ready
    assert {"kafka.corp.example" in names_in(cluster, name) for name in before} == {True}
    assert (cluster.rolls, cluster.issued_by_operator, issuing_secrets(cluster)) == ({1}, [], [])
    assert_only(cluster, supplied.fingerprint)


@pytest.mark.parametrize("strategy", Strategy)
@pytest.mark.parametrize("when", ["before", "requested", "answered"])
@pytest.mark.each_once
def test_other_names_are_wanted_in_a_replacement_by_another_ca_that_is_kept_elsewhere(
    cluster: WatchedCluster, monkeypatch: pytest.MonkeyPatch, when: str, strategy: Strategy
) -> None:
    """In the pause nothing shows which names the operator wants: an answer with the names that were right before is used."""
    cluster.create()
    moved(cluster, elsewhere(root("First")))
    following = elsewhere(root("Second"))
    if strategy is Strategy.DIRECT:
        restarting_directly(cluster, monkeypatch)
    signing = office(cluster, following)
    if when == "before":
        advertise(cluster, "kafka.corp.example")
    assert not run(cluster, Goal.REPLACE_KEY, following).outcome.decision.done
    if when == "answered":
        signing.work()
    if when != "before":
        advertise(cluster, "kafka.corp.example")
        signing.work()
        waiting = run(cluster, Goal.REPLACE_KEY, following).outcome.decision
        assert (waiting.violations, waiting.done, cluster.paused) == ((), False, False)
        assert "it lacks kafka.corp.example" in waiting.waiting[1]
    signing.work()
    cluster.finish(Goal.REPLACE_KEY, following, external_issuer=ASKED)
    assert_only(cluster, following.fingerprint)
    assert {"kafka.corp.example" in names_in(cluster, name) for name in cluster.memory.kubelet.nodes} == {True}
    assert (cluster.paused, cluster.ready, issuing_secrets(cluster)) == (False, True, [])


def test_names_that_are_taken_back_are_not_asked_for_any_more(cluster: WatchedCluster) -> None:
    cluster.create()
    moved(cluster, elsewhere(root("Corporate Root")))
    advertise(cluster, "kafka.corp.example")
    run(cluster, Goal.RECONCILE)
    assert issuing_secrets(cluster) != []
    advertise(cluster)
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    assert (cluster.rolls, issuing_secrets(cluster)) == ({0}, [])
    assert cluster.ready


def test_hosts_of_several_entries_for_one_broker_are_asked_for(cluster: WatchedCluster) -> None:
    """An overlay leaves two entries for one broker; the operator, which takes the first host that it finds, stands still without it."""
    cluster.create()
    signing = moved(cluster, elsewhere(root("Corporate Root")))
    entries = [{"broker": 0, "advertisedPort": 9193}, {"broker": 0, "advertisedHost": "zero.example"}]
    listeners = cluster.kafka["spec"]["kafka"]["listeners"]
    configured = [{**one, "configuration": {"brokers": entries}} if one["name"] == "tls" else one for one in listeners]
    cluster.change("kafkas", "demo", {"spec": {"kafka": {"listeners": configured}}})
    cluster.memory.settle(2)
    assert not cluster.ready
    run(cluster, Goal.RECONCILE)
    signing.work()
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    cluster.memory.settle(1)
    assert cluster.ready
    assert "zero.example" in names_in(cluster, "demo-kafka-0")


# Leaves of a CA that is kept elsewhere come to their end, are lost, or are refused.

DAY = 86400.0
NODE = "demo-kafka-0"
#: For tests to which it does not matter how certificates are taken up, or for which there is only this way.
ONCE = pytest.mark.parametrize("uptake", [True], ids=["reload"], indirect=True)


def stored(cluster: WatchedCluster, name: str) -> bytes:
    """The certificate of an end entity."""
    return next((pem for key, pem in cluster.secret(name).items() if key.endswith(".crt")), b"")


@pytest.mark.parametrize("goal", [Goal.RENEW_LEAVES, Goal.RECONCILE])
def test_all_leaves_are_renewed_under_it(cluster: WatchedCluster, goal: Goal) -> None:
    """Any run renews them, before the operator's window of 30 days; leaves of components too, which the operator renews if it has the key."""
    cluster.create()
    signing = moved(cluster, elsewhere(root("First")))
    names = signing.signed.copy()
    assert NODE in names
    assert "demo-kafka-exporter-certs" in names
    before = {name: stored(cluster, name) for name in names}
    cluster.memory.seconds += 44 * DAY
    assert run(cluster, goal).outcome.decision.done
    cluster.memory.seconds += 2 * DAY
    waiting = run(cluster, goal).outcome.decision
    assert set(waiting.issue_reasons) == set(names)
    assert ({name: stored(cluster, name) for name in names}, cluster.rolls, waiting.done) == (before, {0}, False)
    signing.work()
    cluster.finish(goal, external_issuer=ASKED)
    assert [name for name in names if stored(cluster, name) == before[name]] == []
    assert cluster.paid == cluster.cost(Goal.RENEW_LEAVES)
    assert (cluster.issued_by_operator, issuing_secrets(cluster)) == ([], [])
    assert cluster.ready


@ONCE
def test_a_recovery_has_its_issuer_sign_when_all_leaves_have_ended(
    cluster: WatchedCluster, golden: GoldenFiles
) -> None:
    """No other flow renews them: each is held until the nodes are back."""
    cluster.create()
    signing = moved(cluster, elsewhere(root("First", end=START + 10 * YEAR)))
    cluster.memory.operator_runs = False
    cluster.memory.seconds += 100 * DAY
    cluster.look_elsewhere()
    cluster.memory.operator_runs = True
    cluster.memory.settle(2)
    assert Condition.LEAVES_IN_USE_ARE_VALID in {
        violation.condition for violation in run(cluster, Goal.RECONCILE).outcome.decision.violations
    }
    cluster.look_away()
    waiting = run(cluster, Goal.RECOVER).outcome.decision
    assert (waiting.violations, waiting.done, cluster.paused) == ((), False, False)
    golden.compare_said("flows", waiting.waiting[0])
    signing.work()
    cluster.finish(Goal.RECOVER, external_issuer=ASKED)
    cluster.memory.settle(3)
    assert (cluster.memory.kubelet.ended(certs.now()), cluster.rolls, cluster.paused) == ([], {1}, False)
    assert (cluster.issued_by_operator, issuing_secrets(cluster)) == ([], [])
    assert cluster.ready


@ONCE
@pytest.mark.parametrize("is_answered", [False, True], ids=["asked", "answered"])
def test_a_recovery_has_the_issuer_of_the_ca_in_use_sign_in_the_middle_of_a_flow(
    cluster: WatchedCluster, is_answered: bool
) -> None:
    """The flow asks, or has asked, for the same leaves of the next CA; nodes that refuse each other cannot wait for it."""
    cluster.create()
    signing = moved(cluster, elsewhere(root("First", end=START + 10 * YEAR)))
    following = elsewhere(root("Second", end=START + 10 * YEAR))
    run(cluster, Goal.REPLACE_KEY, following)
    if is_answered:
        office(cluster, following).work()
    own = stored(cluster, "demo-cluster-operator-certs")
    cluster.memory.operator_runs = False
    cluster.memory.seconds += 100 * DAY
    cluster.look_elsewhere()
    cluster.look_away()
    cluster.memory.operator_runs = True
    cluster.memory.settle(2)
    waiting = run(cluster, Goal.RECOVER).outcome.decision
    assert "certificates of CN=First" in waiting.waiting[0]
    signing.work()
    run(cluster, Goal.RECOVER)
    assert (cluster.memory.kubelet.ended(certs.now()), cluster.counts()[NODE], cluster.paused) == ([], 1, False)
    assert stored(cluster, "demo-cluster-operator-certs") != own, "the operator can ask no node"
    office(cluster, following).work()
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    assert_only(cluster, following.fingerprint)


@pytest.mark.parametrize("name", [NODE, "demo-entity-topic-operator-certs", "demo-cluster-operator-certs"])
def test_a_leaf_that_was_deleted_is_asked_for_and_put_back(cluster: WatchedCluster, name: str) -> None:
    """The operator cannot put it back: it stands still until the Secret is there."""
    cluster.create()
    supplied = elsewhere(root("First"))
    signing = moved(cluster, supplied)
    signing.signed.clear()
    cluster.memory.api.request("DELETE", f"/api/v1/namespaces/kafka/secrets/{name}")
    asked = run(cluster, Goal.RECONCILE).outcome.decision
    assert (asked.violations, asked.done) == ((), False)
    assert set(asked.issue_reasons) == {name}
    assert cluster.secret(name) == {}
    signing.work()
    assert signing.signed == [name]
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    assert cluster.secret(name)
    assert cluster.issued_by_operator == []
    assert_only(cluster, supplied.fingerprint)
    assert cluster.ready


@ONCE
def test_of_two_deleted_leaves_the_one_that_has_come_back_waits_for_the_other(cluster: WatchedCluster) -> None:
    cluster.create()
    signing = moved(cluster, elsewhere(root("First")))
    for name in (NODE, "demo-kafka-1"):
        cluster.memory.api.request("DELETE", f"/api/v1/namespaces/kafka/secrets/{name}")
    run(cluster, Goal.RECONCILE)
    (secret, name), _other = signing.requests()
    signing.put_back(secret, name, signing.sign(signing.csr(secret, name)))
    waiting = run(cluster, Goal.RECONCILE).outcome.decision
    assert (waiting.violations, waiting.done) == ((), False)
    signing.work()
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    assert cluster.ready


def test_a_deleted_leaf_is_waited_for_through_a_renewal_of_the_ca(cluster: WatchedCluster) -> None:
    """The leaf is asked for once, of the renewed CA, and not again and again."""
    cluster.create()
    first = elsewhere(root("First"))
    signing = moved(cluster, first)
    signing.signed.clear()
    again = elsewhere(renewed(first))
    cluster.memory.api.request("DELETE", f"/api/v1/namespaces/kafka/secrets/{NODE}")
    assert not run(cluster, Goal.RENEW, again).outcome.decision.done
    signing.work()
    cluster.finish(Goal.RENEW, again, external_issuer=ASKED)
    assert signing.signed == [NODE]
    cluster.memory.settle(1)
    assert (cluster.current, cluster.issued_by_operator) == (again.fingerprint, [])
    assert cluster.ready


class Careless(SigningOffice):
    """Signs for some other key."""

    def sign(self, csr: bytes) -> bytes:
        other = build_request(DistinguishedName("demo-kafka"), frozenset({"demo.example"}), self.authority.keys[0])
        return super().sign(other)


@ONCE
def test_a_refused_certificate_is_requested_again_in_an_hour_or_at_once(
    cluster: WatchedCluster, golden: GoldenFiles
) -> None:
    cluster.create()
    before, supplied = cluster.current, elsewhere(root("Corporate Root", path_length=0))
    run(cluster, Goal.REPLACE_KEY, supplied)
    careless, good = Careless(cluster.memory, supplied, START), office(cluster, supplied)
    careless.work()
    told = run(cluster, Goal.REPLACE_KEY, supplied).outcome.decision
    assert (told.violations, told.done) == ((), False)
    golden.compare_said("flows", "\n".join(told.waiting))
    assert len(told.waiting) == 1 + len(careless.signed)
    # Nothing is open, so nothing can be answered, and nothing is asked before its time.
    assert (run(cluster, Goal.REPLACE_KEY, supplied).outcome.decision.waiting, good.requests()) == (told.waiting, [])
    assert cluster.writes == 0
    again = cluster.run(
        Goal.REPLACE_KEY, supplied, external_issuer=ASKED, retry_requested_at=insisting(cluster.work())
    ).outcome.decision
    assert len(good.requests()) == len(careless.signed)
    assert not again.done
    careless.work()
    run(cluster, Goal.REPLACE_KEY, supplied)
    # The wait for the next request is twice as long now.
    cluster.memory.seconds += 1.5 * 3600
    run(cluster, Goal.REPLACE_KEY, supplied)
    assert good.requests() == []
    cluster.memory.seconds += 3600
    run(cluster, Goal.REPLACE_KEY, supplied)
    assert len(good.requests()) == len(careless.signed) / 2
    assert (cluster.current, cluster.rolls) == (before, {0})
    good.work()
    cluster.finish(Goal.REPLACE_KEY, supplied, external_issuer=ASKED)
    assert_only(cluster, supplied.fingerprint)


@ONCE
def test_an_answer_to_a_request_of_before_is_refused(cluster: WatchedCluster, golden: GoldenFiles) -> None:
    """A person had the old request signed when another request was in its place already, because its key was lost."""
    cluster.create()
    supplied = elsewhere(root("Corporate Root", path_length=0))
    run(cluster, Goal.REPLACE_KEY, supplied)
    late, good = (SigningOffice(cluster.memory, supplied, START) for _one in range(2))
    answers = {name: late.sign(late.csr(secret, name)) for secret, name in late.requests()}
    for keys in [name for name in issuing_secrets(cluster) if name.endswith("-keys")]:
        cluster.memory.api.request("DELETE", f"/api/v1/namespaces/kafka/secrets/{keys}")
    run(cluster, Goal.REPLACE_KEY, supplied)
    for secret, name in late.requests():
        late.put_back(secret, name, answers[name])
    told = run(cluster, Goal.REPLACE_KEY, supplied).outcome.decision
    golden.compare_said("flows", told.waiting[1])
    assert (len(told.waiting), told.done) == (1 + len(answers), False)
    cluster.run(Goal.REPLACE_KEY, supplied, external_issuer=ASKED, retry_requested_at=insisting(cluster.work()))
    good.work()
    cluster.finish(Goal.REPLACE_KEY, supplied, external_issuer=ASKED)
    assert_only(cluster, supplied.fingerprint)


@ONCE
def test_a_corrected_answer_to_a_request_that_was_refused_is_taken(cluster: WatchedCluster) -> None:
    """The request that is made again is for the same key and names: no person has to export it again."""
    cluster.create()
    supplied = elsewhere(root("Corporate Root", path_length=0))
    run(cluster, Goal.REPLACE_KEY, supplied)
    careless, good = (kind(cluster.memory, supplied, START) for kind in (Careless, SigningOffice))
    requests = {name: good.csr(secret, name) for secret, name in good.requests()}
    careless.work()
    run(cluster, Goal.REPLACE_KEY, supplied)
    cluster.run(Goal.REPLACE_KEY, supplied, external_issuer=ASKED, retry_requested_at=insisting(cluster.work()))
    for secret, name in good.requests():
        good.put_back(secret, name, good.sign(requests[name]))
    cluster.finish(Goal.REPLACE_KEY, supplied, external_issuer=ASKED)
    assert_only(cluster, supplied.fingerprint)


@ONCE
def test_with_retire_when_restarted_no_node_restarts_for_it(cluster: WatchedCluster) -> None:
    cluster.create()
    supplied = elsewhere(root("Corporate Root", path_length=0))
    patient: dict[str, Any] = {"retire": Retire.WHEN_RESTARTED, "external_issuer": ASKED}
    assert not cluster.run(Goal.REPLACE_KEY, supplied, **patient).outcome.decision.done
    assert cluster.rolls == {0}
    office(cluster, supplied).work()
    cluster.finish(Goal.REPLACE_KEY, supplied, **patient)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY, "when_restarted")
    # The Cluster Operator's own leaf waits for nodes to forget the old CA.
    assert issuing_secrets(cluster) == ["demo-issuing-cluster-operator", "demo-issuing-cluster-operator-keys"]
    for node in cluster.memory.restarts():
        cluster.restart(node)
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    assert_only(cluster, supplied.fingerprint)
    assert (cluster.issued_by_operator, issuing_secrets(cluster)) == ([], [])


@ONCE
@pytest.mark.parametrize("begun", ["by a key of the cluster", "by a key that is elsewhere too"])
def test_leaves_are_renewed_although_nodes_have_yet_to_forget_the_old_ca(cluster: WatchedCluster, begun: str) -> None:
    """The flow waits for longer than the first leaves live, and the operator can renew none of them."""
    cluster.create()
    if begun == "by a key that is elsewhere too":
        moved(cluster, elsewhere(root("First")))
    supplied = elsewhere(below(root()))
    signing, patient = office(cluster, supplied), {"retire": Retire.WHEN_RESTARTED, "external_issuer": ASKED}
    cluster.run(Goal.REPLACE_KEY, supplied, **patient)
    signing.work()
    cluster.finish(Goal.REPLACE_KEY, supplied, **patient)
    before = {name: stored(cluster, name) for name in signing.signed}
    cluster.memory.seconds += 46 * DAY
    waiting = run(cluster, Goal.RECONCILE).outcome.decision
    assert set(waiting.issue_reasons) == set(before)
    signing.work()
    cluster.look_away()
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    assert [name for name in before if stored(cluster, name) == before[name]] == []
    assert cluster.paid == cluster.cost(Goal.RENEW_LEAVES)
    # Before the leaves end that nodes were started with, they restart: no node presents them any more.
    cluster.memory.seconds += 38 * DAY
    cluster.memory.settle(1)
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    assert cluster.ready
    assert cluster.issued_by_operator == []


@ONCE
def test_leaves_are_renewed_by_runs_that_stop_after_the_phase_use(cluster: WatchedCluster) -> None:
    """The old CA is to stay for now, and stays."""
    cluster.create()
    moved(cluster, elsewhere(root("First")))
    old, supplied = cluster.current, elsewhere(root("Second"))
    run(cluster, Goal.REPLACE_KEY, supplied)
    signing = office(cluster, supplied)
    signing.work()
    cluster.run(Goal.REPLACE_KEY, supplied, external_issuer=ASKED, last_phase=Phase.USE)
    before = {name: stored(cluster, name) for name in signing.signed}
    cluster.memory.seconds += 46 * DAY
    cluster.run(Goal.RECONCILE, external_issuer=ASKED, last_phase=Phase.USE)
    signing.work()
    assert cluster.run(Goal.RECONCILE, external_issuer=ASKED, last_phase=Phase.USE).outcome.decision.done
    assert [name for name in before if stored(cluster, name) == before[name]] == []
    assert cluster.trusted == {old, supplied.fingerprint}
    cluster.finish(Goal.RECONCILE, external_issuer=ASKED)
    assert_only(cluster, supplied.fingerprint)


@ONCE
def test_a_flow_that_a_client_holds_names_the_certificates_that_end_meanwhile(
    cluster: WatchedCluster, golden: GoldenFiles
) -> None:
    """No issuer renews certificates of the CA in use before the switch, and the operator cannot."""
    cluster.create()
    first = moved(cluster, elsewhere(root("First")))
    client_reads(cluster, cluster.secret(CERTIFICATES)["ca.crt"])
    cluster.outside, second = NAMED, elsewhere(root("Second"))
    run(cluster, Goal.REPLACE_KEY, second)
    office(cluster, second).work()
    (client,) = run(cluster, Goal.REPLACE_KEY, second).outcome.decision.violations
    assert client.subject == "Secret kafka/app"
    cluster.memory.seconds += 46 * DAY
    told, ending = run(cluster, Goal.RECONCILE).outcome.decision.violations
    assert (told, ending.condition) == (client, Condition.LEAVES_CAN_BE_RENEWED)
    golden.compare_stop("leaves_can_be_renewed, a client holds the flow", ending)
    before = stored(cluster, NODE)
    run(cluster, Goal.ABORT)
    first.work()
    cluster.finish(Goal.ABORT, external_issuer=ASKED)
    assert stored(cluster, NODE) != before
    assert (cluster.ready, cluster.issued_by_operator) == (True, [])


@ONCE
def test_a_cluster_that_lives_with_it_already_is_adopted(cluster: WatchedCluster) -> None:
    """The ledger is lost, and nothing else has to change."""
    cluster.create()
    supplied = elsewhere(root("Corporate Root"))
    moved(cluster, supplied)
    cluster.memory.api.request("DELETE", "/api/v1/namespaces/kafka/secrets/demo-cluster-ca-trusted-certs")
    cluster.finish(Goal.UPGRADE, external_issuer=ASKED)
    assert (cluster.current, set(cluster.states)) == (supplied.fingerprint, {supplied.fingerprint})
    assert (cluster.issued_by_operator, issuing_secrets(cluster)) == ([], [])

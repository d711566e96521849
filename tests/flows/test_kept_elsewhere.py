# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The key of a CA is kept elsewhere: its issuer is asked for every leaf before anything depends on it, and nothing stands still
meanwhile.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..support.authorities import Authority, below, renewed, root
from ..support.flows import START, FlowResult
from ..support.signing_office import SigningOffice, secrets_of
from ..support.watched_cluster import CERTIFICATES, KEYS, WatchedCluster, assert_only, subject

pytestmark = pytest.mark.usefixtures("uptake")
ASKED = "the external issuer"


def elsewhere(authority: Authority) -> Authority:
    return replace(authority, elsewhere=True)


def office(cluster: WatchedCluster, authority: Authority) -> SigningOffice:
    return SigningOffice(cluster.memory, authority, START)


def run(cluster: WatchedCluster, goal: Goal, supplied: Authority | None = None) -> FlowResult:
    return cluster.run(goal, supplied, asked=ASKED)


def moved(cluster: WatchedCluster, authority: Authority) -> SigningOffice:
    """The cluster is brought to a CA whose key is kept elsewhere."""
    signing = office(cluster, authority)
    asked = run(cluster, Goal.REPLACE_KEY, authority)
    assert not asked.outcome.decision.done
    signing.work()
    cluster.finish(Goal.REPLACE_KEY, authority, asked=ASKED)
    cluster.look_away()
    return signing


def issuing_secrets(cluster: WatchedCluster) -> list[str]:
    return [one["metadata"]["name"] for one in secrets_of(cluster.memory) if "-issuing-" in one["metadata"]["name"]]


def test_a_replacement_asks_first_and_goes_on_when_the_answers_are_there(cluster: WatchedCluster) -> None:
    cluster.create()
    before, supplied = cluster.current, elsewhere(root("Corporate Root", path_length=0))
    waiting = run(cluster, Goal.REPLACE_KEY, supplied).outcome.decision
    assert (waiting.violations, waiting.done) == ((), False)
    assert "certificates of CN=Corporate Root" in waiting.waiting[0]
    assert cluster.current == before
    assert not cluster.paused
    assert cluster.rolls == {0}
    again = run(cluster, Goal.REPLACE_KEY, supplied)
    assert (cluster.writes, again.outcome.decision.waiting) == (0, waiting.waiting)
    office(cluster, supplied).work()
    cluster.finish(Goal.REPLACE_KEY, supplied, asked=ASKED)
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


def test_and_back_to_a_key_of_the_cluster(cluster: WatchedCluster) -> None:
    cluster.create()
    moved(cluster, elsewhere(root("First")))
    cluster.finish(Goal.REPLACE_KEY, replaces=cluster.current, asked=ASKED)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY, "unlinked")
    assert cluster.issuers() == {subject(cluster.secret(CERTIFICATES)["ca.crt"])}
    assert b"PRIVATE KEY" in cluster.secret(KEYS)["ca.key"]


def test_a_renewal_needs_no_new_leaves(cluster: WatchedCluster) -> None:
    cluster.create()
    first = elsewhere(root("First"))
    moved(cluster, first)
    again = elsewhere(replace(renewed(first), elsewhere=True))
    cluster.finish(Goal.RENEW, again, asked=ASKED)
    # Nothing is to be read again either: every node presents the leaf that it has.
    assert cluster.paid == replace(cluster.cost(Goal.RENEW), reloads=0)
    assert cluster.current == again.fingerprint
    assert set(cluster.issued_by_operator) <= {"demo-clients-ca"}


def test_it_is_not_handed_back(cluster: WatchedCluster) -> None:
    cluster.create()
    moved(cluster, elsewhere(root("First")))
    (violation,) = run(cluster, Goal.DOWNGRADE).outcome.decision.violations
    assert "somebody else keeps the key" in violation.message


def scale(cluster: WatchedCluster, replicas: int) -> None:
    path = "/apis/kafka.strimzi.io/v1/namespaces/kafka/kafkanodepools/kafka"
    patch, kind = {"spec": {"replicas": replicas}}, "application/merge-patch+json"
    assert cluster.memory.api.request("PATCH", path, body=patch, content_type=kind).status == 200
    cluster.memory.settle(1)


def test_a_cluster_is_created_with_it(cluster: WatchedCluster) -> None:
    """The operator, which can issue nothing, waits for the leaves; nobody has to write them by hand."""
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
    cluster.finish(Goal.CREATE, supplied, asked=ASKED)
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
    cluster.finish(Goal.RECONCILE, asked=ASKED)
    cluster.memory.settle(2)
    assert cluster.ready
    assert set(cluster.memory.kubelet.nodes) == {"demo-kafka-0", "demo-kafka-1", "demo-kafka-2"}
    assert cluster.counts()["demo-kafka-0"] == 0

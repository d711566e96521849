# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The key of the CA in use is kept elsewhere, its issuer has gone on to another CA, and signs no more by this CA. A process
whose certificate is lost cannot restart to trust the next CA, and gets no certificate of that before every process trusts it. Other processes restart first,
then the process without a certificate, with one of the next CA. An operator without its own certificate restarts none of them.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition, Decision
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Strategy

from ..tools.support.authorities import Authority, root
from ..tools.support.fake_vault.server import FakeVault, serving
from ..tools.support.golden import GoldenFiles
from ..tools.support.watched_cluster import WatchedCluster, assert_only
from . import test_ca_source, test_link_by_issuer
from .test_kept_elsewhere import DAY, NODE, advertise, elsewhere, moved, names_in, office, restarting_directly, run

pytestmark = pytest.mark.usefixtures("uptake")
#: For tests to which it does not matter how certificates are taken up.
ONCE = pytest.mark.parametrize("uptake", [True], ids=["reload"], indirect=True)
OTHER, TOPICS, OPERATOR = "demo-kafka-1", "demo-entity-topic-operator-certs", "demo-cluster-operator-certs"


def delete(cluster: WatchedCluster, name: str) -> None:
    assert cluster.memory.api.request("DELETE", f"/api/v1/namespaces/kafka/secrets/{name}").status == 200


def held(decision: Decision) -> set[tuple[Condition, str]]:
    return {(one.condition, one.subject) for one in decision.violations}


def gone(
    cluster: WatchedCluster,
    lose: Callable[[WatchedCluster], object],
    strategy: Strategy = Strategy.OPERATOR,
    patch: pytest.MonkeyPatch | None = None,
) -> Authority:
    """The CA whose issuer has gone on is in use, a leaf of it is lost, and the issuer has signed the leaves of the next CA. Returns the next CA."""
    cluster.create()
    moved(cluster, elsewhere(root("First")))
    following = elsewhere(root("Second"))
    lose(cluster)
    if strategy is Strategy.DIRECT and patch is not None:
        restarting_directly(cluster, patch)
    assert not run(cluster, Goal.REPLACE_KEY, following).outcome.decision.done
    office(cluster, following).work()
    return following


@pytest.mark.parametrize("name", [NODE, TOPICS])
@pytest.mark.parametrize("strategy", Strategy)
@pytest.mark.each_once
def test_a_process_without_a_certificate_restarts_last_with_one_of_the_next_ca(
    cluster: WatchedCluster, monkeypatch: pytest.MonkeyPatch, name: str, strategy: Strategy
) -> None:
    following = gone(cluster, lambda cluster: delete(cluster, name), strategy, monkeypatch)
    cluster.finish(Goal.REPLACE_KEY, following, external_issuer="the external issuer")
    assert cluster.rolls == {cluster.cost(Goal.REPLACE_KEY, "unlinked").restarts}
    assert_only(cluster, following.fingerprint)
    assert cluster.ready


@ONCE
def test_pods_are_restarted_by_hand_where_the_operator_lacks_its_own(
    cluster: WatchedCluster, golden: GoldenFiles
) -> None:
    """It comes as far as no restart, and without its certificate no run can ask Kafka."""
    following = gone(cluster, lambda cluster: delete(cluster, OPERATOR))
    decision = run(cluster, Goal.REPLACE_KEY, following).outcome.decision
    assert held(decision) == {(Condition.LEAVES_ARE_OURS, f"Secret kafka/{OPERATOR}")}
    golden.compare_stop("leaves_are_ours, the operator lacks its own", decision.violations[0])
    assert cluster.rolls == {0}
    for pod in (OTHER, NODE):
        cluster.restart(pod)
    cluster.finish(Goal.REPLACE_KEY, following, external_issuer="the external issuer")
    assert_only(cluster, following.fingerprint)
    assert cluster.ready


@ONCE
def test_two_nodes_without_certificates_are_not_restarted_one_after_the_other(cluster: WatchedCluster) -> None:
    """Each would refuse the other from its restart on."""

    def lose(cluster: WatchedCluster) -> None:
        delete(cluster, NODE)
        delete(cluster, OTHER)

    following = gone(cluster, lose)
    for _twice in range(2):
        decision = run(cluster, Goal.REPLACE_KEY, following).outcome.decision
        assert {(Condition.LEAVES_ARE_OURS, f"Secret kafka/{name}") for name in (NODE, OTHER)} <= held(decision)
        assert cluster.rolls == {0}
    assert (cluster.secret(NODE), cluster.secret(OTHER)) == ({}, {})


@ONCE
def test_other_names_are_wanted_meanwhile(cluster: WatchedCluster) -> None:
    """The nodes have certificates to restart with; the operator, which can issue none, restarts them as it is asked to."""
    cluster.create()
    replaced = {"replaces": moved(cluster, elsewhere(root("First"))).authority.fingerprint}
    advertise(cluster, "kafka.corp.example")
    cluster.finish(Goal.REPLACE_KEY, **replaced)
    cluster.memory.settle(2)
    assert_only(cluster, cluster.current)
    assert "kafka.corp.example" in names_in(cluster, NODE)
    assert cluster.ready


@ONCE
def test_the_operators_time_for_renewal_has_come(cluster: WatchedCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    def grow_old(cluster: WatchedCluster) -> None:
        cluster.memory.seconds += 61 * DAY

    following = gone(cluster, grow_old)
    decision = run(cluster, Goal.REPLACE_KEY, following).outcome.decision
    assert held(decision) == {(Condition.LEAVES_CAN_BE_RENEWED, "Kafka kafka/demo")}
    restarting_directly(cluster, monkeypatch)
    cluster.finish(Goal.REPLACE_KEY, following, external_issuer="the external issuer")
    assert_only(cluster, following.fingerprint)


@ONCE
def test_an_abort_is_no_remedy_where_the_source_shows_that_the_ca_signs_no_more(cluster: WatchedCluster) -> None:
    cluster.create()
    first, second = root("First"), root("Second")
    test_ca_source.wants(cluster, first)
    test_ca_source.follow(cluster, first)
    test_ca_source.wants(cluster, second)
    delete(cluster, OPERATOR)
    test_ca_source.reconcile(cluster, second)
    office(cluster, second).work()
    decision = test_ca_source.reconcile(cluster, second)
    assert held(decision) == {(Condition.LEAVES_ARE_OURS, f"Secret kafka/{OPERATOR}")}
    assert "abort" not in decision.violations[0].remedy
    for pod in (OTHER, NODE):
        cluster.restart(pod)
    cluster.finish(
        Goal.RECONCILE, external_issuer=test_ca_source.ASKED, confirmed_roots=test_ca_source.confirmed(second)
    )
    assert_only(cluster, second.fingerprint)


@ONCE
@pytest.mark.parametrize("name", [NODE, OPERATOR])
def test_a_leaf_of_the_ca_in_use_holds_no_restarts_for_another_ca(cluster: WatchedCluster, name: str) -> None:
    """Its issuer signs."""
    cluster.create()
    first, other = root("First"), root("Other")
    test_ca_source.wants(cluster, first)
    test_ca_source.follow(cluster, first)
    test_ca_source.wants(cluster, first, other)
    delete(cluster, name)
    test_ca_source.reconcile(cluster, other)
    office(cluster, first).work()
    cluster.finish(
        Goal.RECONCILE, external_issuer=test_ca_source.ASKED, confirmed_roots=test_ca_source.confirmed(other)
    )
    assert cluster.secret(name)
    assert cluster.trusted == {first.fingerprint, other.fingerprint}


@pytest.mark.parametrize("name", [NODE, TOPICS])
@pytest.mark.each_once
def test_behind_a_link_certificate_the_operator_keeps_a_leaf_of_the_next_ca(cluster: WatchedCluster, name: str) -> None:
    """It ends with ``ca.crt``, so the operator goes on, and no process has to trust the next CA first."""
    with serving(FakeVault()) as vault:
        issuer = test_link_by_issuer.moved(cluster, vault)
        asked = test_link_by_issuer.asking(cluster, issuer)
        cluster.run(Goal.REPLACE_KEY, last_phase=Phase.PREPARE, **asked)
        delete(cluster, name)
        cluster.finish(Goal.REPLACE_KEY, **{**asked, "client_grace": timedelta(0)})
    assert cluster.secret(name)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY)
    assert_only(cluster, cluster.current)
    assert cluster.ready


@ONCE
def test_behind_a_link_certificate_pods_are_restarted_by_hand_where_the_operator_lacks_its_own(
    cluster: WatchedCluster, golden: GoldenFiles
) -> None:
    """It presents its leaf alone, so it gets one of the next CA when every process trusts that CA itself; without one it restarts no process."""
    with serving(FakeVault()) as vault:
        issuer = test_link_by_issuer.moved(cluster, vault)
        asked = {**test_link_by_issuer.asking(cluster, issuer), "client_grace": timedelta(0)}
        cluster.run(Goal.REPLACE_KEY, last_phase=Phase.PREPARE, **asked)
        delete(cluster, OPERATOR)
        decision = cluster.run(Goal.REPLACE_KEY, **asked).outcome.decision
        assert (Condition.LEAVES_ARE_OURS, f"Secret kafka/{OPERATOR}") in held(decision)
        golden.compare_stop("leaves_are_ours, the operator lacks its own behind a link", decision.violations[0])
        for pod in cluster.memory.api.all("pods", "kafka"):
            cluster.restart(pod["metadata"]["name"])
        cluster.run(Goal.REPLACE_KEY, **asked)
        cluster.finish(Goal.REPLACE_KEY, **asked)
    assert cluster.secret(OPERATOR)
    assert_only(cluster, cluster.current)
    assert cluster.ready

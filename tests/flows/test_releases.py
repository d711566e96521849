"""Flows on Strimzi 0.51, and through an upgrade of the operator in their middle (docs/operator.md, "Releases", "The API before v1")."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase

from ..tools.operator import clusters
from ..tools.operator.releases import STRIMZI_0_51, STRIMZI_1_0, Release
from ..tools.support.clients_cluster import ClientsCluster
from ..tools.support.memory_cluster import MemoryCluster
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.watched_cluster import CLUSTER, NAMESPACE, WatchedCluster
from .cases import CASES, PATIENT_REPLACEMENTS, Case, mostly_long, roles_together
from .conftest import in_time

Object = dict[str, Any]


def older_roles(*, generated: bool = False) -> list[Object]:
    return clusters.before_v1(roles_together(generated=generated))


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> WatchedCluster:
    return in_time(WatchedCluster(MemoryCluster(release=STRIMZI_0_51)), monkeypatch)


def specified(cluster: WatchedCluster) -> Object:
    """``spec.kafka`` as it is stored."""
    kafka = cluster.memory.api.find("kafkas", NAMESPACE, CLUSTER)
    assert kafka is not None
    found: Object = kafka["spec"]["kafka"]
    return found


@pytest.mark.usefixtures("uptake")
@pytest.mark.parametrize("case", mostly_long([*CASES, Case(Goal.DOWNGRADE, "after a renewal")]))
def test_a_flow_costs_what_it_costs_on_later_releases_and_takes_no_field_from_the_resource(
    case: Case, cluster: WatchedCluster
) -> None:
    flow = case.begin(cluster, older_roles)
    before = specified(cluster)
    assert {"replicas", "storage", "resources"} <= before.keys()
    flow.finish()
    cluster.memory.settle(3)
    assert cluster.paid == flow.cost
    assert cluster.issued_by_operator == []
    assert specified(cluster) == before


@pytest.mark.parametrize("case", PATIENT_REPLACEMENTS[:1], ids=str)
def test_an_upgrade_of_the_operator_is_the_restart_that_a_patient_replacement_waits_for(
    case: Case, cluster: WatchedCluster, nodes: ReloadingNodes
) -> None:
    flow = case.begin(cluster, older_roles)
    assert flow.run().outcome.decision.waiting
    cluster.memory.upgrade(STRIMZI_1_0)
    cluster.memory.settle(3)
    assert cluster.rolls == {1}
    flow.finish()
    assert (cluster.rolls, cluster.trusted) == ({1}, {cluster.current})


@pytest.mark.usefixtures("uptake")
@pytest.mark.parametrize("phase", [Phase.PREPARE, Phase.TRUST, Phase.USE])
@pytest.mark.parametrize("converted", [True, False])
def test_an_upgrade_of_the_operator_between_two_phases_costs_its_own_restart_and_no_more(
    phase: Phase, converted: bool, cluster: WatchedCluster
) -> None:
    """It may spare a restart of the flow. Where people have converted nothing before it, the CRDs of 1.0 take the fields away; where they have, and their
    tools are still noted with v1beta2, that version is not served any more.
    """
    flow = Case(Goal.REPLACE_KEY).begin(cluster, older_roles)
    flow.run(last_phase=phase)
    if converted:
        cluster.change("kafkas", CLUSTER, {"spec": {"kafka": dict.fromkeys(("replicas", "storage", "resources"))}})
        cluster.memory.settle(3)
    (converting,) = cluster.rolls
    cluster.memory.upgrade(STRIMZI_1_0)
    cluster.memory.settle(3)
    flow.finish()
    cluster.memory.settle(3)
    (restarts,) = cluster.rolls
    assert 1 <= restarts - converting <= flow.cost.restarts + 1
    assert cluster.trusted == {cluster.current}


class TestClientsCa:
    @pytest.fixture
    def cluster(self, monkeypatch: pytest.MonkeyPatch) -> ClientsCluster:
        return in_time(ClientsCluster(MemoryCluster(release=STRIMZI_0_51)), monkeypatch)

    @pytest.mark.parametrize("goal", [Goal.REPLACE_KEY, Goal.RENEW])
    def test_its_users_change_over_as_on_later_releases(
        self, goal: Goal, cluster: ClientsCluster, uptake: bool
    ) -> None:
        cluster.begin(manifests=older_roles())
        before, stored, users = cluster.current, specified(cluster), cluster.programs.stored()
        cluster.finish(goal)
        cluster.memory.settle(3)
        assert cluster.rolls == {2 if goal is Goal.REPLACE_KEY and not uptake else 0}
        assert cluster.current != before
        assert all(leaf != users[user] for user, leaf in cluster.programs.stored().items())
        assert specified(cluster) == stored


@pytest.mark.parametrize("goal", Goal)
def test_no_flow_begins_on_an_older_operator(goal: Goal, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = in_time(WatchedCluster(MemoryCluster(release=Release("0.50.1", api_version="v1beta2"))), monkeypatch)
    cluster.deploy(older_roles(generated=True))
    stored = cluster.memory.api.version
    found = cluster.run(goal).outcome.decision
    assert [violation.condition for violation in found.violations] == [Condition.OPERATOR_IS_NEW_ENOUGH]
    assert (found.steps, cluster.writes, cluster.memory.api.version) == ((), 0, stored)

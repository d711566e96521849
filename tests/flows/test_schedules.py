# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The last weeks of a CA that a schedule keeps up, whatever is in its way: each CA has its successor before it ends, or the runs before its end fail. What
an adoption and the state of the cluster have promised is what the schedule then does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect, plan
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import Forbidden
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate, parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition, Decision
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase, Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import UpkeepOptions, WhenDue
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.expiring import expiring

from ..tools.operator import clusters
from ..tools.operator.releases import STRIMZI_1_3
from ..tools.operator.security import MUTUAL, PLAIN
from ..tools.support.authorities import root
from ..tools.support.clients_cluster import ClientsCluster
from ..tools.support.flows import START
from ..tools.support.golden import GoldenFiles
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.signing_office import SigningOffice
from ..tools.support.watched_cluster import CLUSTER, NAMESPACE, WatchedCluster
from .cases import Object
from .test_kafka_versions import RAFT_FOLLOWS
from .test_kept_elsewhere import ASKED, elsewhere

#: The days that the CA has left when a run begins: a schedule is away for days at a time.
LEFT = (36, 29, 12, 6, 4, 2, 1)
POLICIES = pytest.mark.parametrize("policy", [WhenDue.RENEW, WhenDue.REPLACE_KEY])


@dataclass
class Night:
    """A run of the schedule."""

    #: The days that the CA had left.
    left: float
    #: The decision with which the run ended.
    decision: Decision
    #: The CA in use afterwards.
    after: Certificate
    #: Whether a node restarted because of the run.
    restarted: bool


def in_use(cluster: WatchedCluster) -> Certificate:
    return parse_certificates(cluster.secret(f"demo-{cluster.ca.value}-ca-cert")["ca.crt"])[0]


def now(cluster: WatchedCluster) -> datetime:
    return START + timedelta(seconds=cluster.memory.seconds)


def go_to(cluster: WatchedCluster, end: datetime, left: float) -> None:
    """The time at which the CA has so many days left."""
    at = end - timedelta(days=left)
    cluster.memory.seconds = max(cluster.memory.seconds, (at - START).total_seconds())
    cluster.memory.settle(2)


def nights(cluster: WatchedCluster, when: Sequence[float] = LEFT, **intent: Any) -> Iterator[Night]:
    """The runs of a schedule until the CA in use has a successor, or is about to end."""
    before, intent = in_use(cluster), {"upkeep": UpkeepOptions(), **intent}
    for left in when:
        go_to(cluster, before.not_after, left)
        nodes = cluster.node_uids
        decision = cluster.run(Goal.RECONCILE, in_one_call=True, **intent).outcome.decision
        yield Night(left, decision, in_use(cluster), cluster.node_uids != nodes)
        if in_use(cluster) != before and in_use(cluster).public_key_sha256 != before.public_key_sha256:
            return


def kept_up(cluster: WatchedCluster, policy: WhenDue) -> tuple[bool, list[Night]]:
    """Whether the CA got what the policy says before it ended, and the runs; a run that leaves a CA with days left in use is a failure."""
    before, asked = in_use(cluster), {"upkeep": UpkeepOptions()}
    go_to(cluster, before.not_after, 40)
    cluster.run(Goal.RECONCILE, in_one_call=True, **asked)
    go_to(cluster, before.not_after, LEFT[0] + 0.1)
    work, wanted = cluster.work(), cluster.intent(Goal.RECONCILE, **asked)
    state = inspect(work, wanted).observation.snapshot
    promised = [one for one in expiring(state) if one.certificate == before]
    cluster.look_away()
    found = list(nights(cluster))
    after = in_use(cluster)
    is_replaced = after.public_key_sha256 != before.public_key_sha256
    is_done = is_replaced if policy is WhenDue.REPLACE_KEY else after.not_after > before.not_after
    assert is_done or all(night.decision.violations for night in found if night.left < 7), "the schedule was content"
    assert all(one.remedy for night in found for one in night.decision.violations)
    assert promised
    for one in promised:
        assert bool(one.remedy) is not is_done
        assert ("replaces its key" in one.renewed_by) is (is_done and policy is WhenDue.REPLACE_KEY)
    return is_done, found


def specified(policy: WhenDue, *, generated: bool = False, **options: Any) -> list[Object]:
    *pools, kafka = clusters.dual_role(CLUSTER, NAMESPACE, replicas=2, generated=generated, **options)
    kafka["spec"]["clusterCa"] |= {"certificateExpirationPolicy": policy.value, "renewalDays": 30}
    return [*pools, kafka]


def adopted(cluster: WatchedCluster, policy: WhenDue, **options: Any) -> None:
    """A CA of the operator, which allows no CA below it."""
    cluster.deploy(specified(policy, generated=True, **options))
    cluster.finish(Goal.UPGRADE)
    cluster.look_away()


def created(cluster: WatchedCluster, policy: WhenDue) -> None:
    """A CA that allows a CA below it."""
    cluster.create(manifests=specified(policy))
    cluster.look_away()


def with_windows(cluster: WatchedCluster, *expressions: str) -> None:
    cluster.change("kafkas", CLUSTER, {"spec": {"maintenanceTimeWindows": list(expressions)}})
    cluster.memory.settle(1)
    cluster.look_away()


@pytest.mark.parametrize(
    "obstacle", ["", "nodes are out of reach", "patch pods", "get configmaps", "patch strimzipodsets"]
)
@pytest.mark.parametrize("begin", [adopted, created])
@POLICIES
@pytest.mark.each_once
def test_whatever_keeps_nodes_from_reading_again(
    cluster: WatchedCluster,
    request: pytest.FixtureRequest,
    begin: Callable[[WatchedCluster, WhenDue], None],
    obstacle: str,
    policy: WhenDue,
) -> None:
    """They restart in the first night in which the CA is due; without an obstacle none restarts as long as the CA has a week left."""
    if obstacle != "nodes are out of reach":
        request.getfixturevalue("nodes")
    begin(cluster, policy)
    cluster.permitted.denied = frozenset({obstacle} if " " in obstacle and "nodes" not in obstacle else ())
    is_done, found = kept_up(cluster, policy)
    assert is_done
    assert not any(night.decision.violations for night in found)
    if obstacle:
        assert found[0].after.not_after - now(cluster) > timedelta(days=300)


@pytest.mark.parametrize("begin", [adopted, created])
def test_the_plan_counts_the_restarts_that_it_takes(
    cluster: WatchedCluster, begin: Callable[[WatchedCluster, WhenDue], None]
) -> None:
    begin(cluster, WhenDue.REPLACE_KEY)
    go_to(cluster, in_use(cluster).not_after, LEFT[0])
    cluster.look_away()
    work, intent = cluster.work(), cluster.intent(Goal.RECONCILE, upkeep=UpkeepOptions())
    planned = plan(work, inspect(work, intent), intent)
    assert planned.violations == ()
    counted = [sum(name in step.nodes for step in planned.steps) for name in cluster.counts()]
    assert cluster.run(Goal.RECONCILE, in_one_call=True, upkeep=UpkeepOptions()).outcome.decision.done
    assert counted == list(cluster.counts().values()) == [3 if begin is adopted else 2] * 2


@pytest.mark.parametrize("retire", [Retire.WHEN_RESTARTED, "a time"])
@pytest.mark.parametrize("begin", [adopted, created])
def test_a_caller_who_forbids_restarts_hears_what_that_needs(
    cluster: WatchedCluster, begin: Callable[[WatchedCluster, WhenDue], None], retire: Any
) -> None:
    """And no CA ends for it. The CA that is renewed first has a later end, and is replaced as soon as the caller permits it."""
    begin(cluster, WhenDue.REPLACE_KEY)
    end = in_use(cluster).not_after
    wanted = end - timedelta(days=2) if retire == "a time" else retire
    found = list(nights(cluster, retire=wanted))
    assert in_use(cluster).not_after - end > timedelta(days=300)
    held = [night for night in found if night.left > 7]
    assert len(held) == 3
    for night in held:
        (violation,) = night.decision.violations
        assert violation.condition is Condition.IN_PLACE
        assert "when_needed" in violation.remedy


def test_nodes_that_have_taken_it_up_go_on_when_no_further_reload_is_possible(
    cluster: WatchedCluster, nodes: ReloadingNodes
) -> None:
    """Until a week before the CA ends: nothing is left that a restart would bring."""
    created(cluster, WhenDue.REPLACE_KEY)
    end = in_use(cluster).not_after
    go_to(cluster, end, LEFT[0])
    cluster.look_away()
    cluster.run(Goal.RECONCILE, in_one_call=True, upkeep=UpkeepOptions())
    cluster.permitted.denied = frozenset({"patch pods"})
    for left in (35, 31):
        go_to(cluster, end, left)
        cluster.run(Goal.RECONCILE, in_one_call=True, upkeep=UpkeepOptions())
        assert cluster.rolls == {0}
    go_to(cluster, end, 6)
    cluster.run(Goal.RECONCILE, in_one_call=True, upkeep=UpkeepOptions())
    assert in_use(cluster).not_after > end


@POLICIES
@pytest.mark.parametrize("reloads", [True, False])
def test_it_is_done_in_the_maintenance_windows(
    cluster: WatchedCluster, request: pytest.FixtureRequest, policy: WhenDue, reloads: bool
) -> None:
    if reloads:
        request.getfixturevalue("nodes")
    adopted(cluster, policy)
    # The schedule runs at the time of day at which the CA ends: it may be the last second of an hour.
    hour = in_use(cluster).not_after.hour
    with_windows(cluster, f"* * {hour},{(hour + 1) % 24} ? * *")
    is_done, found = kept_up(cluster, policy)
    assert is_done
    assert not any(night.decision.violations for night in found)


@POLICIES
@pytest.mark.parametrize(
    ("window", "at_once"),
    [("* * {hour} ? * *", False), ("0 0 2 30 2 ?", True), ("every night", True)],
    ids=["at another time", "on no day", "unreadable"],
)
def test_a_schedule_that_never_runs_in_a_window_fails(
    cluster: WatchedCluster, policy: WhenDue, window: str, at_once: bool
) -> None:
    """At once where none is ever to open: neither the state of the cluster nor the adoption promises a renewal then."""
    adopted(cluster, policy)
    with_windows(cluster, window.format(hour=(in_use(cluster).not_after.hour + 12) % 24))
    is_done, found = kept_up(cluster, policy) if at_once else (False, list(nights(cluster)))
    assert not is_done
    assert not any(night.restarted for night in found)
    failed = [night.left for night in found if night.decision.violations]
    assert failed == (list(LEFT) if at_once else [left for left in LEFT if left <= 2])
    last = found[-1].decision.violations[0]
    assert last.condition is Condition.RENEWAL_COMES_IN_TIME
    assert "strimzi_ignore_maintenance_windows" in last.remedy
    cluster.run(Goal.RECONCILE, in_one_call=True, upkeep=UpkeepOptions(), ignores_windows=True)
    assert in_use(cluster).not_after - now(cluster) > timedelta(days=300)


@POLICIES
def test_a_ca_whose_key_is_kept_elsewhere_fails_until_its_issuer_has_made_another(
    cluster: WatchedCluster, nodes: ReloadingNodes, policy: WhenDue, golden: GoldenFiles
) -> None:
    cluster.create(manifests=specified(policy))
    end = now(cluster) + timedelta(days=100)
    supplied = elsewhere(root("Corporate Root", end=end))
    signing = SigningOffice(cluster.memory, supplied, START, validity=timedelta(days=99))
    cluster.run(Goal.REPLACE_KEY, supplied, external_issuer=ASKED)
    signing.work()
    cluster.finish(Goal.REPLACE_KEY, supplied, external_issuer=ASKED)
    found = {night.left: night.decision.violations for night in nights(cluster, LEFT[:-1], external_issuer=ASKED)}
    conditions = {left: [one.condition for one in violations] for left, violations in found.items() if violations}
    assert list(conditions) == [12, 6, 4, 2]
    assert set(conditions[12]) == {Condition.LEAVES_ARE_ISSUED}, "certificates that end too early fail it before"
    assert {left for left, named in conditions.items() if Condition.RENEWAL_COMES_IN_TIME in named} == {6, 4, 2}
    last = found[2][0]
    assert last.condition is Condition.RENEWAL_COMES_IN_TIME
    golden.compare_stop(f"renewal_comes_in_time, the key is kept elsewhere, {policy.value}", last)


def test_a_flow_that_is_stopped_for_an_approval_fails_in_the_last_days(
    cluster: WatchedCluster, nodes: ReloadingNodes, golden: GoldenFiles
) -> None:
    created(cluster, WhenDue.REPLACE_KEY)
    end = in_use(cluster).not_after
    go_to(cluster, end, LEFT[0])
    cluster.run(Goal.REPLACE_KEY, last_phase=Phase.PREPARE, stop_after=Phase.PREPARE)
    found = list(nights(cluster))
    failed = {night.left: night.decision.violations for night in found if night.decision.violations}
    assert list(failed) == [left for left in LEFT if left < 7]
    (last,) = failed[LEFT[-1]]
    assert last.condition is Condition.RENEWAL_COMES_IN_TIME
    golden.compare_stop("renewal_comes_in_time, the flow stops for an approval", last)
    cluster.run(Goal.REPLACE_KEY)
    assert in_use(cluster).not_after > end


@pytest.mark.parametrize("denied", ["", "get configmaps"])
@POLICIES
def test_the_clients_ca_alike(
    clients_cluster: ClientsCluster, monkeypatch: pytest.MonkeyPatch, policy: WhenDue, denied: str
) -> None:
    cluster = clients_cluster
    cluster.nodes = ReloadingNodes(cluster.memory)
    cluster.nodes.replace_requests(monkeypatch)
    cluster.begin()
    cluster.change("kafkas", CLUSTER, {"spec": {"clientsCa": {"certificateExpirationPolicy": policy.value}}})
    cluster.memory.settle(1)
    cluster.finish(Goal.RECONCILE, upkeep=UpkeepOptions())
    cluster.permitted.denied = frozenset({denied} - {""})
    is_done, found = kept_up(cluster, policy)
    assert is_done
    assert not any(night.decision.violations for night in found)


def test_a_schedule_that_may_not_restart_brokers_for_the_clients_ca_names_the_role(
    clients_cluster: ClientsCluster, golden: GoldenFiles
) -> None:
    """Brokers accept the next CA after a restart, which the run cannot ask for. It fails each night until it may, and goes on then."""
    cluster = clients_cluster
    cluster.begin()
    cluster.change("kafkas", CLUSTER, {"spec": {"clientsCa": {"certificateExpirationPolicy": "replace-key"}}})
    cluster.memory.settle(1)
    cluster.finish(Goal.RECONCILE, upkeep=UpkeepOptions())
    before = in_use(cluster)
    cluster.permitted.denied = frozenset({"patch pods"})
    with pytest.raises(Forbidden) as refused:
        list(nights(cluster))
    assert str(refused.value.attempt).startswith("patch Pod kafka/demo-")
    golden.compare_said("flows", refused.value.remedy)
    assert not cluster.paused
    cluster.permitted.denied = frozenset()
    list(nights(cluster))
    assert in_use(cluster).public_key_sha256 != before.public_key_sha256


@pytest.mark.parametrize("security", [MUTUAL, PLAIN], ids=str)
@pytest.mark.parametrize("reloads", [True, False])
def test_whatever_nodes_verify(
    cluster: WatchedCluster, request: pytest.FixtureRequest, security: Any, reloads: bool
) -> None:
    cluster.memory.use_release(STRIMZI_1_3)
    if reloads:
        request.getfixturevalue("nodes")
    adopted(cluster, WhenDue.REPLACE_KEY, security=security)
    assert kept_up(cluster, WhenDue.REPLACE_KEY)[0]


@pytest.mark.parametrize("reloads", [True, False])
def test_nodes_in_which_more_reads_again(
    cluster: WatchedCluster, request: pytest.FixtureRequest, reloads: bool
) -> None:
    if reloads:
        request.getfixturevalue("nodes")
    adopted(cluster, WhenDue.REPLACE_KEY, version=RAFT_FOLLOWS)
    assert kept_up(cluster, WhenDue.REPLACE_KEY)[0]

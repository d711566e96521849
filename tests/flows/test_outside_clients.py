# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations beside a Connect: it never meets a certificate that it cannot validate, and what it lacks holds the flow."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.results import describe_snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect, plan
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import OperatorSilent
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.paths import validate_path
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.clients import (
    NO_OUTSIDE_OPTIONS,
    OutsideOptions,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import Waiver
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase

from ..tools.support.connect import Connect
from ..tools.support.flows import START, FlowResult
from ..tools.support.golden import GoldenFiles
from ..tools.support.memory_api import Change
from ..tools.support.restarts import Cost
from ..tools.support.watched_cluster import CERTIFICATES, WatchedCluster
from .cases import REPLACEMENTS, Case, mostly_long
from .test_forecasts_come_true import forecast_of, in_order, planned_steps, taken
from .test_link_outside import NAMED, client_reads, client_reads_all

ALL = {"secretName": "demo-cluster-ca-cert", "pattern": "*.crt"}
ONE = {"secretName": "demo-cluster-ca-cert", "certificate": "ca.crt"}
NAME = "KafkaConnect kafka/connect"
#: Steps of the cluster until the operator looks again: longer than other clients are given.
SLOW = 50
NEVER = 10_000
#: Each CA is trusted everywhere before it is used: no link certificate leads clients of the old one.
UNLINKED = Case(Goal.REPLACE_KEY, "unlinked")


class CannotConnect(Exception):
    """A node presents what Connect does not validate."""


def watch(cluster: WatchedCluster, connect: Connect) -> Connect:
    """After every write: Connect reaches every node."""

    def look(_change: Change) -> None:
        anchors = parse_certificates(connect.loaded)
        for process in cluster.memory.kubelet.processes.values():
            if process.component == "kafka":
                presented = parse_certificates(process.presented[0][1])
                if not validate_path(presented, anchors, at=START + timedelta(seconds=cluster.memory.seconds)).valid:
                    raise CannotConnect(process.pod)

    cluster.memory.api.listeners.append(look)
    return connect


def waiver(cluster: WatchedCluster, client: str = NAME) -> Waiver:
    return Waiver(client, START + timedelta(seconds=cluster.memory.seconds, days=1), "moves in week 51")


def held(result: FlowResult) -> set[tuple[Condition, str]]:
    assert not result.outcome.decision.done
    return {(violation.condition, violation.subject) for violation in result.outcome.decision.violations}


@pytest.mark.parametrize("every", [1, SLOW])
@pytest.mark.parametrize("case", mostly_long([Case(Goal.RENEW), *REPLACEMENTS]))
@pytest.mark.each_once
def test_a_connect_that_follows_is_waited_for_and_never_cut_off(
    cluster: WatchedCluster, case: Case, every: int
) -> None:
    flow = case.begin(cluster)
    watch(cluster, Connect(cluster.memory, ALL, every=every))
    result = flow.run()
    assert result.outcome.decision.done, [str(one) for one in result.outcome.decision.violations]
    assert (NAME in {action.object for action in result.actions if action.verb == "wait"}) is (every > 1)
    cluster.memory.settle(every)
    again = flow.run()
    assert (again.outcome.decision.done, again.changes) == (True, [])


def test_a_client_that_takes_only_the_issuing_ca_holds_the_switch_until_it_is_changed(cluster: WatchedCluster) -> None:
    """Nodes have restarted for trust."""
    flow = UNLINKED.begin(cluster)
    old = cluster.current
    connect = watch(cluster, Connect(cluster.memory, ONE))
    assert (Condition.TRUST, NAME) in held(flow.run())
    assert (cluster.paid, cluster.current) == (Cost(1), old)
    assert cluster.issuers() == {"CN=cluster-ca v0,O=io.strimzi"}
    connect.select(ALL)
    flow.finish()
    assert cluster.paid.restarts == flow.cost.restarts


@pytest.mark.parametrize("goal", [Goal.REPLACE_KEY, Goal.RENEW])
def test_a_client_that_trusts_a_renamed_copy_is_known_by_the_ca_in_it(cluster: WatchedCluster, goal: Goal) -> None:
    """It connects by a Route of which nothing here knows. A renewal with the same key asks nothing of it."""
    flow = (UNLINKED if goal is Goal.REPLACE_KEY else Case(goal)).begin(cluster)
    old = cluster.current
    copy_by_hand(cluster)
    watch(cluster, Connect(cluster.memory, {"secretName": "renamed", "pattern": "*.crt"}, to="kafka.example.com:443"))
    if goal is Goal.REPLACE_KEY:
        assert held(flow.run()) == {(Condition.TRUST, NAME)}
        assert cluster.current == old
        copy_by_hand(cluster)
    flow.finish()


def copy_by_hand(cluster: WatchedCluster) -> None:
    """A person copies the trusted CAs into a Secret of another name."""
    held_now = {name: pem for name, pem in cluster.secret(CERTIFICATES).items() if name.endswith(".crt")}
    if not cluster.memory.api.find("secrets", "kafka", "renamed"):
        cluster.memory.apply({"kind": "Secret", "metadata": {"name": "renamed"}, "data": {}})
    cluster.put("renamed", **held_now)
    cluster.memory.settle(2)


@pytest.mark.parametrize("every", [1, SLOW, NEVER])
def test_a_client_that_takes_only_the_issuing_ca_is_led_on_by_both_link_certificates(
    cluster: WatchedCluster, every: int
) -> None:
    """It has the old CA until the switch, and the next one whenever the operator looks at it."""
    flow = Case(Goal.REPLACE_KEY).begin(cluster)
    watch(cluster, Connect(cluster.memory, ONE, every=every))
    planned = forecast_of(flow)
    assert planned.violations == ()
    flow.finish()
    assert cluster.paid == flow.cost


def test_a_client_that_has_not_read_since_the_former_replacement_is_waited_for(cluster: WatchedCluster) -> None:
    """Nodes lead it on until the next CA is used; a renewal asks nothing of it."""
    flow = Case(Goal.REPLACE_KEY).begin(cluster)
    connect = watch(cluster, Connect(cluster.memory, ONE, every=NEVER))
    flow.finish()
    cluster.finish(Goal.RENEW)
    again, in_use = {"replaces": cluster.current}, cluster.issuers()
    work, intent = cluster.work(), cluster.intent(Goal.REPLACE_KEY, **again)
    planned = plan(work, inspect(work, intent), intent)
    assert [step.phase for step in planned.steps if NAME in step.what] == [Phase.TRUST]
    with pytest.raises(OperatorSilent, match=NAME):
        cluster.run(Goal.REPLACE_KEY, **again)
    assert cluster.issuers() == in_use
    connect.every = 1
    cluster.memory.settle(2)
    cluster.finish(Goal.REPLACE_KEY, **again)


def test_a_waiver_leads_past_it_for_its_time(cluster: WatchedCluster) -> None:
    flow = UNLINKED.begin(cluster)
    Connect(cluster.memory, ONE, every=NEVER)
    assert held(flow.run()) == {(Condition.TRUST, NAME)}
    cluster.outside = OutsideOptions(waivers=(waiver(cluster),))
    result = flow.run()
    assert result.outcome.decision.done
    (seen,) = describe_snapshot(result.outcome.observation.snapshot)["outside"]
    assert (seen["client"], seen["waiver"]["reason"]) == (NAME, "moves in week 51")


def test_the_gate_is_what_protects_it(cluster: WatchedCluster) -> None:
    """The negative control: who is waived is cut off."""
    flow = UNLINKED.begin(cluster)
    watch(cluster, Connect(cluster.memory, ONE, every=NEVER))
    cluster.outside = OutsideOptions(waivers=(waiver(cluster),))
    with pytest.raises(CannotConnect):
        flow.run()


def test_an_operator_that_does_not_look_at_it_in_time_is_named(cluster: WatchedCluster, golden: GoldenFiles) -> None:
    flow = UNLINKED.begin(cluster)
    connect = Connect(cluster.memory, ALL)
    connect.running = False
    with pytest.raises(OperatorSilent) as silent:
        flow.run()
    golden.compare_said("flows", silent.value)
    connect.running = True
    assert flow.run().outcome.decision.done


def test_a_secret_that_a_client_reads_holds_the_removal_until_it_has_the_new_ca(cluster: WatchedCluster) -> None:
    """The switch was waived; the removal is asked again."""
    flow = UNLINKED.begin(cluster)
    before = len(cluster.secret(CERTIFICATES))
    client_reads(cluster, cluster.secret(CERTIFICATES)["ca.crt"])
    cluster.outside = NAMED
    assert held(flow.run()) == {(Condition.TRUST, "Secret kafka/app")}
    cluster.outside = OutsideOptions(NAMED.trusting_secrets, (waiver(cluster, "Secret kafka/app"),))
    assert flow.run(last_phase=Phase.USE).outcome.decision.done
    cluster.outside = NAMED
    assert held(flow.run()) == {(Condition.REMOVAL, "Secret kafka/app")}
    assert len(cluster.secret(CERTIFICATES)) == before + 1
    client_reads_all(cluster)
    flow.finish()
    assert len(cluster.secret(CERTIFICATES)) == before


def test_a_run_that_names_nothing_looks_where_the_flow_was_told_to(cluster: WatchedCluster) -> None:
    flow = UNLINKED.begin(cluster)
    client_reads(cluster, cluster.secret(CERTIFICATES)["ca.crt"])
    cluster.outside = NAMED
    assert held(flow.run()) == {(Condition.TRUST, "Secret kafka/app")}
    cluster.outside = NO_OUTSIDE_OPTIONS
    assert held(cluster.run(Goal.RECONCILE)) == {(Condition.TRUST, "Secret kafka/app")}
    assert cluster.writes == 0
    assert held(cluster.run(Goal.RENEW_LEAVES)) == {(Condition.TRUST, "Secret kafka/app")}
    client_reads_all(cluster)
    cluster.finish(Goal.RECONCILE)


def test_a_run_that_names_no_secret_takes_back_what_was_named(cluster: WatchedCluster) -> None:
    flow = UNLINKED.begin(cluster)
    client_reads(cluster, cluster.secret(CERTIFICATES)["ca.crt"])
    cluster.outside = NAMED
    held(flow.run())
    cluster.outside = OutsideOptions(())
    assert cluster.run(Goal.RECONCILE, last_phase=Phase.TRUST).outcome.decision.violations == ()
    cluster.outside = NO_OUTSIDE_OPTIONS
    cluster.finish(Goal.RECONCILE)


@pytest.mark.parametrize("every", [1, SLOW])
def test_the_plan_is_what_happens(cluster: WatchedCluster, every: int, monkeypatch: pytest.MonkeyPatch) -> None:
    flow = UNLINKED.begin(cluster)
    Connect(cluster.memory, ALL, every=every)
    planned = forecast_of(flow)
    steps = taken(flow, monkeypatch)
    assert planned.violations == ()
    (wait,) = [step for step in planned_steps(planned) if NAME in step[1]]
    assert wait[0] == "trust"
    # A client that follows at once has followed before a run would wait for it.
    assert [step for step in planned_steps(planned) if every > 1 or step != wait] == in_order(steps)


def test_the_plan_says_who_would_hold_it(cluster: WatchedCluster) -> None:
    flow = UNLINKED.begin(cluster)
    Connect(cluster.memory, ONE)
    planned = forecast_of(flow)
    assert {(violation.condition, violation.subject) for violation in planned.violations} == {(Condition.TRUST, NAME)}
    assert planned.steps

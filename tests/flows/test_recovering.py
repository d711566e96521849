# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The certificates of running nodes have ended: the operator issues others and restarts no node, and nodes with ended and with new certificates refuse
each other (docs/operator.md, "Expired certificates").
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.engine import run
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect, plan
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.restart import Chosen, restart
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import (
    KafkaUnavailable,
    OperatorSilent,
    ReloadImpossible,
    RollStuck,
    StepError,
    Unavailable,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import PODS, Attempt
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import RollReason
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.plan import ActionKind

from ..tools.operator import certs
from ..tools.support.answers import Answers
from ..tools.support.authorities import renewed, root
from ..tools.support.certificates import YEAR
from ..tools.support.flows import START, FlowResult
from ..tools.support.golden import GoldenFiles
from ..tools.support.memory_api import Change
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.watched_cluster import CLUSTER, WatchedCluster
from .cases import DAY, Layout, Object, roles_apart, roles_together

NODES = ["demo-kafka-0", "demo-kafka-1"]
#: Days for which certificates live here.
LIFE = 100


def lasting(layout: Layout = roles_together, *, generated: bool = False) -> list[Object]:
    *others, kafka = layout(generated=generated)
    kafka["spec"]["clusterCa"] |= {"validityDays": LIFE, "renewalDays": 20}
    return [*others, kafka]


def create(cluster: WatchedCluster, *, ca: int = 10 * YEAR.days, manifests: list[Object] | None = None) -> None:
    """ca: days for which the CA lives."""
    cluster.validity = ca * YEAR / 365
    cluster.create(manifests=manifests or lasting())
    cluster.validity = None


def outlive_leaves(cluster: WatchedCluster) -> None:
    """The operator is away until every certificate has ended."""
    cluster.memory.operator_runs = False
    cluster.memory.seconds += (LIFE + 10) * DAY
    cluster.look_elsewhere()
    cluster.look_away()
    cluster.memory.operator_runs = True


@pytest.fixture
def ended(cluster: WatchedCluster, nodes: ReloadingNodes) -> WatchedCluster:
    """An adopted cluster; the operator is back, has issued other certificates, and cannot restart a node."""
    create(cluster)
    outlive_leaves(cluster)
    cluster.memory.settle(2)
    assert (cluster.counts(), cluster.ready) == (dict.fromkeys(NODES, 0), False)
    return cluster


def recover(cluster: WatchedCluster) -> FlowResult:
    result = cluster.run(Goal.RECOVER)
    decision = result.outcome.decision
    assert decision.done, [str(one) for one in decision.violations]
    return result


def assert_healthy(cluster: WatchedCluster, restarts: int = 1) -> None:
    cluster.memory.settle(3)
    assert (cluster.memory.kubelet.ended(certs.now()), cluster.counts()) == ([], dict.fromkeys(NODES, restarts))
    assert cluster.ready
    assert not cluster.paused


def read_again(result: FlowResult) -> list[str]:
    """The nodes that are reported to present their next certificates already before their restart."""
    return [one.target.name for one in result.actions if one.verb == "reload"]


def conditions(cluster: WatchedCluster, goal: Goal, **intent: object) -> list[Condition]:
    return [one.condition for one in cluster.run(goal, **intent).outcome.decision.violations]


def test_all_nodes_restart_at_the_same_time_and_once(ended: WatchedCluster, nodes: ReloadingNodes) -> None:
    pods = ended.node_uids
    recover(ended)
    assert sorted(nodes.signals) == [(node, "TERM") for node in NODES]
    assert_healthy(ended)
    assert ended.node_uids == pods, "a pod was deleted, and its volume with it"
    recover(ended)
    assert (ended.writes, len(nodes.signals)) == (0, 2)


def is_confirmed(cluster: WatchedCluster) -> bool:
    """Whether the operator has confirmed the pause."""
    conditions = cluster.kafka["status"]["conditions"]
    return cluster.paused and any(one["type"] == "ReconciliationPaused" for one in conditions)


def test_clients_outside_are_served_while_the_pause_is_awaited(ended: WatchedCluster, nodes: ReloadingNodes) -> None:
    """The pause is requested first: no request of a node delays it."""
    confirmed: list[bool] = []
    nodes.after = lambda pod: confirmed.append(is_confirmed(ended))
    nodes.before = lambda pod: None if ended.paused else pytest.fail("the pause was not requested yet")
    assert read_again(recover(ended)) == NODES
    listeners = ["external-9094", "tls-9093"]
    assert sorted(nodes.served) == sorted((node, listener) for node in NODES for listener in listeners)
    assert confirmed == [False] * len(nodes.served) + [True] * len(nodes.signals)
    assert_healthy(ended)


def confirm_after(cluster: WatchedCluster, seconds: float) -> None:
    """From the request of a pause on, the operator is busy with restarts for so long."""
    keep_busy(cluster, seconds, lambda: cluster.paused)


def keep_busy(cluster: WatchedCluster, seconds: float, is_begin: Callable[[], bool]) -> None:
    """The operator does nothing for so long, from the first change of the Kafka resource on that is the beginning."""
    memory, begun = cluster.memory, list[float]()

    def begin(change: Change) -> None:
        if change.plural == "kafkas" and not begun and is_begin():
            begun.append(memory.seconds)
            memory.operator_runs = False

    def end() -> None:
        memory.operator_runs = memory.operator_runs or memory.seconds - begun[0] >= seconds

    memory.api.listeners.append(begin)
    memory.neighbours.append(end)


@pytest.mark.parametrize(
    "problem",
    [
        KafkaUnavailable("Kafka node demo-kafka-0", "reached no controller", ""),
        Unavailable(Attempt("get", PODS, "kafka"), "is overloaded", ""),
    ],
    ids=["no leader", "out of reach"],
)
def test_a_node_gets_the_request_again_and_again_until_the_pause_is_confirmed(
    ended: WatchedCluster, nodes: ReloadingNodes, problem: Exception
) -> None:
    """The confirmation is the limit: a node that takes the request after half a minute serves clients before its
    restart all the same.
    """
    confirm_after(ended, 45)
    begun = ended.memory.seconds

    def refuse_at_first(pod: str) -> None:
        if pod == NODES[0] and not is_confirmed(ended) and ended.memory.seconds - begun < 30:
            raise problem

    nodes.before = refuse_at_first
    assert sorted(read_again(recover(ended))) == NODES
    assert nodes.served[0][0] == NODES[1], "the refusal of a node keeps no other from its request"
    assert_healthy(ended)


def test_one_line_for_each_node_says_whether_it_serves_clients_and_what_kept_it(
    ended: WatchedCluster, nodes: ReloadingNodes, golden: GoldenFiles
) -> None:
    confirm_after(ended, 10)

    def refuse(pod: str) -> None:
        if pod == NODES[0] and not is_confirmed(ended):
            raise KafkaUnavailable(f"Kafka node {pod}", "reached no controller: Port 9090 of Kafka node x", "")

    nodes.before = refuse
    ended.said.clear()
    recover(ended)
    golden.compare_said("flows", "\n".join(sorted(line for line in ended.said if "next certificate" in line)))


def test_a_node_without_a_listener_for_clients_gets_no_request_and_no_line(
    cluster: WatchedCluster, nodes: ReloadingNodes
) -> None:
    *others, kafka = lasting()
    kafka["spec"]["kafka"]["listeners"] = []
    cluster.create(manifests=[*others, kafka])
    outlive_leaves(cluster)
    cluster.memory.settle(2)
    confirm_after(cluster, 20)
    cluster.said.clear()
    before = nodes.answers.asked
    assert read_again(recover(cluster)) == []
    assert (nodes.served, [line for line in cluster.said if "next certificate" in line]) == ([], [])
    assert nodes.answers.asked - before < 10, "the wait for the pause asks a node again and again"
    assert_healthy(cluster)


def test_a_node_that_refuses_for_good_gets_no_further_request(ended: WatchedCluster, nodes: ReloadingNodes) -> None:
    confirm_after(ended, 20)
    asked: list[str] = []

    def refuse(pod: str) -> None:
        asked.append(pod)
        if pod == NODES[0] and not is_confirmed(ended):
            raise ReloadImpossible("Kafka node", "does not read its certificates again", "")

    nodes.before = refuse
    assert read_again(recover(ended)) == [NODES[1]]
    # Once for each listener, and once more for the restart.
    assert asked.count(NODES[0]) == 3
    assert_healthy(ended)


def test_an_unconfirmed_pause_says_so_and_the_next_run_goes_on_to_serve(
    ended: WatchedCluster, nodes: ReloadingNodes
) -> None:
    confirm_after(ended, 10_000)
    nodes.deaf = set(NODES)
    with pytest.raises(OperatorSilent):
        recover(ended)
    nodes.deaf = set()
    ended.memory.seconds += 10_000
    recover(ended)
    assert {node for node, _listener in nodes.served} == set(NODES)
    assert_healthy(ended)


def test_an_operator_that_takes_its_time_after_the_pause_is_waited_for(
    ended: WatchedCluster, nodes: ReloadingNodes
) -> None:
    """It issues the next leaves of components late, and restarts their pods then."""
    keep_busy(ended, 45, lambda: bool(nodes.signals) and not ended.paused)
    before = components(ended)
    recover(ended)
    assert components(ended).isdisjoint(before)
    assert_healthy(ended)


def components(cluster: WatchedCluster) -> set[str]:
    """The UIDs of the pods that are no nodes."""
    return {pod["metadata"]["uid"] for pod in cluster.memory.api.all("pods", "kafka")} - cluster.node_uids


def test_a_controller_that_is_no_broker_restarts_too(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    """Its Raft client presents the leaf that the process was started with, whatever its one listener reads before."""
    cluster.create(manifests=lasting(roles_apart))
    outlive_leaves(cluster)
    cluster.memory.settle(2)
    every = sorted(cluster.counts())
    result = recover(cluster)
    assert sorted(nodes.signals) == [(node, "TERM") for node in every]
    assert read_again(result) == [node for node in every if "broker" in node]
    cluster.memory.settle(3)
    assert (cluster.memory.kubelet.ended(certs.now()), cluster.counts()) == ([], dict.fromkeys(every, 1))
    assert cluster.ready


def test_a_node_that_takes_the_request_and_goes_on_as_before_is_not_reported(
    ended: WatchedCluster, nodes: ReloadingNodes, golden: GoldenFiles
) -> None:
    nodes.deaf = {NODES[0]}
    ended.said.clear()
    assert read_again(recover(ended)) == [NODES[1]]
    (told,) = (line for line in ended.said if f"{NODES[0]} has" in line)
    golden.compare_said("flows", told)
    assert_healthy(ended)


@pytest.mark.parametrize(
    "refusal",
    [
        ReloadImpossible("Kafka node", "does not read its certificates again", ""),
        KafkaUnavailable("Port 9091", "does not answer", ""),
        Unavailable(Attempt("get", PODS, "kafka"), "is overloaded", ""),
    ],
    ids=["refuses", "silent", "out of reach"],
)
def test_a_node_that_reads_nothing_before_it_restarts_holds_nothing_back(
    ended: WatchedCluster, nodes: ReloadingNodes, refusal: Exception
) -> None:
    def refuse(pod: str) -> None:
        if pod == NODES[0] and not is_confirmed(ended):
            raise refusal

    nodes.before = refuse
    assert read_again(recover(ended)) == [NODES[1]]
    assert {node for node, _listener in nodes.served} == {NODES[1]}
    assert_healthy(ended)


@pytest.mark.parametrize(("failures", "told"), [(1, NODES), (1000, [])], ids=["once", "each time"])
def test_looks_that_fail_after_the_requests_hold_nothing_back(
    failures: int, told: list[str], ended: WatchedCluster, nodes: ReloadingNodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask, left = Answers.__call__, iter(range(failures))

    def look(answers: Answers, observation: Observation) -> tuple[ObservedListener, ...] | None:
        if nodes.served and not is_confirmed(ended) and next(left, None) is not None:
            raise Unavailable(Attempt("get", PODS, "kafka"), "is overloaded", "", is_transient=True)
        return ask(answers, observation)

    monkeypatch.setattr(Answers, "__call__", look)
    confirm_after(ended, 5)
    assert sorted(read_again(recover(ended))) == told
    assert len(set(nodes.served)) == 4
    assert_healthy(ended)


def test_settings_that_cannot_be_found_hold_nothing_back(ended: WatchedCluster, nodes: ReloadingNodes) -> None:
    for node in NODES:
        ended.memory.api.request("DELETE", f"/api/v1/namespaces/kafka/configmaps/{node}")
    nodes.configured = False
    recover(ended)
    assert nodes.served == []
    assert_healthy(ended)


def test_no_node_restarts_before_its_next_certificate_is_stored(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    create(cluster)
    outlive_leaves(cluster)
    stored = {node: cluster.secret(node) for node in NODES}
    nodes.before = lambda pod: pytest.fail("too early") if cluster.secret(pod) == stored[pod] else None
    recover(cluster)
    assert_healthy(cluster)


def test_a_cluster_that_was_never_adopted_comes_back_too(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    """Its CA has ended as well: the operator has renewed it, and restarts each node once more for it, one after the other."""
    cluster.deploy(manifests=lasting(generated=True))
    outlive_leaves(cluster)
    recover(cluster)
    assert sorted(nodes.signals) == [(node, "TERM") for node in NODES]
    assert not cluster.ledger
    assert_healthy(cluster, restarts=2)


def test_a_node_with_a_good_certificate_goes_on(ended: WatchedCluster, nodes: ReloadingNodes) -> None:
    ended.memory.kubelet.restart_in_place(NODES[0])
    ended.look_away()
    recover(ended)
    assert nodes.signals == [(NODES[1], "TERM")]


@pytest.mark.parametrize("goal", [Goal.RECONCILE, Goal.RENEW, Goal.REPLACE_KEY, Goal.RENEW_LEAVES, Goal.DOWNGRADE])
def test_every_other_call_is_held(ended: WatchedCluster, nodes: ReloadingNodes, goal: Goal) -> None:
    assert Condition.LEAVES_IN_USE_ARE_VALID in conditions(ended, goal)
    assert (ended.counts(), nodes.signals, ended.paused) == (dict.fromkeys(NODES, 0), [], False)


@pytest.mark.parametrize("goal", [Goal.RECONCILE, Goal.UPGRADE])
def test_a_cluster_that_was_never_adopted_is_told_of_the_recovery_alone(
    cluster: WatchedCluster, nodes: ReloadingNodes, goal: Goal
) -> None:
    """The operator restarts none of these nodes, so that neither to wait for it nor to adopt its CA helps."""
    cluster.deploy(manifests=lasting(generated=True))
    outlive_leaves(cluster)
    cluster.memory.settle(2)
    assert conditions(cluster, goal) == [Condition.LEAVES_IN_USE_ARE_VALID]


def test_a_restart_for_a_reason_of_the_caller_is_refused_while_leaves_have_ended(ended: WatchedCluster) -> None:
    nodes = Chosen(components=frozenset({Component.KAFKA}))
    with pytest.raises(StepError):
        restart(ended.work(), nodes, None, lambda: None)
    assert ended.counts() == dict.fromkeys(NODES, 0)


def test_without_answers_no_node_restarts(ended: WatchedCluster, nodes: ReloadingNodes) -> None:
    nodes.reachable = False
    assert conditions(ended, Goal.RECOVER) == [Condition.EVIDENCE]
    assert ended.counts() == dict.fromkeys(NODES, 0)


def test_the_plan_has_these_restarts(ended: WatchedCluster) -> None:
    asked, work = ended.intent(Goal.RECOVER), ended.work()
    planned = plan(work, inspect(work, asked), asked)
    assert [(step.reason, step.nodes) for step in planned.steps if step.nodes] == [(RollReason.ENDED, tuple(NODES))]
    before, *_others = [step for step in planned.steps if step.kind == "PauseAndReload" or step.nodes]
    assert before.does is ActionKind.RELOAD


@pytest.mark.parametrize("handed_over", [True, False])
def test_answers_from_the_plan_spare_the_look_before_the_pause(
    ended: WatchedCluster, nodes: ReloadingNodes, handed_over: bool
) -> None:
    """And between the confirmation of the pause and the restart, for which clients wait, no node is asked either."""
    asked, work, looks = ended.intent(Goal.RECOVER), ended.work(), list[tuple[bool, bool, bool]]()
    planned = inspect(work, asked)
    nodes.answers.before = lambda: looks.append((ended.paused, is_confirmed(ended), bool(nodes.signals)))
    work.earlier_answers = planned.last_answers if handed_over else None
    assert run(work, asked, lambda: None).decision.done
    assert looks[0][0] is handed_over
    assert (True, True, False) not in looks
    assert (True, True, True) in looks, "the call did not look whether they are back"
    assert_healthy(ended)


def test_a_node_that_came_back_by_itself_is_not_restarted_by_an_earlier_answer(
    ended: WatchedCluster, nodes: ReloadingNodes
) -> None:
    """Its process is another one: it is asked again."""
    asked, work = ended.intent(Goal.RECOVER), ended.work()
    work.earlier_answers = inspect(work, asked).last_answers
    ended.memory.kubelet.restart_in_place(NODES[0])
    ended.look_away()
    assert run(work, asked, lambda: None).decision.done
    assert nodes.signals == [(NODES[1], "TERM")]


def test_a_process_that_does_not_end_is_killed(ended: WatchedCluster, nodes: ReloadingNodes) -> None:
    nodes.stubborn = {NODES[1]}
    recover(ended)
    assert nodes.signals == [(NODES[0], "TERM"), (NODES[1], "TERM"), (NODES[1], "KILL")]
    assert_healthy(ended)


def test_a_node_that_does_not_come_back_is_named(ended: WatchedCluster, nodes: ReloadingNodes) -> None:
    ended.memory.kubelet.broken = {NODES[1]}
    with pytest.raises(RollStuck) as stuck:
        recover(ended)
    assert NODES[1] in str(stuck.value)
    assert NODES[0] not in str(stuck.value)
    assert ended.paused, "the operator deletes a pod that takes long to start"
    ended.memory.kubelet.broken = set()
    recover(ended)
    assert len(nodes.signals) == 2
    assert_healthy(ended)


def test_a_recovery_waits_for_no_maintenance_window(ended: WatchedCluster, nodes: ReloadingNodes) -> None:
    ended.change("kafkas", CLUSTER, {"spec": {"maintenanceTimeWindows": ["* * 0-1 1 1 ?"]}})
    ended.memory.settle(2)
    recover(ended)
    assert len(nodes.signals) == 2


def test_a_flow_that_was_stopped_stays_where_it_is(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    create(cluster)
    cluster.validity = 10 * YEAR
    cluster.run(Goal.REPLACE_KEY, stop_after=Phase.PREPARE, last_phase=Phase.PREPARE)
    cluster.validity = None
    before, states = cluster.current, cluster.states
    outlive_leaves(cluster)
    cluster.run(Goal.RECOVER)
    assert sorted(nodes.signals) == [(node, "TERM") for node in NODES]
    assert (cluster.current, cluster.states) == (before, states)
    cluster.finish(Goal.REPLACE_KEY)
    assert cluster.current != before


def test_a_ca_that_has_ended_too_is_renewed(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    create(cluster, ca=LIFE)
    before = cluster.current
    outlive_leaves(cluster)
    recover(cluster)
    assert cluster.current != before
    assert sorted(nodes.signals) == [(node, "TERM") for node in NODES]
    assert_healthy(cluster)


@pytest.mark.parametrize("write", [7, 9])
def test_a_renewal_that_was_killed_in_a_pause_long_ago_holds_no_recovery(
    cluster: WatchedCluster, nodes: ReloadingNodes, write: int
) -> None:
    """The operator, paused, has issued no other certificates, and would act on half-done work if it went on."""
    first = root("First", end=START + 10 * YEAR)
    cluster.create(first, manifests=lasting())
    assert cluster.is_killed_at(write, True, lambda: cluster.run(Goal.RENEW, renewed(first)))
    assert cluster.paused
    outlive_leaves(cluster)
    cluster.memory.settle(2)
    assert cluster.memory.kubelet.ended(certs.now()) == NODES
    recover(cluster)
    cluster.memory.settle(3)
    assert (cluster.memory.kubelet.ended(certs.now()), cluster.ready, cluster.paused) == ([], True, False)


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("write", range(1, 7))
def test_a_killed_run_is_finished_by_the_next(
    ended: WatchedCluster, nodes: ReloadingNodes, write: int, after: bool
) -> None:
    if not ended.is_killed_at(write, after, lambda: recover(ended)):
        pytest.skip(f"takes fewer than {write} writes")
    recover(ended)
    assert_healthy(ended)


def test_a_run_that_is_killed_between_two_signals_goes_on_with_the_other(
    ended: WatchedCluster, nodes: ReloadingNodes
) -> None:
    def dies(pod: str) -> Callable[[], None] | None:
        if pod == NODES[1]:
            raise KeyboardInterrupt
        return None

    nodes.before = dies
    with pytest.raises(KeyboardInterrupt):
        recover(ended)
    nodes.before = lambda pod: None
    recover(ended)
    assert_healthy(ended)
    assert sorted(nodes.signals) == [(node, "TERM") for node in NODES]

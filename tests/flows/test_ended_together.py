# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The CA in use has ended, and so have the certificates of running nodes: the CA is renewed in the pause in which the nodes restart. The plan of a recovery
is what the recovery does, wherever an earlier run of it was killed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine import engine
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect, plan
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import RollStuck
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition, Step, Violation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent, Spread
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.plan import Forecast

from ..tools.support.reloads import ReloadingNodes
from ..tools.support.verification import refused_by_a_client, verifies
from ..tools.support.watched_cluster import CERTIFICATES, NAMESPACE, WatchedCluster
from .cases import Layout, roles_apart, roles_together
from .test_forecasts_come_true import in_order, planned_steps, said
from .test_recovering import LIFE, NODES, assert_healthy, create, lasting, outlive_leaves, recover

#: Days for which a CA lives that does not end.
LONG = 3650


#: Numbers of the writes at which a test kills the recovery; most of them take their time with the long tests.
WRITES_OF_RECOVERY = [
    pytest.param(write, marks=() if write in (3, 9, 17, 21) else pytest.mark.long) for write in range(1, 35)
]


def end_together(cluster: WatchedCluster, layout: Layout = roles_together, ca: int = LIFE) -> WatchedCluster:
    """An adopted cluster; the operator is back, has issued other certificates, and cannot restart a node."""
    create(cluster, ca=ca, manifests=lasting(layout))
    outlive_leaves(cluster)
    cluster.memory.settle(2)
    return cluster


def entries_of(cluster: WatchedCluster) -> tuple[bytes, ...]:
    """The CAs that clients load."""
    return tuple(pem for name, pem in cluster.secret(CERTIFICATES).items() if name.endswith(".crt"))


def presented_by(cluster: WatchedCluster, pod: str) -> set[bytes]:
    found = cluster.memory.api.find("pods", NAMESPACE, pod)
    assert found is not None
    return {pem for _secret, pem in cluster.memory.kubelet.processes[found["metadata"]["uid"]].presented}


@pytest.mark.parametrize("layout", [roles_together, roles_apart])
@pytest.mark.parametrize("is_partial", [False, True], ids=["all nodes", "but one node"])
def test_every_client_accepts_each_node_as_soon_as_it_is_back(
    cluster: WatchedCluster, nodes: ReloadingNodes, layout: Layout, is_partial: bool
) -> None:
    """A client of OpenSSL or Go that has read ``ca.crt`` when the first node restarts, and a JVM that reads nothing again."""
    end_together(cluster, layout)
    before, every, old = cluster.current, sorted(cluster.counts()), cluster.secret(CERTIFICATES)["ca.crt"]
    if is_partial:
        cluster.memory.kubelet.restart_in_place(every[0])
        cluster.look_away()
    seen: list[str] = []

    def check(pod: str) -> None:
        if not nodes.signals:
            return
        assert cluster.current != before
        for chain in presented_by(cluster, pod):
            ca = cluster.secret(CERTIFICATES)["ca.crt"]
            assert verifies(chain, ca, jvm=False), f"a client that has read ca.crt refuses {pod}"
            assert refused_by_a_client(chain, entries_of(cluster)) == ""
            assert verifies(chain, old), f"a JVM that has read nothing again refuses {pod}"
            seen.append(pod)

    nodes.after = check
    recover_in_one_call(cluster)
    restarted = every[1:] if is_partial else every
    assert sorted(nodes.signals) == [(node, "TERM") for node in restarted]
    assert set(seen) >= set(restarted)
    cluster.memory.settle(3)
    assert cluster.counts() == {node: int(node in restarted) for node in every}
    assert (cluster.ready, cluster.paused, len(cluster.states)) == (True, False, 1)
    recover_in_one_call(cluster)
    assert cluster.writes == 0


def test_no_look_delays_the_restart_of_the_nodes(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    """Between the confirmation of the pause and the restart; before that the call looks whether clients are served."""
    end_together(cluster)
    looks: list[tuple[bool, bool]] = []
    nodes.answers.before = lambda: looks.append((cluster.secret(CERTIFICATES)["ca.crt"] != old, bool(nodes.signals)))
    old = cluster.secret(CERTIFICATES)["ca.crt"]
    recover_in_one_call(cluster)
    assert (True, False) not in looks
    assert (True, True) in looks


def held(snapshot: Snapshot, intent: Intent) -> Iterator[Violation]:
    if intent.goal is Goal.RENEW:
        yield Violation(Condition.SECRETS_HAVE_ROOM, "Secret", "is full.", "Make room.")


def test_where_something_holds_the_renewal_nodes_come_back_all_the_same(
    cluster: WatchedCluster, nodes: ReloadingNodes
) -> None:
    end_together(cluster)
    before, usual = cluster.current, cluster.engine
    cluster.engine = replace(usual, preconditions_before_restart=(held,), preconditions=(held,))
    result = cluster.run(Goal.RECOVER, in_one_call=True)
    assert [one.condition for one in result.outcome.decision.violations] == [Condition.SECRETS_HAVE_ROOM]
    assert_healthy(cluster)
    assert cluster.current == before
    cluster.engine = usual
    recover(cluster)
    assert cluster.current != before
    assert_healthy(cluster)


def test_a_caller_that_stops_before_the_switch_has_the_nodes_back_first(
    cluster: WatchedCluster, nodes: ReloadingNodes
) -> None:
    end_together(cluster)
    before = cluster.current
    cluster.run(Goal.RECOVER, last_phase=Phase.PREPARE)
    assert_healthy(cluster)
    assert (cluster.current, len(cluster.prepared)) == (before, 1)
    recover(cluster)
    assert cluster.current != before
    assert_healthy(cluster)


def plan_of(cluster: WatchedCluster, spread: Spread = Spread.AUTO) -> Forecast:
    asked, work = cluster.intent(Goal.RECOVER, spread=spread), cluster.work()
    return plan(work, inspect(work, asked), asked)


def steps_taken(patch: pytest.MonkeyPatch, run: Callable[[], object]) -> list[tuple[str, str]]:
    steps: list[tuple[str, str]] = []
    carry_out = engine.carry_out

    def noted(step: Step, *arguments: object) -> None:
        steps.append(said(step.phase, step.sentence()))
        carry_out(step, *arguments)

    patch.setattr(engine, "carry_out", noted)
    run()
    patch.setattr(engine, "carry_out", carry_out)
    return steps


def pods_of_deployments(cluster: WatchedCluster) -> set[str]:
    return {pod["metadata"]["name"] for pod in cluster.memory.api.all("pods", NAMESPACE)} - cluster.counts().keys()


def assert_comes_true(
    cluster: WatchedCluster, planned: Forecast, patch: pytest.MonkeyPatch, spread: Spread = Spread.AUTO
) -> None:
    """The same steps, with the renewal of the CA, and the same restarts, of which none comes after the call."""
    cluster.look_away()
    cluster.said.clear()
    before = pods_of_deployments(cluster)
    steps = steps_taken(patch, lambda: recover_in_one_call(cluster, spread))
    assert (planned.violations, planned.waiting) == ((), ())
    assert planned_steps(planned) == in_order(steps)
    restarts = Counter(name for step in planned.steps for name in step.nodes)
    replaced = {name for step in planned.steps for name in step.others}
    for _later in range(2):
        assert (restarts, replaced) == (+Counter(cluster.counts()), before - pods_of_deployments(cluster))
        cluster.memory.settle(3)
    assert [line for line in cluster.said if "beyond the plan" in line] == []


def recover_in_one_call(cluster: WatchedCluster, spread: Spread = Spread.AUTO) -> None:
    decision = cluster.run(Goal.RECOVER, in_one_call=True, spread=spread).outcome.decision
    assert decision.done, [str(one) for one in decision.violations]


@pytest.mark.parametrize("layout", [roles_together, roles_apart])
@pytest.mark.parametrize("ca", [LIFE, LONG], ids=["CA too", "leaves"])
def test_the_plan_of_a_recovery_is_what_happens(
    cluster: WatchedCluster, nodes: ReloadingNodes, layout: Layout, ca: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    end_together(cluster, layout, ca)
    planned = plan_of(cluster)
    assert [step.kind for step in planned.steps].count("Switch") == int(ca == LIFE)
    assert_comes_true(cluster, planned, monkeypatch)
    assert plan_of(cluster).steps == ()


#: Why the operator does not learn that nodes have restarted in place: what the run may not do, and what its caller asks for.
UNTOLD = [
    pytest.param(frozenset({"patch strimzipodsets"}), Spread.AUTO, id="not permitted"),
    pytest.param(frozenset(), Spread.RESTART, id="restarts asked for"),
]


@pytest.mark.parametrize("is_partial", [False, True], ids=["all nodes", "but one node"])
@pytest.mark.parametrize("ca", [LIFE, LONG], ids=["CA too", "leaves"])
@pytest.mark.parametrize(("denied", "spread"), UNTOLD)
def test_nodes_that_the_operator_restarts_once_more_are_planned_and_waited_for(
    cluster: WatchedCluster,
    nodes: ReloadingNodes,
    denied: frozenset[str],
    spread: Spread,
    ca: int,
    is_partial: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    end_together(cluster, ca=ca)
    if is_partial:
        cluster.memory.kubelet.restart_in_place(NODES[0])
    cluster.permitted.denied = denied
    planned = plan_of(cluster, spread)
    assert_comes_true(cluster, planned, monkeypatch, spread)
    assert cluster.counts() == {NODES[0]: 1 if is_partial else 2, NODES[1]: 2}
    assert plan_of(cluster, spread).steps == ()


@pytest.mark.parametrize(("denied", "spread"), UNTOLD)
def test_a_call_that_something_holds_names_the_restarts_that_come_after_it(
    cluster: WatchedCluster, nodes: ReloadingNodes, denied: frozenset[str], spread: Spread
) -> None:
    end_together(cluster)
    cluster.permitted.denied = denied
    cluster.engine = replace(cluster.engine, preconditions_before_restart=(held,), preconditions=(held,))
    decision = cluster.run(Goal.RECOVER, in_one_call=True, spread=spread).outcome.decision
    assert [one.condition for one in decision.violations] == [Condition.SECRETS_HAVE_ROOM]
    assert cluster.counts() == dict.fromkeys(NODES, 1)
    named = {name for name in {*NODES, *pods_of_deployments(cluster)} if any(name in told for told in decision.waiting)}
    before = pods_of_deployments(cluster)
    cluster.memory.settle(3)
    restarted = {name for name, count in cluster.counts().items() if count == 2} | before - pods_of_deployments(cluster)
    assert named == restarted > set(NODES)


@pytest.mark.parametrize(("denied", "spread"), UNTOLD)
def test_a_caller_that_stops_before_the_switch_has_each_restart_of_the_operator_in_the_plan(
    cluster: WatchedCluster, nodes: ReloadingNodes, denied: frozenset[str], spread: Spread
) -> None:
    end_together(cluster)
    cluster.permitted.denied = denied
    asked, work = cluster.intent(Goal.RECOVER, spread=spread, last_phase=Phase.PREPARE), cluster.work()
    planned = plan(work, inspect(work, asked), asked)
    cluster.run(Goal.RECOVER, in_one_call=True, spread=spread, last_phase=Phase.PREPARE)
    restarts = Counter(name for step in planned.steps for name in step.nodes)
    for _later in range(2):
        assert restarts == cluster.counts() == dict.fromkeys(NODES, 2)
        cluster.memory.settle(3)


@pytest.mark.parametrize("denied", [frozenset(), frozenset({"patch strimzipodsets"})], ids=["told", "untold"])
def test_the_plan_of_a_cluster_that_was_never_adopted_has_each_restart_of_the_operator(
    cluster: WatchedCluster, nodes: ReloadingNodes, denied: frozenset[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its CA has ended as well: the operator has renewed it, and restarts each node once more for it, whatever it was told."""
    cluster.deploy(manifests=lasting(generated=True))
    outlive_leaves(cluster)
    cluster.memory.settle(2)
    cluster.permitted.denied = denied
    assert_comes_true(cluster, plan_of(cluster), monkeypatch)
    assert cluster.counts() == dict.fromkeys(NODES, 2)


@pytest.mark.parametrize("write", range(1, 9))
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_the_restarts_of_the_operator_are_waited_for_after_a_kill(
    cluster: WatchedCluster, nodes: ReloadingNodes, write: int, after: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    end_together(cluster, ca=LONG)
    cluster.permitted.denied = frozenset({"patch strimzipodsets"})
    if not cluster.is_killed_at(write, after, lambda: recover_in_one_call(cluster)):
        pytest.skip(f"takes fewer than {write} writes")
    assert_comes_true(cluster, plan_of(cluster), monkeypatch)
    assert (cluster.ready, cluster.paused) == (True, False)
    assert Counter(node for node, _signal in nodes.signals) == dict.fromkeys(NODES, 1)


@pytest.mark.parametrize("write", WRITES_OF_RECOVERY)
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("ca", [LIFE, LONG], ids=["CA too", "leaves"])
def test_the_plan_after_a_kill_goes_to_the_end(
    cluster: WatchedCluster, nodes: ReloadingNodes, write: int, after: bool, ca: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    end_together(cluster, ca=ca)
    if not cluster.is_killed_at(write, after, lambda: recover_in_one_call(cluster)):
        pytest.skip(f"takes fewer than {write} writes")
    assert_comes_true(cluster, plan_of(cluster), monkeypatch)
    cluster.memory.settle(3)
    assert (cluster.ready, cluster.paused, len(cluster.states)) == (True, False, 1)
    assert Counter(node for node, _signal in nodes.signals) == dict.fromkeys(NODES, 1)


@pytest.mark.parametrize("ca", [LIFE, LONG], ids=["CA too", "leaves"])
def test_the_plan_while_nodes_start_goes_to_the_end(
    cluster: WatchedCluster, nodes: ReloadingNodes, ca: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run was killed in the restart: no node is ready, and none answers yet."""
    end_together(cluster, ca=ca)
    cluster.memory.kubelet.broken = set(NODES)
    with pytest.raises(RollStuck):
        recover_in_one_call(cluster)
    nodes.answers.silent = set(NODES)
    planned = plan_of(cluster)
    cluster.memory.kubelet.broken, nodes.answers.silent = set(), set()
    cluster.memory.settle(1)
    later = plan_of(cluster)
    waits = [step for step in planned.steps if step.kind == "AwaitAnswers"]
    assert (len(waits), planned.violations) == (1, ())
    assert planned_steps(planned)[1:] == planned_steps(later)
    assert_comes_true(cluster, later, monkeypatch)

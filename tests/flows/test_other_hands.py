# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Another program writes back what it knows of an object while a flow is at work: the call ends and names it, and restarts nothing beyond its
plan.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.engine import run
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect, plan
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Work
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition, Decision
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase

from ..tools.support.golden import GoldenFiles
from ..tools.support.memory_api import Change
from ..tools.support.other_hands import ARGO_CD, PutBack, WriterBack
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.watched_cluster import CERTIFICATES, KEYS, LEDGER, NAMESPACE, WatchedCluster
from .cases import CASES, Case, Flow

BUNDLE, NODE_LEAF, POD_SET = "demo-trustbundle", "demo-kafka-0", "demo-kafka"
#: Everything that flows on running clusters write, by kind and name.
WRITTEN = [
    ("secrets", CERTIFICATES),
    ("secrets", KEYS),
    ("secrets", LEDGER),
    ("secrets", BUNDLE),
    ("secrets", NODE_LEAF),
    ("secrets", "demo-cluster-operator-certs"),
    ("secrets", "demo-entity-topic-operator-certs"),
    ("strimzipodsets", POD_SET),
    ("kafkas", "demo"),
]
#: Where one of these changes, the operator restarts nodes by itself, whichever program changed it: a CA under another generation is among them.
_RESTARTING = (CERTIFICATES, BUNDLE, NODE_LEAF, POD_SET)
#: Annotations that say whose pause it is.
PAUSED_BY = "trustops.strimzi/paused-by"


@dataclass(frozen=True)
class Told:
    """The end of a call."""

    decision: Decision
    warnings: list[str]
    #: Restarts of each node that it asked for or waited for.
    asked: Counter[str]
    #: The restarts by the plan before the run.
    planned: Counter[str]
    #: The sentences about a pause that the run has left.
    pause_left: str

    @property
    def text(self) -> str:
        return " ".join([*map(str, self.decision.violations), *self.warnings])


def call(flow: Flow) -> Told:
    """A single call for the whole flow, as state=retired makes it."""
    work, intent = flow.cluster.work(flow.supplied), flow.asked()
    planned = plan(work, inspect(work, intent), intent)
    decision = run(work, intent, lambda: None).decision
    nodes = Counter(node for step in planned.steps for node in step.nodes)
    return Told(decision, work.warnings, restarts_of(work, flow.cluster), nodes, work.left_behind.pauses)


def restarts_of(work: Work, cluster: WatchedCluster) -> Counter[str]:
    """Of Kafka nodes."""
    named = Counter(one.target.name for one in work.actions if one.verb == "restart")
    return Counter({name: count for name, count in named.items() if name in cluster.memory.kubelet.nodes})


def begin(
    case: Case, cluster: WatchedCluster, written: tuple[str, str], every: int, *, at_once: bool
) -> tuple[Flow, WriterBack]:
    """The cluster is not watched: what the other program writes is not this collection's doing."""
    flow = case.begin(cluster)
    cluster.look_elsewhere()
    other = WriterBack(cluster.memory.api, written[0], NAMESPACE, written[1], every)
    if at_once:
        other.watch()
    else:
        cluster.memory.neighbours.append(other.look)
    return flow, other


@pytest.mark.usefixtures("uptake")
@pytest.mark.parametrize("at_once", [True, False], ids=["at once", "in time"])
@pytest.mark.parametrize(
    "every", [1, *(pytest.param(one, marks=pytest.mark.long) for one in (2, 3))], ids=lambda every: f"each {every}"
)
@pytest.mark.parametrize("written", WRITTEN, ids=lambda written: f"{written[0]} {written[1]}")
@pytest.mark.parametrize(
    "case", [Case(Goal.REPLACE_KEY), *(pytest.param(one, marks=pytest.mark.long) for one in CASES[1:])], ids=str
)
@pytest.mark.each_once
def test_no_call_restarts_more_than_its_plan_said(
    cluster: WatchedCluster, case: Case, written: tuple[str, str], every: int, at_once: bool
) -> None:
    assert_as_planned(cluster, case, written, every, at_once=at_once)


@pytest.mark.parametrize(
    ("case", "written", "every"),
    [
        pytest.param(Case(Goal.REPLACE_KEY, "at once", path_length=0), ("strimzipodsets", POD_SET), 1, id="planned before nodes answered"),
        pytest.param(Case(Goal.REPLACE_KEY, "unlinked"), ("secrets", BUNDLE), 3, id="put back by the operator meanwhile"),
    ],
)  # fmt: skip
def test_no_other_reason_excuses_a_restart(
    cluster: WatchedCluster, nodes: ReloadingNodes, case: Case, written: tuple[str, str], every: int
) -> None:
    assert_as_planned(cluster, case, written, every, at_once=True)


def test_a_call_that_restarts_instead_of_reloading_has_a_plan_of_that(cluster: WatchedCluster) -> None:
    assert_as_planned(cluster, Case(Goal.RENEW_LEAVES), ("strimzipodsets", POD_SET), 1, at_once=True)


def assert_as_planned(
    cluster: WatchedCluster, case: Case, written: tuple[str, str], every: int, *, at_once: bool
) -> None:
    flow, other = begin(case, cluster, written, every, at_once=at_once)
    told = call(flow)
    assert not told.asked - told.planned
    foreign = other.done if written[1] in _RESTARTING else 0
    assert all(count <= told.planned[node] + foreign for node, count in cluster.counts().items())
    assert told.decision.done or told.decision.violations
    # A deletion leaves no trace of who it was.
    assert told.decision.done or ARGO_CD in told.text or other.known is None
    annotations = cluster.kafka["metadata"].get("annotations") or {}
    assert bool(told.pause_left) == cluster.paused == (PAUSED_BY in annotations), (
        "it stays paused with a word, or not at all"
    )


PAUSE = "strimzi.io/pause-reconciliation"


@pytest.mark.parametrize("at_once", [True, False], ids=["at once", "in time"])
@pytest.mark.parametrize("case", [Case(Goal.REPLACE_KEY), Case(Goal.RENEW)], ids=str)
@pytest.mark.each_once
def test_a_pause_that_is_taken_away_twice_ends_the_call(
    cluster: WatchedCluster, nodes: ReloadingNodes, case: Case, at_once: bool
) -> None:
    """GitOps heals the Kafka resource. Nothing of the pause is left, and without that program the flow comes to its end."""
    flow, other = begin(case, cluster, ("kafkas", "demo"), 1, at_once=at_once)
    told = call(flow)
    (violation,) = told.decision.violations
    assert (violation.condition, violation.subject) == (Condition.WRITES_LAST, "Kafka kafka/demo")
    assert PAUSE in violation.message
    assert ARGO_CD in violation.message
    assert "The operator " in violation.message, "it says what the operator may have seen meanwhile"
    assert "ignoreDifferences" in violation.remedy
    assert cluster.pauses <= 2
    assert not {PAUSE, PAUSED_BY} & set(cluster.kafka["metadata"].get("annotations") or {})
    other.leave()
    assert flow.run().outcome.decision.done
    assert all(count <= told.planned[node] for node, count in cluster.counts().items())


def test_a_mark_without_its_pause_is_taken_away_by_the_next_call(
    cluster: WatchedCluster, nodes: ReloadingNodes
) -> None:
    """A call that was killed in a pause that another program has ended."""
    flow = Case(Goal.RENEW).begin(cluster)
    cluster.change("kafkas", "demo", {"metadata": {"annotations": {PAUSED_BY: "a call that was killed"}}})
    assert flow.run().outcome.decision.done
    assert PAUSED_BY not in (cluster.kafka["metadata"].get("annotations") or {})


def test_owners_are_named_before_the_first_write(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    flow = Case(Goal.REPLACE_KEY).begin(cluster)
    cluster.memory.api.give("secrets", NAMESPACE, KEYS, "externalsecrets.external-secrets.io/corporate-ca")
    (warning,) = flow.run(last_phase=Phase.PREPARE).warnings
    assert f"Secret {NAMESPACE}/{KEYS}: " in warning
    assert "externalsecrets.external-secrets.io/corporate-ca (Update, " in warning
    assert "creationPolicy" in warning


def test_a_plan_that_a_person_approves_names_them_too(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    flow = Case(Goal.REPLACE_KEY).begin(cluster)
    cluster.memory.api.give("secrets", NAMESPACE, KEYS, ARGO_CD)
    work = replace(cluster.work(), dry_run=True)
    run(work, flow.asked(), lambda: None)
    (warning,) = work.warnings
    assert f"Secret {NAMESPACE}/{KEYS}: {ARGO_CD}" in warning


@pytest.mark.parametrize(
    "manager", ["strimzi-cluster-operator", "trustops.strimzi", "kubectl-edit", "kubectl", "kube-apiserver"]
)
def test_writes_by_known_field_managers_cause_no_warning(
    cluster: WatchedCluster, nodes: ReloadingNodes, manager: str
) -> None:
    flow = Case(Goal.REPLACE_KEY).begin(cluster)
    for plural, name in WRITTEN:
        cluster.memory.api.give(plural, NAMESPACE, name, manager)
    assert flow.finish().warnings == []


@pytest.mark.usefixtures("nodes")
@pytest.mark.parametrize("case", [Case(Goal.REPLACE_KEY), Case(Goal.RENEW_LEAVES)], ids=str)
def test_the_operator_may_put_back_what_it_had_read(cluster: WatchedCluster, case: Case) -> None:
    """A reconcile that was under way, once for every node: nothing is said of it, and no more is restarted."""
    flow = case.begin(cluster)
    cluster.look_elsewhere()
    left = {name: cluster.secret(name) for name in ("demo-kafka-0", "demo-kafka-1")}

    def put_back(change: Change) -> None:
        if change.name in left and cluster.secret(change.name) != left[change.name]:
            data = (change.old or {})["data"]
            del left[change.name]
            cluster.memory.operator.api.patch("secrets", change.name, {"data": data})

    cluster.memory.api.listeners.append(put_back)
    result = flow.run()
    assert result.outcome.decision.done
    assert (left, result.warnings) == ({}, [])
    assert cluster.rolls == {flow.cost.restarts}


@pytest.mark.usefixtures("nodes")
@pytest.mark.parametrize(
    ("name", "more"),
    [("demo-kafka-0", 0), ("demo-kafka-exporter-certs", 0), ("demo-entity-user-operator-certs", 1)],
    ids=str,
)
def test_an_old_leaf_is_put_back_while_restarts_are_awaited(
    cluster: WatchedCluster, name: str, more: int, golden: GoldenFiles
) -> None:
    """It restarts no pod for a certificate that is the old one again. A component that has restarted with one new certificate of two restarts once more,
    and the call says why."""
    flow = Case(Goal.REPLACE_KEY).begin(cluster)
    operator = PutBack(cluster.memory, name)
    result = flow.run()
    assert result.outcome.decision.done
    assert (operator.done, cluster.rolls) == (True, {flow.cost.restarts})
    assert len(result.warnings) == more
    if more:
        golden.compare_said("flows", result.warnings[0])

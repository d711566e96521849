# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The flow does what the plan says, step by step, and planning itself changes nothing."""

from __future__ import annotations

import re
from collections import Counter
from itertools import groupby
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine import engine
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect, plan
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Spread
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.plan import Forecast

from ..tools.operator import double
from ..tools.operator.authority import ReconcileFailed
from ..tools.support.killing import KillingTransport
from ..tools.support.memory_cluster import MemoryCluster
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.restarts import cost_of
from ..tools.support.watched_cluster import CLUSTER, WatchedCluster
from .cases import CASES, ENDED, PATIENT_REPLACEMENTS, REPLACEMENTS, Case, Flow, mostly_long

#: Words that differ by chance: fingerprints of CAs that are made twice, once to plan and once for good, and the word that stands for them in the plan of a
#: renewal; and the time of a read-back.
_BY_CHANCE = re.compile(r" \((?:[0-9a-f]{12}|renewed)\)|\d\d:\d\d:\d\d UTC")


def forecast_of(flow: Flow, **intent: Any) -> Forecast:
    """Planning writes nothing."""
    transport = KillingTransport(flow.cluster.permitted)
    work, asked = flow.cluster.work(flow.supplied, transport), flow.asked(**intent)
    planned = plan(work, inspect(work, asked), asked)
    assert transport.writes == 0
    return planned


def said(phase: Phase, sentence: str) -> tuple[str, str]:
    return phase.value, _BY_CHANCE.sub("", sentence)


def taken(flow: Flow, patch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Phase and sentence of every step that the flow really takes."""
    steps: list[tuple[str, str]] = []
    carry_out = engine.carry_out

    def noted(step: Any, *arguments: Any) -> Any:
        steps.append(said(step.phase, step.sentence()))
        return carry_out(step, *arguments)

    patch.setattr(engine, "carry_out", noted)
    assert flow.run().outcome.decision.done
    return steps


def slow_operator(memory: MemoryCluster, patch: pytest.MonkeyPatch) -> None:
    """A reconcile that changes the trust bundle ends there: a run that waits for the bundle sees it before anything restarts."""
    write = double.write_trust_bundle

    def bundle() -> Any:
        found = memory.api.find("secrets", memory.namespace, f"{memory.cluster}-trustbundle")
        return (found or {}).get("data")

    def write_and_end(*arguments: Any) -> None:
        before = bundle()
        write(*arguments)
        if before is not None and before != bundle():
            raise ReconcileFailed("Interrupted", "the operator was restarted")

    patch.setattr(double, "write_trust_bundle", write_and_end)


def in_order(steps: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """A step that is taken in two halves, because the operator was slow, counts as one. Steps that only write the ledger, or wait for the
    operator's verdict, are left out: a plan does not know when there is something to record, and how far behind the operator is."""
    unplanned = ("record ", "wait until the operator has reconciled")
    return [step for step, _group in groupby(step for step in steps if not step[1].startswith(unplanned))]


def planned_steps(planned: Forecast) -> list[tuple[str, str]]:
    return in_order([said(step.phase, step.what) for step in planned.steps])


def assert_comes_true(flow: Flow, patch: pytest.MonkeyPatch) -> Forecast:
    planned = forecast_of(flow)
    slow_operator(flow.cluster.memory, patch)
    steps = taken(flow, patch)
    assert planned.violations == ()
    assert planned_steps(planned) == in_order(steps)
    assert Counter(name for step in planned.steps for name in step.nodes) == +Counter(flow.cluster.counts())
    assert flow.cluster.paid == flow.cost
    return planned


@pytest.mark.usefixtures("uptake")
@pytest.mark.parametrize("case", mostly_long([*CASES, *ENDED, Case(Goal.DOWNGRADE, "after a renewal")]))
def test_the_plan_is_what_happens(cluster: WatchedCluster, case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    assert assert_comes_true(case.begin(cluster), monkeypatch).waiting == ()


@pytest.mark.parametrize("case", PATIENT_REPLACEMENTS, ids=str)
def test_the_plan_ends_where_there_is_nothing_to_do_but_to_wait(
    cluster: WatchedCluster, nodes: ReloadingNodes, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    flow = case.begin(cluster)
    planned = assert_comes_true(flow, monkeypatch)
    (waiting,) = flow.run().outcome.decision.waiting
    # The digest of a CA that is yet to be renewed was not known.
    told = tuple(one.replace(" (renewed)", "") for one in planned.waiting)
    assert told in ((waiting,), (_BY_CHANCE.sub("", waiting),))
    # From here on the plan is empty, until something has restarted.
    assert (forecast_of(flow).steps, forecast_of(flow).waiting) == ((), (waiting,))


@pytest.mark.usefixtures("uptake")
@pytest.mark.parametrize("case", mostly_long([*REPLACEMENTS, Case(Goal.RENEW)]))
@pytest.mark.parametrize("phase", list(Phase)[:-1])
@pytest.mark.each_once
def test_the_plan_of_an_abort_is_what_happens(
    cluster: WatchedCluster, case: Case, phase: Phase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From wherever the rotation stands: what nodes have answered holds until they restart."""
    assert_undone_as_planned(case.begin(cluster), phase, monkeypatch)


@pytest.mark.parametrize("case", PATIENT_REPLACEMENTS, ids=str)
def test_the_plan_of_an_abort_while_nodes_wait_for_their_restart(
    cluster: WatchedCluster, nodes: ReloadingNodes, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_undone_as_planned(case.begin(cluster), None, monkeypatch)


def assert_undone_as_planned(flow: Flow, until: Phase | None, patch: pytest.MonkeyPatch) -> None:
    """In the same steps; they say how many pods restart, and the nodes are counted."""
    flow.run(last_phase=until)
    cluster = flow.cluster
    cluster.look_away()
    back = Flow(cluster, Case(Goal.ABORT))
    planned = forecast_of(back)
    slow_operator(cluster.memory, patch)
    steps = taken(back, patch)
    assert planned.violations == ()
    assert planned_steps(planned) == in_order(steps)
    assert Counter(name for step in planned.steps for name in step.nodes) == +Counter(cluster.counts())


@pytest.mark.usefixtures("uptake")
@pytest.mark.parametrize("case", mostly_long([*REPLACEMENTS, Case(Goal.RENEW)]))
@pytest.mark.parametrize("phase", Phase)
@pytest.mark.each_once
def test_the_plan_of_a_flow_half_way_is_what_is_left(cluster: WatchedCluster, case: Case, phase: Phase) -> None:
    flow = case.begin(cluster)
    whole = planned_steps(forecast_of(flow))
    stopping = planned_steps(forecast_of(flow, last_phase=phase))
    assert all(Phase(reached).position <= phase.position for reached, _sentence in stopping)
    flow.run(last_phase=phase)
    left = planned_steps(forecast_of(flow))
    if case.circumstance == "renewed first":
        # Of the time for clients before the switch none is left by then, and a part is where this flow stops before.
        whole, stopping, left = map(_without_waits_to_retire, (whole, stopping, left))
    assert whole == [*stopping, *left]


def _without_waits_to_retire(steps: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [step for step in steps if not (step[0] == Phase.RETIRE.value and step[1].startswith("give clients until"))]


@pytest.mark.parametrize(
    ("case", "said_of_it"),
    [
        (Case(Goal.REPLACE_KEY), "is taken from the listeners by having them read their trust again"),
        (Case(Goal.REPLACE_KEY, "unlinked"), "is taken from the listeners by having them read their trust again"),
        (Case(Goal.RENEW), "Listeners read their new certificates again, without a restart"),
    ],
    ids=str,
)
def test_the_plan_says_what_is_read_again_and_which_permission_is_missing_for_it(
    cluster: WatchedCluster, nodes: ReloadingNodes, case: Case, said_of_it: str
) -> None:
    flow = case.begin(cluster)
    planned = forecast_of(flow)
    assert any(said_of_it in choice for choice in planned.choices), planned.choices
    assert not any(choice.startswith("Nodes are restarted") for choice in planned.choices)
    cluster.permitted.denied = frozenset({"patch strimzipodsets"})
    planned = forecast_of(flow)
    missing = [choice for choice in planned.choices if "may not patch strimzipodsets in namespace kafka." in choice]
    assert [choice.startswith("Nodes are restarted ") for choice in missing] == [True]
    rolls = cost_of(case.goal, case.circumstance, reload=False).restarts
    assert sum(1 for step in planned.steps if step.nodes) == rolls
    held = forecast_of(flow, spread=Spread.RELOAD)
    assert [violation.condition for violation in held.violations] == [Condition.IN_PLACE]
    assert sum(1 for step in held.steps if step.nodes) == 0


def test_where_nothing_is_to_be_done_the_plan_is_empty(cluster: WatchedCluster) -> None:
    flow = Case(Goal.REPLACE_KEY).begin(cluster)
    flow.finish()
    assert forecast_of(flow) == Forecast(())


def test_a_flow_that_is_held_has_no_plan_but_a_reason(cluster: WatchedCluster) -> None:
    flow = Case(Goal.REPLACE_KEY).begin(cluster)
    cluster.change("kafkas", CLUSTER, {"metadata": {"annotations": {"strimzi.io/pause-reconciliation": "true"}}})
    planned = forecast_of(flow)
    assert planned.steps == ()
    assert [violation.condition for violation in planned.violations] == [Condition.NOT_PAUSED_BY_OTHERS]

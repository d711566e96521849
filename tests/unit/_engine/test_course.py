# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The course of a call: states that come again, waits that bring nothing, and restarts, each told once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine import engine
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.counting import pods_by_party
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.course import Budget, Replaced, Restarted
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.engine import carry_out, run
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import CallOutcome
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import OperatorSilent
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.restarts import SharedCount
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Action, Display, Target, Work
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.written import Written
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition, Step, Steps
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import (
    REPLICATION,
    ObservedListener,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import (
    RaiseKeyGeneration,
    TidyKeys,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Roll, RollReason
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import AwaitBundle
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.order import Rule
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.situation import Situation

from ...tools.support.golden import GoldenFiles
from ...tools.support.other_hands import ARGO_CD, WriterBack
from ...tools.support.watched_cluster import KEYS, WatchedCluster
from .test_engine import PAUSE, RECONCILE, in_a_pause, ruled_by, take_nothing

NOTHING = TidyKeys(prepared=frozenset(), kept_keys=frozenset(), phase=Phase.PREPARE)


def run_ruled(cluster: WatchedCluster, rule: Rule, work: Work | None = None, intent: Intent = RECONCILE) -> CallOutcome:
    return run(work or cluster.work(), intent, take_nothing, engine=ruled_by(rule))


def conditions(outcome: CallOutcome) -> list[Condition]:
    return [one.condition for one in outcome.decision.violations]


def counting(steps: Steps, passes: list[int]) -> Rule:
    """A rule that asks for the same again and again."""

    def rule(at: Situation) -> Steps:
        passes.append(1)
        return steps

    return rule


class TestCircle:
    def test_a_state_that_comes_again_ends_the_call_at_once(self, cluster: WatchedCluster) -> None:
        passes: list[int] = []
        outcome = run_ruled(cluster, counting((NOTHING,), passes))
        assert (conditions(outcome), outcome.decision.done) == ([Condition.FLOW_ADVANCES], False)
        assert outcome.decision.pending == (NOTHING.sentence(),)
        assert len(passes) == 2, "what it was, and what it still is"

    def test_a_flow_that_does_not_advance_in_a_pause_ends_the_pause(self, cluster: WatchedCluster) -> None:
        outcome = run(cluster.work(), RECONCILE, take_nothing, engine=in_a_pause(lambda at: (PAUSE,)))
        assert conditions(outcome) == [Condition.FLOW_ADVANCES]
        assert not cluster.paused

    def test_a_cycle_names_the_written_object(self, cluster: WatchedCluster) -> None:
        """Another program writes the same object each time, to what it was."""
        key, work = RaiseKeyGeneration(generation=7), cluster.work()

        def rule(at: Situation) -> Steps:
            if work.actions:
                cluster.change("secrets", KEYS, {"metadata": {"annotations": {"strimzi.io/ca-key-generation": "0"}}})
                work.written = Written()  # Nothing is known of a loss.
            return (key,)

        (violation,) = run_ruled(cluster, rule, work).decision.violations
        assert (violation.condition, violation.subject) == (Condition.FLOW_ADVANCES, f"Secret kafka/{KEYS}")
        assert key.sentence() in violation.message

    def test_a_wait_is_no_circle_until_it_has_taken_as_long_as_the_operator_may(self, cluster: WatchedCluster) -> None:
        passes: list[int] = []
        work = cluster.work()
        begun = work.clock.monotonic()
        outcome = run_ruled(cluster, counting((AwaitBundle(present=frozenset(), phase=Phase.PREPARE),), passes), work)
        assert conditions(outcome) == [Condition.FLOW_ADVANCES]
        assert work.clock.monotonic() - begun >= work.settings.operator_timeout.total_seconds()
        assert 3 < len(passes) < 30, "it looks again, and less and less often"

    def test_a_pass_in_which_another_writer_was_first_is_tried_again(self, cluster: WatchedCluster) -> None:
        """But not for ever."""
        work, passes = cluster.work(), []

        def rule(at: Situation) -> Steps:
            passes.append(1)
            cluster.change("secrets", KEYS, {"metadata": {"annotations": {"theirs": str(len(passes))}}})
            return (RaiseKeyGeneration(generation=7),)

        outcome = run_ruled(cluster, rule, work)
        assert conditions(outcome) == [Condition.FLOW_ADVANCES]
        assert (work.actions, len(passes) > 3) == ([], True)


class TestRestarts:
    def test_a_restart_that_is_in_no_plan_is_not_asked_for(self, cluster: WatchedCluster, golden: GoldenFiles) -> None:
        def rule(at: Situation) -> Steps:
            return (Roll(reason=RollReason.TRUST, uids=at.snapshot.uids, authority=None, phase=Phase.TRUST),)

        work = cluster.work()
        (violation,) = run_ruled(cluster, rule, work).decision.violations
        assert violation.condition is Condition.RESTARTS_ARE_PLANNED
        golden.compare_said("engine", violation)
        assert (work.actions, set(cluster.counts().values())) == ([], {0})

    @pytest.mark.parametrize(("release", "said"), [("1.2.0", False), ("1.3.0", True)])
    def test_a_plan_that_does_not_come_true_may_rest_on_another_spec(
        self, cluster: WatchedCluster, release: str, said: bool
    ) -> None:
        """No other program has written anything that explains it."""

        def rule(at: Situation) -> Steps:
            return (Roll(reason=RollReason.TRUST, uids=at.snapshot.uids, authority=None, phase=Phase.TRUST),)

        cluster.change_status({"operatorLastSuccessfulVersion": release})
        (violation,) = run_ruled(cluster, rule).decision.violations
        assert ("STRIMZI_GATEKEEPER_CUSTOM_PLUGINS" in violation.remedy) is said

    @pytest.mark.parametrize("is_heard", [False, True])
    def test_nodes_that_have_left_a_question_open_explain_restarts_when_they_have_answered(
        self, cluster: WatchedCluster, is_heard: bool
    ) -> None:
        """A plan has no restart because an answer is missing; the plan of this call had half an answer of each node."""
        work, whole = cluster.work(), with_answers(cluster)
        listeners = whole.snapshot.nodes.listeners or ()
        half = tuple(replace(one, accepts=frozenset(), refuses=frozenset()) for one in listeners)
        first = replace(whole, snapshot=whole.snapshot.with_nodes(listeners=half))
        roll = Roll(reason=RollReason.TRUST, uids=first.snapshot.uids, authority=None, phase=Phase.TRUST)
        budget = Budget(work, RECONCILE, first, take_nothing)
        over = budget.exceeded_by(whole if is_heard else first, RECONCILE, (roll,), (), is_doubtful=False)
        assert bool(over) is not is_heard
        assert any("demo-kafka-0, demo-kafka-1" in warning for warning in work.warnings) is is_heard


class TestFailure:
    """A wait that fails because another program has taken away what it waits for the effect of."""

    @pytest.fixture
    def happening(self, monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], None]]:
        """It happens in the step after the first write, which fails then."""
        happenings: list[Callable[[], None]] = []

        def carried_out(step: Step, *about: Any) -> None:
            if step != NOTHING:
                carry_out(step, *about)
                return
            for happen in happenings:
                happen()
            raise OperatorSilent("The operator", "has said nothing", "Look at it.")

        monkeypatch.setattr(engine, "carry_out", carried_out)
        return happenings

    @staticmethod
    def rule(at: Situation) -> Steps:
        return (NOTHING,) if at.snapshot.ca.key_generation == 7 else (RaiseKeyGeneration(generation=7),)

    def test_the_other_program_is_named(
        self, cluster: WatchedCluster, happening: list[Callable[[], None]], golden: GoldenFiles
    ) -> None:
        cluster.look_elsewhere()
        other = WriterBack(cluster.memory.api, "secrets", "kafka", KEYS)
        happening.append(other.look)
        (violation,) = run_ruled(cluster, self.rule).decision.violations
        assert (violation.condition, violation.subject) == (Condition.WRITES_LAST, f"Secret kafka/{KEYS}")
        assert ARGO_CD in violation.message
        golden.compare_said("engine", violation)

    @pytest.mark.usefixtures("happening")
    def test_where_nothing_was_lost_the_failure_is_what_it_is(self, cluster: WatchedCluster) -> None:
        with pytest.raises(OperatorSilent):
            run_ruled(cluster, self.rule)


# Restarts that a call has not waited for are told live, each once; those that it has waited for are told already.


def told(lines: list[str]) -> list[str]:
    return [line for line in lines if "another program" in line]


@pytest.mark.parametrize("asked", [True, False])
def test_an_awaited_restart_is_reported_once(cluster: WatchedCluster, asked: bool) -> None:
    """A node restarts by the call, or by the operator alone while the call writes something else."""
    node, lines, passes = sorted(cluster.memory.kubelet.nodes)[0], list[str](), list[int]()
    work = cluster.work()
    work.display = Display(report=lines.append)

    def rule(at: Situation) -> Steps:
        passes.append(1)
        if len(passes) > 1:
            return ()
        cluster.restart(node)
        if asked:
            work.record(Action("restart", Target("Pod", "kafka", node), "trust roll", "trust"))
        return (RaiseKeyGeneration(generation=7),)

    run(work, RECONCILE, take_nothing, engine=ruled_by(rule))
    assert [(one.pod, one.is_planned) for one in work.restarts.shown] == ([] if asked else [(node, False)])
    assert told(lines) == [one.sentence() for one in work.restarts.shown]


def with_answers(cluster: WatchedCluster) -> Observation:
    """Every node trusts the CAs of the ledger, and has answered so."""
    observation = cluster.work().observe()
    snapshot = observation.snapshot
    known = frozenset(entry.fingerprint for entry in snapshot.ledger_or_empty.entries)
    nodes = (pod for pod in snapshot.nodes.pods if pod.component is Component.KAFKA)
    told = tuple(ObservedListener(pod.name, pod.uid, REPLICATION, snapshot.ca.current, known) for pod in nodes)
    return replace(observation, snapshot=snapshot.with_nodes(listeners=told))


def seen(cluster: WatchedCluster, **uids: str) -> Observation:
    """The cluster with these UIDs, by the name of the pod; one without a UID is not there."""
    observation = cluster.work().observe()
    pods = tuple(
        replace(pod, uid=uids.get(pod.name.replace("-", "_"), pod.uid))
        for pod in observation.snapshot.nodes.pods
        if uids.get(pod.name.replace("-", "_")) != ""
    )
    return replace(observation, snapshot=observation.snapshot.with_nodes(pods=pods))


def test_a_pod_that_is_away_for_some_passes_is_told_of_when_it_is_back(cluster: WatchedCluster) -> None:
    restarted = Restarted(cluster.work(), seen(cluster, demo_kafka_0="a"))
    for uid, count in (("a", 0), ("", 0), ("", 0), ("b", 1), ("b", 0), ("c", 1)):
        found = restarted.find(seen(cluster, demo_kafka_0=uid))
        assert found == (Replaced("demo-kafka-0", "demo-kafka-0", "demo-kafka-0"),) * count


def test_a_component_comes_back_under_another_name(cluster: WatchedCluster) -> None:
    before = seen(cluster)
    restarted = Restarted(cluster.work(), before)
    pods = [
        replace(pod, uid="new", name="demo-entity-operator-new") if pod.component is Component.ENTITY_OPERATOR else pod
        for pod in before.snapshot.nodes.pods
    ]
    (old,) = [pod.name for pod in before.snapshot.nodes.pods if pod.component is Component.ENTITY_OPERATOR]
    found = restarted.find(replace(before, snapshot=before.snapshot.with_nodes(pods=tuple(pods))))
    assert found == (Replaced("entity-operator", old, "demo-entity-operator-new"),)


def test_pods_are_compared_with_what_the_call_before_has_handed_over(cluster: WatchedCluster) -> None:
    """A restart between two calls of a play."""
    work, now = cluster.work(), seen(cluster)
    assert Restarted(work, now).find(now) == ()
    work.shared_count = SharedCount({}, {}, pods_by_party(seen(cluster, demo_kafka_0="earlier").snapshot))
    assert Restarted(work, now).find(now) == (Replaced("demo-kafka-0", "demo-kafka-0", "demo-kafka-0"),)

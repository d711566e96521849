# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The engine with rules of the tests' own: what is done, when it ends, and what is left behind when it fails."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any, NoReturn
from unittest import mock

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine import engine
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.engine import carry_out, run
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import (
    IN_A_FLOW,
    IN_A_PAUSE,
    CallOutcome,
    look,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import (
    Forbidden,
    LeaseTaken,
    LinkUnavailable,
    ReloadImpossible,
    StepError,
    Unreachable,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing import issue as _issuing
from ansible_collections.trustops.strimzi.plugins.module_utils._issuing.pending import request_leaves
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.lease import TrustLease
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import LEASES, SECRETS, Attempt
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout import roll as _rollout
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply import carry_out as _strimzi
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Display
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import ENGINE, Engine
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition, Step, Steps
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent, LinkIssuer, Spread
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import TrustState
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import (
    RaiseKeyGeneration,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import AwaitIssuer
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import (
    Pause,
    Reload,
    Resume,
    Roll,
    RollReason,
    StampPods,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.order import Rule
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.situation import Situation

from ...tools.support.faults import Fault, FaultyApi, always
from ...tools.support.golden import GoldenFiles
from ...tools.support.intents import an_intent, changed_intent
from ...tools.support.reloads import ReloadingNodes
from ...tools.support.watched_cluster import KEYS, WatchedCluster

PAUSE = Pause(phase=Phase.USE, purpose="try something")
RESUME = Resume(phase=Phase.USE)


#: A write that harms no process.
RAISE = RaiseKeyGeneration(generation=7)
STUCK = StepError("A pod", "is stuck", "Look at it.")
RECONCILE, RENEW = Intent(Goal.RECONCILE), Intent(Goal.RENEW)
AWAIT = AwaitIssuer(
    secrets=("demo-kafka-0",),
    issuer=(),
    external_issuer="an issuer",
    deadline=datetime.max.replace(tzinfo=timezone.utc),
    phase=Phase.PREPARE,
)


def ruled_by(rule: Rule) -> Engine:
    return replace(ENGINE, rules=(rule,))


def raising(at: Situation) -> Steps:
    """A rule that is silent as soon as the key generation is raised."""
    return () if at.snapshot.ca.key_generation == RAISE.generation else (RAISE,)


def in_a_pause(rule: Rule) -> Engine:
    """The operator is paused as long as there is something to do."""

    def paused(at: Situation) -> Steps:
        if steps := rule(at):
            return steps if at.is_paused else (PAUSE,)
        return (RESUME,) if at.is_paused else ()

    return ruled_by(paused)


def failing(error: BaseException) -> Rule:
    """A rule that fails while the operator is paused."""

    def rule(at: Situation) -> Steps:
        if at.is_paused:
            raise error
        return (RAISE,)

    return rule


def take_nothing() -> None:
    """The Lease is ours."""


def run_ruled(cluster: WatchedCluster, rule: Rule, intent: Intent = RECONCILE, **options: Any) -> CallOutcome:
    return run(options.pop("work", None) or cluster.work(), intent, take_nothing, engine=ruled_by(rule), **options)


class TestEnd:
    def test_a_run_without_work_does_not_take_the_lease(self, cluster: WatchedCluster) -> None:
        before = len(cluster.memory.api.writes)
        taken: list[str] = []
        work = cluster.work()
        outcome = run(work, RECONCILE, lambda: taken.append("the Lease"))
        assert (outcome.decision.done, work.actions, taken) == (True, [], [])
        assert len(cluster.memory.api.writes) == before

    def test_a_run_goes_on_until_no_rule_has_a_step(self, cluster: WatchedCluster) -> None:
        taken: list[int] = []
        before = len(cluster.memory.api.writes)
        work = cluster.work()
        outcome = run(work, RECONCILE, lambda: taken.append(len(cluster.memory.api.writes)), engine=ruled_by(raising))
        assert taken == [before], "the Lease comes before the first write"
        assert outcome.decision.done
        assert [action.object for action in work.actions] == ["Secret kafka/demo-cluster-ca"]
        assert cluster.annotation("secrets", KEYS, "ca-key-generation") == "7"

    def test_a_call_stops_when_the_requested_state_is_reached(self, cluster: WatchedCluster) -> None:
        """The flow would have more to do."""
        work = cluster.work()
        outcome = run_ruled(
            cluster, lambda at: (RAISE,), work=work, reached=lambda seen: seen.ca.key_generation == 7
        )  # fmt: skip
        assert len(work.actions) == 1
        assert outcome.decision.steps == (RAISE,)

    def test_a_run_that_has_reached_its_end_ends_its_pause_first(self, cluster: WatchedCluster) -> None:
        engine, work = in_a_pause(raising), cluster.work()
        run(work, RECONCILE, take_nothing, lambda seen: seen.ca.key_generation == 7, engine)
        assert [action.what for action in work.actions][-1] == "resume reconciliation"
        assert not cluster.paused


class TestFailure:
    """No call returns with the operator paused by us, whatever happens in it."""

    @pytest.mark.parametrize(
        "error",
        [
            STUCK,
            Unreachable(Attempt("get", SECRETS, "kafka", "x"), "no route", "Run again."),
            ValueError("a mistake of ours"),
            KeyboardInterrupt(),
            SystemExit(1),
        ],
        ids=lambda error: type(error).__name__,
    )
    def test_the_operator_is_let_on_whatever_happens(self, error: BaseException, cluster: WatchedCluster) -> None:
        with pytest.raises(type(error)) as caught:
            run(cluster.work(), RECONCILE, take_nothing, engine=in_a_pause(failing(error)))
        assert caught.value is error
        assert not cluster.paused
        assert cluster.pauses == 1

    def test_a_pause_is_ended_although_another_program_writes_the_resource_meanwhile(
        self, cluster: WatchedCluster
    ) -> None:
        changes = [{"metadata": {"annotations": {"theirs": "too"}}}]

        def cross(number: int, method: str, path: str) -> None:
            if cluster.paused and changes and method == "PATCH" and "/kafkas/" in path:
                cluster.change("kafkas", "demo", changes.pop())

        work = cluster.work(transport=FaultyApi(cluster.permitted, cross))
        with pytest.raises(StepError, match=STUCK.cause):
            run(work, RECONCILE, take_nothing, engine=in_a_pause(failing(STUCK)))
        assert (cluster.paused, work.left_behind.pauses, changes) == (False, "", [])

    def test_a_run_whose_write_fails_ends_its_pause(self, cluster: WatchedCluster) -> None:
        cluster.permitted.denied = frozenset({"patch secrets"})
        with pytest.raises(Forbidden):
            run(cluster.work(), RECONCILE, take_nothing, engine=in_a_pause(raising))
        assert (cluster.paused, cluster.pauses) == (False, 1)

    def test_a_pause_that_cannot_be_ended_does_not_hide_the_error(self, cluster: WatchedCluster) -> None:
        def lose_it(at: Situation) -> Steps:
            if at.is_paused:
                cluster.permitted.denied = frozenset({"patch kafkas"})
            return failing(STUCK)(at)

        with pytest.raises(StepError, match=STUCK.cause):
            run(cluster.work(), RECONCILE, take_nothing, engine=in_a_pause(lose_it))
        assert cluster.paused

    def test_a_run_that_has_lost_the_lease_leaves_the_pause_to_its_new_holder(self, cluster: WatchedCluster) -> None:
        work = cluster.work()

        def lose_it(at: Situation) -> Steps:
            if at.is_paused:
                work.renew_lease = _held_by_another
            return failing(STUCK)(at)

        with pytest.raises(StepError, match=STUCK.cause):
            run(work, RECONCILE, take_nothing, engine=in_a_pause(lose_it))
        assert cluster.paused

    def test_a_run_that_notices_at_a_renewal_that_it_lost_the_lease_leaves_the_pause(
        self, cluster: WatchedCluster
    ) -> None:
        work, seconds = cluster.work(), [0.0]
        now = work.clock.now
        lease = TrustLease(work.client, "kafka", "demo-trust", "one", now=now, monotonic=lambda: seconds[0])
        lease.acquire()
        work.renew_lease = lease.renew_if_due

        def lose_it(at: Situation) -> Steps:
            if at.is_paused:
                seconds[0] = 60.0
                cluster.change("leases", "demo-trust", {"spec": {"holderIdentity": "another"}})
            return raising(at)

        with pytest.raises(LeaseTaken):
            run(work, RECONCILE, take_nothing, engine=in_a_pause(lose_it))
        assert cluster.paused

    def test_a_run_that_never_had_the_lease_ends_no_pause(self, cluster: WatchedCluster) -> None:
        """Another run is alive, in the middle of a switch."""
        other = cluster.work()
        outcome = look(other, RECONCILE, ruled_by(lambda at: (PAUSE,)))
        carry_out(PAUSE, outcome.observation, other)
        with pytest.raises(LeaseTaken):
            run(cluster.work(), RECONCILE, _held_by_another)
        assert cluster.paused

    def test_the_lease_is_not_held_while_the_issuer_is_waited_for(self, cluster: WatchedCluster) -> None:
        """Another run may begin meanwhile, and pause the operator: a call that fails then leaves its pause alone."""
        held: list[str] = []
        work = cluster.work()
        work.release_lease = lambda: held.append("given back")

        def wait(at: Situation) -> Steps:
            return raising(at) or (AWAIT,)

        def another_run_begins(seconds: float) -> NoReturn:
            assert held == ["taken", "given back"]
            carry_out(PAUSE, look(cluster.work(), RECONCILE).observation, cluster.work())
            raise StepError("The wait", "ends here", "Run again.")

        with (
            mock.patch.object(request_leaves, "_is_awaited", return_value=True),
            mock.patch.object(work.clock, "sleep", another_run_begins),
            pytest.raises(StepError, match="ends here"),
        ):
            run(work, RECONCILE, lambda: held.append("taken"), engine=ruled_by(wait))
        assert held == ["taken", "given back"]
        assert cluster.paused

    def test_what_other_runs_write_during_such_a_wait_is_no_loss(self, cluster: WatchedCluster) -> None:
        work, rules = cluster.work(), iter([(RAISE,), (AWAIT,), (), ()])

        def another_run_works(*_about: object) -> bool:
            cluster.change("secrets", KEYS, {"metadata": {"annotations": {"strimzi.io/ca-key-generation": None}}})
            return False

        with mock.patch.object(request_leaves, "_is_awaited", another_run_works):
            run_ruled(cluster, lambda at: next(rules), work=work)
        assert cluster.annotation("secrets", KEYS, "ca-key-generation") is None
        assert work.warnings == []

    def test_the_lease_is_taken_again_after_such_a_wait(self, cluster: WatchedCluster) -> None:
        """The call does not get it where another run works by then."""
        work = cluster.work()
        waits = iter([(AWAIT,), (RAISE,)])
        with pytest.raises(LeaseTaken):
            run(work, RECONCILE, _held_by_another, engine=ruled_by(lambda at: next(waits)))
        assert [action.verb for action in work.actions] == ["wait"]

    def test_a_pause_that_a_killed_call_has_left_is_ended_by_the_next(self, cluster: WatchedCluster) -> None:
        work = cluster.work()
        carry_out(PAUSE, look(work, RECONCILE).observation, work)
        run(cluster.work(), RECONCILE, take_nothing)
        assert not cluster.paused

    def test_the_pause_of_another_user_stays(self, cluster: WatchedCluster) -> None:
        cluster.change("kafkas", "demo", {"metadata": {"annotations": {"strimzi.io/pause-reconciliation": "true"}}})
        work = cluster.work()
        outcome = run(work, RECONCILE, take_nothing, engine=in_a_pause(raising))
        assert [one.condition for one in outcome.decision.violations] == [Condition.NOT_PAUSED_BY_OTHERS]
        assert (cluster.paused, work.actions) == (True, [])


class TestFailuresThatPass:
    """The API server fails for a while: what was decided is looked at again, as after a conflict."""

    def test_a_write_that_fails_in_a_pause_is_done_after_another_look(self, cluster: WatchedCluster) -> None:
        patches = iter(range(99))

        def every_other(number: int, method: str, path: str) -> Fault | None:
            return Fault.INTERNAL_ERROR if method == "PATCH" and next(patches) % 2 == 0 else None

        work = cluster.work(transport=FaultyApi(cluster.permitted, every_other))
        outcome = run(work, RECONCILE, take_nothing, engine=in_a_pause(raising))
        assert outcome.decision.done
        assert (cluster.paused, cluster.pauses, work.left_behind.pauses) == (False, 1, "")
        assert [action.object for action in work.actions if action.is_change] == [
            "Kafka kafka/demo", "Secret kafka/demo-cluster-ca", "Kafka kafka/demo",
        ]  # fmt: skip

    def test_a_write_whose_answer_was_lost_is_not_repeated(self, cluster: WatchedCluster) -> None:
        transport = FaultyApi(cluster.permitted, always(Fault.LOST_ANSWER, "PATCH"))
        work = cluster.work(transport=transport)
        run(work, RECONCILE, take_nothing, engine=in_a_pause(raising))
        assert [action.object for action in work.actions if action.is_change] == [
            "Kafka kafka/demo", "Secret kafka/demo-cluster-ca", "Kafka kafka/demo",
        ]  # fmt: skip
        assert [method for method, _path in transport.calls].count("PATCH") == 3

    def test_the_transitions_of_a_run_with_lost_answers_are_reported_too(self, cluster: WatchedCluster) -> None:
        def taken(transport: Any) -> list[tuple[Any, Any]]:
            intent = changed_intent(RENEW, last_phase=Phase.TRUST)
            outcome = run(cluster.work(transport=transport), intent, take_nothing)
            assert outcome.decision.done
            return [(one.before, one.after) for one in outcome.transitions]

        begin = cluster.memory.moment()
        undisturbed = taken(cluster.permitted)
        cluster.memory.go_to(begin)
        assert undisturbed
        assert taken(FaultyApi(cluster.permitted, always(Fault.LOST_ANSWER, "PATCH", "POST"))) == undisturbed

    def test_what_a_pass_has_done_before_a_failure_makes_its_patience_whole(
        self, cluster: WatchedCluster, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A failure at the begin of a roll of an hour takes nothing from the patience with a failure at its end."""
        work = cluster.work()
        failures = [
            *[Unreachable(Attempt("get", SECRETS, "kafka", "x"), "no route", "Run again.", is_transient=True)] * 7
        ]
        begun = cluster.memory.seconds

        def carry_out_slowly(*about: Any) -> None:
            if len(failures) == 7:
                raise failures.pop()
            if len(failures) == 6:
                carry_out(*about)
                work.clock.sleep(3600)
            if failures:
                raise failures.pop()
            carry_out(*about)

        monkeypatch.setattr(engine, "carry_out", carry_out_slowly)
        again = replace(RAISE, generation=8)
        run_ruled(
            cluster, lambda at: raising(at) or ((again,) if at.snapshot.ca.key_generation == 7 else ()), work=work
        )
        assert failures == []
        assert cluster.memory.seconds - begun > 3600

    def test_an_api_server_that_stays_away_ends_the_call_and_the_pause_is_told(
        self, cluster: WatchedCluster, golden: GoldenFiles
    ) -> None:
        work = cluster.work(transport=(transport := FaultyApi(cluster.permitted)))

        def lose_it(at: Situation) -> Steps:
            if at.is_paused:
                transport.gone = True
            return raising(at)

        with pytest.raises(Unreachable):
            run(work, RECONCILE, take_nothing, engine=in_a_pause(lose_it))
        assert cluster.memory.seconds > IN_A_PAUSE.total_seconds()
        assert cluster.paused
        golden.compare_said("engine", work.left_behind.pauses)

    def test_a_pause_is_ended_with_a_patience_of_its_own(self, cluster: WatchedCluster) -> None:
        """The API server was away for almost as long as the call bears, and fails once more when the call ends for another reason."""
        begun, late, ends = list[float](), [Fault.UNAVAILABLE] * 7, list[bool]()

        def fail(number: int, method: str, path: str) -> Fault | None:
            if not begun and cluster.paused and path.endswith("/kafkas/demo") and method == "GET":
                begun.append(cluster.memory.seconds)
            if not begun:
                return None
            is_away = cluster.memory.seconds - begun[0] < IN_A_PAUSE.total_seconds() - 5
            return Fault.UNAVAILABLE if is_away else late.pop() if ends and late else None

        def end(at: Situation) -> Steps:
            if at.is_paused:
                ends.append(True)
            return failing(STUCK)(at)

        work = cluster.work(transport=FaultyApi(cluster.permitted, fail))
        with pytest.raises(StepError, match=STUCK.cause):
            run(work, RECONCILE, take_nothing, engine=in_a_pause(end))
        assert (cluster.paused, work.left_behind.pauses, late) == (False, "", [])

    def test_outside_a_pause_it_ends_earlier_and_nothing_is_said_of_one(self, cluster: WatchedCluster) -> None:
        work = cluster.work(transport=(transport := FaultyApi(cluster.permitted)))

        def lose_it(at: Situation) -> Steps:
            transport.gone = True
            return raising(at)

        with pytest.raises(Unreachable):
            run_ruled(cluster, lose_it, work=work)
        assert IN_A_FLOW.total_seconds() < cluster.memory.seconds < IN_A_PAUSE.total_seconds()
        assert work.left_behind.pauses == ""


class TestLeftPaused:
    """The operator is not let on where it would take for work what is half-way."""

    def test_half_way_it_stays_paused_and_that_is_told(self, cluster: WatchedCluster, golden: GoldenFiles) -> None:
        work = cluster.work()

        stamp = StampPods(generation=None, key_generation=RAISE.generation, phase=Phase.USE)

        def carry_out_but_stamps(step: Any, *rest: Any) -> None:
            if step == stamp:
                raise STUCK
            carry_out(step, *rest)

        with (
            mock.patch.object(engine, "carry_out", carry_out_but_stamps),
            pytest.raises(StepError, match=STUCK.cause),
        ):
            run(work, RECONCILE, take_nothing, engine=in_a_pause(lambda at: raising(at) or (stamp,)))
        assert cluster.paused, "no pod has the key generation yet, so the operator would restart all of them"
        golden.compare_said("engine", work.left_behind.pauses)

    def test_unless_the_flow_leaves_it_to_the_operator(self, cluster: WatchedCluster) -> None:
        """The rules want nothing else of this pause."""
        work = cluster.work()
        ends = iter([StepError("It", "is the last step", "Run again.")])

        def carry_out_once(step: Any, *rest: Any) -> None:
            if isinstance(step, Resume) and (error := next(ends, None)):
                raise error
            carry_out(step, *rest)

        with mock.patch.object(engine, "carry_out", carry_out_once), pytest.raises(StepError, match="the last step"):
            run(work, RECONCILE, take_nothing, engine=in_a_pause(raising))
        assert (cluster.paused, work.left_behind.pauses) == (False, "")

    def test_a_run_that_fails_after_it_went_over_to_restarts_ends_its_pause(self, cluster: WatchedCluster) -> None:
        """Without the reload, which has turned out to be impossible, the operator finds nothing half-way."""
        work = cluster.work()
        stamp = StampPods(generation=None, key_generation=RAISE.generation, phase=Phase.USE)
        ends = iter([StepError("It", "is the last step", "Run again.")])

        def carry_out_once(step: Any, *rest: Any) -> None:
            if step == stamp:
                raise ReloadImpossible("A node", "cannot read again", "Restart it.")
            if isinstance(step, Resume) and (error := next(ends, None)):
                raise error
            carry_out(step, *rest)

        def stamping(at: Situation) -> Steps:
            return raising(at) or ((stamp,) if at.intent.pace.spread is Spread.AUTO else ())

        with mock.patch.object(engine, "carry_out", carry_out_once), pytest.raises(StepError, match="the last step"):
            run(work, RECONCILE, take_nothing, engine=in_a_pause(stamping))
        assert (cluster.paused, work.left_behind.pauses) == (False, "")

    def test_a_pause_that_may_not_be_ended_is_told(self, cluster: WatchedCluster) -> None:
        work = cluster.work()

        def lose_it(at: Situation) -> Steps:
            if at.is_paused:
                cluster.permitted.denied = frozenset({"patch kafkas"})
            return failing(STUCK)(at)

        with pytest.raises(StepError):
            run(work, RECONCILE, take_nothing, engine=in_a_pause(lose_it))
        assert "left paused" in work.left_behind.pauses

    def test_a_violation_in_a_pause_is_reported_with_the_pause(self, cluster: WatchedCluster) -> None:
        work = cluster.work()
        carry_out(PAUSE, look(work, RECONCILE).observation, work)
        carry_out(RAISE, look(work, RECONCILE).observation, work)
        cluster.change("pods", "demo-kafka-0", {"metadata": {"labels": {"strimzi.io/cluster": None}}})
        call = cluster.work()
        outcome = run(call, RECONCILE, take_nothing)
        assert outcome.decision.violations
        assert (cluster.paused, "is left paused" in call.left_behind.pauses) == (True, True)

    def test_the_pause_of_a_run_that_has_the_lease_is_none_of_ours(self, cluster: WatchedCluster) -> None:
        other, work = cluster.work(), cluster.work()
        carry_out(PAUSE, look(other, RECONCILE).observation, other)
        with pytest.raises(LeaseTaken):
            run(work, RECONCILE, _held_by_another)
        assert work.left_behind.pauses == ""


def _held_by_another() -> None:
    raise LeaseTaken(Attempt("patch", LEASES, "kafka", "demo-trust"), "Another run", "has it.", "Let it finish.")


class TestConflict:
    @pytest.fixture
    def crossed(self, cluster: WatchedCluster) -> Rule:
        """Another program writes to the same Secret after it was read, the first time."""
        left = [{"metadata": {"annotations": {"theirs": "too"}}}]

        def rule(at: Situation) -> Steps:
            if left:
                cluster.change("secrets", KEYS, left.pop())
            return raising(at)

        return rule

    def test_after_a_concurrent_write_the_run_decides_again(self, crossed: Rule, cluster: WatchedCluster) -> None:
        beats: list[str] = []
        work = cluster.work()
        work.renew_lease = lambda: beats.append("alive")
        outcome = run_ruled(cluster, crossed, work=work)
        assert outcome.decision.done
        assert [action.object for action in work.actions] == ["Secret kafka/demo-cluster-ca"]
        found = cluster.memory.api.find("secrets", "kafka", KEYS) or {}
        assert found["metadata"]["annotations"]["theirs"] == "too"
        assert cluster.annotation("secrets", KEYS, "ca-key-generation") == "7"
        assert beats, "the Lease is kept while it is tried again"


WHY = "Nodes are restarted with their renewed certificates: no node can be reached."


class TestRestarts:
    """Where nodes cannot read again, a call restarts them for good, and says why."""

    def test_nodes_that_cannot_reload_are_restarted_with_a_warning(
        self, cluster: WatchedCluster, golden: GoldenFiles
    ) -> None:
        seen: list[Spread] = []

        def rule(at: Situation) -> Steps:
            seen.append(at.intent.pace.spread)
            return (Reload(uids=at.snapshot.uids, authority=None),) if at.intent.pace.spread is Spread.AUTO else ()

        work = cluster.work()
        run_ruled(cluster, rule, work=work)
        assert (seen[0], seen[-1]) == (Spread.AUTO, Spread.RESTART)
        (warning,) = work.warnings
        golden.compare_said("engine", warning)

    def test_with_spread_reload_no_node_restarts(self, cluster: WatchedCluster) -> None:
        step = Reload(uids=frozenset({"any"}), authority=None)
        with pytest.raises(ReloadImpossible):
            run_ruled(cluster, lambda at: (step,), changed_intent(RECONCILE, spread=Spread.RELOAD))

    def test_an_avoidable_restart_is_reported_once_and_kept_to(self, cluster: WatchedCluster) -> None:
        seen: list[Spread] = []

        def rule(at: Situation) -> Steps:
            seen.append(at.intent.pace.spread)
            return tuple(replace(step, avoidable_restart=WHY) for step in raising(at))

        work = cluster.work()
        run_ruled(cluster, rule, work=work)
        assert seen[-1] is Spread.RESTART
        assert work.warnings == [WHY]


class TestLinks:
    """Where the issuer of the CA in use certifies no other, a call does without it, and says why."""

    def test_a_replacement_without_a_certified_link_goes_on_with_a_warning(
        self, cluster: WatchedCluster, monkeypatch: pytest.MonkeyPatch, golden: GoldenFiles
    ) -> None:
        seen: list[bool] = []

        def rule(at: Situation) -> Steps:
            seen.append(at.intent.issuing.link_issuer)
            return raising(at)

        def refuse(*about: object) -> None:
            if seen[-1]:
                raise LinkUnavailable("Vault", "does not permit that", "Permit it.")
            carry_out(*about)  # type: ignore[arg-type]

        monkeypatch.setattr(engine, "carry_out", refuse)
        work = cluster.work()
        run_ruled(cluster, rule, changed_intent(RECONCILE, link_issuer=LinkIssuer("an issuer")), work=work)
        assert seen == [LinkIssuer("an issuer"), None, None]
        (warning,) = work.warnings
        golden.compare_said("engine", warning)


class TestLooking:
    """Before a step behind a gate a call asks the running nodes; it asks again for answers of a moment ago only where it matters."""

    @pytest.fixture
    def nodes(self, cluster: WatchedCluster) -> ReloadingNodes:
        cluster.nodes = ReloadingNodes(cluster.memory)
        return cluster.nodes

    def test_steps_behind_no_gate_ask_no_node(self, nodes: ReloadingNodes, cluster: WatchedCluster) -> None:
        outcome = run_ruled(cluster, raising)
        assert (nodes.answers.asked, outcome.last_look) == (0, None)

    def test_within_a_pause_they_are_asked_once(self, nodes: ReloadingNodes, cluster: WatchedCluster) -> None:
        engine = in_a_pause(raising)
        outcome = run(cluster.work(), RECONCILE, take_nothing, engine=engine)
        assert nodes.answers.asked == 1
        assert outcome.last_look is not None
        assert outcome.last_look.snapshot.nodes.listeners

    def test_before_every_single_step_that_wants_it_fresh(self, nodes: ReloadingNodes, cluster: WatchedCluster) -> None:
        reached = [0]

        def rule(at: Situation) -> Steps:
            """The operator takes the stamps back when it goes on."""
            reached[0] = max(reached[0], at.snapshot.nodes.pods[0].key_generation or 0)
            return (
                (StampPods(generation=None, key_generation=reached[0] + 1, phase=Phase.USE),) if reached[0] < 2 else ()
            )

        run(cluster.work(), RECONCILE, take_nothing, engine=in_a_pause(rule))
        before_the_pause, stamps = 1, 2
        assert nodes.answers.asked == before_the_pause + stamps

    def test_nodes_are_asked_again_when_their_answers_may_have_changed(
        self, nodes: ReloadingNodes, cluster: WatchedCluster, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        nodes.replace_requests(monkeypatch)
        node = frozenset(sorted(cluster.node_uids)[:1])
        rule: Rule = lambda at: () if nodes.told else (Reload(uids=node, authority=None),)  # noqa: E731
        work = cluster.work()
        run(work, RECONCILE, take_nothing, engine=in_a_pause(rule))
        before_the_pause, has_it_followed, before_the_resume = 1, 1, 1
        assert nodes.answers.asked == before_the_pause + has_it_followed + before_the_resume
        assert [action.verb for action in work.actions] == ["update", "reload", "update", "wait"]


class TestCall:
    def test_a_dry_run_says_what_it_would_do_and_does_nothing(self, cluster: WatchedCluster) -> None:
        before = len(cluster.memory.api.writes)
        work = replace(cluster.work(), dry_run=True)
        lines: list[str] = []
        work.display = Display(report=lines.append)
        run(work, RECONCILE, _held_by_another, engine=ruled_by(raising))
        assert [action.object for action in work.actions] == ["Secret kafka/demo-cluster-ca"]
        assert (lines, len(cluster.memory.api.writes)) == ([], before)

    def test_a_dry_run_records_no_step_that_the_run_would_not_take(self, cluster: WatchedCluster) -> None:
        """The flow has more to do than the call."""
        work = replace(cluster.work(), dry_run=True)
        outcome = run(work, RECONCILE, _held_by_another, reached=lambda seen: True, engine=ruled_by(raising))
        assert (work.actions, outcome.transitions) == ([], [])
        assert outcome.decision.steps == (RAISE,), "what is left"

    def test_a_dry_run_waits_for_a_window_as_the_run_would(self, cluster: WatchedCluster) -> None:
        cluster.change("kafkas", "demo", {"spec": {"maintenanceTimeWindows": ["* * * * * ? 2027"]}})
        cluster.memory.settle(1)
        restart = Roll(reason=RollReason.MANUAL, uids=frozenset(cluster.node_uids), authority=None, phase=Phase.USE)
        ends = []
        for dry_run in (False, True):
            work = replace(cluster.work(), dry_run=dry_run)
            outcome = run(work, RECONCILE, take_nothing, engine=ruled_by(lambda at: (restart,)))
            ends.append((work.actions, outcome.decision.steps, outcome.decision.waiting))
        assert ends[0] == ends[1]
        assert ends[0][:2] == ([], ())

    def test_looking_does_nothing(self, cluster: WatchedCluster) -> None:
        before = len(cluster.memory.api.writes)
        work = cluster.work()
        outcome = look(work, RECONCILE, ruled_by(raising))
        assert (outcome.decision.steps, work.actions) == ((RAISE,), [])
        assert len(cluster.memory.api.writes) == before

    def test_the_log_says_what_is_done_and_not_how(self, cluster: WatchedCluster) -> None:
        lines: list[str] = []
        work = cluster.work()
        work.display = Display(report=lines.append)
        run(work, RECONCILE, take_nothing, engine=in_a_pause(raising))
        # The operator restarts pods for the generation that the rule has raised behind its back.
        own = [line for line in lines if "by the Cluster Operator" not in line]
        assert own == [RAISE.sentence()]

    def test_from_its_beginning_a_call_is_about_one_ca(self, cluster: WatchedCluster) -> None:
        """When that CA is replaced, the call is at its end; it does not go on with the next CA."""
        about: list[str | None] = []

        def rule(at: Situation) -> Steps:
            about.append(at.intent.parameters.replaces)
            return raising(at)

        outcome = run_ruled(cluster, rule, Intent(Goal.REPLACE_KEY))
        assert outcome.replaces == cluster.current
        assert about[-1] == cluster.current

    def test_the_transitions_are_those_that_were_taken(self, cluster: WatchedCluster) -> None:
        outcome = run(cluster.work(), an_intent(Goal.REPLACE_KEY, last_phase=Phase.PREPARE), take_nothing)
        assert [(taken.before, taken.after) for taken in outcome.transitions] == [
            (None, TrustState.UNTRUSTED), (TrustState.UNTRUSTED, TrustState.TRUSTED_UNUSED),
        ]  # fmt: skip


# Every step finds what carries it out, in one place only.


def _concrete(kind: type[Step]) -> Iterator[type[Step]]:
    for one in kind.__subclasses__():
        yield from _concrete(one)
        if not inspect.isabstract(one):
            yield one


def test_every_step_is_carried_out_by_one_layer() -> None:
    served = [step for table in (_strimzi.CARRY_OUT, _issuing.CARRY_OUT, _rollout.CARRY_OUT) for step in table]
    assert sorted(step.__name__ for step in served) == sorted(step.__name__ for step in set(_concrete(Step)))

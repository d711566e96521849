# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Restarting for a reason of one's own: exactly whom one names, and only where nothing else is going on."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from itertools import count

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine import restart as restarting
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.restart import Chosen, restart
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import (
    ConditionUnmet,
    Conflict,
    RollStuck,
    StepError,
    Unreachable,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.resources import LEASES, PODS, Attempt
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout import admin
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Action, Target, Work
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Strategy
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Journal, Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Roll

from ...tools.support.faults import PASSING, Fault, FaultyApi, at_call
from ...tools.support.golden import GoldenFiles
from ...tools.support.memory_api import Change
from .._rollout.direct_stand import DirectStand
from .._rollout.stand import CONTROL, NODES, OPERATOR, OTHERS, Stand
from .._strimzi.bench import conditions, pod
from .._strimzi.steps import record

MARK = "strimzi.io/manual-rolling-update"
KAFKA = Chosen(components=frozenset({Component.KAFKA}))
EPOCH = datetime(2026, 1, 1, tzinfo=timezone.utc)


@pytest.fixture
def stand() -> Stand:
    return _operated()


def _operated() -> Stand:
    """The operator restarts whom it is asked to, a second later; Deployments recreate their pods."""
    made = Stand()
    made.deployments()

    def operate(change: Change) -> None:
        if (change.plural, change.verb) == ("pods", "update") and change.name in made.asked():
            made.at(made.clock.seconds + 1, lambda: made.recreate(change.name) if change.name in made.asked() else None)

    made.api.listeners.append(operate)
    return made


def restarted(
    stand: Stand,
    chosen: Chosen = KAFKA,
    since: datetime | None = None,
) -> set[str]:
    work = stand.work()
    restart(work, chosen, since, lambda: None)
    return {action.target.name for action in work.actions if action.verb == "restart"}


def test_the_components_that_are_named(stand: Stand) -> None:
    assert restarted(stand) == set(NODES)
    assert restarted(stand, Chosen(components=frozenset({Component.CRUISE_CONTROL}))) == {CONTROL}


def test_the_pods_that_are_named(stand: Stand) -> None:
    assert restarted(stand, Chosen(frozenset({NODES[1], CONTROL}))) == {NODES[1], CONTROL}


def test_where_nothing_is_chosen_nothing_restarts(stand: Stand) -> None:
    assert restarted(stand, Chosen()) == set()


def test_only_pods_older_than_the_given_time_restart(stand: Stand) -> None:
    """So a task that is run again restarts no pod twice."""
    stand.api.clock = lambda: "2026-01-01T00:01:00Z"
    stand.recreate(NODES[0])
    assert restarted(stand, since=EPOCH + timedelta(seconds=1)) == set(NODES[1:])
    before = len(stand.api.writes)
    assert restarted(stand, since=EPOCH + timedelta(seconds=1)) == set()
    assert len(stand.api.writes) == before


@pytest.mark.parametrize("ahead", [0, 240])
def test_pods_that_restart_are_no_older_than_the_given_time_by_the_clock_of_the_api_server(ahead: int) -> None:
    """The caller's clock is ahead: pods that the task makes at once would be older than the given time, and the same task would restart them again."""
    stand = _operated()
    stand.api.clock = lambda: f"{stand.clock.now():%Y-%m-%dT%H:%M:%SZ}"
    since = stand.clock.now() + timedelta(seconds=ahead)
    assert restarted(stand, since=since) == set(NODES)
    assert restarted(stand, since=since) == set()


class Killed(BaseException):
    """The call is killed."""


@pytest.mark.parametrize(
    ("chosen", "strategy", "left"),
    [
        (Chosen(frozenset({NODES[0]})), Strategy.OPERATOR, {NODES[0]}), (Chosen(frozenset({CONTROL})), Strategy.OPERATOR, set()),
        (Chosen(), Strategy.OPERATOR, set()), (Chosen(), Strategy.DIRECT, set()),
    ],
)  # fmt: skip
@pytest.mark.parametrize("dry_run", [False, True], ids=["run", "check"])
def test_requests_that_a_killed_call_has_left_are_taken_back_where_the_next_does_not_go_on_with_them(
    chosen: Chosen, strategy: Strategy, left: set[str], dry_run: bool
) -> None:
    """The operator would act on them whenever it can again. Requests of other programs stay."""
    stand = Stand()
    stand.deployments()
    stand.change("pods", NODES[1], {"metadata": {"annotations": {MARK: "true"}}})

    def kill() -> None:
        raise Killed

    stand.at(1, kill)
    with pytest.raises(Killed):
        restarted(stand)
    assert stand.asked() == set(NODES)
    for name in left:
        stand.recreate_at(stand.clock.seconds + 3, name)
    work, taken = stand.work(strategy=strategy, dry_run=dry_run), list[str]()
    restart(work, chosen, None, lambda: taken.append("Lease"))
    back = [action.object for action in work.actions if "a killed call" in action.what]
    assert back == [f"Pod kafka/{name}" for name in NODES if name not in {*left, NODES[1]}]
    assert stand.asked() == (set(NODES) if dry_run else {NODES[1]})
    assert taken == ([] if dry_run else ["Lease"])


def test_a_call_that_restarts_no_pod_does_not_take_the_lease(stand: Stand) -> None:
    def refuse() -> None:
        raise AssertionError("the Lease was taken")

    restart(stand.work(), KAFKA, EPOCH, refuse)
    with pytest.raises(AssertionError):
        restart(stand.work(), KAFKA, None, refuse)
    work = stand.work(dry_run=True)
    restart(work, KAFKA, None, refuse)
    assert [action.verb for action in work.actions] == ["restart"] * len(NODES)


def test_a_pod_that_does_not_exist_is_told_with_those_that_do(stand: Stand, golden: GoldenFiles) -> None:
    with pytest.raises(StepError) as caught:
        restarted(stand, Chosen(frozenset({NODES[0], "demo-kafka-7"})))
    golden.compare_said("engine", caught.value)
    assert stand.asked() == set()


def test_a_paused_operator_refuses_the_restart(stand: Stand, golden: GoldenFiles) -> None:
    stand.change("kafkas", "demo", {"metadata": {"annotations": {"strimzi.io/pause-reconciliation": "true"}}})
    with pytest.raises(StepError) as caught:
        restarted(stand)
    golden.compare_said("engine", caught.value)


def test_a_flow_that_began_while_the_lease_was_awaited_refuses_the_restart(stand: Stand) -> None:
    def another_run_begins_and_lets_go() -> None:
        stand.carry_out(record(Ledger(journal=Journal(Goal.REPLACE_KEY, None, None, EPOCH, None))))

    with pytest.raises(StepError, match=Goal.REPLACE_KEY.value):
        restart(stand.work(), KAFKA, None, another_run_begins_and_lets_go)
    assert stand.asked() == set()


@pytest.mark.parametrize("finished_at", [None, EPOCH])
def test_a_flow_ends_first(finished_at: datetime | None, stand: Stand, golden: GoldenFiles) -> None:
    """It knows whom it still has to restart, and for what."""
    journal = Journal(Goal.REPLACE_KEY, None, None, EPOCH, finished_at)
    stand.carry_out(record(Ledger(journal=journal)))
    if finished_at:
        assert restarted(stand) == set(NODES)
        return
    with pytest.raises(StepError) as caught:
        restarted(stand)
    golden.compare_said("engine", caught.value)


def test_a_cluster_that_does_not_exist_is_told_with_those_that_do(stand: Stand) -> None:
    stand.remove("kafkas", "demo")
    stand.create("kafkas", {"kind": "Kafka", "metadata": {"name": "prod"}, "spec": {}})
    with pytest.raises(ConditionUnmet) as caught:
        restarted(stand)
    assert [violation["gate"] for violation in caught.value.violations] == ["cluster_exists"]
    assert "prod" in caught.value.cause


def test_a_failure_that_passes_restarts_no_pod_twice(stand: Stand) -> None:
    """Pods that were replaced before it are not chosen again."""
    kept = iter([Fault.UNAVAILABLE])

    def fails_at_the_second(number: int, method: str, path: str) -> Fault | None:
        return next(kept, None) if method != "GET" and path.endswith(NODES[1]) else None

    work = stand.work(transport=FaultyApi(stand.api, fails_at_the_second))
    restart(work, KAFKA, None, lambda: None)
    assert next(kept, None) is None, "it failed"
    restarts = [action.object for action in work.actions if action.verb == "restart"]
    assert sorted(restarts) == sorted(f"Pod kafka/{name}" for name in NODES)


# Faults: pods that change between the look and the write, answers that are lost, and looks that fail.


def restarts_of(work: Work) -> list[str]:
    return sorted(action.target.name for action in work.actions if action.verb == "restart")


def test_a_pod_that_changes_between_look_and_write_is_looked_at_again(stand: Stand) -> None:
    """Other programs write to it at any moment."""
    changed = iter(NODES)

    def change(number: int, method: str, path: str) -> Fault | None:
        if method == "PATCH" and "/pods/" in path and (name := next(changed, None)):
            stand.change("pods", name, {"metadata": {"labels": {"beat": str(number)}}})
        return None

    work = stand.work(transport=FaultyApi(stand.api, change))
    restart(work, KAFKA, None, lambda: None)
    assert (restarts_of(work), next(changed, None)) == (sorted(NODES), None)


def test_pods_that_change_at_every_write_end_the_call(stand: Stand) -> None:
    def change(number: int, method: str, path: str) -> Fault | None:
        if method == "PATCH" and path.endswith(NODES[0]):
            stand.change("pods", NODES[0], {"metadata": {"labels": {"beat": str(number)}}})
        return None

    work = stand.work(transport=FaultyApi(stand.api, change))
    with pytest.raises(Conflict):
        restart(work, Chosen(frozenset({NODES[0]})), None, lambda: None)
    assert work.clock.monotonic() >= work.settings.operator_timeout.total_seconds()


@pytest.mark.parametrize("back", [True, False])
def test_a_pod_whose_deletion_was_not_heard_of_is_waited_for(back: bool, stand: Stand) -> None:
    """It is gone when the call looks again, and no pod of its name or age is left to choose."""
    stand.api.listeners.clear()
    if back:
        stand.at(2, lambda: stand.create("pods", pod(f"{CONTROL}-new", OTHERS[CONTROL])))
    kept = iter([Fault.LOST_ANSWER])

    def lose(number: int, method: str, path: str) -> Fault | None:
        return next(kept, None) if method == "DELETE" else None

    work = stand.work(transport=FaultyApi(stand.api, lose))
    chosen = Chosen(components=frozenset({Component.CRUISE_CONTROL}))
    if back:
        restart(work, chosen, None, lambda: None)
    else:
        with pytest.raises(RollStuck, match=f"{CONTROL}: gone"):
            restart(work, chosen, None, lambda: None)
    assert next(kept, None) is None, "it failed"
    assert [(action.verb, action.object) for action in work.actions] == [
        (verb, f"Pod kafka/{CONTROL}") for verb in ("delete", "restart")[: 2 if back else 1]
    ]


def test_a_pod_that_has_gone_before_a_failure_is_waited_for(stand: Stand) -> None:
    stand.api.listeners.clear()
    kept = iter([Fault.UNAVAILABLE])

    def fail(number: int, method: str, path: str) -> Fault | None:
        if method == "DELETE" and path.endswith(OPERATOR) and (fault := next(kept, None)):
            now = stand.clock.seconds
            for name in OTHERS:
                stand.at(now + 3, lambda name=name: stand.create("pods", pod(f"{name}-new", OTHERS[name])))  # type: ignore[misc]
            return fault
        return None

    work = stand.work(transport=FaultyApi(stand.api, fail))
    both = Chosen(components=frozenset({Component.CRUISE_CONTROL, Component.ENTITY_OPERATOR}))
    restart(work, both, None, lambda: None)
    assert (restarts_of(work), next(kept, None)) == (sorted(OTHERS), None)


def test_a_look_that_fails_when_all_have_restarted_is_taken_again(stand: Stand) -> None:
    """The same task would restart them all once more."""
    work = stand.work()
    begun: list[float] = []

    def fail(number: int, method: str, path: str) -> Fault | None:
        if len(restarts_of(work)) < len(NODES) or not path.endswith("/secrets"):
            return None
        begun.append(stand.clock.seconds)
        return Fault.UNAVAILABLE if stand.clock.seconds < begun[0] + 20 else None

    work.client = stand.work(transport=FaultyApi(stand.api, fail)).client
    restart(work, KAFKA, None, lambda: None)
    assert stand.clock.seconds >= begun[0] + 20


def test_a_first_look_and_a_lease_that_fail_for_some_seconds_are_tried_again(stand: Stand) -> None:
    """As in every call that leads a flow."""
    tries = iter([Unreachable(Attempt("create", LEASES, "kafka", "demo-trust"), "no answer", "", is_transient=True)])

    def fail(number: int, method: str, path: str) -> Fault | None:
        return Fault.UNAVAILABLE if path.endswith("/secrets") and stand.clock.seconds < 20 else None

    def take_lease() -> None:
        if failure := next(tries, None):
            raise failure

    work = stand.work(transport=FaultyApi(stand.api, fail))
    restart(work, KAFKA, None, take_lease)
    assert (restarts_of(work), next(tries, None)) == (sorted(NODES), None)


def test_a_window_that_closes_while_the_lease_is_waited_for_counts(stand: Stand, golden: GoldenFiles) -> None:
    def close() -> None:
        stand.change("kafkas", "demo", {"spec": {"maintenanceTimeWindows": ["* * * ? * * 1999"]}})

    with pytest.raises(StepError) as caught:
        restart(stand.work(), KAFKA, None, close)
    golden.compare_said("engine", caught.value)
    assert stand.asked() == set()


def test_failures_far_apart_end_no_call(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each pod that has restarted shows that the API server works again."""
    many = [f"demo-kafka-{number}" for number in range(3, 9)]
    for name in many:
        stand.create("pods", pod(name))

    def restart_one(step: Roll, seen: Observation, work: Work) -> None:
        left = [one for one in seen.snapshot.nodes.pods if one.uid in step.uids]
        stand.recreate(left[0].name)
        work.record(Action("restart", Target("Pod", "kafka", left[0].name), "manual roll", "use"))
        stand.clock.seconds += 100
        if len(left) > 1:
            raise Unreachable(Attempt("delete", PODS, "kafka", left[1].name), "no answer", "", is_transient=True)

    monkeypatch.setattr(restarting, "carry_out", restart_one)
    work = stand.work()
    restart(work, Chosen(frozenset(many)), None, lambda: None)
    assert restarts_of(work) == many


@pytest.mark.parametrize("since", [None, EPOCH + timedelta(days=100)], ids=["without since", "with since"])
def test_a_restart_that_stops_says_how_the_task_restarts_no_pod_twice(
    since: datetime | None, golden: GoldenFiles
) -> None:
    with pytest.raises(RollStuck) as stuck:
        restarted(Stand(), since=since)
    assert ("since=2026-06-01T12:00:00Z" in stuck.value.remedy) is (since is None)
    golden.compare_said("engine", stuck.value.remedy, golden.row)


@pytest.mark.each_once
@pytest.mark.parametrize("fault", [Fault.LOST_ANSWER, Fault.INTERNAL_ERROR], ids=lambda fault: fault.name)
@pytest.mark.parametrize(
    ("component", "names"),
    [(Component.KAFKA, NODES), (Component.CRUISE_CONTROL, (CONTROL,))],
    ids=["nodes", "component"],
)
def test_a_failure_at_any_call_leaves_each_pod_restarted_once_and_recorded(
    component: Component, names: tuple[str, ...], fault: Fault
) -> None:
    for number in count(1):
        stand = _operated()
        deleted: list[str] = []
        stand.api.listeners.append(
            lambda change, deleted=deleted: deleted.append(change.name) if _ends_pod(change) else None
        )  # type: ignore[misc]
        api = FaultyApi(stand.api, at_call(number, fault), stand.clock.sleep)
        work = stand.work(transport=api, pod_timeout=timedelta(minutes=10))
        restart(work, Chosen(components=frozenset({component})), None, lambda: None)
        assert (restarts_of(work), sorted(deleted)) == (sorted(names), sorted(names)), f"call {number} failed"
        if len(api.calls) < number:
            return


@pytest.mark.parametrize("graceful", [False, True], ids=["at once", "gracefully"])
@pytest.mark.parametrize("fault", PASSING, ids=lambda fault: fault.name)
def test_failures_of_every_deletion_of_a_direct_roll_take_no_second_node_down(
    fault: Fault, graceful: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand, failed = DirectStand(), set[str]()
    stand.change("kafkas", "demo", {"status": {"conditions": conditions("Ready")}}, "status")
    stand.api.graceful_pods = graceful
    monkeypatch.setattr(admin, "connect_to", lambda given: lambda observation: stand.kafka)

    def fail_once_for_each(number: int, method: str, path: str) -> Fault | None:
        if method != "DELETE" or path in failed:
            return None
        failed.add(path)
        return fault

    api = FaultyApi(stand.api, fail_once_for_each, stand.clock.sleep)
    work = stand.work(transport=api, pod_timeout=timedelta(minutes=10), strategy=Strategy.DIRECT)
    restart(work, KAFKA, None, lambda: None)
    assert (stand.deleted, stand.kafka.harm, len(failed)) == ([0, 2, 1], [], 3)
    assert restarts_of(work) == sorted(NODES)


def _ends_pod(change: Change) -> bool:
    return (change.plural, change.verb) == ("pods", "delete")

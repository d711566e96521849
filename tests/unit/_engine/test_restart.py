# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Restarting for a reason of one's own: exactly whom one names, and only where nothing else is going on."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.restart import Chosen, restart
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import StepError
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Journal, Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Component

from ...tools.support.faults import Fault, FaultyApi
from .._rollout.stand import CONTROL, NODES, Stand
from .._strimzi.steps import record

KAFKA = Chosen(components=frozenset({Component.KAFKA}))
EPOCH = datetime(2026, 1, 1, tzinfo=timezone.utc)


@pytest.fixture
def stand() -> Stand:
    """The operator restarts whom it is asked to; Deployments recreate their pods."""
    made = Stand()
    made.deployments()
    for second, name in enumerate(NODES):
        made.at(1 + second, lambda name=name: made.recreate(name) if name in made.asked() else None)  # type: ignore[misc]
    return made


def restarted(
    stand: Stand,
    chosen: Chosen = KAFKA,
    since: datetime | None = None,
) -> set[str]:
    work = stand.work()
    restart(work, chosen, since, lambda: None, ignores_windows=False)
    return {action.object.removeprefix("Pod kafka/") for action in work.actions if action.verb == "restart"}


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


def test_a_call_that_restarts_no_pod_does_not_take_the_lease(stand: Stand) -> None:
    def refuse() -> None:
        raise AssertionError("the Lease was taken")

    restart(stand.work(), KAFKA, EPOCH, refuse, ignores_windows=False)
    with pytest.raises(AssertionError):
        restart(stand.work(), KAFKA, None, refuse, ignores_windows=False)
    work = stand.work(dry_run=True)
    restart(work, KAFKA, None, refuse, ignores_windows=False)
    assert [action.verb for action in work.actions] == ["restart"] * len(NODES)


def test_a_pod_that_does_not_exist_is_told_with_those_that_do(stand: Stand) -> None:
    with pytest.raises(StepError, match="Kafka kafka/demo has no pod demo-kafka-7") as caught:
        restarted(stand, Chosen(frozenset({NODES[0], "demo-kafka-7"})))
    assert NODES[2] in caught.value.remedy
    assert stand.asked() == set()


def test_a_paused_operator_refuses_the_restart(stand: Stand) -> None:
    stand.change("kafkas", "demo", {"metadata": {"annotations": {"strimzi.io/pause-reconciliation": "true"}}})
    with pytest.raises(StepError, match="Kafka kafka/demo is paused") as caught:
        restarted(stand)
    assert "Resume it" in caught.value.remedy


def test_a_flow_that_began_while_the_lease_was_awaited_refuses_the_restart(stand: Stand) -> None:
    def another_run_begins_and_lets_go() -> None:
        stand.carry_out(record(Ledger(journal=Journal(Goal.REPLACE_KEY, None, None, EPOCH, None))))

    with pytest.raises(StepError, match=r"in the middle of a flow \(replace_key\)"):
        restart(stand.work(), KAFKA, None, another_run_begins_and_lets_go, ignores_windows=False)
    assert stand.asked() == set()


@pytest.mark.parametrize("finished_at", [None, EPOCH])
def test_a_flow_ends_first(finished_at: datetime | None, stand: Stand) -> None:
    """It knows whom it still has to restart, and for what."""
    journal = Journal(Goal.REPLACE_KEY, None, None, EPOCH, finished_at)
    stand.carry_out(record(Ledger(journal=journal)))
    if finished_at:
        assert restarted(stand) == set(NODES)
        return
    with pytest.raises(StepError, match=r"in the middle of a flow \(replace_key\)") as caught:
        restarted(stand)
    assert "Finish it first" in caught.value.remedy


def test_a_cluster_that_does_not_exist_is_told_with_those_that_do(stand: Stand) -> None:
    stand.remove("kafkas", "demo")
    stand.create("kafkas", {"kind": "Kafka", "metadata": {"name": "prod"}, "spec": {}})
    with pytest.raises(StepError, match="Kafka kafka/demo does not exist") as caught:
        restarted(stand)
    assert "in this namespace are: prod." in str(caught.value)


def test_a_failure_that_passes_restarts_no_pod_twice(stand: Stand) -> None:
    """Pods that were replaced before it are not chosen again."""
    kept = iter([Fault.UNAVAILABLE])

    def fails_at_the_second(number: int, method: str, path: str) -> Fault | None:
        return next(kept, None) if method != "GET" and path.endswith(NODES[1]) else None

    work = stand.work(transport=FaultyApi(stand.api, fails_at_the_second))
    restart(work, KAFKA, None, lambda: None, ignores_windows=False)
    assert next(kept, None) is None, "it failed"
    restarts = [action.object for action in work.actions if action.verb == "restart"]
    assert sorted(restarts) == sorted(f"Pod kafka/{name}" for name in NODES)

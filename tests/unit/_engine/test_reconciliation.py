# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pausing and resuming reconciliation for a named holder: until the operator confirms it, and never against the pause of another holder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.reconciliation import pause_for, resume_for
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import (
    ConditionUnmet,
    Conflict,
    OperatorSilent,
    PausedByAnother,
    Unavailable,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Action, Work
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import Observation

from ...tools.support.faults import Fault, FaultyApi, always
from ...tools.support.golden import GoldenFiles
from .._strimzi.bench import Bench, conditions, kafka

ANNOTATION, BY_US, FOR = "strimzi.io/pause-reconciliation", "trustops.strimzi/paused-by", "trustops.strimzi/paused-for"
BY_CLIENTS = "trustops.strimzi/paused-for-clients-ca-by"
PAUSED = {"conditions": conditions("ReconciliationPaused")}
READY = {"conditions": conditions("Ready")}
US, STORAGE, UNNAMED = {ANNOTATION: "true", BY_US: "run-1"}, {ANNOTATION: "true", FOR: "storage"}, {ANNOTATION: "true"}
Act = Callable[[str, Work, Callable[[], None]], Observation]


class Paused(Bench):
    """annotations: what the Kafka resource has; confirmed: whether the operator has seen a pause."""

    def __init__(self, annotations: dict[str, str] | None = None, *, confirmed: bool = False) -> None:
        super().__init__()
        self.create("kafkas", kafka(PAUSED if confirmed else READY, annotations or {}))
        self.pod_set("demo-kafka")
        self.leases = 0

    def act(self, act: Act, holder: str = "storage", **options: Any) -> list[Action]:
        work = self.work(**options)
        self.seen = act(holder, work, self._take).snapshot.reconciliation
        return work.actions

    def _take(self) -> None:
        self.leases += 1

    def confirm_at(self, seconds: float, *kinds: str) -> None:
        """The operator says so."""
        self.at(
            seconds, lambda: self.change("kafkas", "demo", {"status": {"conditions": conditions(*kinds)}}, "status")
        )

    @property
    def annotations(self) -> dict[str, str]:
        return self.find("kafkas", "demo")["metadata"]["annotations"]


def test_a_pause_is_complete_when_the_operator_confirms_it(golden: GoldenFiles) -> None:
    bench = Paused()
    bench.confirm_at(3, "ReconciliationPaused")
    (action,) = bench.act(pause_for)
    assert (action.verb, action.object) == ("update", "Kafka kafka/demo")
    golden.compare_said("engine", action.what)
    assert bench.annotations == STORAGE
    assert (bench.seen.pause.is_confirmed, bench.leases) == (True, 1)
    assert bench.clock.seconds >= 3


def test_the_condition_of_an_earlier_pause_confirms_no_new_pause() -> None:
    bench = Paused(confirmed=True)
    bench.confirm_at(3, "Ready")
    bench.confirm_at(7, "ReconciliationPaused")
    assert len(bench.act(pause_for)) == 1
    assert (bench.annotations, bench.seen.pause.is_confirmed) == (STORAGE, True)
    assert bench.clock.seconds >= 7


def test_a_resume_is_complete_when_the_operator_confirms_it() -> None:
    bench = Paused(STORAGE, confirmed=True)
    bench.confirm_at(3, "Ready")
    (action,) = bench.act(resume_for)
    assert action.what == "resume reconciliation"
    assert (bench.annotations, bench.seen.pause.is_set, bench.leases) == ({}, False, 1)
    assert bench.clock.seconds >= 3


@pytest.mark.parametrize(
    ("act", "bench"),
    [(pause_for, Paused(STORAGE, confirmed=True)), (resume_for, Paused())],
    ids=["paused", "resumed"],
)
def test_a_reached_state_needs_no_write(act: Act, bench: Paused) -> None:
    assert (bench.act(act), bench.leases, bench.clock.seconds) == ([], 0, 0.0)


@pytest.mark.parametrize(
    ("act", "annotations", "confirmed", "kinds"),
    [(pause_for, STORAGE, False, ("ReconciliationPaused",)), (resume_for, {}, True, ("Ready",))],
    ids=["paused", "resumed"],
)
def test_an_unconfirmed_change_is_awaited(
    act: Act, annotations: dict[str, str], confirmed: bool, kinds: tuple[str, ...], golden: GoldenFiles
) -> None:
    """A call that was killed while it waited, or an operator that is away."""
    bench = Paused(annotations, confirmed=confirmed)
    with pytest.raises(OperatorSilent) as caught:
        bench.act(act)
    golden.compare_said("engine", caught.value, act.__name__)
    bench.confirm_at(bench.clock.seconds + 2, *kinds)
    assert bench.act(act) == []


@pytest.mark.parametrize(
    ("act", "found", "by"),
    [
        (pause_for, US, "by a run of this collection"),
        (pause_for, UNNAMED, "by another program or person"),
        (pause_for, {**STORAGE, FOR: "network"}, "for network"),
        (resume_for, {ANNOTATION: "true", BY_CLIENTS: "run-1"}, "by a flow on its clients CA"),
        (resume_for, UNNAMED, "by another program or person"),
        (resume_for, {**STORAGE, FOR: "network"}, "for network"),
    ],
)
@pytest.mark.parametrize("dry_run", [True, False])
def test_the_pause_of_another_holder_stays(
    act: Act, found: dict[str, str], by: str, dry_run: bool, golden: GoldenFiles
) -> None:
    bench = Paused(found, confirmed=True)
    with pytest.raises(PausedByAnother) as caught:
        bench.act(act, dry_run=dry_run)
    golden.compare_said("engine", caught.value, by)
    assert (bench.annotations, bench.leases) == (found, 0)


def test_the_pause_of_a_killed_run_is_ended_under_the_lease() -> None:
    """It tells that the run is dead."""
    bench = Paused(US, confirmed=True)
    bench.confirm_at(1, "Ready")
    bench.act(resume_for)
    assert (bench.annotations, bench.leases) == ({}, 1)


@pytest.mark.parametrize(("act", "found"), [(pause_for, {}), (resume_for, STORAGE)])
def test_a_dry_run_says_what_it_would_do(act: Act, found: dict[str, str]) -> None:
    bench = Paused(found, confirmed=bool(found))
    (action,) = bench.act(act, dry_run=True)
    assert action.is_change
    assert (bench.annotations, bench.leases, bench.clock.seconds) == (found, 0, 0.0)


@pytest.mark.parametrize("act", [pause_for, resume_for])
def test_a_cluster_that_does_not_exist_is_told_with_those_that_do(act: Act) -> None:
    bench = Paused()
    bench.remove("kafkas", "demo")
    bench.create("kafkas", {"kind": "Kafka", "metadata": {"name": "prod"}, "spec": {}})
    with pytest.raises(ConditionUnmet) as caught:
        bench.act(act)
    assert [violation["gate"] for violation in caught.value.violations] == ["cluster_exists"]
    assert "prod" in caught.value.cause


@pytest.mark.parametrize(("act", "found"), [(pause_for, {}), (resume_for, STORAGE)])
def test_a_concurrent_change_is_neither_overwritten_nor_an_end(act: Act, found: dict[str, str]) -> None:
    """Such as the status that the operator writes after each reconcile."""
    bench = Paused(found, confirmed=bool(found))
    bench.confirm_at(3, *(["Ready"] if found else ["ReconciliationPaused"]))
    changes = [{"metadata": {"annotations": {"theirs": "too"}}}]

    def cross() -> None:
        while changes:
            bench.change("kafkas", "demo", changes.pop())

    act("storage", bench.work(), cross)
    assert bench.annotations == {**({} if found else STORAGE), "theirs": "too"}


def test_a_resource_that_changes_all_the_time_ends_the_call() -> None:
    bench = Paused()
    names = iter(range(9999))

    def cross() -> None:
        bench.change("kafkas", "demo", {"metadata": {"annotations": {"theirs": str(next(names))}}})

    with pytest.raises(Conflict):
        pause_for("storage", bench.work(), cross)
    assert 60 < bench.clock.seconds < 600
    assert bench.annotations.keys() == {"theirs"}


def test_a_pause_that_another_holder_makes_meanwhile_stays() -> None:
    bench = Paused()
    theirs = {**STORAGE, FOR: "network"}
    with pytest.raises(PausedByAnother, match="for network"):
        pause_for(
            "storage", bench.work(), lambda: void(bench.change("kafkas", "demo", {"metadata": {"annotations": theirs}}))
        )
    assert bench.annotations == theirs


def void(_result: object) -> None:
    """Nothing."""


@pytest.mark.parametrize("left", [BY_US, BY_CLIENTS, FOR])
def test_a_pause_has_one_holder_whatever_mark_a_pause_before_it_has_left(left: str) -> None:
    """A person who ends a pause by hand may leave the mark of its holder: a flow would take the next pause for its own, and end it."""
    bench = Paused({left: "an earlier holder"})
    bench.confirm_at(3, "ReconciliationPaused")
    bench.act(pause_for)
    assert bench.annotations == STORAGE
    assert not bench.seen.pause.is_ours


@pytest.mark.parametrize("act", [pause_for, resume_for])
def test_a_pause_by_hand_is_of_no_holder_whatever_mark_a_pause_before_it_has_left(
    act: Act, golden: GoldenFiles
) -> None:
    bench = Paused()
    bench.confirm_at(3, "ReconciliationPaused")
    bench.act(pause_for)
    for value in (None, "true"):
        bench.change("kafkas", "demo", {"metadata": {"annotations": {ANNOTATION: value}}})
    with pytest.raises(PausedByAnother) as caught:
        bench.act(act)
    golden.compare_said("engine", caught.value)


@pytest.mark.parametrize(("act", "found"), [(pause_for, {}), (resume_for, STORAGE)])
def test_a_failure_that_passes_is_no_end(act: Act, found: dict[str, str]) -> None:
    bench = Paused(found, confirmed=bool(found))
    bench.confirm_at(3, *(["Ready"] if found else ["ReconciliationPaused"]))
    api = FaultyApi(bench.api, always(Fault.LOST_ANSWER, "PATCH"))
    actions = bench.act(act, transport=api)
    assert bench.annotations == ({} if found else STORAGE)
    assert [method for method, _path in api.calls].count("PATCH") == len([one for one in actions if one.is_change]) == 1


@pytest.mark.parametrize(("act", "found"), [(pause_for, {}), (resume_for, STORAGE)])
def test_a_failure_that_leaves_the_operator_paused_says_so(
    act: Act, found: dict[str, str], golden: GoldenFiles
) -> None:
    """The operator confirms no pause, or the API server ends none."""
    bench = Paused(found, confirmed=bool(found))
    work = bench.work(transport=FaultyApi(bench.api, always(Fault.UNAVAILABLE, "PATCH")) if found else None)
    with pytest.raises(Unavailable if found else OperatorSilent):
        act("storage", work, lambda: None)
    golden.compare_said("engine", work.left_behind.pauses)

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node that does not answer, at every look of every flow: it hangs for a while or for ever, on one listener or on all, or the operator
restarts it just then. No node restarts more often than in a run that nothing disturbs, but for what others do to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase

from ..flows.cases import PATIENT_REPLACEMENTS, REPLACEMENTS, Case
from ..tools.support.answers import Answers
from ..tools.support.flows import FlowResult
from ..tools.support.killing import Copies
from ..tools.support.watched_cluster import WatchedCluster
from .clients_stories import ClientsStory, ClientsTelling
from .conftest import Points
from .courses import Course, Row, rows
from .stories import AT_LAST, RESTARTED, Story, finished
from .test_kill_abort import AbortStory

SILENT = "demo-kafka-1"


@dataclass(frozen=True)
class Undoing:
    """A row of the matrix: the abort of a rotation that stands where the story says."""

    story: AbortStory

    def __str__(self) -> str:
        return f"abort, {self.story}"

    def begin(self, patch: pytest.MonkeyPatch) -> UndoingCourse:
        cluster, flow = self.story.begin(patch)
        flow.run(last_phase=self.story.until)
        cluster.look_away()
        return UndoingCourse(cluster)


@dataclass
class UndoingCourse(Course):
    undone: WatchedCluster

    @property
    def cluster(self) -> WatchedCluster:
        return self.undone

    @property
    def restarts(self) -> int:
        return 2

    def run(self) -> FlowResult:
        return self.cluster.run(Goal.ABORT)

    def complete(self) -> None:
        finished(self.run())

    def end_state(self) -> dict[str, Any]:
        cluster = self.cluster
        return {"states": sorted(cluster.states.values()), "prepared": cluster.prepared, "paused": cluster.paused}


_REPLACED = Story(Case(Goal.REPLACE_KEY), reload=True)
_WAITED = Story(PATIENT_REPLACEMENTS[0], RESTARTED, reload=True)
_ALWAYS: list[Row] = [
    _REPLACED, Story(Case(Goal.RENEW), reload=True), _WAITED, Undoing(AbortStory()), ClientsStory(Goal.REPLACE_KEY),
]  # fmt: skip
_IN_THE_LONG_RUN: list[Row] = [
    *(Story(case, reload=True) for case in REPLACEMENTS[1:]),
    Story(Case(Goal.RENEW_LEAVES), reload=True),
    Story(Case(Goal.DOWNGRADE, "after a renewal"), reload=True),
    Story(PATIENT_REPLACEMENTS[0], AT_LAST, reload=True),
    *(Story(PATIENT_REPLACEMENTS[1], follows, reload=True) for follows in (RESTARTED, AT_LAST)),
    replace(_REPLACED, eager=True), replace(_WAITED, eager=True),
    *(Undoing(AbortStory(until=phase)) for phase in (Phase.PREPARE, Phase.TRUST)),
    *(
        Undoing(one)
        for one in (
            AbortStory(circumstance="unlinked"), AbortStory(goal=Goal.RENEW), AbortStory(users=True),
            AbortStory(goal=Goal.RENEW, users=True),
        )
    ),
    ClientsStory(Goal.RENEW), ClientsStory(Goal.REPLACE_KEY, batch=1),
]  # fmt: skip
ROWS = rows(_ALWAYS, _IN_THE_LONG_RUN)


@dataclass(frozen=True)
class Silence:
    """A node does not answer. A look is one question to all nodes."""

    # For how many looks it does not answer; None: for ever.
    looks: int | None
    # On one listener alone.
    one_port: bool = False
    # The operator restarts it then, by its own doing.
    restarts: bool = False


SILENCES = {
    "hangs": Silence(4),
    "hangs on one listener": Silence(4, one_port=True),
    "answers late": Silence(1),
    "is restarted": Silence(2, restarts=True),
}


@dataclass
class Falling:
    """Called before each look: in a copy of the process that begins there, the node falls silent."""

    course: Course
    copies: Copies
    silence: Silence
    looks: int = field(default=0, init=False)
    #: The look at which it answers again.
    _over: int | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        answers_of(self.course).before = self

    def __call__(self) -> None:
        self.looks += 1
        answers, silence = answers_of(self.course), self.silence
        if self.copies.begins_at(self.looks):
            answers.silent, answers.one_port = {SILENT}, silence.one_port
            self._over = None if silence.looks is None else self.looks + silence.looks
            if silence.restarts:
                self.course.cluster.restart(SILENT)
        elif self.looks == self._over:
            answers.silent = set()


def answers_of(course: Course) -> Answers:
    assert course.cluster.nodes
    return course.cluster.nodes.answers


def ended(course: Course, foreign: int = 0) -> tuple[dict[str, Any], dict[str, int]]:
    """The end state, and the restarts of each node but those that others have made. foreign: of the silent node."""
    counts = course.cluster.counts()
    return comparable(course), {**counts, SILENT: counts[SILENT] - foreign}


def comparable(course: Course) -> dict[str, Any]:
    """A broker that has restarted accepts the renewed certificate of the same clients CA as well."""
    state = course.end_state()
    if isinstance(course, ClientsTelling) and course.story.goal is Goal.RENEW:
        del state["accepted"]
    return state


def assert_all_ended(found: dict[int, tuple[dict[str, Any], dict[str, int]]], course: Course) -> None:
    """Each as where nothing happens, and no node has restarted more often."""
    wanted, restarts = comparable(course), max(course.cluster.counts().values())
    assert found
    for look, (state, counts) in found.items():
        assert state == wanted, f"at look {look}"
        assert max(counts.values()) <= restarts, f"at look {look}"


@pytest.mark.parametrize("how", SILENCES)
@pytest.mark.parametrize("row", ROWS)
def test_for_a_while(row: Row, how: str, points: Points, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is waited for, and the flow ends as if nothing had happened."""
    course, copies = row.begin(monkeypatch), Copies(points.all())
    Falling(course, copies, SILENCES[how])
    found = copies.run(course.complete, lambda: ended(course, int(SILENCES[how].restarts)))
    assert_all_ended(found, course)


@pytest.mark.parametrize("row", ROWS)
def test_for_ever(row: Row, points: Points, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call ends with the name of the node, or has nothing to ask it; when it answers again, the flow goes on."""
    course, copies = row.begin(monkeypatch), Copies(points.all())
    Falling(course, copies, Silence(None))

    def call_twice() -> None:
        for _call in range(2):
            assert_held(course.run())
            assert not course.cluster.paused

    def go_on() -> tuple[dict[str, Any], dict[str, int]]:
        answers_of(course).silent = set()
        course.complete()
        return ended(course)

    found = copies.run(call_twice, go_on)
    course.complete()
    assert_all_ended(found, course)


def assert_held(result: FlowResult) -> None:
    decision = result.outcome.decision
    if not decision.done:
        assert decision.steps == ()
        assert (Condition.EVIDENCE, f"Pod kafka/{SILENT}") in {
            (one.condition, one.subject) for one in decision.violations
        }


@pytest.mark.parametrize("goal", [Goal.UPGRADE, Goal.DOWNGRADE], ids=str)
def test_flows_that_ask_no_node_are_not_concerned(goal: Goal, monkeypatch: pytest.MonkeyPatch) -> None:
    course = Story(Case(goal), reload=True).begin(monkeypatch)
    answers = answers_of(course)
    answers.silent, answers.asked = {SILENT}, 0
    course.complete()
    assert answers.asked == 0
    assert max(course.cluster.counts().values()) == 0

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node that does not answer, at every look of every flow: it hangs for a while or for ever, on one listener or on all, or the operator
restarts it just then. No node restarts more often than in a run that nothing disturbs, but for what others do to it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase

from ..flows.cases import PATIENT_REPLACEMENTS, REPLACEMENTS, Case
from ..tools.support.answers import Answers
from ..tools.support.flows import FlowResult
from ..tools.support.watched_cluster import WatchedCluster
from . import test_kill_clients_ca as of_users
from .conftest import Points
from .stories import AT_LAST, RESTARTED, Story
from .test_kill_abort import AbortStory
from .test_kill_clients_ca import ClientsStory

SILENT = "demo-kafka-1"


@dataclass
class Scene:
    """A flow under way. run: one call. complete: everything up to the end. end_state: what has to be the same whatever happened."""

    cluster: WatchedCluster
    run: Callable[[], FlowResult]
    complete: Callable[[], None]
    end_state: Callable[[], dict[str, Any]]

    @property
    def answers(self) -> Answers:
        assert self.cluster.nodes
        return self.cluster.nodes.answers


class Play(Protocol):
    """Makes the same scene again and again."""

    def __call__(self, patch: pytest.MonkeyPatch) -> Scene: ...


def rotation(story: Story) -> Play:
    def begin(patch: pytest.MonkeyPatch) -> Scene:
        telling = story.begin(patch)
        return Scene(telling.cluster, telling.flow.run, telling.complete, telling.end_state)

    return begin


def abort(story: AbortStory) -> Play:
    def begin(patch: pytest.MonkeyPatch) -> Scene:
        cluster, flow = story.begin(patch)
        flow.run(until=story.until)
        cluster.look_away()

        def run() -> FlowResult:
            return cluster.run(Goal.ABORT)

        def end_state() -> dict[str, Any]:
            return {"states": sorted(cluster.states.values()), "prepared": cluster.prepared, "paused": cluster.paused}

        return Scene(cluster, run, lambda: _finished(run()), end_state)

    return begin


def rotation_of_users(story: ClientsStory) -> Play:
    #: A broker that has restarted accepts the renewed certificate of the same CA as well.
    left_aside = {"accepted"} if story.goal is Goal.RENEW else set()

    def begin(patch: pytest.MonkeyPatch) -> Scene:
        cluster = story.begin(patch)

        def run() -> FlowResult:
            return cluster.run(story.goal, user_batch=story.batch)

        def end_state() -> dict[str, Any]:
            return {key: value for key, value in of_users.end_state(cluster).items() if key not in left_aside}

        return Scene(cluster, run, lambda: of_users.complete(cluster, story), end_state)

    return begin


def _finished(result: FlowResult) -> None:
    assert result.outcome.decision.done, [str(violation) for violation in result.outcome.decision.violations]


_REPLACED = Story(Case(Goal.REPLACE_KEY), reload=True)
_WAITED = Story(PATIENT_REPLACEMENTS[0], RESTARTED, reload=True)
_ALWAYS = [
    *((str(story), rotation(story)) for story in (_REPLACED, Story(Case(Goal.RENEW), reload=True), _WAITED)),
    ("abort, " + str(AbortStory()), abort(AbortStory())),
    ("users, " + str(ClientsStory(Goal.REPLACE_KEY)), rotation_of_users(ClientsStory(Goal.REPLACE_KEY))),
]
_IN_THE_LONG_RUN = [
    *(
        (str(story), rotation(story))
        for story in (
            *(Story(case, reload=True) for case in REPLACEMENTS[1:]),
            Story(Case(Goal.RENEW_LEAVES), reload=True),
            Story(Case(Goal.DOWNGRADE, "after a renewal"), reload=True),
            Story(PATIENT_REPLACEMENTS[0], AT_LAST, reload=True),
            *(Story(PATIENT_REPLACEMENTS[1], follows, reload=True) for follows in (RESTARTED, AT_LAST)),
            replace(_REPLACED, eager=True), replace(_WAITED, eager=True),
        )
    ),
    *(
        (f"abort, {story}", abort(story))
        for story in (
            *(AbortStory(until=phase) for phase in (Phase.PREPARE, Phase.TRUST)), AbortStory(circumstance="unlinked"),
            AbortStory(goal=Goal.RENEW), AbortStory(users=True), AbortStory(goal=Goal.RENEW, users=True),
        )
    ),
    *(
        (f"users, {story}", rotation_of_users(story))
        for story in (ClientsStory(Goal.RENEW), ClientsStory(Goal.REPLACE_KEY, batch=1))
    ),
]  # fmt: skip
PLAYS = [
    *(pytest.param(play, id=name) for name, play in _ALWAYS),
    *(pytest.param(play, id=name, marks=pytest.mark.long) for name, play in _IN_THE_LONG_RUN),
]


@dataclass
class Happening:
    """Called before each look; from the look ``at`` on, the node is silent. lasts: for how many looks; None: for ever.

    restarts: the operator restarts it then, by its own doing.
    """

    scene: Scene
    at: int
    lasts: int | None = None
    one_port: bool = False
    restarts: bool = False
    looks: int = field(default=0, init=False)

    def __call__(self) -> None:
        self.looks += 1
        answers = self.scene.answers
        if self.looks == self.at:
            answers.silent, answers.one_port = {SILENT}, self.one_port
            if self.restarts:
                self.scene.cluster.restart(SILENT)
        if self.lasts is not None and self.looks == self.at + self.lasts:
            answers.silent = set()


#: Fields of ``Happening`` by name.
HAPPENINGS: dict[str, dict[str, Any]] = {
    "hangs": {"lasts": 4},
    "hangs on one listener": {"lasts": 4, "one_port": True},
    "answers late": {"lasts": 1},
    "is restarted": {"lasts": 2, "restarts": True},
}


def undisturbed(play: Play, patch: pytest.MonkeyPatch) -> tuple[int, int, dict[str, Any]]:
    """How often the nodes are asked, how often each restarts at most, and the end state."""
    scene = play(patch)
    seen = Happening(scene, 0)
    scene.answers.before = seen
    scene.complete()
    return seen.looks, max(scene.cluster.counts().values()), scene.end_state()


def assert_paid(scene: Scene, restarts: int, foreign: int = 0) -> None:
    """foreign: restarts of the silent node that others have made."""
    counts = scene.cluster.counts()
    assert counts.pop(SILENT) <= restarts + foreign
    assert max(counts.values()) <= restarts


@pytest.mark.parametrize("how", HAPPENINGS)
@pytest.mark.parametrize("play", PLAYS)
def test_for_a_while(play: Play, how: str, points: Points, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is waited for, and the flow ends as if nothing had happened."""
    looks, restarts, wanted = undisturbed(play, monkeypatch)
    assert looks
    for at in points.to(looks):
        scene = play(monkeypatch)
        scene.answers.before = happening = Happening(scene, at, **HAPPENINGS[how])
        scene.complete()
        assert scene.end_state() == wanted, f"at look {at}"
        assert_paid(scene, restarts, int(happening.restarts))


@pytest.mark.parametrize("play", PLAYS)
def test_for_ever(play: Play, points: Points, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call ends with the name of the node, or has nothing to ask it; when it answers again, the flow goes on."""
    looks, restarts, wanted = undisturbed(play, monkeypatch)
    for at in points.to(looks):
        scene = play(monkeypatch)
        scene.answers.before = Happening(scene, at)
        for _call in range(2):
            assert_held(scene.run())
            assert not scene.cluster.paused
        assert_paid(scene, restarts)
        scene.answers.before = lambda: None
        scene.answers.silent = set()
        scene.complete()
        assert scene.end_state() == wanted, f"at look {at}"
        assert_paid(scene, restarts)


def assert_held(result: FlowResult) -> None:
    decision = result.outcome.decision
    if not decision.done:
        assert decision.steps == ()
        assert (Condition.EVIDENCE, f"Pod kafka/{SILENT}") in {
            (one.condition, one.subject) for one in decision.violations
        }


@pytest.mark.parametrize("goal", [Goal.UPGRADE, Goal.DOWNGRADE], ids=str)
def test_flows_that_ask_no_node_are_not_concerned(goal: Goal, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = rotation(Story(Case(goal), reload=True))(monkeypatch)
    scene.answers.silent, scene.answers.asked = {SILENT}, 0
    scene.complete()
    assert scene.answers.asked == 0
    assert_paid(scene, 0)

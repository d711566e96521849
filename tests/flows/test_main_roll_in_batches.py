# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes that take up other leaves by a restart of this collection: in a pause of the operator, which finds nothing to restart
after it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect, plan
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import RollStuck
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply import stamping
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase, Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import ONE_BY_ONE, Spread, Strategy
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import RollReason

from ..tools.support.authorities import Authority
from ..tools.support.golden import GoldenFiles
from ..tools.support.killing import Killed, KillingTransport
from ..tools.support.memory_api import Change, Response
from ..tools.support.reloads import ReloadingNodes
from .test_batches import ORDER, Racks, next_root, pod, racks, rounds

__all__ = ["racks"]


@dataclass
class Restarts:
    """The nodes whose pods were deleted, in order, and whether the operator was paused."""

    cluster: Racks
    in_pause: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.cluster.memory.api.listeners.append(self._note)

    def _note(self, change: Change) -> None:
        if (change.plural, change.verb) == ("pods", "delete") and change.name in self.cluster.memory.kubelet.nodes:
            (self.in_pause if self.cluster.paused else self.outside).append(change.name)


@pytest.fixture
def restarts(racks: Racks) -> Restarts:
    return Restarts(racks)


@dataclass(frozen=True)
class Flow:
    """A flow in which nodes take up other leaves by restarts."""

    goal: Goal = Goal.REPLACE_KEY
    #: Whether nodes can be asked, and read again.
    reloads: bool = False
    #: Whether a link certificate leads from the CA in use to the next CA.
    linked: bool = True
    #: The other fields of the intent, with their values.
    asked: tuple[tuple[str, Any], ...] = ()
    #: How often each node restarts in a pause, and outside.
    in_pause: int = 1
    outside: int = 0

    def supplied(self) -> Authority | None:
        return None if self.linked else next_root()


FLOWS = {
    "now": Flow(reloads=True, asked=(("retire", Retire.NOW),)),
    # Once to take up the leaves, and once to take up the switch: no node can be asked.
    "no reload": Flow(in_pause=2),
    "restart": Flow(reloads=True, asked=(("spread", Spread.RESTART),), in_pause=2),
    # Once to trust the next CA, and once to forget the old CA.
    "no link": Flow(linked=False, outside=2),
    "renewal": Flow(Goal.RENEW),
}
each_flow = pytest.mark.parametrize("flow", FLOWS.values(), ids=FLOWS)
by_restarts = pytest.mark.parametrize("flow", [FLOWS["now"], FLOWS["no link"]], ids=["now", "no link"])


def begin(racks: Racks, flow: Flow, patch: pytest.MonkeyPatch) -> Authority | None:
    if flow.reloads:
        racks.nodes = ReloadingNodes(racks.memory)
        racks.nodes.replace_requests(patch)
        racks.memory.settle(1)
        racks.look_away()
    return flow.supplied()


@each_flow
def test_the_plan_is_what_happens(
    racks: Racks, restarts: Restarts, flow: Flow, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, supplied = racks.current, begin(racks, flow, monkeypatch)
    work, asked = racks.work(supplied), racks.intent(flow.goal, supplied, **dict(flow.asked))
    outcome = inspect(work, asked)
    planned = plan(work, outcome, asked)
    racks.said.clear()
    racks.finish(flow.goal, supplied, **dict(flow.asked))
    assert racks.current != old
    assert sum(step.round_count for step in planned.whole) == len(rounds(racks)) == 6 * (flow.in_pause + flow.outside)
    # The operator has its time to look.
    racks.memory.settle(3)
    assert Counter(restarts.in_pause) == dict.fromkeys(ORDER, flow.in_pause)
    assert Counter(restarts.outside) == dict.fromkeys(ORDER if flow.outside else (), flow.outside)
    assert Counter(name for step in planned.whole for name in step.nodes) == racks.counts()
    reasons = Counter(step.reason for step in planned.whole if step.nodes)
    assert (reasons[RollReason.UPTAKE], reasons[RollReason.USE]) == (flow.in_pause, 0)
    assert racks.answers.harm == []


def test_one_node_after_the_other(racks: Racks, restarts: Restarts) -> None:
    racks.batch, racks.answers.most_away = ONE_BY_ONE, 1
    racks.finish(Goal.RENEW)
    racks.memory.settle(3)
    assert sorted(restarts.in_pause) == sorted(ORDER)
    assert (restarts.outside, racks.answers.harm) == ([], [])


@each_flow
def test_the_operator_restarts_as_ever_by_default(
    racks: Racks, restarts: Restarts, flow: Flow, monkeypatch: pytest.MonkeyPatch
) -> None:
    supplied = begin(racks, flow, monkeypatch)
    racks.strategy = Strategy.OPERATOR
    racks.finish(flow.goal, supplied, **dict(flow.asked))
    racks.memory.settle(3)
    assert restarts.in_pause == []
    assert racks.rolls == {flow.in_pause + flow.outside}


class KilledInPause(KillingTransport):
    """Ends the run before or after it deletes a node in a pause."""

    def __init__(self, racks: Racks, node: int, after: bool) -> None:
        super().__init__(racks.memory.api, after=after)
        self._racks, self._node = racks, node

    def request(self, method: str, path: str, **arguments: Any) -> Any:
        if method == "DELETE" and path.endswith(f"/{pod(self._node)}") and self._racks.paused:
            self.at = self.writes + 1
        return super().request(method, path, **arguments)


@by_restarts
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(
    ("goal", "strategy"),
    [(Goal.REPLACE_KEY, Strategy.DIRECT), (Goal.REPLACE_KEY, Strategy.OPERATOR), (Goal.ABORT, Strategy.DIRECT)],
    ids=["direct", "operator", "abort"],
)
@pytest.mark.each_once
def test_killed_in_the_middle_of_a_batch(
    racks: Racks, restarts: Restarts, flow: Flow, after: bool, goal: Goal, strategy: Strategy,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """The next run goes on with the nodes that are left, in the same pause; the operator does as well, once let on."""
    old, supplied = racks.current, begin(racks, flow, monkeypatch)
    permitted, racks.permitted = racks.permitted, KilledInPause(racks, 1, after)
    with pytest.raises(Killed):
        racks.run(Goal.REPLACE_KEY, supplied, **dict(flow.asked))
    racks.permitted = permitted
    assert racks.paused
    assert len(restarts.in_pause) == (5 if after else 4)
    racks.strategy = strategy
    asked = dict(flow.asked) if goal is Goal.REPLACE_KEY else {}
    racks.finish(goal, supplied if goal is Goal.REPLACE_KEY else None, **asked)
    racks.memory.settle(3)
    assert (racks.current == old) is (goal is Goal.ABORT)
    assert racks.rolls == {1 + flow.outside} or goal is Goal.ABORT
    assert racks.answers.harm == []


def test_a_person_lets_the_operator_on_after_a_kill(
    racks: Racks, restarts: Restarts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operator restarts the nodes that are left, and none again that has restarted in the pause."""
    flow = FLOWS["now"]
    begin(racks, flow, monkeypatch)
    racks.permitted, permitted = KilledInPause(racks, 1, True), racks.permitted
    with pytest.raises(Killed):
        racks.run(flow.goal, **dict(flow.asked))
    racks.permitted = permitted
    lifted = {"strimzi.io/pause-reconciliation": None, "trustops.strimzi/paused-by": None}
    racks.change("kafkas", "demo", {"metadata": {"annotations": lifted}})
    racks.memory.settle(3)
    assert racks.rolls == {1}
    racks.finish(flow.goal, **dict(flow.asked))
    assert racks.rolls == {1}


def test_a_node_that_does_not_come_back(racks: Racks, restarts: Restarts) -> None:
    """The roll stops, names the node, and leaves the operator paused: it would restart the other nodes."""
    racks.answers.lagging.add(0)
    with pytest.raises(RollStuck, match=pod(0)):
        racks.run(Goal.RENEW)
    assert racks.paused
    assert racks.pause_left
    assert sorted(restarts.in_pause) == sorted(ORDER[:5])
    racks.answers.lagging.clear()
    racks.finish(Goal.RENEW)
    racks.memory.settle(3)
    assert racks.rolls == {1}


@pytest.mark.parametrize(
    ("flow", "is_reviewed"),
    [
        pytest.param(FLOWS["renewal"], True, id="renewal"),
        pytest.param(FLOWS["no link"], True, id="no link"),
        pytest.param(FLOWS["renewal"], False, id="renewal, refused at the write"),
    ],
)
def test_without_permission_to_annotate_the_operator_restarts_the_nodes(
    racks: Racks, restarts: Restarts, flow: Flow, is_reviewed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    supplied = begin(racks, flow, monkeypatch)
    racks.permitted.denied = frozenset({"patch strimzipodsets"})
    racks.permitted.review = None if is_reviewed else Response(201, {"status": {"allowed": True}})
    racks.finish(flow.goal, supplied)
    racks.memory.settle(3)
    assert restarts.in_pause == []
    assert racks.rolls == {1 + flow.outside}
    assert racks.answers.harm == []


def test_the_operator_restarts_the_nodes_where_its_revisions_are_not_known(
    racks: Racks, restarts: Restarts, monkeypatch: pytest.MonkeyPatch, golden: GoldenFiles
) -> None:
    """It would restart each of them again. The call sees that before the pause."""
    monkeypatch.setattr(stamping, "revision", lambda _pod: "00000000")
    work, asked = racks.work(), racks.intent(Goal.RENEW)
    golden.compare_said("flows", "\n".join(plan(work, inspect(work, asked), asked).choices))
    racks.finish(Goal.RENEW)
    racks.memory.settle(3)
    assert (restarts.in_pause, racks.rolls) == ([], {1})


def test_a_call_that_ends_with_the_phase_leaves_no_pause(racks: Racks, restarts: Restarts) -> None:
    racks.run(Goal.REPLACE_KEY, last_phase=Phase.USE)
    assert not racks.paused
    assert Counter(restarts.in_pause) == dict.fromkeys(ORDER, 1)

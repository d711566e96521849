# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A flow on the cluster CA and one on the clients CA at the same time, whichever is faster: each is refused with a sentence or safe, and both
can be finished. No node and no user is refused at any write.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import StepError
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition, Violation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..tools.support.clients_cluster import ClientsCluster
from ..tools.support.flows import FlowResult, run_flow
from ..tools.support.golden import GoldenFiles
from ..tools.support.killing import Copies
from ..tools.support.memory_api import ACCESS_REVIEWS, Change
from ..tools.support.taking_turns import Turn, take_turns
from ..tools.support.watched_cluster import IN_USE
from .conftest import Points
from .stories import with_nodes

Stop: TypeAlias = StepError | Violation
Flow: TypeAlias = Callable[[Turn[FlowResult]], FlowResult]
CLUSTER, CLIENTS = CaKind


@dataclass(frozen=True)
class Both:
    #: The CA whose flow begins; second: that of the other flow.
    first: CaKind
    second: CaKind
    goal: Goal = Goal.REPLACE_KEY
    #: Nodes can be told to read again.
    reload: bool = True
    #: The number of users that a run serves at a time.
    batch: int | None = None

    def __str__(self) -> str:
        how = "reload" if self.reload else "restart"
        batches = f", {self.batch} at a time" if self.batch else ""
        return f"{self.first.value} first, {self.goal.value}, {how}{batches}"

    def begin(self, patch: pytest.MonkeyPatch) -> ClientsCluster:
        cluster = ClientsCluster()
        with_nodes(cluster, patch, reload=self.reload)
        cluster.begin()
        return cluster

    def flow(self, cluster: ClientsCluster, ca: CaKind) -> Flow:
        intent = cluster.intent(self.goal, user_batch=self.batch if ca is CLIENTS else None)

        def run(transport: Turn[FlowResult]) -> FlowResult:
            work = cluster.work(transport=transport)
            return run_flow(replace(work, scope=work.scope.of(ca)), intent)

        return run

    def at_once(self, cluster: ClientsCluster, at: tuple[int, int | None]) -> tuple[Turn[FlowResult], Turn[FlowResult]]:
        first, second = self.flow(cluster, self.first), self.flow(cluster, self.second)
        return take_turns(cluster.permitted, first, second, at)

    def writes(self, patch: pytest.MonkeyPatch, ca: CaKind) -> int:
        """How many writes the flow of this CA makes alone."""
        cluster = self.begin(patch)
        turn: Turn[FlowResult] = Turn(cluster.permitted, None)
        assert self.flow(cluster, ca)(turn).outcome.decision.done
        return turn.writes

    def check(self, at: tuple[int, int | None], patch: pytest.MonkeyPatch) -> list[Stop]:
        """The stops of the flows that were refused."""
        cluster = self.begin(patch)
        stops = [stop for one in self.at_once(cluster, at) for stop in refused(one)]
        self.finish(cluster)
        return stops

    def check_at_each(self, numbers: Container[int], patch: pytest.MonkeyPatch) -> list[Stop]:
        """The same where the other flow comes in between at one of these writes, and goes to its end: each in a copy of the process."""
        cluster, stops = self.begin(patch), list[Stop]()
        first, second = Turn[FlowResult](cluster.permitted, None), Turn[FlowResult](cluster.permitted, None)
        interrupted = _Interrupted(
            cluster.permitted, Copies(numbers), lambda: second.take(self.flow(cluster, self.second))
        )
        first.api = interrupted

        def then() -> list[Stop]:
            found = [stop for one in (first, second) for stop in refused(one)]
            self.finish(cluster)
            return found

        found = interrupted.copies.run(lambda: first.take(self.flow(cluster, self.first)), then)
        assert refused(first) == []
        for stop in found.values():
            stops += stop
        return stops

    def finish(self, cluster: ClientsCluster) -> None:
        """Runs both again, one after the other: both get what they wanted, for no more restarts than both take alone."""
        cluster.memory.settle(2)
        for ca in (self.first, self.second):
            cluster.ca = ca
            assert cluster.run(self.goal).outcome.decision.done
            assert list(cluster.states.values()) == [IN_USE]
            links = cluster.links if ca is CLUSTER else {}
            assert set(cluster.secret(f"demo-{ca.value}-ca")) - set(links) == {"ca.key"}
        of_users = 2 if self.goal is Goal.REPLACE_KEY and not self.reload else 0
        assert max(cluster.counts().values()) <= cluster.cost(self.goal).restarts + of_users, "nodes were restarted"
        assert not cluster.paused
        assert not any("pause" in mark for user in ("orders", "payments") for mark in cluster.marks(user))


@dataclass
class _Interrupted:
    """An API; in a copy of the process that begins at a chosen write, something else comes in before it."""

    api: Any
    copies: Copies
    between: Callable[[], None]
    writes: int = 0

    def request(self, method: str, path: str, **arguments: Any) -> Any:
        if method != "GET" and path != ACCESS_REVIEWS:
            self.writes += 1
            if self.copies.begins_at(self.writes):
                self.between()
        return self.api.request(method, path, **arguments)

    def stream(self, path: str, **arguments: Any) -> Any:
        return self.api.stream(path, **arguments)


def refused(turn: Turn[FlowResult]) -> list[Stop]:
    """The stops of a flow that did not come to its end. Raises an error that no user may ever see."""
    if turn.failure is not None:
        if not isinstance(turn.failure, StepError):
            raise turn.failure
        return [turn.failure]
    assert turn.result is not None
    decision = turn.result.outcome.decision
    assert decision.done or decision.violations
    return list(decision.violations)


def paused_by(ca: CaKind, stops: list[Stop], golden: GoldenFiles) -> bool:
    """Whether a flow on this CA has paused the Kafka resource, and each sentence about that says it."""
    held = [stop for stop in stops if getattr(stop, "condition", None) is Condition.NOT_PAUSED_BY_OTHERS]
    for stop in held:
        golden.compare_stop(f"not_paused_by_others, a flow on the {ca.value} CA", stop)
    return bool(held)


ORDERS = [Both(CLUSTER, CLIENTS), Both(CLIENTS, CLUSTER)]
_LONG = [
    *(replace(one, goal=Goal.RENEW) for one in ORDERS),
    *(replace(one, reload=False) for one in ORDERS),
    *(replace(one, batch=1) for one in ORDERS),
]
#: Where each waits for the other, both do at every third write.
_STRIDE = 3


@pytest.mark.parametrize("both", [*ORDERS, *(pytest.param(one, marks=pytest.mark.long) for one in _LONG)], ids=str)
def test_the_other_one_comes_in_between(
    both: Both, points: Points, monkeypatch: pytest.MonkeyPatch, golden: GoldenFiles
) -> None:
    """At a write, and goes to its end."""
    # The pause that the other one meets is a few writes long.
    stops = both.check_at_each(Points(1, min(points.step, 4)).all(), monkeypatch)
    if both in ORDERS:
        assert paused_by(both.first, stops, golden)


@pytest.mark.parametrize("both", ORDERS, ids=str)
def test_each_waits_for_the_other_in_the_middle(both: Both, monkeypatch: pytest.MonkeyPatch) -> None:
    """The one stands still at a write while the other goes on, and the other way round."""
    writes = [both.writes(monkeypatch, ca) for ca in (both.first, both.second)]
    for first, second in zip(*(range(2, count, count // 4) for count in writes), strict=False):
        both.check((first, second), monkeypatch)


class Unconditional:
    """An API that takes every write of the Kafka resource, also over what another program has written meanwhile."""

    def __init__(self, api: Any) -> None:
        self.stream, self._request = api.stream, api.request

    def request(self, method: str, path: str, **arguments: Any) -> Any:
        body = deepcopy(arguments.get("body"))
        if method == "PATCH" and "/kafkas/" in path and body:
            body["metadata"].pop("resourceVersion", None)
        return self._request(method, path, **{**arguments, "body": body})


def test_neither_pauses_what_the_other_has_paused(monkeypatch: pytest.MonkeyPatch, golden: GoldenFiles) -> None:
    """Otherwise the one would end the pause of the other in the middle of its switch, and the operator would restart every node."""
    both = ORDERS[1]
    cluster = both.begin(monkeypatch)
    first = _before_a_pause(both.flow(cluster, CLIENTS), cluster)
    cluster = both.begin(monkeypatch)
    second = _before_a_pause(both.flow(cluster, CLUSTER), cluster) + 2
    assert paused_by(CLUSTER, both.check((first, second), monkeypatch), golden)
    cluster = both.begin(monkeypatch)
    cluster.permitted = Unconditional(cluster.memory.api)
    both.at_once(cluster, (first, second))
    cluster.permitted = cluster.memory.api
    with pytest.raises(AssertionError, match="nodes were restarted"):
        both.finish(cluster)


def _before_a_pause(flow: Flow, cluster: ClientsCluster) -> int:
    """How many writes a flow makes before it pauses the operator for the first time."""
    turn: Turn[FlowResult] = Turn(cluster.permitted, None)
    made: list[int] = []

    def note(change: Change) -> None:
        if change.plural == "kafkas" and "pause-reconciliation" in str(change.new):
            made.append(turn.writes)

    cluster.memory.api.listeners.append(note)
    flow(turn)
    return made[0] - 1


@pytest.mark.long
@pytest.mark.parametrize("both", [*ORDERS, *_LONG], ids=str)
def test_each_waits_for_the_other_at_any_two_writes(both: Both, monkeypatch: pytest.MonkeyPatch) -> None:
    writes = [both.writes(monkeypatch, ca) for ca in (both.first, both.second)]
    for first in range(0, writes[0], _STRIDE):
        for second in range(1, writes[1], _STRIDE):
            both.check((first, second), monkeypatch)

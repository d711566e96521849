# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The matrix of flows and kills: each flow, killed before and after every write it makes, every request to a node, then run again: same end, and never
a failed handshake. Beside it the control: what Raft clients and agents were started with is really looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._rollout import reloading
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase

from ..flows.cases import PATIENT_REPLACEMENTS, Case
from ..tools.support.authorities import root
from ..tools.support.breaches import InvariantBroken
from ..tools.support.engines import leaving_open
from ..tools.support.killing import Copies, Killed, KillingTransport
from ..tools.support.other_hands import PutBack
from ..tools.support.watched_cluster import WatchedCluster
from . import asking_stories, clients_stories, stories
from .clients_stories import ClientsStory
from .conftest import Points
from .courses import Row, assert_alike, assert_killed_and_run_again, rows
from .stories import AT_LAST, RESTARTED, Story, Telling

UNLINKED = Case(Goal.REPLACE_KEY, "unlinked")


@dataclass(frozen=True)
class PuttingBack(Story):
    """The operator puts back the leaves of a node and of the exporter: it has no reason to restart them then."""

    def __str__(self) -> str:
        return f"{super().__str__()}, the operator puts back"

    def begin(self, patch: pytest.MonkeyPatch) -> Telling:
        begun = super().begin(patch)
        return PuttingBackTelling(
            self, begun.flow, PutBack(begun.cluster.memory, "demo-kafka-0", "demo-kafka-exporter-certs")
        )


@dataclass
class PuttingBackTelling(Telling):
    operator: PutBack

    def assert_paid(self) -> None:
        super().assert_paid()
        assert self.operator.done


@dataclass(frozen=True)
class NamedStory(Story):
    """By a CA that has the name of the one in use. The keys of both are here: that of the old CA stays for probes until the last node has refused it, also
    where a run has ended meanwhile.
    """

    def __str__(self) -> str:
        return f"{super().__str__()}, of one name"

    def begin(self, patch: pytest.MonkeyPatch) -> Telling:
        begun = super().begin(patch)
        begun.flow.supplied = root("cluster-ca v0")
        return begun


_NAMED, _PUT_BACK = NamedStory(Case(Goal.REPLACE_KEY), reload=True), PuttingBack(Case(Goal.REPLACE_KEY), reload=True)
_ALWAYS: list[Row] = [
    *stories.SHORT, *asking_stories.SHORT, *clients_stories.STORIES, *clients_stories.WAYS, _NAMED, _PUT_BACK,
]  # fmt: skip
#: They take their time.
_LONG: list[Row] = [
    *stories.STORIES, *stories.EAGER, *asking_stories.STORIES, *clients_stories.LONG, *clients_stories.LONG_WAYS,
    NamedStory(Case(Goal.REPLACE_KEY)), replace(_NAMED, eager=True),
]  # fmt: skip


@pytest.mark.parametrize("moment", ["after", pytest.param("before", marks=pytest.mark.long)])
@pytest.mark.parametrize("row", rows(_ALWAYS, _LONG))
def test_killed_at_any_write_and_run_again(
    row: Row, moment: str, points: Points, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before a write is after the one before it, but for what the cluster does meanwhile."""
    assert_killed_and_run_again(row.begin(monkeypatch), points.all(), after=moment == "after")


#: Flows whose nodes read again.
_RELOADING: list[Row] = [
    *(Story(case, reload=True) for case in (Case(Goal.REPLACE_KEY), UNLINKED, Case(Goal.RENEW), Case(Goal.RENEW_LEAVES))),
    *(Story(case, follows, reload=True) for case in PATIENT_REPLACEMENTS for follows in (RESTARTED, AT_LAST)),
    ClientsStory(Goal.REPLACE_KEY),
]  # fmt: skip


class InOrder(ThreadPoolExecutor):
    """Does one thing after the other, in this thread: a copy of the process has no other."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        try:
            done.set_result(fn(*args, **kwargs))
        except BaseException as problem:
            done.set_exception(problem)
        return done


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("row", rows(_RELOADING))
def test_killed_at_any_request_to_a_node_and_run_again(
    row: Row, moment: str, points: Points, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = row.begin(monkeypatch)
    cluster, nodes, copies, made = course.cluster, course.cluster.nodes, Copies(points.all()), list[str]()
    assert nodes
    monkeypatch.setattr(reloading, "ThreadPoolExecutor", InOrder)
    transport = cluster.permitted = KillingTransport(cluster.memory.api)

    def request(pod: str) -> None:
        made.append(pod)
        if copies.begins_at(len(made)):
            # The process is gone, whatever it would still write.
            transport.killed = True
            raise Killed

    setattr(nodes, moment, request)

    def go_on() -> dict[str, Any]:
        nodes.before = nodes.after = lambda pod: None
        cluster.permitted = cluster.memory.api
        cluster.memory.settle(2)
        return course.go_on()

    killed = copies.run(course.complete, go_on, Killed)
    course.assert_paid()
    assert killed
    assert_alike(killed, course.end_state())


def read_again(cluster: WatchedCluster) -> None:
    """As if a reload reached listeners and every other component: only Raft clients and agents know the old CA alone."""
    kubelet = cluster.memory.kubelet
    for uid, process in list(kubelet.processes.items()):
        kubelet.reload(uid)
        if process.component != "kafka":
            kubelet.processes[uid] = replace(kubelet.processes[uid], kept=None)


def test_a_plain_leaf_before_raft_clients_trust_its_ca_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """No link, no roll, only a reload: listeners would do, and the quorum would fall apart."""
    telling = Story(UNLINKED, reload=True).begin(monkeypatch)
    telling.flow.run(last_phase=Phase.PREPARE)
    read_again(telling.cluster)
    telling.cluster.engine = leaving_open("trust", "alone")
    with pytest.raises(InvariantBroken) as broken:
        telling.flow.run()
    assert any(" of " in party for party in broken.value.breach.parties), "neither a Raft client nor an agent"

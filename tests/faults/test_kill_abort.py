# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rotation that was killed at any write can be undone, and an abort that was killed at any write goes on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_chain
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase

from ..flows.cases import Case, Flow
from ..flows.test_abort import assert_undone
from ..tools.support.clients_cluster import ClientsCluster
from ..tools.support.killing import Killed, KillingTransport
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.watched_cluster import WatchedCluster
from .conftest import Points
from .stories import have_fast_keys


@dataclass(frozen=True)
class AbortStory:
    """users: of the clients CA. until: where the rotation stands that an abort undoes. reload: nodes can be told to read again."""

    goal: Goal = Goal.REPLACE_KEY
    circumstance: str = ""
    until: Phase = Phase.USE
    users: bool = False
    reload: bool = True

    def __str__(self) -> str:
        whose = "users" if self.users else "nodes"
        how = "reload" if self.reload else "restart"
        return ", ".join(filter(None, (whose, self.goal.value, self.circumstance, self.until.value, how)))

    def begin(self, patch: pytest.MonkeyPatch) -> tuple[WatchedCluster, Flow]:
        cluster = ClientsCluster() if self.users else WatchedCluster()
        have_fast_keys(cluster, patch)
        if self.reload:
            cluster.nodes = ReloadingNodes(cluster.memory)
            cluster.nodes.replace_requests(patch)
        case = Case(self.goal, self.circumstance, path_length=0 if self.circumstance == "renewed first" else 1)
        if isinstance(cluster, ClientsCluster):
            cluster.begin()
            return cluster, Flow(cluster, case)
        return cluster, case.begin(cluster)


RENEWED_FIRST = AbortStory(circumstance="renewed first")


def key_of(cluster: WatchedCluster) -> str:
    """The key of the CA in use; a renewal has it as well."""
    return parse_chain(cluster.secret(f"demo-{cluster.ca.value}-ca-cert")["ca.crt"])[0].public_key_sha256


def killed_at(cluster: WatchedCluster, number: int) -> None:
    cluster.permitted = KillingTransport(cluster.memory.api, number, after=True)


def back(cluster: WatchedCluster) -> None:
    """The process is gone; the operator goes on."""
    cluster.permitted = cluster.memory.api
    cluster.memory.settle(2)


EVERYWHERE = [
    pytest.param(AbortStory(), id="nodes"),
    pytest.param(AbortStory(users=True), id="users"),
    *(
        pytest.param(one, id=str(one), marks=pytest.mark.long)
        for one in (
            AbortStory(circumstance="unlinked"), AbortStory(goal=Goal.RENEW), AbortStory(reload=False),
            AbortStory(circumstance="unlinked", reload=False), AbortStory(goal=Goal.RENEW, users=True),
            AbortStory(users=True, reload=False),
        )
    ),
]  # fmt: skip


@dataclass(frozen=True)
class Undoing:
    """A rotation that was killed and then aborted."""

    # The cluster after the abort.
    cluster: WatchedCluster
    # The rotation.
    flow: Flow
    # Fingerprint and key of the CA in use before it.
    old: str
    key: str
    # Whether the abort is refused, because processes are about to forget the CA that the rotation replaces.
    is_too_late: bool


def undoings(story: AbortStory, patch: pytest.MonkeyPatch, numbers: Iterator[int]) -> Iterator[Undoing]:
    """The rotation, killed after one write more each time and aborted, until it ends before it is killed. numbers: of the writes."""
    for number in numbers:
        cluster, flow = story.begin(patch)
        old, key = cluster.current, key_of(cluster)
        killed_at(cluster, number)
        try:
            flow.run()
            return
        except Killed:
            back(cluster)
        held = " ".join(map(str, cluster.run(Goal.ABORT).outcome.decision.violations))
        yield Undoing(cluster, flow, old, key, "processes are about to forget it" in held)


@pytest.mark.parametrize("story", EVERYWHERE)
def test_a_rotation_that_was_killed_at_any_write_can_be_undone(
    story: AbortStory, points: Points, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until the CA that it replaces has left; then the abort says so, and the rotation is finished."""
    undone, told = 0, 0
    for one in undoings(story, monkeypatch, points.endless()):
        if one.is_too_late:
            one.flow.finish()
            told += 1
        elif one.cluster.current == one.old:
            one.cluster.finish(Goal.ABORT)
            assert_undone(one.cluster, one.old)
            undone += 1
    assert undone >= max(2, 5 // points.step)
    assert told >= 1


def test_so_can_one_whose_ca_is_renewed_first(points: Points, monkeypatch: pytest.MonkeyPatch) -> None:
    """A renewal that has come to its end stays, and one that has not is undone as well."""
    left = set[bool]()
    for one in undoings(RENEWED_FIRST, monkeypatch, points.endless()):
        if one.is_too_late:
            one.flow.finish()
        elif key_of(one.cluster) == one.key:
            one.cluster.finish(Goal.ABORT)
            assert_undone(one.cluster, one.cluster.current)
            left.add(one.cluster.current == one.old)
    assert left == {True, False}


@pytest.mark.parametrize("until", [pytest.param(Phase.TRUST, marks=pytest.mark.long), Phase.USE])
@pytest.mark.parametrize("story", EVERYWHERE)
def test_an_abort_that_is_killed_at_any_write_goes_on(
    story: AbortStory, until: Phase, points: Points, monkeypatch: pytest.MonkeyPatch
) -> None:
    story = replace(story, until=until)
    for number in points.endless():
        cluster, flow = story.begin(monkeypatch)
        old = cluster.current
        flow.run(until=story.until)
        killed_at(cluster, number)
        try:
            cluster.run(Goal.ABORT)
            break
        except Killed:
            back(cluster)
            cluster.finish(Goal.ABORT)
            assert_undone(cluster, old)
    assert number > 4

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A rotation that was killed at any write can be undone, and an abort that was killed at any write goes on."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum, auto

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_chain
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase

from ..flows.cases import Case, Flow
from ..flows.test_abort import MOST, assert_undone
from ..tools.support.clients_cluster import ClientsCluster
from ..tools.support.watched_cluster import WatchedCluster
from .conftest import Points
from .courses import kill
from .stories import with_nodes


@dataclass(frozen=True)
class AbortStory:
    goal: Goal = Goal.REPLACE_KEY
    circumstance: str = ""
    #: The phase in which the abort finds the rotation.
    until: Phase = Phase.USE
    #: Whether the rotation is about the clients CA.
    users: bool = False
    #: Nodes can be told to read again.
    reload: bool = True

    def __str__(self) -> str:
        whose = "users" if self.users else "nodes"
        how = "reload" if self.reload else "restart"
        return ", ".join(filter(None, (whose, self.goal.value, self.circumstance, self.until.value, how)))

    def begin(self, patch: pytest.MonkeyPatch) -> tuple[WatchedCluster, Flow]:
        cluster = ClientsCluster() if self.users else WatchedCluster()
        with_nodes(cluster, patch, reload=self.reload)
        case = Case(self.goal, self.circumstance, path_length=0 if self.circumstance == "renewed first" else 1)
        if isinstance(cluster, ClientsCluster):
            cluster.begin()
            return cluster, Flow(cluster, case)
        return cluster, case.begin(cluster)


RENEWED_FIRST = AbortStory(circumstance="renewed first")


def key_of(cluster: WatchedCluster) -> str:
    """The key of the CA in use; a renewal has it as well."""
    return parse_chain(cluster.secret(f"demo-{cluster.ca.value}-ca-cert")["ca.crt"])[0].public_key_sha256


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


class Undone(Enum):
    """How the abort of a rotation that was killed has ended."""

    # It is refused, because processes are about to forget the CA that the rotation replaces; the rotation is finished.
    TOO_LATE = auto()
    # The rotation had come to its end.
    OVER = auto()
    # The CA in use before is in use again.
    BACK = auto()
    # Its renewal, which had come to its end, stays.
    RENEWED = auto()


def undone(story: AbortStory, points: Points, patch: pytest.MonkeyPatch) -> Counter[Undone]:
    """A rotation is killed at each of these writes, and aborted then."""
    cluster, flow = story.begin(patch)
    old, key, before = cluster.current, key_of(cluster), cluster.issuers_of_nodes

    def abort() -> Undone:
        is_used = not cluster.issuers_of_nodes <= before
        cluster.look_away()
        held = " ".join(map(str, cluster.run(Goal.ABORT).outcome.decision.violations))
        if "processes are about to forget it" in held:
            flow.finish()
            return Undone.TOO_LATE
        is_renewed = story == RENEWED_FIRST and key_of(cluster) == key
        if cluster.current != old and not is_renewed:
            return Undone.OVER
        cluster.finish(Goal.ABORT)
        assert_undone(cluster, cluster.current if is_renewed else old)
        if story.goal is Goal.REPLACE_KEY and not (story.circumstance or story.users):
            told, restarted = MOST[is_used]
            assert max(cluster.rolls) <= (told if story.reload else restarted)
        return Undone.BACK if cluster.current == old else Undone.RENEWED

    return Counter(kill(cluster, points.all(), flow.run, abort).values())


@pytest.mark.parametrize("story", EVERYWHERE)
def test_a_rotation_that_was_killed_at_any_write_can_be_undone(
    story: AbortStory, points: Points, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until the CA that it replaces has left; then the abort says so, and the rotation is finished."""
    # Few of its last writes are too late.
    ends = undone(story, points.at_least_each(8), monkeypatch)
    assert ends[Undone.BACK] >= max(2, 5 // points.step)
    assert ends[Undone.TOO_LATE] >= 1


def test_a_replacement_whose_ca_is_renewed_first_can_be_undone_too(
    points: Points, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A renewal that has come to its end stays, and one that has not is undone as well."""
    assert {Undone.BACK, Undone.RENEWED} <= set(undone(RENEWED_FIRST, points.at_least_each(8), monkeypatch))


@pytest.mark.parametrize("until", [pytest.param(Phase.TRUST, marks=pytest.mark.long), Phase.USE])
@pytest.mark.parametrize("story", EVERYWHERE)
def test_an_abort_that_is_killed_at_any_write_goes_on(
    story: AbortStory, until: Phase, points: Points, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster, flow = story.begin(monkeypatch)
    old = cluster.current
    flow.run(last_phase=until)

    def go_on() -> None:
        cluster.finish(Goal.ABORT)
        assert_undone(cluster, old)

    kill(cluster, points.all(), lambda: cluster.run(Goal.ABORT), go_on)
    go_on()

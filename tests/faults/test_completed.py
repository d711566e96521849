# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every flow where other programs complete each object that it writes, with a label, an annotation and a field that
nothing here knows: same end, same restarts, no more writes, and nothing is said about another writer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..flows.cases import Case
from ..tools.support.completing import Completing, When
from ..tools.support.flows import FlowResult
from ..tools.support.memory_api import ACCESS_REVIEWS, parts_of
from ..tools.support.watched_cluster import CERTIFICATES, KEYS, LEDGER, WatchedCluster
from . import asking_stories, clients_stories, kept_stories, stories
from .clients_stories import ClientsStory
from .courses import Course, Row, rows
from .issuer_happenings import begun
from .stories import Story, finished, with_nodes
from .test_kill_abort import AbortStory
from .test_kill_issuer_calls import signed_again
from .test_silent_nodes import Undoing


@dataclass
class Counting:
    """Counts the writes that are done, by the resource. Those of Events and of the Lease go by time."""

    api: Any
    done: Counter[str] = field(default_factory=Counter)

    def request(self, method: str, path: str, **arguments: Any) -> Any:
        answer = self.api.request(method, path, **arguments)
        if method != "GET" and path != ACCESS_REVIEWS and answer.status < 300:
            resource = parts_of(path)[1]
            self.done.update([resource] if resource not in ("events", "leases") else [])
        return answer

    def stream(self, path: str, **arguments: Any) -> Iterator[Any]:
        return self.api.stream(path, **arguments)


@dataclass
class Ended:
    """The end of a flow."""

    writes: Counter[str]
    restarts: dict[str, int]
    state: dict[str, Any]
    warnings: list[str]
    #: The resources that the other program has completed.
    completed: set[str]


def ended(row: Row, when: When | None) -> Ended:
    with pytest.MonkeyPatch.context() as patch:
        course = row.begin(patch)
        cluster = course.cluster
        cluster.is_leased = cluster.backs_up = cluster.audits = True
        warnings, run = list[str](), cluster.run

        def noting(*given: Any, **options: Any) -> FlowResult:
            result = run(*given, **options)
            warnings.extend(result.warnings)
            return result

        patch.setattr(cluster, "run", noting)
        counting = cluster.permitted = Counting(cluster.permitted)
        completing = Completing(cluster.memory.api, when) if when else None
        if completing:
            completing.begin()
        if cluster.kafka:
            # The operator has seen what the other program has added until now.
            cluster.memory.settle(2)
            cluster.look_away()
        course.complete()
        found = Ended(counting.done.copy(), cluster.counts(), {}, warnings, completing.seen if completing else set())
        counting.done.clear()
        course.complete()
        assert not counting.done, "a second run wrote something (I9)"
        if completing:
            completing.end()
        found.state = course.end_state()
        return found


@dataclass(frozen=True)
class Recovering:
    """A row of the matrix: the CA Secrets and the ledger are lost, and come back from a backup."""

    def __str__(self) -> str:
        return "recover"

    def begin(self, patch: pytest.MonkeyPatch) -> RecoveringCourse:
        cluster = WatchedCluster(backs_up=True)
        with_nodes(cluster, patch)
        cluster.create()
        finished(cluster.run(Goal.RENEW))
        cluster.look_elsewhere()
        for name in (CERTIFICATES, KEYS, LEDGER):
            assert cluster.memory.api.request("DELETE", f"/api/v1/namespaces/kafka/secrets/{name}").status == 200
        cluster.memory.settle(2)
        cluster.look_away()
        return RecoveringCourse(cluster)


@dataclass
class RecoveringCourse(Course):
    recovered: WatchedCluster

    @property
    def cluster(self) -> WatchedCluster:
        return self.recovered

    @property
    def restarts(self) -> int:
        return 0

    def run(self) -> FlowResult:
        return self.cluster.run(Goal.RECOVER)

    def complete(self) -> None:
        finished(self.run())

    def end_state(self) -> dict[str, Any]:
        cluster = self.cluster
        states, keys = sorted(cluster.states.values()), sorted(cluster.secret(KEYS))
        return {"states": states, "keys": keys, "paused": cluster.paused, "ready": cluster.ready}


FLOWS: list[Row] = [
    *stories.SHORT, *clients_stories.STORIES, *clients_stories.WAYS, *clients_stories.LONG_WAYS,
    *asking_stories.SHORT, *kept_stories.STORIES,
    Undoing(AbortStory()), Undoing(AbortStory(users=True)), Recovering(),
]  # fmt: skip
#: Of each CA, of a CA with and without a pause, and of each kind of object that is written.
_IN_EVERY_RUN: list[Row] = [
    Story(Case(Goal.REPLACE_KEY), reload=True), ClientsStory(Goal.REPLACE_KEY), Story(Case(Goal.CREATE)),
    *clients_stories.WAYS, asking_stories.SHORT[-1], *kept_stories.STORIES, Recovering(),
]  # fmt: skip


@pytest.mark.parametrize("row", rows(_IN_EVERY_RUN, FLOWS))
def test_each_written_object_is_completed(row: Row) -> None:
    wanted = ended(row, None)
    # The backup has no Secrets with what another program has put into them, and is made again of the restored Secrets.
    more = Counter(secrets=int(isinstance(row, Recovering)))
    for when in When:
        found = ended(row, when)
        assert found.state == wanted.state, when
        assert found.restarts == wanted.restarts, when
        assert found.writes <= wanted.writes + more, when
        assert found.warnings == wanted.warnings, when
        assert {"secrets", "configmaps", "leases"} <= found.completed


def issued_by(kind: str, when: When | None) -> Ended:
    """The end of a replacement whose next CA an issuer of this kind keeps."""
    with pytest.MonkeyPatch.context() as patch, begun(kind, patch) as course:
        cluster = course.cluster
        cluster.is_leased = cluster.backs_up = cluster.audits = True
        counting = cluster.permitted = Counting(cluster.permitted)
        completing = Completing(cluster.memory.api, when) if when else None
        if completing:
            completing.begin()
        cluster.memory.settle(2)
        cluster.look_away()
        course.finish()
        found = Ended(counting.done.copy(), cluster.counts(), {}, [], completing.seen if completing else set())
        if completing:
            completing.end()
        found.state = {"signed again": signed_again(course)}
        return found


@pytest.mark.parametrize("kind", ["cert-manager", "vault", pytest.param("external", marks=pytest.mark.long)])
def test_requests_to_each_issuer_are_completed(kind: str) -> None:
    wanted = issued_by(kind, None)
    for when in When:
        found = issued_by(kind, when)
        assert (found.state, found.restarts) == (wanted.state, wanted.restarts), when
        assert found.writes <= wanted.writes, when

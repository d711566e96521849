# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every flow on an API server that takes seconds for each answer: it ends as on a prompt API server, with the same
restarts, it says nothing else, and its Lease never runs out. The seconds are those of the clock in memory.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._errors import CollectionError
from ansible_collections.trustops.strimzi.plugins.module_utils._kube.response_time import ResponseTime
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..flows.cases import PATIENT_REPLACEMENTS, Case
from ..flows.test_recovering import LIFE, create, outlive_leaves
from ..tools.support.flows import FlowResult
from ..tools.support.slow_api import LeaseWatch, SlowApi
from ..tools.support.watched_cluster import WatchedCluster
from . import asking_stories, clients_stories, stories
from .clients_stories import ClientsStory
from .courses import Course, Row, rows
from .stories import AT_LAST, RESTARTED, Story, finished, with_nodes
from .test_kill_abort import AbortStory
from .test_silent_nodes import Undoing


@dataclass(frozen=True)
class Recovering:
    """A row of the matrix: the certificates of all nodes have ended, and the CA has ended too, or has not."""

    with_ca: bool = False

    def __str__(self) -> str:
        return "recover" + (", the CA too" if self.with_ca else "")

    def begin(self, patch: pytest.MonkeyPatch) -> RecoveringCourse:
        cluster = WatchedCluster()
        with_nodes(cluster, patch)
        create(cluster, **({"ca": LIFE} if self.with_ca else {}))
        outlive_leaves(cluster)
        cluster.memory.settle(2)
        return RecoveringCourse(cluster)


@dataclass
class RecoveringCourse(Course):
    recovered: WatchedCluster

    @property
    def cluster(self) -> WatchedCluster:
        return self.recovered

    @property
    def restarts(self) -> int:
        return 1

    def run(self) -> FlowResult:
        return self.cluster.run(Goal.RECOVER)

    def complete(self) -> None:
        finished(self.run())
        self.cluster.memory.settle(3)

    def end_state(self) -> dict[str, Any]:
        cluster = self.cluster
        assert cluster.nodes
        return {
            "states": sorted(cluster.states.values()),
            "paused": cluster.paused,
            "ready": cluster.ready,
            "rolls": cluster.rolls,
            "signals": sorted(cluster.nodes.signals),
            "served": sorted(set(cluster.nodes.served)),
        }


#: Seconds of an answer: of a prompt API server, and of slow ones.
PROMPT, SLOW = 0.1, (3.0, 10.0)
_IN_EVERY_RUN: list[Row] = [
    Story(Case(Goal.REPLACE_KEY), reload=True), Story(Case(Goal.UPGRADE)), Recovering(), ClientsStory(Goal.REPLACE_KEY),
]  # fmt: skip
_AT_LENGTH: list[Row] = [
    *stories.SHORT,
    Story(PATIENT_REPLACEMENTS[0], AT_LAST, reload=True),
    Story(PATIENT_REPLACEMENTS[1], RESTARTED, reload=True),
    Story(Case(Goal.RENEW_LEAVES), reload=True),
    *clients_stories.STORIES,
    *clients_stories.LONG,
    *clients_stories.WAYS,
    *clients_stories.LONG_WAYS,
    *asking_stories.SHORT,
    Recovering(with_ca=True),
    *(Undoing(AbortStory(users=users)) for users in (False, True)),
]


@dataclass(frozen=True)
class Told:
    """The end of a flow, and its way there."""

    state: dict[str, Any]
    # Restarts by the name of the node.
    restarts: dict[str, int]
    # The lines and warnings of its runs, without names and numbers that differ each time.
    said: frozenset[str]
    seconds: float


def in_words(line: str) -> str:
    """Without fingerprints, times, durations, and the ends of names of pods of Deployments."""
    # A source lists its CAs in the order of their fingerprints.
    line = re.sub(r"CN=(One|Other)\b", "CN=#", line)
    line = re.sub(r"(entity-operator|cruise-control|kafka-exporter)-\S+", r"\1", line)
    return re.sub(r"\b[0-9a-f]{8,}\b|\d+(\.\d+)?", "#", line)


def told(row: Row, seconds: float, patch: pytest.MonkeyPatch) -> Told:
    """The row on an API server whose answers take so long, from the point where the flow begins."""
    course = row.begin(patch)
    cluster = course.cluster
    cluster.is_leased = True
    watch = LeaseWatch(cluster.memory)
    cluster.memory.api.listeners.append(watch)
    cluster.said.clear()
    cluster.memory.answer_takes = seconds
    cluster.permitted, begun = SlowApi(cluster.permitted, cluster.memory), cluster.memory.seconds
    course.complete()
    assert watch.late == [], "another run could have taken the Lease"
    course.assert_restarts()
    said = frozenset(map(in_words, cluster.said))
    return Told(course.end_state(), cluster.counts(), said, cluster.memory.seconds - begun)


@pytest.mark.parametrize("row", rows(_IN_EVERY_RUN, _AT_LENGTH))
def test_a_slow_api_server_costs_time_and_nothing_else(row: Row, monkeypatch: pytest.MonkeyPatch) -> None:
    prompt = told(row, PROMPT, monkeypatch)
    for seconds in SLOW:
        slow = told(row, seconds, monkeypatch)
        assert slow.seconds > prompt.seconds, "the answers took no time"
        assert (slow.state, slow.restarts) == (prompt.state, prompt.restarts), f"{seconds:g} s an answer"
        assert slow.said - prompt.said == set(), f"{seconds:g} s an answer"


@pytest.mark.parametrize("row", rows([_IN_EVERY_RUN[0]], [Recovering(), ClientsStory(Goal.REPLACE_KEY)]))
def test_limits_that_do_not_grow_would_be_noticed(row: Row, monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control."""
    prompt = told(row, PROMPT, monkeypatch)
    monkeypatch.setattr(ResponseTime, "within", lambda _self, seconds, answers: seconds)
    try:
        slow = told(row, SLOW[-1], monkeypatch)
    except (AssertionError, CollectionError):
        return
    assert (slow.state, slow.restarts, slow.said - prompt.said) != (prompt.state, prompt.restarts, set())

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Waiting for nodes that have not answered: who is asked again, for how long, and what is said when none comes."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.engine import carry_out
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.looking import ask_nodes, observe_cluster
from ansible_collections.trustops.strimzi.plugins.module_utils._errors import NodesSilent
from ansible_collections.trustops.strimzi.plugins.module_utils._rollout.answers import silence_error
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply.work import Action
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.observe import Observation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence.parties import unanswered
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import Unanswered
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import AwaitAnswers

from ...tools.support.flows import SETTINGS
from ...tools.support.golden import GoldenFiles
from ...tools.support.reloads import ReloadingNodes
from ...tools.support.watched_cluster import WatchedCluster

NODES = {"demo-kafka-0", "demo-kafka-1"}
LIMIT = SETTINGS.pod_timeout.total_seconds()


class Waiting:
    """A wait for the nodes that do not answer now. looks: what happens at each later look, in order; the last one goes on."""

    def __init__(self, *silent: str) -> None:
        self.cluster = WatchedCluster()
        self.cluster.create()
        self.nodes = self.cluster.nodes = ReloadingNodes(self.cluster.memory)
        self.nodes.answers.silent = set(silent)
        self.asked: list[set[str]] = []
        self.work = self.cluster.work()
        self.observation = ask_nodes(self.work, observe_cluster(self.work))
        self.work.nodes = replace(self.work.nodes, look_live=self._look)
        self.step = AwaitAnswers(nodes=unanswered(self.observation.snapshot), phase=Phase.USE)
        self.begun = self.work.clock.monotonic()

    def _look(self, observation: Observation) -> object:
        self.asked.append({pod.name for pod in observation.snapshot.nodes.pods})
        self.meanwhile(len(self.asked))
        return self.nodes.answers(observation)

    def meanwhile(self, look: int) -> None:
        """Nothing happens."""

    def wait(self) -> list[Action]:
        carry_out(self.step, self.observation, self.work)
        return self.work.actions

    @property
    def seconds(self) -> float:
        return self.work.clock.monotonic() - self.begun


@pytest.fixture
def one() -> Waiting:
    return Waiting("demo-kafka-1")


def test_only_who_has_not_answered_is_asked_until_it_does(one: Waiting) -> None:
    one.meanwhile = lambda look: one.nodes.answers.silent.difference_update({"demo-kafka-1"} if look == 3 else ())
    (action,) = one.wait()
    assert one.asked == [{"demo-kafka-1"}] * 3
    assert (action.verb, action.object, action.phase) == ("wait", "Pod kafka/demo-kafka-1", "use")
    assert action.seconds == one.seconds > 0


def test_a_node_whose_process_is_replaced_is_not_asked_any_more(one: Waiting) -> None:
    """Its successor is asked with all others."""
    one.meanwhile = lambda look: one.cluster.restart("demo-kafka-1") if look == 2 else None
    one.wait()
    assert one.asked == [{"demo-kafka-1"}] * 2


def test_a_node_that_hangs_for_ever_is_named_at_last(one: Waiting, golden: GoldenFiles) -> None:
    with pytest.raises(NodesSilent) as caught:
        one.wait()
    assert caught.value.uids == one.step.uids
    golden.compare_said("rolls", caught.value)
    assert LIMIT <= one.seconds < LIMIT + 5


def test_of_many_silent_nodes_some_are_named() -> None:
    nodes = tuple(Unanswered(f"n-{number}", f"uid-{number}", "", "timed out") for number in range(500))
    error = silence_error(nodes, timedelta(minutes=1), WatchedCluster().work())
    assert (error.object.count("timed out"), len(error.uids)) == (5, 500)


def test_the_time_begins_again_with_each_that_answers() -> None:
    """A roll of the operator takes as long as it takes."""
    both = Waiting(*NODES)
    answers = both.nodes.answers.silent

    def meanwhile(look: int) -> None:
        if both.seconds >= LIMIT - 10 and len(answers) == 2:
            answers.remove("demo-kafka-0")

    both.meanwhile = meanwhile
    with pytest.raises(NodesSilent) as caught:
        both.wait()
    assert caught.value.uids == {node.uid for node in both.step.nodes if node.pod == "demo-kafka-1"}
    assert 2 * LIMIT - 15 <= both.seconds < 2 * LIMIT
    assert both.asked[0] == NODES
    assert both.asked[-1] == {"demo-kafka-1"}


def test_a_wait_for_answers_renews_the_lease(one: Waiting) -> None:
    alive: list[float] = []
    one.work.renew_lease = lambda: alive.append(one.seconds)
    with pytest.raises(NodesSilent):
        one.wait()
    assert max(b - a for a, b in pairwise(alive)) <= 5


def test_where_no_node_can_be_asked_any_more_the_wait_ends(one: Waiting) -> None:
    one.work.nodes = replace(one.work.nodes, look_live=lambda observation: None)
    assert [action.verb for action in one.wait()] == ["wait"]


def test_a_dry_run_only_says_so(one: Waiting) -> None:
    one.work.dry_run = True
    assert [(action.verb, action.seconds) for action in one.wait()] == [("wait", None)]
    assert one.asked == []

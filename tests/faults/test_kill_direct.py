# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flows that restart nodes themselves, in a pause of the operator, killed at any write: the next run goes on, with the same strategy or with the
operator's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._rollout import admin
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Strategy

from ..flows.cases import Case
from ..tools.support.kafka import FakeKafka, FakeTopic
from .conftest import Points
from .courses import Row, assert_killed_and_run_again, rows
from .stories import Story, Telling


@dataclass(frozen=True)
class DirectStory(Story):
    #: The strategy of the run after the kill.
    then: Strategy = Strategy.DIRECT

    def __str__(self) -> str:
        return f"{super().__str__()}, direct, then {self.then.value}"

    def begin(self, patch: pytest.MonkeyPatch) -> Telling:
        begun = super().begin(patch)
        memory, topics = begun.cluster.memory, [FakeTopic("orders", (0, 1), 1)]
        kafka = FakeKafka(memory.api, lambda: memory.seconds, {0: "cb", 1: "cb"}, topics, active=1)
        patch.setattr(admin, "connect_to", lambda _bootstrap: lambda _observation: kafka)
        begun.cluster.strategy = Strategy.DIRECT
        return DirectTelling(self, begun.flow, kafka, self.then)


@dataclass
class DirectTelling(Telling):
    kafka: FakeKafka
    then: Strategy

    def assert_paid(self) -> None:
        """The restarts of the table of costs; a pause for them may be one more."""
        assert self.cluster.rolls == {self.restarts}
        assert self.kafka.harm == []

    def go_on(self) -> dict[str, Any]:
        self.cluster.strategy = self.then
        state = super().go_on()
        # The double of the operator asks no Kafka.
        assert self.kafka.harm == [] or self.then is Strategy.OPERATOR
        return state


UNLINKED = Case(Goal.REPLACE_KEY, "unlinked")
_STORIES: list[Row] = [
    DirectStory(Case(Goal.REPLACE_KEY), reload=True),
    DirectStory(UNLINKED),
    DirectStory(UNLINKED, then=Strategy.OPERATOR),
]


@pytest.mark.parametrize("row", rows(_STORIES))
def test_killed_at_any_write_and_run_again(row: Row, points: Points, monkeypatch: pytest.MonkeyPatch) -> None:
    # Few of the writes belong to the pause.
    assert_killed_and_run_again(row.begin(monkeypatch), points.at_least_each(4).all())

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flows whose operator refuses what they store, killed at each write, also while they wait for its verdict: nothing is done before it is content,
and then everything is as ever.
"""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..flows.cases import Case
from ..tools.operator.authority import EMPTY_CERTIFICATE, ReconcileFailed
from .conftest import Points
from .courses import assert_alike, kill
from .stories import LEAVES_AFTER_A_REPLACEMENT, Story, Telling


def _refused(telling: Telling) -> None:
    """From the first write of the flow on, the operator ends each reconcile with this failure."""
    cluster, writes = telling.cluster, len(telling.cluster.memory.api.writes)

    def refuse() -> None:
        if len(cluster.memory.api.writes) > writes:
            raise ReconcileFailed("RuntimeException", EMPTY_CERTIFICATE)

    cluster.memory.operator.having_reconciled = refuse


def _content(telling: Telling) -> None:
    """Its next periodic reconcile."""
    memory = telling.cluster.memory
    memory.operator.having_reconciled = lambda: None
    memory.seconds += 180
    memory.settle(1)


@pytest.mark.parametrize(
    "story",
    [
        pytest.param(one, id=str(one), marks=marks)
        for one, marks in (
            (Story(Case(Goal.RENEW), reload=True), ()),
            (LEAVES_AFTER_A_REPLACEMENT, ()),
            (Story(Case(Goal.REPLACE_KEY), reload=True), pytest.mark.long),
            (Story(Case(Goal.RENEW)), pytest.mark.long),
        )
    ],
)
def test_killed_at_any_write_while_the_operator_refuses(
    story: Story, points: Points, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = story.begin(monkeypatch)
    plain.complete()
    wanted = plain.end_state()
    telling = story.begin(monkeypatch)
    cluster = telling.cluster
    _refused(telling)

    def go_on() -> tuple[bool, dict[str, Any]]:
        """Whether the verdict held the next call, and how everything ends."""
        decision = telling.run().outcome.decision
        assert not decision.done
        assert not cluster.paused
        held = Condition.VERDICT in {one.condition for one in decision.violations}
        _content(telling)
        return held, telling.go_on()

    assert_alike(kill(cluster, points.all(), telling.run, go_on), (True, wanted))
    assert go_on() == (True, wanted)

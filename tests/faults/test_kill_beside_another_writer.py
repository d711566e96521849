# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A flow is killed at each write, and the next call meets a program that writes back what it knows: it ends, restarts nothing beyond its plan,
and without that program the flow comes to its end.
"""

from __future__ import annotations

from collections import Counter

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.engine import run
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect, plan
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..flows.cases import Case
from ..tools.support.other_hands import WriterBack
from ..tools.support.watched_cluster import CERTIFICATES, KEYS, LEDGER, NAMESPACE
from .conftest import Points
from .courses import kill
from .stories import SHORT

STORY = next(story for story in SHORT if story.case == Case(Goal.REPLACE_KEY))


@pytest.mark.parametrize("name", [CERTIFICATES, KEYS, LEDGER])
def test_killed_anywhere_and_met_by_another_writer(name: str, points: Points, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other program knows the object as the kill has left it."""
    telling = STORY.begin(monkeypatch)
    cluster = telling.cluster

    def meet() -> None:
        cluster.look_elsewhere()
        other = WriterBack(cluster.memory.api, "secrets", NAMESPACE, name)
        work, intent = cluster.work(telling.flow.supplied), telling.flow.asked()
        planned = plan(work, inspect(work, intent), intent)
        cluster.memory.neighbours.append(other.look)
        decision = run(work, intent, lambda: None).decision
        assert decision.done or decision.violations
        restarts = Counter(one.target.name for one in work.actions if one.verb == "restart")
        most = Counter(node for step in planned.steps for node in step.nodes)
        assert all(restarts[node] <= most[node] for node in cluster.memory.kubelet.nodes)

    kill(cluster, points.all(), telling.complete, meet)

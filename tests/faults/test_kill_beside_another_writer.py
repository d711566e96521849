# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A flow is killed at each write, and the next call meets a program that writes back what it knows: it ends, restarts nothing beyond its plan,
and without that program the flow comes to its end. Where the operator itself puts back a leaf while restarts are awaited, everything is as ever.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.engine import run
from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect, plan
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..tools.support.killing import Killed, KillingTransport
from ..tools.support.other_hands import PutBack, WriterBack
from ..tools.support.watched_cluster import CERTIFICATES, KEYS, LEDGER, NAMESPACE
from .conftest import Points
from .stories import SHORT, Case, Story, Telling
from .test_kill_anywhere import assert_killed_at, undisturbed

STORY = next(story for story in SHORT if story.case == Case(Goal.REPLACE_KEY))


def killed_and_met(story: Story, number: int, name: str, patch: pytest.MonkeyPatch) -> bool:
    """Whether there was a write of this number. The other program knows the object as the kill has left it."""
    telling = story.begin(patch)
    cluster = telling.cluster
    cluster.permitted = KillingTransport(cluster.memory.api, number, True)
    try:
        telling.complete()
    except Killed:
        pass
    else:
        return False
    cluster.permitted = cluster.memory.api
    cluster.look_elsewhere()
    other = WriterBack(cluster.memory.api, "secrets", NAMESPACE, name)
    work, intent = cluster.work(telling.flow.supplied), telling.flow.asked()
    planned = plan(work, inspect(work, intent), intent)
    cluster.memory.neighbours.append(other.look)
    decision = run(work, intent, lambda: None).decision
    assert decision.done or decision.violations
    restarts = Counter(one.object.rpartition("/")[2] for one in work.actions if one.verb == "restart")
    most = Counter(node for step in planned.steps for node in step.nodes)
    assert all(restarts[node] <= most[node] for node in cluster.memory.kubelet.nodes), (
        f"{name}, killed at write {number}"
    )
    return True


@pytest.mark.parametrize("name", [CERTIFICATES, KEYS, LEDGER])
def test_killed_anywhere_and_met_by_another_writer(name: str, points: Points, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in points.endless():
        if not killed_and_met(STORY, number, name, monkeypatch):
            break
    assert number > 10


@dataclass(frozen=True)
class PuttingBack(Story):
    """The operator puts back the leaves of a node and of the exporter: it has no reason to restart them then. operators: of every time that it was
    begun.
    """

    operators: list[PutBack] = field(default_factory=list, compare=False)

    def begin(self, patch: pytest.MonkeyPatch) -> Telling:
        begun = super().begin(patch)
        self.operators.append(PutBack(begun.cluster.memory, "demo-kafka-0", "demo-kafka-exporter-certs"))
        return begun


@pytest.mark.parametrize("moment", ["after", pytest.param("before", marks=pytest.mark.long)])
def test_killed_anywhere_where_the_operator_puts_back_what_it_had_read(
    moment: str, points: Points, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Restarts are over in the first half of the writes."""
    story = PuttingBack(Case(Goal.REPLACE_KEY), reload=True)
    writes, wanted = undisturbed(story, monkeypatch)
    assert_killed_at(story, points.to(writes // 2), moment == "after", wanted, monkeypatch)
    assert [one.done for one in story.operators] == [True, True]

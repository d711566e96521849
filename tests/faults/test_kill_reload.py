# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flows whose nodes read again, killed before and after every request to a node, then run again.

Beside it the control: what Raft clients and agents were started with is really looked at.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase

from ..flows.cases import PATIENT_REPLACEMENTS, Case
from ..tools.support.checker import InvariantBroken
from ..tools.support.engines import leaving_open
from ..tools.support.killing import Killed, KillingTransport
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.watched_cluster import WatchedCluster
from .conftest import Points
from .stories import AT_LAST, RESTARTED, Story

UNLINKED = Case(Goal.REPLACE_KEY, "unlinked")
STORIES = [
    *(
        Story(case, reload=True)
        for case in (Case(Goal.REPLACE_KEY), UNLINKED, Case(Goal.RENEW), Case(Goal.RENEW_LEAVES))
    ),
    *(Story(case, follows, reload=True) for case in PATIENT_REPLACEMENTS for follows in (RESTARTED, AT_LAST)),
]


@dataclass
class Deadly:
    """Called with each request to a node; at the last of ``left`` the process is gone, whatever it would still write."""

    left: int
    transport: KillingTransport

    def __call__(self, _pod: str) -> None:
        self.left -= 1
        if not self.left:
            self.transport.killed = True
            raise Killed


def nodes_of(cluster: WatchedCluster) -> ReloadingNodes:
    assert cluster.nodes
    return cluster.nodes


def undisturbed(story: Story, patch: pytest.MonkeyPatch) -> tuple[int, dict[str, Any]]:
    """How many requests it takes, and how it ends."""
    telling = story.begin(patch)
    telling.complete()
    requests = len(nodes_of(telling.cluster).told)
    assert requests == telling.cost.reloads * len(telling.cluster.memory.kubelet.nodes)
    return requests, telling.end_state()


def killed_at(story: Story, number: int, moment: str, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Kill around one request, let the cluster go on for a while, run again."""
    telling = story.begin(patch)
    cluster, nodes = telling.cluster, nodes_of(telling.cluster)
    cluster.permitted = KillingTransport(cluster.memory.api)
    setattr(nodes, moment, Deadly(number, cluster.permitted))
    with pytest.raises(Killed):
        telling.complete()
    nodes.before = nodes.after = lambda pod: None
    return telling.go_on()


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("story", STORIES, ids=str)
def test_killed_at_any_request_to_a_node(
    story: Story, moment: str, points: Points, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests, wanted = undisturbed(story, monkeypatch)
    for number in points.to(requests):
        assert killed_at(story, number, moment, monkeypatch) == wanted, f"{moment} request {number}"


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
    telling.flow.run(until=Phase.PREPARE)
    read_again(telling.cluster)
    telling.cluster.engine = leaving_open("trust", "alone")
    with pytest.raises(InvariantBroken, match=r"the (Raft client|agent) of"):
        telling.flow.run()

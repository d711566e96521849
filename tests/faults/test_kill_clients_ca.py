# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Flows on the clients CA, killed before and after each of their writes and of their requests to a broker, then run again: no user is
refused, and the end is the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Layout

from ..flows.test_clients_ca_unused import without_users
from ..flows.test_users_in_batches import without_keystores
from ..tools.operator import clusters
from ..tools.support.clients_cluster import CERTIFICATES, KEYS, ClientsCluster
from ..tools.support.flows import FlowResult
from ..tools.support.killing import ForkingTransport, Killed, KillingTransport
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.watched_cluster import CLUSTER
from .conftest import Points
from .stories import have_fast_keys
from .test_kill_reload import Deadly


@dataclass(frozen=True)
class ClientsStory:
    """reload: listeners can be told to read again. batch: how many users are served at a time. keystores: whether the User Operator makes
    PKCS#12 files; an operator that does not looks at all users after every write of a CA, of whom one is to be issued anew. operated: whether there is a
    User Operator, users, and a listener that verifies them. layout: of the ledger.
    """

    goal: Goal
    reload: bool = True
    batch: int | None = None
    keystores: bool = True
    operated: bool = True
    layout: Layout = Layout.SINGLE

    def __str__(self) -> str:
        how = ["reload" if self.reload else "restart"]
        how += [f"{self.batch} at a time"] * bool(self.batch) + ["no PKCS#12"] * (not self.keystores)
        how += ["no users"] * (not self.operated)
        how += [self.layout.value] * (self.layout is not Layout.SINGLE)
        return ", ".join((self.goal.value, *how))

    def begin(self, patch: pytest.MonkeyPatch) -> ClientsCluster:
        cluster = ClientsCluster()
        have_fast_keys(cluster, patch)
        if self.reload:
            cluster.nodes = ReloadingNodes(cluster.memory)
            cluster.nodes.replace_requests(patch)
        if self.goal is Goal.CREATE:
            cluster.ca = CaKind.CLUSTER
            cluster.run(Goal.CREATE)
            cluster.ca = CaKind.CLIENTS
            return cluster
        if not self.operated:
            without_users(cluster)
            _finished(cluster.run(Goal.UPGRADE))
        elif self.keystores:
            cluster.begin(generated=self.goal is Goal.UPGRADE)
        else:
            without_keystores(cluster, "false")
        if self.layout is not Layout.SINGLE:
            _finished(cluster.run(Goal.RECONCILE))
            cluster.run(Goal.RECONCILE, layout=self.layout)
        if self.goal is Goal.DOWNGRADE:
            _finished(cluster.run(Goal.UPGRADE))
        if self.goal in (Goal.RENEW, Goal.REPLACE_KEY):
            cluster.checker.plant_foreign(CERTIFICATES, KEYS)
        return cluster


def _finished(result: FlowResult) -> None:
    assert result.outcome.decision.done, [str(violation) for violation in result.outcome.decision.violations]


def end_state(cluster: ClientsCluster) -> dict[str, Any]:
    """Everything but the random parts."""
    marks = ("ca-cert-generation", "ca-key-generation")
    return {
        "certificates": sorted(key for key in cluster.secret(CERTIFICATES) if key.endswith(".crt")),
        "keys": sorted(map(len, cluster.secret(KEYS))),
        "states": sorted(cluster.states.values()),
        "generations": [
            cluster.annotation("secrets", name, mark) for name, mark in zip((CERTIFICATES, KEYS), marks, strict=True)
        ],
        "paused": cluster.paused,
        "generated": cluster.kafka["spec"]["clientsCa"],
        "accepted": len(cluster.accepted),
        "issuers": len(cluster.issuers()),
    }  # fmt: skip


def complete(cluster: ClientsCluster, story: ClientsStory) -> None:
    _finished(cluster.run(story.goal, user_batch=story.batch))
    if story.goal is Goal.CREATE and not cluster.kafka:
        pool, kafka = clusters.dual_role(CLUSTER, "kafka", replicas=2, generated=False)
        kafka["spec"]["clientsCa"] = {"generateCertificateAuthority": False}
        cluster.deploy([pool, kafka])
        cluster.add("orders")
        _finished(cluster.run(story.goal))


def go_on(cluster: ClientsCluster, story: ClientsStory) -> dict[str, Any]:
    cluster.permitted = cluster.memory.api
    if cluster.kafka:
        cluster.memory.settle(2)
    complete(cluster, story)
    if story.reload:
        assert cluster.rolls == {0}
    return end_state(cluster)


STORIES = [
    *(ClientsStory(goal) for goal in (Goal.REPLACE_KEY, Goal.RENEW, Goal.UPGRADE, Goal.DOWNGRADE)),
    ClientsStory(Goal.CREATE),
    ClientsStory(Goal.REPLACE_KEY, keystores=False),
    ClientsStory(Goal.REPLACE_KEY, operated=False),
]
#: In batches a killed run is gone on with by one that knows nothing of them, in every run of the tests (flows/test_users_in_batches.py).
_LONG = [
    ClientsStory(Goal.REPLACE_KEY, batch=1),
    ClientsStory(Goal.REPLACE_KEY, reload=False),
    ClientsStory(Goal.RENEW, batch=1),
    ClientsStory(Goal.RENEW, keystores=False),
    ClientsStory(Goal.REPLACE_KEY, reload=False, batch=1),
    ClientsStory(Goal.REPLACE_KEY, reload=False, keystores=False),
    *(ClientsStory(Goal.REPLACE_KEY, layout=layout) for layout in (Layout.SPLIT, Layout.KEYED)),
]


@pytest.mark.parametrize("after", [True, pytest.param(False, marks=pytest.mark.long)], ids=["after", "before"])
@pytest.mark.parametrize(
    "story",
    [
        *(pytest.param(one, id=str(one)) for one in STORIES),
        *(pytest.param(one, id=str(one), marks=pytest.mark.long) for one in _LONG),
    ],
)
def test_killed_at_any_write(story: ClientsStory, after: bool, points: Points, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before a write is after the one before it, but for what the cluster does meanwhile."""
    cluster = story.begin(monkeypatch)
    counter = cluster.permitted = KillingTransport(cluster.memory.api)
    complete(cluster, story)
    wanted = end_state(cluster)
    killed, numbers = story.begin(monkeypatch), points.to(counter.writes)
    transport = killed.permitted = ForkingTransport(killed.memory.api, numbers, after)

    def end() -> None:
        assert go_on(killed, story) == wanted

    assert transport.kill_copies(lambda: complete(killed, story), end) == numbers


@pytest.mark.parametrize("moment", ["after", pytest.param("before", marks=pytest.mark.long)])
def test_killed_at_any_request_to_a_broker(moment: str, points: Points, monkeypatch: pytest.MonkeyPatch) -> None:
    story = ClientsStory(Goal.REPLACE_KEY)
    cluster = story.begin(monkeypatch)
    complete(cluster, story)
    assert cluster.nodes
    requests, wanted = len(cluster.nodes.told), end_state(cluster)
    for number in points.to(requests):
        cluster = story.begin(monkeypatch)
        assert cluster.nodes
        cluster.permitted = KillingTransport(cluster.memory.api)
        setattr(cluster.nodes, moment, Deadly(number, cluster.permitted))
        with pytest.raises(Killed):
            complete(cluster, story)
        cluster.nodes.before = cluster.nodes.after = lambda pod: None
        assert go_on(cluster, story) == wanted, f"request {number}"

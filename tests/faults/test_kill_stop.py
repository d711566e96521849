# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A flow that is to stop for an approval, killed at each of its writes: whatever a schedule runs next goes on with it as far as that stop, and never
past it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate, parse_chain
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import journal as stops
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Journal, Layout

from ..flows.cases import LATER, Case, Flow
from ..flows.test_abort import assert_undone
from ..tools.support.certificates import YEAR
from ..tools.support.clients_cluster import ClientsCluster
from ..tools.support.memory_api import Change
from ..tools.support.watched_cluster import WatchedCluster, entries
from .conftest import Points
from .courses import kill
from .stories import Story, with_nodes

#: All that a nightly reconcile and its neighbours call.
NIGHTLY: tuple[dict[str, Any], ...] = (
    {"goal": Goal.RECONCILE},
    {"goal": Goal.CREATE},
    {"goal": Goal.RENEW_LEAVES, "renew_before": timedelta(days=400)},
)


@dataclass(frozen=True)
class Stopped:
    """A flow that is to stop after this phase."""

    story: Story
    after: Phase
    #: Whether the flow is about the clients CA.
    users: bool = False

    def __str__(self) -> str:
        return f"{'users' if self.users else 'nodes'}, {self.story}, {self.after.value}"

    def begin(self, patch: pytest.MonkeyPatch) -> Flow:
        if not self.users:
            return self.story.begin(patch).flow
        cluster = ClientsCluster()
        with_nodes(cluster, patch, reload=False)
        cluster.begin()
        return Flow(cluster, self.story.case)

    def run(self, flow: Flow) -> None:
        flow.run(last_phase=self.after, stop_after=self.after)


class Watch:
    """Sees whether the next CA comes into use, or the one in use leaves, before a flow may do so."""

    def __init__(self, cluster: WatchedCluster, after: Phase) -> None:
        self.old, self.after, self.passed = cluster.current, after, list[str]()
        self._certificates = f"demo-{cluster.ca.value}-ca-cert"
        cluster.memory.api.listeners.append(self)
        self.cluster, self.counts = cluster, cluster.counts()

    def __call__(self, change: Change) -> None:
        if change.plural != "secrets" or change.new is None:
            return
        data = entries(change.new)
        if change.name == self._certificates:
            held = {parse_chain(one)[0].fingerprint for key, one in data.items() if key.endswith(".crt")}
            if self.old not in held:
                self.passed.append("the old CA has left")
        if self.after is Phase.USE:
            return
        if change.name == self._certificates and parse_chain(data["ca.crt"])[0].fingerprint != self.old:
            self.passed.append("the operator was switched")
        leaves = (parse_chain(one)[0] for key, one in data.items() if key.endswith(".crt") and one)
        if any(leaf.signed_by(one) for leaf in leaves if not leaf.is_ca for one in self._next()):
            self.passed.append(f"{change.name} contains a leaf of the next CA")

    def _next(self) -> list[Certificate]:
        """CAs that are prepared; a renewal has the name and the key of the CA in use."""
        keys = self.cluster.secret(f"demo-{self.cluster.ca.value}-ca")
        prepared = (parse_chain(keys[f"{one}.crt"])[0] for one in self.cluster.prepared)
        own = parse_chain(self.cluster.secret(self._certificates)["ca.crt"])[0]
        return [one for one in prepared if not one.stands_in_for(own)]

    def assert_not_past(self) -> None:
        assert self.passed == []
        if self.after is Phase.PREPARE:
            assert self.cluster.counts() == self.counts


LINKED, UNLINKED, RENEWAL = Case(Goal.REPLACE_KEY), Case(Goal.REPLACE_KEY, "unlinked"), Case(Goal.RENEW)
SHORT = [
    Stopped(Story(LINKED), Phase.PREPARE),
    Stopped(Story(LINKED, reload=True), Phase.TRUST),
    Stopped(Story(UNLINKED), Phase.TRUST),
    Stopped(Story(LINKED), Phase.USE),
    Stopped(Story(RENEWAL, reload=True), Phase.TRUST),
    Stopped(Story(LINKED), Phase.TRUST, users=True),
]
LONG = [
    *(Stopped(Story(case, reload=reload), after) for case in (LINKED, UNLINKED, RENEWAL) for reload in (False, True) for after in Phase),
    *(Stopped(Story(LINKED, layout=layout), after) for layout in (Layout.SPLIT, Layout.KEYED) for after in (Phase.PREPARE, Phase.TRUST)),
    *(Stopped(Story(case), after, users=True) for case in (LINKED, RENEWAL) for after in (Phase.PREPARE, Phase.TRUST)),
]  # fmt: skip
ALL = [
    *(pytest.param(one, id=str(one)) for one in SHORT),
    *(pytest.param(one, id=str(one), marks=pytest.mark.long) for one in LONG if one not in SHORT and one.after is not Phase.RETIRE),
]  # fmt: skip


@pytest.mark.parametrize("after", [True, pytest.param(False, marks=pytest.mark.long)])
@pytest.mark.parametrize("stopped", ALL)
def test_killed_at_any_write_it_is_led_no_further_by_a_schedule(
    stopped: Stopped, after: bool, points: Points, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before a write is after the one before it, but for what the cluster does meanwhile."""
    flow = stopped.begin(monkeypatch)
    cluster, watch = flow.cluster, Watch(flow.cluster, stopped.after)

    def then() -> None:
        for night in NIGHTLY:
            cluster.run(**night)
            cluster.memory.settle(2)
        watch.assert_not_past()
        # Its own call goes on, or begins where nothing was left of it.
        cluster.memory.api.listeners.remove(watch)
        flow.finish()
        assert cluster.current != watch.old

    kill(cluster, points.all(), lambda: stopped.run(flow), then, after=after)
    then()


@pytest.mark.parametrize("reload", [True, False])
@pytest.mark.parametrize("after", [Phase.PREPARE, Phase.TRUST])
def test_a_schedule_that_is_killed_at_any_write_leads_it_no_further(
    after: Phase, reload: bool, points: Points, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It renews the certificates of the CA in use, in a pause where nodes read them again. Undone in the end."""
    cluster = WatchedCluster(validity=10 * YEAR)
    with_nodes(cluster, monkeypatch, reload=reload)
    cluster.create()
    cluster.memory.seconds += LATER
    cluster.run(Goal.REPLACE_KEY, last_phase=after, stop_after=after)
    # Without a reload it makes a few writes only.
    often = Points(1, min(points.step, 4))
    watch = Watch(cluster, Phase.TRUST)

    def then() -> None:
        for night in NIGHTLY:
            cluster.run(**night)
        watch.assert_not_past()
        cluster.memory.api.listeners.remove(watch)
        cluster.finish(Goal.ABORT)
        assert_undone(cluster, watch.old)

    kill(cluster, often.all(), lambda: cluster.run(**NIGHTLY[-1]), then)
    then()


def _lead_all(intent: Intent, journal: Journal) -> bool:
    return True


def test_it_is_seen_where_every_call_leads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the silence of the tests above means nothing."""
    stopped = SHORT[0]
    flow = stopped.begin(monkeypatch)
    watch = Watch(flow.cluster, stopped.after)
    stopped.run(flow)
    monkeypatch.setattr(
        "ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide.may_lead_flow", _lead_all
    )
    flow.cluster.run(Goal.RECONCILE)
    assert stops.may_lead_flow is not _lead_all
    assert watch.passed

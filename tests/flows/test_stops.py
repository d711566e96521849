# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A flow that is to stop for an approval stays there, whatever else runs on the cluster, until it is led on."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.cluster.node_pools import Growth
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.names import CaKind
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Layout
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.pools import Scaling
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot

from ..tools.support.certificates import YEAR
from ..tools.support.clients_cluster import ClientsCluster
from ..tools.support.flows import FlowResult
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.watched_cluster import WatchedCluster, assert_only
from .cases import DAY, LATER, Case, Flow
from .test_abort import assert_undone

LINKED, UNLINKED, RENEWAL = Case(Goal.REPLACE_KEY), Case(Goal.REPLACE_KEY, "unlinked"), Case(Goal.RENEW)
STOPS = [
    pytest.param(case, after, id=f"{case}, {after.value}")
    for case in (LINKED, UNLINKED, RENEWAL)
    for after in (Phase.PREPARE, Phase.TRUST, Phase.USE)
]
#: Calls that a schedule may make, and those that go further by themselves.
OTHERS: dict[str, dict[str, Any]] = {
    "reconcile": {"goal": Goal.RECONCILE},
    "present": {"goal": Goal.CREATE},
    "renewed leaves": {"goal": Goal.RENEW_LEAVES},
    "trusted": {"goal": Goal.RECONCILE, "last_phase": Phase.TRUST},
    "issued": {"goal": Goal.RECONCILE, "last_phase": Phase.USE},
}


def stopped(flow: Flow, after: Phase) -> FlowResult:
    return flow.run(last_phase=after, stop_after=after)


def seen(result: FlowResult) -> Snapshot:
    return result.outcome.observation.snapshot


def after_of(result: FlowResult) -> Phase | None:
    """Where the flow stops by its journal."""
    ledger = seen(result).ledger
    stop = ledger.journal.options.stop if ledger is not None and ledger.journal is not None else None
    return stop.after if stop else None


@pytest.mark.parametrize(("case", "after"), STOPS)
def test_no_other_call_goes_past_a_stop_and_its_own_goes_on(cluster: WatchedCluster, case: Case, after: Phase) -> None:
    flow = case.begin(cluster)
    old = cluster.current
    asked = stopped(flow, after)
    assert (after_of(asked), asked.outcome.decision.stop) == (after, None)
    cluster.memory.settle(2)
    where, counts = cluster.states, cluster.counts()
    for other in OTHERS.values():
        held = cluster.run(**other)
        assert (cluster.writes, cluster.states, cluster.counts()) == (0, where, counts)
        decision = held.outcome.decision
        assert (decision.done, decision.violations, decision.stop and decision.stop.after) == (True, (), after)
    flow.finish()
    assert cluster.current != old
    assert_only(cluster, cluster.current, twins={old} if case is RENEWAL else set())
    assert cluster.paid == flow.cost
    assert after_of(flow.run()) is None


def test_another_rotation_does_not_begin(cluster: WatchedCluster) -> None:
    stopped(LINKED.begin(cluster), Phase.PREPARE)
    refused = cluster.run(Goal.RENEW)
    assert [one.condition for one in refused.outcome.decision.violations] == [Condition.NOT_STOPPED]
    assert cluster.writes == 0


def test_a_replacement_does_not_lead_on_a_renewal_that_stops_for_an_approval(cluster: WatchedCluster) -> None:
    """Its key is another approval's."""
    flow = RENEWAL.begin(cluster)
    stopped(flow, Phase.PREPARE)
    refused = cluster.run(Goal.REPLACE_KEY).outcome.decision
    assert [one.condition for one in refused.violations] == [Condition.NOT_STOPPED]
    assert "state=renewed" in refused.violations[0].remedy
    assert cluster.writes == 0
    cluster.finish(Goal.REPLACE_KEY, continue_stopped=True)
    assert_only(cluster, cluster.current)


@pytest.mark.parametrize("layout", Layout)
def test_every_layout_of_the_ledger_keeps_it(cluster: WatchedCluster, layout: Layout) -> None:
    flow = LINKED.begin(cluster)
    cluster.run(Goal.RECONCILE, layout=layout)
    stopped(flow, Phase.PREPARE)
    for other in Layout:
        assert after_of(cluster.run(Goal.RECONCILE, layout=other)) is Phase.PREPARE
    assert set(cluster.counts().values()) == {0}


def test_a_stopped_flow_is_led_on_phase_by_phase_and_its_stop_may_be_brought_forward(cluster: WatchedCluster) -> None:
    flow = UNLINKED.begin(cluster)
    stopped(flow, Phase.PREPARE)
    stopped(flow, Phase.USE)
    stopped(flow, Phase.TRUST)
    assert after_of(cluster.run(Goal.RECONCILE)) is Phase.TRUST
    assert after_of(cluster.run(Goal.RECONCILE, stop_after=Phase.PREPARE)) is Phase.PREPARE
    assert after_of(cluster.run(Goal.RECONCILE, stop_after=Phase.USE)) is Phase.PREPARE
    flow.finish()


def test_any_call_leads_it_on_that_says_so(cluster: WatchedCluster) -> None:
    flow = LINKED.begin(cluster)
    stopped(flow, Phase.PREPARE)
    led = cluster.run(Goal.RECONCILE, continue_stopped=True)
    assert led.outcome.decision.done
    assert_only(cluster, cluster.current)


@pytest.mark.parametrize("after", [Phase.PREPARE, Phase.TRUST, Phase.USE])
def test_a_stopped_flow_can_be_undone(cluster: WatchedCluster, nodes: ReloadingNodes, after: Phase) -> None:
    flow = LINKED.begin(cluster)
    old = cluster.current
    stopped(flow, after)
    cluster.finish(Goal.ABORT)
    assert_undone(cluster, old)


def test_an_abort_stops_as_well(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    flow = LINKED.begin(cluster)
    old = cluster.current
    flow.run(last_phase=Phase.USE)
    cluster.run(Goal.ABORT, last_phase=Phase.PREPARE, stop_after=Phase.PREPARE)
    where = cluster.states
    held = cluster.run(Goal.RECONCILE)
    assert (cluster.writes, cluster.states, after_of(held)) == (0, where, Phase.PREPARE)
    cluster.finish(Goal.ABORT)
    assert_undone(cluster, old)


def test_leaves_of_the_ca_in_use_are_renewed_meanwhile(cluster: WatchedCluster) -> None:
    """And nothing else: they are of the old CA, and one restart takes them up."""
    cluster.validity = 10 * YEAR
    cluster.create()
    cluster.memory.seconds += LATER
    cluster.look_away()
    flow, due = Flow(cluster, LINKED), {"renew_before": timedelta(days=400)}
    old = cluster.current
    stopped(flow, Phase.PREPARE)
    renewed = cluster.finish(Goal.RENEW_LEAVES, **due)
    assert after_of(renewed) is Phase.PREPARE
    assert (cluster.current, set(cluster.counts().values())) == (old, {1})
    assert {one.state.name for one in seen(renewed).ledger.entries if one.fingerprint != old} <= {
        "UNTRUSTED",
        "TRUSTED_UNUSED",
    }  # type: ignore[union-attr]
    assert cluster.issuers() == {"CN=cluster-ca v0,O=io.strimzi"}
    flow.finish()


@pytest.mark.parametrize(
    ("days", "call"),
    [(250, {"goal": Goal.RENEW_LEAVES, "renew_before": timedelta(days=150)}), (330, {"goal": Goal.RECONCILE})],
)
@pytest.mark.usefixtures("uptake")
def test_leaves_of_the_next_ca_are_renewed_while_they_are_in_use(
    cluster: WatchedCluster, days: int, call: dict[str, Any]
) -> None:
    """When they are due, and by whatever call before the operator would put leaves of the old CA in their place; it stays on that CA."""
    cluster.validity = 10 * YEAR
    cluster.create()
    flow, old = Flow(cluster, LINKED), cluster.current
    stopped(flow, Phase.PREPARE)
    cluster.validity = timedelta(days=365)
    stopped(flow, Phase.USE)
    cluster.memory.seconds += days * DAY
    cluster.look_away()
    renewed = cluster.finish(**call)
    (leaf, *_chain) = parse_certificates(cluster.secret("demo-kafka-0")["demo-kafka-0.crt"])
    assert leaf.not_after - cluster.work().clock.now() > timedelta(days=364)
    assert (after_of(renewed), cluster.current, "CN=cluster-ca v1,O=io.strimzi" in cluster.issuers()) == (
        Phase.USE,
        old,
        True,
    )
    assert cluster.rolls == {0 if cluster.nodes else 1}
    assert cluster.run(**call).outcome.decision.stop is not None
    assert cluster.writes == 0
    cluster.validity = 10 * YEAR
    flow.finish()
    assert_only(cluster, cluster.current)


def test_leaves_that_nodes_read_again_are_renewed_meanwhile(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    """In a pause, in which the next CA does not come into use although it could."""
    cluster.validity = 10 * YEAR
    cluster.create()
    cluster.memory.seconds += LATER
    cluster.look_away()
    flow, due = Flow(cluster, LINKED), {"renew_before": timedelta(days=400)}
    old = cluster.current
    stopped(flow, Phase.TRUST)
    cluster.finish(Goal.RENEW_LEAVES, **due)
    assert (cluster.current, set(cluster.counts().values()), cluster.pauses) == (old, {0}, 1)
    assert cluster.issuers() == {"CN=cluster-ca v0,O=io.strimzi"}
    flow.finish()


def test_a_pool_is_scaled_meanwhile(cluster: WatchedCluster) -> None:
    flow = LINKED.begin(cluster)
    stopped(flow, Phase.PREPARE)
    cluster.growth = Growth(0, scaling=Scaling("kafka", 3))
    scaled = cluster.run(Goal.RECONCILE, last_phase=Phase.USE, scaling=cluster.growth.scaling)
    assert (seen(scaled).pools.replicas["kafka"], after_of(scaled)) == (3, Phase.PREPARE)
    assert set(cluster.counts().values()) <= {0, 1}


@pytest.mark.parametrize("after", [Phase.PREPARE, Phase.TRUST])
def test_a_flow_on_the_other_ca_neither_is_held_nor_leads_it_on(clients_cluster: ClientsCluster, after: Phase) -> None:
    cluster = clients_cluster
    cluster.begin()
    cluster.run(Goal.REPLACE_KEY, last_phase=after, stop_after=after)
    where, users = cluster.current, cluster.states
    cluster.ca = CaKind.CLUSTER
    cluster.finish(Goal.REPLACE_KEY)
    cluster.ca = CaKind.CLIENTS
    held = cluster.run(Goal.RECONCILE)
    assert (after_of(held), cluster.current, cluster.accepted >= {where}) == (after, where, True)
    assert set(cluster.states) == set(users)
    cluster.finish(Goal.REPLACE_KEY)
    assert cluster.current != where

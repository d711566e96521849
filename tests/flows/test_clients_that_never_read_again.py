# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients that know only the CA that was in use when they started: nodes lead them to its successor as long as the link certificates are valid,
whatever is issued meanwhile (docs/design.md, "Link certificates").
"""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._engine.outcome import inspect, plan
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import CaSecrets

from ..tools.operator import certs
from ..tools.support.authorities import root
from ..tools.support.breaches import InvariantBroken
from ..tools.support.flows import START
from ..tools.support.golden import GoldenFiles
from ..tools.support.restarts import Cost
from ..tools.support.verification import refused_by_a_client
from ..tools.support.watched_cluster import CERTIFICATES, KEYS, WatchedCluster
from .cases import DAY, YEAR
from .test_abort import assert_undone
from .test_kept_elsewhere import elsewhere, moved
from .test_node_added import add_a_node

pytestmark = pytest.mark.usefixtures("uptake")
#: How certificates are taken up does not matter to it.
ONCE = pytest.mark.parametrize("uptake", [True], ids=["reload"], indirect=True)
V0, V1, V2 = (f"CN=cluster-ca v{number},O=io.strimzi" for number in range(3))
#: Subject and issuer of what nodes present behind a leaf of the second CA.
BOTH = [(V1, V0), (V0, V1), (V1, V1)]


def replaced(cluster: WatchedCluster, until: datetime | None = None, **changes: timedelta) -> bytes:
    """The first CA is replaced; returns its certificate. until: when clients are led on that know it alone. changes: how long the first CA lives, and
    the second.
    """
    cluster.validity = changes.get("first", 10 * YEAR)
    cluster.create()
    old = cluster.secret(CERTIFICATES)["ca.crt"]
    cluster.validity = changes.get("second", 10 * YEAR)
    cluster.run(Goal.REPLACE_KEY, last_phase=Phase.PREPARE, link_until=until)
    cluster.validity = YEAR
    # Leaves live shorter than the CA that an earlier run has made, of which this run asks nothing more.
    cluster.finish(Goal.REPLACE_KEY, validity=None)
    return old


def presented(cluster: WatchedCluster) -> dict[str, bytes]:
    """The chain that the listeners of each node present."""
    processes = cluster.memory.kubelet.processes.values()
    return {one.pod: one.presented[0][1] for one in processes if one.component == "kafka"}


def behind(chain: bytes) -> list[tuple[str, str]]:
    """Subject and issuer of each certificate behind the leaf."""
    return [(one.subject.rfc4514_string(), one.issuer.rfc4514_string()) for one in certs.load(chain)[1:]]


def assert_presented(cluster: WatchedCluster, expected: list[tuple[str, str]]) -> None:
    for pod, chain in presented(cluster).items():
        assert behind(chain) == behind(cluster.secret(pod)[f"{pod}.crt"]) == expected, pod


def assert_served(cluster: WatchedCluster, authority: bytes) -> None:
    for pod, chain in presented(cluster).items():
        assert refused_by_a_client(chain, [authority]) == "", pod


def test_clients_that_never_read_again_are_served_after_the_switch(cluster: WatchedCluster) -> None:
    old = replaced(cluster)
    assert_presented(cluster, BOTH)
    assert_served(cluster, old)
    assert_served(cluster, cluster.secret(CERTIFICATES)["ca.crt"])
    cluster.run(Goal.RECONCILE)
    assert cluster.writes == 0


@pytest.mark.parametrize("goal", [Goal.RENEW_LEAVES, Goal.RENEW, Goal.DOWNGRADE], ids=lambda goal: goal.value)
def test_clients_that_never_read_again_are_served_after_another_flow(cluster: WatchedCluster, goal: Goal) -> None:
    """Nothing but the key Secret tells it of the replacement. The checker asks after every write."""
    old = replaced(cluster)
    cluster.memory.seconds += 200 * DAY
    due = {"renew_before": timedelta(days=400)} if goal is Goal.RENEW_LEAVES else {}
    before = {certs.load(chain)[0].serial_number for chain in presented(cluster).values()}
    cluster.finish(goal, **due)
    after = {certs.load(chain)[0].serial_number for chain in presented(cluster).values()}
    assert bool(before & after) is (goal is Goal.DOWNGRADE)
    assert_presented(cluster, BOTH)
    assert_served(cluster, old)


def test_clients_that_never_read_again_are_served_while_the_next_flow_is_undone(cluster: WatchedCluster) -> None:
    """Until the CA after the next is put to use, and again when it is given up."""
    old = replaced(cluster)
    cluster.run(Goal.REPLACE_KEY, last_phase=Phase.TRUST, replaces=cluster.current)
    assert_served(cluster, old)
    cluster.run(Goal.REPLACE_KEY, last_phase=Phase.USE, replaces=cluster.current)
    cluster.finish(Goal.ABORT)
    assert_presented(cluster, BOTH)
    assert_served(cluster, old)


def test_the_next_replacement_has_link_certificates_of_its_own(cluster: WatchedCluster, golden: GoldenFiles) -> None:
    """It leads from the CA that it replaces; a client two CAs behind would have two below its own."""
    old = replaced(cluster)
    second = cluster.secret(CERTIFICATES)["ca.crt"]
    before = set(cluster.links)
    work, intent = cluster.work(), cluster.intent(Goal.REPLACE_KEY, replaces=cluster.current)
    golden.compare_said("flows", plan(work, inspect(work, intent), intent).choices[0])
    cluster.finish(Goal.REPLACE_KEY, replaces=cluster.current)
    assert_presented(cluster, [(V2, V1), (V1, V2), (V2, V2)])
    assert_served(cluster, second)
    assert all(refused_by_a_client(chain, [old]) for chain in presented(cluster).values())
    assert len(cluster.links) == 1
    assert not before & set(cluster.links)


@ONCE
@pytest.mark.parametrize("ended", ["the first CA", "the time that was asked for"])
@pytest.mark.parametrize(
    "goal", [Goal.RECONCILE, Goal.RENEW_LEAVES, Goal.RENEW, Goal.DOWNGRADE], ids=lambda goal: goal.value
)
@pytest.mark.each_once
def test_link_certificates_that_have_ended_harm_no_client(cluster: WatchedCluster, goal: Goal, ended: str) -> None:
    """The next run of any flow stores the chains of nodes without them. Nothing restarts for it, and nothing is written for it again."""
    days = timedelta(days=100)
    old = replaced(cluster, first=days) if ended == "the first CA" else replaced(cluster, START + days)
    cluster.memory.seconds += 200 * DAY
    cluster.memory.settle(2)
    cluster.look_away()
    assert_served(cluster, cluster.secret(CERTIFICATES)["ca.crt"])
    cluster.finish(goal, **({"renew_before": timedelta(days=400)} if goal is Goal.RENEW_LEAVES else {}))
    cluster.memory.settle(3)
    assert (cluster.rolls, cluster.ready) == ({0}, True)
    assert {tuple(behind(cluster.secret(pod)[f"{pod}.crt"])) for pod in presented(cluster)} == {((V1, V1),)}
    for pod in presented(cluster):
        cluster.restart(pod)
    assert_presented(cluster, [(V1, V1)])
    assert all(refused_by_a_client(chain, [old]) for chain in presented(cluster).values())


@ONCE
def test_the_time_that_was_asked_for_ends_before_the_switch(cluster: WatchedCluster) -> None:
    """Nodes do not lead back then, and the next replacement has link certificates of its own."""
    cluster.create()
    cluster.run(Goal.REPLACE_KEY, last_phase=Phase.TRUST, link_until=START + timedelta(days=1))
    cluster.memory.seconds += 2 * DAY
    cluster.finish(Goal.REPLACE_KEY)
    assert_presented(cluster, [(V1, V1)])
    second = cluster.secret(CERTIFICATES)["ca.crt"]
    cluster.finish(Goal.REPLACE_KEY, replaces=cluster.current)
    assert_presented(cluster, [(V2, V1), (V1, V2), (V2, V2)])
    assert_served(cluster, second)


@ONCE
@pytest.mark.parametrize("until", [Phase.TRUST, Phase.USE], ids=lambda until: until.value)
def test_undone_after_the_time_that_was_asked_for(cluster: WatchedCluster, until: Phase) -> None:
    cluster.create()
    old = cluster.current
    cluster.run(Goal.REPLACE_KEY, last_phase=until, link_until=START + timedelta(days=1))
    cluster.memory.seconds += 2 * DAY
    cluster.finish(Goal.ABORT)
    assert_undone(cluster, old)
    assert_presented(cluster, [(V0, V0)])
    assert_served(cluster, cluster.secret(CERTIFICATES)["ca.crt"])


def test_a_time_that_is_over_is_refused(cluster: WatchedCluster) -> None:
    """Where it counts: before a CA with another key is made."""
    cluster.create()
    over = {"link_until": START - timedelta(days=1)}
    refused = cluster.run(Goal.REPLACE_KEY, **over).outcome.decision
    assert [one.condition for one in refused.violations] == [Condition.LINK_UNTIL_IS_AHEAD]
    assert cluster.writes == 0
    for goal in (Goal.RENEW, Goal.RECONCILE):
        cluster.finish(goal, **over)


@ONCE
def test_a_ca_whose_key_is_not_here_certifies_none(cluster: WatchedCluster) -> None:
    """It is introduced by a link certificate, which goes out of use with the switch."""
    cluster.create()
    moved(cluster, elsewhere(root("Corporate Root")))
    assert_presented(cluster, [("CN=Corporate Root,O=io.strimzi",) * 2])
    assert set(cluster.secret(KEYS)) == {"ca.key"}


@ONCE
def test_leaves_of_the_operator_are_led_back_at_no_restart(cluster: WatchedCluster) -> None:
    """It knows no link certificates. The node presents them from its next restart, or when it reads again."""
    old = replaced(cluster)
    add_a_node(cluster)
    cluster.memory.settle(3)
    assert sorted(map(len, map(behind, presented(cluster).values()))) == [1, 3, 3]
    cluster.look_away()
    cluster.finish(Goal.RECONCILE)
    assert all(behind(cluster.secret(pod)[f"{pod}.crt"]) == BOTH for pod in presented(cluster))
    cluster.memory.settle(3)
    assert (cluster.paid, cluster.ready) == (Cost(0), True)
    cluster.run(Goal.RECONCILE)
    assert cluster.writes == 0
    for pod in presented(cluster):
        cluster.restart(pod)
    assert_presented(cluster, BOTH)
    assert_served(cluster, old)


@ONCE
@pytest.mark.parametrize("forgetful", ["behind_nodes", "links"])
def test_the_checker_would_notice(cluster: WatchedCluster, monkeypatch: pytest.MonkeyPatch, forgetful: str) -> None:
    """The negative control: nodes that send less, and a flow that finds the link certificates no more."""
    less = {"behind_nodes": lambda ca, issuer, now: issuer, "links": property(lambda ca: {})}
    monkeypatch.setattr(CaSecrets, forgetful, less[forgetful])
    with pytest.raises(InvariantBroken) as broken:
        replaced(cluster)
    assert broken.value.breach.rule == "I12"

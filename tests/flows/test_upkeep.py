# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A CA that the operator no longer renews: calls that keep it up renew or replace it in its time for renewal, and no call does so before."""

from __future__ import annotations

import json
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate, parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi import names
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase, Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import UpkeepOptions, WhenDue

from ..tools.support.authorities import root
from ..tools.support.clients_cluster import ClientsCluster
from ..tools.support.flows import START
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.watched_cluster import CERTIFICATES, NAMESPACE, WatchedCluster, assert_only
from .cases import DAY, Object, roles_together

LEDGER = "demo-cluster-ca-trusted-certs"
AS_SPECIFIED = UpkeepOptions()
#: The week that this collection is ahead of the operator.
WEEK = 7.0
#: Days that a CA has left whose time for renewal has just begun.
IN_TIME = 30 + WEEK - 1


def expiring(policy: str = "", renewal: int = 30) -> list[Object]:
    *others, kafka = roles_together(generated=True)
    kafka["spec"]["clusterCa"] |= {"renewalDays": renewal}
    if policy:
        kafka["spec"]["clusterCa"]["certificateExpirationPolicy"] = policy
    return [*others, kafka]


def adopted(cluster: WatchedCluster, policy: str = "") -> None:
    cluster.deploy(expiring(policy))
    cluster.finish(Goal.UPGRADE)
    cluster.look_away()


def in_use(cluster: WatchedCluster) -> Certificate:
    return parse_certificates(cluster.secret(CERTIFICATES)["ca.crt"])[0]


def journal_of(cluster: WatchedCluster) -> dict[str, Any]:
    """The journal; empty if there is none."""
    found = cluster.memory.api.find("secrets", NAMESPACE, LEDGER) or {}
    return dict(json.loads(found["metadata"]["annotations"].get(names.JOURNAL, "{}")))


def recorded(cluster: WatchedCluster) -> dict[str, Any]:
    """The ledger's record of upkeep; empty where there is none."""
    found = cluster.memory.api.find("secrets", NAMESPACE, LEDGER) or {}
    return dict(json.loads(found["metadata"]["annotations"].get(names.UPKEEP, "{}")))


def days_left(cluster: WatchedCluster, days: float) -> None:
    """Lets time go by until the CA in use has so many days left."""
    cluster.memory.seconds = (in_use(cluster).not_after - START).total_seconds() - days * DAY


@pytest.mark.parametrize("upkeep", [None, UpkeepOptions(WhenDue.NONE)])
def test_no_call_renews_that_is_not_to_keep_up(
    cluster: WatchedCluster, nodes: ReloadingNodes, upkeep: UpkeepOptions | None
) -> None:
    adopted(cluster)
    days_left(cluster, 15)
    before = in_use(cluster)
    cluster.finish(Goal.RECONCILE, upkeep=upkeep)
    assert in_use(cluster) == before


def test_nothing_is_done_before_its_time(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    adopted(cluster)
    days_left(cluster, 30 + WEEK + 1)
    before = in_use(cluster)
    assert len(cluster.finish(Goal.RECONCILE, upkeep=AS_SPECIFIED).changes) == 1
    assert not cluster.finish(Goal.RECONCILE, upkeep=AS_SPECIFIED).changes
    assert in_use(cluster) == before
    assert recorded(cluster)["days"] == 30 + WEEK


@pytest.mark.parametrize("left", [IN_TIME, 2])
def test_a_ca_is_renewed_in_the_time_of_its_resource(
    cluster: WatchedCluster, nodes: ReloadingNodes, left: float
) -> None:
    """Without a restart where the operator has not yet come before: in its own time it issues each leaf again, and restarts its node."""
    adopted(cluster)
    days_left(cluster, left)
    before = in_use(cluster)
    cluster.finish(Goal.RECONCILE, upkeep=AS_SPECIFIED)
    after = in_use(cluster)
    assert after.public_key_sha256 == before.public_key_sha256
    assert after.not_after - before.not_after > timedelta(days=300)
    assert cluster.rolls == {int(left < IN_TIME)}
    assert not cluster.finish(Goal.RECONCILE, upkeep=AS_SPECIFIED).changes


def test_the_key_of_a_ca_is_replaced_where_the_resource_says_so(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    """As the operator would, with the gates that the operator has not, and no restart of a node: the old CA stays until each has restarted."""
    adopted(cluster, "replace-key")
    days_left(cluster, IN_TIME)
    before = in_use(cluster)
    result = cluster.run(Goal.RECONCILE, upkeep=AS_SPECIFIED)
    assert result.outcome.decision.waiting
    assert cluster.rolls == {0}
    for node in ("demo-kafka-0", "demo-kafka-1"):
        cluster.restart(node)
    cluster.finish(Goal.RECONCILE, upkeep=AS_SPECIFIED)
    assert in_use(cluster).public_key_sha256 != before.public_key_sha256
    assert_only(cluster, cluster.current)


@pytest.mark.parametrize("policy", [WhenDue.RENEW, WhenDue.REPLACE_KEY])
def test_a_ca_that_is_due_when_its_flow_goes_on_is_kept_up_after_the_flow(
    cluster: WatchedCluster, nodes: ReloadingNodes, policy: WhenDue
) -> None:
    """Its key lies beside the key of the CA in use when the call makes its plan."""
    cluster.create(root(end=START + timedelta(days=3650)))
    cluster.run(Goal.REPLACE_KEY, last_phase=Phase.PREPARE, stop_after=Phase.PREPARE)
    (waiting,) = cluster.prepared
    cluster.memory.seconds += (365 - IN_TIME) * DAY
    cluster.memory.settle(2)
    cluster.run(Goal.RECONCILE, upkeep=UpkeepOptions(policy), continue_stopped=True, retire=Retire.NOW)
    assert waiting not in (cluster.current, *cluster.prepared)
    assert in_use(cluster).not_after - cluster.work().clock.now() > timedelta(days=300)


@pytest.mark.parametrize("policy", [WhenDue.RENEW, WhenDue.REPLACE_KEY])
def test_the_clients_ca_is_kept_up_alike(
    clients_cluster: ClientsCluster, monkeypatch: pytest.MonkeyPatch, policy: WhenDue
) -> None:
    """Here users have it checked, and the gates of their flows hold."""
    cluster = clients_cluster
    cluster.nodes = ReloadingNodes(cluster.memory)
    cluster.nodes.replace_requests(monkeypatch)
    cluster.begin()
    cluster.finish(Goal.RECONCILE, upkeep=UpkeepOptions(policy))
    before = cluster.current
    (ca, *_above) = parse_certificates(cluster.secret("demo-clients-ca-cert")["ca.crt"])
    half = (ca.not_after - cluster.work().clock.now()) // timedelta(days=2)
    upkeep = UpkeepOptions(policy, timedelta(days=half))
    cluster.memory.seconds += (half + 2) * DAY
    cluster.run(Goal.RECONCILE, upkeep=upkeep)
    assert cluster.current != before
    (after, *_above) = parse_certificates(cluster.secret("demo-clients-ca-cert")["ca.crt"])
    assert (after.public_key_sha256 == ca.public_key_sha256) is (policy is WhenDue.RENEW)
    assert set(cluster.counts().values()) == {0}


def test_a_schedule_goes_on_with_a_killed_replacement_as_the_person_began_it(cluster: WatchedCluster) -> None:
    """The run was killed when it had prepared the next CA and opened no journal yet."""
    cluster.create()
    before = journal_of(cluster)
    replaces = partial(cluster.run, Goal.REPLACE_KEY, retire=Retire.WHEN_RESTARTED)
    assert cluster.is_killed_at(1, True, replaces)
    assert journal_of(cluster) == before
    cluster.run(Goal.RECONCILE, upkeep=AS_SPECIFIED, last_phase=Phase.PREPARE)
    begun = journal_of(cluster)
    assert (begun["goal"], begun["retire"], begun.get("upkeep")) == ("replace_key", "when_restarted", None)

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates have ended, and no maintenance window is open. The operator issues none in their place until then (docs/operator.md, "Maintenance
windows"), and a recovery waits for no window.
"""

from __future__ import annotations

from collections import Counter
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase

from ..tools.operator import certs
from ..tools.support.certificates import YEAR
from ..tools.support.flows import START
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.watched_cluster import CLUSTER, NAMESPACE, WatchedCluster
from .cases import Layout, roles_apart, roles_together
from .test_ended_together import LONG, UNTOLD, assert_comes_true, plan_of, recover_in_one_call
from .test_recovering import LIFE, NODES, assert_healthy, create, lasting, outlive_leaves, recover

#: When the only window opens, a month after the certificates have ended.
OPENS = (START + timedelta(days=LIFE + 40)).replace(hour=0, minute=0, second=0, microsecond=0)
WINDOW = f"* * 0-1 {OPENS.day} {OPENS.month} ?"
OWN = "demo-cluster-operator-certs"


def set_windows(cluster: WatchedCluster, *windows: str) -> None:
    cluster.change("kafkas", CLUSTER, {"spec": {"maintenanceTimeWindows": list(windows) or None}})


def end_outside_windows(cluster: WatchedCluster, layout: Layout = roles_together, ca: int = LONG) -> None:
    """An adopted cluster; the operator is back, issues nothing, and cannot restart a node."""
    create(cluster, ca=ca, manifests=lasting(layout))
    end_here_outside_windows(cluster)


def end_here_outside_windows(cluster: WatchedCluster) -> None:
    set_windows(cluster, WINDOW)
    outlive_leaves(cluster)
    before = leaves_of(cluster)
    cluster.memory.settle(2)
    assert leaves_of(cluster) == before
    assert set(cluster.counts().values()) == {0}


def leaves_of(cluster: WatchedCluster) -> dict[str, bytes]:
    """The stored leaves of all processes and of the operator, by their Secrets."""
    secrets = {secret["metadata"]["name"]: secret for secret in cluster.memory.api.all("secrets", NAMESPACE)}
    return {
        name: next(pem for entry, pem in cluster.secret(name).items() if entry.endswith(".crt"))
        for name, secret in secrets.items()
        if "strimzi.io/cluster-ca-cert-generation" in (secret["metadata"].get("annotations") or {})
        and any(entry.endswith(".key") for entry in secret.get("data") or {})
    }


def has_ended(pem: bytes) -> bool:
    return any(certificate.not_valid_after_utc <= certs.now() for certificate in certs.load(pem)[:1])


def ended_leaves(cluster: WatchedCluster) -> list[str]:
    """The Secrets with ended leaves, and the pods that present any."""
    stored = [name for name, pem in leaves_of(cluster).items() if has_ended(pem)]
    processes = cluster.memory.kubelet.processes.values()
    return [*stored, *(process.pod for process in processes for _secret, pem in process.presented if has_ended(pem))]


@pytest.mark.parametrize("layout", [roles_together, roles_apart])
@pytest.mark.parametrize("ca", [LIFE, LONG], ids=["CA too", "leaves"])
def test_everything_that_has_ended_comes_back_as_planned(
    cluster: WatchedCluster, nodes: ReloadingNodes, layout: Layout, ca: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Entity Operator, exporter and the operator itself too."""
    end_outside_windows(cluster, layout, ca)
    assert OWN in ended_leaves(cluster)
    before, planned = cluster.current, plan_of(cluster)
    assert not any("maintenance windows" in choice for choice in planned.choices)
    assert_comes_true(cluster, planned, monkeypatch)
    assert (ended_leaves(cluster), cluster.ready, cluster.paused) == ([], True, False)
    assert set(cluster.counts().values()) == {1}
    assert (cluster.current != before) is (ca == LIFE)
    recover_in_one_call(cluster)
    assert cluster.writes == 0


@pytest.mark.parametrize("ca", [LIFE, LONG], ids=["CA too", "leaves"])
@pytest.mark.parametrize(("denied", "spread"), UNTOLD[:1])
def test_nodes_that_the_operator_restarts_once_more_wait_for_no_window_either(
    cluster: WatchedCluster,
    nodes: ReloadingNodes,
    denied: frozenset[str],
    spread: object,
    ca: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    end_outside_windows(cluster, ca=ca)
    cluster.permitted.denied = denied
    assert_comes_true(cluster, plan_of(cluster), monkeypatch)
    assert (ended_leaves(cluster), cluster.counts()) == ([], dict.fromkeys(NODES, 2))


def test_components_whose_certificates_the_last_window_has_missed_come_back(
    cluster: WatchedCluster, nodes: ReloadingNodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operator has issued certificates of nodes, and the window has closed."""
    create(cluster)
    outlive_leaves(cluster)
    cluster.memory.settle(2)
    set_windows(cluster, WINDOW)
    cluster.memory.settle(1)
    missed = {name for name, pem in leaves_of(cluster).items() if has_ended(pem)}
    assert missed > {"demo-entity-topic-operator-certs"}
    assert missed.isdisjoint({OWN, *NODES})
    assert_comes_true(cluster, plan_of(cluster), monkeypatch)
    assert ended_leaves(cluster) == []
    assert_healthy(cluster)


@pytest.mark.parametrize("is_ca_ended", [True, False], ids=["CA too", "leaves"])
def test_a_cluster_that_was_never_adopted_comes_back(
    cluster: WatchedCluster, nodes: ReloadingNodes, is_ca_ended: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The operator renews its CA at any time once that has ended, and then the certificates. In the other case they live shorter than the CA."""
    *others, kafka = lasting(generated=True)
    if not is_ca_ended:
        kafka["spec"]["clusterCa"]["validityDays"] = LONG
    cluster.deploy(manifests=[*others, kafka])
    if not is_ca_ended:
        cluster.change("kafkas", CLUSTER, {"spec": {"clusterCa": {"validityDays": LIFE}}})
        for name in leaves_of(cluster):
            cluster.memory.api.request("DELETE", f"/api/v1/namespaces/{NAMESPACE}/secrets/{name}")
        cluster.memory.settle(3)
    set_windows(cluster, WINDOW)
    outlive_leaves(cluster)
    if not is_ca_ended:
        cluster.memory.settle(2)
    recover_in_one_call(cluster)
    cluster.memory.settle(3)
    assert (ended_leaves(cluster), cluster.ready, cluster.ledger) == ([], True, {})
    assert cluster.counts() == dict.fromkeys(NODES, 2 if is_ca_ended else 1)


@pytest.mark.parametrize(
    "write", [pytest.param(write, marks=() if write in (3, 8) else pytest.mark.long) for write in range(1, 25)]
)
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("ca", [LIFE, LONG], ids=["CA too", "leaves"])
def test_a_killed_run_is_finished_by_the_next(
    cluster: WatchedCluster, nodes: ReloadingNodes, write: int, after: bool, ca: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    end_outside_windows(cluster, ca=ca)
    if not cluster.is_killed_at(write, after, lambda: recover_in_one_call(cluster)):
        pytest.skip(f"takes fewer than {write} writes")
    assert_comes_true(cluster, plan_of(cluster), monkeypatch)
    cluster.memory.settle(3)
    assert (ended_leaves(cluster), cluster.ready, cluster.paused, len(cluster.states)) == ([], True, False, 1)
    assert Counter(node for node, _signal in nodes.signals) == dict.fromkeys(NODES, 1)


def test_the_rest_of_a_flow_waits_for_the_next_window(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    """Nodes come back, and none restarts for the replacement that was under way: the result says when it goes on."""
    create(cluster)
    cluster.validity = 10 * YEAR
    cluster.run(Goal.REPLACE_KEY, last_phase=Phase.TRUST)
    cluster.validity = None
    before = cluster.current
    end_here_outside_windows(cluster)
    planned = plan_of(cluster)
    decision = cluster.run(Goal.RECOVER, in_one_call=True).outcome.decision
    assert (decision.violations, decision.done) == ((), False)
    assert any(f"{OPENS:%Y-%m-%d at %H:%M}" in told for told in decision.waiting), decision.waiting
    assert any("maintenance windows" in choice for choice in planned.choices)
    assert (cluster.current, ended_leaves(cluster), cluster.counts()) == (before, [], dict.fromkeys(NODES, 1))
    set_windows(cluster)
    recover(cluster)
    assert cluster.current != before


@pytest.mark.parametrize("phase", [Phase.PREPARE, Phase.TRUST])
def test_nodes_come_back_with_the_next_ca_if_the_ca_in_use_has_ended_in_a_replacement(
    cluster: WatchedCluster, nodes: ReloadingNodes, phase: Phase
) -> None:
    """The key of the CA in use is here, and the CA signs nothing more. That components forget this CA waits."""
    create(cluster, ca=LIFE)
    cluster.validity = 10 * YEAR
    cluster.run(Goal.REPLACE_KEY, last_phase=phase)
    cluster.validity = None
    before = cluster.current
    end_here_outside_windows(cluster)
    decision = cluster.run(Goal.RECOVER, in_one_call=True).outcome.decision
    assert (decision.violations, decision.done) == ((), False)
    assert any(f"{OPENS:%Y-%m-%d at %H:%M}" in told for told in decision.waiting)
    cluster.memory.settle(3)
    assert (ended_leaves(cluster), cluster.ready, cluster.paused, len(cluster.states)) == ([], True, False, 1)
    assert cluster.current != before
    assert cluster.counts() == dict.fromkeys(NODES, 1)
    set_windows(cluster)
    recover(cluster)
    assert cluster.counts() == dict.fromkeys(NODES, 1)


def test_a_flow_that_leads_back_to_a_ca_that_has_ended_says_what_helps(
    cluster: WatchedCluster, nodes: ReloadingNodes
) -> None:
    """A CA that has ended signs nothing here, and nothing takes its place."""
    create(cluster, ca=LIFE)
    cluster.validity = 10 * YEAR
    cluster.run(Goal.REPLACE_KEY, last_phase=Phase.TRUST)
    cluster.validity = None
    assert cluster.is_killed_at(1, True, lambda: cluster.run(Goal.ABORT))
    end_here_outside_windows(cluster)
    held = cluster.run(Goal.RECOVER, in_one_call=True).outcome.decision
    assert [one.condition for one in held.violations] == [Condition.RENEWAL_COMES_IN_TIME]
    assert (nodes.signals, cluster.paused) == ([], False)
    set_windows(cluster)
    recover(cluster)
    recover(cluster)
    cluster.memory.settle(3)
    assert (ended_leaves(cluster), cluster.ready, cluster.paused) == ([], True, False)

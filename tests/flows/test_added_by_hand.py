# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A user adds a CA by hand, at any time: the flows take it into the ledger, every process trusts it, and it stays."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase

from ..tools.support.authorities import SHAPES, Authority, below, root
from ..tools.support.watched_cluster import CERTIFICATES, IN_USE, UNUSED, WatchedCluster, assert_only

EVERY_PHASE = pytest.mark.parametrize("phase", Phase, ids=lambda phase: f"after {phase.value}")
pytestmark = pytest.mark.usefixtures("uptake")


def assert_both(cluster: WatchedCluster, current: str, other: Authority) -> None:
    assert cluster.states == {current: IN_USE, other.fingerprint: UNUSED}
    assert cluster.trusted == {current, other.fingerprint}
    assert cluster.secret(CERTIFICATES)["partner.crt"] == other.pem


@pytest.mark.parametrize("shape", ["root", "two levels"])
def test_after_reconcile_every_process_trusts_it(cluster: WatchedCluster, shape: str) -> None:
    cluster.create()
    other = SHAPES[shape]()
    cluster.put(CERTIFICATES, partner_crt=other.pem)
    cluster.finish(Goal.RECONCILE)
    assert cluster.rolls == {1}
    assert_both(cluster, cluster.current, other)


@EVERY_PHASE
def test_in_the_middle_of_a_replacement(cluster: WatchedCluster, phase: Phase) -> None:
    """At most one roll more than planned, for the CA that the plan could not know of."""
    old, new = below(root("Corporate Root 1")), below(root("Corporate Root 2"), "Kafka CA 2")
    cluster.create(old)
    cluster.run(Goal.REPLACE_KEY, new, last_phase=phase)
    other = root("Partner Root")
    cluster.put(CERTIFICATES, partner_crt=other.pem)
    cluster.finish(Goal.REPLACE_KEY, new)
    assert cluster.paid.restarts - cluster.cost(Goal.REPLACE_KEY, "unlinked").restarts in (0, 1)
    assert_both(cluster, new.fingerprint, other)


@EVERY_PHASE
def test_in_the_middle_of_a_renewal(cluster: WatchedCluster, phase: Phase) -> None:
    cluster.create()
    old = cluster.current
    cluster.run(Goal.RENEW, last_phase=phase)
    other = root("Partner Root")
    cluster.put(CERTIFICATES, partner_crt=other.pem)
    cluster.finish(Goal.RENEW)
    assert cluster.paid.restarts - cluster.cost(Goal.RENEW).restarts in (0, 1)
    assert cluster.states == {cluster.current: IN_USE, other.fingerprint: UNUSED}
    assert cluster.trusted - {old} == {cluster.current, other.fingerprint}


@EVERY_PHASE
def test_reconciling_ends_what_was_begun(cluster: WatchedCluster, phase: Phase) -> None:
    """Reconcile knows of the certificate what the cluster knows, and nothing else."""
    cluster.create()
    new = below(root())
    cluster.run(Goal.REPLACE_KEY, new, last_phase=phase)
    cluster.finish(Goal.RECONCILE)
    assert cluster.paid == cluster.cost(Goal.REPLACE_KEY, "unlinked")
    assert_only(cluster, new.fingerprint)

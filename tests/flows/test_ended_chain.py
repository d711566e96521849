# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The CA in use has other CAs above it, and a certificate of that chain has ended: the operator refuses the chain and does nothing for the cluster. The remedy
that every flow names leads out of it, without a refused handshake between programs on a JVM.
"""

from __future__ import annotations

from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..tools.support.authorities import Authority, below, root, under
from ..tools.support.certificates import YEAR
from ..tools.support.flows import START
from ..tools.support.watched_cluster import CERTIFICATES, WatchedCluster, assert_only
from .cases import DAY

SOON, LATE = START + timedelta(days=60), START + 2 * YEAR
GOALS = [Goal.RECOVER, Goal.RENEW, Goal.RECONCILE, Goal.REPLACE_KEY]


@pytest.fixture(params=["the CA in use", "the CA above it"])
def ended(request: pytest.FixtureRequest, cluster: WatchedCluster) -> tuple[WatchedCluster, Authority]:
    """A cluster whose operator refuses its CA, and the renewal that the issuer of the CA hands out."""
    top = root(end=LATE)
    if request.param == "the CA in use":
        old = below(top, end=SOON)
        new = under(top, old, end=LATE)
    else:
        middle = below(top, "Corporate Issuing CA", end=SOON)
        old = below(middle, end=LATE - timedelta(days=1))
        new = under(under(top, middle, end=LATE), old, end=LATE)
    cluster.create(old)
    cluster.memory.seconds += 70 * DAY
    cluster.look_elsewhere()
    cluster.memory.settle(2)
    assert not cluster.ready
    return cluster, new


@pytest.mark.parametrize("goal", GOALS)
def test_each_flow_names_the_secret_and_writes_nothing(ended: tuple[WatchedCluster, Authority], goal: Goal) -> None:
    cluster, renewal = ended
    given = renewal if goal in (Goal.RENEW, Goal.RECOVER) else None
    (found,) = cluster.run(goal, given).outcome.decision.violations
    assert (found.condition, cluster.writes) == (Condition.AUTHORITY_IS_VALID_NOW, 0)
    assert CERTIFICATES in found.subject


@pytest.mark.parametrize("goal", [Goal.RENEW, Goal.REPLACE_KEY])
def test_the_remedy_leads_to_a_cluster_that_is_ready(ended: tuple[WatchedCluster, Authority], goal: Goal) -> None:
    cluster, renewal = ended
    next_ca = renewal if goal is Goal.RENEW else below(root("Next Root", end=LATE), "Kafka CA 2")
    cluster.put(CERTIFICATES, ca_crt=_alone(cluster))
    cluster.memory.settle(3)
    assert (cluster.ready, cluster.rolls) == (True, {1})
    used = cluster.current
    cluster.finish(goal, next_ca)
    assert_only(cluster, next_ca.fingerprint, twins={used} if goal is Goal.RENEW else set())
    assert cluster.ready


def _alone(cluster: WatchedCluster) -> bytes:
    first, end, _others = cluster.secret(CERTIFICATES)["ca.crt"].partition(b"-----END CERTIFICATE-----\n")
    return first + end

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The clock of the machine that runs the collection is wrong: no node presents what begins in the future by the cluster's own clock."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._issuing import links
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.building import BACKDATED
from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import parse_certificates
from ansible_collections.trustops.strimzi.plugins.module_utils._strimzi.apply import authority
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.cluster import LARGEST, clocks_agree

from ..tools.support.breaches import InvariantBroken
from ..tools.support.certificates import YEAR
from ..tools.support.engines import without
from ..tools.support.reloads import ReloadingNodes
from ..tools.support.watched_cluster import CERTIFICATES, WatchedCluster
from .cases import CASES, Case, mostly_long

FAR = timedelta(minutes=10)


@pytest.mark.parametrize("ahead", [FAR, -FAR], ids=["ahead", "behind"])
@pytest.mark.parametrize("case", mostly_long(CASES))
def test_nothing_is_written_with_a_clock_that_is_far_off(
    cluster: WatchedCluster, nodes: ReloadingNodes, case: Case, ahead: timedelta
) -> None:
    flow = case.begin(cluster)
    cluster.clock_ahead = ahead
    found = flow.run().outcome.decision
    assert [violation.condition for violation in found.violations] == [Condition.CLOCKS_AGREE]
    assert cluster.writes == 0


@pytest.mark.parametrize("goal", [Goal.REPLACE_KEY, Goal.RENEW_LEAVES])
def test_without_this_nodes_present_what_begins_in_the_future(
    cluster: WatchedCluster, nodes: ReloadingNodes, goal: Goal
) -> None:
    """A negative control: the checker sees what the precondition prevents."""
    flow = Case(goal).begin(cluster)
    cluster.clock_ahead, cluster.engine = FAR, without(clocks_agree)
    with pytest.raises(InvariantBroken) as broken:
        flow.run()
    assert broken.value.breach.rule == "I3"


@pytest.mark.parametrize("case", mostly_long(CASES))
def test_a_clock_that_is_a_little_ahead_harms_no_client(
    cluster: WatchedCluster, nodes: ReloadingNodes, case: Case
) -> None:
    flow = case.begin(cluster)
    cluster.clock_ahead = LARGEST
    flow.finish()


def test_because_certificates_are_dated_back(
    cluster: WatchedCluster, nodes: ReloadingNodes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A negative control."""
    for module in (links, authority):
        monkeypatch.setattr(module, "BACKDATED", timedelta(0))
    flow = Case(Goal.REPLACE_KEY).begin(cluster)
    cluster.clock_ahead = LARGEST
    with pytest.raises(InvariantBroken) as broken:
        flow.run()
    assert broken.value.breach.rule == "I3"


def test_a_ca_that_is_made_here_lives_as_long_as_was_asked_from_now_on(cluster: WatchedCluster) -> None:
    cluster.create()
    (made,) = parse_certificates(cluster.secret(CERTIFICATES)["ca.crt"])
    assert made.not_after - made.not_before == YEAR + BACKDATED

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A replacement whose nodes lead on clients from memory after the switch, killed after every write from there on, and run again by whatever comes:
clients that load ``ca.crt`` alone are refused by no node before they have had their time.
"""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..flows.test_kept_elsewhere import ASKED
from ..flows.test_led_from_memory import CORPORATE, in_use
from ..tools.support.flows import FlowResult
from ..tools.support.late_readers import LATE, LateReaders
from ..tools.support.watched_cluster import WatchedCluster, assert_only
from .conftest import Points
from .courses import kill
from .stories import with_nodes


@pytest.mark.parametrize("again", [Goal.RECONCILE, Goal.REPLACE_KEY])
@pytest.mark.parametrize("after", [True, pytest.param(False, marks=pytest.mark.long)], ids=["after", "before"])
def test_clients_get_their_time(after: bool, again: Goal, points: Points, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scheduled run goes on, or the same one."""
    cluster = WatchedCluster()
    with_nodes(cluster, monkeypatch)
    in_use(cluster)
    cluster.memory.seconds += LATE
    cluster.look_away()
    readers = LateReaders(cluster)

    def replace_key() -> FlowResult:
        return cluster.run(Goal.REPLACE_KEY, CORPORATE, external_issuer=ASKED)

    def assert_served() -> None:
        assert readers.refused == []
        assert (cluster.rolls, cluster.ready) == ({0}, True)
        assert_only(cluster, CORPORATE.fingerprint)

    def go_on() -> None:
        result = cluster.run(Goal.RECONCILE) if again is Goal.RECONCILE else replace_key()
        assert result.outcome.decision.done, [str(one) for one in result.outcome.decision.violations]
        assert_served()

    kill(cluster, points.all(), replace_key, go_on, after=after)
    assert_served()

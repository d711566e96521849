# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A replacement whose nodes lead clients on from memory after the switch, killed after every write from there on, and run again by whatever comes:
clients that load ``ca.crt`` alone are refused by no node before they have had their time.
"""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..flows.test_kept_elsewhere import ASKED
from ..flows.test_led_from_memory import CORPORATE, in_use
from ..tools.support.killing import Killed, KillingTransport
from ..tools.support.late_readers import LATE, LateReaders
from ..tools.support.watched_cluster import WatchedCluster, assert_only
from .conftest import Points
from .test_kill_lives import with_nodes


def killed_at(number: int, cluster: WatchedCluster, after: bool) -> bool:
    """Whether the run came as far as that write. A scheduled run goes on then, every second time."""
    cluster.permitted = KillingTransport(cluster.memory.api, number, after=after)
    try:
        cluster.run(Goal.REPLACE_KEY, CORPORATE, asked=ASKED)
    except Killed:
        cluster.permitted = cluster.memory.api
        cluster.memory.settle(2)
        again = cluster.run(Goal.RECONCILE) if number % 2 else cluster.run(Goal.REPLACE_KEY, CORPORATE, asked=ASKED)
        assert again.outcome.decision.done, [str(one) for one in again.outcome.decision.violations]
        return True
    return False


@pytest.mark.parametrize("after", [True, pytest.param(False, marks=pytest.mark.long)], ids=["after", "before"])
def test_clients_get_their_time(after: bool, points: Points, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = with_nodes(monkeypatch)
    in_use(cluster)
    cluster.memory.seconds += LATE
    moment = cluster.memory.moment()
    for number in points.endless():
        cluster.memory.go_to(moment)
        cluster.look_away()
        readers = LateReaders(cluster)
        going_on = killed_at(number, cluster, after)
        assert readers.refused == [], number
        assert (cluster.rolls, cluster.ready) == ({0}, True), number
        assert_only(cluster, CORPORATE.fingerprint)
        cluster.memory.api.listeners.remove(readers)
        if not going_on:
            break
    assert number > 10

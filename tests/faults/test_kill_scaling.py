# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node pool is scaled, the run killed at any write, and another flow comes next: nothing is left paused, and no node that runs notices."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..flows.test_kept_elsewhere import issuing_secrets, run
from ..flows.test_scaling import replicas
from .asking_stories import ScalingStory
from .conftest import Points
from .courses import kill


def test_another_flow_after_a_kill_ends_the_pause(points: Points, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the pool has its size by then or not; a certificate that is not asked for any more is issued again."""
    telling = ScalingStory(1).begin(monkeypatch)
    cluster = telling.cluster

    def reconcile() -> None:
        for _run in range(3):
            run(cluster, Goal.RECONCILE)
            telling.signing.work()
            cluster.memory.settle(2)
        run(cluster, Goal.RECONCILE)
        assert (cluster.paused, cluster.ready, cluster.rolls) == (False, True, {0})
        assert (len(cluster.node_uids), issuing_secrets(cluster) != []) == (replicas(cluster), True)

    kill(cluster, points.all(), telling.complete, reconcile)

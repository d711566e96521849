# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The adoption of a CA that a user has swapped in, killed at each of its writes and run again."""

from __future__ import annotations

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..flows.test_swapped_by_hand import swap
from ..tools.support.authorities import Authority, root
from ..tools.support.watched_cluster import WatchedCluster, assert_only
from .conftest import Points
from .courses import kill
from .stories import have_fast_keys


def begin(patch: pytest.MonkeyPatch) -> tuple[WatchedCluster, Authority]:
    cluster, new = WatchedCluster(), root("Swapped Root")
    have_fast_keys(cluster, patch)
    cluster.create()
    swap(cluster, new)
    return cluster, new


def adopt(cluster: WatchedCluster, new: Authority) -> None:
    assert cluster.run(Goal.UPGRADE, adopts=new.fingerprint).outcome.decision.done


def test_killed_anywhere_and_asked_for_again(points: Points, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster, new = begin(monkeypatch)

    def go_on() -> None:
        adopt(cluster, new)
        assert_only(cluster, new.fingerprint)

    kill(cluster, points.all(), lambda: adopt(cluster, new), go_on)


def test_killed_anywhere_and_only_finished(points: Points, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that does not name the CA again adopts nothing: it is held, or by then the flow is one like any other."""
    cluster, new = begin(monkeypatch)

    def go_on() -> bool:
        decision = cluster.run(Goal.RECONCILE).outcome.decision
        assert cluster.paused is bool(cluster.pause_left)
        if decision.done:
            assert not cluster.paused
        else:
            assert [one.condition.value for one in decision.violations] == ["authority_is_known"]
            assert cluster.paused, "the operator would issue leaves of the CA that was swapped in"
            adopt(cluster, new)
        assert_only(cluster, new.fingerprint)
        return decision.done

    ends = kill(cluster, points.all(), lambda: adopt(cluster, new), go_on)
    assert set(ends.values()) == {True, False}

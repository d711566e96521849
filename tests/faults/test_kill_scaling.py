# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node pool is scaled, and the run killed before and after every write, then run again: same end, nothing is left paused, and no node that runs
notices.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..flows.test_kept_elsewhere import issuing_secrets, run
from ..flows.test_scaling import replicas, scale_to
from ..flows.test_spare_leaves import NEXT, growing
from ..tools.support.killing import ForkingTransport, KillingTransport
from ..tools.support.signing_office import SigningOffice
from ..tools.support.watched_cluster import WatchedCluster
from .conftest import Points
from .stories import have_fast_keys


@dataclass
class Scaling:
    """A cluster of two nodes that gets a third one."""

    cluster: WatchedCluster
    signing: SigningOffice

    @classmethod
    def begin(cls, spare: int, patch: pytest.MonkeyPatch) -> Scaling:
        """spare: how many certificates are at hand."""
        cluster = WatchedCluster()
        have_fast_keys(cluster, patch)
        signing = growing(cluster, spare)
        cluster.look_away()
        return cls(cluster, signing)

    def complete(self) -> None:
        for _run in range(2):
            scale_to(self.cluster, 3)
            self.signing.work()

    def end_state(self) -> dict[str, Any]:
        cluster = self.cluster
        cluster.memory.settle(2)
        return {
            "replicas": replicas(cluster),
            "nodes": sorted(cluster.memory.kubelet.nodes),
            "rolls": cluster.rolls,
            "ready": cluster.ready,
            "paused": cluster.paused,
            "leaf": sorted(cluster.secret(NEXT)),
            "issued by the operator": cluster.issued_by_operator,
            "signed": len(self.signing.signed) - len(set(self.signing.signed)),
        }


def undisturbed(spare: int, patch: pytest.MonkeyPatch) -> tuple[int, dict[str, Any]]:
    telling = Scaling.begin(spare, patch)
    transport = KillingTransport(telling.cluster.memory.api)
    telling.cluster.permitted = transport
    telling.complete()
    assert transport.unconditional == []
    return transport.writes, telling.end_state()


def kill_at(
    spare: int, numbers: list[int], after: bool, patch: pytest.MonkeyPatch, then: Callable[[Scaling], None]
) -> None:
    """Killed at each of these writes, and the cluster has gone on for a while."""
    telling = Scaling.begin(spare, patch)
    transport = ForkingTransport(telling.cluster.memory.api, numbers, after)
    telling.cluster.permitted = transport

    def go_on() -> None:
        telling.cluster.permitted = telling.cluster.memory.api
        telling.cluster.memory.settle(2)
        then(telling)

    assert transport.kill_copies(telling.complete, go_on) == numbers


@pytest.mark.parametrize("moment", ["after", pytest.param("before", marks=pytest.mark.long)])
@pytest.mark.parametrize(
    "spare", [pytest.param(0, id="asked for", marks=pytest.mark.long), pytest.param(1, id="at hand")]
)
def test_killed_anywhere_and_run_again(
    spare: int, moment: str, points: Points, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes, wanted = undisturbed(spare, monkeypatch)
    assert (wanted["replicas"], wanted["ready"], wanted["paused"], wanted["rolls"]) == (3, True, False, {0})

    def then(telling: Scaling) -> None:
        telling.complete()
        assert telling.end_state() == wanted

    kill_at(spare, points.to(writes), moment == "after", monkeypatch, then)
    print(f"\nscaling: killed {moment} {len(points.to(writes))} of {writes} writes, all ended the same")


def test_another_flow_after_a_kill_ends_the_pause(points: Points, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the pool has its size by then or not; a certificate that nobody asks for any more is had anew."""
    writes, _wanted = undisturbed(1, monkeypatch)

    def then(telling: Scaling) -> None:
        for _run in range(3):
            run(telling.cluster, Goal.RECONCILE)
            telling.signing.work()
            telling.cluster.memory.settle(2)
        run(telling.cluster, Goal.RECONCILE)
        cluster = telling.cluster
        assert (cluster.paused, cluster.ready, cluster.rolls) == (False, True, {0})
        assert (len(cluster.node_uids), issuing_secrets(cluster) != []) == (replicas(cluster), True)

    kill_at(1, points.to(writes), True, monkeypatch, then)

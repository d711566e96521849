# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The audit trail of whole flows: it has each write and each restart, and stays one chain when runs are killed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal

from ..tools.support.audit import lines_of, problems
from ..tools.support.clients_cluster import ClientsCluster
from ..tools.support.watched_cluster import NAMESPACE, WatchedCluster


def lines(cluster: WatchedCluster) -> list[str]:
    return lines_of(cluster.memory.api.find("configmaps", NAMESPACE, f"demo-{cluster.ca.value}-ca-audit"))


def recorded(cluster: WatchedCluster, kind: str) -> list[dict[str, Any]]:
    return [one[kind] for one in map(json.loads, lines(cluster)) if kind in one]


def test_a_replacement_is_recorded_from_the_first_decision_to_the_end(cluster: WatchedCluster) -> None:
    cluster.create()
    old = cluster.current
    cluster.audits = True
    result = cluster.finish(Goal.REPLACE_KEY)
    done = [(one["verb"], one["object"], one["what"]) for one in recorded(cluster, "done")]
    assert done == [(one.verb, one.object, one.what) for one in result.actions if one.is_change]
    assert any(verb == "restart" for verb, _object, _what in done)
    assert recorded(cluster, "ended")[-1] == {"done": True, "violations": []}
    transitions = [one for decided in recorded(cluster, "decided") for one in decided["transitions"]]
    by_ca = {ca: [one["after"] for one in transitions if one["fingerprint"] == ca] for ca in (old, cluster.current)}
    assert (by_ca[old][-1], by_ca[cluster.current][-1]) == (None, "TRUSTED_IN_USE_ALL")
    assert problems(lines(cluster)) == []


def test_the_clients_ca_has_a_trail_of_its_own(clients_cluster: ClientsCluster) -> None:
    clients_cluster.begin()
    clients_cluster.audits = True
    clients_cluster.finish(Goal.RENEW)
    assert recorded(clients_cluster, "ended")[-1]["done"]
    assert clients_cluster.memory.api.find("configmaps", NAMESPACE, "demo-cluster-ca-audit") is None


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("write", [1, 2, 3, 4, 9, 14])
@pytest.mark.each_once
def test_a_killed_run_leaves_one_chain_and_the_next_goes_on_with_it(
    cluster: WatchedCluster, write: int, after: bool
) -> None:
    cluster.create()
    cluster.audits = True
    assert cluster.is_killed_at(write, after, lambda: cluster.run(Goal.REPLACE_KEY))
    left = lines(cluster)
    decided = sum(len(one["steps"]) for one in recorded(cluster, "decided"))
    assert decided or not after or write > 1, "a write came before its decision"
    cluster.finish(Goal.REPLACE_KEY)
    assert lines(cluster)[: len(left)] == left
    assert recorded(cluster, "ended")[-1]["done"]
    assert problems(lines(cluster)) == []

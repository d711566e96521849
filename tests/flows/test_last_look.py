# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A call reports the last time it asked the nodes: that is the proof, although the call asks no node after it."""

from __future__ import annotations

from ansible_collections.trustops.strimzi.plugins.module_utils._ansible.results import describe_listeners
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Spread

from ..tools.support.reloads import ReloadingNodes
from ..tools.support.watched_cluster import WatchedCluster


def test_the_last_look_is_kept_to_the_end_of_the_call(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    """Every listener presents the new CA's leaf, trusts the new CA and refuses the one that was removed."""
    cluster.create()
    outcome = cluster.run(Goal.REPLACE_KEY, spread=Spread.RESTART).outcome
    assert outcome.decision.done
    assert outcome.last_look is not None
    found = describe_listeners(outcome.last_look.snapshot)
    assert {one["pod"] for one in found} == {"demo-kafka-0", "demo-kafka-1"}
    assert {one["uid"] for one in found} <= outcome.observation.snapshot.uids
    for one in found:
        (new,), (old,) = one["trusts"], one["refuses"]
        assert (one["issuers"], one["why"], new == old) == ([new], [], False)


def test_a_run_that_asked_no_node_reports_no_listener(cluster: WatchedCluster) -> None:
    cluster.create()
    outcome = cluster.run(Goal.REPLACE_KEY).outcome
    assert (outcome.last_look, describe_listeners(None)) == (None, [])


def test_a_silent_listener_says_why_and_presents_nothing(cluster: WatchedCluster, nodes: ReloadingNodes) -> None:
    cluster.create()
    nodes.answers.silent = {"demo-kafka-1"}
    looked = cluster.run(Goal.REPLACE_KEY).outcome.last_look
    assert looked is not None
    silent = [one for one in describe_listeners(looked.snapshot) if one["pod"] == "demo-kafka-1"]
    assert silent
    for one in silent:
        assert (one["issuers"], one["trusts"], one["refuses"]) == ([], [], [])
        assert any("no answer" in why for why in one["why"])

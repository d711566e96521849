# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When a node pool gets its size, and what comes before that."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.pools import Scaling
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import IssueLeaves
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Resume, SetReplicas
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.leaves import scale
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.order import end_pause
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.situation import Situation

from ....tools.support.intents import changed_intent
from ..authorities import NEW, chain_of
from ..builders import PAUSED, changed, cluster
from ..requested import ISSUER, answered, with_requests
from .asking import RECONCILE, pause_for, situation
from .test_requests import KEPT

FOURTH, FIFTH = "demo-nodes-3", "demo-nodes-4"
pools = {"nodes": 3}


def at(snapshot: Snapshot, replicas: int = 5, pool: str = "nodes") -> Situation:
    return situation(snapshot, changed_intent(RECONCILE, external_issuer=ISSUER, scaling=Scaling(pool, replicas)))


def size(replicas: int = 5) -> SetReplicas:
    return SetReplicas(pool="nodes", before=3, replicas=replicas, phase=Phase.USE)


#: An outside issuer keeps the key, and two nodes more are wanted.
GROWING = changed(KEPT, pools=pools, missing={FOURTH: Component.KAFKA, FIFTH: Component.KAFKA})
AT_HAND = with_requests(GROWING, answered(FOURTH), answered(FIFTH))
ISSUE = IssueLeaves(secrets=(FOURTH, FIFTH), issuer=chain_of(NEW), generation=0, phase=Phase.USE)


def paused(snapshot: Snapshot) -> Snapshot:
    return replace(snapshot, reconciliation=PAUSED)


def test_new_leaves_and_the_size_of_the_pool_are_written_in_one_pause() -> None:
    assert scale(at(AT_HAND)) == pause_for(ISSUE)
    assert scale(at(paused(AT_HAND))) == end_pause(at(paused(AT_HAND))) == (ISSUE, size())


def test_a_killed_run_goes_on_in_its_pause() -> None:
    """With the size that is still missing, and then with the end of the pause."""
    issued = paused(changed(AT_HAND, missing={}))
    assert end_pause(at(issued)) == (size(),)
    assert end_pause(at(changed(issued, pools={"nodes": 5}))) == (Resume(phase=Phase.USE),)


def test_leaves_that_are_there_already_do_not_spare_the_pause() -> None:
    """The operator might be about to delete them."""
    assert scale(at(changed(AT_HAND, missing={}))) == pause_for(size())


@pytest.mark.parametrize(
    "snapshot",
    [
        GROWING,
        with_requests(GROWING, answered(FOURTH)),
        with_requests(GROWING, answered(FOURTH), answered(FIFTH, recorded=False)),
    ],
)
def test_nothing_while_a_leaf_is_still_to_come(snapshot: Snapshot) -> None:
    assert scale(at(snapshot)) == ()
    assert [type(step).__name__ for step in decide(snapshot, at(snapshot).intent).steps] in (
        ["AskForLeaves"],
        ["CollectLeaves"],
    )


@pytest.mark.parametrize("replicas", [0, 2, 4])
def test_only_the_size_is_written_where_the_key_is_in_the_cluster(replicas: int) -> None:
    assert scale(at(changed(cluster(), pools=pools), replicas)) == (size(replicas),)


def test_a_pool_that_shrinks_needs_no_pause() -> None:
    assert scale(at(changed(KEPT, pools=pools), 2)) == (size(2),)


@pytest.mark.parametrize("snapshot", [changed(cluster(), pools=pools), changed(AT_HAND, missing={})])
def test_a_pool_that_has_the_wanted_size_is_not_scaled(snapshot: Snapshot) -> None:
    assert scale(at(snapshot, 3)) == ()


def test_without_the_goal_or_the_pool_no_replicas_are_set() -> None:
    assert scale(situation(AT_HAND, RECONCILE)) == ()
    assert scale(at(AT_HAND, pool="others")) == ()

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Restarts of nodes that take up other leaves, in a pause of the operator, where the collection restarts nodes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Steps
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase, Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent, Strategy
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import InPlaceObstacles, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import IssueLeaves
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import (
    Pause,
    Resume,
    Roll,
    RollReason,
    StampPods,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.leaves import replace_leaves
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.order import end_pause, restart_in_pause
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.pause import restarts_in_pause

from ....tools.support.intents import changed_intent
from .. import linked, renewal, unlinked
from ..authorities import NEW
from ..builders import PAUSED, changed
from ..nodes import PODS
from .asking import REPLACE_KEY, situation

BLOCKED = InPlaceObstacles(reload="kafka-python is missing.")
NOT_ANNOTATED = replace(BLOCKED, annotations="the identity of this run may not patch pods.")
AGAIN = replace(BLOCKED, again="the Cluster Operator would restart demo-a-0 again despite new annotations.")
#: The nodes have the leaves of the next CA behind its link certificate in their Secrets, and have not read them.
LINKED = changed(replace(linked.ISSUED, reconciliation=PAUSED), in_place_obstacles=BLOCKED)


def here(intent: Intent = REPLACE_KEY, **more: object) -> Intent:
    return changed_intent(intent, strategy=Strategy.DIRECT, **more)


def restart(snapshot: Snapshot, *pods: str) -> Steps:
    """Of these nodes of the snapshot, for the CA NEW."""
    ca, uids = snapshot.ca, frozenset(pod.uid for pod in snapshot.nodes.pods if pod.name in pods)
    return (
        StampPods(
            generation=ca.certificate_generation, key_generation=ca.key_generation, before_restart=True,
            phase=Phase.USE,
        ),
        Roll(reason=RollReason.UPTAKE, uids=uids, authority=NEW.certificate, phase=Phase.USE),
    )  # fmt: skip


def one_is_back(snapshot: Snapshot) -> Snapshot:
    first, *rest = snapshot.nodes.pods
    ca = snapshot.ca
    back = replace(
        first, presents_stored=True, generation=ca.certificate_generation, key_generation=ca.key_generation
    )  # fmt: skip
    return changed(snapshot, pods=(back, *rest))


@pytest.mark.parametrize(
    ("snapshot", "pods"),
    [
        pytest.param(unlinked.ISSUED, PODS, id="leaves of another generation"),
        pytest.param(unlinked.STAMPED, PODS, id="a call was killed after it had stamped pods with the key"),
        pytest.param(one_is_back(unlinked.ISSUED), PODS[1:], id="one of them is back"),
        pytest.param(LINKED, PODS, id="other leaves of the same generation"),
    ],
)
def test_nodes_behind_their_stored_leaves_restart(snapshot: Snapshot, pods: tuple[str, ...]) -> None:
    assert restart_in_pause(situation(snapshot, here())) == restart(snapshot, *pods)


@pytest.mark.parametrize(
    "snapshot",
    [
        pytest.param(unlinked.LEARNED, id="leaves of the new generation are still to come"),
        pytest.param(changed(unlinked.ISSUED, in_place_obstacles=NOT_ANNOTATED), id="pods cannot be annotated"),
        pytest.param(changed(unlinked.ISSUED, in_place_obstacles=AGAIN), id="the operator would restart them again"),
        pytest.param(renewal.ISSUED, id="nodes read their leaves again"),
        pytest.param(linked.RECHAINED, id="nodes present the stored leaves"),
        pytest.param(linked.STAMPED, id="nothing is left"),
    ],
)
def test_no_node_restarts(snapshot: Snapshot) -> None:
    assert restart_in_pause(situation(snapshot, here())) == ()


def test_no_node_restarts_in_a_pause_where_the_operator_restarts_nodes() -> None:
    assert restart_in_pause(situation(unlinked.ISSUED)) == ()


def test_pods_other_than_nodes_are_left_to_the_operator() -> None:
    component = linked.ISSUED.nodes.pods[-1]
    assert component.name not in PODS
    (_stamp, roll) = restart_in_pause(situation(LINKED, here()))
    assert component.uid not in roll.restarts


def test_a_pause_ends_when_the_nodes_are_back() -> None:
    assert end_pause(situation(unlinked.ISSUED, here())) == restart(unlinked.ISSUED, *PODS)
    back = replace(
        unlinked.ISSUED,
        nodes=replace(
            unlinked.ISSUED.nodes,
            pods=tuple(
                replace(pod, presents_stored=True, generation=1, key_generation=1) for pod in unlinked.ISSUED.nodes.pods
            ),
        ),
    )
    assert [type(step) for step in end_pause(situation(back, here()))] == [Resume]


@pytest.mark.parametrize(
    ("intent", "obstacles", "is_paused"),
    [
        pytest.param(here(), BLOCKED, True, id="direct"),
        pytest.param(here(), None, True, id="the call has not asked the nodes"),
        pytest.param(REPLACE_KEY, BLOCKED, False, id="operator"),
        pytest.param(here(), NOT_ANNOTATED, False, id="pods cannot be annotated"),
        pytest.param(here(), AGAIN, False, id="the operator would restart them again"),
    ],
)
def test_the_operator_is_paused_before_it_sees_leaves_that_nodes_restart_for(
    intent: Intent, obstacles: InPlaceObstacles | None, is_paused: bool
) -> None:
    now = changed_intent(intent, retire=Retire.NOW)
    ledger = linked.TRUSTED.ledger_or_empty
    assert ledger.journal is not None
    journal = replace(ledger.journal, retire=Retire.NOW)
    snapshot = changed(linked.TRUSTED, in_place_obstacles=obstacles, ledger=replace(ledger, journal=journal))
    (step,) = replace_leaves(situation(snapshot, now))
    assert isinstance(step, Pause if is_paused else IssueLeaves)
    assert restarts_in_pause(situation(snapshot, now)) is is_paused


def test_a_call_of_the_other_strategy_ends_the_pause_and_leaves_the_nodes_to_the_operator() -> None:
    """The pods have the key generation already."""
    (step,) = end_pause(situation(unlinked.STAMPED))
    assert isinstance(step, Resume)

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stamps tell the paused operator about nodes, so that it finds nothing to restart; and the cases in which nobody tells it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Spread
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Component, InPlace, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.base import Steps
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import StampPods
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.order import stamp_pods

from ....support.intents import changed_intent
from .. import linked, patient, renewal, unlinked
from ..builders import PODS, RUNS, a_pod, answering, books_of, changed, cluster, pods, uids_of
from .asking import RECONCILE, pause_for, situation

BLOCKED, UNPREDICTED = InPlace(reload="no."), InPlace(stamps="the operator would restart them whatever it is told.")


def stamp(generation: int | None, key_generation: int, phase: Phase = Phase.USE) -> Steps:
    return (StampPods(generation=generation, key_generation=key_generation, phase=phase),)


def one_restarts(snapshot: Snapshot) -> Snapshot:
    """The ledger does not know what one of the nodes holds: its restart is not ours to hide."""
    held = tuple(replace(one, awaiting=one.awaiting - uids_of(PODS[2])) for one in books_of(snapshot).held)
    return replace(snapshot, ledger=replace(books_of(snapshot), held=held))


ISSUED = renewal.ISSUED
#: A leaf is of a generation to come: somebody else has written it.
AHEAD = changed(
    linked.RECHAINED,
    leaves=(replace(linked.RECHAINED.leaves.stored[0], generation=2), *linked.RECHAINED.leaves.stored[1:]),
)
#: A component that waits for its restart; its name comes after that of nodes.
EXPORTER = a_pod("exporter", 0, component=Component.KAFKA_EXPORTER, presents_stored=False, key_generation=0)


@pytest.mark.parametrize(
    ("snapshot", "expected"),
    [
        pytest.param(linked.RECHAINED, stamp(1, 1, Phase.RETIRE), id="nodes hold what is stored, with another chain"),
        pytest.param(patient.ISSUED, stamp(0, 0), id="nodes are to read it again"),
        pytest.param(ISSUED, stamp(1, 0), id="the same, of another generation"),
        pytest.param(unlinked.ISSUED, stamp(None, 1), id="nodes are to restart: only the key generation"),
        pytest.param(changed(linked.RECHAINED, in_place=BLOCKED), stamp(None, 1, Phase.RETIRE), id="cannot read again"),
        pytest.param(changed(linked.RECHAINED, in_place=UNPREDICTED), stamp(None, 1, Phase.RETIRE), id="not believed"),
        pytest.param(changed(ISSUED, in_place=BLOCKED), (), id="cannot read again, and the key is the same"),
        pytest.param(one_restarts(ISSUED), (), id="one of them waits for its restart"),
        pytest.param(replace(ISSUED, reconciliation=RUNS), pause_for(stamp(1, 0)[0]), id="never beside the operator"),
        pytest.param(linked.STRUCK, (), id="leaves are still of another generation"),
        pytest.param(
            changed(
                linked.RECHAINED, pods=tuple(replace(pod, key_generation=1) for pod in linked.RECHAINED.nodes.pods)
            ),
            stamp(1, 1, Phase.RETIRE),
            id="only their generation is behind",
        ),
        pytest.param(AHEAD, (), id="a leaf is of a later generation"),
        pytest.param(
            changed(linked.RECHAINED, pods=(*linked.RECHAINED.nodes.pods, EXPORTER)),
            stamp(1, 1, Phase.RETIRE),
            id="a component that restarts is in nobody's way",
        ),
        pytest.param(linked.STAMPED, (), id="told already"),
        pytest.param(renewal.STAMPED, (), id="told already, the key is the same"),
        pytest.param(cluster(pods=pods()), (), id="pods without a key generation are not behind"),
    ],
)
def test_what_the_operator_is_told(snapshot: Snapshot, expected: Steps) -> None:
    assert stamp_pods(situation(snapshot)) == expected


def test_a_node_that_has_started_in_the_pause_is_known_by_its_answer() -> None:
    """It was started with the new leaf, and is annotated with the older one. Before it answers, nothing shows what it was started with."""
    started = replace(one_restarts(ISSUED).nodes.pods[2], uid="another")
    snapshot = changed(ISSUED, pods=(*ISSUED.nodes.pods[:2], started))
    assert stamp_pods(situation(snapshot)) == ()
    assert stamp_pods(situation(answering(snapshot))) == stamp(1, 0)


def test_where_restarts_are_wanted_it_is_not_told() -> None:
    assert stamp_pods(situation(ISSUED, changed_intent(RECONCILE, spread=Spread.RESTART))) == ()

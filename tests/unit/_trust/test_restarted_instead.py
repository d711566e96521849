# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Restarts that a reload would have spared: which they are, what is said of them, and when they are not made."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decision import Decision
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.guarded import rests_on_a_reload
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent, Phase, Spread, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.restarted_instead import why_restarted_instead
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.sentences import name_of
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import (
    Pause,
    Promote,
    RechainLeaves,
    Reload,
    Resume,
    Roll,
    RollReason,
    StampPods,
    Step,
    Withdraw,
)

from . import crossing, rotation
from .builders import NEW, OLD
from .builders import name_of as fingerprint_of
from .test_reloading import OPERATOR, UIDS, told

BOTH_WAYS = pytest.mark.parametrize("way", list(Way))
GONE, COMING = fingerprint_of(OLD), fingerprint_of(NEW)
REMOVED = told(rotation.REMOVED, refusing=frozenset())
#: Nothing is left but that the CA takes the place of its bridge.
CROSSED = replace(crossing.WITHDRAWN, asked=True, unpredicted=())
OBSTACLE = "a permission is missing."


def intent(spread: Spread = Spread.AUTO, way: Way = Way.COOPERATE) -> Intent:
    return Intent(Goal.REPLACE_KEY, way, fingerprint_of(OLD), spread=spread)


def forget(reason: RollReason = RollReason.RETIRE, uids: frozenset[str] = UIDS) -> Roll:
    return Roll(reason, uids, GONE, Phase.RETIRE)


TAKES_ITS_PLACE = Promote(COMING, 2, phase=Phase.RETIRE)


@pytest.mark.parametrize(
    ("step", "snapshot", "said"),
    [
        (
            forget(), replace(REMOVED, unreloadable=OBSTACLE),
            f"Nodes are restarted to forget {name_of(GONE, REMOVED)}: {OBSTACLE}",
        ),
        (
            TAKES_ITS_PLACE, replace(CROSSED, unreloadable=OBSTACLE),
            f"Nodes are restarted when {name_of(COMING, CROSSED)} takes the place of its bridge: {OBSTACLE}",
        ),
        (
            TAKES_ITS_PLACE, replace(CROSSED, unpredicted=("demo-kafka-0", "demo-kafka-1")),
            f"Nodes are restarted when {name_of(COMING, CROSSED)} takes the place of its bridge: the Cluster Operator would "
            "restart demo-kafka-0, demo-kafka-1 whatever it is told.",
        ),
        (
            TAKES_ITS_PLACE, replace(CROSSED, unpredicted=None),
            f"Nodes are restarted when {name_of(COMING, CROSSED)} takes the place of its bridge: nobody has looked whether the "
            "Cluster Operator would restart them whatever it is told.",
        ),
        (TAKES_ITS_PLACE, CROSSED, ""),
        (Promote(COMING, 1), replace(CROSSED, unreloadable=OBSTACLE), ""),
        (forget(RollReason.USE), replace(REMOVED, unreloadable=OBSTACLE), ""),
        (forget(uids=frozenset({OPERATOR.uid})), replace(REMOVED, unreloadable=OBSTACLE), ""),
        (Reload(UIDS, GONE), REMOVED, ""),
    ],
)  # fmt: skip
def test_what_is_said(step: Step, snapshot: Snapshot, said: str) -> None:
    assert why_restarted_instead(step, snapshot, intent()) == said


def decided(snapshot: Snapshot, spread: Spread, way: Way) -> Decision:
    return decide(snapshot, intent(spread, way))


@BOTH_WAYS
@pytest.mark.parametrize("snapshot", [REMOVED, CROSSED], ids=["forget", "take its place"])
def test_who_asks_for_a_reload_is_held_where_there_can_be_none(snapshot: Snapshot, way: Way) -> None:
    blocked = replace(snapshot, unreloadable=OBSTACLE)
    held = decided(blocked, Spread.RELOAD, way)
    assert held.steps == ()
    (violation,) = held.violations
    assert (violation.gate, violation.subject) == ("reload", "Kafka kafka/demo")
    assert violation.message.startswith("spread=reload forbids this. Nodes are restarted ")
    assert violation.message.endswith(OBSTACLE)
    assert "spread=auto or spread=restart" in violation.remedy
    for spread in (Spread.AUTO, Spread.RESTART):
        assert decided(blocked, spread, way).steps
        assert not decided(blocked, spread, way).violations


@BOTH_WAYS
@pytest.mark.parametrize("snapshot", [REMOVED, CROSSED], ids=["forget", "take its place"])
def test_who_has_not_looked_is_not_held(snapshot: Snapshot, way: Way) -> None:
    """Or nobody would ever look."""
    for one in (snapshot, replace(snapshot, asked=False, listeners=None, unpredicted=None)):
        assert decided(one, Spread.RELOAD, way).steps
        assert not decided(one, Spread.RELOAD, way).violations


def test_a_pause_is_not_kept_for_what_is_not_done() -> None:
    state = replace(CROSSED.reconciliation, paused=True, paused_by_us=True, pause_effective=True)
    held = decided(replace(CROSSED, reconciliation=state, unreloadable=OBSTACLE), Spread.RELOAD, Way.COOPERATE)
    assert held.steps == (Resume(),)
    assert [violation.gate for violation in held.violations] == ["reload"]


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (Pause(Phase.RETIRE), True),
        (Pause(Phase.USE), False),
        (TAKES_ITS_PLACE, True),
        (Promote(COMING, 1), False),
        (RechainLeaves(("demo-kafka-0",), 2), True),
        (StampPods(2), True),
        (Reload(UIDS, GONE), True),
        (forget(), False),
        (Withdraw(GONE), False),
        (Resume(), False),
    ],
)
def test_before_which_steps_it_is_asked_whether_nodes_can_be_reloaded(step: Step, expected: bool) -> None:
    assert rests_on_a_reload(step, intent()) is expected
    assert rests_on_a_reload(step, Intent(Goal.RENEW_LEAVES))

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which leaves are in their time, and what is told to whom when they have been renewed."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent, Phase, Spread
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.leaf_renewal import (
    await_operators_roll,
    due_leaves,
    read_renewed,
    renew_leaves,
    restart_holders,
    stamp_renewed,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal, HeldLeaf, Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions import check
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import (
    Component,
    Reconciliation,
    Snapshot,
    StoredLeaf,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.states import TrustState
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import (
    IssueLeaves,
    Reload,
    Roll,
    RollReason,
    StampPods,
    WriteLedger,
)

from .._pki.hierarchy import NOW, YEAR, Entity, key, make
from .._pki.hierarchy import leaf as issue_leaf
from .builders import (
    DAY,
    NEW,
    PODS,
    a_journal,
    a_leaf,
    a_pod,
    cluster,
    entry,
    leaves,
    ledger,
    pods,
    prepared,
    secrets,
    uid_of,
    uids_of,
)

#: A CA that outlives its leaves by years, and its leaves.
LASTING = make("cluster-ca v0", key(0), path_length=1, end=NOW + 5 * YEAR)
RENEW = Intent(Goal.RENEW_LEAVES)
PAUSED = Reconciliation(paused=True, paused_by_us=True, pause_effective=True)


def leaf_with(left: timedelta, life: timedelta = YEAR, issuer: Entity = LASTING, **fields: Any) -> StoredLeaf:
    made = issue_leaf(issuer, begin=NOW + left - life, end=NOW + left)
    return a_leaf(chain=(made, issuer.certificate), **fields)


def settled(*stored: StoredLeaf, **fields: Any) -> Snapshot:
    made: dict[str, Any] = {
        "ca": secrets(LASTING), "ledger": ledger(entry(LASTING, generations={0})), "leaves": stored, "asked": True,
        "unpredicted": (), **fields,
    }  # fmt: skip
    return cluster(**made)


def books(snapshot: Snapshot) -> Ledger:
    return snapshot.ledger or Ledger()


@pytest.mark.parametrize(
    ("stored", "due"),
    [
        pytest.param(leaf_with(44 * DAY), True, id="in its time"),
        pytest.param(leaf_with(46 * DAY), False, id="before its time"),
        pytest.param(leaf_with(-1 * DAY), True, id="too late is better than never"),
        pytest.param(leaf_with(16 * DAY, 30 * DAY), False, id="a short life, more than half of it left"),
        pytest.param(leaf_with(14 * DAY, 30 * DAY), True, id="a short life, less than half of it left"),
        pytest.param(leaf_with(44 * DAY, component=Component.CLUSTER_OPERATOR), False, id="not of a node"),
        pytest.param(leaf_with(44 * DAY, generation=7), False, id="of another generation"),
        pytest.param(leaf_with(44 * DAY, issuer=NEW), False, id="of another CA"),
        pytest.param(replace(leaf_with(44 * DAY), chain=None), False, id="unreadable"),
    ],
)
def test_due(stored: StoredLeaf, due: bool) -> None:
    snapshot = settled(stored)
    assert due_leaves(snapshot, RENEW, books(snapshot)) == ((stored,) if due else ())
    assert due_leaves(snapshot, Intent(Goal.RECONCILE), books(snapshot)) == ()


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"ledger": ledger(entry(LASTING, generations={0}), journal=a_journal())}, id="another flow"),
        pytest.param({"ca": secrets(LASTING, prepared=(prepared(NEW),))}, id="a CA that waits"),
        pytest.param({"ledger": ledger(entry(LASTING, TrustState.TRUSTED_IN_USE_ANY, {0}))}, id="not used by all"),
        pytest.param({"ledger": None}, id="a cluster that nobody knows yet"),
    ],
)
def test_nothing_is_due_in_between(changes: dict[str, Any]) -> None:
    snapshot = settled(leaf_with(44 * DAY), **changes)
    assert due_leaves(snapshot, RENEW, books(snapshot)) == ()


def test_a_leaf_that_ends_with_its_ca_is_for_another_playbook() -> None:
    short = make("cluster-ca v0", key(0), path_length=1, end=NOW + 20 * DAY)
    stored = leaf_with(20 * DAY, issuer=short)
    snapshot = settled(stored, ca=secrets(short), ledger=ledger(entry(short, generations={0})))
    assert due_leaves(snapshot, RENEW, books(snapshot)) == ()
    (violation,) = check(snapshot, RENEW)
    assert (violation.gate, violation.subject) == ("expiry", f"Secret kafka/{PODS[0]}")


def test_what_is_held_is_written_down_first() -> None:
    stored = leaf_with(44 * DAY)
    snapshot = settled(stored, reconciliation=PAUSED)
    assert stored.chain
    noted = replace(books(snapshot), held=(HeldLeaf(stored.chain[0], uids_of(PODS[0])),))
    assert renew_leaves(snapshot, RENEW, books(snapshot)) == (WriteLedger(noted, Phase.USE),)
    assert renew_leaves(snapshot, RENEW, noted) == (IssueLeaves((PODS[0],), 0, Phase.USE),)


def test_a_process_that_was_started_with_something_else_does_not_hold_it() -> None:
    """It is restarted for that, so nothing is read again."""
    snapshot = settled(leaf_with(44 * DAY), reconciliation=PAUSED, pods=(a_pod(presents_stored=False),))
    assert renew_leaves(snapshot, RENEW, books(snapshot)) == (IssueLeaves((PODS[0],), 0, Phase.USE),)


HELD = HeldLeaf(issue_leaf(LASTING, "held", end=NOW + 30 * DAY), uids_of(PODS[0]))
RENEWED = (a_pod(presents_stored=False), *pods(names=PODS[1:]))


def renewed(*held: HeldLeaf, **fields: Any) -> Snapshot:
    """The first node's leaf was renewed."""
    made: dict[str, Any] = {
        "ledger": ledger(entry(LASTING, generations={0}), held=held), "pods": RENEWED, "reconciliation": PAUSED, **fields,
    }  # fmt: skip
    return settled(*leaves(LASTING), **made)


@pytest.mark.parametrize(
    ("snapshot", "told"),
    [
        pytest.param(renewed(HELD), True, id="as if it had been started with it"),
        pytest.param(renewed(), False, id="waits for a restart that is not ours"),
        pytest.param(
            renewed(HELD, pods=(*RENEWED[:2], a_pod(PODS[2], presents_stored=False))), False,
            id="another waits for a restart that is not ours",
        ),
        pytest.param(renewed(HELD, unpredicted=(PODS[1],)), False, id="a revision that is not reproduced"),
        pytest.param(renewed(HELD, unpredicted=None), False, id="nobody looked at revisions"),
        pytest.param(renewed(HELD, unreloadable="no."), False, id="cannot be told"),
        pytest.param(renewed(HELD, pods=pods()), False, id="told already"),
        pytest.param(renewed(HELD, reconciliation=Reconciliation()), False, id="the operator is at work"),
    ],
)  # fmt: skip
def test_what_the_operator_is_told(snapshot: Snapshot, told: bool) -> None:
    assert stamp_renewed(snapshot, RENEW, books(snapshot)) == ((StampPods(0, Phase.USE),) if told else ())


def test_read_again_when_the_operator_knows() -> None:
    snapshot = renewed(HELD, pods=pods(), reconciliation=Reconciliation())
    assert read_renewed(snapshot, RENEW, books(snapshot)) == (Reload(uids_of(PODS[0]), None, Phase.USE),)
    untold = renewed(HELD, reconciliation=Reconciliation())
    assert read_renewed(untold, RENEW, books(untold)) == ()
    (waited_for,) = await_operators_roll(untold, RENEW, books(untold))
    assert isinstance(waited_for, Roll)
    assert (waited_for.reason, waited_for.uids) == (RollReason.USE, uids_of(PODS[0]))


def test_restarted_where_it_cannot_be_read_any_more() -> None:
    snapshot = renewed(HELD, pods=pods(), reconciliation=Reconciliation())
    (step,) = read_renewed(snapshot, replace(RENEW, spread=Spread.RESTART), books(snapshot))
    assert isinstance(step, Roll)
    assert (step.reason, step.uids) == (RollReason.LEAF, uids_of(PODS[0]))


@pytest.mark.parametrize(
    ("left", "goal", "restarted"),
    [
        (8 * DAY, Goal.RECONCILE, False),
        (6 * DAY, Goal.RECONCILE, True),
        (6 * DAY, Goal.RENEW_LEAVES, True),
        (8 * DAY, Goal.DOWNGRADE, True),
    ],
)
def test_restarted_before_it_ends(left: timedelta, goal: Goal, restarted: bool) -> None:
    held = HeldLeaf(issue_leaf(LASTING, "held", end=NOW + left), frozenset(), uids_of(PODS[0]) | {uid_of("gone")})
    snapshot = renewed(held, pods=pods())
    steps = restart_holders(snapshot, Intent(goal), books(snapshot))
    assert [step.uids for step in steps if isinstance(step, Roll)] == ([uids_of(PODS[0])] if restarted else [])

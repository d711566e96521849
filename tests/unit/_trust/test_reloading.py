# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When a removed CA is forgotten by a reload, who is restarted nevertheless, and who is remembered."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.bookkeeping import keep_books
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.guarded import needs_a_look
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Intent, Phase, Spread, Way
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal, Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.observed import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.reloading import why_restarted
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Component, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.spreading import spread_removal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import (
    Reload,
    Roll,
    RollReason,
    Step,
    WriteLedger,
)

from . import rotation as stage
from .builders import NEW, OLD, a_pod, name_of, names_of, uids_of

GONE = name_of(OLD)
RECONCILE = Intent(Goal.RECONCILE, Way.COOPERATE)
OPERATOR = a_pod("demo-entity-operator", start=2, component=Component.ENTITY_OPERATOR)
UIDS = uids_of(start=2)


def told(snapshot: Snapshot, *, refusing: frozenset[str]) -> Snapshot:
    """The nodes have been asked; these refuse the CA that is gone, the others accept it."""
    listeners = tuple(
        ObservedListener(
            pod.name, pod.uid, 9090,
            accepts=names_of(NEW) | (frozenset() if pod.uid in refusing else {GONE}),
            refuses=frozenset({GONE}) if pod.uid in refusing else frozenset(),
        )
        for pod in snapshot.pods if pod.component is Component.KAFKA
    )  # fmt: skip
    return replace(snapshot, listeners=listeners, asked=True, unpredicted=())


def books(snapshot: Snapshot) -> Ledger:
    return snapshot.ledger or Ledger()


def steps(snapshot: Snapshot, spread: Spread = Spread.AUTO) -> tuple[Step, ...]:
    return spread_removal(snapshot, replace(RECONCILE, spread=spread), books(snapshot))


def roll(uids: frozenset[str]) -> tuple[Step, ...]:
    return (Roll(RollReason.RETIRE, uids, GONE, Phase.RETIRE),)


def with_others(snapshot: Snapshot) -> Snapshot:
    """The entity operator started with the removed CA as well."""
    ledger = books(snapshot)
    removed = tuple(replace(one, awaiting=one.awaiting | {OPERATOR.uid}) for one in ledger.removed)
    return replace(snapshot, pods=(*snapshot.pods, OPERATOR), ledger=replace(ledger, removed=removed))


def test_nodes_that_still_trust_it_read_again() -> None:
    assert steps(told(stage.REMOVED, refusing=frozenset())) == (Reload(UIDS, GONE),)
    one = frozenset(sorted(UIDS)[:1])
    assert steps(told(stage.REMOVED, refusing=one)) == (Reload(UIDS - one, GONE),)


@pytest.mark.parametrize(
    ("changes", "spread", "why"),
    [
        ({}, Spread.RESTART, "spread=restart asks for it."),
        ({"asked": False}, Spread.AUTO, "the running nodes cannot be asked what they trust."),
        ({"unreloadable": "no Kafka library."}, Spread.AUTO, "no Kafka library."),
    ],
)
def test_restarted_where_they_cannot(changes: dict[str, object], spread: Spread, why: str) -> None:
    snapshot = replace(told(stage.REMOVED, refusing=frozenset()), **changes)  # type: ignore[arg-type]
    assert steps(snapshot, spread) == roll(UIDS)
    assert why_restarted(snapshot, replace(RECONCILE, spread=spread)) == why


def test_other_components_are_restarted_without_the_nodes_that_refuse_it() -> None:
    snapshot = with_others(stage.REMOVED)
    assert steps(told(snapshot, refusing=frozenset())) == (Reload(UIDS, GONE),)
    assert steps(told(snapshot, refusing=UIDS)) == roll(frozenset({OPERATOR.uid}))
    # Nobody looked: all may trust it.
    assert steps(snapshot) == roll(UIDS | {OPERATOR.uid})


def test_processes_whose_listeners_refuse_it_are_remembered_until_they_are_gone() -> None:
    after, _transitions = keep_books(told(stage.REMOVED, refusing=UIDS))
    assert [(one.awaiting, one.lingering) for one in after.removed] == [(frozenset(), UIDS)]
    half = replace(stage.HALF_RETIRED, ledger=after)
    assert [one.lingering for one in keep_books(half)[0].removed] == [UIDS & half.uids]
    assert keep_books(replace(stage.RETIRED, ledger=after))[0].removed == ()


@pytest.mark.parametrize("refusing", [frozenset(), frozenset(sorted(UIDS)[:2])])
def test_nobody_is_remembered_as_told_while_one_listener_accepts_it(refusing: frozenset[str]) -> None:
    after, _transitions = keep_books(told(stage.REMOVED, refusing=refusing))
    assert after.removed == books(stage.REMOVED).removed


def test_a_listener_that_says_nothing_of_it_may_trust_it() -> None:
    silent = replace(told(stage.REMOVED, refusing=UIDS), listeners=())
    assert keep_books(silent)[0].removed == books(stage.REMOVED).removed


@pytest.mark.parametrize(
    ("step", "looked"),
    [
        (Roll(RollReason.RETIRE, UIDS, GONE, Phase.RETIRE), True),
        (Roll(RollReason.TRUST, UIDS, GONE, Phase.TRUST), False),
        (Roll(RollReason.USE, UIDS, GONE, Phase.USE), False),
        (WriteLedger(replace(books(stage.REMOVED), removed=()), Phase.RETIRE), True),
        (WriteLedger(books(stage.REMOVED), Phase.RETIRE), False),
    ],
)
def test_who_is_asked_before(step: Step, looked: bool) -> None:
    assert needs_a_look(step, stage.REMOVED) is looked
    assert not needs_a_look(step, replace(stage.REMOVED, pods=()))

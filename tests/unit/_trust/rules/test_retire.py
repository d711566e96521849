# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Chapter "Retire": a CA that nobody relies on leaves the trust, and running processes forget it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import OutsideClient
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Spread
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import LedgerEntry, RemovedEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import InPlace, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.base import Steps
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Reload, Roll, RollReason
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import Withdraw
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.retire import forget, withdraw

from ....support.intents import changed_intent
from .. import linked, unlinked
from ..builders import (
    IMPOSTOR,
    NEW,
    OLD,
    PHASE_OUT,
    PODS,
    RENEWED,
    THIRD,
    a_leaf,
    a_pod,
    answering,
    books_of,
    chain_of,
    changed,
    entry,
    ledger,
    name_of,
    names_of,
    others,
    prepared,
    uid_of,
    uids_of,
)
from .asking import REPLACE_KEY, pause_for, situation, turns

OLD_NAME, GONE = named(OLD.certificate), name_of(OLD)
NODES = uids_of(start=1)
TOPICS = frozenset({uid_of("topics", 1)})
READS_AGAIN = (
    f"{OLD_NAME} is taken from the listeners by having them read their trust again; Raft clients and agents know it until "
    "the next restart of their node."
)
BLOCKED = InPlace(reload="no Kafka library.")
#: The topic operator has not restarted yet.
ALL_KNOW_IT = changed(linked.TIDIED, pods=linked.USED.nodes.pods)
#: Another key under the name of the removed CA is trusted, and both keys are elsewhere.
NAMESAKES = ALL_KNOW_IT.with_ca(others=others(IMPOSTOR), elsewhere=frozenset({OLD.certificate.public_key_sha256}))
NOT_TOLD = (
    f"listeners tell the names of the CAs that they trust, {named(IMPOSTOR.certificate)} has the name of {OLD_NAME}, and the key of the latter is "
    "not here for a probe."
)


def reload(uids: frozenset[str]) -> Steps:
    return (Reload(uids=uids, authority=OLD.certificate, because=READS_AGAIN),)


def roll(uids: frozenset[str], why: str = "") -> Steps:
    avoidable = f"Nodes are restarted to forget {OLD_NAME}: {why}" if why else ""
    about = OLD.certificate
    return (
        Roll(reason=RollReason.RETIRE, uids=uids, authority=about, phase=Phase.RETIRE, avoidable=avoidable),
    )  # fmt: skip


def test_its_turn() -> None:
    """Where a link certificate served, the CA has left with the switch."""
    out = Withdraw(certificate=OLD.certificate)
    assert turns(withdraw) == {"unlinked PHASED_OUT": pause_for(out)}
    assert turns(forget) == {
        "linked REMOVED": reload(NODES),
        "unlinked CLEAN": reload(uids_of(start=2)),
        "unlinked HALF_RETIRED": reload(uids_of(*PODS[1:], start=2)),
    }
    assert withdraw(situation(unlinked.RETIRING)) == (out,)


RETIRING = unlinked.RETIRING


@pytest.mark.parametrize(
    "snapshot",
    [
        pytest.param(unlinked.USED, id="by the books it is in use"),
        pytest.param(changed(RETIRING, pods=()), id="without processes its state is kept"),
        pytest.param(changed(RETIRING, leaves=(*RETIRING.leaves.stored, a_leaf("late"))), id="a stored leaf is of it"),
        pytest.param(
            changed(RETIRING, pods=(a_pod(generation=None), *RETIRING.nodes.pods[1:])), id="who knows what a pod presents"
        ),
        pytest.param(
            changed(RETIRING, outside=(OutsideClient("Secret kafka/app", chain_of(OLD)),)), id="a client outside needs it"
        ),
        pytest.param(unlinked.WITHDRAWN, id="it is out already"),
        pytest.param(linked.HALTED, id="the operator's own CA leaves by a switch"),
        pytest.param(
            changed(
                linked.HALTED, ledger=ledger(entry(OLD), entry(NEW, PHASE_OUT)), pods=linked.SETTLED.nodes.pods,
                leaves=linked.SETTLED.leaves.stored,
            ),
            id="the next one is to be used again",
        ),
    ],
)  # fmt: skip
def test_it_does_not_leave(snapshot: Snapshot) -> None:
    assert withdraw(situation(snapshot)) == ()


IN_USE_BY_BOOKS = entry(THIRD)
HELD_BACK = entry(THIRD, PHASE_OUT)
GONE_ALREADY = entry(RENEWED, PHASE_OUT)


@pytest.mark.parametrize(
    ("first", "fields"),
    [
        pytest.param(IN_USE_BY_BOOKS, {}, id="one that is used"),
        pytest.param(GONE_ALREADY, {}, id="one that is out already"),
        pytest.param(
            HELD_BACK, {"leaves": (*RETIRING.leaves.stored, a_leaf("late", THIRD))}, id="one that a stored leaf is of"
        ),
    ],
)
def test_one_that_stays_keeps_no_other(first: LedgerEntry, fields: dict[str, Any]) -> None:
    """Their order in the ledger does not matter."""
    books = books_of(RETIRING)
    ca = replace(RETIRING.ca, others={**RETIRING.ca.others, **others(THIRD)})
    snapshot = changed(RETIRING, ca=ca, ledger=replace(books, entries=(first, *books.entries)), **fields)
    assert withdraw(situation(snapshot)) == (Withdraw(certificate=OLD.certificate),)


def test_the_next_one_stays_and_keeps_no_other() -> None:
    """A flow that was to put it into the place of another has begun, and by the books it was leaving."""
    books = books_of(RETIRING)
    ca = replace(RETIRING.ca, others={**RETIRING.ca.others, **others(THIRD)}, prepared=(prepared(THIRD),))
    snapshot = replace(RETIRING, ca=ca, ledger=replace(books, entries=(HELD_BACK, *books.entries)))
    assert withdraw(situation(snapshot)) == (Withdraw(certificate=OLD.certificate),)


PUT_BACK = linked.REMOVED.with_ca(others=others(OLD))


def test_what_has_left_is_taken_out_again() -> None:
    """Processes that read their trust again would find it there."""
    out = Withdraw(certificate=OLD.certificate)
    assert withdraw(situation(PUT_BACK)) == pause_for(out)
    paused = replace(PUT_BACK, reconciliation=RETIRING.reconciliation)
    assert withdraw(situation(paused)) == (out,)


@pytest.mark.parametrize(
    "snapshot",
    [
        pytest.param(linked.REMOVED, id="nobody has put it back"),
        pytest.param(changed(PUT_BACK, leaves=(*PUT_BACK.leaves.stored, a_leaf("late"))), id="with a leaf of it"),
        pytest.param(
            changed(linked.REMOVED.with_ca(current=chain_of(OLD)), pods=(), leaves=()),
            id="in the place of the one in use",
        ),
        pytest.param(linked.FINISHED.with_ca(others=others(OLD)), id="when no listener knew it any more"),
    ],
)
def test_it_stays_where_somebody_has_put_it(snapshot: Snapshot) -> None:
    assert withdraw(situation(snapshot)) == ()


@pytest.mark.parametrize("spread", [Spread.AUTO, Spread.RESTART])
def test_nobody_is_made_to_forget_it_while_it_stays(spread: Spread) -> None:
    """A process that reads its trust again, or starts, would know it."""
    stays = changed(PUT_BACK, leaves=(*PUT_BACK.leaves.stored, a_leaf("late")))
    assert forget(situation(stays, changed_intent(REPLACE_KEY, spread=spread))) == ()


def refusing(*uids: str) -> Snapshot:
    """These nodes refuse the removed CA; the others accept it."""
    asked = answering(ALL_KNOW_IT, accepting=names_of(NEW, OLD))
    answers = (
        replace(one, accepts=names_of(NEW), refuses=names_of(OLD)) if one.uid in uids else one
        for one in asked.nodes.listeners or ()
    )
    return changed(asked, listeners=tuple(answers))


@pytest.mark.parametrize(
    ("snapshot", "spread", "expected"),
    [
        pytest.param(ALL_KNOW_IT, Spread.AUTO, reload(NODES), id="nodes read again"),
        pytest.param(refusing(uid_of(PODS[0], 1)), Spread.AUTO, reload(uids_of(*PODS[1:], start=1)), id="who accepts it"),
        pytest.param(refusing(*NODES), Spread.AUTO, roll(TOPICS), id="then the others restart, without the nodes"),
        pytest.param(
            changed(ALL_KNOW_IT, in_place=BLOCKED), Spread.AUTO, roll(NODES | TOPICS, BLOCKED.reload), id="they cannot"
        ),
        pytest.param(
            changed(ALL_KNOW_IT, in_place=None), Spread.AUTO,
            roll(NODES | TOPICS, "it is unknown whether nodes can be told to read their certificates again."),
            id="nobody knows",
        ),
        pytest.param(
            ALL_KNOW_IT, Spread.RESTART, roll(NODES | TOPICS, "spread=restart asks for it."), id="they shall not"
        ),
        pytest.param(NAMESAKES, Spread.AUTO, roll(NODES | TOPICS, NOT_TOLD), id="no listener could show that it has"),
        pytest.param(
            NAMESAKES.with_ca(kept_keys=names_of(OLD), elsewhere=frozenset()), Spread.AUTO, reload(NODES), id="a probe shows it"
        ),
        pytest.param(changed(ALL_KNOW_IT, in_place=InPlace(stamps="x")), Spread.AUTO, reload(NODES), id="nothing is stamped"),
        pytest.param(linked.FINISHED, Spread.AUTO, (), id="what does not read again is remembered only"),
        pytest.param(unlinked.RETIRED, Spread.AUTO, (), id="all have restarted"),
    ],
)  # fmt: skip
def test_who_forgets_it_how(snapshot: Snapshot, spread: Spread, expected: Steps) -> None:
    assert forget(situation(snapshot, changed_intent(REPLACE_KEY, spread=spread))) == expected


def test_one_removed_ca_after_the_other() -> None:
    first, second = RemovedEntry(THIRD.certificate, uids_of(PODS[0], start=2)), books_of(unlinked.CLEAN).removed[0]
    snapshot = replace(unlinked.CLEAN, ledger=replace(books_of(unlinked.CLEAN), removed=(first, second)))
    (step,) = forget(situation(snapshot))
    assert isinstance(step, Reload)
    assert (step.authority, step.uids) == (THIRD.certificate, first.awaiting)

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The leaves that are due for renewal."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.trigger import Reason
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Stop, TrustState
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    Component,
    InPlace,
    Snapshot,
    StoredLeaf,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.due import (
    due_leaves,
    due_reasons,
    due_reasons_under,
    ending_leaves,
)

from ....support.certificates import NOW, YEAR, Entity, key, make
from ....support.certificates import leaf as issue_leaf
from ..builders import (
    ALL,
    ANY,
    DAY,
    NEW,
    PHASE_OUT,
    UNUSED,
    a_journal,
    a_leaf,
    books_of,
    chain_of,
    cluster,
    entry,
    ledger,
    prepared,
    secrets,
    stored_chain,
)
from ..requested import elsewhere

LEAVES, RECONCILE = Intent(Goal.RENEW_LEAVES), Intent(Goal.RECONCILE)


#: A CA that outlives its leaves by years, and one that ends soon.
LASTING = make("cluster-ca v0", key(0), path_length=1, end=NOW + 5 * YEAR)
SHORT = make("cluster-ca v0", key(0), path_length=1, end=NOW + 20 * DAY)


def leaf_with(left: timedelta, life: timedelta = YEAR, issuer: Entity = LASTING, **fields: Any) -> StoredLeaf:
    made = issue_leaf(issuer, begin=NOW + left - life, end=NOW + left)
    return a_leaf(chain=(made, issuer.certificate), **fields)


def settled(*stored: StoredLeaf, **fields: Any) -> Snapshot:
    made: dict[str, Any] = {
        "ca": secrets(LASTING), "ledger": ledger(entry(LASTING, generations={0})), "leaves": stored,
        "in_place": InPlace(), **fields,
    }  # fmt: skip
    return cluster(**made)


ENDING = leaf_with(44 * DAY)


@pytest.mark.parametrize("after", [None, *Phase])
@pytest.mark.parametrize("here", [True, False])
def test_a_flow_that_stops_before_it_replaces_the_ca_lets_its_leaves_be_renewed(
    after: Phase | None, here: bool
) -> None:
    """Not where somebody else keeps the key: the issuer is asked for leaves of the next CA already."""
    journal = a_journal(old=LASTING, stop=Stop(after, NOW) if after else None)
    books = ledger(entry(LASTING, generations={0}), entry(NEW, UNUSED), journal=journal)
    ca = secrets(
        LASTING,
        prepared=(prepared(NEW),),
        elsewhere=frozenset() if here else frozenset({LASTING.certificate.public_key_sha256}),
    )
    seen = settled(ENDING, ca=ca, ledger=books)
    assert (ENDING in due_leaves(seen, LEAVES, books)) is (here and after in (Phase.PREPARE, Phase.TRUST))


@pytest.mark.parametrize(
    ("stored", "due"),
    [
        pytest.param(ENDING, True, id="in its time"),
        pytest.param(leaf_with(46 * DAY), False, id="before its time"),
        pytest.param(leaf_with(45 * DAY), False, id="its time is about to begin"),
        pytest.param(leaf_with(-1 * DAY), True, id="too late is better than never"),
        pytest.param(leaf_with(16 * DAY, 30 * DAY), False, id="a short life, more than half of it left"),
        pytest.param(leaf_with(14 * DAY, 30 * DAY), True, id="a short life, less than half of it left"),
        *(
            pytest.param(leaf_with(44 * DAY, component=one), False, id=f"not of a node: {one.value}")
            for one in Component
            if one is not Component.KAFKA
        ),
        pytest.param(leaf_with(44 * DAY, generation=7), False, id="of another generation"),
        pytest.param(leaf_with(44 * DAY, issuer=NEW), False, id="of another CA"),
        pytest.param(replace(ENDING, chain=None), False, id="unreadable"),
    ],
)
def test_which_leaves_are_due(stored: StoredLeaf, due: bool) -> None:
    snapshot = settled(stored)
    expected = (stored,) if due else ()
    assert due_leaves(snapshot, LEAVES, books_of(snapshot)) == ending_leaves(snapshot, LEAVES) == expected
    for goal in set(Goal) - {Goal.RENEW_LEAVES}:
        assert due_leaves(snapshot, Intent(goal), books_of(snapshot)) == ()


def test_of_a_chain_the_ca_that_issues_counts() -> None:
    root = make("Corporate Root", key(6), end=NOW + 5 * YEAR)
    below = make("Corporate Issuing CA", key(7), root, end=NOW + 5 * YEAR)
    chain, stored = chain_of(below, root), leaf_with(44 * DAY, issuer=below)
    snapshot = settled(stored, ca=secrets(chain), ledger=ledger(entry(chain, generations={0})))
    assert due_leaves(snapshot, LEAVES, books_of(snapshot)) == (stored,)


@pytest.mark.parametrize(
    ("left", "due"), [(timedelta(days=1), True), (timedelta(hours=23), False), (timedelta(0), False)]
)
def test_a_leaf_is_not_renewed_for_less_than_a_day(left: timedelta, due: bool) -> None:
    """It ends with its CA: the CA is renewed by another flow, and its leaves with it."""
    stored = leaf_with(20 * DAY - left, issuer=SHORT)
    snapshot = settled(stored, ca=secrets(SHORT), ledger=ledger(entry(SHORT, generations={0})))
    assert due_leaves(snapshot, LEAVES, books_of(snapshot)) == ((stored,) if due else ())
    assert ending_leaves(snapshot, LEAVES) == (stored,)


@pytest.mark.parametrize(
    ("changes", "due"),
    [
        pytest.param(
            {"ledger": ledger(entry(LASTING, generations={0}), journal=a_journal())}, False, id="another flow"
        ),
        pytest.param(
            {"ledger": ledger(entry(LASTING, ANY, {0}), journal=a_journal(new=LASTING))}, True,
            id="the flow that has brought this CA waits for nodes",
        ),
        pytest.param(
            {
                "ledger": ledger(entry(LASTING, ANY, {0}), journal=a_journal(new=LASTING)),
                "ca": secrets(LASTING, prepared=(prepared(LASTING),)),
            },
            False, id="in the middle of its switch",
        ),
        pytest.param({"ca": secrets(LASTING, prepared=(prepared(NEW),))}, False, id="a CA that waits"),
        pytest.param({"ca": secrets(None)}, False, id="no CA"),
        pytest.param({"ledger": ledger(entry(LASTING, ANY, {0}))}, False, id="not used by all"),
        pytest.param({"ledger": ledger(entry(LASTING, PHASE_OUT, {0}))}, False, id="used by nobody"),
        pytest.param({"ca": secrets(LASTING, certificate_generation=1)}, False, id="another generation"),
        pytest.param({"ledger": ledger(entry(LASTING, UNUSED, {0})), "pods": ()}, True, id="there is nobody to use it"),
        pytest.param({"ledger": None}, False, id="a cluster that nobody knows yet"),
    ],
)  # fmt: skip
def test_nothing_is_due_in_between(changes: dict[str, Any], due: bool) -> None:
    snapshot = settled(ENDING, **changes)
    assert bool(due_leaves(snapshot, LEAVES, books_of(snapshot))) is due


@pytest.mark.parametrize("component", Component)
def test_where_somebody_else_keeps_the_key_all_are_renewed_here(component: Component) -> None:
    """The operator, which renews the leaves of components otherwise, cannot."""
    stored = replace(ENDING, component=component)
    snapshot = settled(stored)
    assert bool(ending_leaves(snapshot, LEAVES)) is (component is Component.KAFKA)
    assert ending_leaves(elsewhere(snapshot, LASTING), LEAVES) == (stored,)
    assert bool(ending_leaves(elsewhere(snapshot, NEW), LEAVES)) is (component is Component.KAFKA)


#: Leaves of the first node that are to be issued anew whatever their dates are, and why.
UNFIT: dict[Reason, Any] = {
    Reason.UNREADABLE: {"chain": None, "problem": "no readable certificate"},
    Reason.KEY: {"beside": "ab"},
    Reason.AUTHORITY: {"chain": stored_chain(NEW)},
}


@pytest.mark.parametrize("component", [one for one in Component if one is not Component.USER])
@pytest.mark.parametrize("reason", UNFIT)
@pytest.mark.parametrize("state", [ALL, ANY])
def test_what_no_process_could_use_is_due_where_the_operator_cannot_issue_it(
    state: TrustState, reason: Reason, component: Component
) -> None:
    """Also before the CA in use is taken up: the leaf of one process may be what keeps it from that."""
    stored = replace(leaf_with(200 * DAY), component=component, **UNFIT[reason])
    here = settled(stored, ledger=ledger(entry(LASTING, state, {0})))
    there = elsewhere(here, LASTING)
    assert due_reasons(here, RECONCILE, books_of(here)) == {}
    (why,) = due_reasons(there, RECONCILE, books_of(there)).values()
    assert why.reason is reason
    assert due_reasons_under(there, RECONCILE, books_of(there), there.ca.current) == {stored.secret: why}
    assert due_leaves(there, RECONCILE, books_of(there)) == (stored,)


def test_what_no_process_could_use_is_asked_of_the_next_ca_once_there_is_one() -> None:
    stored = replace(leaf_with(200 * DAY), **UNFIT[Reason.KEY])
    waiting = elsewhere(settled(stored), LASTING, NEW)
    begun = waiting.with_ca(prepared=(prepared(NEW),))
    books = ledger(entry(LASTING, generations={0}), entry(NEW, UNUSED))
    assert due_reasons(begun, RECONCILE, books) == {}
    assert due_reasons_under(begun, RECONCILE, books, chain_of(NEW))[stored.secret].reason is Reason.KEY

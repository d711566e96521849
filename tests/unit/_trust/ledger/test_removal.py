# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A CA that was withdrawn leaves the ledger, and who still trusts it is remembered."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import GATES, Gates
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.books import strike_removed
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Ledger, RemovedEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Component, Snapshot

from ....support.certificates import NOW, Entity
from .. import unlinked as stage
from ..builders import (
    ALL,
    ANY,
    DAY,
    INTERMEDIATE,
    NEW,
    OLD,
    PHASE_OUT,
    PODS,
    RENEWED,
    ROOT,
    SHORT,
    THIRD,
    UNUSED,
    a_journal,
    a_leaf,
    a_pod,
    books_of,
    chain_of,
    changed,
    cluster,
    entry,
    leaves,
    ledger,
    name_of,
    names_of,
    pods,
    prepared,
    secrets,
    uids_of,
)

_WITHDRAWN = books_of(stage.OUT_OF_BUNDLE).entries


def struck(snapshot: Snapshot, books: Ledger | None = None, gates: Gates = GATES) -> Ledger:
    """books: what this pass has made of the ledger so far."""
    return strike_removed(snapshot, books or books_of(snapshot), gates)


def test_it_leaves_and_everybody_who_runs_may_still_trust_it() -> None:
    after = struck(stage.OUT_OF_BUNDLE)
    assert after == replace(
        books_of(stage.OUT_OF_BUNDLE),
        entries=books_of(stage.REMOVED).entries,
        removed=(RemovedEntry(OLD.certificate, uids_of(start=2)),),
    )


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"pods": ()}, id="no pods: the state is kept"),
        pytest.param({"bundle": names_of(OLD, NEW)}, id="still in the bundle"),
        pytest.param({"ca": stage.PHASED_OUT.ca}, id="still in the Secret"),
        pytest.param({"leaves": (*leaves(NEW, 1), a_leaf("other", OLD, 0))}, id="a stored leaf needs it"),
        pytest.param({"leaves": (*leaves(NEW, 1), a_leaf("other", chain=None))}, id="a stored leaf is unreadable"),
        pytest.param({"pods": (a_pod(generation=None), *pods(1, names=PODS[1:]))}, id="a pod is unknown"),
        pytest.param({"ledger": None}, id="it was not in the ledger before"),
        pytest.param(
            {"ledger": ledger(entry(OLD, ALL, {0}), entry(NEW, ALL, {1}))},
            id="it is on its way out since this pass only",
        ),
    ],
)
def test_it_stays_while(fields: dict[str, Any]) -> None:
    books = books_of(stage.OUT_OF_BUNDLE)
    assert struck(changed(stage.OUT_OF_BUNDLE, **fields), books) == books


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"ledger": ledger(entry(THIRD, ALL, {7}), *_WITHDRAWN)}, id="it is in use"),
        pytest.param({"bundle": names_of(NEW, THIRD)}, id="it is still in the bundle"),
    ],
)
def test_one_that_stays_keeps_no_other(fields: dict[str, Any]) -> None:
    """Whichever comes first in the ledger."""
    both = changed(stage.OUT_OF_BUNDLE, **{"ledger": ledger(entry(THIRD, PHASE_OUT, {7}), *_WITHDRAWN), **fields})
    assert [one.fingerprint for one in struck(both).entries] == [name_of(THIRD), name_of(NEW)]


def test_what_the_removal_gate_keeps_keeps_no_other() -> None:
    def needed(_snapshot: Snapshot, _ledger: Ledger, fingerprint: str) -> tuple[str, ...]:
        return ("a leaf needs it",) if fingerprint == name_of(THIRD) else ()

    both = replace(stage.OUT_OF_BUNDLE, ledger=ledger(entry(THIRD, PHASE_OUT, {7}), *_WITHDRAWN))
    after = struck(both, gates=replace(GATES, removal=needed))
    assert [one.fingerprint for one in after.entries] == [name_of(THIRD), name_of(NEW)]


def test_it_stays_where_it_came_back_into_use_in_this_pass() -> None:
    books = books_of(stage.OUT_OF_BUNDLE).with_entry(entry(OLD, ANY, {0}))
    assert struck(stage.OUT_OF_BUNDLE, books) == books


def test_nothing_but_the_removal_gate_keeps_what_a_leaf_needs() -> None:
    needed = changed(stage.OUT_OF_BUNDLE, leaves=(*leaves(NEW, 1), a_leaf("other", OLD, 0)))
    opened = replace(GATES, removal=lambda *_about: ())
    assert struck(needed, gates=opened).find(name_of(OLD)) is None


@pytest.mark.parametrize(
    ("successor", "remembered"), [(RENEWED, False), (NEW, True)], ids=["the same name and key", "a key of its own"]
)
def test_a_renewed_ca_leaves_nobody_behind_who_trusts_more_than_before(successor: Entity, remembered: bool) -> None:
    books = ledger(entry(OLD, PHASE_OUT, {0}), entry(successor, generations={1}))
    snapshot = cluster(
        ca=secrets(successor, certificate_generation=1), ledger=books, pods=pods(1), leaves=leaves(successor, 1)
    )
    gone = (RemovedEntry(OLD.certificate, uids_of()),) if remembered else ()
    assert struck(snapshot) == ledger(entry(successor, generations={1}), removed=gone)


def test_who_is_awaited_may_have_read_it_all_the_same() -> None:
    """It may have started between the moment at which the CA was in the bundle and the one at which that was read back."""
    node, component = a_pod(), a_pod("topics", component=Component.ENTITY_OPERATOR)
    leaving = entry(OLD, PHASE_OUT, {0}, awaiting={node.uid, component.uid})
    seen = changed(stage.OUT_OF_BUNDLE, pods=(node, component), leaves=(), ledger=ledger(leaving, entry(NEW, ALL, {1})))
    opened = replace(GATES, removal=lambda *_about: ())
    assert struck(seen, gates=opened).removed == (RemovedEntry(OLD.certificate, seen.uids),)


def test_the_ca_that_the_flow_leads_to_stays() -> None:
    """As that of an abort does, where somebody has taken it out meanwhile: it is prepared again."""
    back = replace(books_of(stage.OUT_OF_BUNDLE), journal=a_journal(old=NEW, new=OLD, is_abort=True))
    assert struck(replace(stage.OUT_OF_BUNDLE, ledger=back)) == back


def test_one_that_is_prepared_stays() -> None:
    """It would be enrolled again at once."""
    prepared_again = stage.OUT_OF_BUNDLE.with_ca(prepared=(prepared(OLD),))
    assert struck(prepared_again) == books_of(stage.OUT_OF_BUNDLE)


def renewed(gone: Entity, **successor: Any) -> Snapshot:
    """The renewal of this CA is in use, and the CA is withdrawn."""
    books = ledger(entry(gone, PHASE_OUT, {0}), entry(RENEWED, generations={1}, **successor))
    ca = secrets(RENEWED, certificate_generation=1)
    return cluster(ca=ca, ledger=books, pods=pods(1), leaves=leaves(RENEWED, 1))


@pytest.mark.parametrize(
    ("gone", "known", "cleared"),
    [
        pytest.param(SHORT, {}, NOW, id="it allows no CA below it"),
        pytest.param(SHORT, {"cleared_at": NOW - DAY}, NOW, id="and so did one before"),
        pytest.param(OLD, {}, None, id="it allows one"),
        pytest.param(OLD, {"cleared_at": NOW - DAY}, NOW - DAY, id="one before did not"),
    ],
)
def test_since_when_clients_read_none_that_allows_no_ca_below_it(
    gone: Entity, known: dict[str, Any], cleared: datetime | None
) -> None:
    (left,) = struck(renewed(gone, **known)).entries
    assert left.cleared_at == cleared


def test_a_renewal_of_a_renewal_knows_it_too() -> None:
    before = renewed(OLD)
    before = replace(before, ledger=books_of(before).with_entry(entry(OLD, PHASE_OUT, {0}, cleared_at=NOW - DAY)))
    (left,) = struck(before).entries
    assert left.cleared_at == NOW - DAY


def test_another_ca_is_not_concerned() -> None:
    before = renewed(SHORT)
    before = replace(before, ledger=books_of(before).with_entry(entry(THIRD, UNUSED)))
    assert [one.cleared_at for one in struck(before).entries] == [NOW, None]


def test_it_stays_while_clients_can_read_it() -> None:
    before = changed(renewed(SHORT), published=names_of(SHORT, RENEWED))
    assert struck(before) == books_of(before)
    assert len(struck(changed(before, published=names_of(RENEWED))).entries) == 1


def test_above_another_ca_clients_may_read_it_for_good() -> None:
    below = entry(chain_of(INTERMEDIATE, ROOT), ALL, {1})
    leaving = entry(ROOT, PHASE_OUT, {0})
    before = cluster(
        ca=secrets(below.chain, certificate_generation=1), ledger=ledger(leaving, below), pods=pods(1), leaves=leaves(INTERMEDIATE, 1),
        published=names_of(INTERMEDIATE, ROOT),
    )  # fmt: skip
    opened = replace(GATES, removal=lambda *_about: ())
    assert [one.fingerprint for one in struck(before, gates=opened).entries] == [name_of(INTERMEDIATE)]

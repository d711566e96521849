# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ledger as a value: entries that come, change and go, along the edges of docs/design.md, "States", and no other."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    TRUSTED_STATES,
    FormerLeaf,
    Journal,
    LedgerEntry,
    RemovedEntry,
    TrustState,
    Usage,
    after_usage,
)

from ....tools.support.certificates import NOW
from ..authorities import IDENTIFIED, IMPOSTOR, INTERMEDIATE, NEW, OLD, RENEWED, ROOT, THIRD, chain_of, name_of
from ..edges import BY_USAGE, EDGES
from ..ledgers import ALL, ANY, PHASE_OUT, UNUSED, a_journal, entry, ledger
from ..nodes import PODS, uids_of

BOOKS = ledger(entry(OLD, generations={0}), entry(NEW))
FIRST, SECOND = uids_of(PODS[0]), uids_of(PODS[1])


@pytest.mark.parametrize(
    ("wanted", "found"),
    [(name_of(NEW), entry(NEW)), (name_of(THIRD), None), (None, None)],
    ids=["there", "not", "no name"],
)
def test_an_entry_is_found_by_the_fingerprint_of_its_ca(wanted: str | None, found: LedgerEntry | None) -> None:
    assert BOOKS.find(wanted) == found


def test_of_a_chain_the_ca_that_issues_is_the_ca_of_its_entry() -> None:
    assert entry(chain_of(INTERMEDIATE, ROOT)).certificate == INTERMEDIATE.certificate


def test_an_entry_takes_the_place_of_that_of_the_same_ca_or_comes_last() -> None:
    changed = entry(OLD, TrustState.PHASE_OUT)
    assert BOOKS.with_entry(changed).entries == (changed, entry(NEW))
    assert BOOKS.with_entry(entry(THIRD)).entries == (*BOOKS.entries, entry(THIRD))


def test_an_entry_that_goes_leaves_the_others_as_they_are() -> None:
    assert BOOKS.without_entry(name_of(OLD)).entries == (entry(NEW),)
    assert BOOKS.without_entry(name_of(THIRD)) == BOOKS


@pytest.mark.parametrize(
    ("gone", "left", "awaiting"),
    [
        pytest.param(
            entry(OLD, awaited_pods=FIRST), entry(RENEWED, awaited_pods=FIRST | SECOND), FIRST, id="one knew its twin"
        ),
        pytest.param(entry(OLD), entry(RENEWED, awaited_pods=FIRST), frozenset(), id="all knew its twin"),
        pytest.param(
            entry(OLD, awaited_pods=None), entry(RENEWED, awaited_pods=FIRST), FIRST, id="its twin was not read back"
        ),
        pytest.param(entry(OLD), entry(RENEWED, awaited_pods=None), None, id="it was not read back itself"),
        pytest.param(entry(OLD), entry(NEW, awaited_pods=FIRST), FIRST, id="it has another key"),
        pytest.param(entry(OLD), entry(IDENTIFIED, awaited_pods=FIRST), FIRST, id="it has another key identifier"),
        pytest.param(entry(OLD), entry(IMPOSTOR, awaited_pods=FIRST), FIRST, id="it has the same name only"),
    ],
)
def test_a_pod_that_trusted_a_removed_ca_trusts_the_ca_with_its_name_and_key(
    gone: LedgerEntry, left: LedgerEntry, awaiting: frozenset[str] | None
) -> None:
    """Processes trust the old certificate and accept the leaves of the renewed CA by it."""
    assert ledger(gone, left).without_entry(gone.fingerprint).entries == (replace(left, awaited_pods=awaiting),)


@pytest.mark.parametrize("kind", [RemovedEntry, FormerLeaf])
def test_the_holders_of_a_removed_ca_or_a_former_leaf(kind: type[RemovedEntry] | type[FormerLeaf]) -> None:
    known = kind(OLD.certificate, FIRST, SECOND)
    assert known.holders == FIRST | SECOND
    assert replace(known, awaited_pods=FIRST | SECOND).holders == FIRST | SECOND
    assert known.fingerprint == name_of(OLD)


def test_only_listeners_have_read_a_leaf_after_they_gave_up_the_leaf_of_the_start() -> None:
    started, later = FormerLeaf(OLD.certificate, SECOND, FIRST), FormerLeaf(NEW.certificate, FIRST, SECOND)
    both = ledger(former_leaves=(started, later))
    assert both.find_pods_with_listeners_alone(later) == FIRST
    assert ledger(former_leaves=(started,)).find_pods_with_listeners_alone(started) == frozenset()
    assert both.former_by_pod == dict.fromkeys(FIRST | SECOND, (started, later))


@pytest.mark.parametrize(
    ("journal", "undone"),
    [
        (None, None),
        (a_journal(is_abort=True), name_of(OLD)),
        (a_journal(), None),
        (a_journal(is_abort=True, finished_at=NOW), None),
    ],
    ids=["no flow", "an abort", "no abort", "a finished abort"],
)
def test_the_ca_that_an_abort_gets_rid_of(journal: Journal | None, undone: str | None) -> None:
    assert ledger(journal=journal).undone_ca == undone


def test_a_ca_is_leaving_as_long_as_listeners_may_trust_it() -> None:
    left = RemovedEntry(OLD.certificate, FIRST), RemovedEntry(NEW.certificate, frozenset(), SECOND)
    assert ledger(removed_cas=left).leaving_cas == {name_of(OLD)}


# Usage leads a CA along the edges of docs/design.md, "States", and along no other.


@pytest.mark.parametrize(("before", "usage", "after"), BY_USAGE)
def test_usage_leads_where_the_table_says(before: TrustState, usage: Usage, after: TrustState) -> None:
    assert after_usage(before, usage) is after


def test_the_table_is_complete() -> None:
    told = {(before, usage) for before, usage, _after in BY_USAGE}
    assert told == {*product(TrustState, set(Usage) - {Usage.UNKNOWN})}


@pytest.mark.parametrize("state", TrustState)
@pytest.mark.parametrize("usage", [Usage.NO_PODS, Usage.UNKNOWN])
def test_without_pods_or_without_evidence_the_state_is_kept(state: TrustState, usage: Usage) -> None:
    assert after_usage(state, usage) is state


@given(st.sampled_from(TrustState), st.lists(st.sampled_from(Usage)))
def test_any_history_of_usages_moves_along_edges(state: TrustState, usages: list[Usage]) -> None:
    for usage in usages:
        before, state = state, after_usage(state, usage)
        assert state is before or (before, state) in EDGES


def test_all_but_untrusted_are_trusted() -> None:
    assert {UNUSED, ANY, ALL, PHASE_OUT} == TRUSTED_STATES

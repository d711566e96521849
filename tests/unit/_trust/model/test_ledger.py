# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ledger as a value: entries that come, change and go."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    HeldLeaf,
    LedgerEntry,
    RemovedEntry,
    TrustState,
)

from ..builders import IDENTIFIED, IMPOSTOR, NEW, OLD, PODS, RENEWED, THIRD, entry, ledger, name_of, uids_of

BOOKS = ledger(entry(OLD, generations={0}), entry(NEW))
FIRST, SECOND = uids_of(PODS[0]), uids_of(PODS[1])


@pytest.mark.parametrize(
    ("wanted", "found"),
    [(name_of(NEW), entry(NEW)), (name_of(THIRD), None), (None, None)],
    ids=["there", "not", "no name"],
)
def test_an_entry_is_found_by_the_fingerprint_of_its_ca(wanted: str | None, found: LedgerEntry | None) -> None:
    assert BOOKS.find(wanted) == found


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
            entry(OLD, awaiting=FIRST), entry(RENEWED, awaiting=FIRST | SECOND), FIRST, id="one knew its twin"
        ),
        pytest.param(entry(OLD), entry(RENEWED, awaiting=FIRST), frozenset(), id="all knew its twin"),
        pytest.param(entry(OLD, awaiting=None), entry(RENEWED, awaiting=FIRST), FIRST, id="its twin was not read back"),
        pytest.param(entry(OLD), entry(RENEWED, awaiting=None), None, id="it was not read back itself"),
        pytest.param(entry(OLD), entry(NEW, awaiting=FIRST), FIRST, id="it has another key"),
        pytest.param(entry(OLD), entry(IDENTIFIED, awaiting=FIRST), FIRST, id="it has another key identifier"),
        pytest.param(entry(OLD), entry(IMPOSTOR, awaiting=FIRST), FIRST, id="it has the same name only"),
    ],
)
def test_whoever_trusts_a_ca_trusts_another_with_its_name_and_key_when_it_has_gone(
    gone: LedgerEntry, left: LedgerEntry, awaiting: frozenset[str] | None
) -> None:
    """Processes hold the old certificate and accept the leaves of the renewed one by it."""
    assert ledger(gone, left).without_entry(gone.fingerprint).entries == (replace(left, awaiting=awaiting),)


@pytest.mark.parametrize("kind", [RemovedEntry, HeldLeaf])
def test_who_holds_what_is_gone(kind: type[RemovedEntry] | type[HeldLeaf]) -> None:
    known = kind(OLD.certificate, FIRST, SECOND)
    assert known.holders == FIRST | SECOND
    assert replace(known, awaiting=FIRST | SECOND).holders == FIRST | SECOND
    assert known.fingerprint == name_of(OLD)

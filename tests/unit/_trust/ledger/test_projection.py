# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the CAs of the ledger are where processes read them, and the pods that started before they were."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import GATES
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.books import (
    is_projected,
    is_withdrawn,
    read_back,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import LedgerEntry, TrustState
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot

from ....support.certificates import NOW, Entity
from .. import unlinked as stage
from ..builders import (
    ALL,
    ANY,
    DAY,
    NEW,
    OLD,
    PHASE_OUT,
    UNTRUSTED,
    UNUSED,
    a_leaf,
    books_of,
    changed,
    cluster,
    entry,
    leaves,
    ledger,
    name_of,
    names_of,
    others,
    pods,
    secrets,
    uids_of,
)


def after(snapshot: Snapshot, authority: Entity = NEW) -> LedgerEntry | None:
    return read_back(snapshot, books_of(snapshot), GATES).find(name_of(authority))


@pytest.mark.parametrize(
    ("in_secret", "bundle", "projected", "withdrawn"),
    [
        (True, names_of(OLD), True, False),
        (True, frozenset(), False, False),
        (False, names_of(OLD), False, False),
        (False, frozenset(), False, True),
        (True, None, True, False),
        (False, None, False, True),
    ],
)
def test_projected_and_withdrawn(
    in_secret: bool, bundle: frozenset[str] | None, projected: bool, withdrawn: bool
) -> None:
    snapshot = cluster(ca=secrets(OLD if in_secret else NEW), bundle=bundle)
    assert is_projected(snapshot, name_of(OLD)) is projected
    assert is_withdrawn(snapshot, name_of(OLD)) is withdrawn


def test_reading_back_records_the_pods_that_exist_and_when_it_was() -> None:
    assert after(replace(stage.IN_BUNDLE, now=NOW)) == entry(NEW, UNTRUSTED, awaiting=uids_of(), published_at=NOW)


@pytest.mark.parametrize(
    ("projected", "bundle"),
    [
        pytest.param(False, names_of(OLD), id="nowhere"),
        pytest.param(True, names_of(OLD), id="the bundle lags behind"),
        pytest.param(False, names_of(OLD, NEW), id="in the bundle only, which the next reconcile rebuilds"),
        # A bundle that is absent while processes run is contradictory.
        pytest.param(True, None, id="no bundle"),
    ],
)
def test_what_is_not_in_secret_and_bundle_is_not_read_back(projected: bool, bundle: frozenset[str] | None) -> None:
    snapshot = replace(stage.ENROLLED, bundle=bundle).with_ca(others=others(NEW) if projected else {})
    assert after(snapshot) == entry(NEW, UNTRUSTED, awaiting=None)


def test_before_the_first_start_there_is_no_bundle_and_nobody_to_wait_for() -> None:
    books = ledger(entry(NEW, UNTRUSTED, {0}, awaiting=None))
    snapshot = cluster(ca=secrets(NEW), ledger=books, bundle=None, pods=(), leaves=())
    assert after(snapshot) == entry(NEW, UNTRUSTED, {0}, published_at=NOW)


def test_a_second_look_changes_nothing() -> None:
    """The time that clients were given starts once; pods that have started since are not waited for."""
    assert after(stage.RESTARTED) == books_of(stage.READ_BACK).find(name_of(NEW))


def test_a_time_that_is_yet_to_come_is_now() -> None:
    """The clock of an earlier run was ahead of this one: clients would be given time without an end."""
    ahead = entry(NEW, UNUSED, published_at=NOW + DAY)
    assert after(replace(stage.TRUSTED, ledger=ledger(entry(OLD), ahead))) == replace(ahead, published_at=NOW)
    cleared = replace(ahead, cleared_at=NOW + DAY)
    expected = replace(cleared, published_at=NOW, cleared_at=NOW)
    assert after(replace(stage.TRUSTED, ledger=ledger(entry(OLD), cleared))) == expected


@pytest.mark.parametrize("state", [UNTRUSTED, UNUSED, ANY, ALL])
@pytest.mark.parametrize(
    "fields", [{"ca": secrets(NEW), "bundle": names_of(OLD, NEW)}, {"bundle": frozenset()}], ids=["Secret", "bundle"]
)
def test_where_somebody_took_it_out_reading_back_starts_over(fields: dict[str, Any], state: TrustState) -> None:
    """Pods that start from now on do not trust it, and clients could not read it."""
    old = entry(OLD, state, {0}, published_at=NOW - DAY)
    lost = entry(OLD, state, {0}, awaiting=None)
    assert after(cluster(ledger=ledger(old, entry(NEW)), **fields), OLD) == lost
    back = cluster(ledger=ledger(lost))
    assert after(back, OLD) == entry(OLD, state, {0}, awaiting=uids_of(), published_at=NOW)


@pytest.mark.parametrize("step", ["WITHDRAWN", "OUT_OF_BUNDLE"])
def test_what_is_taken_out_for_good_is_not_read_back_anew(step: str) -> None:
    snapshot = stage.STAGES[step]
    assert after(snapshot, OLD) == books_of(snapshot).find(name_of(OLD))


def test_a_ca_that_is_needed_after_all_is_read_back_anew() -> None:
    """It will be put back, and pods that started while it was out do not trust it."""
    late = changed(stage.OUT_OF_BUNDLE, leaves=(*leaves(NEW, 1), a_leaf("late", OLD, 0)), pods=pods(1, start=3))
    assert after(late, OLD) == entry(OLD, PHASE_OUT, {0}, awaiting=None)


_READ = st.none() | st.sets(st.sampled_from(sorted(uids_of())))


@given(st.booleans(), st.sampled_from([None, frozenset(), names_of(OLD), names_of(OLD, NEW)]), _READ, st.booleans())
def test_whom_nobody_saw_start_with_it_never_counts_as_trusting_it(
    in_secret: bool, bundle: frozenset[str] | None, awaiting: set[str] | None, running: bool
) -> None:
    """A pod that was awaited and still runs stays awaited, unless reading back starts over; then every pod is."""
    books = ledger(entry(OLD), entry(NEW, UNTRUSTED, awaiting=awaiting))
    ca = secrets(others=others(NEW) if in_secret else {})
    snapshot = cluster(ca=ca, ledger=books, bundle=bundle, pods=pods() if running else ())
    found = after(snapshot)
    assert found is not None
    if found.awaiting is not None:
        assert found.awaiting >= (snapshot.uids if awaiting is None else frozenset(awaiting))
        assert awaiting is not None or is_projected(snapshot, name_of(NEW))

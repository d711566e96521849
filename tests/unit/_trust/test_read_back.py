# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which pods existed when a CA was read back from the trust bundle: those that have yet to be replaced."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.bookkeeping import (
    keep_books,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Ledger, LedgerEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.states import TrustState

from .._pki.hierarchy import Entity
from . import rotation as stage
from .builders import (
    NEW,
    OLD,
    a_leaf,
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
from .rotation import ALL, ANY, PHASE_OUT, UNTRUSTED, UNUSED


def kept(snapshot: Snapshot) -> Ledger:
    return keep_books(snapshot)[0]


def found(snapshot: Snapshot, authority: Entity = NEW) -> LedgerEntry | None:
    return kept(snapshot).find(name_of(authority))


def test_read_back_records_the_pods_that_exist() -> None:
    entry_after = found(stage.IN_BUNDLE)
    assert entry_after is not None
    assert entry_after.awaiting == uids_of()


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
    ca = secrets(others=others(NEW) if projected else {})
    snapshot = replace(stage.ENROLLED, ca=ca, bundle=bundle)
    assert found(snapshot) == entry(NEW, UNTRUSTED, awaiting=None)


def test_before_the_first_start_there_is_no_bundle_and_nobody_to_wait_for() -> None:
    books = ledger(entry(NEW, UNTRUSTED, {0}, awaiting=None))
    assert found(cluster(ca=secrets(NEW), ledger=books, bundle=None, pods=(), leaves=())) == entry(NEW, UNTRUSTED, {0})


@pytest.mark.parametrize("state", [UNTRUSTED, UNUSED, ANY, ALL])
def test_somebody_took_the_ca_out_of_the_projection(state: TrustState) -> None:
    """Pods that start from now on do not trust it: the read-back starts over."""
    old = entry(OLD, state, {0})
    removed_from_secret = cluster(ca=secrets(NEW), ledger=ledger(old, entry(NEW)), bundle=names_of(OLD, NEW))
    removed_from_bundle = cluster(ca=secrets(), ledger=ledger(old), bundle=frozenset())
    for snapshot in (removed_from_secret, removed_from_bundle):
        after = found(snapshot, OLD)
        assert after is not None
        assert after.awaiting is None


def test_what_comes_back_into_the_projection_awaits_every_pod_again() -> None:
    lost = cluster(ledger=ledger(entry(OLD, generations={0}, awaiting=None)))
    after = found(lost, OLD)
    assert after is not None
    assert after.awaiting == uids_of()


def test_a_withdrawn_ca_that_is_needed_after_all_is_read_back_anew() -> None:
    """It will be put back, and pods that started while it was out do not trust it."""
    late = replace(stage.OUT_OF_BUNDLE, leaves=(*leaves(NEW, 1), a_leaf("late", OLD, 0)), pods=pods(1, start=3))
    out = kept(late)
    assert out.find(name_of(OLD)) == entry(OLD, PHASE_OUT, {0}, awaiting=None)
    back = kept(replace(late, ca=stage.PHASED_OUT.ca, bundle=names_of(OLD, NEW), ledger=out))
    assert back.find(name_of(OLD)) == entry(OLD, PHASE_OUT, {0}, awaiting=uids_of(start=3))


@pytest.mark.parametrize("step", ["WITHDRAWN", "OUT_OF_BUNDLE"])
def test_a_ca_that_leaves_for_good_is_not_read_back_anew(step: str) -> None:
    old = kept(stage.STAGES[step]).find(name_of(OLD))
    assert old is None or old.awaiting == frozenset()

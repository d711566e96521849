# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the ledger says after a pass: read-back, one transition per CA, removal."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.bookkeeping import (
    has_twin,
    is_projected,
    is_withdrawn,
    keep_books,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Ledger, LedgerEntry, RemovedEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.observed import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.states import TrustState, Usage

from .._pki.hierarchy import Entity
from . import rotation as stage
from .builders import (
    EXPIRED,
    IMPOSTOR,
    NEW,
    OLD,
    PODS,
    RENEWED,
    a_leaf,
    a_pod,
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
from .rotation import ALL, ANY, PHASE_OUT, UNTRUSTED, UNUSED, books_of


def kept(snapshot: Snapshot) -> Ledger:
    return keep_books(snapshot)[0]


def found(snapshot: Snapshot, authority: Entity = NEW) -> LedgerEntry | None:
    return kept(snapshot).find(name_of(authority))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (stage.PREPARED, {OLD: ALL, NEW: UNTRUSTED}),
        (stage.READ_BACK, {OLD: ALL, NEW: UNTRUSTED}),
        (stage.HALF_RESTARTED, {OLD: ALL, NEW: UNTRUSTED}),
        (stage.RESTARTED, {OLD: ALL, NEW: UNUSED}),
        (stage.TRUSTED, {OLD: ALL, NEW: UNUSED}),
        (stage.ISSUED, {OLD: ALL, NEW: UNUSED}),
        (stage.HALF_USED, {OLD: ANY, NEW: ANY}),
        (stage.USED, {OLD: PHASE_OUT, NEW: ALL}),
        (stage.PHASED_OUT, {OLD: PHASE_OUT, NEW: ALL}),
        (stage.WITHDRAWN, {OLD: PHASE_OUT, NEW: ALL}),
        (stage.OUT_OF_BUNDLE, {NEW: ALL}),
    ],
)
def test_states_through_the_replacement_of_a_key(before: Snapshot, after: dict[Entity, TrustState]) -> None:
    states = {one.fingerprint: one.state for one in kept(before).entries}
    assert states == {name_of(authority): state for authority, state in after.items()}


def test_books_that_are_up_to_date_stay() -> None:
    assert keep_books(stage.FINISHED) == (stage.FINISHED.ledger, ())


def test_without_pods_untrusted_stays() -> None:
    """spec/1: nobody was rolled, so nothing is known about who will trust it."""
    assert found(replace(stage.RESTARTED, pods=())) == books_of(stage.RESTARTED).find(name_of(NEW))


def test_what_was_not_read_back_is_not_trusted_although_it_validates() -> None:
    """The renewal has the key of OLD; a pod that starts once OLD has left would not trust it."""
    books = ledger(entry(OLD, generations={0}), entry(RENEWED, UNTRUSTED, awaiting=None))
    snapshot = cluster(ca=secrets(others=others(RENEWED)), ledger=books, bundle=names_of(OLD))
    assert found(snapshot, RENEWED) == entry(RENEWED, UNTRUSTED, awaiting=None)


def test_a_renewal_with_the_same_key_is_trusted_in_the_pass_that_reads_it_back() -> None:
    books = ledger(entry(OLD, generations={0}), entry(RENEWED, UNTRUSTED, awaiting=None))
    after = found(cluster(ca=secrets(others=others(RENEWED)), ledger=books), RENEWED)
    assert after == entry(RENEWED, UNUSED, awaiting=uids_of())


def test_an_expired_ca_never_becomes_trusted() -> None:
    books = ledger(entry(OLD, generations={0}), entry(EXPIRED, UNTRUSTED))
    after = found(cluster(ca=secrets(others=others(EXPIRED)), ledger=books), EXPIRED)
    assert after == entry(EXPIRED, UNTRUSTED)


def test_a_transition_forgets_the_pods_that_are_gone() -> None:
    waiting = books_of(stage.USED).with_entry(entry(OLD, ANY, {0}, awaiting={"gone", *uids_of(PODS[1], start=2)}))
    after = found(replace(stage.USED, ledger=waiting), OLD)
    assert after == entry(OLD, PHASE_OUT, {0}, awaiting=uids_of(PODS[1], start=2))


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"pods": (a_pod(generation=None, start=2), *pods(1, start=2, names=PODS[1:]))}, id="annotation"),
        pytest.param({"leaves": (a_leaf(chain=None), *leaves(NEW, 1, names=PODS[1:]))}, id="unreadable leaf"),
        pytest.param({"leaves": (a_leaf(issuer=OLD), *leaves(NEW, 1, names=PODS[1:]))}, id="contradiction"),
    ],
)
def test_unknown_evidence_keeps_every_state(fields: dict[str, Any]) -> None:
    assert keep_books(replace(stage.USED, **fields)) == (stage.USED.ledger, ())


def test_a_ca_on_its_way_out_that_is_used_again_is_in_use_again() -> None:
    back = replace(stage.PHASED_OUT, pods=pods(0, start=3), leaves=leaves(OLD, 0))
    assert {one.fingerprint: one.state for one in kept(back).entries} == {name_of(OLD): ALL, name_of(NEW): PHASE_OUT}


def test_a_withdrawn_ca_leaves_and_those_who_trust_it_still_are_remembered() -> None:
    after = kept(stage.OUT_OF_BUNDLE)
    assert after.find(name_of(OLD)) is None
    assert after.removed == (RemovedEntry(OLD.certificate, uids_of(start=2)),)


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"pods": ()}, id="no pods"),
        pytest.param({"bundle": names_of(OLD, NEW)}, id="still in the bundle"),
        pytest.param({"ca": stage.PHASED_OUT.ca}, id="still in the Secret"),
        pytest.param({"leaves": (*leaves(NEW, 1), a_leaf("other", OLD, 0))}, id="a stored leaf needs it"),
        pytest.param({"leaves": (*leaves(NEW, 1), a_leaf("other", chain=None))}, id="a stored leaf is unreadable"),
        pytest.param({"pods": (a_pod(generation=None), *pods(1, names=PODS[1:]))}, id="a pod is unknown"),
    ],
)
def test_a_ca_stays_in_the_ledger_while(fields: dict[str, Any]) -> None:
    after = kept(replace(stage.OUT_OF_BUNDLE, **fields))
    kept_entry = after.find(name_of(OLD))
    assert kept_entry is not None
    assert kept_entry.state is PHASE_OUT
    assert after.removed == ()


def test_only_what_was_on_its_way_out_before_this_pass_leaves() -> None:
    """In use to PHASE_OUT and out of the ledger would be two transitions in one pass."""
    books = ledger(entry(OLD, ALL, {0}), entry(NEW, ALL, {1}))
    snapshot = replace(stage.OUT_OF_BUNDLE, ledger=books)
    after = found(snapshot, OLD)
    assert after is not None
    assert after.state is PHASE_OUT


def test_a_renewed_ca_leaves_nobody_behind_who_trusts_more_than_before() -> None:
    books = ledger(entry(OLD, PHASE_OUT, {0}), entry(RENEWED, ALL, {1}))
    snapshot = cluster(
        ca=secrets(RENEWED, certificate_generation=1), ledger=books, pods=pods(1), leaves=leaves(RENEWED, 1)
    )
    after = kept(snapshot)
    assert [one.fingerprint for one in after.entries] == [name_of(RENEWED)]
    assert after.removed == ()


@pytest.mark.parametrize(("other", "twin"), [(RENEWED, True), (IMPOSTOR, False), (NEW, False), (OLD, False)])
def test_a_twin_has_name_and_key_and_another_certificate(other: Entity, twin: bool) -> None:
    assert has_twin(ledger(entry(other)), entry(OLD)) is twin


def test_a_removed_ca_is_forgotten_with_the_last_process_that_trusts_it() -> None:
    assert kept(stage.HALF_RETIRED).removed == books_of(stage.REMOVED).removed
    assert kept(stage.RETIRED).removed == ()


@pytest.mark.parametrize("accepting", [(), PODS[1:2]])
def test_a_removed_ca_that_nobody_is_awaited_for_stays_while_a_listener_accepts_it(accepting: tuple[str, ...]) -> None:
    """The pod has started when the operator had the CA in the bundle once more."""
    removed = RemovedEntry(OLD.certificate, frozenset())
    listeners = tuple(
        ObservedListener(pod.name, pod.uid, 9091, None, names_of(OLD), frozenset())
        if pod.name in accepting
        else ObservedListener(pod.name, pod.uid, 9091, None, frozenset(), names_of(OLD))
        for pod in stage.RETIRED.pods
    )
    books = replace(books_of(stage.RETIRED), removed=(removed,))
    after = kept(replace(stage.RETIRED, ledger=books, listeners=listeners, asked=True)).removed
    assert after == ((removed,) if accepting else ())


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


def test_a_transition_says_which_edge_and_on_what_evidence() -> None:
    taken = {one.fingerprint: one for one in keep_books(stage.USED)[1]}
    old, new = taken[name_of(OLD)], taken[name_of(NEW)]
    assert (old.before, old.after, old.usage, old.evidence) == (ANY, PHASE_OUT, Usage.NONE, "stored leaf")
    assert (new.before, new.after, new.usage, new.subject) == (ANY, ALL, Usage.ALL, NEW.certificate.subject)


def test_entering_and_leaving_are_transitions_too() -> None:
    (entered,) = keep_books(stage.PREPARED)[1]
    assert (entered.fingerprint, entered.before, entered.after) == (name_of(NEW), None, UNTRUSTED)
    (left,) = keep_books(stage.OUT_OF_BUNDLE)[1]
    assert (left.fingerprint, left.before, left.after) == (name_of(OLD), PHASE_OUT, None)


def test_the_evidence_of_a_transition_without_pods() -> None:
    (entered,) = keep_books(cluster(ledger=None, pods=(), leaves=()))[1]
    assert (entered.after, entered.evidence) == (UNUSED, "no pods")

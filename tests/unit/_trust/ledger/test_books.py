# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A pass over the ledger: what the ledger says afterwards, what is reported of it, and its laws in any cluster (I2, I5)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import event, given

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence.parties import present_all
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence.stored import without_outside_clients
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import (
    GATES,
    introduction_of,
    removal_gate,
    trust_gate,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.books import is_projected, keep_books
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Transition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Ledger, TrustState, Usage
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot

from ....support.certificates import NOW, Entity
from .. import linked
from .. import unlinked as stage
from ..builders import (
    ALL,
    ANY,
    NEW,
    OLD,
    PHASE_OUT,
    RENEWED,
    UNTRUSTED,
    UNUSED,
    books_of,
    cluster,
    entry,
    ledger,
    name_of,
    others,
    secrets,
    uids_of,
)
from ..edges import EDGES
from ..mixtures import SETTINGS, intents, snapshots

REPLACE_KEY = Intent(Goal.REPLACE_KEY)


def kept(snapshot: Snapshot, intent: Intent = REPLACE_KEY) -> tuple[Ledger, tuple[Transition, ...]]:
    return keep_books(snapshot, intent, GATES)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (stage.PREPARED, {OLD: ALL, NEW: UNTRUSTED}),
        (stage.READ_BACK, {OLD: ALL, NEW: UNTRUSTED}),
        (stage.RESTARTED, {OLD: ALL, NEW: UNUSED}),
        (stage.ISSUED, {OLD: ALL, NEW: UNUSED}),
        (stage.HALF_USED, {OLD: ANY, NEW: ANY}),
        (stage.USED, {OLD: PHASE_OUT, NEW: ALL}),
        (stage.WITHDRAWN, {OLD: PHASE_OUT, NEW: ALL}),
        (stage.OUT_OF_BUNDLE, {NEW: ALL}),
        (linked.PREPARED, {OLD: ALL, NEW: UNTRUSTED}),
        # Read back, and trusted in the same pass: nobody has to restart first.
        (linked.IN_BUNDLE, {OLD: ALL, NEW: UNUSED}),
        (linked.HALF_USED, {OLD: ANY, NEW: ANY}),
        (linked.USED, {OLD: PHASE_OUT, NEW: ALL}),
        (linked.OUT_OF_BUNDLE, {NEW: ALL}),
    ],
)
def test_states_through_the_replacement_of_a_key(before: Snapshot, after: dict[Entity, TrustState]) -> None:
    states = {one.fingerprint: one.state for one in kept(before)[0].entries}
    assert states == {name_of(authority): state for authority, state in after.items()}


@pytest.mark.parametrize("settled", [stage.SETTLED, stage.FINISHED, linked.FINISHED])
def test_books_that_are_up_to_date_stay(settled: Snapshot) -> None:
    assert kept(settled) == (settled.ledger, ())


def test_a_renewal_with_the_same_key_is_trusted_in_the_pass_that_reads_it_back() -> None:
    books = ledger(entry(OLD, generations={0}), entry(RENEWED, UNTRUSTED, awaiting=None))
    snapshot = cluster(ca=secrets(others=others(RENEWED)), ledger=books)
    assert kept(snapshot)[0].find(name_of(RENEWED)) == entry(RENEWED, UNUSED, awaiting=uids_of(), published_at=NOW)


def test_a_transition_says_which_edge_and_on_what_evidence() -> None:
    assert set(kept(stage.USED)[1]) == {
        Transition(name_of(OLD), OLD.certificate.subject, ANY, PHASE_OUT, Usage.NONE, "stored leaf"),
        Transition(name_of(NEW), NEW.certificate.subject, ANY, ALL, Usage.ALL, "stored leaf"),
    }


@pytest.mark.parametrize(
    ("snapshot", "authority", "expected"),
    [
        (stage.PREPARED, NEW, (None, UNTRUSTED, Usage.NONE, "stored leaf")),
        (stage.OUT_OF_BUNDLE, OLD, (PHASE_OUT, None, Usage.NONE, "stored leaf")),
        (cluster(ledger=None, pods=(), leaves=()), OLD, (None, UNUSED, Usage.NO_PODS, "no pods")),
        (cluster(ledger=None, leaves=()), OLD, (None, UNUSED, Usage.UNKNOWN, "unknown")),
    ],
    ids=["entering", "leaving", "without pods", "without evidence"],
)
def test_entering_and_leaving_are_transitions_too(
    snapshot: Snapshot, authority: Entity, expected: tuple[TrustState | None, TrustState | None, Usage, str]
) -> None:
    assert kept(snapshot)[1] == (Transition(name_of(authority), authority.certificate.subject, *expected),)


@SETTINGS
@given(snapshots(), intents())
def test_one_transition_per_ca_along_an_edge_only_and_reported_as_it_happened(
    snapshot: Snapshot, intent: Intent
) -> None:
    """A CA that enters may become trusted in the same pass; every other one moves once."""
    before, (after, taken) = books_of(snapshot), kept(snapshot, intent)
    reported = {one.fingerprint: (one.before, one.after) for one in taken}
    assert len(reported) == len(taken)
    for name in {one.fingerprint for one in (*before.entries, *after.entries)}:
        old, new = before.find(name), after.find(name)
        states = (old.state if old else None, new.state if new else None)
        event(f"{states[0]} to {states[1]}")
        assert states[0] is states[1] or states in EDGES
        assert reported.get(name, (states[0], states[0])) == states


@SETTINGS
@given(snapshots(), intents())
def test_without_evidence_no_known_ca_changes_its_state(snapshot: Snapshot, intent: Intent) -> None:
    """There are no pods, or nobody knows what one of them presents; in the second case a CA that nobody uses may become trusted."""
    before, after = books_of(snapshot), kept(snapshot, intent)[0]
    known = all(seen.authorities is not None for seen in present_all(snapshot, after))
    if snapshot.nodes.pods and known:
        return
    event("unknown" if snapshot.nodes.pods else "no pods")
    for one in before.entries:
        found = after.find(one.fingerprint)
        assert found is not None
        assert found.state is one.state or (one.state is UNTRUSTED and snapshot.nodes.pods)


@SETTINGS
@given(snapshots(stage.IN_BUNDLE, stage.HALF_RESTARTED, stage.RESTARTED, linked.IN_BUNDLE, linked.TRUSTED))
def test_what_becomes_trusted_was_read_back_and_every_process_validates_it(snapshot: Snapshot) -> None:
    after, taken = kept(snapshot)
    for one in taken:
        if one.after is not UNUSED or (snapshot.ledger is None and one.before is None):
            continue
        event("trusted")
        found = after.find(one.fingerprint)
        assert found is not None
        form = introduction_of(snapshot, after, found, GATES).form
        assert trust_gate(without_outside_clients(snapshot), after, form) == ()
        assert found.awaiting is not None
        assert snapshot.bundle is None or is_projected(snapshot, one.fingerprint)


@SETTINGS
@given(snapshots(stage.OUT_OF_BUNDLE, linked.OUT_OF_BUNDLE))
def test_what_left_was_needed_by_nobody(snapshot: Snapshot) -> None:
    before, (after, taken) = books_of(snapshot), kept(snapshot)
    for one in taken:
        if one.after is None:
            event("left")
            left = before.find(one.fingerprint)
            assert left is not None
            assert left.state is PHASE_OUT
            assert removal_gate(snapshot, after.with_entry(left), one.fingerprint) == ()


@SETTINGS
@given(snapshots())
def test_a_pod_never_comes_to_trust_a_ca_by_waiting(snapshot: Snapshot) -> None:
    """A pod that was awaited and still runs stays awaited while the CA is projected, unless it knew a twin that left."""
    before, after = books_of(snapshot), kept(snapshot)[0]
    twins = {one.certificate.subject for one in before.entries if after.find(one.fingerprint) is None}
    for one in before.entries:
        found = after.find(one.fingerprint)
        if found is None or found.awaiting is None or one.awaiting is None or one.certificate.subject in twins:
            continue
        assert found.awaiting & snapshot.uids == one.awaiting & snapshot.uids


@SETTINGS
@given(snapshots(), intents())
def test_repeated_passes_over_the_same_cluster_come_to_rest(snapshot: Snapshot, intent: Intent) -> None:
    """At most one pass per edge of the longest way through the states, and one that changes nothing."""
    for _pass in range(8):
        after = kept(snapshot, intent)[0]
        if after == snapshot.ledger:
            return
        snapshot = replace(snapshot, ledger=after)
    pytest.fail("the books never come to rest")

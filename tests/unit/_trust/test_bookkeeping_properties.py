# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Laws of one pass over the ledger, in any cluster (I2, I5)."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import event, given

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.bookkeeping import is_projected, keep_books
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence import present_all
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates import removal_gate, trust_gate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.outside import within_cluster
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.states import TrustState, is_edge

from . import rotation as stage
from .worlds import SETTINGS, snapshots


@SETTINGS
@given(snapshots())
def test_one_transition_per_ca_and_along_an_edge_only(snapshot: Snapshot) -> None:
    """What enters may become trusted in the same pass (spec/1); everything else moves once."""
    before, (after, taken) = snapshot.ledger or Ledger(), keep_books(snapshot)
    assert len({one.fingerprint for one in taken}) == len(taken)
    for name in {one.fingerprint for one in (*before.entries, *after.entries)}:
        old, new = before.find(name), after.find(name)
        states = (old.state if old else None, new.state if new else None)
        event(f"{states[0]} to {states[1]}")
        assert states[0] is states[1] or is_edge(*states)
        assert (states[0] is not states[1]) == any(one.fingerprint == name for one in taken)


@SETTINGS
@given(snapshots())
def test_a_transition_is_reported_as_it_happened(snapshot: Snapshot) -> None:
    before, (after, taken) = snapshot.ledger or Ledger(), keep_books(snapshot)
    for one in taken:
        old, new = before.find(one.fingerprint), after.find(one.fingerprint)
        assert (one.before, one.after) == (old.state if old else None, new.state if new else None)


@SETTINGS
@given(snapshots())
def test_without_pods_no_known_ca_changes_its_state(snapshot: Snapshot) -> None:
    snapshot = replace(snapshot, pods=())
    before, after = snapshot.ledger or Ledger(), keep_books(snapshot)[0]
    for entry in before.entries:
        found = after.find(entry.fingerprint)
        assert found is not None
        assert found.state is entry.state


@SETTINGS
@given(snapshots())
def test_unknown_evidence_never_moves_a_trusted_ca(snapshot: Snapshot) -> None:
    before, after = snapshot.ledger or Ledger(), keep_books(snapshot)[0]
    if all(seen.authorities is not None for seen in present_all(snapshot, after)):
        return
    event("unknown")
    for entry in before.entries:
        found = after.find(entry.fingerprint)
        assert found is not None
        assert found.state is entry.state or entry.state is TrustState.UNTRUSTED


@SETTINGS
@given(snapshots(stage.IN_BUNDLE, stage.HALF_RESTARTED, stage.RESTARTED))
def test_what_becomes_trusted_is_projected_and_every_process_validates_it(snapshot: Snapshot) -> None:
    before, (after, taken) = snapshot.ledger or Ledger(), keep_books(snapshot)
    for one in taken:
        adopted = snapshot.ledger is None and before.find(one.fingerprint) is None
        if one.after is not TrustState.TRUSTED_UNUSED or adopted:
            continue
        event("trusted")
        found = after.find(one.fingerprint)
        assert found is not None
        assert trust_gate(within_cluster(snapshot), after, found.chain) == ()
        assert found.awaiting is not None
        if snapshot.bundle is not None:
            assert is_projected(snapshot, one.fingerprint)


@SETTINGS
@given(snapshots(stage.OUT_OF_BUNDLE))
def test_what_left_was_needed_by_nobody(snapshot: Snapshot) -> None:
    before, (after, taken) = snapshot.ledger or Ledger(), keep_books(snapshot)
    for one in taken:
        if one.after is None:
            event("left")
            entry = before.find(one.fingerprint)
            assert entry is not None
            assert entry.state is TrustState.PHASE_OUT
            assert removal_gate(snapshot, after.with_entry(entry), one.fingerprint) == ()


@SETTINGS
@given(snapshots())
def test_a_pod_is_never_counted_as_trusting_by_waiting(snapshot: Snapshot) -> None:
    """Who was awaited and still runs stays awaited while the CA is projected."""
    before, after = snapshot.ledger or Ledger(), keep_books(snapshot)[0]
    for entry in before.entries:
        found = after.find(entry.fingerprint)
        if found is not None and found.awaiting is not None and entry.awaiting is not None:
            assert found.awaiting & snapshot.uids == entry.awaiting & snapshot.uids


@SETTINGS
@given(snapshots())
def test_repeated_passes_over_the_same_cluster_come_to_rest(snapshot: Snapshot) -> None:
    """At most one pass per edge of the longest way through the states, and one that changes nothing."""
    for _step in range(8):
        after = keep_books(snapshot)[0]
        if after == snapshot.ledger:
            return
        snapshot = replace(snapshot, ledger=after)
    raise AssertionError("the books never come to rest")

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A pass over the ledger: what it says afterwards, what is reported of it, where its CAs are, and which leave (I2, I5)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence.parties import present_all
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence.stored import without_outside_clients
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import (
    GATES,
    Gates,
    introduction_of,
    removal_gate,
    trust_gate,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.update import (
    is_projected,
    is_withdrawn,
    note_pods_of_now,
    read_back,
    strike_removed,
    update_ledger,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Transition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    Ledger,
    LedgerEntry,
    RemovedEntry,
    TrustState,
    Usage,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot

from ....tools.support.certificates import DAY, NOW, YEAR, Entity, key, make
from .. import linked
from .. import unlinked as stage
from ..authorities import INTERMEDIATE, NEW, OLD, RENEWED, ROOT, SHORT, THIRD, chain_of, name_of, names_of
from ..builders import changed, cluster, others, prepared, secrets
from ..edges import EDGES
from ..ledgers import ALL, ANY, PHASE_OUT, UNTRUSTED, UNUSED, a_journal, entry, ledger
from ..mixtures import SETTINGS, intents, snapshots
from ..nodes import PODS, a_leaf, a_pod, leaves, pods, uids_of

REPLACE_KEY = Intent(Goal.REPLACE_KEY)


def kept(snapshot: Snapshot, intent: Intent = REPLACE_KEY) -> tuple[Ledger, tuple[Transition, ...]]:
    return update_ledger(snapshot, intent, GATES)


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
        # Read back, and trusted in the same pass: no pod has to restart first.
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


def test_a_ca_renewed_under_its_key_is_trusted_in_the_pass_that_reads_it_back() -> None:
    books = ledger(entry(OLD, generations={0}), entry(RENEWED, UNTRUSTED, awaited_pods=None))
    snapshot = cluster(ca=secrets(other_entries=others(RENEWED)), ledger=books)
    assert kept(snapshot)[0].find(name_of(RENEWED)) == entry(RENEWED, UNUSED, awaited_pods=uids_of(), published_at=NOW)


def test_a_transition_has_the_states_before_and_after_the_usage_and_the_evidence() -> None:
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
def test_each_ca_makes_at_most_one_transition_in_a_pass_and_the_report_has_it(
    snapshot: Snapshot, intent: Intent
) -> None:
    """A CA that enters may become trusted in the same pass; every other CA moves once."""
    before, (after, taken) = snapshot.ledger_or_empty, kept(snapshot, intent)
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
def test_no_known_ca_changes_its_state_without_evidence(snapshot: Snapshot, intent: Intent) -> None:
    """There are no pods, or what a pod presents is unknown; in the second case a CA that no pod uses may become trusted."""
    before, after = snapshot.ledger_or_empty, kept(snapshot, intent)[0]
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
def test_a_trusted_ca_was_read_back_and_validates_for_every_process(snapshot: Snapshot) -> None:
    after, taken = kept(snapshot)
    for one in taken:
        if one.after is not UNUSED or (snapshot.ledger is None and one.before is None):
            continue
        event("trusted")
        found = after.find(one.fingerprint)
        assert found is not None
        form = introduction_of(snapshot, after, found, GATES).form
        assert trust_gate(without_outside_clients(snapshot), after, form) == ()
        assert found.awaited_pods is not None
        assert snapshot.bundle is None or is_projected(snapshot, one.fingerprint)


@SETTINGS
@given(snapshots(stage.OUT_OF_BUNDLE, linked.OUT_OF_BUNDLE))
def test_no_party_needed_a_ca_that_left(snapshot: Snapshot) -> None:
    before, (after, taken) = snapshot.ledger_or_empty, kept(snapshot)
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
    """A pod that was awaited and still runs stays awaited while the CA is projected, unless it knew a twin that left. If a CA is back
    that a call has read to have left, every pod is awaited."""
    before, after = snapshot.ledger_or_empty, kept(snapshot)[0]
    twins = {one.certificate.subject for one in before.entries if after.find(one.fingerprint) is None}
    for one in before.entries:
        found = after.find(one.fingerprint)
        if found is None or found.awaited_pods is None or one.awaited_pods is None or one.certificate.subject in twins:
            continue
        is_back = one.knowing_pods is not None and found.knowing_pods is None
        awaited = snapshot.uids if is_back else one.awaited_pods & snapshot.uids
        assert found.awaited_pods & snapshot.uids == awaited


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


# Whether the CAs of the ledger are where processes read them, and the pods that started before they were.


def after(snapshot: Snapshot, authority: Entity = NEW) -> LedgerEntry | None:
    return read_back(snapshot, snapshot.ledger_or_empty, GATES).find(name_of(authority))


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


def test_reading_a_ca_back_records_the_existing_pods_and_the_time() -> None:
    assert after(replace(stage.IN_BUNDLE, now=NOW)) == entry(NEW, UNTRUSTED, awaited_pods=uids_of(), published_at=NOW)


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
def test_a_ca_outside_secret_or_bundle_is_not_read_back(projected: bool, bundle: frozenset[str] | None) -> None:
    snapshot = replace(stage.ENROLLED, bundle=bundle).with_ca(other_entries=others(NEW) if projected else {})
    assert after(snapshot) == entry(NEW, UNTRUSTED, awaited_pods=None)


def test_before_the_first_start_there_is_no_bundle_and_no_pod_to_wait_for() -> None:
    books = ledger(entry(NEW, UNTRUSTED, {0}, awaited_pods=None))
    snapshot = cluster(ca=secrets(NEW), ledger=books, bundle=None, pods=(), leaves=())
    assert after(snapshot) == entry(NEW, UNTRUSTED, {0}, published_at=NOW)


def test_a_second_look_changes_nothing() -> None:
    """The time that clients were given starts once; pods that have started since are not waited for."""
    assert after(stage.RESTARTED) == stage.READ_BACK.ledger_or_empty.find(name_of(NEW))


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
def test_where_a_ca_was_taken_out_by_hand_reading_back_starts_over(fields: dict[str, Any], state: TrustState) -> None:
    """Pods that start from now on do not trust it, and clients could not read it."""
    old = entry(OLD, state, {0}, published_at=NOW - DAY)
    lost = entry(OLD, state, {0}, awaited_pods=None)
    assert after(cluster(ledger=ledger(old, entry(NEW)), **fields), OLD) == lost
    back = cluster(ledger=ledger(lost))
    assert after(back, OLD) == entry(OLD, state, {0}, awaited_pods=uids_of(), published_at=NOW)


@pytest.mark.parametrize("step", ["WITHDRAWN", "OUT_OF_BUNDLE"])
def test_a_withdrawn_ca_is_not_read_back_again(step: str) -> None:
    snapshot, found = stage.STAGES[step], after(stage.STAGES[step], OLD)
    assert found is not None
    assert replace(found, knowing_pods=None) == snapshot.ledger_or_empty.find(name_of(OLD))


def test_a_withdrawn_ca_that_a_leaf_still_needs_is_read_back_again() -> None:
    """The CA is put back, and pods that started while it was out do not trust it."""
    late = changed(stage.OUT_OF_BUNDLE, leaves=(*leaves(NEW, 1), a_leaf("late", OLD, 0)), pods=pods(1, start=3))
    assert after(late, OLD) == entry(OLD, PHASE_OUT, {0}, awaited_pods=None, knowing_pods=late.uids)


_READ = st.none() | st.sets(st.sampled_from(sorted(uids_of())))


@given(st.booleans(), st.sampled_from([None, frozenset(), names_of(OLD), names_of(OLD, NEW)]), _READ, st.booleans())
def test_a_pod_that_ran_before_the_read_back_never_counts_as_trusting_the_ca(
    in_secret: bool, bundle: frozenset[str] | None, awaiting: set[str] | None, running: bool
) -> None:
    """A pod that was awaited and still runs stays awaited, unless reading back starts over: then every pod is awaited."""
    books = ledger(entry(OLD), entry(NEW, UNTRUSTED, awaited_pods=awaiting))
    ca = secrets(other_entries=others(NEW) if in_secret else {})
    snapshot = cluster(ca=ca, ledger=books, bundle=bundle, pods=pods() if running else ())
    found = after(snapshot)
    assert found is not None
    if found.awaited_pods is not None:
        assert found.awaited_pods >= (snapshot.uids if awaiting is None else frozenset(awaiting))
        assert awaiting is not None or is_projected(snapshot, name_of(NEW))


# A CA that was withdrawn leaves the ledger, and who still trusts it is remembered.

_WITHDRAWN = stage.OUT_OF_BUNDLE.ledger_or_empty.entries


def struck(snapshot: Snapshot, books: Ledger | None = None, gates: Gates = GATES) -> Ledger:
    """books: what this pass has made of the ledger so far."""
    return strike_removed(snapshot, note_pods_of_now(snapshot, books or snapshot.ledger_or_empty), gates)


def test_a_removed_ca_leaves_and_every_running_pod_may_still_trust_it() -> None:
    after = struck(stage.OUT_OF_BUNDLE)
    assert after == replace(
        stage.OUT_OF_BUNDLE.ledger_or_empty,
        entries=stage.REMOVED.ledger_or_empty.entries,
        removed_cas=(RemovedEntry(OLD.certificate, uids_of(start=2)),),
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
def test_reasons_for_which_a_removed_ca_stays(fields: dict[str, Any]) -> None:
    books = stage.OUT_OF_BUNDLE.ledger_or_empty
    seen = changed(stage.OUT_OF_BUNDLE, **fields)
    assert struck(seen, books) == note_pods_of_now(seen, books)


def test_a_ca_leaves_the_ledger_with_the_pods_that_ran_when_it_had_left_the_bundle() -> None:
    """Pods that have started since do not know it, however long it stayed in the ledger for another reason."""
    seen = changed(stage.OUT_OF_BUNDLE, published=names_of(OLD, NEW))
    noted, _transitions = kept(seen)
    assert [one.knowing_pods for one in noted.entries] == [seen.uids, None]
    later = changed(seen, ledger=noted, published=names_of(NEW), pods=pods(1, start=3))
    assert later.uids.isdisjoint(seen.uids)
    after, _transitions = kept(later)
    assert after.removed_cas == (RemovedEntry(OLD.certificate, seen.uids),)


def test_a_ca_that_is_back_where_processes_read_cas_is_known_to_more_pods_when_it_leaves_again() -> None:
    noted, _transitions = kept(changed(stage.OUT_OF_BUNDLE, published=names_of(OLD, NEW)))
    back = changed(stage.OUT_OF_BUNDLE, ledger=noted, bundle=names_of(OLD, NEW), pods=pods(1, start=3))
    again, _transitions = kept(back)
    assert [one.knowing_pods for one in again.entries] == [None, None]
    assert [one.awaited_pods for one in again.entries] == [None, noted.entries[1].awaited_pods]
    after, _transitions = kept(changed(stage.OUT_OF_BUNDLE, ledger=again, pods=back.nodes.pods))
    assert after.removed_cas == (RemovedEntry(OLD.certificate, back.uids),)


def test_a_ca_on_its_way_out_that_is_back_in_the_bundle_is_lacked_by_pods_that_have_started_without_it() -> None:
    noted, _transitions = kept(changed(stage.OUT_OF_BUNDLE, published=names_of(OLD, NEW)))
    returned = changed(stage.PHASED_OUT, ledger=noted, pods=pods(1, start=3))
    again = note_pods_of_now(returned, noted).find(name_of(OLD))
    assert again is not None
    assert (again.awaited_pods, again.published_at) == (returned.uids, returned.now)


def test_a_ca_stays_in_the_ledger_while_nothing_shows_what_pods_read() -> None:
    """Without a bundle no pod of this moment is known to be the last that knows it."""
    assert struck(changed(stage.OUT_OF_BUNDLE, bundle=None)) == stage.OUT_OF_BUNDLE.ledger


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"ledger": ledger(entry(THIRD, ALL, {7}), *_WITHDRAWN)}, id="it is in use"),
        pytest.param({"bundle": names_of(NEW, THIRD)}, id="it is still in the bundle"),
        pytest.param({"ca": replace(stage.OUT_OF_BUNDLE.ca, prepared=(prepared(THIRD),))}, id="it is prepared again"),
    ],
)
def test_a_ca_that_stays_keeps_no_other_ca(fields: dict[str, Any]) -> None:
    """Whichever comes first in the ledger."""
    both = changed(stage.OUT_OF_BUNDLE, **{"ledger": ledger(entry(THIRD, PHASE_OUT, {7}), *_WITHDRAWN), **fields})
    assert [one.fingerprint for one in struck(both).entries] == [name_of(THIRD), name_of(NEW)]


def test_a_ca_that_the_removal_gate_keeps_holds_no_other_ca() -> None:
    def needed(_snapshot: Snapshot, _ledger: Ledger, fingerprint: str) -> tuple[str, ...]:
        return ("a leaf needs it",) if fingerprint == name_of(THIRD) else ()

    both = replace(stage.OUT_OF_BUNDLE, ledger=ledger(entry(THIRD, PHASE_OUT, {7}), *_WITHDRAWN))
    after = struck(both, gates=replace(GATES, removal=needed))
    assert [one.fingerprint for one in after.entries] == [name_of(THIRD), name_of(NEW)]


def test_a_ca_that_came_back_into_use_in_this_pass_stays_in_the_ledger() -> None:
    books = stage.OUT_OF_BUNDLE.ledger_or_empty.with_entry(entry(OLD, ANY, {0}, knowing_pods=stage.OUT_OF_BUNDLE.uids))
    assert struck(stage.OUT_OF_BUNDLE, books) == books


def test_only_the_removal_gate_keeps_a_withdrawn_ca_that_a_leaf_needs() -> None:
    needed = changed(stage.OUT_OF_BUNDLE, leaves=(*leaves(NEW, 1), a_leaf("other", OLD, 0)))
    opened = replace(GATES, removal=lambda *_about: ())
    assert struck(needed, gates=opened).find(name_of(OLD)) is None


@pytest.mark.parametrize(
    ("successor", "remembered"), [(RENEWED, False), (NEW, True)], ids=["the same name and key", "a key of its own"]
)
def test_after_a_renewal_no_pod_trusts_more_than_before(successor: Entity, remembered: bool) -> None:
    books = ledger(entry(OLD, PHASE_OUT, {0}), entry(successor, generations={1}))
    snapshot = cluster(
        ca=secrets(successor, certificate_generation=1), ledger=books, pods=pods(1), leaves=leaves(successor, 1)
    )
    gone = (RemovedEntry(OLD.certificate, uids_of()),) if remembered else ()
    assert struck(snapshot) == ledger(entry(successor, generations={1}), removed_cas=gone)


def test_a_pod_that_awaits_a_removed_ca_is_remembered_as_if_it_trusted_that_ca() -> None:
    """The pod may have started between the CA's arrival in the bundle and its read-back."""
    node, component = a_pod(), a_pod("topics", component=Component.ENTITY_OPERATOR)
    leaving = entry(OLD, PHASE_OUT, {0}, awaited_pods={node.uid, component.uid})
    seen = changed(stage.OUT_OF_BUNDLE, pods=(node, component), leaves=(), ledger=ledger(leaving, entry(NEW, ALL, {1})))
    opened = replace(GATES, removal=lambda *_about: ())
    assert struck(seen, gates=opened).removed_cas == (RemovedEntry(OLD.certificate, seen.uids),)


def test_the_ca_that_the_flow_leads_to_stays() -> None:
    """The CA to which an abort leads back stays in the ledger, although it was taken out by hand: it is prepared again."""
    books = replace(stage.OUT_OF_BUNDLE.ledger_or_empty, journal=a_journal(old=NEW, new=OLD, is_abort=True))
    back = replace(stage.OUT_OF_BUNDLE, ledger=books)
    assert struck(back) == note_pods_of_now(back, books)


def test_a_ca_that_is_prepared_again_stays() -> None:
    """It would be enrolled again at once."""
    prepared_again = stage.OUT_OF_BUNDLE.with_ca(prepared=(prepared(OLD),))
    assert struck(prepared_again) == note_pods_of_now(prepared_again, stage.OUT_OF_BUNDLE.ledger_or_empty)


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
def test_a_renewed_ca_records_since_when_clients_read_no_form_of_it_with_path_length_0(
    gone: Entity, known: dict[str, Any], cleared: datetime | None
) -> None:
    (left,) = struck(renewed(gone, **known)).entries
    assert left.cleared_at == cleared


def test_a_second_renewal_keeps_since_when_no_form_with_path_length_0_is_read() -> None:
    before = renewed(OLD)
    before = replace(before, ledger=before.ledger_or_empty.with_entry(entry(OLD, PHASE_OUT, {0}, cleared_at=NOW - DAY)))
    (left,) = struck(before).entries
    assert left.cleared_at == NOW - DAY


def test_a_renewal_clears_the_other_forms_of_the_ca_that_allow_a_ca_below_them() -> None:
    unlimited, short = (make("cluster-ca v0", key(0), path_length=length, end=NOW + 3 * YEAR) for length in (None, 0))
    books = renewed(SHORT).ledger_or_empty
    for other in (THIRD, unlimited, short):
        books = books.with_entry(entry(other, UNUSED))
    after = struck(replace(renewed(SHORT), ledger=books))
    assert [one.cleared_at for one in after.entries] == [NOW, None, NOW, None]


def test_the_old_form_of_a_renewed_ca_stays_in_the_ledger_while_clients_can_read_it() -> None:
    before = changed(renewed(SHORT), published=names_of(SHORT, RENEWED))
    assert struck(before) == note_pods_of_now(before, before.ledger_or_empty)
    assert len(struck(changed(before, published=names_of(RENEWED))).entries) == 1


@pytest.mark.parametrize("published", [names_of(INTERMEDIATE, ROOT), names_of(INTERMEDIATE)])
def test_a_root_that_clients_read_above_another_ca_leaves_the_ledger(published: frozenset[str]) -> None:
    below = entry(chain_of(INTERMEDIATE, ROOT), ALL, {1})
    leaving = entry(ROOT, PHASE_OUT, {0})
    before = cluster(
        ca=secrets(below.chain, certificate_generation=1), ledger=ledger(leaving, below), pods=pods(1), leaves=leaves(INTERMEDIATE, 1),
        published=published,
    )  # fmt: skip
    opened = replace(GATES, removal=lambda *_about: ())
    assert [one.fingerprint for one in struck(before, gates=opened).entries] == [name_of(INTERMEDIATE)]

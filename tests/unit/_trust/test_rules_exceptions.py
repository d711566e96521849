# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which step comes next beside the usual way: first CAs, renewals, adoption, and what other people did."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.intent import Bridge, Intent, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger import Goal, RemovedEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.snapshot import Chain, Reconciliation, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.spreading import retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.steps import (
    AwaitBundle,
    PrepareAuthority,
    Project,
    Promote,
    Roll,
    RollReason,
    SetGenerated,
    Step,
    WriteLedger,
)

from .._pki.hierarchy import Entity
from . import rotation as stage
from .builders import (
    INTERMEDIATE,
    NEW,
    OLD,
    PODS,
    RENEWED,
    ROOT,
    THIRD,
    a_journal,
    a_leaf,
    a_pod,
    chain_of,
    cluster,
    entry,
    leaves,
    ledger,
    name_of,
    names_of,
    others,
    pods,
    prepared,
    secrets,
    uids_of,
)
from .rotation import ALL, PHASE_OUT, UNTRUSTED, UNUSED, books_of

RENEW, CREATE = Intent(Goal.RENEW), Intent(Goal.CREATE)
REPLACE_KEY = Intent(Goal.REPLACE_KEY, bridge=Bridge.NEVER)
RECONCILE, UPGRADE = Intent(Goal.RECONCILE), Intent(Goal.UPGRADE)
NOBODY = frozenset[str]()
FIRST = cluster(ca=secrets(None), ledger=None, bundle=None, pods=(), leaves=())


def steps(snapshot: Snapshot, intent: Intent = REPLACE_KEY) -> tuple[Step, ...]:
    found = decide(snapshot, intent)
    assert found.violations == ()
    return found.steps


def settled_with(authority: Entity | Chain, *beside: Entity, key_generation: int = 0) -> Snapshot:
    chain = chain_of(authority) if isinstance(authority, Entity) else authority
    ca = secrets(chain, others=others(*beside), key_generation=key_generation)
    return cluster(
        ca=ca,
        ledger=ledger(entry(chain, generations={0}), *(entry(one, UNUSED) for one in beside)),
        leaves=leaves(authority if isinstance(authority, Entity) else INTERMEDIATE),
    )


@pytest.mark.parametrize(
    ("snapshot", "intent", "generation"),
    [
        # A renewal keeps name and key, so that nobody has to learn a new name.
        (settled_with(OLD, key_generation=6), RENEW, 0),
        (settled_with(NEW), RENEW, 1),
        (settled_with(chain_of(INTERMEDIATE, ROOT), key_generation=4), RENEW, 4),
        # A new key takes a number that no CA here has, neither in its name nor as key generation.
        (settled_with(OLD), REPLACE_KEY, 1),
        (settled_with(NEW), REPLACE_KEY, 2),
        (settled_with(OLD, key_generation=6), REPLACE_KEY, 7),
        (settled_with(OLD, THIRD), REPLACE_KEY, 3),
        (settled_with(chain_of(INTERMEDIATE, ROOT)), REPLACE_KEY, 1),
    ],
)
def test_the_number_of_the_next_ca(snapshot: Snapshot, intent: Intent, generation: int) -> None:
    assert steps(snapshot, intent) == (PrepareAuthority(intent.goal, snapshot.ca.current, generation),)


def test_the_first_ca() -> None:
    assert steps(FIRST, CREATE) == (PrepareAuthority(Goal.CREATE, (), 0),)


def test_the_first_ca_issues_before_anybody_could_trust_it() -> None:
    """There is no process yet; the first ones start with it."""
    books = ledger(entry(NEW, UNTRUSTED, awaiting=None), journal=a_journal(Goal.CREATE, None, NEW))
    snapshot = replace(FIRST, ca=secrets(None, prepared=(prepared(NEW),)), ledger=books)
    assert steps(snapshot, CREATE) == (Promote(name_of(NEW), 0),)


def test_a_cluster_that_has_a_ca_needs_no_first_one() -> None:
    found = decide(stage.SETTLED, CREATE)
    assert (found.steps, found.done) == ((), True)


def test_a_renewal_with_the_same_key_needs_no_trust_roll() -> None:
    """Every pod started before it was read back, and validates its leaves all the same."""
    books = ledger(
        entry(OLD, generations={0}),
        entry(RENEWED, UNUSED, awaiting=uids_of()),
        journal=a_journal(Goal.RENEW, OLD, RENEWED),
    )
    snapshot = cluster(ca=secrets(others=others(RENEWED), prepared=(prepared(RENEWED),)), ledger=books)
    assert steps(snapshot, RENEW) == (Promote(name_of(RENEWED), 1),)


def test_adopting_stops_the_operator_from_managing_the_ca_first() -> None:
    generated = cluster(ledger=None, reconciliation=Reconciliation(generated=True))
    assert steps(generated, UPGRADE) == (SetGenerated(False, Phase.PREPARE),)


def test_adopting_then_writes_the_first_ledger_and_is_done() -> None:
    (written,) = steps(cluster(ledger=None), UPGRADE)
    assert isinstance(written, WriteLedger)
    assert written.ledger == ledger(entry(OLD, UNUSED, {0}))
    (used,) = steps(cluster(ledger=written.ledger), UPGRADE)
    assert isinstance(used, WriteLedger)
    assert used.ledger == ledger(entry(OLD, ALL, {0}))
    assert decide(cluster(ledger=used.ledger), UPGRADE).done


@pytest.mark.parametrize("intent", [RECONCILE, REPLACE_KEY])
def test_a_trusted_ca_that_somebody_took_out_of_the_secret_is_put_back(intent: Intent) -> None:
    lost = replace(stage.TRUSTED, ca=replace(stage.TRUSTED.ca, others={}), bundle=names_of(OLD))
    lost = replace(lost, ledger=books_of(lost).with_entry(entry(NEW, UNUSED, awaiting=None)))
    assert steps(lost, intent) == (
        Project((chain_of(NEW),)),
        AwaitBundle(names_of(OLD, NEW), NOBODY, Phase.PREPARE),
    )


def test_a_trusted_ca_that_is_not_in_the_bundle_is_not_promoted() -> None:
    lost = replace(stage.TRUSTED, bundle=names_of(OLD))
    lost = replace(lost, ledger=books_of(lost).with_entry(entry(NEW, UNUSED, awaiting=None)))
    assert steps(lost) == (AwaitBundle(names_of(OLD, NEW), NOBODY, Phase.PREPARE),)


def test_a_trusted_ca_that_a_process_cannot_validate_is_not_promoted() -> None:
    """Read back anew after somebody had taken it out: a pod started in between."""
    books = books_of(stage.TRUSTED).with_entry(entry(NEW, UNUSED, awaiting=uids_of(PODS[1], start=1)))
    assert steps(replace(stage.TRUSTED, ledger=books)) == (
        Roll(RollReason.TRUST, uids_of(PODS[1], start=1), name_of(NEW), Phase.TRUST),
    )


def test_an_untrusted_ca_is_not_promoted_although_all_could_validate_it() -> None:
    """Without pods the state is kept, and the books say what is proven."""
    untrusted = books_of(stage.TRUSTED).with_entry(entry(NEW, UNTRUSTED))
    found = decide(replace(stage.TRUSTED, pods=(), leaves=(), ledger=untrusted), REPLACE_KEY)
    assert found.steps == ()


def test_what_came_into_the_secret_by_itself_is_never_promoted() -> None:
    """Only a CA whose key is prepared can issue."""
    books = ledger(entry(OLD, generations={0}), entry(NEW, UNUSED))
    found = decide(cluster(ca=secrets(others=others(NEW)), ledger=books), RECONCILE)
    assert (found.steps, found.done) == ((), True)


def test_a_withdrawn_ca_that_is_needed_after_all_is_put_back() -> None:
    late = (*leaves(NEW, 1), a_leaf("late", OLD, 0))
    books = books_of(stage.OUT_OF_BUNDLE).with_entry(entry(OLD, PHASE_OUT, {0}, awaiting=None))
    snapshot = replace(stage.OUT_OF_BUNDLE, leaves=late, ledger=books)
    assert steps(snapshot) == (
        Project((chain_of(OLD),)),
        AwaitBundle(names_of(OLD, NEW), NOBODY, Phase.PREPARE),
    )


def test_a_ca_on_its_way_out_that_issues_is_not_withdrawn() -> None:
    """Somebody restored ca.crt while all pods still present another CA's leaves."""
    books = ledger(entry(OLD, PHASE_OUT, {2}), entry(NEW, ALL, {1}))
    restored = cluster(
        ca=secrets(others=others(NEW), certificate_generation=2), ledger=books, pods=pods(1), leaves=leaves(NEW, 1)
    )
    assert steps(restored, RECONCILE) == (Roll(RollReason.USE, uids_of(), name_of(OLD), Phase.USE),)
    assert retire(restored, RECONCILE, books) == ()


def test_nobody_is_restarted_to_trust_a_ca_on_its_way_out() -> None:
    books = books_of(stage.PHASED_OUT).with_entry(entry(OLD, PHASE_OUT, {0}, awaiting=uids_of(start=2)))
    assert steps(replace(stage.PHASED_OUT, ledger=books)) == steps(stage.PHASED_OUT)


def test_pods_that_cannot_be_told_are_not_rolled_by_guess() -> None:
    mixed = (a_pod(generation=None, start=1), *pods(start=1, names=PODS[1:]))
    (roll,) = steps(replace(stage.TIDIED, pods=mixed))
    assert roll == Roll(RollReason.USE, uids_of(*PODS[1:], start=1), name_of(NEW), Phase.USE)


def test_a_stored_leaf_of_the_former_generation_is_waited_for() -> None:
    """The Cluster Operator's own, issued at the start of its next reconcile."""
    own = a_leaf("demo-cluster-operator-certs", OLD, 0)
    snapshot = replace(stage.PHASED_OUT, leaves=(*leaves(NEW, 1), own))
    assert steps(snapshot) == (Roll(RollReason.USE, NOBODY, name_of(NEW), Phase.USE),)


def test_the_last_roll_waits_for_one_removed_ca_after_the_other() -> None:
    first, second = RemovedEntry(THIRD.certificate, uids_of(PODS[0], start=2)), books_of(stage.REMOVED).removed[0]
    snapshot = replace(stage.REMOVED, ledger=replace(books_of(stage.REMOVED), removed=(first, second)))
    assert steps(snapshot) == (Roll(RollReason.RETIRE, first.awaiting, name_of(THIRD), Phase.RETIRE),)

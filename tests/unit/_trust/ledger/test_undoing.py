# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A flow can be undone as long as every verifier trusts the CA that it replaces and that CA can sign; during a pause the run notes which pods may
have a leaf of the other CA.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.journal import (
    Obstacle,
    given_up_ca,
    note_possible_holders,
    obstacle_to_undoing,
    was_never_issued,
    write_journal,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Journal, LedgerEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    CaUsers,
    InPlaceObstacles,
    OperatorPause,
    Snapshot,
)

from ....tools.support.authorities import Authority
from .. import linked, renewal
from .. import unlinked as stage
from ..authorities import INTERMEDIATE, NEW, OLD, RENEWED, ROOT, THIRD, names_of
from ..builders import PAUSED, answering, changed, prepared
from ..ledgers import ANY, UNTRUSTED, UNUSED, a_journal, entry
from ..nodes import a_leaf

WITHOUT_KEYS = frozenset[str]()
ENDED = OLD.certificate.not_after


@pytest.mark.parametrize(
    ("snapshot", "journal", "expected"),
    [
        pytest.param(stage.TRUSTED, a_journal(), None, id="before the switch"),
        pytest.param(stage.TRUSTED.with_ca(kept_keys=WITHOUT_KEYS), a_journal(), None, id="its key is in use"),
        pytest.param(stage.SHARED, a_journal(), None, id="after the switch"),
        pytest.param(stage.SHARED.with_ca(kept_keys=WITHOUT_KEYS), a_journal(), Obstacle.KEY, id="no key"),
        pytest.param(stage.SHARED.with_ca(kept_keys=names_of(NEW)), a_journal(), Obstacle.KEY, id="another key"),
        pytest.param(stage.SHARED.with_ca(kept_keys=WITHOUT_KEYS, key=None), a_journal(), Obstacle.KEY, id="no key at all"),
        pytest.param(replace(stage.TRUSTED, now=ENDED), a_journal(), None, id="it has ended, and is in use"),
        pytest.param(replace(stage.SHARED, now=ENDED), a_journal(), Obstacle.ENDED, id="it has ended, and another is in use"),
        pytest.param(replace(stage.SHARED, now=ENDED, users=CaUsers()), a_journal(), None, id="it has ended, and none that verifies by it looks at that"),
        pytest.param(
            stage.SHARED.with_ca(kept_keys=WITHOUT_KEYS, keys_elsewhere=frozenset({OLD.certificate.public_key_sha256})), a_journal(),
            None, id="an outside issuer keeps its key",
        ),
        pytest.param(
            replace(stage.SHARED.with_ca(keys_elsewhere=frozenset({OLD.certificate.public_key_sha256})), now=ENDED, users=CaUsers()),
            a_journal(), Obstacle.ENDED, id="it has ended, and its issuer signs nothing more",
        ),
        pytest.param(stage.WITHDRAWN, a_journal(), Obstacle.LEFT, id="withdrawn"),
        pytest.param(stage.REMOVED, a_journal(), Obstacle.LEFT, id="removed"),
        pytest.param(linked.LEARNED, a_journal(), Obstacle.LEFT, id="it left with the switch"),
        pytest.param(stage.TRUSTED, a_journal(old=None), Obstacle.FIRST, id="the first CA"),
    ],
)  # fmt: skip
def test_an_abort_is_possible_unless_a_key_or_trust_is_missing(
    snapshot: Snapshot, journal: Journal, expected: Obstacle | None
) -> None:
    assert obstacle_to_undoing(snapshot, journal, snapshot.ledger_or_empty) is expected


def test_after_a_renewal_the_key_is_the_same() -> None:
    seen = renewal.PHASED_OUT.with_ca(kept_keys=WITHOUT_KEYS)
    assert seen.ledger is not None
    assert seen.ledger.journal is not None
    assert obstacle_to_undoing(seen, seen.ledger.journal, seen.ledger) is None


ABORT = a_journal(old=NEW, new=OLD, is_abort=True)


@pytest.mark.parametrize(
    ("snapshot", "journal", "given_up"),
    [
        pytest.param(stage.SHARED, a_journal(), None, id="the flow leads on"),
        pytest.param(stage.SHARED, ABORT, NEW, id="the abort leads back"),
        pytest.param(replace(stage.SHARED, now=ENDED), ABORT, OLD, id="the abort led back to a CA that has ended"),
        pytest.param(
            replace(stage.SHARED, now=ENDED), a_journal(), OLD, id="the flow leads on from a CA that has ended"
        ),
        pytest.param(replace(stage.TRUSTED, now=ENDED), a_journal(), None, id="the CA in use has ended"),
        pytest.param(replace(stage.TRUSTED, now=ENDED), ABORT, NEW, id="the abort stays with a CA that has ended"),
        pytest.param(replace(stage.SHARED, now=ENDED, users=CaUsers()), ABORT, NEW, id="no program looks at the end"),
        pytest.param(stage.SHARED, a_journal(finished_at=ENDED), None, id="no flow is in flight"),
    ],
)
def test_a_flow_gives_up_the_ca_that_it_undoes_or_that_has_ended(
    snapshot: Snapshot, journal: Journal, given_up: Authority | None
) -> None:
    expected = given_up.certificate.fingerprint if given_up else None
    assert given_up_ca(snapshot, replace(snapshot.ledger_or_empty, journal=journal)) == expected


def test_an_abort_whose_ca_ends_on_the_way_leads_on_with_the_ca_in_use() -> None:
    begun = replace(stage.SHARED, ledger=replace(stage.SHARED.ledger_or_empty, journal=ABORT))
    for now, expected in ((begun.now, ABORT), (ENDED, a_journal(started_at=ENDED))):
        seen = replace(begun, now=now)
        written = write_journal(seen, Intent(Goal.RECONCILE), seen.ledger_or_empty, seen.ledger_or_empty).journal
        assert written is not None
        assert (written.replaces, written.successor, written.is_abort) == (
            expected.replaces, expected.successor, expected.is_abort,
        )  # fmt: skip
        assert (written.started_at, written.unsure_pods) == (expected.started_at, expected.unsure_pods)


UNANSWERED = InPlaceObstacles(reload="no node can be asked.")
#: Every stored leaf is of the old CA again.
GIVEN_UP = changed(stage.TRUSTED.with_ca(prepared=()), reconciliation=PAUSED, in_place_obstacles=UNANSWERED)


def unsure_of(snapshot: Snapshot, journal: Journal = ABORT) -> frozenset[str] | None:
    return note_possible_holders(snapshot, journal, replace(snapshot.ledger_or_empty, journal=journal)).unsure_pods


@pytest.mark.parametrize(
    ("unwanted", "snapshot", "expected"),
    [
        (None, stage.TRUSTED, True),
        (entry(NEW, UNTRUSTED), stage.TRUSTED, True),
        (entry(NEW, UNUSED), linked.TRUSTED, False),
        (entry(NEW, UNUSED), stage.TRUSTED, True),
        (entry(NEW, ANY), stage.TRUSTED, False),
        (
            entry(NEW, UNUSED),
            linked.TRUSTED.with_ca(prepared=(*linked.TRUSTED.ca.prepared, *map(prepared, (THIRD, ROOT, INTERMEDIATE)))),
            False,
        ),
        (entry(NEW, UNUSED), stage.TRUSTED.with_ca(prepared=()), False),
        (entry(NEW, UNUSED), stage.SHARED, True),
        (entry(RENEWED, UNUSED), stage.TRUSTED, True),
    ],
    ids=[
        "it is not known",
        "it was not trusted everywhere",
        "before the switch",
        "the same without a link certificate",
        "which it had before",
        "others are prepared without one",
        "it is taken away",
        "after the switch",
        "a renewal",
    ],
)
def test_a_given_up_ca_counts_as_never_issued_unless_its_leaves_may_be_stored(
    unwanted: LedgerEntry | None, snapshot: Snapshot, expected: bool
) -> None:
    assert was_never_issued(snapshot, unwanted) is expected


def test_an_abort_notes_every_pod_that_could_not_be_asked_during_the_pause() -> None:
    assert unsure_of(GIVEN_UP) == GIVEN_UP.uids


def test_pods_whose_listeners_answer_are_not_unsure() -> None:
    assert unsure_of(answering(changed(GIVEN_UP, in_place_obstacles=InPlaceObstacles()))) == frozenset()


@pytest.mark.parametrize(
    "snapshot",
    [
        pytest.param(replace(GIVEN_UP, reconciliation=stage.TRUSTED.reconciliation), id="the operator works"),
        pytest.param(
            replace(GIVEN_UP, reconciliation=replace(PAUSED, pause=OperatorPause(is_set=True, is_ours=True))),
            id="it has not confirmed the pause",
        ),
        pytest.param(
            changed(GIVEN_UP, leaves=(*GIVEN_UP.leaves.stored, a_leaf("other", NEW, 0))), id="such a leaf is stored"
        ),
        pytest.param(changed(GIVEN_UP, in_place_obstacles=None), id="the run has not looked"),
    ],
)
def test_unsure_pods_are_not_noted_before_no_such_leaf_can_be_put_back(snapshot: Snapshot) -> None:
    assert unsure_of(snapshot) is None


def test_unsure_pods_are_noted_once() -> None:
    """A pod that starts afterwards reads a leaf of the old CA."""
    assert unsure_of(GIVEN_UP, replace(ABORT, unsure_pods=frozenset())) == frozenset()


def test_only_an_abort_notes_unsure_pods() -> None:
    assert unsure_of(GIVEN_UP, a_journal()) is None

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A CA in its time for renewal, and the record of what is done with it then."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.target import (
    leads_to_replacement,
    note_upkeep,
    resolve,
    rotation_of,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import (
    CaSource,
    Stop,
    Upkeep,
    UpkeepAsked,
    WhenDue,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Reconciliation, Snapshot

from ....support.certificates import NOW, YEAR, Entity, key, make
from ....support.intents import an_intent
from ..builders import (
    DAY,
    HOUR,
    INTERMEDIATE,
    NEW,
    OLD,
    ROOT,
    a_journal,
    books_of,
    chain_of,
    cluster,
    entry,
    ledger,
    prepared,
    secrets,
)
from ..requested import elsewhere

KEPT = an_intent(Goal.RECONCILE, upkeep=UpkeepAsked())
REPLACING = an_intent(Goal.RECONCILE, upkeep=UpkeepAsked(WhenDue.REPLACE_KEY))
RENEWED_FIRST = {"goal": Goal.RENEW, "is_upkeep": True, "to_replace": True, "finished_at": NOW - HOUR}


def ends_in(days: float, life: timedelta = YEAR) -> Entity:
    end = NOW + timedelta(days=days)
    return make("cluster-ca v0", key(0), path_length=1, begin=end - life, end=end)


def using(authority: Entity, **fields: object) -> Snapshot:
    return cluster(**{"ca": secrets(authority), "ledger": ledger(entry(authority, generations={0})), **fields})


ENDING = ends_in(36)
#: Half of its life is less than the window.
BRIEF = ends_in(25, timedelta(days=40))
REPLACED = Reconciliation(replaces_key=True)
HALF = using(OLD, ledger=ledger(entry(OLD, generations={0}), journal=a_journal(new=OLD, old=None, **RENEWED_FIRST)))
SOURCE = CaSource("ConfigMap pki/roots", chain_of(ENDING))


@pytest.mark.parametrize(
    ("snapshot", "intent", "begins"),
    [
        (using(ENDING), KEPT, Goal.RENEW),
        (using(ends_in(38)), KEPT, None),
        (using(BRIEF), KEPT, None),
        (using(ends_in(19, timedelta(days=40))), KEPT, Goal.RENEW),
        (using(ENDING, renewal_window=20 * DAY), KEPT, None),
        (using(ends_in(89)), an_intent(Goal.RECONCILE, upkeep=UpkeepAsked(window=90 * DAY)), Goal.RENEW),
        (using(ENDING, reconciliation=REPLACED), KEPT, Goal.REPLACE_KEY),
        (using(ENDING), REPLACING, Goal.REPLACE_KEY),
        (using(ENDING), an_intent(Goal.RECONCILE, upkeep=UpkeepAsked(WhenDue.NONE)), None),
        (using(ENDING), Intent(Goal.RECONCILE), None),
        (using(ENDING), an_intent(Goal.ABORT, upkeep=UpkeepAsked()), None),
        (using(ENDING, ca=secrets(ENDING, prepared=(prepared(NEW),))), KEPT, None),
        (using(ENDING, ledger=ledger(entry(ENDING), journal=a_journal(old=ENDING))), KEPT, None),
        (elsewhere(using(ENDING), ENDING), KEPT, None),
        (using(ENDING, source=SOURCE), KEPT, None),
        (using(ENDING, ca=secrets(chain_of(INTERMEDIATE, ROOT)), now=NOW + YEAR - DAY), KEPT, None),
        (cluster(ca=secrets(None)), KEPT, None),
        # The renewal before a replacement has put the end off.
        (HALF, REPLACING, Goal.REPLACE_KEY),
        (HALF, KEPT, None),
        (replace(HALF, ledger=replace(books_of(HALF), journal=a_journal(new=OLD, old=None, **{**RENEWED_FIRST, "is_upkeep": False}))), REPLACING, None),
    ],
)  # fmt: skip
def test_a_flow_begins_in_its_time_alone(snapshot: Snapshot, intent: Intent, begins: Goal | None) -> None:
    assert resolve(snapshot, intent, books_of(snapshot)).wanted is (begins is not None)
    if begins is not None:
        assert rotation_of(snapshot, intent, books_of(snapshot)) is begins


@pytest.mark.parametrize(
    ("intent", "journal", "leads"),
    [
        (REPLACING, {}, True),
        (KEPT, {}, False),
        (Intent(Goal.RECONCILE), {}, False),
        (REPLACING, {"is_upkeep": False}, False),
        (REPLACING, {"to_replace": False}, False),
    ],
)
def test_a_renewal_leads_to_the_replacement_that_upkeep_began(
    intent: Intent, journal: dict[str, object], leads: bool
) -> None:
    begun = a_journal(new=OLD, old=None, **{**RENEWED_FIRST, "finished_at": None, **journal})
    books = ledger(entry(OLD, generations={0}), journal=begun)
    assert leads_to_replacement(using(OLD, ledger=books), intent, books) is leads


@pytest.mark.parametrize(
    ("before", "intent", "after"),
    [
        (None, KEPT, Upkeep(WhenDue.RENEW, 37 * DAY, NOW)),
        (Upkeep(WhenDue.RENEW, 37 * DAY, NOW - DAY), KEPT, Upkeep(WhenDue.RENEW, 37 * DAY, NOW - DAY)),
        (Upkeep(WhenDue.RENEW, 37 * DAY, NOW - DAY), REPLACING, Upkeep(WhenDue.REPLACE_KEY, 37 * DAY, NOW)),
        (Upkeep(WhenDue.RENEW, 37 * DAY, NOW - DAY), Intent(Goal.RECONCILE), Upkeep(WhenDue.RENEW, 37 * DAY, NOW - DAY)),
        (Upkeep(WhenDue.RENEW, 37 * DAY, NOW - DAY), an_intent(Goal.RECONCILE, upkeep=UpkeepAsked(WhenDue.NONE)), None),
    ],
)  # fmt: skip
def test_the_ledger_records_the_last_word(before: Upkeep | None, intent: Intent, after: Upkeep | None) -> None:
    books = ledger(entry(OLD, generations={0}), upkeep=before)
    assert note_upkeep(using(OLD, ledger=books), intent, books).upkeep == after


def test_a_stop_holds_it() -> None:
    """The flow stops for an approval, and the schedule does not lead it on."""
    stopped = a_journal(old=ENDING, is_upkeep=True, stop=Stop(Phase.TRUST, NOW - DAY))
    books = ledger(entry(ENDING, generations={0}), journal=stopped)
    assert not resolve(using(ENDING, ledger=books), KEPT, books).wanted

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The journal keeps since when clients read the next CA, where nodes lead to it from memory alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import GATES
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.journal import note_readers
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.update import update_ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot

from ....tools.support.certificates import HOUR, NOW
from .. import linked
from ..authorities import NEW, OLD, THIRD, around, chain_of, link_of
from ..builders import prepared
from ..ledgers import a_journal, ledger

FORTH_ALONE = (prepared(NEW, link_of(NEW, OLD)),)
#: The first look after the switch.
SWITCHED = linked.SWITCHED.with_ca(prepared=FORTH_ALONE)


@pytest.mark.parametrize(
    ("snapshot", "since"),
    [
        pytest.param(SWITCHED, NOW, id="nodes lead from memory alone"),
        pytest.param(linked.SWITCHED, None, id="from their Secrets too"),
        pytest.param(replace(linked.SWITCHED, now=linked.BACK.not_after), linked.BACK.not_after, id="no longer"),
        pytest.param(SWITCHED.with_ca(current=chain_of(OLD)), None, id="before the switch"),
        pytest.param(SWITCHED.with_ca(current=()), None, id="there is no CA"),
        *(
            pytest.param(SWITCHED.with_ca(current=chain_of(one)), None, id="another CA is in use")
            for one in around(NEW)
        ),
        pytest.param(SWITCHED.with_ca(prepared=(prepared(NEW),)), None, id="there is no link certificate"),
        pytest.param(
            SWITCHED.with_ca(prepared=(prepared(NEW, link_of(NEW, THIRD)),)), None, id="it leads from another CA"
        ),
        pytest.param(replace(SWITCHED, ledger=ledger()), None, id="the ledger does not say from which CA"),
    ],
)
def test_the_first_look_after_the_switch_counts(snapshot: Snapshot, since: datetime | None) -> None:
    books = snapshot.ledger_or_empty if snapshot.ledger != ledger() else Ledger()
    assert note_readers(snapshot, a_journal(), books).read_since == since


def test_a_later_look_changes_nothing() -> None:
    known = a_journal(read_since=NOW - HOUR)
    assert note_readers(SWITCHED, known, SWITCHED.ledger_or_empty) == known


def test_the_journal_keeps_the_time_of_reading_until_the_flow_has_finished() -> None:
    intent = Intent(Goal.REPLACE_KEY)
    begun = update_ledger(SWITCHED, intent, GATES)[0].journal
    assert begun is not None
    assert begun.read_since == NOW
    late = replace(linked.FINISHED, ledger=replace(linked.FINISHED.ledger_or_empty, journal=a_journal(read_since=NOW)))
    done = update_ledger(late, intent, GATES)[0].journal
    assert done is not None
    assert (done.finished_at, done.read_since) == (NOW, None)

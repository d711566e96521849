# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps that write the ledger: what they say has changed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import HeldLeaf, Ledger, RemovedEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.base import Look, Step
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import (
    DeleteLedger,
    RemoveMarks,
    WriteLedger,
)

from ...builders import (
    ALL,
    ANY,
    NEW,
    OLD,
    PODS,
    THIRD,
    UNTRUSTED,
    UNUSED,
    a_journal,
    cluster,
    entry,
    ledger,
    stored_chain,
    uids_of,
)
from ...stand_in import MadeHere

OLD_NAME, NEW_NAME = named(OLD.certificate), named(NEW.certificate)
BEFORE = ledger(entry(OLD, ALL), entry(NEW, UNTRUSTED))
HELD = HeldLeaf(stored_chain(OLD)[0], uids_of())
GONE = RemovedEntry(THIRD.certificate, uids_of())


def write(after: Ledger, before: Ledger = BEFORE) -> WriteLedger:
    return WriteLedger(ledger=after, before=before, phase=Phase.USE)


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (write(BEFORE.with_entry(entry(NEW, UNUSED))), f"record {NEW_NAME} UNTRUSTED → TRUSTED_UNUSED"),
        (
            write(ledger(entry(OLD, ANY), entry(NEW, ANY))),
            f"record {OLD_NAME} TRUSTED_IN_USE_ALL → TRUSTED_IN_USE_ANY, {NEW_NAME} UNTRUSTED → TRUSTED_IN_USE_ANY",
        ),
        (write(BEFORE, ledger(entry(OLD, ALL))), f"record {NEW_NAME} enters as UNTRUSTED"),
        (write(ledger(entry(OLD, ALL))), f"record {NEW_NAME} leaves the ledger"),
        (write(replace(BEFORE, held=(HELD,))), "record what 3 pods will present until the next restart"),
        (
            write(replace(BEFORE, held=(replace(HELD, awaiting=uids_of(PODS[0])),)), replace(BEFORE, held=(HELD,))),
            "record what was observed",
        ),
        (write(replace(BEFORE, journal=a_journal())), "record what was observed"),
        (DeleteLedger(), "delete the ledger"),
        (RemoveMarks(), "remove the annotations of this collection"),
    ],
)
def test_in_words(step: Step, expected: str) -> None:
    assert step.sentence() == expected


def test_what_comes_of_it() -> None:
    assert write(BEFORE).effect(cluster(), MadeHere()) == cluster(ledger=BEFORE)
    assert DeleteLedger().effect(cluster(), MadeHere()) == cluster(ledger=None)
    assert RemoveMarks().effect(cluster(), MadeHere()) == cluster()


@pytest.mark.parametrize(
    ("before", "after", "look"),
    [
        pytest.param((GONE,), (), Look.FRESH, id="nobody trusts it any more"),
        pytest.param((GONE,), (replace(GONE, awaiting=frozenset()),), Look.FRESH, id="no listener does"),
        pytest.param((GONE,), (GONE,), Look.NONE, id="it is remembered"),
        pytest.param((), (GONE,), Look.NONE, id="it is remembered from now on"),
    ],
)
def test_nodes_are_asked_before_it_is_written_that_they_trust_a_ca_no_more(
    before: tuple[RemovedEntry, ...], after: tuple[RemovedEntry, ...], look: Look
) -> None:
    step = write(replace(BEFORE, removed=after), replace(BEFORE, removed=before))
    assert step.look(cluster()) is look
    assert step.look(cluster(pods=())) is Look.NONE

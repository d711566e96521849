# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Secrets that the ledger is kept in: what is asked for, else what is there, and nothing beside it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Step
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import Layout, Ledger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Reconciliation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import DeleteLedger, WriteLedger

from ....tools.support.golden import GoldenFiles
from ....tools.support.intents import an_intent
from ..authorities import OLD
from ..builders import cluster
from ..ledgers import ALL, entry, ledger

BOOKS = ledger(entry(OLD, ALL, {0}))


def steps(books: Ledger | None, layout: Layout | None = None) -> tuple[Step, ...]:
    return decide(cluster(ledger=books), an_intent(Goal.RECONCILE, layout=layout)).steps


@pytest.mark.parametrize("kept", Layout)
@pytest.mark.parametrize("asked", [None, *Layout])
def test_the_layout_is_the_requested_or_the_former_layout(
    kept: Layout, asked: Layout | None, golden: GoldenFiles
) -> None:
    before = replace(BOOKS, layout=kept)
    if asked in (None, kept):
        assert steps(before, asked) == ()
        return
    (step,) = steps(before, asked)
    assert isinstance(step, WriteLedger)
    assert (step.ledger, step.before) == (replace(before, layout=asked), before)
    golden.compare_said("steps", step.sentence(), step.ledger.layout.value)


@pytest.mark.parametrize("layout", Layout)
def test_the_next_run_of_any_layout_removes_what_a_killed_call_left(layout: Layout, golden: GoldenFiles) -> None:
    (step,) = steps(replace(BOOKS, layout=layout, has_leftovers=True))
    assert isinstance(step, WriteLedger)
    assert step.ledger == replace(BOOKS, layout=layout)
    golden.compare_said("steps", step.sentence())


@pytest.mark.parametrize("layout", Layout)
def test_a_new_ledger_begins_as_one_secret_in_any_layout(layout: Layout) -> None:
    """A single write makes the ledger or does not; two writes could leave half of it."""
    (step,) = steps(None, layout)
    assert isinstance(step, WriteLedger)
    assert step.ledger.layout is Layout.SINGLE


@pytest.mark.parametrize(
    "books",
    [replace(BOOKS, layout=Layout.SPLIT), replace(BOOKS, layout=Layout.KEYED), replace(BOOKS, has_leftovers=True)],
)
def test_a_ledger_is_brought_into_one_secret_before_it_is_deleted(books: Ledger) -> None:
    handed_back = cluster(ledger=books, reconciliation=Reconciliation(generated=True))
    (step,) = decide(handed_back, Intent(Goal.DOWNGRADE)).steps
    assert isinstance(step, WriteLedger)
    assert step.ledger == BOOKS
    assert decide(replace(handed_back, ledger=BOOKS), Intent(Goal.DOWNGRADE)).steps == (DeleteLedger(),)

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A flow that is undone goes back by what is there: the next CA is given up, or the old one becomes the next one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import (
    PrepareAgain,
    TidyKeys,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.abort import turn_back
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.due import due_reasons
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.leaves import replace_leaves

from .. import linked
from .. import unlinked as stage
from ..builders import NEW, OLD, a_journal, books_of, chain_of, names_of, prepared
from .asking import RECONCILE, situation, turns


def undoing(snapshot: Snapshot) -> Snapshot:
    """The flow from OLD to NEW is undone."""
    journal = a_journal(old=NEW, new=OLD, is_abort=True)
    return replace(snapshot, ledger=replace(books_of(snapshot), journal=journal))


def test_no_other_flow_is_its_turn() -> None:
    assert turns(turn_back) == {}


@pytest.mark.parametrize("snapshot", [stage.READ_BACK, stage.TRUSTED], ids=["not trusted yet", "trusted"])
def test_before_the_switch_the_next_ca_is_given_up(snapshot: Snapshot) -> None:
    given_up = TidyKeys(prepared=names_of(NEW), kept_keys=frozenset(), phase=Phase.PREPARE)
    assert turn_back(situation(undoing(snapshot), RECONCILE)) == (given_up,)


def test_it_is_no_successor_meanwhile() -> None:
    assert situation(stage.TRUSTED, RECONCILE).successor is not None
    assert situation(undoing(stage.TRUSTED), RECONCILE).successor is None


def test_after_it_the_old_ca_becomes_the_next_one() -> None:
    at = situation(undoing(stage.SHARED), RECONCILE)
    assert turn_back(at) == (PrepareAgain(chain=chain_of(OLD)),)


def test_and_only_once() -> None:
    again = undoing(stage.SHARED.with_ca(prepared=(prepared(OLD),)))
    assert turn_back(situation(again, RECONCILE)) == ()
    assert turn_back(situation(undoing(linked.SHARED.with_ca(prepared=())), RECONCILE)) == ()


def test_leaves_that_were_issued_already_go_back_as_well() -> None:
    """Behind a link certificate they went before the switch."""
    back = undoing(linked.SHARED.with_ca(prepared=()))
    due = due_reasons(back, RECONCILE, books_of(back))
    of_new = {leaf.secret for leaf in back.leaves if leaf.chain and leaf.chain[0].signed_by(NEW.certificate)}
    assert set(due) == of_new != set()
    assert all(reason.why.endswith("which is given up") for reason in due.values())
    (step,) = replace_leaves(situation(back, RECONCILE))
    assert step.sentence().startswith("issue ")

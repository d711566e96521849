# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A flow that is undone goes back by what is there: the next CA is given up, or the old one becomes the next one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.trigger import IssueReason
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.gates.gates import removal_gate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition, steps_of
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase, Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import FormerLeaf
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import InPlaceObstacles, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import (
    PrepareAgain,
    TidyKeys,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import IssueLeaves
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import WriteLedger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.authority import (
    authority_is_valid_now,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.order import check
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.due import due_reasons
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.leaves import replace_leaves
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.prepare import restart_to_trust
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.retire import (
    pause_to_undo,
    restart_unsure,
    undo_replacement,
)

from ....tools.support.authorities import Authority
from ....tools.support.certificates import leaf as issue_leaf
from ....tools.support.golden import GoldenFiles
from .. import linked
from .. import unlinked as stage
from ..authorities import NEW, OLD, chain_of, name_of, names_of
from ..builders import PAUSED, answering, changed, prepared
from ..ledgers import PHASE_OUT, a_journal, entry
from .asking import RECONCILE, situation, turns


def undoing(snapshot: Snapshot) -> Snapshot:
    """The flow from OLD to NEW is undone."""
    journal = a_journal(old=NEW, new=OLD, is_abort=True)
    return replace(snapshot, ledger=replace(snapshot.ledger_or_empty, journal=journal))


def test_no_stage_of_another_flow_undoes_a_replacement() -> None:
    assert turns(undo_replacement) == {}


@pytest.mark.parametrize("snapshot", [stage.READ_BACK, stage.TRUSTED], ids=["not trusted yet", "trusted"])
def test_before_the_switch_the_next_ca_is_given_up(snapshot: Snapshot) -> None:
    given_up = TidyKeys(prepared=names_of(NEW), kept_keys=frozenset(), links=names_of(NEW), phase=Phase.PREPARE)
    assert undo_replacement(situation(undoing(snapshot), RECONCILE)) == (given_up,)


def test_a_ca_that_is_given_up_is_no_successor() -> None:
    assert situation(stage.TRUSTED, RECONCILE).successor is not None
    assert situation(undoing(stage.TRUSTED), RECONCILE).successor is None


def test_after_the_switch_an_abort_prepares_the_old_ca_again() -> None:
    at = situation(undoing(stage.SHARED), RECONCILE)
    assert undo_replacement(at) == (PrepareAgain(chain=chain_of(OLD)),)


def test_a_replacement_is_undone_only_once() -> None:
    again = undoing(stage.SHARED.with_ca(prepared=(prepared(OLD),)))
    assert undo_replacement(situation(again, RECONCILE)) == ()
    assert undo_replacement(situation(undoing(linked.SHARED.with_ca(prepared=())), RECONCILE)) == ()


def test_a_ca_that_ends_before_the_abort_has_come_back_to_it_is_given_up() -> None:
    """The flow has turned round, and leads on with the CA in use."""
    again = stage.SHARED.with_ca(prepared=(prepared(OLD),))
    ended = replace(again, now=OLD.certificate.not_after)
    given_up = TidyKeys(prepared=names_of(OLD), kept_keys=frozenset(), links=names_of(OLD), phase=Phase.PREPARE)
    assert undo_replacement(situation(ended, RECONCILE)) == (given_up,)
    assert situation(ended, RECONCILE).successor is None
    assert situation(undoing(again), RECONCILE).successor is not None
    assert situation(undoing(ended), RECONCILE).successor is None
    assert check(undoing(ended), RECONCILE, (authority_is_valid_now,)) == ()


def test_leaves_that_were_issued_already_go_back_as_well(golden: GoldenFiles) -> None:
    """Behind a link certificate they went before the switch."""
    back = undoing(linked.SHARED.with_ca(prepared=()))
    due = due_reasons(back, RECONCILE, back.ledger_or_empty)
    of_new = {leaf.secret for leaf in back.leaves.stored if leaf.chain and leaf.chain[0].signed_by(NEW.certificate)}
    assert set(due) == of_new != set()
    assert {one.reason for one in due.values()} == {IssueReason.AUTHORITY}
    golden.compare_said("steps", "\n".join(sorted({one.explanation for one in due.values()})))
    switched = undoing(stage.SHARED)
    assert due_reasons(switched, RECONCILE, switched.ledger_or_empty) == {}, "the CA that is given up is in use"
    # All of them are stored before the operator sees any.
    (pause,) = replace_leaves(situation(back, RECONCILE))
    assert (pause.sentence(), pause.describe_as_left()[:6]) == ("pause the operator", "issue ")
    (step,) = replace_leaves(situation(replace(back, reconciliation=PAUSED), RECONCILE))
    assert step.sentence().startswith("issue ")


@pytest.mark.parametrize("stage_", ["TRUSTED", "ISSUED", "HALF_USED", "SHARED"])
def test_no_process_restarts_to_trust_the_ca_that_is_given_up(stage_: str) -> None:
    """It leaves, and what is stored of it leads to the CA in use by its chain."""
    begun = getattr(linked, stage_)
    left = undoing(begun.with_ca(prepared=()))
    assert steps_of(restart_to_trust(situation(left, RECONCILE))) == ()
    # Without the abort it would be one more CA that processes have yet to trust.
    (roll,) = steps_of(restart_to_trust(situation(begun.with_ca(prepared=()), RECONCILE)))
    assert roll.restarts


ABLE = InPlaceObstacles("", "")


@pytest.mark.parametrize(
    ("nodes_of", "restarts"),
    [pytest.param(OLD, False, id="stored and not taken up"), pytest.param(NEW, True, id="presented by a node")],
)
def test_nodes_that_present_nothing_of_the_given_up_ca_read_the_older_leaves_again(
    nodes_of: Authority, restarts: bool
) -> None:
    seen = linked.HALF_USED if nodes_of is NEW else linked.ISSUED
    back = undoing(changed(seen.with_ca(prepared=()), in_place_obstacles=ABLE))
    presented = answering(linked.SETTLED).nodes.listeners or ()
    if nodes_of is NEW:
        first = seen.nodes.pods[0]
        presented = (
            replace(presented[0], uid=first.uid, presents=seen.leaves.stored[0].chain),
            *presented[1:],
        )
    back = replace(back.with_nodes(listeners=presented), reconciliation=PAUSED)
    (step,) = replace_leaves(situation(back, RECONCILE))
    assert isinstance(step, IssueLeaves if restarts else WriteLedger)


UNANSWERED = InPlaceObstacles(reload="no node can be asked.")
#: Every stored leaf is of the old CA again, and no pod is known to present another one.
GIVEN_UP = changed(undoing(stage.TRUSTED.with_ca(prepared=())), in_place_obstacles=UNANSWERED)
GIVEN_UP = replace(GIVEN_UP, ledger=GIVEN_UP.ledger_or_empty.with_entry(entry(NEW, PHASE_OUT)))


def told_of(snapshot: Snapshot, *uids: str, **changes: object) -> Snapshot:
    books = snapshot.ledger_or_empty
    assert books.journal is not None
    return replace(
        snapshot, ledger=replace(books, journal=replace(books.journal, unsure_pods=frozenset(uids), **changes))
    )


def test_pods_that_may_have_a_leaf_of_the_given_up_ca_are_noted_in_a_pause(golden: GoldenFiles) -> None:
    (step,) = pause_to_undo(situation(GIVEN_UP, RECONCILE))
    golden.compare_said("steps", step.describe_as_left())


@pytest.mark.parametrize(
    "snapshot",
    [
        pytest.param(replace(GIVEN_UP, reconciliation=PAUSED), id="it is paused"),
        pytest.param(told_of(GIVEN_UP), id="it was told that no pod has any"),
        pytest.param(told_of(GIVEN_UP, *GIVEN_UP.uids), id="it was told which pods may have one"),
        pytest.param(answering(changed(GIVEN_UP, in_place_obstacles=InPlaceObstacles())), id="all listeners tell"),
        pytest.param(undoing(stage.TRUSTED), id="it is not given up yet"),
        pytest.param(stage.TRUSTED, id="there is no abort"),
    ],
)
def test_no_pause_where_nothing_is_to_be_told(snapshot: Snapshot) -> None:
    assert pause_to_undo(situation(snapshot, RECONCILE)) == ()


def test_pods_that_may_have_a_leaf_of_the_given_up_ca_restart() -> None:
    one = GIVEN_UP.nodes.pods[0].uid
    (step,) = restart_unsure(situation(told_of(GIVEN_UP, one, "gone"), RECONCILE))
    assert step.restarts == {one}


@pytest.mark.parametrize(
    "snapshot",
    [
        pytest.param(GIVEN_UP, id="it was not told yet"),
        pytest.param(told_of(GIVEN_UP, "gone"), id="they are gone"),
        pytest.param(
            told_of(GIVEN_UP, GIVEN_UP.nodes.pods[0].uid, retire=Retire.WHEN_RESTARTED), id="they restart when they do"
        ),
        pytest.param(stage.TRUSTED, id="there is no abort"),
    ],
)
def test_no_pod_restarts_without_need(snapshot: Snapshot) -> None:
    assert restart_unsure(situation(snapshot, RECONCILE)) == ()


@pytest.mark.parametrize(("unsure", "held"), [(None, True), (GIVEN_UP.uids, True), (frozenset({"gone"}), False)])
def test_a_given_up_ca_stays_while_a_running_pod_may_have_its_leaf(unsure: frozenset[str] | None, held: bool) -> None:
    seen = GIVEN_UP if unsure is None else told_of(GIVEN_UP, *unsure)
    found = removal_gate(seen, seen.ledger_or_empty, name_of(NEW))
    assert {violation.condition for violation in found} == ({Condition.REMOVAL} if held else set())


def test_a_pod_that_ran_before_the_given_up_ca_was_published_has_no_leaf_of_it() -> None:
    """The run need not have asked any of its listeners."""
    pod, *others = GIVEN_UP.nodes.pods
    known = replace(GIVEN_UP, ledger=GIVEN_UP.ledger_or_empty.with_entry(entry(NEW, PHASE_OUT, awaited_pods={pod.uid})))
    found = removal_gate(known, known.ledger_or_empty, name_of(NEW))
    assert {violation.subject for violation in found} == {f"pod {one.name}" for one in others}


def test_listeners_that_have_read_again_tell_nothing_of_their_process() -> None:
    """Its Raft client and its agent go on with what it was started with."""
    asked = answering(changed(GIVEN_UP, in_place_obstacles=InPlaceObstacles()), accepting=names_of(OLD, NEW))
    assert removal_gate(asked, asked.ledger_or_empty, name_of(NEW)) == ()
    pod = asked.nodes.pods[0]
    held = FormerLeaf(issue_leaf(OLD, "held"), frozenset(), frozenset({pod.uid}))
    again = replace(asked, ledger=replace(asked.ledger_or_empty, former_leaves=(held,)))
    assert {violation.subject for violation in removal_gate(again, again.ledger_or_empty, name_of(NEW))} == {
        f"pod {pod.name}"
    }

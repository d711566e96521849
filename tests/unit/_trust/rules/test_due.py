# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The leaves that are due for renewal, which of them the operator renews, and which their issuer renews by itself."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.request import Standing
from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.trigger import (
    WHY_RENEWED,
    IssueReason,
    is_signed_by,
    why_ending,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import FlowOptions, Stop, TrustState
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    InPlaceObstacles,
    Snapshot,
    StoredLeaf,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import CorrectOrders
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.leaves import leaves_can_be_renewed
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.due import (
    correct_orders,
    describe_written_back,
    due_leaves,
    due_reasons,
    due_reasons_under,
    ending_leaves,
    ending_under_next,
    is_kept_by_user_operator,
    leaves_before_operator_window,
    nears_operator_window,
    needed_by_operator,
)

from ....tools.support.certificates import DAY, NOW, YEAR, Entity, key, leaf, make
from ....tools.support.certificates import leaf as issue_leaf
from ....tools.support.intents import an_intent
from ..authorities import NEW, ROOT, chain_of, stored_chain
from ..builders import changed, cluster, prepared, secrets
from ..ledgers import ALL, ANY, PHASE_OUT, UNUSED, a_journal, entry, ledger
from ..nodes import PODS, a_leaf
from ..requested import elsewhere
from .asking import situation

LEAVES, RECONCILE = Intent(Goal.RENEW_LEAVES), Intent(Goal.RECONCILE)


#: A CA that outlives its leaves by years, and one that ends soon.
LASTING = make("cluster-ca v0", key(0), path_length=1, end=NOW + 5 * YEAR)
SHORT = make("cluster-ca v0", key(0), path_length=1, end=NOW + 20 * DAY)


def leaf_with(left: timedelta, life: timedelta = YEAR, issuer: Entity = LASTING, **fields: Any) -> StoredLeaf:
    made = issue_leaf(issuer, begin=NOW + left - life, end=NOW + left)
    return a_leaf(chain=(made, issuer.certificate), **fields)


def settled(*stored: StoredLeaf, **fields: Any) -> Snapshot:
    made: dict[str, Any] = {
        "ca": secrets(LASTING), "ledger": ledger(entry(LASTING, generations={0})), "leaves": stored,
        "in_place_obstacles": InPlaceObstacles(), **fields,
    }  # fmt: skip
    return cluster(**made)


ENDING = leaf_with(44 * DAY)


@pytest.mark.parametrize("after", [None, *Phase])
@pytest.mark.parametrize("here", [True, False])
def test_a_flow_that_stops_before_it_replaces_the_ca_lets_its_leaves_be_renewed(
    after: Phase | None, here: bool
) -> None:
    """Not where an outside issuer keeps the key: the issuer is asked for leaves of the next CA already."""
    journal = a_journal(old=LASTING, options=FlowOptions(stop=Stop(after, NOW) if after else None))
    books = ledger(entry(LASTING, generations={0}), entry(NEW, UNUSED), journal=journal)
    ca = secrets(
        LASTING,
        prepared=(prepared(NEW),),
        keys_elsewhere=frozenset() if here else frozenset({LASTING.certificate.public_key_sha256}),
    )
    seen = settled(ENDING, ca=ca, ledger=books)
    assert (ENDING in due_leaves(seen, LEAVES, books)) is (here and after in (Phase.PREPARE, Phase.TRUST))


@pytest.mark.parametrize(
    ("stored", "due"),
    [
        pytest.param(ENDING, True, id="in its time"),
        pytest.param(leaf_with(46 * DAY), False, id="before its time"),
        pytest.param(leaf_with(45 * DAY), False, id="its time is about to begin"),
        pytest.param(leaf_with(-1 * DAY), True, id="too late is better than never"),
        pytest.param(leaf_with(16 * DAY, 30 * DAY), False, id="a short life, more than half of it left"),
        pytest.param(leaf_with(14 * DAY, 30 * DAY), True, id="a short life, less than half of it left"),
        *(
            pytest.param(leaf_with(44 * DAY, component=one), False, id=f"not of a node: {one.value}")
            for one in Component
            if one is not Component.KAFKA
        ),
        pytest.param(leaf_with(44 * DAY, generation=7), False, id="of another generation"),
        pytest.param(leaf_with(44 * DAY, issuer=NEW), False, id="of another CA"),
        pytest.param(replace(ENDING, chain=None), False, id="unreadable"),
    ],
)
def test_a_leaf_is_due_from_the_start_of_its_renewal_window(stored: StoredLeaf, due: bool) -> None:
    snapshot = settled(stored)
    expected = (stored,) if due else ()
    assert due_leaves(snapshot, LEAVES, snapshot.ledger_or_empty) == ending_leaves(snapshot, LEAVES) == expected
    for goal in set(Goal) - {Goal.RENEW_LEAVES}:
        assert due_leaves(snapshot, Intent(goal), snapshot.ledger_or_empty) == ()


def test_of_a_chain_the_ca_that_issues_counts() -> None:
    root = make("Corporate Root", key(6), end=NOW + 5 * YEAR)
    below = make("Corporate Issuing CA", key(7), root, end=NOW + 5 * YEAR)
    chain, stored = chain_of(below, root), leaf_with(44 * DAY, issuer=below)
    snapshot = settled(stored, ca=secrets(chain), ledger=ledger(entry(chain, generations={0})))
    assert due_leaves(snapshot, LEAVES, snapshot.ledger_or_empty) == (stored,)
    assert stored.chain
    assert due_reasons(snapshot, LEAVES, snapshot.ledger_or_empty) == {PODS[0]: why_ending(stored.chain[0], ())}
    exporter = replace(stored, component=Component.KAFKA_EXPORTER)
    assert ending_leaves(elsewhere(changed(snapshot, leaves=(exporter,)), below), LEAVES) == (exporter,)


@pytest.mark.parametrize("replaced", ["", "~", None])
def test_a_stopped_flow_that_replaces_another_ca_lets_no_leaf_be_renewed(replaced: str | None) -> None:
    """Neither where that name comes before the name of the CA in use, nor after it."""
    journal = a_journal(
        replaces=LASTING.certificate.fingerprint if replaced is None else replaced,
        options=FlowOptions(stop=Stop(Phase.TRUST, NOW)),
    )
    books = ledger(entry(LASTING, generations={0}), entry(NEW, UNUSED), journal=journal)
    seen = settled(ENDING, ca=secrets(LASTING, prepared=(prepared(NEW),)), ledger=books)
    assert due_leaves(seen, LEAVES, books) == ((ENDING,) if replaced is None else ())


@pytest.mark.parametrize(
    ("left", "due"), [(timedelta(days=1), True), (timedelta(hours=23), False), (timedelta(0), False)]
)
def test_a_leaf_is_not_renewed_for_less_than_a_day(left: timedelta, due: bool) -> None:
    """It ends with its CA: the CA is renewed by another flow, and its leaves with it."""
    stored = leaf_with(20 * DAY - left, issuer=SHORT)
    snapshot = settled(stored, ca=secrets(SHORT), ledger=ledger(entry(SHORT, generations={0})))
    assert due_leaves(snapshot, LEAVES, snapshot.ledger_or_empty) == ((stored,) if due else ())
    assert ending_leaves(snapshot, LEAVES) == (stored,)


@pytest.mark.parametrize(
    ("changes", "due"),
    [
        pytest.param(
            {"ledger": ledger(entry(LASTING, generations={0}), journal=a_journal())}, False, id="another flow"
        ),
        pytest.param(
            {"ledger": ledger(entry(LASTING, generations={0}), journal=a_journal(successor="~"))}, False, id="another flow, to a CA whose name comes later"
        ),
        pytest.param(
            {"ledger": ledger(entry(LASTING, ANY, {0}), journal=a_journal(new=LASTING))}, True,
            id="the flow that has brought this CA waits for nodes",
        ),
        pytest.param(
            {
                "ledger": ledger(entry(LASTING, ANY, {0}), journal=a_journal(new=LASTING)),
                "ca": secrets(LASTING, prepared=(prepared(LASTING),)),
            },
            False, id="in the middle of its switch",
        ),
        pytest.param({"ca": secrets(LASTING, prepared=(prepared(NEW),))}, False, id="a CA that waits"),
        pytest.param({"ca": secrets(None)}, False, id="no CA"),
        pytest.param({"ledger": ledger(entry(LASTING, ANY, {0}))}, False, id="not used by all"),
        pytest.param({"ledger": ledger(entry(LASTING, PHASE_OUT, {0}))}, False, id="used by no pod"),
        pytest.param({"ca": secrets(LASTING, certificate_generation=1)}, False, id="another generation"),
        pytest.param({"ledger": ledger(entry(LASTING, UNUSED, {0})), "pods": ()}, True, id="there is no pod to use it"),
        pytest.param({"ledger": None}, False, id="a cluster without a ledger"),
    ],
)  # fmt: skip
def test_leaves_are_due_only_under_a_ca_that_stays(changes: dict[str, Any], due: bool) -> None:
    snapshot = settled(ENDING, **changes)
    assert bool(due_leaves(snapshot, LEAVES, snapshot.ledger_or_empty)) is due


@pytest.mark.parametrize("component", Component)
def test_where_an_outside_issuer_keeps_the_key_all_leaves_are_renewed_here(component: Component) -> None:
    """The operator, which renews the leaves of components otherwise, cannot."""
    stored = replace(ENDING, component=component)
    snapshot = settled(stored)
    assert bool(ending_leaves(snapshot, LEAVES)) is (component is Component.KAFKA)
    assert ending_leaves(elsewhere(snapshot, LASTING), LEAVES) == (stored,)
    assert bool(ending_leaves(elsewhere(snapshot, NEW), LEAVES)) is (component is Component.KAFKA)


#: Leaves of the first node that are to be issued again whatever their dates are, and why.
UNFIT: dict[IssueReason, Any] = {
    IssueReason.UNREADABLE: {"chain": None, "problem": "no readable certificate"},
    IssueReason.KEY: {"key_beside": "ab"},
    IssueReason.AUTHORITY: {"chain": stored_chain(NEW)},
}


@pytest.mark.parametrize("component", [one for one in Component if one is not Component.USER])
@pytest.mark.parametrize("reason", UNFIT)
@pytest.mark.parametrize("state", [ALL, ANY])
def test_an_unusable_leaf_is_due_where_the_operator_cannot_issue_it(
    state: TrustState, reason: IssueReason, component: Component
) -> None:
    """Also before the CA in use is taken up: the leaf of one process may be what keeps it from that."""
    stored = replace(leaf_with(200 * DAY), component=component, **UNFIT[reason])
    here = settled(stored, ledger=ledger(entry(LASTING, state, {0})))
    there = elsewhere(here, LASTING)
    assert due_reasons(here, RECONCILE, here.ledger_or_empty) == {}
    (why,) = due_reasons(there, RECONCILE, there.ledger_or_empty).values()
    assert why.reason is reason
    assert due_reasons_under(there, RECONCILE, there.ledger_or_empty, there.ca.current) == {stored.secret: why}
    assert due_leaves(there, RECONCILE, there.ledger_or_empty) == (stored,)


def test_an_unusable_leaf_is_requested_from_the_next_ca() -> None:
    stored = replace(leaf_with(200 * DAY), **UNFIT[IssueReason.KEY])
    waiting = elsewhere(settled(stored), LASTING, NEW)
    begun = waiting.with_ca(prepared=(prepared(NEW),))
    books = ledger(entry(LASTING, generations={0}), entry(NEW, UNUSED))
    assert due_reasons(begun, RECONCILE, books) == {}
    assert due_reasons_under(begun, RECONCILE, books, chain_of(NEW))[stored.secret].reason is IssueReason.KEY


ALWAYS, NEVER = frozenset(Goal), frozenset[Goal]()


@pytest.mark.parametrize(
    ("stored", "goals"),
    [
        pytest.param(leaf_with(44 * DAY, renewal_window=10 * DAY), {Goal.RENEW_LEAVES}, id="in its time"),
        pytest.param(leaf_with(24 * DAY, renewal_window=10 * DAY), ALWAYS, id="near the operator's time"),
        pytest.param(leaf_with(46 * DAY), NEVER, id="before its time"),
        pytest.param(leaf_with(24 * DAY, component=Component.KAFKA_EXPORTER), NEVER, id="of a component"),
        pytest.param(leaf_with(24 * DAY, issuer=NEW), NEVER, id="of another CA"),
        pytest.param(leaf_with(20 * DAY, issuer=SHORT), NEVER, id="it ends with its CA"),
        pytest.param(a_leaf(chain=None), NEVER, id="unreadable"),
    ],
)
@pytest.mark.parametrize("goal", Goal)
def test_which_leaves_of_the_next_ca_are_due(stored: StoredLeaf, goals: frozenset[Goal], goal: Goal) -> None:
    issuer = SHORT if stored.chain and stored.chain[-1] == SHORT.certificate else LASTING
    others = (replace(stored, secret="after"), replace(stored, secret="a"))
    expected = ("a", "after", stored.secret) if goal in goals else ()
    assert ending_under_next(settled(stored, *others), Intent(goal), chain_of(issuer, ROOT)) == expected


# Leaves that the operator is going to renew, where it cannot.

NEAR = leaf_with(44 * DAY)


@pytest.mark.parametrize(
    ("life", "window", "left", "near"),
    [
        pytest.param(365, 30, 45.01, False, id="fifteen days before the window"),
        pytest.param(365, 30, 44.99, True, id="less than fifteen days before it"),
        pytest.param(365, 30, 29, True, id="in the window"),
        pytest.param(365, 30, -1, True, id="expired"),
        pytest.param(365, 10, 25.01, False, id="a smaller window"),
        pytest.param(365, 10, 24.99, True, id="less than fifteen days before a smaller window"),
        pytest.param(40, 30, 35.01, False, id="half of the time that is left before the window"),
        pytest.param(40, 30, 34.99, True, id="more than half of that time has passed"),
        pytest.param(30, 30, 15.01, False, id="as long as the window: half of its life"),
        pytest.param(30, 30, 14.99, True, id="as long as the window, in its second half"),
        pytest.param(30.5, 30, 30.26, False, id="hours longer than the window: half of the hours before it"),
        pytest.param(30.5, 30, 30.24, True, id="hours longer than the window: more than half of them have passed"),
        pytest.param(1, 30, 0.51, False, id="a day, in its first half"),
        pytest.param(1, 30, 0.49, True, id="a day, in its second half"),
    ],
)
def test_how_near_a_leaf_has_come(life: float, window: int, left: float, near: bool) -> None:
    made = leaf(LASTING, begin=NOW + left * DAY - life * DAY, end=NOW + left * DAY)
    assert nears_operator_window(made, window * DAY, NOW) is near


@pytest.mark.parametrize("life", [timedelta(hours=1), 2 * DAY, 29 * DAY, 30 * DAY, 31 * DAY, 90 * DAY, YEAR])
@pytest.mark.parametrize("window", [DAY, 30 * DAY, 60 * DAY])
def test_a_new_leaf_is_never_near(life: timedelta, window: timedelta) -> None:
    """Every run would renew it again."""
    assert not nears_operator_window(leaf(LASTING, begin=NOW, end=NOW + life), window, NOW)


@pytest.mark.parametrize("goal", [one for one in Goal if one is not Goal.RENEW_LEAVES])
@pytest.mark.parametrize(
    ("stored", "near"),
    [
        pytest.param(NEAR, True, id="of a node"),
        pytest.param(leaf_with(44 * DAY, component=Component.KAFKA_EXPORTER), True, id="of a component"),
        pytest.param(leaf_with(46 * DAY), False, id="not near yet"),
        pytest.param(leaf_with(44 * DAY, issuer=NEW), False, id="of another CA"),
        pytest.param(replace(NEAR, chain=None), False, id="unreadable"),
    ],
)
def test_leaves_of_a_key_elsewhere_are_due_for_every_goal(stored: StoredLeaf, near: bool, goal: Goal) -> None:
    snapshot = elsewhere(settled(stored), LASTING)
    expected = (stored,) if near else ()
    assert leaves_before_operator_window(snapshot) == expected
    # A leaf that no process could use is due as well, whenever the operator would look at it.
    unfit = not is_signed_by(stored.chain, LASTING.certificate)
    assert due_leaves(snapshot, Intent(goal), snapshot.ledger_or_empty) == ((stored,) if near or unfit else ())


@pytest.mark.parametrize("goal", list(Goal))
def test_misnamed_leaves_are_due_for_every_goal_also_at_the_end_of_their_ca(goal: Goal) -> None:
    stored = leaf_with(20 * DAY, issuer=SHORT)
    settled_ = settled(stored, ca=secrets(SHORT), ledger=ledger(entry(SHORT, generations={0})))
    snapshot = changed(elsewhere(settled_, SHORT), misnamed={stored.secret: "it lacks a.example"})
    assert due_leaves(snapshot, Intent(goal), snapshot.ledger_or_empty) == (stored,)


def test_a_leaf_is_issued_once_for_all_reasons() -> None:
    snapshot = changed(elsewhere(settled(NEAR), LASTING), misnamed={NEAR.secret: "it lacks a.example"})
    assert due_leaves(snapshot, Intent(Goal.RENEW_LEAVES), snapshot.ledger_or_empty) == (NEAR,)


def test_leaves_near_the_window_do_not_count_where_the_operator_has_the_key() -> None:
    assert leaves_before_operator_window(settled(NEAR)) == ()
    assert leaves_before_operator_window(settled(NEAR, ca=secrets())) == ()


def test_leaves_are_not_due_while_a_flow_is_in_flight() -> None:
    books = ledger(entry(LASTING, generations={0}), journal=a_journal())
    snapshot = elsewhere(settled(NEAR, ledger=books), LASTING)
    assert due_leaves(snapshot, Intent(Goal.RECONCILE), snapshot.ledger_or_empty) == ()


def test_a_leaf_that_ends_with_its_ca_holds_no_flow() -> None:
    """The CA is to be renewed, and that flow must not be held."""
    stored = leaf_with(20 * DAY, issuer=SHORT)
    snapshot = elsewhere(settled(stored, ca=secrets(SHORT), ledger=ledger(entry(SHORT, generations={0}))), SHORT)
    for goal in (Goal.RECONCILE, Goal.RENEW):
        assert due_leaves(snapshot, Intent(goal), snapshot.ledger_or_empty) == ()
        assert list(leaves_can_be_renewed(snapshot, Intent(goal))) == []
    assert leaves_before_operator_window(snapshot) == (stored,)


@pytest.mark.parametrize("root_left", [-30 * DAY, 1 * DAY])
def test_a_leaf_that_outlives_the_root_above_its_ca_is_renewed(root_left: timedelta) -> None:
    """The CA that signs is what processes trust. An operator without its key could issue none before the leaf ends."""
    root = make("Corporate Root", key(6), begin=NOW - 5 * YEAR, end=NOW + root_left)
    below = make("Corporate Issuing CA", key(7), root, end=NOW + 5 * YEAR)
    chain, stored = chain_of(below, root), leaf_with(20 * DAY, issuer=below)
    seen = elsewhere(settled(stored, ca=secrets(chain), ledger=ledger(entry(chain, generations={0}))), below)
    for goal in (Goal.RECONCILE, Goal.RENEW_LEAVES):
        assert due_leaves(seen, Intent(goal), seen.ledger_or_empty) == (stored,)
    fresh = elsewhere(settled(leaf_with(200 * DAY, issuer=below), ca=seen.ca, ledger=seen.ledger), below)
    assert due_leaves(fresh, LEAVES, fresh.ledger_or_empty) == ()


# Leaves that their issuer renews by itself: which of its certificates are taken up, and when it is corrected.

GOALS = (Goal.RENEW_LEAVES, Goal.RECONCILE)
OTHERS = tuple(set(Goal) - set(GOALS))
STORED = leaf_with(300 * DAY)


#: Issued yesterday.
LATER = (issue_leaf(LASTING, begin=NOW - DAY, end=NOW + YEAR), LASTING.certificate)


#: Issued before the stored one.
EARLIER = (issue_leaf(LASTING, begin=NOW - YEAR, end=NOW + YEAR), LASTING.certificate)
NAME = STORED.secret


def kept(**fields: Any) -> Standing:
    made: dict[str, Any] = {"latest": LATER, "authority": LASTING.certificate.fingerprint, **fields}
    return Standing(NAME, **made)


def with_kept(standing: Standing | None, stored: StoredLeaf = STORED, **fields: Any) -> Snapshot:
    found = {} if standing is None else {NAME: standing}
    return changed(elsewhere(settled(stored, **fields), LASTING), standing=found)


@pytest.mark.parametrize(
    ("standing", "stored", "is_taken_up"),
    [
        pytest.param(kept(), STORED, True, id="a later one"),
        pytest.param(None, STORED, False, id="nothing is kept"),
        pytest.param(kept(latest=(), authority=""), STORED, False, id="nothing was issued"),
        pytest.param(
            kept(authority="", sentences="It waits."), STORED, False, id="one that has not passed every check"
        ),
        pytest.param(kept(authority="another"), STORED, False, id="one of another CA"),
        pytest.param(kept(authority="~another"), STORED, False, id="one of another CA, whose name comes later"),
        pytest.param(kept(latest=EARLIER), STORED, False, id="one that this leaf has replaced"),
        pytest.param(kept(), replace(STORED, chain=LATER), False, id="the stored one"),
        pytest.param(kept(), replace(STORED, generation=7), False, id="of another generation"),
        pytest.param(kept(), replace(STORED, chain=None), False, id="unreadable"),
    ],
)
def test_a_later_leaf_that_the_issuer_keeps_is_taken_up_where_it_replaces_the_stored_leaf(
    standing: Standing | None, stored: StoredLeaf, is_taken_up: bool
) -> None:
    snapshot = with_kept(standing, stored)
    # A leaf that cannot be read is due for every goal, and for another reason.
    unreadable = () if stored.chain else (stored,)
    for goal in GOALS:
        expected = (stored,) if is_taken_up else ()
        why = due_reasons(snapshot, Intent(goal), snapshot.ledger_or_empty)
        assert (why.get(NAME) is WHY_RENEWED) is is_taken_up
        assert due_leaves(snapshot, Intent(goal), snapshot.ledger_or_empty) == expected + unreadable
        assert ending_leaves(snapshot, Intent(goal)) == ()
    for goal in OTHERS:
        assert due_leaves(snapshot, Intent(goal), snapshot.ledger_or_empty) == unreadable


def test_a_later_leaf_is_of_the_ca_in_use_whatever_is_above_it() -> None:
    chain = chain_of(LASTING, ROOT)
    seen = with_kept(kept(), ca=secrets(chain), ledger=ledger(entry(chain, generations={0})))
    assert due_reasons(seen, RECONCILE, seen.ledger_or_empty) == {NAME: WHY_RENEWED}
    assert due_reasons(seen.with_ca(certificate_generation=1), RECONCILE, seen.ledger_or_empty) == {}


def test_nothing_is_taken_up_while_a_ca_waits() -> None:
    """The leaf would be of the CA that is being replaced."""
    snapshot = with_kept(kept(), ca=secrets(LASTING, prepared=(prepared(NEW),)))
    assert due_leaves(snapshot, Intent(Goal.RECONCILE), snapshot.ledger_or_empty) == ()


def test_a_renewal_that_ends_with_its_ca_is_taken_up() -> None:
    """The collection would not make it, but it is there, and the stored one ends sooner."""
    short = issue_leaf(LASTING, begin=NOW - DAY, end=NOW + 300 * DAY + timedelta(hours=1))
    snapshot = with_kept(kept(latest=(short, LASTING.certificate)))
    assert due_leaves(snapshot, Intent(Goal.RECONCILE), snapshot.ledger_or_empty) == (STORED,)


@pytest.mark.parametrize("goal", Goal)
def test_flows_about_leaves_correct_differing_orders(goal: Goal) -> None:
    snapshot = with_kept(kept(latest=STORED.chain or (), differs="its duration is not as wanted"))
    step = CorrectOrders(secrets=(NAME,), external_issuer="an issuer", phase=Phase.PREPARE)
    assert correct_orders(situation(snapshot, an_intent(goal, external_issuer="an issuer"))) == (
        (step,) if goal in GOALS else ()
    )


def test_what_was_written_back_is_told_and_not_corrected_again() -> None:
    undone = kept(written_back="A correction has not lasted.")
    snapshot = with_kept(undone)
    assert list(describe_written_back(snapshot)) == [undone.written_back]
    assert correct_orders(situation(snapshot, Intent(Goal.RECONCILE))) == ()
    assert list(describe_written_back(with_kept(kept()))) == []


def test_an_order_without_a_difference_is_not_corrected() -> None:
    assert correct_orders(situation(with_kept(kept()), Intent(Goal.RECONCILE))) == ()


def test_no_order_is_corrected_while_another_ca_is_on_its_way() -> None:
    """The flow requests every leaf anyway."""
    books = ledger(entry(LASTING, generations={0}), entry(NEW, UNUSED), journal=a_journal(old=LASTING))
    differing = kept(differs="it is not there")
    assert correct_orders(situation(with_kept(differing, ledger=books), Intent(Goal.RECONCILE))) != ()
    begun = with_kept(differing, ca=secrets(LASTING, prepared=(prepared(NEW),)), ledger=books)
    assert correct_orders(situation(begun, Intent(Goal.RECONCILE))) == ()


@pytest.mark.parametrize(("left", "needed"), [(30 * DAY, False), (30 * DAY - timedelta(seconds=1), True)])
def test_the_operator_needs_a_leaf_that_is_in_its_window(left: timedelta, needed: bool) -> None:
    """Where it can issue none."""
    seen = settled(leaf_with(left))
    assert needed_by_operator(elsewhere(seen, LASTING)) == (frozenset({PODS[0]}) if needed else frozenset())
    assert needed_by_operator(seen) == frozenset()
    behind = seen.with_ca(certificate_generation=1)
    assert needed_by_operator(elsewhere(behind, LASTING)) == frozenset({PODS[0]})


@pytest.mark.parametrize(
    ("stored", "current", "needed"),
    [
        pytest.param(a_leaf(issuer=LASTING), (LASTING,), False, id="of the CA in use"),
        pytest.param(a_leaf(issuer=NEW), (LASTING,), True, id="of another CA"),
        pytest.param(a_leaf(chain=stored_chain(LASTING)[:1]), (LASTING,), True, id="without its CA"),
        pytest.param(a_leaf(chain=(*stored_chain(LASTING), ROOT.certificate)), (LASTING, ROOT), False, id="of a CA below another"),
        pytest.param(a_leaf(issuer=LASTING), (LASTING, ROOT), True, id="without the CA above"),
        pytest.param(a_leaf(chain=(stored_chain(LASTING)[0], NEW.certificate, LASTING.certificate)), (LASTING,), False, id="with a link"),
        pytest.param(a_leaf(issuer=NEW, component=Component.ENTITY_OPERATOR), (LASTING,), False, id="of a component, of another CA"),
        pytest.param(
            a_leaf(issuer=LASTING, component=Component.ENTITY_OPERATOR), (LASTING,), False, id="of a component, of the CA in use"
        ),
    ],
)  # fmt: skip
def test_the_operator_needs_a_leaf_of_a_node_that_does_not_end_with_the_ca_in_use(
    stored: StoredLeaf, current: tuple[Entity, ...], needed: bool
) -> None:
    """It compares the end of the chain, and for nodes alone (``CertificateManager``)."""
    seen = changed(settled(stored), ca=secrets(chain_of(*current)), leaves=(stored,))
    assert needed_by_operator(elsewhere(seen, LASTING)) == (frozenset({PODS[0]}) if needed else frozenset())


@pytest.mark.parametrize(
    ("left", "is_kept"),
    [
        pytest.param(None, True, id="there is none"),
        pytest.param(30 * DAY, True, id="before its window"),
        pytest.param(30 * DAY - timedelta(seconds=1), False, id="in its window"),
    ],
)
def test_the_user_operator_keeps_a_certificate_until_its_own_window(left: timedelta | None, is_kept: bool) -> None:
    """The end of its CA does not matter."""
    own = leaf(SHORT, end=NOW + left) if left else None
    stored = None if own is None else replace(a_leaf(), secret="orders", chain=(own, SHORT.certificate))
    seen = changed(cluster(), user_leaves={"orders": stored})
    assert is_kept_by_user_operator("orders", seen) is is_kept
    lasting = None if own is None else replace(a_leaf(), secret="orders", chain=(own, LASTING.certificate))
    assert is_kept_by_user_operator("orders", changed(cluster(), user_leaves={"orders": lasting})) is is_kept


def test_a_leaf_that_the_caller_wants_no_more_is_due_by_its_own_digest() -> None:
    """The digest of its CA names no leaf."""
    seen = elsewhere(settled(STORED), LASTING)
    assert STORED.chain
    for certificate, due in zip(STORED.chain, ((STORED,), ()), strict=True):
        intent = an_intent(Goal.RENEW_LEAVES, unwanted_leaves=frozenset({certificate.sha256}))
        assert due_leaves(seen, intent, seen.ledger_or_empty) == due


def test_of_a_ca_whose_key_is_here_nothing_is_corrected() -> None:
    snapshot = changed(settled(STORED), standing={NAME: kept(differs="it is not there")})
    assert correct_orders(situation(snapshot, Intent(Goal.RECONCILE))) == ()


def test_a_corrected_order_has_no_difference() -> None:
    differing = kept(differs="it is not there")
    snapshot = changed(settled(STORED), standing={NAME: differing, PODS[1]: replace(differing, secret=PODS[1])})
    step = CorrectOrders(secrets=(NAME,), external_issuer="an issuer", phase=Phase.PREPARE)
    after = step.effect(snapshot, None)  # type: ignore[arg-type]
    assert {name for name, one in after.leaves.standing.items() if one.differs} == {PODS[1]}

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""After a switch every leaf is brought to the generation of the CA in use, paused, in the way that costs least."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import OutsideClient
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Steps
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase, Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import InPlaceObstacles, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import (
    IssueLeaves,
    RechainLeaves,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import WriteLedger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.leaves import (
    restore_links,
    rewrite_for_the_operator,
    rewrite_leaves,
)

from ....tools.support.certificates import Entity
from .. import linked, renewal, unlinked
from ..authorities import NEW, OLD, RENEWED, THIRD, chain_of, stored_chain
from ..builders import RUNS, changed, prepared, secrets
from ..ledgers import UNUSED, a_journal, entry, ledger
from ..nodes import PODS, a_leaf, uids_of
from ..requested import a_request, answered, at_hand, elsewhere, with_requests
from .asking import RECONCILE, pause_for, situation, turns

ALL_SECRETS = tuple(sorted((*linked.CHAINED, linked.OWN)))
RECHAINED = (RechainLeaves(secrets=ALL_SECRETS, generation=1, phase=Phase.RETIRE),)
BLOCKED = InPlaceObstacles(reload="no.")


def issued(issuer: Entity, *names: str) -> Steps:
    return (IssueLeaves(secrets=names or PODS, issuer=chain_of(issuer), generation=1, phase=Phase.USE),)


NEW_KEY, SAME_KEY = issued(NEW), issued(RENEWED)
LEARNED = unlinked.LEARNED


def patiently(snapshot: Snapshot) -> Snapshot:
    journal = a_journal(retire=Retire.WHEN_RESTARTED)
    return replace(snapshot, ledger=replace(snapshot.ledger_or_empty, journal=journal))


def refused(snapshot: Snapshot) -> Snapshot:
    """A node has started without the CA in use."""
    books = snapshot.ledger_or_empty.with_entry(entry(NEW, UNUSED, {1}, awaited_pods=uids_of(PODS[0], start=1)))
    return replace(snapshot, ledger=books)


@pytest.mark.parametrize(
    ("snapshot", "expected"),
    [
        pytest.param(linked.STRUCK, RECHAINED, id="leaves of the CA in use are kept, with its chain behind them"),
        pytest.param(
            changed(linked.STRUCK, leaves=(*linked.STRUCK.leaves.stored[:3], *linked.RECHAINED.leaves.stored[3:])),
            (RechainLeaves(secrets=PODS, generation=1, phase=Phase.RETIRE),), id="only those that are behind",
        ),
        pytest.param(
            changed(linked.STRUCK, leaves=(*linked.STRUCK.leaves.stored, a_leaf("late"))), RECHAINED, id="these before others"
        ),
        pytest.param(LEARNED, NEW_KEY, id="a new key is taken up by a restart: nothing is read again"),
        pytest.param(
            changed(LEARNED, leaves=(a_leaf(PODS[2]), a_leaf(PODS[0], NEW, 1), a_leaf(PODS[1], generation=None))),
            issued(NEW, *PODS[1:]), id="only leaves that are behind",
        ),
        pytest.param(renewal.NOTED, SAME_KEY, id="a renewal, when the old leaves are noted"),
        pytest.param(changed(renewal.LEARNED, in_place_obstacles=BLOCKED), SAME_KEY, id="a renewal for which nodes restart"),
        pytest.param(replace(LEARNED, reconciliation=RUNS), pause_for(NEW_KEY[0]), id="never beside a working operator"),
        pytest.param(refused(LEARNED), (), id="a process would refuse them"),
        pytest.param(
            changed(LEARNED, outside_clients=(OutsideClient("Secret kafka/app", chain_of(OLD)),)), NEW_KEY,
            id="clients were asked before the switch: the operator is not kept paused for them",
        ),
        pytest.param(unlinked.ISSUED, (), id="all are of it"),
        pytest.param(replace(LEARNED, ca=secrets(None)), (), id="no CA in use"),
    ],
)  # fmt: skip
def test_leaves_after_a_switch(snapshot: Snapshot, expected: Steps) -> None:
    assert rewrite_leaves(situation(snapshot)) == expected


@pytest.mark.parametrize(
    ("snapshot", "holders"),
    [
        pytest.param(renewal.LEARNED, uids_of(), id="a renewal"),
        pytest.param(patiently(LEARNED), uids_of(start=1), id="a new key without restarts"),
    ],
)
def test_leaves_are_recorded_before_they_are_rewritten(snapshot: Snapshot, holders: frozenset[str]) -> None:
    (step,) = rewrite_leaves(situation(snapshot))
    assert isinstance(step, WriteLedger)
    assert (step.before, step.ledger.entries) == (snapshot.ledger, snapshot.ledger_or_empty.entries)
    assert [one.awaited_pods for one in step.ledger.former_leaves] == [holders]
    noted = replace(snapshot, ledger=step.ledger)
    assert [type(one) for one in rewrite_leaves(situation(noted))] == [IssueLeaves]


# An outside issuer keeps the key of the CA in use.


KEPT = elsewhere(LEARNED)


@pytest.mark.parametrize(
    ("snapshot", "expected"),
    [
        pytest.param(KEPT, (), id="nothing is at hand"),
        pytest.param(with_requests(KEPT, *map(answered, PODS[1:])), (), id="not all are at hand"),
        pytest.param(with_requests(KEPT, *map(a_request, PODS)), (), id="they are asked for"),
        pytest.param(at_hand(KEPT), NEW_KEY, id="all are at hand"),
        pytest.param(
            at_hand(replace(KEPT, reconciliation=RUNS)), pause_for(NEW_KEY[0]), id="all, and the operator works"
        ),
        pytest.param(at_hand(refused(KEPT)), (), id="a process would refuse them"),
        pytest.param(at_hand(KEPT.with_ca(current=())), (), id="no CA is in use"),
    ],
)
def test_requested_leaves_are_written_once_all_of_them_are_at_hand(snapshot: Snapshot, expected: Steps) -> None:
    """The operator cannot issue them, and stands still until they are there."""
    assert rewrite_leaves(situation(snapshot)) == rewrite_for_the_operator(situation(snapshot)) == expected


def test_leaves_of_before_a_renewal_are_kept() -> None:
    """They are as good, and would have to be asked for; where the key is here, they are issued again."""
    kept = (RechainLeaves(secrets=PODS, generation=1, phase=Phase.USE),)
    assert rewrite_leaves(situation(elsewhere(renewal.NOTED, RENEWED))) == kept
    assert rewrite_leaves(situation(renewal.NOTED)) == SAME_KEY


@pytest.mark.parametrize("snapshot", [LEARNED, renewal.NOTED, linked.STRUCK, replace(LEARNED, ca=secrets(None))])
def test_the_operator_issues_its_leaves_itself_where_the_key_is_in_the_cluster(snapshot: Snapshot) -> None:
    assert rewrite_for_the_operator(situation(snapshot)) == ()


PLAIN = changed(
    linked.FINISHED,
    leaves=tuple(replace(leaf, chain=(leaf.chain or ())[:1] + chain_of(NEW)) for leaf in linked.FINISHED.leaves.stored),
)
LATE = (RechainLeaves(secrets=PODS, generation=1, phase=Phase.USE),)


def one_leaf(**changes: Any) -> Snapshot:
    """The first node's leaf is this, and the others are as a flow leaves them."""
    return changed(
        linked.FINISHED, leaves=(replace(PLAIN.leaves.stored[0], **changes), *linked.FINISHED.leaves.stored[1:])
    )


def test_leaves_that_a_flow_issues_are_led_back_at_once() -> None:
    assert turns(restore_links) == {}


@pytest.mark.parametrize(
    ("snapshot", "expected"),
    [
        pytest.param(PLAIN, LATE, id="the operator has issued all"),
        pytest.param(one_leaf(), (replace(LATE[0], secrets=PODS[:1]),), id="the operator has issued one"),
        pytest.param(one_leaf(generation=0), (), id="of another generation"),
        pytest.param(one_leaf(generation=2), (), id="of a generation that is yet to come"),
        pytest.param(one_leaf(chain=None), (), id="unreadable"),
        pytest.param(one_leaf(chain=(stored_chain(OLD)[0], NEW.certificate)), (), id="of another CA"),
        pytest.param(PLAIN.with_ca(kept_links={}), (), id="there are no link certificates"),
        pytest.param(replace(PLAIN, now=linked.LINK.not_after), (), id="they have ended"),
        pytest.param(replace(linked.FINISHED, now=linked.LINK.not_after), LATE, id="they have ended behind all"),
        pytest.param(
            replace(one_leaf(), now=linked.LINK.not_after), (replace(LATE[0], secrets=PODS[1:]),), id="they have ended behind others"
        ),
        pytest.param(PLAIN.with_ca(prepared=(prepared(THIRD),)), LATE, id="a CA is prepared that the books lack"),
        pytest.param(
            replace(PLAIN.with_ca(prepared=(prepared(THIRD),)), ledger=ledger(entry(NEW, generations={1}), entry(THIRD))),
            (), id="they are about to be replaced",
        ),
        pytest.param(PLAIN.with_ca(current=()), (), id="no CA is in use"),
    ],
)  # fmt: skip
def test_nodes_lead_back_as_long_as_the_link_certificates_are_valid(snapshot: Snapshot, expected: Steps) -> None:
    assert restore_links(situation(snapshot, RECONCILE)) == expected

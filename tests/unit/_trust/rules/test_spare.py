# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates for nodes that are yet to come: when they are asked for, recorded, renewed and forgotten."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.request import LONGEST_WAIT, LeafRequest
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.pools import PoolNode
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import (
    AskForLeaves,
    CollectLeaves,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.requests import (
    describe_awaited_leaves,
    forget_requests,
    keep_spare_leaves,
    leaves_to_await,
)

from ....tools.support.certificates import DAY, NOW
from ....tools.support.golden import GoldenFiles
from ....tools.support.intents import changed_intent
from ..authorities import NEW, OLD, THIRD, chain_of
from ..builders import changed, cluster, prepared, secrets
from ..ledgers import entry, ledger
from ..requested import ISSUER, a_request, answered, elsewhere, refused, with_requests
from .test_due import LASTING, SHORT, leaf_with, settled
from .test_requests import KEPT, RECONCILE, at

NEXT, AFTER = "demo-nodes-3", "demo-nodes-4"
SPARE = {NEXT: PoolNode("nodes", 3), AFTER: PoolNode("nodes", 4)}
WANTED = changed(KEPT, spare=SPARE)


def names_in(steps: object) -> list[str]:
    return [name for step in steps for name in step.secrets]  # type: ignore[attr-defined]


def test_spare_leaves_are_asked_for_and_named_as_such(golden: GoldenFiles) -> None:
    (step,) = keep_spare_leaves(at(WANTED, RECONCILE))
    assert isinstance(step, AskForLeaves)
    assert (step.secrets, step.issuer, step.external_issuer, step.phase) == (
        (NEXT, AFTER),
        chain_of(NEW),
        ISSUER,
        Phase.PREPARE,
    )
    golden.compare_said("steps", step.sentence())
    assert decide(WANTED, RECONCILE).steps == (step,)


def test_returned_spare_leaves_are_recorded_first() -> None:
    snapshot = with_requests(WANTED, answered(NEXT, recorded=False))
    (step,) = keep_spare_leaves(at(snapshot, RECONCILE))
    assert (type(step), step.secrets) == (CollectLeaves, (NEXT,))  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "snapshot",
    [
        pytest.param(with_requests(WANTED, a_request(NEXT), a_request(AFTER)), id="open"),
        pytest.param(with_requests(WANTED, refused(NEXT), refused(AFTER)), id="refused"),
        pytest.param(with_requests(WANTED, answered(NEXT), answered(AFTER)), id="at hand"),
    ],
)
def test_no_flow_waits_for_spare_leaves(snapshot: Snapshot) -> None:
    there = at(snapshot, RECONCILE)
    assert (
        keep_spare_leaves(there),
        forget_requests(there),
        leaves_to_await(there),
        describe_awaited_leaves(there),
    ) == (
        (),
        (),
        (),
        (),
    )
    decision = decide(snapshot, RECONCILE)
    assert (decision.done, decision.steps, decision.waiting, decision.violations) == (True, (), (), ())


@pytest.mark.parametrize(
    "request_", [a_request(NEXT, asked_at=NOW - LONGEST_WAIT), replace(refused(NEXT), since=NOW - LONGEST_WAIT)]
)
def test_a_run_fails_for_a_spare_leaf_that_does_not_come_after_all_of_its_work(request_: LeafRequest) -> None:
    snapshot = with_requests(WANTED, request_, answered(AFTER))
    decision = decide(snapshot, RECONCILE)
    (found,) = decision.violations
    assert (found.condition, found.subject) == (Condition.LEAVES_ARE_ISSUED, f"Secret kafka/{NEXT}")
    # In a flow no phase before the last ends with it.
    assert decide(snapshot, changed_intent(RECONCILE, last_phase=Phase.TRUST)).violations == ()


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param(answered(NEXT, THIRD), id="of another CA"),
        pytest.param(replace(answered(NEXT), outdated="other names are needed by now"), id="other names"),
    ],
)
def test_an_outdated_spare_leaf_is_requested_again(request_: object) -> None:
    snapshot = with_requests(WANTED, request_, answered(AFTER))  # type: ignore[arg-type]
    assert names_in(keep_spare_leaves(at(snapshot, RECONCILE))) == [NEXT]


@pytest.mark.parametrize(("left", "asked"), [(44, True), (46, False)])
def test_a_spare_leaf_is_requested_again_in_its_renewal_window(left: int, asked: bool) -> None:
    chain = leaf_with(left * DAY).chain
    snapshot = changed(elsewhere(settled(), LASTING), spare={NEXT: SPARE[NEXT]})
    there = with_requests(snapshot, replace(answered(NEXT, LASTING), answer=chain))
    assert names_in(keep_spare_leaves(at(there, RECONCILE))) == ([NEXT] if asked else [])


def test_a_spare_leaf_that_ends_with_its_ca_is_not_asked_for_again() -> None:
    """Another one would end as soon."""
    chain = leaf_with(20 * DAY, issuer=SHORT).chain
    snapshot = elsewhere(settled(ca=secrets(SHORT), ledger=ledger(entry(SHORT, generations={0}))), SHORT)
    there = with_requests(changed(snapshot, spare={NEXT: SPARE[NEXT]}), replace(answered(NEXT, SHORT), answer=chain))
    assert keep_spare_leaves(at(there, RECONCILE)) == ()


def test_spare_leaves_are_kept_and_not_requested_during_a_replacement() -> None:
    snapshot = changed(elsewhere(cluster(ca=secrets(OLD, prepared=(prepared(NEW),))), OLD), spare=SPARE)
    there = at(with_requests(snapshot, answered(NEXT, OLD)), RECONCILE)
    assert (keep_spare_leaves(there), forget_requests(there)) == ((), ())


def test_before_there_is_a_ca_no_spare_leaf_is_wanted() -> None:
    assert keep_spare_leaves(at(changed(cluster(), ca=secrets(None)))) == ()


def test_spare_leaves_are_not_kept_where_the_operator_has_the_key() -> None:
    here = changed(cluster(), spare=SPARE)
    there = at(with_requests(here, answered(NEXT, OLD)), RECONCILE)
    assert (there.snapshot.spare_leaf_nodes, keep_spare_leaves(there), names_in(forget_requests(there))) == (
        {},
        (),
        [NEXT],
    )


def test_spare_leaves_beyond_the_wanted_number_are_forgotten() -> None:
    snapshot = with_requests(changed(WANTED, spare={NEXT: SPARE[NEXT]}), answered(NEXT), answered(AFTER))
    assert names_in(forget_requests(at(snapshot, RECONCILE))) == [AFTER]

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A violation as people and as playbooks read it, and where each of them stops a flow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._leaves.request import LONGEST_WAIT, MOST_FAILURES
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition, Violation
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Spread
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.pools import PoolNode
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import MaintenanceWindows, Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import RollReason
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.plan import forecast
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.order import PRECONDITIONS

from ....tools.support.certificates import NOW
from ....tools.support.intents import changed_intent
from .. import linked
from ..authorities import NEW, OLD, THIRD, names_of, stored_chain
from ..builders import answering, changed
from ..requested import REFUSED as REFUSAL
from ..requested import a_request, elsewhere, with_requests
from ..rules.asking import RECONCILE
from ..rules.test_verdict import asked, failing
from ..stand_in import MadeHere
from ..test_plan import BLOCKED, RENEW, REPLACE_KEY, STRANGER, SUPPLIED


def test_the_text_of_a_violation_has_its_object_its_cause_and_its_remedy() -> None:
    violation = Violation(
        Condition.KEY_MATCHES, "Secret kafka/demo-cluster-ca", "contains another key.", "Put it back."
    )
    assert str(violation) == f"{violation.subject}: {violation.message} {violation.remedy}"


def test_the_value_of_every_condition_is_its_name_in_lower_case() -> None:
    """Playbooks compare this value as ``gate``."""
    assert {one.name: one.value for one in Condition} == {name: name.lower() for name in Condition.__members__}


class Stops(Enum):
    """Where a violation stops a flow."""

    FIRST_WRITE = "before its first write, unless it is under way"
    GATE = "before the step that it guards; what else can be done is done"
    END = "when nothing else is left to do"
    LOOK = "when a playbook looks first, with the approval of a plan"
    PASS = "before each of its passes"
    OWN_RESTARTS = "before the restarts that a task asks for"
    RESTART = "before the restart of each node"


@dataclass(frozen=True)
class Row:
    stops: Stops
    #: Clusters at rest, which no flow has changed, in which it is shown, and stops flows before their first restart.
    in_sight: Mapping[str, Snapshot] = field(default_factory=dict)
    #: Such a cluster whose plans name it, before the first write, although restarts come before it: those for ``restarts``.
    foreseen: Snapshot | None = None
    restarts: frozenset[RollReason] = frozenset()
    #: The options of the caller for it.
    asked: Mapping[str, Spread] = field(default_factory=dict)


NODE = linked.SETTLED.nodes.pods[0]


def with_node(**fields: object) -> Snapshot:
    pods = (replace(NODE, **fields), *linked.SETTLED.nodes.pods[1:])  # type: ignore[arg-type]
    return changed(linked.SETTLED, pods=pods)


def with_leaf(**fields: object) -> Snapshot:
    """Of the node."""
    leaves = linked.SETTLED.leaves.stored
    return changed(
        linked.SETTLED,
        leaves=tuple(replace(one, **fields) if one.secret == NODE.name else one for one in leaves),  # type: ignore[arg-type]
    )


def without_leaf() -> Snapshot:
    """Of the node."""
    kept = tuple(one for one in linked.SETTLED.leaves.stored if one.secret != NODE.name)
    return changed(linked.SETTLED, leaves=kept, missing={NODE.name: NODE.component})


WITHOUT_WINDOW = changed(
    linked.SETTLED,
    reconciliation=replace(linked.SETTLED.reconciliation, windows=MaintenanceWindows(is_open=False, opens_at=None)),
)
REFUSED = replace(linked.SETTLED, reconciliation=failing().reconciliation)


def with_spare(**fields: object) -> Snapshot:
    """Another issuer keeps the key of the CA in use, and has the request for a node that is yet to come."""
    name = "demo-nodes-9"
    request = replace(a_request(name, OLD), issuer=RECONCILE.issuing.external_issuer, **fields)  # type: ignore[arg-type]
    return changed(with_requests(elsewhere(linked.SETTLED, OLD), request), spare={name: PoolNode("nodes", 9)})


#: Violations that are shown although no precondition is asked, and those that have no precondition.
ROWS = {
    Condition.LEAVES_ARE_OURS: Row(
        Stops.FIRST_WRITE,
        {
            "of a stranger": with_leaf(chain=stored_chain(THIRD)),
            "unreadable": with_leaf(chain=None),
            "key of another": with_leaf(key_beside="ab"),
            "missing": without_leaf(),
        },
    ),
    Condition.EVIDENCE: Row(
        Stops.GATE,
        {
            "no generation": with_node(generation=None),
            "it refuses the CA in use": answering(linked.SETTLED, refusing=names_of(OLD)),
        },
    ),
    Condition.REMOVAL: Row(
        Stops.GATE, {"a removed CA is accepted": answering(linked.FINISHED, accepting=names_of(NEW, OLD))}
    ),
    # It holds no flow: the run fails after all of its work.
    Condition.LEAVES_ARE_ISSUED: Row(
        Stops.END,
        {
            "never answered": with_spare(asked_at=NOW - LONGEST_WAIT),
            "refused each time": with_spare(is_open=False, failure=replace(REFUSAL, count=MOST_FAILURES)),
        },
    ),
    # Other certificates may be what mends it, so they are stored and used first.
    Condition.VERDICT: Row(
        Stops.END,
        foreseen=asked(REFUSED),
        restarts=frozenset({RollReason.TRUST, RollReason.USE, RollReason.RETIRE}),
    ),
    # It guards the first use of a CA that clients outside do not trust; nodes may trust that one before.
    Condition.TRUST: Row(
        Stops.GATE,
        foreseen=changed(linked.SETTLED, outside_clients=(STRANGER,)),
        restarts=frozenset({RollReason.TRUST}),
    ),
    # It forbids what a reload would spare, before the restarts that none spares.
    Condition.IN_PLACE: Row(
        Stops.GATE, foreseen=changed(linked.SETTLED, in_place_obstacles=BLOCKED), asked={"spread": Spread.RELOAD}
    ),
    # A run takes the steps that restart no pod.
    Condition.RENEWAL_COMES_IN_TIME: Row(Stops.GATE, foreseen=WITHOUT_WINDOW),
    Condition.PLAN_IS_APPROVED: Row(Stops.LOOK),
    Condition.WRITES_LAST: Row(Stops.PASS),
    Condition.FLOW_ADVANCES: Row(Stops.PASS),
    Condition.RESTARTS_ARE_PLANNED: Row(Stops.PASS),
    Condition.NOT_PAUSED: Row(Stops.OWN_RESTARTS),
    Condition.FLOW_HAS_ENDED: Row(Stops.OWN_RESTARTS),
    Condition.WINDOW_IS_OPEN: Row(Stops.OWN_RESTARTS),
    Condition.QUORUM: Row(Stops.RESTART),
    Condition.AVAILABILITY: Row(Stops.RESTART),
    Condition.RETURN: Row(Stops.RESTART),
    Condition.SOLITUDE: Row(Stops.RESTART),
    Condition.KAFKA_ANSWERS: Row(Stops.RESTART),
}


#: ``preconditions`` says of each before which goal nothing is written.
PRECONDITION = Row(Stops.FIRST_WRITE)


@pytest.mark.parametrize("condition", Condition)
def test_every_condition_has_a_row_or_a_precondition(condition: Condition) -> None:
    """A new one needs a row, or a precondition."""
    precedes = condition.value in {rule.__name__ for rule in PRECONDITIONS}
    row = ROWS.get(condition, PRECONDITION) if precedes else ROWS[condition]
    assert precedes is (row.stops is Stops.FIRST_WRITE)
    for what, snapshot in row.in_sight.items():
        assert condition in {one.condition for one in decide(snapshot, RECONCILE).violations}, what
        for intent in (REPLACE_KEY, SUPPLIED, RENEW):
            planned = forecast(snapshot, intent, MadeHere())
            restarted = [step.what for step in planned.steps if step.nodes or step.others]
            assert not (planned.violations and restarted), (what, intent.goal, restarted)
            if row.stops is Stops.FIRST_WRITE:
                assert {one.condition for one in planned.violations} == {condition}, what
                assert not planned.steps, what


@pytest.mark.parametrize("condition", [one for one, row in ROWS.items() if row.stops in (Stops.GATE, Stops.END)])
def test_a_later_condition_is_visible_or_named_by_the_plan(condition: Condition) -> None:
    """The plan says which restarts come before it."""
    row, before = ROWS[condition], set()
    assert bool(row.in_sight) is (row.foreseen is None)
    for intent in (REPLACE_KEY, SUPPLIED, RENEW) if row.foreseen else ():
        planned = forecast(row.foreseen, changed_intent(intent, **row.asked), MadeHere())
        assert {one.condition for one in planned.violations} == {condition}, intent
        before |= {step.reason for step in planned.steps if step.nodes or step.others}
    assert before == row.restarts

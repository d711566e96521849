# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The preconditions that matter for what a call begins: each holds a call that does this, and no other call."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import ENGINE, decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.ledger.journal import in_flight
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.authority_order import AuthorityOrder
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import (
    Condition,
    Turn,
    Violation,
    Wait,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase, Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent, Spread
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import FormerLeaf
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    SECRET_LIMIT,
    InPlaceObstacles,
    PreparedAuthority,
    Rebalance,
    Reconciliation,
    Snapshot,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Resume
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.plan import Forecast, forecast, foreseeing
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.preconditions.order import check
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.situation import Situation

from ....tools.support.certificates import DAY, NOW, YEAR, make
from ....tools.support.certificates import leaf as issue_leaf
from ....tools.support.intents import an_intent, changed_intent
from .. import linked
from ..authorities import INTERMEDIATE, NEW, OLD, ROOT, THIRD, chain_of, name_of
from ..builders import PAUSED, changed, cluster, others, secrets
from ..ledgers import UNUSED, entry, ledger
from ..nodes import PODS, a_leaf, leaves, pods, uids_of
from ..of_users import users
from ..rules.asking import FLOWS, RECONCILE, RENEW, REPLACE_KEY
from ..stand_in import MadeHere
from .refusals import DOWNGRADE, UPGRADE, supplying

PATIENT = changed_intent(REPLACE_KEY, retire=Retire.WHEN_RESTARTED)
LASTING = make("cluster-ca v0", OLD.key, path_length=1, end=NOW + 5 * YEAR)
ENDING = make("cluster-ca v0", OLD.key, path_length=1, end=NOW + 20 * DAY)
ENDS_SOON = issue_leaf(LASTING, begin=NOW - YEAR, end=NOW + DAY)
FORESEEING = foreseeing(MadeHere(LASTING, ENDING))
FORMER = FormerLeaf(issue_leaf(OLD, end=NOW + 90 * DAY), frozenset(), lingering_pods=uids_of(PODS[0]))
GENERATED = Reconciliation(generated=True)

#: Clusters in which no flow is in flight.
CLUSTERS: dict[str, Snapshot] = {
    "settled": linked.SETTLED,
    "no room below the CA": cluster(),
    "the CA ends": cluster(ca=secrets(ENDING), ledger=ledger(entry(ENDING, generations={0})), leaves=leaves(ENDING)),
    "a leaf of a node ends": cluster(
        ca=secrets(LASTING),
        ledger=ledger(entry(LASTING, generations={0})),
        leaves=(a_leaf(chain=(ENDS_SOON, LASTING.certificate)), *leaves(LASTING, names=PODS[1:])),
    ),
    "clients CA": users(),
    "a node presents a former leaf": cluster(ledger=ledger(former_leaves=(FORMER,))),
    "a low key generation": cluster(
        ca=secrets(THIRD),
        ledger=ledger(entry(THIRD, generations={0})),
        leaves=leaves(THIRD),
        pods=tuple(replace(pod, key_generation=0) for pod in pods()),
    ),
    "another CA is trusted": cluster(
        ca=secrets(other_entries=others(THIRD)), ledger=ledger(entry(OLD, generations={0}), entry(THIRD, UNUSED))
    ),
    "generated": cluster(ledger=None, reconciliation=GENERATED),
    "generated, beside another CA": cluster(
        ca=secrets(other_entries=others(THIRD)), ledger=None, reconciliation=GENERATED
    ),
    "the CA stays user-managed": cluster(ledger=None),
}
INTENTS: dict[str, Intent] = {
    "replace": REPLACE_KEY,
    "replace, no restart instead of a reload": changed_intent(REPLACE_KEY, spread=Spread.RELOAD),
    "replace, patient": PATIENT,
    "replace, patient, to the end of a phase": changed_intent(PATIENT, last_phase=Phase.PREPARE),
    "replace, to the end of a phase": changed_intent(REPLACE_KEY, last_phase=Phase.PREPARE),
    "replace, no reload": changed_intent(REPLACE_KEY, spread=Spread.RESTART),
    "replace, patient, no reload": changed_intent(PATIENT, spread=Spread.RESTART),
    "replace, when needed": changed_intent(REPLACE_KEY, retire=Retire.WHEN_NEEDED),
    "replace, patient, until now": changed_intent(PATIENT, retire=NOW),
    "replace, patient, until tomorrow": changed_intent(PATIENT, retire=NOW + DAY),
    "replace, patient, without a link": changed_intent(supplying(INTERMEDIATE, ROOT), retire=Retire.WHEN_RESTARTED),
    "renew": RENEW,
    "renew, to the end of a phase": changed_intent(RENEW, last_phase=Phase.PREPARE),
    "renew, no restart instead of a reload": changed_intent(RENEW, spread=Spread.RELOAD),
    "renew leaves": Intent(Goal.RENEW_LEAVES),
    "renew leaves, no restart instead of a reload": an_intent(Goal.RENEW_LEAVES, spread=Spread.RELOAD),
    "trust another CA": changed_intent(RECONCILE, additional_cas=(chain_of(NEW),)),
    "remove a CA": changed_intent(RECONCILE, leaving_ca=name_of(THIRD)),
    "reconcile": RECONCILE,
    "adopt": UPGRADE,
    "adopt and raise": changed_intent(UPGRADE, raise_path_length=True),
    "abort": Intent(Goal.ABORT),
    "create": Intent(Goal.CREATE),
    "hand back": DOWNGRADE,
    "hand back, renewed at once": changed_intent(DOWNGRADE, operator_may_renew=True),
    "keep": changed_intent(DOWNGRADE, keeps_authority=True),
}
OBSTACLES = {
    "reload": InPlaceObstacles(),
    "no reload": InPlaceObstacles(reload="no.", annotations="no."),
    "no stamps": InPlaceObstacles(stamps="no."),
}


def in_trouble(seen: Snapshot) -> Snapshot:
    """The cluster in everything that a flow may not begin in."""
    ill, *healthy = seen.nodes.pods
    state = replace(seen.reconciliation, rebalances=(Rebalance("moving", "KafkaRebalance kafka/moving"),))
    return changed(without_room(seen), pods=(replace(ill, ready=False), *healthy), reconciliation=state)


def without_room(seen: Snapshot) -> Snapshot:
    full = {"demo-cluster-ca-cert": SECRET_LIMIT}
    return changed(seen, sizes=full, immutable_secrets=tuple(full))


#: Calls beside whether they restart nodes: if these can read again without a restart, if they cannot, and if the
#: operator would restart them despite new annotations.
RESTARTING = {
    "a hand-back restarts what presents one": ("a node presents a former leaf", "hand back", (True, True, True)),
    "a hand-back of a low key generation": ("a low key generation", "hand back", (False, True, False)),
    "a hand-back restarts nothing": ("settled", "hand back", (False, False, False)),
    "an adoption restarts nothing": ("generated", "adopt", (False, False, False)),
    "another CA is trusted": ("settled", "trust another CA", (True, True, True)),
    "a CA is forgotten": ("another CA is trusted", "remove a CA", (False, True, False)),
    "leaves are renewed": ("the CA ends", "renew", (False, True, True)),
    "leaves are renewed in place or not at all": (
        "the CA ends", "renew, no restart instead of a reload", (False, False, False)
    ),
    "a leaf of a start ends": ("a leaf of a node ends", "renew leaves", (True, True, True)),
    "the key is replaced": ("settled", "replace", (True, True, True)),
    "the key is replaced when nodes restart": ("settled", "replace, patient", (False, False, False)),
    "a key without a link is replaced": ("settled", "replace, patient, without a link", (True, True, True)),
}  # fmt: skip


@pytest.mark.parametrize("what", RESTARTING)
def test_a_rebalance_holds_what_restarts_nodes_and_nothing_else(what: str) -> None:
    """By the forecast of the whole flow, whatever the phase is in which the call ends."""
    state, asked, held = RESTARTING[what]
    for obstacles, is_held in zip(OBSTACLES.values(), held, strict=True):
        seen = CLUSTERS[state].with_nodes(in_place_obstacles=obstacles)
        moving = replace(
            seen,
            reconciliation=replace(
                seen.reconciliation, rebalances=(Rebalance("moving", "KafkaRebalance kafka/moving"),)
            ),
        )
        for intent in (INTENTS[asked], changed_intent(INTENTS[asked], last_phase=Phase.PREPARE)):
            found = {one.condition for one in decide(moving, intent, FORESEEING).violations}
            assert found == ({Condition.NO_REBALANCE_IS_RUNNING} if is_held else set()), (obstacles, intent.extent)


@pytest.mark.parametrize("state", CLUSTERS)
def test_a_call_is_held_for_what_it_writes(state: str) -> None:
    """All phases of a flow count: in the last of them it is in flight, and goes on."""
    seen = CLUSTERS[state].with_nodes(in_place_obstacles=InPlaceObstacles())
    found, expected = {}, {}
    for asked, intent in INTENTS.items():
        if check(seen, intent):
            continue
        planned = forecast(seen, intent.to_the_end(), MadeHere(LASTING, ENDING))
        if planned.violations and not planned.whole:
            # The flow is held before its first step.
            continue
        found[asked] = {one.condition for one in check(without_room(seen), intent)}
        expected[asked] = reasons_to_hold(planned)
    assert found == expected
    assert found


def reasons_to_hold(planned: Forecast) -> set[Condition]:
    kinds = {step.kind for step in planned.whole}
    adds = bool(kinds & {"PrepareAuthority", "IssueLeaves", "Project"})
    changes = bool(kinds - {"SetGenerated", "WriteLedger", "Roll", "Reload"})
    return {*[Condition.SECRETS_CAN_BE_WRITTEN] * changes, *[Condition.SECRETS_HAVE_ROOM] * adds}


def test_one_forecast_answers_for_a_state() -> None:
    made = CountedStandIns(LASTING)
    settled = linked.SETTLED
    engine = foreseeing(made)
    seen = replace(
        settled,
        reconciliation=replace(
            settled.reconciliation, rebalances=(Rebalance("moving", "KafkaRebalance kafka/moving"),)
        ),
    )
    answers = [engine.restarts_nodes(seen, REPLACE_KEY) for _time in range(3)]
    assert (answers, made.count) == ([True] * 3, 1)
    assert [one.condition for one in decide(settled, REPLACE_KEY, engine).violations] == []
    assert made.count == 1, "a healthy cluster needs no forecast"


def test_what_follows_a_hold_is_unknown_and_counts_as_a_restart_if_there_are_nodes() -> None:
    unknown = Violation(Condition.EVIDENCE, "Pod kafka/one", "is unknown.", "Look at it.")

    def resume_then_wait(at: Situation) -> Turn:
        return (Resume(phase=Phase.USE),) if at.snapshot.reconciliation.pause.is_ours else Wait(violations=(unknown,))

    engine = foreseeing(MadeHere(), replace(ENGINE, preconditions=(), rules=(resume_then_wait,)))
    paused = changed(linked.SETTLED, reconciliation=PAUSED)
    assert engine.restarts_nodes(paused, RECONCILE)
    assert not engine.restarts_nodes(changed(paused, pods=()), RECONCILE)


class CountedStandIns(MadeHere):
    """Counts the CAs that forecasts have needed."""

    count = 0

    def authority(self, order: AuthorityOrder) -> PreparedAuthority:
        self.count += 1
        return super().authority(order)


@pytest.mark.parametrize("stage", [name for name, (seen, _intent) in FLOWS.items() if in_flight(seen.ledger)])
@pytest.mark.parametrize("goal", [goal for goal in Goal if goal not in (Goal.DOWNGRADE, Goal.RECOVER)])
def test_a_flow_in_flight_goes_on(stage: str, goal: Goal) -> None:
    """But for a Secret that cannot be changed: a later write of the flow would fail, perhaps in a pause."""
    seen, intent = FLOWS[stage][0], Intent(goal)
    troubled = check(in_trouble(seen), intent, restarts_nodes=FORESEEING.restarts_nodes)
    assert {one.condition for one in {*troubled}.difference(check(seen, intent))} == {Condition.SECRETS_CAN_BE_WRITTEN}

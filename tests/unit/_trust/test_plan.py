# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole plan of a flow: every step to its end, how often each pod restarts, what holds it, and states that come again."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.duration import Span
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence.parties import Hearing
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.authority_order import AuthorityOrder
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.clients import OutsideClient, Renewal
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase, Retire
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent, Spread
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import FormerLeaf
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.rounds import Bound, Round
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    InPlaceObstacles,
    OperatorPause,
    PreparedAuthority,
    Snapshot,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import Roll, RollReason
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import WriteLedger
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.plan import (
    ActionKind,
    Forecast,
    PlannedStep,
    forecast,
    likeness_of,
    state_of,
)

from ...tools.support.certificates import DAY, HOUR, NOW, YEAR, key, make
from ...tools.support.certificates import leaf as issue_leaf
from ...tools.support.golden import GoldenFiles
from ...tools.support.intents import an_intent, changed_intent
from . import linked, of_users
from .authorities import INTERMEDIATE, NEW, OLD, ROOT, THIRD, chain_of, name_of, names_of, stored_chain
from .builders import answering, changed, cluster, secrets
from .ledgers import entry, ledger
from .nodes import PODS, hashes_of
from .stand_in import MadeHere

SETTLED = linked.SETTLED
FIRST = cluster(ca=secrets(None), ledger=None, bundle=None, pods=(), leaves=())
BLOCKED = InPlaceObstacles(reload="a permission is missing.", stamps="")
REPLACE_KEY, RENEW = Intent(Goal.REPLACE_KEY), Intent(Goal.RENEW)


#: The caller brings a CA that the one in use cannot certify.
SUPPLIED = changed_intent(
    REPLACE_KEY,
    supplied=PreparedAuthority(chain_of(INTERMEDIATE, ROOT), INTERMEDIATE.certificate.public_key_sha256),
    client_grace=timedelta(0),
)
STRANGER = OutsideClient("Secret kafka/app", (THIRD.certificate,), declared=True)
PATIENT = changed_intent(REPLACE_KEY, retire=Retire.WHEN_RESTARTED)
LEAVES = Intent(Goal.RENEW_LEAVES)
LASTING = make("cluster-ca v0", OLD.key, path_length=1, end=NOW + 5 * YEAR)
DUE = changed(
    SETTLED,
    ca=secrets(LASTING),
    bundle=names_of(LASTING),
    ledger=ledger(entry(LASTING, generations={0}, leaf_hashes=hashes_of(OLD, *linked.NAMES))),
    leaves=tuple(
        replace(one, chain=(issue_leaf(LASTING, end=NOW + 30 * DAY), LASTING.certificate))
        for one in SETTLED.leaves.stored
    ),
)


def planned(snapshot: Snapshot, intent: Intent) -> Forecast:
    return forecast(snapshot, intent, MadeHere(LASTING))


def restarts(found: Forecast) -> dict[str, int]:
    """How often each pod restarts."""
    return dict(Counter(name for step in found.steps for name in (*step.nodes, *step.others)))


@pytest.mark.parametrize(
    ("snapshot", "intent", "reload", "restart"),
    [
        pytest.param(SETTLED, REPLACE_KEY, 1, 2, id="a new key"),
        pytest.param(SETTLED, SUPPLIED, 2, 3, id="a new key without a link"),
        pytest.param(SETTLED, PATIENT, 0, None, id="a new key, and no pod is restarted"),
        pytest.param(SETTLED, RENEW, 0, 1, id="a renewal"),
        pytest.param(DUE, LEAVES, 0, 1, id="leaves"),
        pytest.param(cluster(ledger=None), Intent(Goal.UPGRADE), 0, 0, id="adopting"),
        pytest.param(SETTLED, Intent(Goal.DOWNGRADE), 0, 0, id="handing back"),
        pytest.param(FIRST, an_intent(Goal.CREATE, before_kafka=True), 0, 0, id="the first CA"),
        pytest.param(SETTLED, Intent(Goal.RECONCILE), 0, 0, id="nothing to do"),
    ],
)
def test_how_often_nodes_restart(snapshot: Snapshot, intent: Intent, reload: int, restart: int | None) -> None:
    """reload: where they can read again; restart: where they cannot. None: not wanted, so it is not begun."""
    for in_place, times in ((InPlaceObstacles(), reload), (BLOCKED, restart)):
        found = planned(changed(snapshot, in_place_obstacles=in_place), intent)
        assert {restarts(found).get(pod.name, 0) for pod in snapshot.nodes.pods if pod.name in PODS} <= {times or 0}
        assert [one.condition for one in found.violations] == ([Condition.IN_PLACE] if times is None else [])


def test_the_story_of_a_replacement() -> None:
    steps = [step for step in planned(SETTLED, REPLACE_KEY).steps if step.kind != "WriteLedger"]
    assert [(step.phase, step.kind, len(step.nodes), len(step.others)) for step in steps] == [
        (Phase.PREPARE, "PrepareAuthority", 0, 0),
        (Phase.PREPARE, "Project", 0, 0),
        (Phase.PREPARE, "AwaitBundle", 0, 0),
        (Phase.USE, "IssueLeaves", 0, 0),
        (Phase.USE, "Roll", 3, 1),
        (Phase.USE, "IssueLeaves", 0, 0),
        (Phase.RETIRE, "Pause", 0, 0),
        (Phase.RETIRE, "Switch", 0, 0),
        (Phase.RETIRE, "WriteBundle", 0, 0),
        (Phase.RETIRE, "RechainLeaves", 0, 0),
        (Phase.RETIRE, "StampPods", 0, 0),
        (Phase.RETIRE, "Resume", 0, 0),
        (Phase.RETIRE, "TidyKeys", 0, 0),
        (Phase.RETIRE, "Roll", 0, 1),
        (Phase.RETIRE, "Reload", 0, 0),
    ]


def test_the_plan_tells_restarts_reloads_and_waits_apart() -> None:
    found = planned(SETTLED, changed_intent(REPLACE_KEY, client_grace=HOUR))
    others = {step.kind: step.does for step in found.steps if step.does is not ActionKind.WRITE}
    assert others == {
        "AwaitBundle": ActionKind.WAIT,
        "Roll": ActionKind.RESTART,
        "Reload": ActionKind.RELOAD,
        "AwaitClients": ActionKind.WAIT,
    }
    assert {"PrepareAuthority", "Project", "IssueLeaves", "Pause", "Switch"} <= {step.kind for step in found.steps}
    (awaited,) = {step.outside_parties for step in found.steps} - {()}
    assert awaited == (f"clients that read {SETTLED.names.certificate_secret}",)


def test_a_ca_that_comes_to_be_trusted_is_approved_and_not_the_ca_above_it() -> None:
    found = planned(SETTLED, changed_intent(Intent(Goal.RECONCILE), additional_cas=(chain_of(INTERMEDIATE, ROOT),)))
    (inputs,) = {step.approved_inputs for step in found.steps} - {()}
    assert inputs == (INTERMEDIATE.certificate.sha256,)


@pytest.mark.parametrize("component", [Component.ENTITY_OPERATOR, Component.KAFKA_EXPORTER])
def test_the_plan_names_the_components_that_restart(component: Component) -> None:
    *nodes, topics = SETTLED.nodes.pods
    found = planned(changed(SETTLED, pods=(*nodes, replace(topics, component=component))), REPLACE_KEY)
    assert [(step.nodes, step.others) for step in found.steps if step.nodes or step.others] == [
        (PODS, ("topics",)),
        ((), ("topics",)),
    ]


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({}, id="not yet prepared"),
        pytest.param({"ca": secrets(prepared=(SUPPLIED.new_ca.supplied,))}, id="prepared already"),
        pytest.param({"outside_clients": (STRANGER,)}, id="prepared, and held then"),
    ],
)
def test_a_ca_that_is_there_already_is_told_by_its_digest(fields: dict[str, Any]) -> None:
    """The CA that the caller brings, and the root that is trusted beside it."""
    supplied = SUPPLIED.new_ca.supplied
    assert supplied is not None

    class Brought(MadeHere):
        def authority(self, order: AuthorityOrder) -> PreparedAuthority:
            return supplied

    found = forecast(changed(SETTLED, **fields), changed_intent(SUPPLIED, additional_cas=(chain_of(ROOT),)), Brought())
    told = " ".join(step.what for step in found.steps)
    for one in (INTERMEDIATE.certificate, ROOT.certificate):
        assert told.count(named(one)) == told.count(one.subject) > 0


@pytest.mark.parametrize(
    ("snapshot", "intent", "count"),
    [
        pytest.param(SETTLED, REPLACE_KEY, 3, id="each is told once"),
        pytest.param(changed(SETTLED, in_place_obstacles=BLOCKED), RENEW, 1, id="restarts that could be spared"),
        pytest.param(linked.FINISHED, REPLACE_KEY, 0, id="nothing to do, nothing to choose"),
    ],
)
def test_the_plan_has_the_reasons_for_its_choices(
    snapshot: Snapshot, intent: Intent, count: int, golden: GoldenFiles
) -> None:
    choices = planned(snapshot, intent).choices
    assert len(choices) == count
    if choices:
        golden.compare_said("steps", "\n".join(choices), golden.row)


def test_a_plan_shows_steps_before_its_violation() -> None:
    found = planned(changed(SETTLED, outside_clients=(STRANGER,)), REPLACE_KEY)
    assert {(one.condition, one.subject) for one in found.violations} == {(Condition.TRUST, "Secret kafka/app")}
    assert found.steps[0].kind == "PrepareAuthority"
    assert not any(step.kind == "Switch" for step in found.steps)


def test_the_plan_goes_on_after_a_party_outside_that_holds_the_flow() -> None:
    """The later steps are as if that party were not there; the diff ends where a call would end."""
    found, free = planned(changed(SETTLED, outside_clients=(STRANGER,)), REPLACE_KEY), planned(SETTLED, REPLACE_KEY)
    (hold,) = [step for step in found.after if step not in free.steps]
    assert found.after[0] == hold
    assert (hold.kind, hold.does) == (f"held by {STRANGER.name}", ActionKind.HOLD)
    assert (hold.phase, hold.nodes, hold.is_change) == (found.after[1].phase, (), False)
    assert hold.span == Span(timedelta(0), None)
    assert [step for step in found.whole if step != hold] == list(free.steps)
    assert found.end is not None
    assert found.end.ca.current == SETTLED.ca.current
    assert (free.after, free.whole) == ((), free.steps)


def test_each_party_that_holds_the_flow_is_told_by_itself() -> None:
    strangers = tuple(replace(STRANGER, name=name) for name in ("Secret kafka/app", "Secret kafka/web"))
    found = planned(changed(SETTLED, outside_clients=strangers), REPLACE_KEY)
    assert [step.kind for step in found.after[:2]] == [f"held by {one.name}" for one in strangers]
    assert [step.does for step in found.after].count(ActionKind.HOLD) == 2
    assert all(one.name in step.what for step, one in zip(found.after, strangers, strict=False))


def test_the_plan_says_how_long_new_certificates_are_valid_where_that_is_unusual() -> None:
    told = "New certificates are valid for 90 days, as spec.clusterCa.validityDays of Kafka kafka/demo says; validity_days gives them another life."
    assert told in planned(changed(SETTLED, validity=90 * DAY), REPLACE_KEY).choices
    assert told not in planned(changed(linked.RESUMED, validity=90 * DAY), REPLACE_KEY).choices


def test_the_plan_names_a_party_that_holds_the_flow_before_the_step_that_it_holds() -> None:
    """A presenter of the replaced CA holds the flow at the end; an obstacle of another kind ends the plan."""
    program = of_users.presenter("Pod kafka/billing", renewal=Renewal.BY_HAND)
    users = of_users.users(presenters=of_users.presenting(of_users.presenter(), program))
    found = planned(users, REPLACE_KEY)
    assert [one.subject for one in found.violations] == [program.name]
    assert (found.after[0].kind, found.after[0].does) == (f"held by {program.name}", ActionKind.HOLD)
    assert any(step.phase is Phase.RETIRE and step.is_change for step in found.after)
    unknown = of_users.presenting(replace(of_users.presenter(), authorities=None, evidence="it is not known"))
    held = planned(of_users.users(presenters=unknown), REPLACE_KEY)
    assert ({one.condition for one in held.violations}, held.after) == ({Condition.PRESENTERS_ARE_KNOWN}, ())
    blocked = planned(changed(SETTLED, in_place_obstacles=BLOCKED), changed_intent(REPLACE_KEY, spread=Spread.RELOAD))
    assert (blocked.violations != (), blocked.after) == (True, ())


def test_a_plan_may_end_where_restarts_are_waited_for() -> None:
    found = planned(SETTLED, PATIENT)
    assert found.violations == ()
    assert [text.rpartition(": ")[2] for text in found.waiting] == [", ".join(PODS)]


@pytest.mark.parametrize("intent", [REPLACE_KEY, RENEW, PATIENT], ids=["at once", "renewal", "patient"])
def test_answers_of_nodes_hold_until_they_restart(intent: Intent) -> None:
    """Their successors are assumed to present what is stored, as pods are where the run asked no listener."""
    found = planned(answering(SETTLED, accepting=names_of(OLD)), intent)
    assert found.hearing == Hearing(heard=PODS)
    assert replace(found, hearing=Hearing()) == planned(SETTLED, intent)


def test_a_forecast_takes_the_answers_about_a_ca_for_its_renewal() -> None:
    """Brokers that know the CA accept its renewal, and refuse a CA with another key: they have to read their trust again for that."""
    said = of_users.users(ledger=ledger(entry(OLD, generations={0})))
    said = changed(
        said,
        listeners=tuple(
            ObservedListener(pod.name, pod.uid, 9093, stored_chain(OLD), accepts=names_of(OLD), source="handshake")
            for pod in said.nodes.pods
        ),
    )
    for intent, told in ((RENEW, False), (REPLACE_KEY, True)):
        found = planned(said, intent)
        assert found.violations == ()
        assert any(step.kind == "Reload" for step in found.steps if step.phase is Phase.TRUST) is told


def test_a_forecast_adds_the_answers_about_a_new_ca_to_those_that_were_given() -> None:
    first = answering(SETTLED, accepting=names_of(OLD), refusing=names_of(THIRD))

    def is_enrolled(seen: Snapshot) -> bool:
        return seen.ledger_or_empty.find(name_of(NEW)) is not None

    end = forecast(first, REPLACE_KEY, MadeHere(), is_enrolled).end
    assert end is not None
    assert end.nodes.listeners
    assert {(one.accepts, one.refuses) for one in end.nodes.listeners} == {(names_of(OLD), names_of(THIRD, NEW))}


@pytest.mark.parametrize("is_asked", [False, True])
def test_the_plan_waits_for_a_node_that_has_not_answered(is_asked: bool) -> None:
    """is_asked: its listener was, and said nothing."""
    said = answering(SETTLED, accepting=names_of(OLD))
    first, *others = said.nodes.listeners or ()
    asked = (replace(first, presents=None, accepts=frozenset(), failure="no answer"),) if is_asked else ()
    silent = changed(said, listeners=(*asked, *others))
    found, usual = planned(silent, REPLACE_KEY), planned(SETTLED, REPLACE_KEY)
    record, waiting = [step for step in found.steps if step not in usual.steps]
    assert (record.kind, record.nodes, record.others) == (WriteLedger.__name__, (), ())
    assert (waiting.nodes, waiting.others, PODS[0] in waiting.what) == ((), (), True)
    assert [step for step in found.steps if step not in (record, waiting)] == list(usual.steps)


def test_a_flow_is_about_the_ca_that_it_began_with() -> None:
    """Each pass would see another CA in use, and begin again."""
    assert planned(SETTLED, changed_intent(RENEW, fresh_for=timedelta(0))).violations == ()


def test_a_plan_ends_where_the_caller_has_what_it_asks_for_and_no_pause_is_left() -> None:
    """A call would leave the operator to its work."""
    kinds = [step.kind for step in planned(SETTLED, REPLACE_KEY).steps]

    def is_switched(seen: Snapshot) -> bool:
        return seen.ca.current == chain_of(NEW)

    found = forecast(SETTLED, REPLACE_KEY, MadeHere(), is_switched)
    assert [step.kind for step in found.steps] == kinds[: kinds.index("Resume") + 1]
    assert forecast(SETTLED, REPLACE_KEY, MadeHere(), lambda seen: seen == SETTLED).steps == ()


def test_a_plan_that_comes_back_to_where_it_was_is_held_there() -> None:
    """The same CA is to be trusted and to leave."""
    at_once = changed_intent(Intent(Goal.RECONCILE), additional_cas=(chain_of(THIRD),), leaving_ca=name_of(THIRD))
    found = planned(SETTLED, at_once)
    assert [one.condition for one in found.violations] == [Condition.FLOW_ADVANCES]


# The likeness of states: a state that comes again is recognised although pods have restarted and leaves were issued again, and no other is.


def restarted(snapshot: Snapshot) -> Snapshot:
    """Every pod has another UID, and another hash of its leaf."""
    return changed(
        snapshot,
        pods=tuple(replace(pod, uid=f"{pod.uid}-again", leaf_hash=f"{pod.leaf_hash}0") for pod in snapshot.nodes.pods),
    )


def roll(snapshot: Snapshot) -> Roll:
    return Roll(reason=RollReason.TRUST, uids=snapshot.uids, authority=None, phase=Phase.TRUST)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(replace(SETTLED, now=SETTLED.now + timedelta(hours=1)), id="an hour later"),
        pytest.param(restarted(SETTLED), id="pods have restarted"),
    ],
)
def test_the_same_state(other: Snapshot) -> None:
    assert state_of(other, ()) == state_of(SETTLED, ())


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(changed(SETTLED, pods=SETTLED.nodes.pods[1:]), id="a pod less"),
        pytest.param(replace(SETTLED, bundle=frozenset()), id="another trust bundle"),
        pytest.param(
            SETTLED.with_ca(certificate_generation=SETTLED.ca.certificate_generation + 1), id="another generation"
        ),
        pytest.param(
            replace(SETTLED, reconciliation=replace(SETTLED.reconciliation, pause=OperatorPause(is_set=True))),
            id="paused",
        ),
        pytest.param(
            changed(SETTLED, leaves=tuple(replace(leaf, chain=None) for leaf in SETTLED.leaves.stored)), id="no leaf"
        ),
        pytest.param(
            changed(SETTLED, pods=tuple(replace(pod, presents_stored=False) for pod in SETTLED.nodes.pods)),
            id="another leaf presented",
        ),
    ],
)
def test_another_snapshot_is_another_state(other: Snapshot) -> None:
    assert state_of(other, ()) != state_of(SETTLED, ())


@pytest.mark.parametrize("field", ["awaited", "of holders", "lingering"])
def test_pods_that_are_gone_make_no_other_state(field: str) -> None:
    """The ledger names those that have yet to read a CA or to give up a leaf."""

    def naming(*uids: str) -> int:
        found = {name: frozenset(uids if name == field else ()) for name in ("awaited", "of holders", "lingering")}
        books, held = SETTLED.ledger_or_empty, FormerLeaf(stored_chain(OLD)[0], found["of holders"], found["lingering"])
        entries = tuple(replace(one, awaited_pods=found["awaited"]) for one in books.entries)
        return state_of(replace(SETTLED, ledger=replace(books, entries=entries, former_leaves=(held,))), ())

    running = SETTLED.nodes.pods[0].uid
    assert naming() == naming("gone") != naming(running) == naming(running, "gone")


def test_other_steps_make_another_state() -> None:
    assert state_of(SETTLED, (roll(SETTLED),)) != state_of(SETTLED, ())


def test_the_same_step_on_pods_that_have_restarted() -> None:
    again = restarted(SETTLED)
    assert likeness_of((roll(again),), again) == likeness_of((roll(SETTLED),), SETTLED)
    assert likeness_of((replace(roll(SETTLED), uids=frozenset()),), SETTLED) != likeness_of((roll(SETTLED),), SETTLED)


def test_two_states_differ_by_the_day_on_which_a_leaf_ends() -> None:
    """Otherwise a node's new leaf would count as the leaf that was due."""

    def holding(end: datetime) -> Snapshot:
        leaf = make("node", key(99), ca=False, end=end).certificate
        return changed(SETTLED, leaves=(replace(SETTLED.leaves.stored[0], chain=(leaf,)),))

    due, again, renewed = (state_of(holding(end), ()) for end in (NOW, NOW, NOW + YEAR))
    assert due == again
    assert due != renewed


@pytest.mark.parametrize(
    ("nodes", "rounds", "reason", "count"),
    [
        ("", (), None, 0),
        ("abc", (), RollReason.ENDED, 1),
        ("", (), RollReason.ENDED, 0),
        ("abcdefg", (), None, 7),
        ("abcdefg", ("abc",), None, 5),
        ("abcdefg", ("abc", "defg"), None, 2),
    ],
)
def test_a_node_in_no_round_is_a_round(
    nodes: str, rounds: tuple[str, ...], reason: RollReason | None, count: int
) -> None:
    planned = tuple(Round(tuple(one), Bound.ALL) for one in rounds)
    step = PlannedStep(Phase.USE, "", "Roll", tuple(nodes), rounds=planned, reason=reason)
    assert step.round_count == count

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes that present ended certificates: which these are, when they restart, and what every flow says meanwhile."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import (
    Condition,
    Decision,
    Wait,
    steps_of,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent, Spread
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import FlowOptions, Ledger, Stop
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import CONTROL_PLANE
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.names import named
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.security import ClusterSecurity
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    CaSecrets,
    CaUsers,
    DnsDomain,
    DomainSource,
    FailedReconcile,
    InPlaceObstacles,
    MaintenanceWindows,
    OperatorPause,
    OperatorStatus,
    Reconciliation,
    Snapshot,
    StoredLeaf,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.authority import RestoreKey
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.leaves import (
    AskForLeaves,
    IssueLeaves,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import (
    AwaitAnswers,
    AwaitLeaves,
    Pause,
    PauseAndReload,
    Resume,
    Roll,
    RollReason,
    StampPods,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.rules.repair import (
    awaits_successor,
    is_explained,
    is_succeeded_in_recovery,
    restart_ended,
)

from ....tools.support.certificates import DAY, HOUR, NOW, YEAR, Entity, key, make
from ....tools.support.certificates import leaf as issue_leaf
from ....tools.support.golden import GoldenFiles
from ....tools.support.intents import changed_intent
from ..authorities import NEW, OLD, THIRD, names_of
from ..builders import PAUSED, answering, changed, cluster, others, prepared, secrets
from ..ledgers import UNUSED, a_journal, entry, ledger
from ..nodes import PODS, a_leaf, a_pod, leaves, pods, uids_of
from ..requested import ISSUER, a_request, answered, elsewhere, with_requests
from .asking import situation

RECOVER = Intent(Goal.RECOVER)
BOOKS = ledger(entry(OLD, generations=(0,)))


def ended(name: str = PODS[0], by: timedelta = DAY) -> StoredLeaf:
    return a_leaf(name, chain=(issue_leaf(OLD, begin=NOW - YEAR, end=NOW - by), OLD.certificate))


def presenting(*names: str, **fields: object) -> Snapshot:
    """The operator has stored good leaves; these nodes were started with leaves that have ended, and every node has answered."""
    nodes = tuple(a_pod(name, presents_stored=name not in names) for name in PODS)
    seen = answering(cluster(pods=nodes, ledger=BOOKS), accepting=[OLD.certificate.fingerprint])
    old = {name: ended(name).chain for name in names}
    listeners = tuple(replace(one, presents=old.get(one.pod, one.presents)) for one in seen.nodes.listeners or ())
    return changed(seen, **{"listeners": listeners, "in_place_obstacles": InPlaceObstacles(), **fields})


def restarted(decision: Decision) -> list[tuple[RollReason, frozenset[str]]]:
    return [(step.reason, step.uids) for step in decision.steps if isinstance(step, Roll)]


def test_the_nodes_restart_at_the_same_time_in_a_pause() -> None:
    seen = presenting(*PODS[:2])
    assert isinstance(decide(seen, RECOVER).steps[-1], Pause)
    decision = decide(changed(seen, reconciliation=PAUSED), RECOVER)
    assert restarted(decision) == [(RollReason.ENDED, uids_of(*PODS[:2]))]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_plan_says_whether_the_cluster_is_away_or_some_of_its_nodes(count: int, golden: GoldenFiles) -> None:
    """A person would postpone a harmless restart that is said to take the cluster away."""
    (roll,) = decide(presenting(*PODS[:count], reconciliation=PAUSED), RECOVER).steps
    golden.compare_said("steps", roll.because, golden.row)


def test_the_listeners_for_clients_read_their_next_leaf_until_the_pause_is_confirmed() -> None:
    """Then the restart is next. A pause that a killed call has requested is waited for in the same way."""
    seen = presenting(*PODS[:2])
    requested = replace(PAUSED, pause=replace(PAUSED.pause, is_confirmed=False))
    for state in (seen.reconciliation, requested):
        (pause,) = decide(changed(seen, reconciliation=state), RECOVER).steps
        assert isinstance(pause, PauseAndReload)
        assert pause.uids == uids_of(*PODS[:2])
    assert [type(step) for step in decide(changed(seen, reconciliation=PAUSED), RECOVER).steps] == [Roll]


def test_a_node_that_has_not_answered_is_not_told() -> None:
    seen = presenting(*PODS)
    silent = tuple(
        replace(one, presents=None, accepts=frozenset()) if one.pod == PODS[2] else one
        for one in seen.nodes.listeners or ()
    )
    (told,) = decide(changed(seen, listeners=silent), RECOVER).steps
    assert isinstance(told, PauseAndReload)
    assert told.uids == uids_of(*PODS[:2])


def test_a_listener_that_reads_nothing_again_is_not_told() -> None:
    """The control plane keeps its leaf, and a listener that does not answer may be at its end in another way."""
    seen = presenting(PODS[0])
    (first,) = [one for one in seen.nodes.listeners or () if one.pod == PODS[0]]
    others_ = tuple(one for one in seen.nodes.listeners or () if one != first)
    silent = replace(first, presents=None, accepts=frozenset(), failure="timed out")
    asked = changed(seen, listeners=(replace(first, port=CONTROL_PLANE), silent, *others_))
    assert [type(step) for step in steps_of(restart_ended(situation(asked, RECOVER)))] == [Pause]


@pytest.mark.parametrize(
    ("in_place", "spread"),
    [
        (InPlaceObstacles(reload="a library is missing."), Spread.AUTO),
        (None, Spread.AUTO),
        (InPlaceObstacles(), Spread.RESTART),
    ],
    ids=["impossible", "unknown", "unwanted"],
)
def test_where_nodes_are_not_to_read_again_they_get_no_request_in_the_wait_for_the_pause(
    in_place: InPlaceObstacles | None, spread: Spread
) -> None:
    intent = replace(RECOVER, pace=replace(RECOVER.pace, spread=spread))
    steps = decide(changed(presenting(PODS[0]), in_place_obstacles=in_place), intent).steps
    assert [type(step) for step in steps] == [Pause]


def test_no_listener_reads_a_leaf_that_is_not_stored_yet() -> None:
    steps = decide(presenting(PODS[0], stored=(ended(), *map(a_leaf, PODS[1:]))), RECOVER).steps
    assert [type(step) for step in steps] == [AwaitLeaves]


def test_no_node_restarts_before_its_next_leaf_is_stored() -> None:
    (step,) = decide(presenting(PODS[0], stored=(ended(), *map(a_leaf, PODS[1:]))), RECOVER).steps
    assert isinstance(step, AwaitLeaves)
    assert step.secrets == (PODS[0],)


def test_an_issuer_that_keeps_the_key_signs_the_next_leaf_before_a_node_restarts() -> None:
    intent = changed_intent(RECOVER, external_issuer=ISSUER)
    stored = (ended(), *map(a_leaf, PODS[1:]))
    seen = elsewhere(presenting(PODS[0], stored=stored, dns_domain=DnsDomain(source=DomainSource.CALLER)), OLD)
    (asked,) = decide(seen, intent).steps
    assert isinstance(asked, AskForLeaves)
    assert (asked.secrets, asked.issuer) == ((PODS[0],), seen.ca.current)
    awaiting = decide(with_requests(seen, a_request(issuer=OLD)), intent)
    assert (awaiting.steps, awaiting.violations, awaiting.done, len(awaiting.waiting)) == ((), (), False, 1)
    (issued,) = decide(with_requests(seen, answered(issuer=OLD)), intent).steps
    assert isinstance(issued, IssueLeaves)
    assert issued.secrets == (PODS[0],)


def test_the_issuer_of_the_ca_in_use_signs_although_a_flow_is_to_replace_it() -> None:
    """Leaves of components that have come are stored in the same step, and none is waited for."""
    intent = changed_intent(RECOVER, external_issuer=ISSUER)
    exporter = replace(ended("exporter"), component=Component.KAFKA_EXPORTER)
    stored = (ended(), *map(a_leaf, PODS[1:]), exporter)
    ca = secrets(other_entries=others(NEW), prepared=(prepared(NEW),))
    books = ledger(entry(OLD, generations=(0,)), entry(NEW, UNUSED), journal=a_journal())
    seen = elsewhere(presenting(PODS[0], stored=stored, ca=ca, ledger=books), OLD)
    (asked,) = decide(seen, intent).steps
    assert isinstance(asked, AskForLeaves)
    assert (asked.secrets, asked.issuer) == ((PODS[0], "exporter"), seen.ca.current)
    for names in (("exporter", PODS[0]), (PODS[0],)):
        (issued,) = decide(with_requests(seen, *(answered(name, OLD) for name in names)), intent).steps
        assert isinstance(issued, IssueLeaves)
        assert (issued.secrets, issued.issuer) == (tuple(sorted(names)), seen.ca.current)


def test_in_a_pause_a_switch_is_taken_back_before_a_leaf_is_issued() -> None:
    half = secrets(key=NEW.certificate.public_key_sha256, kept_keys=names_of(OLD))
    seen = presenting(PODS[0], ca=half, stored=(ended(), *map(a_leaf, PODS[1:])), reconciliation=PAUSED)
    assert [type(step) for step in decide(seen, RECOVER).steps] == [RestoreKey]


@pytest.mark.parametrize(
    "unusable",
    [a_leaf(chain=None), a_leaf(issuer=THIRD), a_leaf(problem="it is cut off")],
    ids=["unread", "foreign", "spoilt"],
)
def test_a_node_whose_stored_leaf_is_unusable_does_not_restart(unusable: StoredLeaf) -> None:
    decision = decide(presenting(PODS[0], stored=(unusable, *map(a_leaf, PODS[1:]))), RECOVER)
    assert restarted(decision) == []
    assert not any(isinstance(step, Pause) for step in decision.steps)


def test_in_a_pause_that_a_killed_call_has_left_the_next_leaf_is_issued_here() -> None:
    seen = presenting(PODS[0], stored=(ended(), *map(a_leaf, PODS[1:])), reconciliation=PAUSED)
    (step,) = decide(seen, RECOVER).steps
    assert isinstance(step, IssueLeaves)
    assert (step.secrets, step.issuer) == ((PODS[0],), seen.ca.current)


@pytest.mark.parametrize(
    ("ca", "condition"),
    [
        (secrets(None), Condition.AUTHORITY_SECRETS_ARE_USABLE),
        (secrets(key=None), Condition.KEY_MATCHES),
        (secrets(key=THIRD.certificate.public_key_sha256), Condition.KEY_MATCHES),
    ],
    ids=["no CA", "no key", "another key"],
)
def test_in_a_pause_without_the_key_of_the_ca_no_leaf_is_issued(ca: CaSecrets, condition: Condition) -> None:
    seen = presenting(PODS[0], ca=ca, stored=(ended(), *map(a_leaf, PODS[1:])), reconciliation=PAUSED)
    decision = decide(seen, RECOVER)
    assert not any(isinstance(step, (IssueLeaves, Roll)) for step in decision.steps)
    named = [violation.condition for violation in decision.violations]
    assert condition in named
    assert Condition.LEAVES_IN_USE_ARE_VALID not in named, "a recovery names itself as its remedy"
    (alone,) = decide(seen, Intent(Goal.RECONCILE)).violations
    assert alone.condition is Condition.LEAVES_IN_USE_ARE_VALID


def test_nodes_are_asked_before_they_restart() -> None:
    """Until then their restart is the step, which has them asked, so that a pause of an earlier call does not end."""
    unasked = changed(presenting(PODS[0]), listeners=None, in_place_obstacles=None, reconciliation=PAUSED)
    assert restarted(decide(unasked, RECOVER)) == [(RollReason.ENDED, uids_of(PODS[0]))]


def test_where_nodes_cannot_be_asked_none_restarts() -> None:
    decision = decide(changed(presenting(PODS[0]), listeners=None), RECOVER)
    assert [one.condition for one in decision.violations] == [Condition.EVIDENCE]
    assert decision.steps == ()


def test_a_flow_in_flight_explains_leaves_that_are_no_longer_stored_while_the_operator_works() -> None:
    begun, failing = (
        replace(BOOKS, journal=a_journal()),
        Reconciliation(operator=OperatorStatus(failure=FailedReconcile("Timeout", "no answer", None))),
    )
    assert not is_explained(presenting(PODS[0]))
    assert is_explained(presenting(PODS[0], ledger=begun))
    assert not is_explained(presenting(PODS[0], ledger=begun, reconciliation=failing))
    unseen = changed(presenting(PODS[0], ledger=begun), listeners=None)
    assert decide(unseen, RECOVER) == decide(unseen, Intent(Goal.RECONCILE))


def test_a_silent_node_does_not_keep_the_others_away() -> None:
    """It may end again and again, because it started before its next certificate was stored."""
    seen = presenting(*PODS, reconciliation=PAUSED)
    silent = tuple(
        replace(one, presents=None, accepts=frozenset()) if one.pod == PODS[2] else one
        for one in seen.nodes.listeners or ()
    )
    assert restarted(decide(changed(seen, listeners=silent), RECOVER)) == [(RollReason.ENDED, uids_of(*PODS[:2]))]


def test_the_operator_learns_what_the_nodes_have_taken_up_and_goes_on() -> None:
    back = answering(
        cluster(pods=tuple(a_pod(name, presents_stored=False) for name in PODS), ledger=BOOKS),
        [OLD.certificate.fingerprint],
    )
    back = changed(back, in_place_obstacles=InPlaceObstacles(), reconciliation=PAUSED)
    (stamp,) = decide(back, RECOVER).steps
    assert isinstance(stamp, StampPods)
    told = changed(back, pods=pods())
    assert [type(step) for step in decide(told, RECOVER).steps] == [Resume]


def back(*components: StoredLeaf, **fields: object) -> Snapshot:
    """The nodes present their stored leaves, and their annotations do not say so. A pod reads each of the leaves of components."""
    nodes = (
        *(a_pod(name, presents_stored=False) for name in PODS),
        *(a_pod(leaf.secret, component=leaf.component) for leaf in components),
    )
    stored = (*map(a_leaf, PODS), *components)
    seen = answering(cluster(pods=nodes, leaves=stored, ledger=BOOKS), [OLD.certificate.fingerprint])
    obstacles = InPlaceObstacles(annotations="it is not permitted.", reload="it is not permitted.")
    return changed(seen, **{"in_place_obstacles": obstacles, **fields})


def component(name: str = "exporter", by: timedelta = DAY) -> StoredLeaf:
    return replace(ended(name, by), component=Component.KAFKA_EXPORTER)


@pytest.mark.parametrize("generated", [False, True])
def test_nodes_that_the_operator_was_not_told_about_are_waited_for(generated: bool) -> None:
    """The operator restarts them once more, one after the other, as soon as its pause has ended."""
    seen = back(reconciliation=Reconciliation(generated=generated), **({"ledger": None} if generated else {}))
    assert restarted(decide(seen, RECOVER)) == [(RollReason.USE, uids_of())]
    in_pause = changed(seen, reconciliation=replace(PAUSED, generated=generated))
    assert [type(step) for step in decide(in_pause, RECOVER).steps] == [Resume]
    restarted_since = changed(seen, pods=pods())
    assert decide(restarted_since, RECOVER).done


def test_other_calls_wait_for_no_restart_that_the_operator_makes_for_its_own_reasons() -> None:
    assert restarted(decide(back(), Intent(Goal.RECONCILE))) == []


def test_no_node_is_waited_for_while_another_node_may_present_an_ended_leaf() -> None:
    """The operator could not ask that node, and restarts none: the node has to answer first."""
    seen = back()
    silent = tuple(
        replace(one, presents=None, accepts=frozenset(), failure="timed out") if one.pod == PODS[2] else one
        for one in seen.nodes.listeners or ()
    )
    (step,) = decide(changed(seen, listeners=silent), RECOVER).steps
    assert isinstance(step, AwaitAnswers)


def test_no_restart_is_waited_for_that_the_operator_does_not_make() -> None:
    """It stands still for a leaf that it cannot read. The clients CA has nothing to do with the leaves of nodes."""
    unreadable = replace(component(), chain=None)
    for seen in (back(unreadable), back(users=CaUsers())):
        assert restarted(decide(seen, RECOVER)) == []


def test_a_flow_in_flight_waits_for_the_restarts_itself() -> None:
    seen = back(ledger=replace(BOOKS, journal=a_journal()))
    assert decide(seen, RECOVER) == decide(seen, Intent(Goal.RECONCILE))


def test_a_flow_in_flight_waits_for_components_whose_next_leaf_the_operator_issues() -> None:
    """The operator restarts them beside the flow, which knows of none of these restarts."""
    seen = changed(back(component(), ledger=replace(BOOKS, journal=a_journal())), in_place_obstacles=None)
    beside = changed(seen, pods=(*pods(), a_pod("exporter", component=Component.KAFKA_EXPORTER)))
    assert restarted(decide(beside, RECOVER)) == [(RollReason.USE, uids_of("exporter"))]


@pytest.mark.parametrize(
    ("fields", "awaited"),
    [
        ({}, True),
        ({"windows": MaintenanceWindows(is_open=True, opens_at=None)}, True),
        ({"windows": MaintenanceWindows(is_open=False, opens_at=NOW + DAY)}, False),
    ],
    ids=["at any time", "in a window", "outside the windows"],
)
def test_components_that_the_operator_could_not_restart_before_are_waited_for(
    fields: dict[str, MaintenanceWindows], awaited: bool
) -> None:
    """It issues another leaf for a component as soon as it can ask the nodes again, if a maintenance window is open.
    Else this collection issues it first.
    """
    exporter, operator_ = component(), replace(ended("own"), component=Component.CLUSTER_OPERATOR)
    seen = changed(back(exporter, operator_, reconciliation=Reconciliation(**fields)), in_place_obstacles=None)
    told = changed(seen, pods=(*pods(), a_pod("exporter", component=Component.KAFKA_EXPORTER)))
    expected = [(RollReason.USE, uids_of("exporter"))] if awaited else []
    assert restarted(decide(told, RECOVER)) == expected
    assert issued_here(told) == ([] if awaited else [("exporter", "own")])


CLOSED = MaintenanceWindows(is_open=False, opens_at=NOW + DAY)


def issued_here(snapshot: Snapshot, intent: Intent = RECOVER) -> list[tuple[str, ...]]:
    return [step.secrets for step in decide(snapshot, intent).steps if isinstance(step, IssueLeaves)]


@pytest.mark.parametrize("generated", [False, True])
@pytest.mark.parametrize(
    ("windows", "generation", "is_here"),
    [(CLOSED, 0, True), (CLOSED, 7, False), (replace(CLOSED, is_open=True), 0, False), (None, 0, False)],
    ids=["closed", "closed, of another generation", "open", "no windows"],
)
def test_the_next_leaf_that_the_operator_does_not_issue_is_issued_here(
    windows: MaintenanceWindows | None, generation: int, is_here: bool, generated: bool
) -> None:
    """Of components too: with its ended leaf the operator could ask no node."""
    own = replace(ended("own"), component=Component.CLUSTER_OPERATOR)
    stored = (*(replace(leaf, generation=generation) for leaf in (ended(), own)), *map(a_leaf, PODS[1:]))
    state = Reconciliation(windows=windows, generated=generated)
    seen = presenting(PODS[0], stored=stored, reconciliation=state, **({"ledger": None} if generated else {}))
    assert issued_here(seen) == ([(PODS[0], "own")] if is_here else [])
    if not is_here:
        assert [type(step) for step in decide(seen, RECOVER).steps] == [AwaitLeaves]


def test_leaves_of_components_are_issued_before_nodes_are_paused_for() -> None:
    own = replace(ended("own"), component=Component.CLUSTER_OPERATOR)
    seen = presenting(PODS[0], stored=(*map(a_leaf, PODS), own), reconciliation=Reconciliation(windows=CLOSED))
    assert issued_here(seen) == [("own",)]
    without_key = changed(seen, ca=secrets(key=THIRD.certificate.public_key_sha256))
    assert issued_here(without_key) == []


def test_no_other_flow_issues_what_the_operator_leaves_to_a_window() -> None:
    own = replace(ended("own"), component=Component.CLUSTER_OPERATOR)
    seen = presenting(stored=(*map(a_leaf, PODS), own), reconciliation=Reconciliation(windows=CLOSED))
    assert issued_here(seen, Intent(Goal.RECONCILE)) == []


def test_what_holds_the_flow_hides_no_restart_that_the_operator_makes() -> None:
    """It may stand still for the same, so it is named, and not waited for."""
    seen = back(ledger=replace(BOOKS, problems=("an entry cannot be read.",)))
    decision = decide(seen, RECOVER)
    assert (decision.steps, len(decision.violations)) == ((), 1)
    assert [all(name in told for name in PODS) for told in decision.waiting] == [True]
    assert decide(changed(seen, pods=pods()), RECOVER).waiting == ()


def test_components_whose_next_leaf_only_an_issuer_signs_are_left_to_the_rules_of_flows() -> None:
    seen = elsewhere(changed(back(component()), dns_domain=DnsDomain(source=DomainSource.CALLER)), OLD)
    intent = changed_intent(RECOVER, external_issuer=ISSUER)
    assert decide(seen, intent) == decide(seen, replace(intent, goal=Goal.RECONCILE))


def test_a_ledger_that_cannot_be_read_keeps_no_node_away() -> None:
    seen = presenting(PODS[0], ledger=replace(BOOKS, problems=("an entry cannot be read.",)), reconciliation=PAUSED)
    assert restarted(decide(seen, RECOVER)) == [(RollReason.ENDED, uids_of(PODS[0]))]


def test_a_pause_of_another_party_does() -> None:
    decision = decide(presenting(PODS[0], reconciliation=Reconciliation(pause=OperatorPause(is_set=True))), RECOVER)
    assert [one.condition for one in decision.violations] == [Condition.NOT_PAUSED_BY_OTHERS]


def test_a_cluster_that_was_never_adopted_gets_no_ledger() -> None:
    generated = replace(PAUSED, generated=True)
    seen = presenting(PODS[0], ledger=None, reconciliation=generated)
    assert restarted(decide(seen, RECOVER)) == [(RollReason.ENDED, uids_of(PODS[0]))]
    healthy = changed(
        answering(cluster(ledger=None), [OLD.certificate.fingerprint]), in_place_obstacles=InPlaceObstacles()
    )
    assert [type(step) for step in decide(changed(healthy, reconciliation=generated), RECOVER).steps] == [Resume]
    assert decide(changed(healthy, reconciliation=Reconciliation(generated=True)), RECOVER).done


def test_a_healthy_cluster_is_left_alone() -> None:
    decision = decide(presenting(), RECOVER)
    assert (decision.steps, decision.violations, decision.done) == ((), (), True)


# Every other flow.


@pytest.mark.parametrize("goal", [goal for goal in Goal if goal is not Goal.RECOVER])
def test_an_ended_leaf_holds_every_flow_but_recover(goal: Goal) -> None:
    decision = decide(presenting(PODS[0]), Intent(goal))
    assert Condition.LEAVES_IN_USE_ARE_VALID in [one.condition for one in decision.violations]
    assert decision.steps == ()


def test_a_flow_on_the_clients_ca_is_held_and_its_recovery_restarts_no_node() -> None:
    for goal in (Goal.RENEW, Goal.RECOVER):
        decision = decide(presenting(PODS[0], users=CaUsers()), Intent(goal))
        assert Condition.LEAVES_IN_USE_ARE_VALID in [one.condition for one in decision.violations]
        assert decision.steps == ()


def test_nodes_without_tls_among_each_other_are_left_to_the_operator() -> None:
    """They do not refuse each other, so it can ask them. A node that it restarts for its own reasons is not waited for,
    and neither is a node that it does not restart.
    """
    outdated = a_pod(PODS[2], presents_stored=False)
    unmarked = a_pod(PODS[1])
    seen = replace(presenting(*PODS[:2]), security=ClusterSecurity(has_tls=False, verifies_clients=False))
    seen = changed(seen, pods=(seen.nodes.pods[0], unmarked, outdated))
    (roll,) = steps_of(restart_ended(situation(seen, RECOVER)))
    assert isinstance(roll, Roll)
    assert (roll.reason, roll.uids) == (RollReason.USE, uids_of(PODS[0]))


ENDED = make("cluster-ca v0", key(0), path_length=1, begin=NOW - YEAR, end=NOW - DAY)
STOPPED = FlowOptions(stop=Stop(Phase.TRUST, NOW))


def flow(goal: Goal = Goal.RENEW, old: Entity = ENDED, **journal: Any) -> Snapshot:
    """In flight, from a CA that has ended."""
    begun = a_journal(goal, old, **journal)
    return cluster(ca=secrets(old), ledger=ledger(entry(old, generations=(0,)), entry(NEW, UNUSED), journal=begun))


@pytest.mark.parametrize(
    ("snapshot", "goal", "is_succeeded"),
    [
        pytest.param(cluster(ca=secrets(ENDED), ledger=ledger(entry(ENDED))), Goal.RENEW, True, id="a renewal begins"),
        pytest.param(cluster(ca=secrets(ENDED), ledger=ledger(entry(ENDED))), Goal.RECONCILE, False, id="no flow begins"),
        pytest.param(flow(), Goal.RECONCILE, True, id="a renewal is in flight"),
        pytest.param(flow(is_abort=True), Goal.RECONCILE, False, id="a renewal is undone"),
        pytest.param(flow(old=OLD), Goal.RECONCILE, False, id="the renewed CA has not ended"),
        pytest.param(flow(replaces="0" * 40), Goal.RECONCILE, False, id="the renewed CA is not recorded"),
        pytest.param(flow(options=STOPPED), Goal.RECONCILE, False, id="the renewal stops"),
        pytest.param(flow(options=STOPPED), Goal.RENEW, True, id="the renewal is led on"),
        pytest.param(flow(Goal.REPLACE_KEY), Goal.RECONCILE, False, id="a replacement comes after the restart"),
        pytest.param(elsewhere(flow(Goal.REPLACE_KEY), ENDED), Goal.RECONCILE, True, id="an issuer keeps the replaced key"),
        pytest.param(elsewhere(flow(is_abort=True), ENDED), Goal.RECONCILE, True, id="undone, and an issuer keeps the key"),
        pytest.param(elsewhere(flow(Goal.REPLACE_KEY), NEW), Goal.RECONCILE, False, id="an issuer keeps the next key alone"),
        pytest.param(
            elsewhere(flow(Goal.REPLACE_KEY, options=STOPPED), ENDED), Goal.RECONCILE, False, id="the replacement stops"
        ),
    ],
)  # fmt: skip
def test_an_ended_ca_is_succeeded_before_nodes_restart(snapshot: Snapshot, goal: Goal, is_succeeded: bool) -> None:
    assert is_succeeded_in_recovery(situation(snapshot, RECOVER), Intent(goal)) is is_succeeded


# Nodes that wait for leaves of the CA in the place of an ended CA.


def at_its_end(ca: Entity = ENDED, books: Ledger | None = None) -> Snapshot:
    """The CA in use has ended, and so has the leaf that each node presents and that is stored for it."""
    own = tuple(a_leaf(name, chain=(issue_leaf(ca, begin=NOW - YEAR, end=NOW - DAY), ca.certificate)) for name in PODS)
    books = books or ledger(entry(ca, generations=(0,)))
    seen = cluster(ca=secrets(ca), ledger=books, leaves=own, in_place_obstacles=InPlaceObstacles())
    return answering(seen, accepting=[ca.certificate.fingerprint])


def led_on(*at_hand: str, successor: bool = True, **journal: Any) -> Snapshot:
    """A replacement is in flight, and every process trusts the next CA. at_hand: the nodes with a leaf of that CA."""
    begun = a_journal(old=ENDED, **journal)
    new = entry(NEW, UNUSED, published_at=NOW - HOUR)
    seen = at_its_end(books=ledger(entry(ENDED, generations=(0,)), *((new,) if successor else ()), journal=begun))
    if successor:
        waits = secrets(ENDED, other_entries=others(NEW), prepared=(prepared(NEW),), kept_keys=names_of(NEW))
        seen = changed(seen, ca=waits, bundle=names_of(ENDED, NEW))
    seen = answering(seen, accepting=names_of(ENDED, NEW))
    return with_requests(elsewhere(seen, ENDED, NEW), *(answered(name) for name in at_hand))


KEPT_BY_ISSUER = elsewhere(at_its_end(), ENDED)
AT_ONCE = changed_intent(RECOVER, client_grace=timedelta(0), external_issuer=ISSUER)


@pytest.mark.parametrize(
    ("snapshot", "awaits"),
    [
        pytest.param(KEPT_BY_ISSUER, True, id="an issuer keeps the key of the ended CA"),
        pytest.param(at_its_end(), False, id="the operator issues the next leaves"),
        pytest.param(changed(at_its_end(), reconciliation=PAUSED), True, id="the operator is paused"),
        pytest.param(elsewhere(at_its_end(OLD), OLD), False, id="the CA has not ended"),
        pytest.param(changed(KEPT_BY_ISSUER, leaves=leaves(ENDED)), False, id="the next leaves are stored"),
        pytest.param(changed(KEPT_BY_ISSUER, ca=secrets(None)), False, id="there is no CA"),
        pytest.param(
            changed(KEPT_BY_ISSUER, reconciliation=Reconciliation(generated=True)), False, id="the CA is the operator's"
        ),
        pytest.param(replace(KEPT_BY_ISSUER, users=CaUsers()), False, id="of users"),
        pytest.param(led_on(), True, id="a flow leads to another CA"),
        pytest.param(led_on(successor=False), False, id="a flow leads to no other CA"),
    ],
)  # fmt: skip
def test_nodes_wait_for_the_ca_in_the_place_of_an_ended_ca(snapshot: Snapshot, awaits: bool) -> None:
    assert awaits_successor(situation(snapshot, RECOVER)) is awaits


def test_the_restart_comes_when_each_leaf_of_the_next_ca_is_at_hand() -> None:
    asked = steps_of(restart_ended(situation(led_on(*PODS[:2]), AT_ONCE)))
    assert [step.secrets for step in asked if isinstance(step, AskForLeaves)] == [(PODS[2],)]
    (pause,) = steps_of(restart_ended(situation(led_on(*PODS), AT_ONCE)))
    assert isinstance(pause, Pause)
    assert pause.phase is Phase.USE
    assert restart_ended(situation(changed(led_on(*PODS), reconciliation=PAUSED), AT_ONCE)) == ()


@pytest.mark.parametrize(
    ("stop", "condition"),
    [
        pytest.param(STOPPED, Condition.NOT_STOPPED, id="it stops"),
        pytest.param(FlowOptions(), None, id="it goes on"),
    ],
)
def test_no_node_restarts_for_a_flow_that_stops(stop: FlowOptions, condition: Condition | None) -> None:
    """The remedy names the next CA: it comes into use with the restart."""
    turn = restart_ended(situation(led_on(*PODS, options=stop), AT_ONCE))
    found = turn.violations if isinstance(turn, Wait) else ()
    assert [one.condition for one in found] == ([condition] if condition else [])
    assert all(named(NEW.certificate) in one.remedy for one in found)
    led = changed_intent(AT_ONCE, continue_stopped=True)
    assert steps_of(restart_ended(situation(led_on(*PODS, options=stop), led)))


def test_a_renewal_that_only_an_issuer_can_make_is_asked_for() -> None:
    turn = restart_ended(situation(KEPT_BY_ISSUER, AT_ONCE))
    assert isinstance(turn, Wait)
    assert [one.condition for one in turn.violations] == [Condition.SUPPLIED_FITS_THE_GOAL]

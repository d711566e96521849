# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A missing answer is unknown: it is waited for, holds the flow at last, and restarts no pod at any stage of any flow (I5)."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from ansible_collections.trustops.strimzi.plugins.module_utils._trust.decide import decide
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.evidence.stored import present_as_stored
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Condition, Decision
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Goal, Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.intent import Intent, Spread
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import ObservedListener
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import Snapshot
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import (
    AwaitAnswers,
    Roll,
    RollReason,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.trust import WriteLedger

from ....tools.support.golden import GoldenFiles
from ....tools.support.intents import an_intent, changed_intent
from .. import linked, of_users, patient, renewal, unlinked
from ..authorities import NEW, OLD, RENEWED, THIRD, name_of, stored_chain
from ..builders import NAMES, PAUSED, changed, with_pods_noted
from ..mixtures import SETTINGS, going_on, in_places, intents, snapshots
from ..nodes import PODS, uid_of

FLOWS = {
    "linked": (linked.STAGES, Goal.REPLACE_KEY),
    "unlinked": (unlinked.STAGES, Goal.REPLACE_KEY),
    "patient": (patient.STAGES, Goal.REPLACE_KEY),
    "renewal": (renewal.STAGES, Goal.RENEW),
    "users": (of_users.STAGES, Goal.REPLACE_KEY),
}
STAGES = [(flow, stage) for flow, (stages, _goal) in FLOWS.items() for stage in stages]
PORTS = (9090, 9091)


def asked(snapshot: Snapshot) -> Snapshot:
    """Every listener answers what the process was started with, by what is stored."""
    ledger = snapshot.ledger
    entries, removed = (ledger.entries, ledger.removed_cas) if ledger else ((), ())
    stored = present_as_stored(snapshot, ledger) if ledger else ()
    presented = {seen.party: next(iter(seen.chains), None) for seen in stored}
    found = []
    for pod in snapshot.nodes.pods:
        accepts = {
            one.fingerprint for one in entries if one.awaited_pods is not None and pod.uid not in one.awaited_pods
        }
        accepts |= {one.fingerprint for one in removed if pod.uid in one.awaited_pods}
        known = {one.fingerprint for one in (*entries, *removed)}
        presents = presented.get(pod.name) or stored_chain(OLD if pod.generation == 0 else NEW)
        found += [
            ObservedListener(
                pod.name, pod.uid, port, presents, frozenset(accepts), frozenset(known - accepts), source="handshake"
            )
            for port in PORTS
            if pod.component is Component.KAFKA
        ]
    return changed(snapshot, listeners=tuple(found))


def without(snapshot: Snapshot, uids: frozenset[str], port: int | None = None) -> Snapshot:
    """Without the answers of these pods: on one port they hang, or they were not asked at all."""
    assert snapshot.nodes.listeners is not None
    left = (one for one in snapshot.nodes.listeners if one.uid not in uids or (port and one.port != port))
    silent = (
        ObservedListener(one.pod, one.uid, one.port, failure="timed out", verifies=one.verifies)
        for one in snapshot.nodes.listeners
        if one.uid in uids and one.port == port
    )
    return changed(snapshot, listeners=(*left, *silent))


def restarted(found: Decision) -> frozenset[str]:
    """By us: what the operator restarts by itself is only waited for."""
    rolls = (one for one in found.steps if isinstance(one, Roll) and one.reason is not RollReason.USE)
    return frozenset(uid for one in rolls for uid in one.uids)


@pytest.mark.each_once
@pytest.mark.parametrize(("until", "spread"), list(product([None, Phase.TRUST], [Spread.AUTO, Spread.RESTART])))
@pytest.mark.parametrize(("flow", "stage"), STAGES)
def test_answers_that_are_taken_away_add_no_restart(flow: str, stage: str, until: Phase | None, spread: Spread) -> None:
    """Of one node or of all, which hang on one port or were not asked; and nothing that is left after a phase is one."""
    stages, goal = FLOWS[flow]
    snapshot = asked(stages[stage])
    *_others, last = nodes = sorted(pod.uid for pod in snapshot.nodes.pods if pod.component is Component.KAFKA)
    for asked_for in (goal, Goal.ABORT, Goal.DOWNGRADE):
        intent = an_intent(asked_for, spread=spread, last_phase=until)
        whole = decide(snapshot, intent)
        for uids, port in ((frozenset({last}), 9090), (frozenset(nodes), None)):
            less = without(snapshot, uids, port)
            for found in (decide(less, intent), decide(less, changed_intent(intent, silent_nodes=uids))):
                assert restarted(found) <= restarted(whole)
                assert not whole.done or set(found.pending) <= set(whole.pending)
            assert not any(isinstance(step, AwaitAnswers) for step in found.steps)


@st.composite
def answers(draw: st.DrawFn, snapshot: Snapshot) -> Snapshot:
    """Any answers, also those that contradict what is stored."""
    known = [name_of(one) for one in (OLD, NEW, RENEWED, THIRD)]
    found = []
    for pod in snapshot.nodes.pods:
        for port in PORTS if pod.component is Component.KAFKA else ():
            accepts = draw(st.frozensets(st.sampled_from(known)))
            refuses = frozenset(known) - accepts if draw(st.booleans()) else frozenset()
            chain = stored_chain(draw(st.sampled_from([OLD, NEW, RENEWED])))
            found.append(ObservedListener(pod.name, pod.uid, port, chain, accepts, refuses, source="handshake"))
    return changed(snapshot, listeners=tuple(found))


@st.composite
def answered(draw: st.DrawFn) -> Snapshot:
    users = st.sampled_from([*of_users.STAGES.values()])
    snapshot = changed(draw(snapshots() | snapshots() | users), in_place_obstacles=draw(in_places))
    return asked(snapshot) if draw(st.booleans()) else draw(answers(snapshot))


@SETTINGS
@given(answered(), going_on | intents(), st.data())
def test_missing_answers_never_restart_more_pods(snapshot: Snapshot, intent: Intent, data: st.DataObject) -> None:
    nodes = sorted(pod.uid for pod in snapshot.nodes.pods if pod.component is Component.KAFKA)
    uids = frozenset(data.draw(st.sets(st.sampled_from(nodes), min_size=1))) if nodes else frozenset()
    less = without(snapshot, uids, data.draw(st.sampled_from([None, *PORTS])))
    intent = changed_intent(intent, silent_nodes=data.draw(st.sampled_from([frozenset(), uids])))
    found = decide(less, intent)
    event(f"waits: {any(isinstance(step, AwaitAnswers) for step in found.steps)}, held: {bool(found.violations)}")
    assert restarted(found) <= restarted(decide(snapshot, intent))


# --- what is done instead

REPLACE_KEY, SILENT = Intent(Goal.REPLACE_KEY), frozenset({uid_of(PODS[1])})
#: Before the first leaves of the next CA are presented.
SILENCED = without(asked(linked.TRUSTED), SILENT, 9090)


def test_a_silent_node_is_waited_for_by_name(golden: GoldenFiles) -> None:
    worker = tuple(replace(pod, worker="worker-2", ready=pod.uid not in SILENT) for pod in SILENCED.nodes.pods)
    (step,) = decide(changed(SILENCED, pods=worker), REPLACE_KEY).steps
    assert isinstance(step, AwaitAnswers)
    assert [(one.pod, one.uid, one.worker) for one in step.nodes] == [(PODS[1], *SILENT, "worker-2")]
    golden.compare_said("steps", step.sentence())


def test_silent_nodes_are_waited_for_by_name_in_any_order_of_the_list() -> None:
    silenced = without(asked(linked.TRUSTED), frozenset(map(uid_of, PODS)))
    for pods in (silenced.nodes.pods, silenced.nodes.pods[::-1]):
        (step,) = decide(changed(silenced, pods=pods), REPLACE_KEY).steps
        assert isinstance(step, AwaitAnswers)
        assert [one.pod for one in step.nodes] == [*PODS]


@pytest.mark.parametrize(
    ("stage", "until", "phase"),
    [
        ("IN_BUNDLE", None, Phase.TRUST),
        pytest.param("IN_BUNDLE", Phase.PREPARE, Phase.PREPARE, id="a record of a later phase"),
        ("TRUSTED", None, Phase.USE),
        pytest.param("TRUSTED", Phase.TRUST, Phase.TRUST, id="no step is left"),
    ],
)
def test_a_call_waits_for_a_silent_node_in_a_phase_that_it_enters(
    stage: str, until: Phase | None, phase: Phase
) -> None:
    silenced = with_pods_noted(without(asked(linked.STAGES[stage]), SILENT, 9090))
    (step,) = decide(silenced, changed_intent(REPLACE_KEY, last_phase=until)).steps
    assert isinstance(step, AwaitAnswers)
    assert step.phase is phase


@pytest.mark.parametrize("stage", ["IN_BUNDLE", "OUT_OF_BUNDLE"])
def test_the_pods_of_this_moment_are_recorded_before_a_silent_node_is_waited_for(stage: str) -> None:
    """When it answers, or another process has taken its place, other pods run: what has started since reads what there is now."""
    seen = asked(linked.STAGES[stage])
    silenced = without(seen, frozenset(pod.uid for pod in seen.nodes.pods if pod.name == PODS[1]), 9090)
    (write,) = decide(silenced, REPLACE_KEY).steps
    assert isinstance(write, WriteLedger)
    assert write.ledger == with_pods_noted(silenced).ledger != silenced.ledger
    (waiting,) = decide(replace(silenced, ledger=write.ledger), REPLACE_KEY).steps
    assert isinstance(waiting, AwaitAnswers)


def test_a_node_that_was_waited_for_in_vain_holds_the_flow() -> None:
    found = decide(SILENCED, changed_intent(REPLACE_KEY, silent_nodes=SILENT))
    assert found.steps == ()
    (violation,) = found.violations
    assert (violation.condition, violation.subject) == (Condition.EVIDENCE, NAMES.pod(PODS[1]))
    assert f"kubectl describe pod {PODS[1]} --namespace kafka" in violation.command
    assert ("timed out" in violation.message, "worker" in violation.message) == (True, False)
    on_worker = changed(SILENCED, pods=tuple(replace(pod, worker="worker-2") for pod in SILENCED.nodes.pods))
    (violation,) = decide(on_worker, changed_intent(REPLACE_KEY, silent_nodes=SILENT)).violations
    assert ("timed out" in violation.message, "worker-2" in violation.message) == (True, True)


def test_a_call_still_waits_for_a_silent_node_that_it_has_not_waited_for() -> None:
    more = without(SILENCED, frozenset({uid_of(PODS[2])}))
    (step,) = decide(more, changed_intent(REPLACE_KEY, silent_nodes=SILENT)).steps
    assert isinstance(step, AwaitAnswers)
    assert step.uids == {uid_of(PODS[2])}


def test_a_call_waits_once_for_a_silent_node_during_a_pause_and_then_ends_the_pause() -> None:
    """A gate that stays closed lets nothing but the end of the pause follow."""
    paused = replace(SILENCED, reconciliation=PAUSED)
    for intent, step in ((REPLACE_KEY, "AwaitAnswers"), (changed_intent(REPLACE_KEY, silent_nodes=SILENT), "Resume")):
        assert [type(one).__name__ for one in decide(paused, intent).steps] == [step]


def test_a_node_whose_process_is_about_to_restart_is_waited_for(golden: GoldenFiles) -> None:
    """The operator restarts it just now: what it has said is no evidence of its successor."""
    first, *others = linked.REMOVED.nodes.pods
    retiring = asked(changed(linked.REMOVED, pods=(replace(first, terminating=True), *others)))
    restart = changed_intent(REPLACE_KEY, spread=Spread.RESTART)
    (step,) = decide(retiring, restart).steps
    assert isinstance(step, AwaitAnswers)
    assert [one.pod for one in step.nodes] == [first.name]
    golden.compare_said("steps", step.sentence())


def test_a_flow_goes_on_where_the_missing_answers_make_no_difference() -> None:
    """The next CA is yet to be prepared."""
    whole = asked(linked.SETTLED)
    assert decide(without(whole, SILENT), REPLACE_KEY) == decide(whole, REPLACE_KEY)

# Copyright (c) 2026 the trustops.strimzi contributors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps by which running processes take something up, by which the operator pauses, and by which a node pool gets its size."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ansible_collections.trustops.strimzi.plugins.module_utils._pki.certificates import Certificate
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.components import Component
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.decision import Look, Step
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.goals import Phase
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.ledger import FormerLeaf, RemovedEntry
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.listeners import Unanswered
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.snapshot import (
    FailedReconcile,
    OperatorPause,
    OperatorStatus,
    Pod,
)
from ansible_collections.trustops.strimzi.plugins.module_utils._trust.model.steps.nodes import (
    AwaitAnswers,
    AwaitVerdict,
    Pause,
    PauseAndReload,
    Reload,
    Resume,
    Roll,
    RollReason,
    SetReplicas,
    StampPods,
)

from .....tools.support.certificates import DAY, NOW, YEAR
from .....tools.support.certificates import leaf as issue_leaf
from .....tools.support.golden import GoldenFiles
from ... import linked
from ...authorities import NEW, OLD, THIRD, name_of, names_of, stored_chain
from ...builders import answering, changed, cluster, secrets
from ...ledgers import entry, ledger
from ...nodes import PODS, a_leaf, a_pod, leaves, pods, uid_of, uids_of
from ...of_users import broker
from ...requested import elsewhere
from ...stand_in import MadeHere


def roll(reason: RollReason, uids: frozenset[str] = uids_of(), about: Certificate | None = NEW.certificate) -> Roll:
    return Roll(reason=reason, uids=uids, authority=about, phase=Phase.USE)


def test_steps_about_nodes_in_words(golden: GoldenFiles) -> None:
    steps: list[Step] = [
        roll(RollReason.TRUST),
        roll(RollReason.USE),
        roll(RollReason.RETIRE),
        roll(RollReason.LEAF, uids_of(PODS[0])),
        *(
            roll(reason, uids_of(PODS[0]))
            for reason in (RollReason.TRUST, RollReason.USE, RollReason.RETIRE, RollReason.ENDED)
        ),
        replace(roll(RollReason.USE, uids_of(PODS[0])), phase=Phase.RETIRE),
        roll(RollReason.MANUAL, about=None),
        StampPods(generation=1, key_generation=2, phase=Phase.USE),
        StampPods(generation=None, key_generation=2, phase=Phase.USE),
        Reload(uids=uids_of(), authority=OLD.certificate),
        Reload(uids=uids_of(PODS[0]), authority=None),
        PauseAndReload(uids=uids_of(PODS[0]), phase=Phase.PREPARE, purpose=""),
    ]
    golden.compare_said("steps", "\n".join(step.sentence() for step in steps))


@pytest.mark.parametrize("reason", RollReason)
def test_nodes_that_have_read_again_need_no_restart(reason: RollReason) -> None:
    """A process with an ended leaf takes no other without a restart."""
    asked = {RollReason.RETIRE: Look.FRESH, RollReason.LEAF: Look.FRESH, RollReason.ENDED: Look.REMEMBERED}
    assert roll(reason).look(cluster()) is asked.get(reason, Look.NONE)


@pytest.mark.parametrize(
    ("pod", "fields", "look"),
    [
        (a_pod(), {}, Look.NONE),
        (a_pod(), {"avoidable_restart": "They could read again."}, Look.FRESH),
        (broker(), {}, Look.FRESH),
        (broker(PODS[1]), {}, Look.NONE),
    ],
    ids=["no other way", "they could read again", "only its listeners verify", "it stays"],
)
def test_nodes_are_asked_before_a_restart_that_may_be_needless(pod: Pod, fields: dict[str, str], look: Look) -> None:
    step = replace(roll(RollReason.TRUST, uids_of(PODS[0])), **fields)  # type: ignore[arg-type]
    assert step.look(cluster(pods=(pod,))) is look


def test_a_pod_that_only_verifies_has_no_generation_after_its_restart() -> None:
    pod = replace(broker(ready=False, terminating=True), generation=3)
    (after,) = roll(RollReason.TRUST).effect(cluster(pods=(pod,)), MadeHere()).nodes.pods
    assert after == broker(uid=after.uid)
    assert after.uid != pod.uid


@pytest.mark.parametrize("reason", RollReason)
def test_a_pod_whose_process_restarts_in_place_answers_differently_afterwards(reason: RollReason) -> None:
    assert roll(reason).changes_what_nodes_say is (reason is RollReason.ENDED)


@pytest.mark.parametrize("here", [True, False], ids=["ours", "of another program"])
def test_a_restart_in_place_serves_the_request_of_a_killed_call(here: bool) -> None:
    asked = tuple(replace(pod, awaits_restart=True, asked_here=here) for pod in pods())
    after = roll(RollReason.ENDED, uids_of(PODS[0])).effect(cluster(pods=asked), MadeHere()).nodes.pods
    assert [pod.awaits_restart for pod in after] == [not here, True, True]


def test_a_restarted_pod_has_the_stored_leaf_and_generations() -> None:
    behind = a_pod(PODS[0], 0, presents_stored=False, ready=False, terminating=True, key_generation=0)
    before = cluster(ca=secrets(NEW, certificate_generation=1, key_generation=2), pods=(behind, *pods(names=PODS[1:])))
    step = roll(RollReason.USE, uids_of(PODS[0]))
    assert step.restarts == uids_of(PODS[0])
    after = step.effect(changed(before, leaves=leaves(NEW, 1)), MadeHere())
    first, *others = after.nodes.pods
    assert first == replace(a_pod(PODS[0], 1, key_generation=2), uid=first.uid)
    assert first.uid != behind.uid
    assert after.nodes.assumed_up_to_date == {first.uid}
    assert others == list(pods(names=PODS[1:]))


def test_the_operator_issues_outdated_leaves_before_it_restarts_a_pod() -> None:
    before = cluster(ca=secrets(NEW, certificate_generation=1))
    after = roll(RollReason.USE, uids_of(PODS[0])).effect(before, MadeHere())
    assert after.leaves.stored == leaves(NEW, 1)
    assert [pod.presents_stored for pod in after.nodes.pods] == [True, False, False]


def test_the_operator_issues_an_ended_leaf_of_a_pod_before_it_restarts_the_pod() -> None:
    """And no leaf that has ended of a pod that stays."""
    past = (issue_leaf(OLD, begin=NOW - YEAR, end=NOW - DAY), OLD.certificate)
    stored = tuple(a_leaf(name, chain=past) for name in PODS)
    step, before = roll(RollReason.USE, uids_of(PODS[0])), cluster(leaves=stored)
    issued, *others = step.effect(before, MadeHere()).leaves.stored
    assert issued.chain is not None
    assert not issued.chain[0].has_ended(NOW)
    assert others == list(stored[1:])
    assert step.effect(elsewhere(before, OLD), MadeHere()).leaves.stored == stored


@pytest.mark.parametrize("component", [one for one in Component if one is not Component.KAFKA])
@pytest.mark.parametrize(
    ("generation", "nodes", "others"),
    [
        pytest.param(1, (1, True), (0, False), id="told"),
        pytest.param(None, (0, False), (0, False), id="only the key generation"),
    ],
)
def test_stamping_annotates_pods(
    generation: int | None, nodes: tuple[int, bool], others: tuple[int, bool], component: Component
) -> None:
    other = a_pod("other", component=component, presents_stored=False)
    before = cluster(pods=(a_pod(presents_stored=False), other))
    step = StampPods(generation=generation, key_generation=5, phase=Phase.USE)
    told = [
        (pod.generation, pod.presents_stored, pod.key_generation) for pod in step.effect(before, MadeHere()).nodes.pods
    ]
    assert told == [(*nodes, 5), (*others, 5)]


def test_a_reload_leaves_certificates_with_raft_clients_and_agents() -> None:
    gone = RemovedEntry(OLD.certificate, uids_of())
    former = FormerLeaf(stored_chain(OLD)[0], uids_of(), lingering_pods=uids_of(PODS[0]))
    before = cluster(ledger=ledger(removed_cas=(gone,), former_leaves=(former,)))
    after = Reload(uids=uids_of(PODS[0]), authority=None).effect(before, MadeHere())
    rest = {"awaited_pods": uids_of(*PODS[1:]), "lingering_pods": uids_of(PODS[0])}
    books = ledger(removed_cas=(replace(gone, **rest),), former_leaves=(replace(former, **rest),))
    assert after == changed(before, ledger=books, assumed_up_to_date=uids_of(PODS[0]))
    unknown = cluster(ledger=None)
    assert Reload(uids=uids_of(), authority=None).effect(unknown, MadeHere()) == unknown.assuming(uids_of())


@pytest.mark.parametrize("trusting", [True, False])
def test_a_reload_lets_listeners_trust_the_ca_that_it_is_for(trusting: bool) -> None:
    gone, awaited = RemovedEntry(OLD.certificate, uids_of()), entry(NEW, awaited_pods=uids_of())
    before = cluster(ledger=ledger(awaited, removed_cas=(gone,)))
    read = uids_of(PODS[0]) | {"gone"}
    after = Reload(uids=read, authority=NEW.certificate, trusting=trusting).effect(before, MadeHere())
    rest = uids_of(*PODS[1:])
    left = replace(gone, awaited_pods=rest, lingering_pods=uids_of(PODS[0]))
    books = (
        ledger(replace(awaited, awaited_pods=rest), removed_cas=(gone,))
        if trusting
        else ledger(awaited, removed_cas=(left,))
    )
    assert after.ledger == books


def test_a_reload_gives_up_a_leaf_that_only_listeners_had_read() -> None:
    """The rest of the process keeps to the leaf that it was started with."""
    started = FormerLeaf(stored_chain(OLD)[0], frozenset(), uids_of(*PODS[:2]))
    former = (started, FormerLeaf(stored_chain(NEW)[0], uids_of(PODS[0])))
    before = cluster(ledger=ledger(former_leaves=former))
    after = Reload(uids=uids_of(PODS[0]), authority=None).effect(before, MadeHere())
    assert after.ledger == ledger(former_leaves=(started,))


def test_after_a_reload_for_clients_the_listener_between_brokers_presents_the_ended_leaf() -> None:
    before = cluster(pods=(a_pod(presents_stored=False),))
    after = PauseAndReload(uids=uids_of(), phase=Phase.PREPARE, purpose="").effect(before, MadeHere())
    assert (after.nodes, after.reconciliation.pause.is_ours_and_confirmed) == (before.nodes, True)


def test_a_forecast_takes_the_stored_leaf_for_the_answer_of_an_awaited_node(golden: GoldenFiles) -> None:
    silent = tuple(Unanswered(name, uid_of(name), "", "timed out") for name in PODS[:2])
    step = AwaitAnswers(nodes=silent, phase=Phase.USE)
    golden.compare_said("steps", step.sentence())
    assert step.effect(cluster(), MadeHere()) == cluster(assumed_as_started=uids_of(*PODS[:2]))


@pytest.mark.parametrize(
    ("pod", "asked", "starts"),
    [
        pytest.param(a_pod(ready=False, presents_stored=False), True, True, id="away, with another leaf"),
        pytest.param(a_pod(ready=True, presents_stored=False), True, False, id="ready"),
        pytest.param(a_pod(ready=False, presents_stored=True), True, False, id="away, with the stored leaf"),
        pytest.param(a_pod(ready=False, presents_stored=False), False, False, id="not awaited"),
    ],
)
def test_an_awaited_node_that_is_away_with_another_leaf_starts_with_the_stored_leaf(
    pod: Pod, asked: bool, starts: bool
) -> None:
    """And it trusts what lies in the bundle, which may be behind the Secret of the CA."""
    other = a_pod(PODS[1], ready=False, presents_stored=False)
    bundle = names_of(OLD, THIRD)
    before = changed(answering(cluster(pods=(pod, other, a_pod(PODS[2]))), refusing=[name_of(NEW)]), bundle=bundle)
    awaited = PODS[0] if asked else PODS[2]
    after = AwaitAnswers(nodes=(Unanswered(awaited, uid_of(awaited), "", "x"),), phase=Phase.USE).effect(
        before, MadeHere()
    )
    seen = {one.uid: one for one in after.nodes.listeners or ()}
    assert (seen[pod.uid].accepts == bundle) is starts
    assert seen[other.uid].accepts != bundle, "no step has waited for it"
    assert [one.ready for one in after.nodes.pods] == [asked or pod.ready, False, True]
    assert after.nodes.assumed_as_started == (frozenset() if starts else uids_of(awaited))
    behind = AwaitAnswers(nodes=(Unanswered(pod.name, pod.uid, "", "x"),), phase=Phase.USE)
    unknown = {one.uid: one for one in behind.effect(changed(before, bundle=None), MadeHere()).nodes.listeners or ()}
    assert (unknown[pod.uid].accepts == before.ca.projected) is (not pod.ready and not pod.presents_stored)


# Steps that pause the operator and let it on again.

FOR = Pause(phase=Phase.RETIRE, purpose="take something out")


def test_a_pause_in_words(golden: GoldenFiles) -> None:
    """The purpose of the pause is left to do, and not the pause."""
    assert (FOR.sentence(), FOR.describe_as_left()) == ("pause the operator", "take something out")
    golden.compare_said("steps", Resume(phase=Phase.RETIRE).sentence())


def test_a_pause_halts_the_operator_and_a_resume_starts_it_again() -> None:
    assert FOR.effect(linked.ALONE, MadeHere()) == linked.HALTED
    assert Resume(phase=Phase.RETIRE).effect(linked.STAMPED, MadeHere()) == linked.RESUMED


def test_a_verdict_is_asked_for_once_and_assumed_to_stay(golden: GoldenFiles) -> None:
    golden.compare_said("steps", AwaitVerdict(phase=Phase.USE).sentence())
    failure = FailedReconcile("RuntimeException", "no")
    state = replace(
        linked.ALONE.reconciliation,
        pause=OperatorPause(is_ending=True),
        request="before",
        operator=OperatorStatus(failure=failure),
    )
    snapshot = replace(linked.ALONE, reconciliation=state)
    resumed = AwaitVerdict(phase=Phase.USE).effect(snapshot, MadeHere()).reconciliation
    assert (resumed.pause.is_ending, resumed.request, resumed.operator.failure) == (False, "before", failure)
    asked = AwaitVerdict(phase=Phase.USE, request="again").effect(snapshot, MadeHere()).reconciliation
    assert (asked.pause.is_ending, asked.request, asked.operator.failure) == (False, "again", failure)


# Steps about node pools.

STEP = SetReplicas(pool="nodes", before=3, replicas=4, phase=Phase.USE)


def test_the_step_that_scales_a_pool_names_the_pool_and_both_sizes(golden: GoldenFiles) -> None:
    golden.compare_said("steps", STEP.sentence())


def test_setting_replicas_changes_a_single_pool() -> None:
    before = changed(cluster(), pools={"nodes": 3, "others": 1})
    assert STEP.effect(before, MadeHere()) == changed(before, pools={"nodes": 4, "others": 1})
